"""What does not fit a family: starting the program, ngspice, the benchmark programs of the layers."""
import tempfile
from pathlib import Path

from . import measure, spice
from .program import say

START_MODELS = {"trivial": ("Switches.Trivial", {}), "medium": ("Rectifiers.Array", {"n": 10}),
                "large": ("Switches.Among", {"n": 1000})}


def start(suite):
    """From start to exit of short runs: first without, then with what the code cache kept."""
    program, rows = suite.program, []
    if program.missing or suite.best_engine() is None:
        suite.skip("cold and warm start", program.missing or "no engine works")
        return rows
    say("start: cold and warm")
    for name, (designator, settings) in START_MODELS.items():
        file = suite.out/"models"/f"start_{name}.sol"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(suite.generate.top(designator, settings), encoding="utf-8")
        for engine in program.usable_engines():
            rows.append({"model": name, "engine": engine, **_start(suite, f"{file}:Top", engine)})
    return rows


def _start(suite, model, engine):
    options = {"--stop": 0.01, "--interval": 0.01, "--engine": engine,
               "--output": suite.out/"start.solr"}
    result = {}
    with tempfile.TemporaryDirectory(dir=suite.out) as cache:
        if "--cache" in suite.program.options and engine == "jit":
            options["--cache"] = str(Path(cache)/"code")
        for name in ("cold", "warm"):
            repeats = 1 if name == "cold" and "--cache" in options else suite.repeats
            runs = [suite.program.run(model, options, suite.timeout) for _ in range(repeats)]
            failed = [r["failed"] for r in runs if "failed" in r]
            if failed:
                return {"failed": failed[0]}
            result[name] = measure.summary(r["seconds"] for r in runs)
    return result


def ngspice(suite, results):
    """Ladder and rectifiers by ngspice, as accurate as we are; see spice.py."""
    if not spice.available():
        suite.skip("ngspice", "not installed (make perf installs it)")
        return {}
    say("ngspice")
    quick = suite.kind == "quick"
    found = {"version": spice.version(), "ladder": [], "rectifier": []}
    for modes in (1,) if quick else (1, 6):
        family = "ladder" if modes == 1 else "growing"
        found["ladder"].append(_spice_ladder(suite, modes, _target(results, family, modes)))
    for n in (4,) if quick else (10, 100, 1000):
        found["rectifier"].append(_spice_rectifiers(suite, n, 0.1 if quick else 1,
                                                    _target(results, "rectifier", n)))
    return found


def _target(results, family, size):
    """The error to be reached: ours if we have one, else that of hand-written IDA."""
    data = results.get(family, {})
    error = data.get("check", {}).get("error")
    if error:
        return error, "our run"
    for row in data.get("sizes", []):
        for base in row["baselines"] if row["size"] == size else ():
            if base.get("method") == "ida" and "error" in base:
                return base["error"], "hand-written IDA"
    return 1e-4, "a figure chosen because nothing else was there"


def _spice_ladder(suite, modes, target):
    file, stop = suite.out/"spice_reference.csv", 10*modes
    run = suite.baselines.run("ladder", {"--method": "dp5", "--rtol": 1e-12, "--atol": 1e-12,
                                         "--n": modes, "--stop": stop, "--csv": file}, suite.timeout)
    if "failed" in run:
        return {"size": modes, "failed": run["failed"]}
    times, columns = measure.read_csv(file)
    sweep = spice.sweep(spice.RELTOLS, lambda reltol, data: spice.ladder(modes, stop, reltol, data),
                        stop, (times, columns["u_66"]), target[0], suite.out, suite.timeout,
                        suite.clock)
    return {"size": modes, "stop": stop, "target": target[0], "target_from": target[1], **sweep}


def _spice_rectifiers(suite, n, stop, target):
    """Its diode is not ours, so its error is taken against its own, much more accurate run; the
    distance of that run from the ideal diode is reported beside it."""
    file = suite.out/"spice_reference.csv"
    run = suite.baselines.run("rectifier", {"--method": "dp5", "--rtol": 1e-12, "--atol": 1e-12,
                                            "--n": 1, "--stop": stop, "--interval": 1e-5,
                                            "--csv": file}, suite.timeout)
    if "failed" in run:
        return {"size": n, "failed": run["failed"]}
    times, columns = measure.read_csv(file)
    # The circuits are independent and the first is the same for every n.
    exact = spice.single(spice.rectifiers(1, stop, spice.FINEST_STEP, suite.out/"spice.data"), stop,
                         suite.out, suite.timeout)
    if "failed" in exact:
        return {"size": n, "failed": "its own reference: " + exact["failed"]}
    own = ([t for t, _ in exact["list"]], [v for _, v in exact["list"]])
    sweep = spice.sweep(spice.LONGEST_STEPS, lambda h, data: spice.rectifiers(n, stop, h, data),
                        stop, own, target[0], suite.out, suite.timeout, suite.clock)
    return {"size": n, "stop": stop, "target": target[0], "target_from": target[1],
            "model_difference": spice.error(exact["list"], times, columns["uC_first"]), **sweep}


QUICK_SIZES = {"bench_ddp": "100000", "bench_instantiate": "10000", "bench_frontend": "2"}


def programs(suite, root):
    """perf/bench_*.c: each prints a table of its own; sizes are smaller in the quick report."""
    tables = {}
    for source in sorted((root/"perf").glob("bench_*.c")):
        name = source.stem
        file = root/"build"/name
        if not file.exists():
            suite.skip(name, f"build/{name} does not exist")
            continue
        say(name)
        quick = suite.kind == "quick" and name in QUICK_SIZES
        arguments = [QUICK_SIZES[name]] if quick else []
        outcome = measure.run([file, *arguments], suite.timeout*3, cwd=root/"build")
        if outcome["code"] != 0:
            suite.skip(name, measure.reason(outcome))
        else:
            tables[name] = outcome["out"]
    return tables
