#!/usr/bin/env python3
"""What `run --audit` costs: processor time with it over that without it, for each family.

    perf/audit.py [--only FAMILY,...] [--full] [--engine E] [--repeats N] [--program FILE]

Each family runs as perf/run.py times it, with its first solver, at the last of its sizes for the quick
report; runs with and without the audit alternate, and the least time of each counts. Native code is kept
in a cache of its own, so that only the first run of each compiles. A ratio above 2 makes the exit status 1.
"""
import argparse
import os
import resource
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
    parser.add_argument("--repeats", type=int, default=3)
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


def measure(family, size, chosen, out):
    words = command(family, size, write_model(family, size, out), chosen, out)
    least = {"plain": float("inf"), "audit": float("inf")}
    for _ in range(chosen.repeats):
        for name, more in (("plain", []), ("audit", ["--audit"])):
            seconds, why = processor_time(words + more)
            if why is not None:
                return None, f"{name}: {why}"
            least[name] = min(least[name], seconds)
    return least, None


def main():
    chosen = arguments()
    over = 0
    print(f"load {os.getloadavg()[0]:.1f}")
    print(f"{'family':12} {'size':>8} {'seconds':>9} {'audited':>9} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for family in cases.families(ROOT/"stdlib"):
            if chosen.only and family.name not in chosen.only.split(","):
                continue
            sizes = family.sizes["full"][:3] if chosen.full else family.sizes["quick"]
            least, why = measure(family, sizes[-1], chosen, Path(folder))
            if why:
                print(f"{family.name:12} {sizes[-1]:8} {why}")
                over += 1
                continue
            ratio = least["audit"]/least["plain"]
            over += ratio > 2
            print(f"{family.name:12} {sizes[-1]:8} {least['plain']:9.3f} {least['audit']:9.3f} {ratio:6.2f}",
                  flush=True)
    return over > 0


if __name__ == "__main__":
    sys.exit(main())
