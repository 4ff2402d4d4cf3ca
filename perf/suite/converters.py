"""Buck converters: what an event costs, with ideal and with resistive switches, alone and among others, against C."""
from . import measure
from .program import say

# name -> (model, solver); all show the sum of the output voltages.
KINDS = {"ideal": ("IdealArray", "rk"), "resistive": ("ResistiveArray", "auto"),
         "library": ("BuiltArray", "auto"), "ideal, coupled": ("IdealCoupled", "rk"),
         "resistive, coupled": ("ResistiveCoupled", "auto"), "library, coupled": ("BuiltCoupled", "auto")}
SIZES = {"quick": {1: 0.02, 10: 0.005}, "full": {1: 0.2, 10: 0.05, 100: 0.01}}  # converters -> seconds
AGREE = {"ideal": 1e-5, "resistive": 1e-3, "library": 1e-3}  # resistive switches are not ideal


def converters(suite):
    if suite.program.missing or suite.best_engine() is None:
        suite.skip("converters", suite.program.missing or "no engine works")
        return []
    say("converters")
    rows = []
    for n, stop in SIZES[suite.kind].items():
        rows += [_ours(suite, kind, n, stop) for kind in KINDS]
        rows += [_by_hand(suite, method, n, stop) for method in ("dp5", "exact")]
    return rows


def _ours(suite, kind, n, stop):
    model, solver = KINDS[kind]
    file, result = suite.out/"models"/f"{model}_{n}.sol", suite.out/"converters.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(suite.generate.top(f"Bucks.{model}", {"n": n}), encoding="utf-8")
    options = {"--stop": stop, "--interval": stop/10, "--engine": suite.best_engine(), "--solver": solver,
               "--output": result, "--vars": ["m.sum"]}
    run = suite.program.repeat(f"{file}:Top", options, suite.repeats, 5, suite.clock.left())
    if "failed" in run:
        suite.skip(f"{n} converters, {kind}", run["failed"])
        return {"kind": kind, "n": n, "failed": run["failed"]}
    totals, events = run["totals"], run["totals"]["events"]
    _, columns = measure.read_csv(result)
    return {"kind": kind, "n": n, "solver": solver, "events": events, "sum": columns["m.sum"][-1],
            "event_us": 1e6*run["total"]["median"]/events, "steps": totals["steps"]/events,
            "jacobians": totals["jacobians"]/events,
            "integrate_us": 1e6*run["stages"]["integrate"]/events,
            "structure_us": 1e6*run["stages"]["events"]/events}


def _by_hand(suite, method, n, stop):
    run = suite.baselines.run("buck", {"--n": n, "--stop": stop, "--interval": stop/10, "--method": method,
                                       "--repeat": suite.repeats}, suite.clock.left())
    kind = f"by hand, {method}"
    if "failed" in run:
        return {"kind": kind, "n": n, "failed": run["failed"]}
    return {"kind": kind, "n": n, "events": run["events"], "sum": run["end"]["u_sum"],
            "event_us": 1e6*run["seconds"]["median"]/run["events"], "steps": run["steps"]/run["events"]}


def find(rows, kind, n):
    return next((r for r in rows if r["kind"] == kind and r["n"] == n and "failed" not in r), None)


def wrong(rows):
    """Those that are not near the closed form, and coupled ones that do not agree with each other."""
    found = []
    for row in rows:
        plain = row["kind"].split(",")[0]
        if "failed" in row or plain not in AGREE:
            continue
        coupled = "coupled" in row["kind"]
        truth = find(rows, "resistive, coupled" if coupled else "by hand, exact", row["n"])
        allowed = 1e-3 if coupled else AGREE[plain]
        if truth and abs(row["sum"] - truth["sum"]) > allowed*abs(truth["sum"]):
            found.append(f"{row['n']} {row['kind']}: {row['sum']:.9g} instead of {truth['sum']:.9g}")
    return found


def ratio(rows, above, below, n=1, n_below=None):
    """Time of an event of one over that of another, and both in words; None: not measured."""
    a, b = find(rows, above, n), find(rows, below, n_below or n)
    if not a or not b:
        return None, ""
    return (a["event_us"]/b["event_us"],
            f"{a['event_us']:.3g} us ({a['steps']:.1f} steps), {b['event_us']:.3g} us ({b['steps']:.1f} steps)")
