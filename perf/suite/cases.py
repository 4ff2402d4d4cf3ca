"""What is measured: models, sizes, options, and the hand-written program beside each.

A family is one model in several sizes. `sizes` has a list for the quick report and one for the
full report. Everything else of a family is a function of the size, or fixed.
"""
import importlib.util
from dataclasses import dataclass, field
from typing import Callable, Optional


@dataclass
class Baseline:
    program: str
    methods: tuple            # of the hand-written program, first the one that matches ida
    options: Callable         # size -> {option: value}
    columns: dict             # column of the baseline -> path of ours
    same: dict = field(default_factory=dict)  # our solver -> its method
    agree: float = 1e-3       # differences above this: no ratio is reported
    more: tuple = ()          # methods that only the full report has time for


@dataclass
class Family:
    name: str
    title: str
    size_name: str
    sizes: dict               # "quick", "full" -> sizes
    model: Callable           # size -> ("top", designator, settings) or ("ladder", modes)
    stop: Callable            # size -> seconds
    interval: float
    watch: tuple              # paths written to the result
    solvers: tuple = ("ida",)
    rtol: float = 1e-6
    atol: float = 1e-6
    step: Optional[float] = None      # of fixed-step solvers
    max_step: Optional[float] = None  # ours, where the hand-written program has another limit
                                      # than the output interval
    baseline: Optional[Baseline] = None
    check_settings: dict = field(default_factory=dict)  # settings and options of that comparison
    check_options: dict = field(default_factory=dict)
    weight: int = 1  # of its share of the time for a report
    known: dict = field(default_factory=dict)  # path -> value at `stop`, known from elsewhere


def _array(n):
    return {"--n": n, "--interval": 1e-3}


def _population(volume):
    return {"--volume": volume, "--interval": 1, "--step": 0.1}


def trebuchet_designator(stdlib):
    """The library's trebuchet, wherever its package lies; None while there is none."""
    for file in sorted(stdlib.glob("*.sol")):
        if "model Trebuchet" in file.read_text(encoding="utf-8"):
            return f"{file.stem}.Examples.Trebuchet"
    return None


def families(stdlib):
    found = [
        Family("rectifier", "Independent rectifiers with ideal diodes", "circuits",
               {"quick": [1, 4, 16], "full": [1, 10, 100, 1000]},
               lambda n: ("top", "Rectifiers.Array", {"n": n}), lambda n: 1, 1e-3, ("m.sum",),
               solvers=("ida", "rk", "auto"), max_step=0.004, weight=3,
               baseline=Baseline("rectifier", ("ida", "dp5"), _array, {"uC_sum": "m.sum"},
                                 {"ida": "ida", "rk": "dp5"})),
        Family("coupled", "Rectifiers behind one line: each diode feels all others", "diodes",
               {"quick": [1, 10], "full": [1, 10, 100, 1000]},
               lambda n: ("top", "Rectifiers.Coupled", {"n": n}), lambda n: 0.1, 1e-3, ("m.sum",),
               solvers=("ida", "rk")),
        Family("ladder", "RLC ladder of 1,000 equations, nothing changes", "modes",
               {"quick": [1], "full": [1]}, lambda n: ("ladder", 1), lambda n: 10, 1e-3,
               ("i", "line.u66"), solvers=("ida", "rk"), max_step=1, weight=3,
               baseline=Baseline("ladder", ("ida", "dp5", "rk4"),
                                 lambda n: {"--n": 1, "--interval": 1e-3},
                                 {"i_first": "i", "u_66": "line.u66"}, {"ida": "ida", "rk": "dp5"},
                                 agree=5e-3)),
        Family("growing", "Hydra's growing RLC circuit: 1,000 equations more every 10 s", "modes",
               {"quick": [2], "full": [6]}, lambda n: ("ladder", n), lambda n: 10*n, 1e-3,
               ("i", "line.u66"), solvers=("ida", "rk"), max_step=1, weight=3,
               baseline=Baseline("ladder", ("ida", "dp5", "rk4"),
                                 lambda n: {"--n": n, "--interval": 1e-3},
                                 {"i_first": "i", "u_66": "line.u66"}, {"ida": "ida", "rk": "dp5"},
                                 agree=5e-3, more=("ida-dense-differences",))),
        Family("pendulum", "Breaking pendulum", "pendulums", {"quick": [1], "full": [1]},
               lambda n: ("top", "Pendulums.Breaking", {}), lambda n: 6, 1e-3,
               ("m.x", "m.y", "m.vx", "m.vy"), solvers=("ida", "rk"),
               known={"m.x": -1.731030276913955, "m.y": -4.883017788465751,
                      "m.vx": -1.143067626921726, "m.vy": -8.979129710784967}),
        Family("population", "Population in a tank", "litres",
               {"quick": [10, 30], "full": [10, 100, 1000, 10000]},
               lambda v: ("top", "Colony.Run", {"V": v}), lambda v: 600, 1,
               ("m.root.living", "m.root.sumOfR", "m.tank.Nc"), solvers=("ida", "rk", "euler"),
               step=0.1, weight=4,
               baseline=Baseline("population", ("ida", "rk4", "euler", "exact"), _population,
                                 {"Nc": "m.tank.Nc", "sum_r": "m.root.sumOfR"},
                                 {"ida": "ida", "rk": "rk4", "euler": "euler"}, agree=0.02),
               check_settings={"spread": 0}, check_options={"--spread": 0}),
        Family("traffic", "Traffic on one lane", "seconds", {"quick": [60], "full": [200, 600]},
               lambda s: ("top", "Traffic.Examples.Road", {}), lambda s: s, 1, ("m.last.car.x",),
               solvers=("ida", "rk")),
        Family("chain", "Chain of pendulums that breaks in its middle", "pendulums",
               {"quick": [2, 4, 8], "full": [2, 4, 8, 16, 32]},
               lambda n: ("top", "Pendulums.Chain", {"n": n}), lambda n: 1, 1e-2, ("m.x", "m.y"),
               solvers=("ida", "rk"),
               known={"m.x": -1.4821503205153, "m.y": -2.1581864801795}),
        Family("line", "Transmission line along which a load moves", "sections",
               {"quick": [16, 64], "full": [16, 64, 256, 1024]},
               lambda n: ("top", "Lines.Line", {"n": n}), lambda n: 1, 1e-2, ("m.iIn",),
               solvers=("ida", "rk")),
        Family("switch", "One switch among relations that do not concern it", "relations",
               {"quick": [100, 1000, 10000], "full": [100, 1000, 10000, 100000, 1000000]},
               lambda n: ("top", "Switches.Among", {"n": n//10}), lambda n: 0.5, 0.1, ("m.s.u",)),
    ]
    where = trebuchet_designator(stdlib)
    if where:
        found.insert(6, Family(
            "trebuchet", "Trebuchet", "machines", {"quick": [1], "full": [1]},
            lambda n: ("top", where, {}), lambda n: 2, 2e-3, ("m.R1.phi", "m.R2.phi"),
            solvers=("ida", "rk"),
            rtol=1e-8, atol=1e-8, max_step=1,
            baseline=Baseline("trebuchet", ("ida", "dp5"), lambda n: {"--interval": 2e-3},
                              {"R1_phi": "m.R1.phi", "R2_phi": "m.R2.phi"},
                              {"ida": "ida", "rk": "dp5"})))
    return found


def generator(models):
    """perf/models/generate.py as a module."""
    spec = importlib.util.spec_from_file_location("generate", models/"generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
