"""Results -> the figures that must hold, each met, missed or not measured."""
import re

from . import causes, converters, measure
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


def fastest_baseline(row, data):
    """Of those that reach the accuracy that our result has to have."""
    worst_error = data.get("check", {}).get("needed")
    able = [b for b in row["baselines"] if "failed" not in b and
            (worst_error is None or b.get("error") is None or b["error"] <= worst_error)]
    return min(able, key=lambda b: b["seconds"]["median"]) if able else None


def best(row, solver=None):
    runs = ours(row, solver=solver)
    return min(runs, key=lambda r: r["total"]["median"]) if runs else None


def agrees(data):
    return data.get("check", {}).get("agrees", False)


def _floor(key, name, target, value, met, note=""):
    verdict = "not measured" if value is None else "reported" if met is None else \
        "reached" if met else "missed"
    note = note or ""
    if verdict == "missed" and key in causes.CAUSES:
        note = f"{note}. {causes.CAUSES[key]}" if note else causes.CAUSES[key]
    return {"name": name, "target": target, "value": value, "verdict": verdict, "note": note}


def _at_most(key, name, limit, value, note=""):
    return _floor(key, name, f"<= {limit:g}", value, value is not None and value <= limit, note)


# ---- static models ----

def _static(families, programs):
    data = families.get("ladder", {})
    rows = data.get("sizes", [])
    run = best(rows[0], "ida") if rows else None
    hand = baseline(rows[0], "ida") if rows else None
    ratio, note = None, "no run of ours with IDA"
    if run and hand and agrees(data):
        ratio = run["total"]["median"]/hand["seconds"]["median"]
        note = (f"engine {run['engine']}; {run['totals']['steps']} steps, by hand {hand['steps']}; "
                f"of our total {run['stages']['integrate']/run['stages']['total']:.0%} is integration, "
                f"{run['stages']['output']/run['stages']['total']:.0%} output")
    elif run and hand:
        note = "our result does not agree with the hand-written program's"
    alone, how = residual_alone(programs.get("bench_static", ""))
    within, both = _evaluation(rows)
    return [_at_most("static total", "static ladder: total time over hand-written C, same method", 1.2,
                     ratio, note),
            _at_most("residual", "residual alone over the fastest C of gcc -O3 (bench_static)", 1.15,
                     alone, how),
            _floor("", "the same inside runs: a step's evaluation with rk over dp5 by hand", "reported",
                   within, None, both)]


def residual_alone(table):
    """bench_static's table -> our optimised batch of arrays, as the runtime has it between events, over the
    fastest C."""
    by_hand, ours, tier = [], None, ""
    for text in table.splitlines():
        found = re.match(r"  (.+?) +([0-9.]+) ns +[0-9.]+  same bits", text)
        if not found:
            tier = text.strip()
        elif found[1].startswith("C "):
            by_hand.append((float(found[2]), found[1]))
        elif found[1] == "batch of arrays" and tier == "optimised":
            ours = float(found[2])
    if not by_hand or ours is None:
        return None, "bench_static did not run, or its results differ"
    fastest, name = min(by_hand)
    return ours/fastest, f"600 relations: {ours:.0f} ns, {name} {fastest:.0f} ns"


def _population_residual(table):
    """bench_population's table -> our batches over the fastest C with the same relations."""
    by_hand = [float(x) for x in re.findall(r"tree of sums.+? +([0-9.]+) us", table)]
    ours_us = re.search(r"batches, with what goes in and out +([0-9.]+) us", table)
    value = float(ours_us[1])/min(by_hand) if by_hand and ours_us else None
    return _floor("", "population: residual alone over C with the same relations (bench_population)",
                  "reported", value, None, table.splitlines()[0] if table else "")


def _plate_residual(table):
    """bench_plate's table -> our slopes of a plate over C with arrays, both from and to vectors of states."""
    by_hand = re.search(r"C: states and slopes in vectors +([0-9.]+) us", table)
    ours_us = re.search(r"ours, with what goes in and out +([0-9.]+) us", table)
    value = float(ours_us[1])/float(by_hand[1]) if by_hand and ours_us else None
    return _floor("", "plate: residual alone over C with arrays (bench_plate)", "reported", value, None,
                  table.splitlines()[0] if table else "")


