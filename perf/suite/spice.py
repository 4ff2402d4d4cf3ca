"""The ladder and the rectifiers as netlists for ngspice, with the accuracy that it really reaches.

Equal accuracy cannot be asked of two programs by equal options: SPICE's reltol is a different
promise. So it is measured. Error means the same for everyone: largest difference from a reference
over the whole run, relative to the largest value of that signal. The netlist is run with tighter and
tighter settings, and the time that counts is that of the first run whose error is not larger than
the one to be reached. The setting of the ladder is reltol. In the rectifier it is the longest step: with
a smaller reltol ngspice gives up where the diode cuts the inductor's current off ("timestep too
small"), and with a capacitance at the diode it would follow oscillations that are not in our model.
"""
import bisect
import shutil

from . import measure

RELTOLS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
LONGEST_STEPS = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6)
FINEST_STEP = 2e-6  # of the run that stands for ngspice's own exact solution


def available():
    return shutil.which("ngspice") is not None


def version():
    out = measure.run(["ngspice", "--version"], 20)["out"]
    found = [line for line in out.splitlines() if "ngspice-" in line]
    return found[0].strip(" *") if found else "unknown"


def _sections_in_mode(mode):
    return (200*mode - 2)//3


def ladder(modes, stop, reltol, data):
    """The growing ladder: a switch, open at first, before the sections of each later mode. With more
    extreme resistances ngspice gives up when it closes."""
    lines = ["growing RLC ladder", "VS n0 0 SIN(0 1 1)"]
    before, first = "n0", 1
    for mode in range(1, modes + 1):
        if mode > 1:
            t = 10*(mode - 1)
            lines += [f"VC{mode} c{mode} 0 PWL(0 0 {t} 0 {t + 1e-6} 1)",
                      f"SW{mode} {before} j{mode} c{mode} 0 SWITCH"]
            before = f"j{mode}"
        last = _sections_in_mode(mode)
        for k in range(first, last + 1):
            lines += [f"R{k} {before} m{k} 0.02", f"L{k} m{k} n{k} 0.1 IC=0",
                      f"C{k} n{k} 0 0.1 IC=0"]
            before = f"n{k}"
        first = last + 1
    lines.append(".model SWITCH SW(VT=0.5 VH=0 RON=1e-5 ROFF=1e5)")
    options = f"reltol={reltol:g} abstol={1e-6*reltol:g} vntol={1e-3*reltol:g} trtol=1"
    return _finish(lines, stop, options, "v(n66)", data, 0.05)


def rectifiers(n, stop, longest, data):
    """n circuits; the diode is exponential, as sharp as ngspice takes it (emission 0.01)."""
    lines = ["rectifiers", "VS s 0 SIN(0 1 50)"]
    for k in range(n):
        c = 0.001*(1 + k/n)
        lines += [f"L{k} s a{k} 0.2 IC=0", f"R{k} a{k} b{k} 10", f"D{k} b{k} u{k} IDEAL",
                  f"C{k} u{k} 0 {c:.12g} IC=0", f"RL{k} u{k} 0 50"]
    lines.append(".model IDEAL D(IS=1e-12 N=0.01)")
    return _finish(lines, stop, "reltol=1e-4 abstol=1e-9 vntol=1e-6", "v(u0)", data, longest)


def _finish(lines, stop, options, signal, data, longest):
    lines += [f".options {options}", f".save {signal}", f".tran {longest:g} {stop:g} 0 {longest:g} uic",
              ".control", "set wr_singlescale", "set numdgt=15", "run", f"wrdata {data} {signal}", "quit",
              ".endc", ".end", ""]
    return "\n".join(lines)


def _read(data):
    points = []
    with open(data, encoding="utf-8") as text:
        for line in text:
            words = line.split()
            if len(words) >= 2:
                points.append((float(words[0]), float(words[1])))
    return points


def _between(times, values, t):
    """Cubic through the four reference points around t."""
    k = min(max(bisect.bisect(times, t) - 2, 0), len(times) - 4)
    total = 0.0
    for i in range(k, k + 4):
        weight = values[i]
        for j in range(k, k + 4):
            if j != i:
                weight *= (t - times[j])/(times[i] - times[j])
        total += weight
    return total


def error(points, times, values):
    scale = max(abs(v) for v in values)
    worst = max(abs(v - _between(times, values, t)) for t, v in points if t <= times[-1])
    return worst/scale


def single(netlist_text, stop, out, timeout):
    """One run -> {"seconds", "list": its points}, or {"failed"}. ngspice's exit code says nothing
    about a run that it broke off, so the last point has to be at the end."""
    data, netlist = out/"spice.data", out/"spice.cir"
    data.unlink(missing_ok=True)
    netlist.write_text(netlist_text, encoding="utf-8")
    outcome = measure.run(["ngspice", "-b", netlist], timeout)
    if outcome["code"] != 0 or not data.exists():
        return {"failed": measure.reason(outcome)}
    points = _read(data)
    if not points or points[-1][0] < stop*(1 - 1e-6):
        return {"failed": f"ngspice broke off at {points[-1][0] if points else 0:g} s"}
    return {"seconds": outcome["seconds"], "list": points}


def sweep(settings, write, stop, reference, target, out, clock):
    """write(setting, data file) -> netlist. -> {"tried": [...], "equal": the run that counts}."""
    tried, equal = [], None
    for setting in settings:
        if clock.left() < 2:
            return {"tried": tried, "equal": equal, "note": "the time for this report ended"}
        run = single(write(setting, out/"spice.data"), stop, out, 0.6*clock.left())
        points = run.pop("list", None)
        tried.append({"setting": setting, **run})
        if points is None:
            break
        tried[-1].update(points=len(points), error=error(points, *reference))
        if target is not None and tried[-1]["error"] <= target:
            equal = tried[-1]
            break
    return {"tried": tried, "equal": equal}
