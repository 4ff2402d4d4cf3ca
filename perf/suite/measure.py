"""Numbers out of processes: run one, repeat it, say how much the repeats differ, fit a slope."""
import csv
import json
import math
import statistics
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Clock:
    """How long the suite, and within it the present chapter, may still run."""

    def __init__(self, budget):
        self.end = self.chapter_end = time.monotonic() + budget

    def chapter(self, share):
        """The next chapter gets this share of what is left, and at least 10 s of it."""
        now = time.monotonic()
        left = max(0.0, self.end - now)
        self.chapter_end = now + min(left, max(10.0, left*share))

    def left(self):
        return self.chapter_end - time.monotonic()

    def left_of_all(self):
        return self.end - time.monotonic()


def run(command, timeout, **more):
    """-> dict: seconds, code (None: did not end in time), out, err."""
    start = time.perf_counter()
    try:
        done = subprocess.run([str(c) for c in command], timeout=max(timeout, 0.1), text=True,
                              capture_output=True, check=False, **more)
    except subprocess.TimeoutExpired:
        return {"seconds": time.perf_counter() - start, "code": None, "out": "",
                "err": f"did not end within {timeout:.0f} s"}
    except OSError as error:
        return {"seconds": 0.0, "code": -1, "out": "", "err": str(error)}
    return {"seconds": time.perf_counter() - start, "code": done.returncode, "out": done.stdout,
            "err": done.stderr}


def reason(outcome):
    """Why a process failed, in one line: its first message that is an error."""
    text = outcome["err"].replace(f"{ROOT}/", "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line]
    line = (errors or lines or [f"exit code {outcome['code']}"])[0]
    return line if len(line) < 160 else line[:157] + "..."


def summary(values):
    """Median and spread of the repeats of one measurement, with the values themselves."""
    values = list(values)
    return {"median": statistics.median(values), "least": min(values), "most": max(values),
            "runs": len(values), "values": values}


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share*len(ordered)) - 1 if share else 0)]


def distribution(values):
    values = list(values)
    if not values:
        return None
    return {"count": len(values), "median": statistics.median(values),
            "p95": quantile(values, 0.95), "worst": max(values), "sum": sum(values)}


def exponent(sizes, costs):
    """cost ~ size^e: e by least squares on logarithms, None with fewer than two sizes."""
    points = [(math.log(x), math.log(y)) for x, y in zip(sizes, costs) if x > 0 and y > 0]
    if len({x for x, _ in points}) < 2:
        return None
    mx = statistics.fmean(x for x, _ in points)
    my = statistics.fmean(y for _, y in points)
    return (sum((x - mx)*(y - my) for x, y in points)/sum((x - mx)**2 for x, _ in points))


def extrapolate(past, size):
    """[(size, seconds)] -> seconds expected at `size`: by the power between the last two sizes, at
    least linear, at most cubic."""
    (last, seconds), e = past[-1], 1.0
    if len(past) > 1:
        before, less = past[-2]
        e = min(3.0, max(1.0, exponent([before, last], [less, seconds]) or 1.0))
    return seconds*(size/last)**e


def read_csv(file):
    """-> (times, {name: values}); empty cells are None."""
    with open(file, newline="", encoding="utf-8") as text:
        rows = list(csv.reader(text))
    names = rows[0]
    columns = {name: [] for name in names}
    for row in rows[1:]:
        for name, cell in zip(names, row):
            columns[name].append(float(cell) if cell else None)
    times = columns.pop(names[0])
    return times, columns


def at_grid(times, values, interval, stop):
    """The values at 0, interval, 2 interval, ...; where a time is there twice (an event), the
    later row. None where a point is missing."""
    found = {}
    for t, value in zip(times, values):
        k = round(t/interval)
        if abs(t - k*interval) <= 1e-9*max(1.0, abs(t)):
            found[k] = value
    return [found.get(k) for k in range(int(stop/interval + 1e-6) + 1)]


def difference(ours, theirs, share=0.9):
    """Largest difference, relative to the largest value of `theirs`; None where ours has less than
    this share of their points."""
    pairs = [(a, b) for a, b in zip(ours, theirs) if a is not None and b is not None]
    if not pairs or len(pairs) < share*sum(b is not None for b in theirs):
        return None
    scale = max(max(abs(b) for _, b in pairs), 1e-12)
    return max(abs(a - b) for a, b in pairs)/scale


def load_json(file):
    with open(file, encoding="utf-8") as text:
        return json.load(text)
