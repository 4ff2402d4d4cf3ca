#!/usr/bin/env python3
"""Runs all benchmarks side by side and writes perf/report: report.md, report.json, pictures.

    perf/run.py [--quick] [--only FAMILY,...] [--repeats N] [--seconds S] [--program FILE]
                [--report DIR]

Needs a built tree (build/solstice, build/bench_*), gcc and SUNDIALS; ngspice is used if there.
What the program cannot do yet is skipped, and the report says so.
"""
import argparse
import json
import os
import pickle
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

from suite import baselines, cases, converters, extras, floors, measure, program, report, suite

ROOT = Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="under three minutes")
    parser.add_argument("--only", help="only these, separated by commas: families, 'programs', "
                        "'start', 'converters', 'ngspice', 'profiles'")
    parser.add_argument("--repeats", type=int, help="runs of each measurement (3 quick, 5 full)")
    parser.add_argument("--seconds", type=float, help="time for all of it (150 quick, 1260 full)")
    parser.add_argument("--program", type=Path, default=ROOT/"build"/"solstice",
                        help="another build of the program")
    parser.add_argument("--from", type=Path, dest="stored", help="write the report of stored results, measure nothing")
    parser.add_argument("--report", type=Path, default=ROOT/"perf"/"report")
    return parser.parse_args()


def processor():
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def machine():
    memory = os.sysconf("SC_PAGE_SIZE")*os.sysconf("SC_PHYS_PAGES")
    return {"processor": processor(), "cores": os.cpu_count(), "memory": f"{memory/2**30:.1f} GiB",
            "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
            "load at start": os.getloadavg()[0]}


def first_line(command):
    try:
        out = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT).stdout
    except OSError:
        return "not there"
    return out.splitlines()[0] if out else "unknown"


def versions(able):
    found = {"date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
             "commit": first_line(["git", "rev-parse", "--short", "HEAD"]),
             "solstice": getattr(able, "version", "not built"), "gcc": first_line(["gcc", "--version"]),
             "python": platform.python_version()}
    for package in ("libsundials-ida6", "libklu1", "llvm-19-dev", "ngspice"):
        found[package] = first_line(["dpkg-query", "-W", "-f", "${Version}", package])
    return found


def measured(chosen):
    kind = "quick" if chosen.quick else "full"
    out = ROOT/"perf"/"out"
    out.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(out/"cache", ignore_errors=True)
    clock = measure.Clock(chosen.seconds or (150 if chosen.quick else 1260))
    about = machine()

    able = program.Program(chosen.program, ROOT, out)
    by_hand = baselines.Baselines(ROOT, out/"bin")
    by_hand.build()
    by_hand.verify()
    run = suite.Suite(able, by_hand, cases.generator(able.models), out, kind,
                      chosen.repeats or (3 if chosen.quick else 5), clock)
    wanted = chosen.only.split(",") if chosen.only else None

    def asked(chapter):
        return not wanted or chapter in wanted

    results = {"quick": chosen.quick, "machine": about, "versions": versions(able),
               "missing": able.missing, "engines": able.engines}
    chosen_families = [f for f in cases.families(able.stdlib) if asked(f.name)]
    results["programs"] = extras.programs(run, ROOT) if asked("programs") else {}
    results["start"] = extras.start(run) if asked("start") else []
    results["converters"] = converters.converters(run) if asked("converters") else []
    results["families"] = {}
    weight_left = sum(f.weight for f in chosen_families) + 4  # ngspice and the profiles
    for family in chosen_families:
        clock.chapter(family.weight/weight_left)
        results["families"][family.name] = run.family(family)
        weight_left -= family.weight
    clock.chapter(0.7)
    results["spice"] = extras.ngspice(run, results["families"]) if asked("ngspice") else {}
    clock.chapter(1)
    results["profiles"] = extras.profile(run, chosen_families) if asked("profiles") else []
    results["skipped"] = run.skipped
    results["machine"]["load at end"] = os.getloadavg()[0]
    return results


def main():
    chosen = arguments()
    stored = chosen.stored or ROOT/"perf"/"out"/"results.pickle"
    if not chosen.stored:
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_bytes(pickle.dumps(measured(chosen)))
    results = pickle.loads(stored.read_bytes())
    results["floors"] = floors.floors(results)
    report.write(results, chosen.report)
    text = json.dumps(results, indent=1, default=str)
    (chosen.report/"report.json").write_text(text + "\n", encoding="utf-8")
    program.say(f"wrote {chosen.report}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
