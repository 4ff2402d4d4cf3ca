#!/usr/bin/env python3
"""How long native code is waited for after a structural change, LLVM being loaded.

    perf/latency.py [--program FILE] [--before FILE] [--runs N] [--modes N] [--solvers S,...]

The growing RLC circuit runs with an empty cache for code. Each function that becomes worth compiling counts,
from that moment to the one in which its quick code can be called (`code` in the statistics). The medians over
the runs of each run's median and 95 % are printed, of two programs in turn if there are two. A median
above 2 ms or 95 % above 12 ms makes the exit status 1.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from suite import cases

ROOT = Path(__file__).resolve().parent.parent
MEDIAN, MOST = 2.0, 12.0  # ms


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=ROOT/"build"/"solstice")
    parser.add_argument("--before", type=Path, help="another program to compare with")
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--modes", type=int, default=6)
    parser.add_argument("--solvers", default="rk,ida")
    return parser.parse_args()


def run(program, model, solver, stop, folder):
    """-> waits, their median and 95 % in ms"""
    shutil.rmtree(folder/"cache", ignore_errors=True)
    words = [program, "run", model, "--solver", solver, "--stop", stop, "--max-step", 1, "--quiet", "--output",
             folder/"result.solr", "--cache", folder/"cache", "--stats", folder/"stats.json"]
    subprocess.run([str(word) for word in words], check=True, capture_output=True, timeout=600)
    code = json.loads((folder/"stats.json").read_text())["code"]
    return code["waits"], code["wait_median"]*1e3, code["wait_95"]*1e3


def main():
    chosen = arguments()
    programs = {"now": chosen.program} | ({"before": chosen.before} if chosen.before else {})
    over = False
    print(f"load {os.getloadavg()[0]:.1f}")
    print(f"{'solver':8} {'program':8} {'waits':>6} {'median ms':>10} {'95 % ms':>9}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = folder/"growing.sol"
        model.write_text(cases.generator(ROOT/"perf"/"models").ladder(chosen.modes), encoding="utf-8")
        for solver in chosen.solvers.split(","):
            seen = {name: [] for name in programs}
            for _ in range(chosen.runs):
                for name, program in programs.items():
                    seen[name].append(run(program, model, solver, 10*chosen.modes, folder))
            for name, rows in seen.items():
                waits, median, most = (statistics.median(column) for column in zip(*rows))
                over = over or (name == "now" and (median > MEDIAN or most > MOST))
                print(f"{solver:8} {name:8} {waits:6.0f} {median:10.2f} {most:9.2f}")
    return over


if __name__ == "__main__":
    sys.exit(main())
