"""The ladder and the rectifiers as netlists for ngspice, with the accuracy that it really reaches.

Equal accuracy cannot be asked of two programs by equal options: SPICE's reltol is a different
promise. So it is measured. Error means the same for everyone: largest difference from a reference
(perf/baselines with tolerance 1e-12) over the whole run, relative to the largest value of that signal.
The netlist is run with tighter and tighter reltol, and the time that counts is that of the first
run whose error is not larger than the one to be reached.
"""
import bisect
import math
import shutil

from . import measure

RELTOLS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)


def available():
    return shutil.which("ngspice") is not None


def version():
    out = measure.run(["ngspice", "--version"], 20)["out"]
    found = [line for line in out.splitlines() if "ngspice-" in line]
    return found[0].strip(" *") if found else "unknown"


def _sections_in_mode(mode):
    return (200*mode - 2)//3


def ladder(modes, stop, reltol, data):
    """The growing ladder: a switch, open at first, before the sections of each later mode."""
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
    lines.append(".model SWITCH SW(VT=0.5 VH=0 RON=1e-6 ROFF=1e9)")
    return _finish(lines, stop, reltol, "v(n66)", data, 0.05)


def rectifiers(n, stop, reltol, data):
    """n circuits; the diode is exponential, as sharp as ngspice takes it (emission 0.01)."""
    lines = ["rectifiers", "VS s 0 SIN(0 1 50)"]
    for k in range(n):
        c = 0.001*(1 + k/n)
        lines += [f"L{k} s a{k} 0.2 IC=0", f"R{k} a{k} b{k} 10", f"D{k} b{k} u{k} IDEAL",
                  f"C{k} u{k} 0 {c:.12g} IC=0", f"RL{k} u{k} 0 50"]
    lines.append(".model IDEAL D(IS=1e-12 N=0.01)")
    return _finish(lines, stop, reltol, "v(u0)", data, 1e-3)


def _finish(lines, stop, reltol, signal, data, longest):
    lines += [f".options reltol={reltol:g} abstol={1e-6*reltol:g} vntol={1e-3*reltol:g} trtol=1",
              f".save {signal}", f".tran {longest:g} {stop:g} 0 {longest:g} uic",
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


def sweep(write, reference, target, out, timeout, clock):
    """write(reltol, data file) -> netlist. -> {"tried": [...], "equal": the run that counts}."""
    times, values = reference
    tried, equal = [], None
    for reltol in RELTOLS:
        if clock.left() < timeout/4:
            return {"tried": tried, "equal": equal, "note": "the time for this report ended"}
        data, netlist = out/"spice.data", out/"spice.cir"
        data.unlink(missing_ok=True)
        netlist.write_text(write(reltol, data), encoding="utf-8")
        outcome = measure.run(["ngspice", "-b", netlist], min(timeout, clock.left()))
        if outcome["code"] != 0 or not data.exists():
            tried.append({"reltol": reltol, "failed": measure.reason(outcome)})
            break
        points = _read(data)
        one = {"reltol": reltol, "seconds": outcome["seconds"], "points": len(points),
               "error": error(points, times, values)}
        tried.append(one)
        if not math.isfinite(one["error"]):
            break
        if target is not None and one["error"] <= target:
            equal = one
            break
    return {"tried": tried, "equal": equal}


def single(write, data, out, timeout):
    """One run of write(data file) -> its points, or None."""
    data.unlink(missing_ok=True)
    netlist = out/"spice.cir"
    netlist.write_text(write(data), encoding="utf-8")
    outcome = measure.run(["ngspice", "-b", netlist], timeout)
    return _read(data) if outcome["code"] == 0 and data.exists() else None
