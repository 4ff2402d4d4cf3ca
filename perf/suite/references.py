"""Families without a hand-written program -> what their results must be, by other formulas.

Everything here is plain Python, uses nothing of Solstice and has its own automata of modes: closed
forms where there are some, elsewhere Runge and Kutta's method of order 4 with steps so short that its
error is far below the tolerance of what is checked, events located by bisection of the step. A
reference is a function (size, stop, interval, our columns) -> {path: values at 0, interval, ...}.
Our columns serve for nothing but draws of random numbers (the drivers of the traffic).
"""
import math


class Hybrid:
    """rhs(t, y) -> y'; beyond(t, y) -> list of numbers, the k-th event happens when the k-th becomes
    positive; happen(k, t, y) changes modes and, if it likes, y in place."""

    def __init__(self, y, rhs, beyond=None, happen=None):
        self.t, self.y = 0.0, list(y)
        self.rhs, self.beyond, self.happen = rhs, beyond, happen

    def _step(self, h):
        t, y, f = self.t, self.y, self.rhs
        k1 = f(t, y)
        k2 = f(t + h/2, [a + h/2*b for a, b in zip(y, k1)])
        k3 = f(t + h/2, [a + h/2*b for a, b in zip(y, k2)])
        k4 = f(t + h, [a + h*b for a, b in zip(y, k3)])
        return [a + h/6*(p + 2*(q + r) + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]

    def _fired(self, before, t, y):
        return [k for k, g in enumerate(self.beyond(t, y)) if g > 0 and k not in before]

    def advance(self, to, longest):
        """Steps to time `to`, meeting every event on the way."""
        while self.t < to - 1e-13*max(1.0, abs(to)):
            h = min(longest, to - self.t)
            after = self._step(h)
            if self.beyond:
                before = {k for k, g in enumerate(self.beyond(self.t, self.y)) if g > 0}
                fired = self._fired(before, self.t + h, after)
                if fired:
                    h, after, fired = self._locate(before, h)
                    self.t, self.y = self.t + h, after
                    for k in fired:
                        self.happen(k, self.t, self.y)
                    continue
            self.t, self.y = self.t + h, after

    def _locate(self, before, high):
        low = 0.0
        while high - low > 1e-12:
            h = 0.5*(low + high)
            if self._fired(before, self.t + h, self._step(h)):
                high = h
            else:
                low = h
        after = self._step(high)
        return high, after, self._fired(before, self.t + high, after)


def _grid(stop, interval):
    return [k*interval for k in range(int(stop/interval + 1e-6) + 1)]


# ---- one switch among others: closed form ----

def switch(size, stop, interval, ours, every):
    """The capacitor is charged with time constant 0.2 and discharged with 0.3, in turn."""
    values, u, t, charging, changes = [], 0.0, 0.0, False, 1
    for to in _grid(stop, interval):
        while changes*every <= to + 1e-12:
            u = _charge(u, changes*every - t, charging)
            t, charging, changes = changes*every, not charging, changes + 1
        values.append(_charge(u, to - t, charging))
    return {"m.s.u": values}


def _charge(u, h, charging):
    return 1 - (1 - u)*math.exp(-h/0.2) if charging else u*math.exp(-h/0.3)


# ---- the line ----

def line(size, stop, interval, ours, stay=0.1):
    """L and C 0.1 a section, the load of 2 ohms at section floor(t/stay)."""
    at = [0]

    def rhs(t, y):
        f = [0.0]*(2*size)
        before = math.sin(2*math.pi*t)
        for k in range(size):
            i, u = y[2*k], y[2*k + 1]
            out = (y[2*k + 2] if k + 1 < size else 0) + (u/2 if k == at[0] else 0)
            f[2*k], f[2*k + 1] = (before - u)/0.1, (i - out)/0.1
            before = u
        return f

    run, values = Hybrid([0.0]*(2*size), rhs), []
    for to in _grid(stop, interval):
        while (at[0] + 1)*stay <= to:
            run.advance((at[0] + 1)*stay, 1e-3)
            at[0] += 1
        run.advance(to, 1e-3)
        values.append(run.y[0])
    return {"m.iIn": values}


# ---- rectifiers behind one line ----

def coupled(size, stop, interval, ours):
    """y: u_1, i_1, u_2, i_2, ...; the bus has sin(100 pi t) behind a resistance of 1/n."""
    closed = [True]*size
    c = [0.001*(1 + k/size) for k in range(size)]

    def bus(t, y):
        return math.sin(100*math.pi*t) - sum(y[1::2])/size

    def rhs(t, y):
        u0, f = bus(t, y), []
        for k in range(size):
            u, i = y[2*k], y[2*k + 1]
            f += [(i - u/50)/c[k], (u0 - 10*i - u)/0.2 if closed[k] else 0.0]
        return f

    def beyond(t, y):
        u0 = bus(t, y)
        return [-y[2*k + 1] if closed[k] else u0 - y[2*k] for k in range(size)]

    def happen(k, _, y):
        closed[k] = not closed[k]
        y[2*k + 1] = 0.0

    run, values = Hybrid([0.0]*(2*size), rhs, beyond, happen), []
    for to in _grid(stop, interval):
        run.advance(to, 5e-5)
        values.append(sum(run.y[0::2]))
    return {"m.sum": values}


# ---- the chain ----

def chain(size, stop, interval, ours, breaks=0.5):
    """Point masses; the pulls in the rods from the second derivative of the constraints, a tridiagonal
    system: (r_i - r_(i-1)) (a_i - a_(i-1)) + |v_i - v_(i-1)|^2 = 0."""
    torn = size - size//2  # this rod, counted from the top and from 0, breaks
    whole = [True]

    def rhs(_, y):
        x, v = y[:2*size], y[2*size:]
        d = [(x[2*k] - (x[2*k - 2] if k else 0), x[2*k + 1] - (x[2*k - 1] if k else 0))
             for k in range(size)]
        w = [(v[2*k] - (v[2*k - 2] if k else 0), v[2*k + 1] - (v[2*k - 1] if k else 0))
             for k in range(size)]
        pull = _pulls(d, w, None if whole[0] else torn)
        a = []
        for k in range(size):
            below = (pull[k + 1]*d[k + 1][0], pull[k + 1]*d[k + 1][1]) if k + 1 < size else (0, 0)
            a += [-pull[k]*d[k][0] + below[0], -pull[k]*d[k][1] + below[1] - 9.81]
        return v + a

    start = [s*(k + 1)*math.sqrt(0.5) for k in range(size) for s in (1, -1)]
    run, xs, ys = Hybrid(start + [0.0]*(2*size), rhs), [], []
    for to in _grid(stop, interval):
        if whole[0] and to >= breaks:
            run.advance(breaks, 1e-3)
            whole[0] = False
        run.advance(to, 1e-3)
        xs.append(run.y[2*size - 2])
        ys.append(run.y[2*size - 1])
    return {"m.x": xs, "m.y": ys}


def _pulls(d, w, torn):
    n = len(d)
    low, diagonal, high, right = [0.0]*n, [0.0]*n, [0.0]*n, [0.0]*n
    for k in range(n):
        if k == torn:
            diagonal[k] = 1.0
            continue
        # The uppermost rod hangs on what does not move: no mass above it, and gravity counts.
        diagonal[k] = (2 if k else 1)*(d[k][0]**2 + d[k][1]**2)
        right[k] = w[k][0]**2 + w[k][1]**2 - (0 if k else 9.81*d[k][1])
        if k:
            low[k] = -(d[k][0]*d[k - 1][0] + d[k][1]*d[k - 1][1])
        if k + 1 < n:
            high[k] = -(d[k][0]*d[k + 1][0] + d[k][1]*d[k + 1][1])
    for k in range(1, n):
        m = low[k]/diagonal[k - 1]
        diagonal[k] -= m*high[k - 1]
        right[k] -= m*right[k - 1]
    pull = [0.0]*n
    for k in range(n - 1, -1, -1):
        pull[k] = (right[k] - (high[k]*pull[k + 1] if k + 1 < n else 0))/diagonal[k]
    return pull


# ---- traffic ----

class Driver:
    def __init__(self, k):
        self.k, self.alarmed, self.braking, self.acts = k, False, False, math.inf


def traffic(size, stop, interval, ours, every=2.6):
    """A car every 2.6 s with 12.5 m/s; drivers as drawn by our run, everything else anew. For as long as
    no car has reached the end of the road."""
    draws = [next(v for v in values if v is not None) for path, values in ours.items()
             if path.startswith("m.last.car.k")]
    cars = []

    def distance(j, y):
        return (y[2*j - 2] if j else math.inf) - y[2*j]

    def rhs(_, y):
        f = []
        for j, car in enumerate(cars):
            v = y[2*j + 1]
            gap = max(distance(j, y) - 2.5, 0.001)
            f += [v, -2*car.k*25*2*v/gap if car.braking else car.k*(25 - v)]
        return f

    def beyond(t, y):
        found = []
        for j, car in enumerate(cars):
            ahead, safe = min(distance(j, y), 4000), 2*y[2*j + 1]
            found += [ahead - 1.5*safe if car.alarmed else safe - ahead,
                      t - car.acts if car.alarmed != car.braking else -1.0]
        return found

    def happen(k, t, _):
        car = cars[k//2]
        if k % 2:
            car.braking, car.acts = car.alarmed, math.inf
        else:
            car.alarmed, car.acts = not car.alarmed, t + 0.3

    run, values, paths = Hybrid([], rhs, beyond, happen), {}, []
    for row, to in enumerate(_grid(stop, interval)):
        while len(cars)*every <= to + 1e-12 and len(cars) < len(draws):
            run.advance(len(cars)*every, 0.02)
            cars.append(Driver(draws[len(cars)]))
            run.y += [0.0, 12.5]
            paths.append("m.last.car.x" + (f"#{len(cars)}" if len(cars) > 1 else ""))
            values[paths[-1]] = [None]*row
        run.advance(to, 0.02)
        for j, path in enumerate(paths):
            values[path].append(run.y[2*j])
    return values
