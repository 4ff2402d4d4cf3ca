"""Runs Solstice on a model and reads what it says about itself."""
import re
import sys

from . import measure

ENGINES = ("interp", "rebuild", "jit")


class Program:
    """The program under test, what it can do, and where its files go."""

    def __init__(self, path, root, out):
        self.path = path
        self.models = root/"perf"/"models"
        self.stdlib = root/"stdlib"
        self.out = out
        self.missing = None  # why nothing can be run
        self.engines = {}    # name -> None, or why it cannot be used
        self.options = set()
        self._probe()

    def _probe(self):
        if not self.path.exists():
            self.missing = f"{self.path} does not exist"
            return
        version = measure.run([self.path, "--version"], 10)
        self.version = version["out"].strip() or version["err"].strip()
        help_text = measure.run([self.path, "run", "--help"], 10)
        text = help_text["out"] + help_text["err"]
        if help_text["code"] != 0:
            self.missing = "the program has no command 'run' yet"
            return
        self.options = set(re.findall(r"--[a-z-]+", text))
        self._probe_engines()

    def _probe_engines(self):
        if "--engine" not in self.options:
            self.engines = {"(only one)": None}
            return
        model = self.models/"Switches.sol"
        for engine in ENGINES:
            outcome = measure.run([self.path, "run", f"{model}:Switches.Trivial", "--engine", engine,
                                   "--stop", "0.1", "--output", self.out/"probe.solr", "--quiet"],
                                  20)
            self.engines[engine] = None if outcome["code"] == 0 else measure.reason(outcome)
        for engine in ("rebuild", "jit"):
            if self.engines[engine] is None and not self._compiles(engine):
                self.engines[engine] = ("the option is accepted, but nothing is compiled: it would "
                                        "be the interpreter under another name")

    def _compiles(self, engine):
        """Does the engine make or fetch any code for a model that runs long enough?"""
        options = {"--stop": 1, "--interval": 0.1, "--engine": engine,
                   "--output": self.out/"probe.solr"}
        if "--jit" in self.options and engine == "jit":
            options["--jit"] = "wait"
        run = self.run(f"{self.models/'Rectifiers.sol'}:Rectifiers.One", options, 30)
        if "failed" in run:
            return False
        totals = run["stats"]["totals"]
        return totals["functions_compiled"] + totals["shapes_from_disk"] > 0

    def usable_engines(self):
        return [e for e, why in self.engines.items() if why is None]

    def command(self, model, options):
        """`options`: name -> value (None: a flag). -> command line, or the reason it cannot be."""
        words = [self.path, "run", model, "-L", self.models, "-L", self.stdlib, "--quiet"]
        for name, value in options.items():
            if name == "--engine" and value == "(only one)":
                continue
            if name not in self.options:
                return None, f"the program has no option {name} yet"
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words.append(name)
                if one is not None:
                    words.append(one)
        return words, None

    def run(self, model, options, timeout):
        """One run. -> dict with seconds, stats; or with failed."""
        stats = self.out/"stats.json"
        stats.unlink(missing_ok=True)
        words, why = self.command(model, {**options, "--stats": stats, "--stats-events": 200000})
        if why:
            return {"failed": why}
        outcome = measure.run(words, timeout)
        if outcome["code"] != 0:
            return {"failed": measure.reason(outcome), "seconds": outcome["seconds"]}
        try:
            return {"seconds": outcome["seconds"], "stats": measure.load_json(stats)}
        except (OSError, ValueError) as error:
            return {"failed": f"no statistics: {error}"}

    def repeat(self, model, options, repeats, allowed, timeout):
        """Several runs of the same, as many as `allowed` seconds take, at least one; the statistics are
        those of the run with the median time."""
        runs, spent = [], 0.0
        while len(runs) < repeats:
            one = self.run(model, options, timeout)
            if "failed" in one:
                return one
            runs.append(one)
            spent += one["seconds"]
            if spent + one["seconds"] > allowed:
                break
        runs.sort(key=lambda r: r["seconds"])
        middle = runs[(len(runs) - 1)//2]["stats"]
        return {"process": measure.summary(r["seconds"] for r in runs),
                "total": measure.summary(r["stats"]["stages"]["total"] for r in runs),
                "stages": middle["stages"], "totals": middle["totals"], "parts": middle["parts"],
                "events": events(middle), "relations_peak": relations_peak(middle)}


FEW = 12  # so many structural events are reported one by one


def events(stats):
    """The list of events -> how the costs of single events are distributed."""
    listed = stats.get("events", [])
    structural = [e for e in listed if e.get("structural")]
    wanted = ("structure_us", "restart_us", "wait_us", "visited", "blocks_kept", "blocks_rebuilt",
              "entered", "removed")
    result = {"listed": len(listed), "cut": stats.get("events_cut", False),
              "structural": len(structural)}
    for name in wanted:
        result[name] = measure.distribution(e[name] for e in structural if name in e)
    result["structure_us_all"] = measure.distribution(
        e["structure_us"] for e in listed if "structure_us" in e)
    if len(structural) <= FEW:
        names = ("time", *wanted)
        result["single"] = [{name: e.get(name) for name in names} for e in structural]
    return result


def relations_peak(stats):
    """The most relations at one time: from those at the end, backwards through the events. None
    if not every event is listed."""
    if stats.get("events_cut"):
        return None
    now = most = stats["totals"]["relations"]
    for event in reversed(stats.get("events", [])):
        now -= event["entered"] - event["removed"]
        most = max(most, now)
    return most


def structural_share(run):
    """Time of structural handling at events as a share of the whole run; None if not known."""
    costs = run["events"]["structure_us_all"]
    total = run["stages"]["total"]
    if costs is None or total <= 0 or not run["events"]["listed"]:
        return None
    scale = run["totals"]["events"]/run["events"]["listed"]  # a list that was cut stands for all
    return 1e-6*costs["sum"]*scale/total


def say(text):
    print(text, file=sys.stderr, flush=True)