def _evaluation(rows):
    """Seconds of integration over evaluations, with the same explicit method on both sides."""
    run = best(rows[0], "rk") if rows else None
    hand = baseline(rows[0], "dp5") if rows else None
    if not run or not hand or not run["totals"]["residuals"]:
        return None, ""
    ours_us = 1e6*run["stages"]["integrate"]/run["totals"]["residuals"]
    hand_us = 1e6*hand["seconds"]["median"]/hand["residuals"]
    return ours_us/hand_us, f"{ours_us:.2f} us, by hand {hand_us:.2f} us, with the vectors of the method"


# ---- population ----

def relations(run):
    return run["relations_peak"]


def _points(rows, solver, cost):
    return [(relations(r), cost(r)) for row in rows
            for r in [best(row, solver)] if r and cost(r) and relations(r)]


def _fit(rows, solver, cost):
    """(exponent over all sizes, that between the last two, where fixed costs count least)."""
    points = _points(rows, solver, cost)
    return (measure.exponent(*zip(*points)) if points else None,
            measure.exponent(*zip(*points[-2:])) if points else None)


def _fit_baseline(rows, method):
    points = [(row["size"], b["seconds"]["median"]) for row in rows
              for b in [baseline(row, method)] if b]
    return measure.exponent([x for x, _ in points], [y for _, y in points]) if points else None


def structure_seconds(run):
    share = structural_share(run)
    return share*run["stages"]["total"] if share else None


def _largest(rows, solver, method=None):
    """(row, our run, hand-written run) of the largest size that has them."""
    for row in reversed(rows):
        run = best(row, solver)
        hand = baseline(row, method) if method else None
        if run and (hand or not method):
            return row, run, hand
    return None, None, None


def _population_ratios(data, rows):
    found = []
    for solver in ("ida", "rk", "euler"):
        row, run, hand = _largest(rows, solver, data.get("same", {}).get(solver, "none"))
        ratio = run["total"]["median"]/hand["seconds"]["median"] if run else None
        note = (f"{row['size']} litres, {relations(run)} relations; {run['totals']['steps']} steps, "
                f"by hand {hand['steps']}") if run else ""
        if data and not agrees(data):
            ratio, note = None, "our result does not agree with the hand-written program's"
        found.append(_at_most("population total " + solver,
                              f"population, {solver}: total time over hand-written C, same method", 1.5,
                              ratio, note))
    return found


def _slope(key, name, rows, solver, cost):
    """Both exponents have to keep the limit."""
    _, run, _ = _largest(rows, solver)
    overall, last = _fit(rows, solver, cost)
    worst = max(overall, last) if overall is not None else None
    note = (f"up to {relations(run)} relations; over all sizes {overall:.2f}, between the last two "
            f"{last:.2f}") if worst is not None else ""
    return _at_most(key, name, 1.05, worst, note)


def _population_slopes(rows):
    found = [_slope("population exponent", "population, euler: exponent of total time", rows, "euler",
                    lambda r: r["total"]["median"])]
    for solver in ("ida", "euler"):
        found.append(_slope("population structure " + solver,
                            f"population, {solver}: exponent of structural handling", rows, solver,
                            structure_seconds))
    overall, last = _fit(rows, "ida", lambda r: r["total"]["median"])
    by_hand = _fit_baseline(rows, "ida")
    found.append(_floor("", "population, ida: exponent of total time", "reported", overall, None,
                        f"between the last two sizes {last:.2f}; by hand {by_hand:.2f}"
                        if overall is not None and by_hand is not None else ""))
    return found


def _population(families):
    data = families.get("population", {})
    rows = data.get("sizes", [])
    found = _population_ratios(data, rows) + _population_slopes(rows)
    for solver in ("ida", "euler"):
        row, run, _ = _largest(rows, solver)
        share = structural_share(run) if run else None
        found.append(_floor("population share", f"population, {solver}: structural handling, share of the "
                            "total", "< 0.05", share, share is not None and share < 0.05,
                            f"{relations(run)} relations" if run else ""))
    row, run, _ = max((_largest(rows, s) for s in ("ida", "euler", "rk")),
                      key=lambda found: relations(found[1]) if found[1] else 0)
    found.append(_at_most("population memory", "population: MB per 1,000 relations", 1.0,
                          megabytes_per_1000(run) if run else None,
                          f"peak of the whole process, {relations(run)} relations; thesis 3.5, Dymola's "
                          "translator 1 to 2" if run else ""))
    return found


def megabytes_per_1000(run):
    """Whole process, so that nothing hides; only telling when the model is large."""
    count = run["relations_peak"]
    return run["totals"]["peak_rss_bytes"]/1e6/(count/1000) if count else None


# ---- events ----

