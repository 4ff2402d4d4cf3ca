"""Results -> the figures that must hold, each met, missed or not measured."""
from . import measure
from .program import structural_share

# Giorgidze's thesis (Nottingham 2012), section on performance: a 2.0 GHz Core 2, LLVM 2.5, measured
# in 2009. Modes of 1,000 to 6,000 equations: symbolic processing, just-in-time compilation,
# numerical simulation, in seconds.
HYDRA = {1000: (0.063, 1.057, 9.273), 2000: (0.147, 2.120, 23.228), 3000: (0.236, 3.213, 45.140),
         4000: (0.328, 4.506, 86.471), 5000: (0.439, 5.660, 105.066), 6000: (0.534, 6.840, 152.250)}


def ours(row, engine=None, solver=None):
    """The runs of one size that succeeded, as wanted."""
    return [r for r in row["ours"] if "failed" not in r and engine in (None, r["engine"]) and
            solver in (None, r["solver"])]


def baseline(row, method):
    for b in row["baselines"]:
        if b["method"] == method and "failed" not in b:
            return b
    return None


def fastest_baseline(row, worst_error=None):
    able = [b for b in row["baselines"] if "failed" not in b and
            (worst_error is None or b.get("error") is None or b["error"] <= worst_error)]
    return min(able, key=lambda b: b["seconds"]["median"]) if able else None


def best(row, solver=None):
    runs = ours(row, solver=solver)
    return min(runs, key=lambda r: r["total"]["median"]) if runs else None


def agrees(data):
    return data.get("check", {}).get("agrees", False)


def _floor(name, target, value, met, note=""):
    verdict = "not measured" if value is None else "met" if met else "missed"
    return {"name": name, "target": target, "value": value, "verdict": verdict, "note": note}


def _static(families):
    data = families.get("ladder", {})
    rows = data.get("sizes", [])
    run = best(rows[0], "ida") if rows else None
    hand = baseline(rows[0], "ida") if rows else None
    ratio, note = None, "no run of ours with IDA"
    if run and hand and agrees(data):
        ratio, note = run["total"]["median"]/hand["seconds"]["median"], f"engine {run['engine']}"
    elif run and hand:
        note = "our result does not agree with the hand-written program's"
    return [_floor("static ladder: total time over hand-written C, same method", "<= 1.2", ratio,
                   ratio is not None and ratio <= 1.2, note),
            _floor("static ladder: residual alone over hand-written C", "<= 1.15", None, False,
                   "the statistics have no time of the residual alone")]


def _fit(rows, solver, cost):
    points = [(row["size"], cost(r)) for row in rows
              for r in [best(row, solver)] if r and cost(r)]
    return measure.exponent([x for x, _ in points], [y for _, y in points]) if points else None


def structure_seconds(run):
    share = structural_share(run)
    return share*run["stages"]["total"] if share else None


def _population(families):
    data = families.get("population", {})
    rows = data.get("sizes", [])
    floors = []
    last = next((row for row in reversed(rows) if ours(row)), None)
    for solver in ("ida", "rk", "euler"):
        run = best(last, solver) if last else None
        hand = baseline(last, data["same"][solver]) if last else None
        ratio = run["total"]["median"]/hand["seconds"]["median"] if run and hand else None
        if not agrees(data):
            ratio = None
        floors.append(_floor(f"population, {solver}: total time over hand-written C, same method",
                             "<= 1.5", ratio, ratio is not None and ratio <= 1.5,
                             f"{last['size']} litres" if last else ""))
    e = _fit(rows, "euler", lambda r: r["total"]["median"])
    floors.append(_floor("population, euler: exponent of total time", "<= 1.05", e,
                         e is not None and e <= 1.05))
    for solver in ("ida", "euler"):
        e = _fit(rows, solver, structure_seconds)
        floors.append(_floor(f"population, {solver}: exponent of structural handling", "<= 1.05", e,
                             e is not None and e <= 1.05))
    run = best(last) if last else None
    share = structural_share(run) if run else None
    floors.append(_floor("population: structural handling, share of the total", "< 0.05", share,
                         share is not None and share < 0.05))
    memory = megabytes_per_1000(run) if run else None
    floors.append(_floor("population: MB per 1,000 relations", "<= 1.0", memory,
                         memory is not None and memory <= 1.0,
                         f"whole process, {run['relations_peak']} relations; thesis 3.5"
                         if run else ""))
    return floors


def megabytes_per_1000(run):
    """Whole process, so that nothing hides; only telling when the model is large."""
    relations = run["relations_peak"]
    return run["totals"]["peak_rss_bytes"]/1e6/(relations/1000) if relations else None


def _switch(families):
    rows = families.get("switch", {}).get("sizes", [])
    medians = {}
    for row in rows:
        run = best(row)
        if run and run["events"]["structure_us"]:
            medians[row["size"]] = run["events"]["structure_us"]["median"]
    ratio = note = None
    if len(medians) >= 2 and 1000 in medians:
        last = max(medians)
        ratio, note = medians[last]/medians[1000], f"{last} relations against 1000"
    return [_floor("one switch among many relations: structure_us over that among 1,000", "<= 2",
                   ratio, ratio is not None and ratio <= 2, note or ""),
            _floor("the same: restart_us in residuals and sweeps over the vector", "<= 20", None,
                   False, "the statistics have no time of the residual alone")]


def wait_per_switch(run):
    """Median wait_us, and the wait for the compiler, which the events do not contain: spread
    evenly over the start and the switches."""
    compiling = 1e6*run["stages"].get("compile_wait", 0)/(run["events"]["structural"] + 1)
    return run["events"]["wait_us"]["median"] + compiling


def _growing(families):
    rows = families.get("growing", {}).get("sizes", [])
    waits = {}
    for row in rows:
        for run in ours(row, solver="ida"):
            if run["events"]["wait_us"]:
                waits[run["engine"]] = wait_per_switch(run)
    ratio, note = None, "needs the engines jit and rebuild"
    if "jit" in waits and "rebuild" in waits and waits["jit"] > 0:
        ratio = waits["rebuild"]/waits["jit"]
        note = f"rebuild {waits['rebuild']:.0f} us, jit {waits['jit']:.0f} us"
    return [_floor("growing circuit: wait per switch, rebuild over jit", ">= 20", ratio,
                   ratio is not None and ratio >= 20, note)]


def _seen_before(families):
    rows = families.get("rectifier", {}).get("sizes", [])
    run = best(rows[0]) if rows else None
    cost = run["events"]["structure_us"] if run else None
    value = cost["median"] if cost else None
    return [_floor("mode seen before (rectifier): structure_us, median", "<= 100", value,
                   value is not None and value <= 100)]


def _start(start):
    times = {r["engine"]: r["warm"]["median"] for r in start
             if r["model"] == "trivial" and "warm" in r}
    engine = next((e for e in ("jit", "interp") if e in times), None)
    value = 1e3*times[engine] if engine else None
    return [_floor("trivial model from start to exit, ms", "<= 30", value,
                   value is not None and value <= 30, f"engine {engine}" if engine else "")]


def floors(results):
    families = results["families"]
    return (_static(families) + _population(families) + _switch(families) + _growing(families) +
            _seen_before(families) + _start(results["start"]))
