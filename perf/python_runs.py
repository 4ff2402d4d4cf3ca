#!/usr/bin/env python3
"""The Python package measured: 1,000 runs of a pendulum; a large result read column by column; runs in two threads.

    PYTHONPATH=python /usr/bin/python3 perf/python_runs.py [--large-gb 2]
"""
import argparse
import os
import resource
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import solstice

PENDULUM = """
model Pendulum
interface:
  parameter Real length << 1;
  static Real phi; static Real w;
implementation:
  w = der(x=phi, start=0.1);
  der(x=w, start=0) = -9.81/length*sin(phi);
end Pendulum;
"""


def rectified(n):
    """n oscillators, so that a row has many columns."""
    return (f"model Many\nimplementation:\n  static Real x[{n}]; static Real v[{n}];\n"
            f"  for i in 1:{n} then v[i] = der(x=x[i], start=1); der(x=v[i], start=0) = -i*x[i]; end for;\nend Many;")


def pendulums():
    model = solstice.loads(PENDULUM)
    model.run(stop=1)
    wall, cpu = time.perf_counter(), time.process_time()
    ends = [model.run(stop=1, set={"length": length}).last("phi") for length in np.linspace(0.5, 2, 1000)]
    print(f"1,000 pendulums: {time.perf_counter() - wall:.3f} s on the clock, {time.process_time() - cpu:.3f} s of processor time; {len(set(ends))} ends")


def threads():
    model = solstice.loads(PENDULUM)
    lengths = np.linspace(0.5, 2, 40)
    run = lambda length: model.run(stop=200, set={"length": length}).last("phi")
    for n in (1, 2):
        wall, cpu = time.perf_counter(), time.process_time()
        with ThreadPoolExecutor(n) as pool:
            list(pool.map(run, lengths))
        print(f"40 long runs in {n} threads: {time.perf_counter() - wall:.3f} s on the clock, {time.process_time() - cpu:.3f} s of processor time")


def large(gigabytes):
    """Written by one process, read by this one, whose memory is measured."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", ".")) as folder:
        path = os.path.join(folder, "large.solr")
        rows = int(gigabytes * 1e9 / (200 * 8 + 20))
        child = os.fork()
        if child == 0:
            solstice.loads(rectified(100)).run(stop=10, steps=rows, output=path, rtol=1e-4)
            os._exit(0)
        os.waitpid(child, 0)
        before = time.perf_counter()
        with solstice.open_result(path) as result:
            opened = time.perf_counter()
            for name in ("x[1]", "v[50]", "x[100]"):
                column = result[name]
                print(f"  {name}: {len(column)} values, from {column.min():.3f} to {column.max():.3f}")
            done = time.perf_counter()
        size, peak = os.path.getsize(path), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"a result of {size / 1e9:.2f} GB: opened in {opened - before:.1f} s, three columns in {done - opened:.1f} s, {peak / 1024:.0f} MB resident at most")


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--large-gb", type=float, default=2)
    chosen = options.parse_args()
    pendulums()
    threads()
    large(chosen.large_gb)
