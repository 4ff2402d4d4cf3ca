"""What does not fit a family: starting the program, ngspice, the benchmark programs of the layers."""
import re
import shutil
import tempfile
from pathlib import Path

from . import floors, measure, spice
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
            runs = [suite.program.run(model, options, suite.clock.left()) for _ in range(repeats)]
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
    found["ladder"].append(_spice_ladder(suite, 1, _target(results, "ladder", 1)))
    settings = spice.LONGEST_STEPS
    for n in (4,) if quick else (10, 100, 1000):
        one = _spice_rectifiers(suite, n, 0.1 if quick or n == 1000 else 1, settings,
                                _target(results, "rectifier", n))
        if one.get("equal"):  # the circuits are independent: what one needs, all need
            settings = settings[settings.index(one["equal"]["setting"]):]
        found["rectifier"].append(one)
    if not quick:  # takes what is left of the time
        found["ladder"].append(_spice_ladder(suite, 6, _target(results, "growing", 6)))
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
    if suite.clock.left() < 5:
        return {"size": modes, "failed": "the time for this report ended"}
    file, stop = suite.out/"spice_reference.csv", 10*modes
    run = suite.baselines.run("ladder", {"--method": "dp5", "--rtol": 1e-12, "--atol": 1e-12,
                                         "--n": modes, "--stop": stop, "--csv": file}, suite.clock.left())
    if "failed" in run:
        return {"size": modes, "failed": run["failed"]}
    times, columns = measure.read_csv(file)
    sweep = spice.sweep(spice.RELTOLS, lambda reltol, data: spice.ladder(modes, stop, reltol, data),
                        stop, (times, columns["u_66"]), target[0], suite.out, suite.clock)
    return {"size": modes, "stop": stop, "target": target[0], "target_from": target[1], **sweep}


def _spice_rectifiers(suite, n, stop, settings, target):
    """Its diode is not ours, so its error is taken against its own, much more accurate run; the
    distance of that run from the ideal diode is reported beside it."""
    if suite.clock.left() < 5:
        return {"size": n, "failed": "the time for this report ended"}
    file = suite.out/"spice_reference.csv"
    run = suite.baselines.run("rectifier", {"--method": "dp5", "--rtol": 1e-12, "--atol": 1e-12,
                                            "--n": 1, "--stop": stop, "--interval": 1e-5,
                                            "--csv": file}, suite.clock.left())
    if "failed" in run:
        return {"size": n, "failed": run["failed"]}
    times, columns = measure.read_csv(file)
    # The circuits are independent and the first is the same for every n.
    exact = spice.single(spice.rectifiers(1, stop, spice.FINEST_STEP, suite.out/"spice.data"), stop,
                         suite.out, suite.clock.left())
    if "failed" in exact:
        return {"size": n, "failed": "its own reference: " + exact["failed"]}
    own = ([t for t, _ in exact["list"]], [v for _, v in exact["list"]])
    sweep = spice.sweep(settings, lambda h, data: spice.rectifiers(n, stop, h, data),
                        stop, own, target[0], suite.out, suite.clock)
    return {"size": n, "stop": stop, "target": target[0], "target_from": target[1],
            "model_difference": spice.error(exact["list"], times, columns["uC_first"]), **sweep}


PROFILED = (("ladder", 1, "ida"), ("growing", 2, "ida"), ("rectifier", 10, "ida"), ("rectifier", 10, "rk"),
            ("population", 30, "ida"), ("population", 100, "ida"), ("population", 100, "euler"),
            ("coupled", 100, "ida"), ("switch", 10000, "rk"))


def profile(suite, families):
    """perf record on our side -> the functions that take most of the time."""
    if not shutil.which("perf"):
        suite.skip("profiles", "there is no program `perf`")
        return []
    say("profiles")
    known, found = {f.name: f for f in families}, []
    for name, size, solver in PROFILED:
        if name in known and suite.clock.left() > 10:
            top = _profile(suite, known[name], size, solver)
            if top:
                found.append({"what": f"{name} {size}, {solver}", "top": top})
    return found


def _profile(suite, family, size, solver):
    options = suite.options(family, size, suite.best_engine(), solver, suite.out/"timed.solr")
    words, why = suite.program.command(suite.model_file(family, size), options)
    data = suite.out/"perf.data"
    outcome = {"code": 1, "err": why} if why else measure.run(
        ["perf", "record", "-q", "-F", "2000", "-o", data, *words], 0.5*suite.clock.left())
    if outcome["code"] != 0:
        suite.skip(f"profile of {family.name} {size}, {solver}", measure.reason(outcome))
        return []
    text = measure.run(["perf", "report", "-i", data, "--stdio", "-q", "--no-children", "-F",
                        "overhead,dso,sym"], 60)["out"]
    return _hottest(text)


def _hottest(text, count=8):
    shares = {}
    for line in text.splitlines():
        found = re.match(r" *([0-9.]+)% +(\S+) +\[(.)\] (\S+)", line)
        if found:
            share, place, kind, name = float(found[1]), found[2], found[3], found[4]
            if kind == "k":
                name = "kernel"
            elif name.startswith("0x"):
                name = "compiled code" if "anon" in place or "JIT" in place else place
            shares[name] = shares.get(name, 0) + share
    top = sorted(((share, name) for name, share in shares.items()), reverse=True)
    return [(share, name) for share, name in top[:count] if share >= 1]


QUICK_SIZES = {"bench_ddp": "100000", "bench_instantiate": "10000", "bench_frontend": "2",
               "bench_population": "30"}


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
        outcome = measure.run([file, *arguments], suite.clock.left(), cwd=root)
        if outcome["code"] != 0:
            suite.skip(name, measure.reason(outcome))
        else:
            tables[name] = outcome["out"]
    if "bench_static" in tables:
        tables["bench_static"] = _median_table(suite, root/"build"/"bench_static", root)
    return tables


def _median_table(suite, file, root, runs=9):
    """Of several runs the one whose ratio is in the middle: some 50 ns are at the mercy of whoever shares the
    core."""
    tables = [measure.run([file], suite.clock.left(), cwd=root).get("out", "") for _ in range(runs)]
    ranked = sorted((ratio, table) for table in tables
                    for ratio in [floors.residual_alone(table)[0]] if ratio is not None)
    return ranked[len(ranked)//2][1] if ranked else tables[0]
