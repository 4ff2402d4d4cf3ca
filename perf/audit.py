#!/usr/bin/env python3
"""What `run --audit` costs: processor time with it over that without it, for each family.

    perf/audit.py [--only FAMILY,...] [--full] [--engine E] [--repeats N] [--instructions] [--program FILE]

Each family runs as perf/run.py times it, with its first solver, at the last of its sizes for the quick
report. Native code is kept in a cache of its own, and runs are not counted until none adds to it: short
ones end before all that they asked for is compiled. Then runs with and without the audit alternate, and
the medians count. --instructions counts the instructions of the thread that simulates, with valgrind
instead, twice, and the fewer count: that hardly depends on the machine's load. A ratio above 2 makes the exit status 1.
"""
import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from suite import cases

ROOT = Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="families, separated by commas")
    parser.add_argument("--full", action="store_true", help="the third size of the full report, or its last")
    parser.add_argument("--engine", default="jit")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--program", type=Path, default=ROOT/"build"/"solstice")
    return parser.parse_args()


def write_model(family, size, out):
    """-> what to run, as FILE[:MODEL]"""
    models = ROOT/"perf"/"models"
    generate = cases.generator(models)
    kind, *rest = family.model(size)
    file = out/f"{family.name}.sol"
    if kind == "ladder":
        file.write_text(generate.ladder(*rest), encoding="utf-8")
    else:
        designator, settings = rest
        file.write_text(generate.top(designator, settings), encoding="utf-8")
    return file


def command(family, size, model, chosen, out):
    solver = family.solvers[0]
    words = [chosen.program, "run", model, "-L", ROOT/"perf"/"models", "-L", ROOT/"stdlib", "--quiet",
             "--stop", family.stop(size), "--interval", family.interval, "--solver", solver,
             "--rtol", family.rtol, "--atol", family.atol, "--output", out/"result.solr",
             "--engine", chosen.engine, "--cache", out/"cache"]
    if family.step and solver == "euler":
        words += ["--step", family.step]
    if solver in family.max_step:
        words += ["--max-step", family.max_step[solver]]
    for path in family.watch:
        words += ["--vars", path]
    return [str(word) for word in words]


def processor_time(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[:1]
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, None


def instructions(words):
    """of the thread that simulates: what the one that compiles gets done is a matter of the machine's load"""
    with tempfile.TemporaryDirectory() as folder:
        counts = f"{folder}/counts"
        done = subprocess.run(["valgrind", "--tool=callgrind", "--separate-threads=yes",
                               f"--callgrind-out-file={counts}"] + words,
                              capture_output=True, text=True, timeout=3600, check=False)
        first = Path(f"{counts}-01")
        found = re.search(r"^summary: (\d+)", first.read_text(), re.MULTILINE) if first.exists() else None
    if done.returncode != 0 or not found:
        return None, done.stderr.strip().splitlines()[:1]
    return float(found.group(1)), None


MOST_WARM = 20  # runs until the cache of code is complete


def warm_up(words, out):
    """-> why not, or None"""
    cache, before = out/"cache", -1
    for _ in range(MOST_WARM):
        now = sum(1 for _ in cache.rglob("*"))
        if now == before:
            return None
        before = now
        for more in ([], ["--audit"]):
            why = processor_time(words + more)[1]
            if why is not None:
                return f"{' '.join(more)}: {why}"
    return None


def measure(family, size, chosen, out):
    words = command(family, size, write_model(family, size, out), chosen, out)
    why = warm_up(words, out)
    found = {"plain": [], "audit": []}
    cost = instructions if chosen.instructions else processor_time
    for _ in range(2 if chosen.instructions else chosen.repeats):
        for name, more in (("plain", []), ("audit", ["--audit"])):
            if why is None:
                value, why = cost(words + more)
                found[name].append(value)
    if why is not None:
        return None, why
    middle = min if chosen.instructions else statistics.median
    return {name: middle(values) for name, values in found.items()}, None


def main():
    chosen = arguments()
    over = 0
    print(f"load {os.getloadavg()[0]:.1f}")
    unit, scale = ("10^6", 1e-6) if chosen.instructions else ("seconds", 1)
    print(f"{'family':12} {'size':>8} {unit:>9} {'audited':>9} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for family in cases.families(ROOT/"stdlib"):
            if chosen.only and family.name not in chosen.only.split(","):
                continue
            sizes = family.sizes["full"][:3] if chosen.full else family.sizes["quick"]
            cost, why = measure(family, sizes[-1], chosen, Path(folder))
            if why:
                print(f"{family.name:12} {sizes[-1]:8} {why}")
                over += 1
                continue
            ratio = cost["audit"]/cost["plain"]
            over += ratio > 2
            print(f"{family.name:12} {sizes[-1]:8} {cost['plain']*scale:9.3f} {cost['audit']*scale:9.3f} {ratio:6.2f}",
                  flush=True)
    return over > 0


if __name__ == "__main__":
    sys.exit(main())
