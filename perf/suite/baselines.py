"""Builds the hand-written programs of perf/baselines and runs them."""
import json
import re

from . import measure

NAMES = ("rectifier", "ladder", "population", "trebuchet", "buck")
SHARED = ("common.c", "stepper.c")
FLAGS = ["-std=gnu11", "-O3", "-march=native", "-Wall", "-Wextra"]
LIBRARIES = ["ida", "nvecserial", "sunmatrixdense", "sunmatrixsparse", "sunlinsoldense",
             "sunlinsolklu"]

# Values at the end of a run, from closed forms or from computations with other formulations and
# integrators: (program, options, column, value, how close).
KNOWN = (
    ("rectifier", {"--method": "dp5", "--stop": 0.1}, "uC_first", 0.26739260751, 1e-10),
    ("buck", {"--method": "dp5", "--stop": 0.002}, "u_first", 15.720875922955, 1e-9),
    ("trebuchet", {"--method": "dp5", "--stop": 2}, "R1_phi", 1.911891206637, 1e-9),
    ("trebuchet", {"--method": "dp5", "--stop": 2}, "R2_phi", -2.648887693105, 1e-9),
    ("trebuchet", {"--method": "dp5", "--stop": 2}, "x", 60.24753968554, 1e-7),
    ("trebuchet", {"--method": "dp5", "--stop": 2}, "y", 57.96747156493, 1e-7),
)


class Baselines:
    def __init__(self, root, out, compiler="gcc"):
        self.source = root/"perf"/"baselines"
        self.cache = root/"build"/"CMakeCache.txt"
        self.out = out
        self.compiler = compiler
        self.failed = {}

    def _cached(self, name):
        """The build's own answer, so that both sides use the same SUNDIALS."""
        try:
            found = re.search(rf"^{name}:[A-Z]+=(.+)$", self.cache.read_text(), re.M)
        except OSError:
            return None
        return found.group(1) if found else None

    def _places(self):
        include = [self._cached("SUNDIALS_INCLUDE_DIR"), self._cached("KLU_INCLUDE_DIR"),
                   "/usr/include/suitesparse"]
        libraries = [self._cached(f"SUNDIALS_{name}") or f"-lsundials_{name}" for name in LIBRARIES]
        return ([f"-I{place}" for place in include if place],
                libraries + [self._cached("KLU_LIBRARY") or "-lklu", "-lm"])

    def build(self):
        include, libraries = self._places()
        self.out.mkdir(parents=True, exist_ok=True)
        shared = [self.source/name for name in SHARED]
        for name in NAMES:
            outcome = measure.run([self.compiler, *FLAGS, *include, self.source/f"{name}.c", *shared,
                                   "-o", self.out/name, *libraries], 120)
            if outcome["code"] != 0:
                self.failed[name] = measure.reason(outcome)

    def verify(self):
        """A program that misses a known number is not used."""
        for name, options, column, value, close in KNOWN:
            found = self.run(name, {**options, "--rtol": 1e-13, "--atol": 1e-13}, 60)
            if "failed" not in found and not abs(found["end"][column] - value) <= close:
                self.failed[name] = f"{column} is {found['end'][column]}, not {value}"

    def run(self, name, options, timeout):
        """-> what the program printed, with `seconds` summed up; or with failed."""
        if name in self.failed:
            return {"failed": "cannot be used: " + self.failed[name]}
        words = [self.out/name]
        for option, value in options.items():
            words += [option] if value is None else [option, value]
        outcome = measure.run(words, timeout)
        if outcome["code"] != 0:
            return {"failed": measure.reason(outcome)}
        result = json.loads(outcome["out"])
        result["seconds"] = measure.summary(result["seconds"])
        return result