def _switch(families):
    rows = families.get("switch", {}).get("sizes", [])
    medians = {}
    for row in rows:
        for run in ours(row, "jit", "rk"):
            if run["events"]["structure_us"]:
                medians[row["size"]] = run["events"]["structure_us"]["median"]
    ratio = note = None
    if len(medians) >= 2 and 1000 in medians:
        last = max(medians)
        ratio = medians[last]/medians[1000]
        note = ", ".join(f"{size:g}: {us:.1f} us" for size, us in medians.items())
    return [_at_most("switch structure",
                     "one switch among many relations: structure_us over that among 1,000", 2, ratio, note),
            _restart(rows)]


def _restart(rows):
    """One step of Euler's method is one evaluation and one sweep over the vector."""
    value, note = None, "needs runs with ida and euler"
    for row in rows:
        step, run = best(row, "euler"), best(row, "ida")
        if not step or not run or not run["events"]["restart_us"]:
            continue
        one = 1e6*step["stages"]["integrate"]/step["totals"]["steps"]
        restart = run["events"]["restart_us"]["median"]
        value = restart/one
        note = (f"{row['size']:g} relations: restart {restart:.1f} us, one evaluation and sweep of the "
                f"whole model (a step of Euler) {one:.0f} us; one part of "
                f"{run['totals']['states_max']} restarts")
    return _at_most("switch restart", "the same: restart_us in evaluations and sweeps, ida", 20, value, note)


def wait_per_switch(run):
    """Median wait_us; it contains what the engine `rebuild` waits for its compiler."""
    return run["events"]["wait_us"]["median"]


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
        note = f"rebuild {waits['rebuild']:.0f} us, jit {waits['jit']:.0f} us, KLU in both"
    return [_floor("growing", "growing circuit: wait per switch, rebuild over jit", ">= 20", ratio,
                   ratio is not None and ratio >= 20, note)]


def _seen_before(families):
    """The rectifier's modes alternate: all but the first two events lead into one seen before."""
    medians = {}
    for row in families.get("rectifier", {}).get("sizes", []):
        for run in ours(row, "jit", "ida"):
            if run["events"]["structure_us"]:
                medians[row["size"]] = run["events"]["structure_us"]["median"]
    note = ", ".join(f"{size} circuits {us:.1f} us" for size, us in medians.items())
    return [_at_most("seen", "mode seen before (rectifier, worst size): structure_us, median", 100,
                     max(medians.values()) if medians else None, note)]


def _converters(rows):
    wrong = converters.wrong(rows)
    if wrong:
        return [_floor("", "buck converters: results", "agree", None, None, "; ".join(wrong))]
    largest = max((r["n"] for r in rows), default=1)
    named = (("buck converter, ideal switches, rk: an event over C with located events", 12, "ideal",
              "by hand, dp5", 1, 1),
             ("the same with the library's resistive switches, auto, over ideal ones, rk", 2, "library",
              "ideal", 1, 1),
             (f"{largest} independent converters over one, ideal: an event", 1.3, "ideal", "ideal", largest, 1),
             (f"{largest} coupled converters, library over flat equations: an event", 1.1,
              "library, coupled", "resistive, coupled", largest, largest))
    return [_at_most("", name, limit, *converters.ratio(rows, above, below, n, m))
            for name, limit, above, below, n, m in named]


def _start(start):
    times = {r["engine"]: r["warm"]["median"] for r in start
             if r["model"] == "trivial" and "warm" in r}
    engine = next((e for e in ("jit", "interp") if e in times), None)
    return [_at_most("start", "trivial model from start to exit, ms", 30,
                     1e3*times[engine] if engine else None, f"engine {engine}" if engine else "")]


def _spice(spice):
    """No floor: the diodes differ."""
    found = []
    for one in spice.get("rectifier", []):
        equal = one.get("equal")
        if equal:
            found.append(_floor("", f"{one['size']} rectifiers with ngspice: seconds a simulated second",
                                "reported", equal["seconds"]/one["stop"], None,
                                f"error {equal['error']:.2g}, ours {one['target']:.2g}"))
    return found


def floors(results):
    families, programs = results["families"], results["programs"]
    return (_static(families, programs) + _population(families) +
            [_population_residual(programs.get("bench_population", "")),
             _plate_residual(programs.get("bench_plate", ""))] + _switch(families) +
            _growing(families) + _seen_before(families) + _converters(results["converters"]) +
            _start(results["start"]) +
            _spice(results["spice"] or {}))
