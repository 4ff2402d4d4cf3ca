"""What is measured: models, sizes, options, and the hand-written program beside each.

A family is one model in several sizes. `sizes` has a list for the quick report and one for the
full report. Everything else of a family is a function of the size, or fixed.
"""
import importlib.util
from dataclasses import dataclass, field
from typing import Callable, Optional

from . import references


@dataclass
class Baseline:
    program: str
    methods: tuple            # of the hand-written program, first the one that matches ida
    options: Callable         # size, method -> {option: value}
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
    engines: tuple = ("interp", "rebuild", "jit")  # beside the best one, in this order
    rtol: float = 1e-6
    atol: float = 1e-6
    step: Optional[float] = None      # of fixed-step solvers
    max_step: dict = field(default_factory=dict)  # solver -> longest step of ours, where the
                                      # hand-written program has another limit than the interval
    baseline: Optional[Baseline] = None
    check_size: Optional[int] = None  # where the smallest says too little
    check_stop: Optional[float] = None
    check_watch: tuple = ()
    check_settings: dict = field(default_factory=dict)  # settings and options of that comparison
    check_options: dict = field(default_factory=dict)
    weight: int = 1  # of its share of the time for a report
    leading: str = ""  # "engine, solver" that must reach the largest size: time is kept for it
    upto: dict = field(default_factory=dict)  # engine, or "engine, solver" -> the largest size that
                                              # is worth its time
    known: dict = field(default_factory=dict)  # path -> value at `stop`, known from elsewhere
    reference: Optional[Callable] = None       # see references.py
    reference_name: str = ""
    note: str = ""            # a sentence for the report


SWITCH_EVERY = 0.005


def _array(n, method):
    return {"--n": n, "--interval": 1e-3}


def _ladder(n, method):
    return {"--n": n, "--interval": 1e-3, "--step": 0.01}


def _population(volume, method):
    return {"--volume": volume, "--interval": 1, "--step": 0.5 if method == "euler" else 1}


def _switch_reference(size, stop, interval, ours):
    return references.switch(size, stop, interval, ours, SWITCH_EVERY)


def trebuchet_designator(stdlib):
    """The library's trebuchet, wherever its package lies; None while there is none."""
    for file in sorted(stdlib.glob("*.sol")):
        if "model Trebuchet" in file.read_text(encoding="utf-8"):
            return f"{file.stem}.Examples.Trebuchet"
    return None


def _circuits():
    ladder = {"i_first": "i", "u_66": "line.u66"}
    return [
        Family("rectifier", "Independent rectifiers with ideal diodes", "circuits",
               {"quick": [1, 4, 16], "full": [1, 10, 100, 1000]},
               lambda n: ("top", "Rectifiers.Array", {"n": n}), lambda n: 1 if n < 1000 else 0.1, 1e-3,
               ("m.sum",), solvers=("ida", "rk", "auto"),
               max_step={"ida": 0.004, "rk": 0.004, "auto": 0.004}, weight=3,
               baseline=Baseline("rectifier", ("ida", "dp5"), _array, {"uC_sum": "m.sum"},
                                 {"ida": "ida", "rk": "dp5", "auto": "dp5"})),
        Family("coupled", "Rectifiers behind one line: each diode feels all others", "diodes",
               {"quick": [1, 10], "full": [1, 10, 100, 1000]},
               lambda n: ("top", "Rectifiers.Coupled", {"n": n}),
               lambda n: 0.1 if n < 1000 else 0.02, 1e-3, ("m.sum",), solvers=("ida", "rk"), weight=3,
               check_size=10, reference=references.coupled,
               reference_name="an automaton of its own in Python, RK4 with steps of 50 us"),
        Family("ladder", "RLC ladder of 1,000 equations, nothing changes", "modes",
               {"quick": [1], "full": [1]}, lambda n: ("ladder", 1), lambda n: 10, 1e-3,
               ("i", "line.u66"), solvers=("ida", "rk"), max_step={"ida": 1, "rk": 1}, weight=2,
               baseline=Baseline("ladder", ("ida", "dp5", "rk4"), _ladder, ladder,
                                 {"ida": "ida", "rk": "dp5"}, agree=5e-3)),
        Family("growing", "Hydra's growing RLC circuit: 1,000 equations more every 10 s", "modes",
               {"quick": [2], "full": [6]}, lambda n: ("ladder", n), lambda n: 10*n, 1e-3,
               ("i", "line.u66"), solvers=("ida", "rk"), engines=("rebuild", "interp"),
               max_step={"ida": 1, "rk": 1}, weight=4,
               baseline=Baseline("ladder", ("ida", "dp5", "rk4"), _ladder, ladder,
                                 {"ida": "ida", "rk": "dp5"}, agree=5e-3,
                                 more=("ida-dense-differences",))),
        Family("line", "Transmission line along which a load moves", "sections",
               {"quick": [16, 64], "full": [16, 64, 256, 1024]},
               lambda n: ("top", "Lines.Line", {"n": n}), lambda n: 1, 1e-2, ("m.iIn",),
               solvers=("ida", "rk"), weight=2, reference=references.line,
               reference_name="the line's equations in Python, RK4 with steps of 1 ms"),
    ]


def _others():
    return [
        Family("pendulum", "Breaking pendulum", "pendulums", {"quick": [1], "full": [1]},
               lambda n: ("top", "Pendulums.Breaking", {}), lambda n: 6, 1e-3,
               ("m.x", "m.y", "m.vx", "m.vy"), solvers=("ida", "rk"),
               known={"m.x": -1.731030276913955, "m.y": -4.883017788465751,
                      "m.vx": -1.143067626921726, "m.vy": -8.979129710784967}),
        Family("traffic", "Traffic on one lane", "seconds", {"quick": [60], "full": [60, 200, 600]},
               lambda s: ("top", "Traffic.Examples.Road", {}), lambda s: s, 1, ("m.last.car.x",),
               solvers=("ida", "rk"), weight=2, check_size=60, reference=references.traffic,
               check_watch=("m.last.car.x", "m.last.car.k"),
               reference_name="cars and drivers in Python, RK4 with steps of 20 ms; only the draws "
                              "of random numbers are taken from our run"),
        Family("chain", "Chain of pendulums that breaks in its middle", "pendulums",
               {"quick": [2, 8, 32], "full": [2, 8, 32, 128]},
               lambda n: ("top", "Pendulums.Chain", {"n": n}), lambda n: 1, 1e-2, ("m.x", "m.y"),
               solvers=("ida", "rk"), check_size=8, reference=references.chain,
               reference_name="the constraints' second derivatives solved for the pulls, in Python, "
                              "RK4 with steps of 1 ms",
               note="Cartesian coordinates, rods of 1 m, so that long chains swing and do not whirl round: "
                    "then small differences would grow quickly."),
        Family("population", "Population in a tank", "litres",
               {"quick": [10, 30], "full": [10, 30, 100, 300, 1000, 3000, 11000]},
               lambda v: ("top", "Colony.Run", {"V": v}), lambda v: 600, 1,
               ("m.root.living", "m.root.sumOfR", "m.tank.Nc"), solvers=("euler", "ida", "rk"),
               step=0.5, max_step={"ida": 20}, weight=30, leading="jit, euler",
               upto={"rebuild": 30, "interp": 1000, "jit, rk": 1000},
               baseline=Baseline("population", ("ida", "rk4", "euler", "exact"), _population,
                                 {"Nc": "m.tank.Nc", "sum_r": "m.root.sumOfR"},
                                 {"ida": "ida", "rk": "rk4", "euler": "euler"}, agree=0.02),
               check_settings={"spread": 0}, check_options={"--spread": 0},
               note="Steps: Euler 0.5 s on both sides (the thesis does not name its own), rk at most 1 s, "
                    "rk4 by hand 1 s. The timed runs draw their own random numbers, so events differ by "
                    "a few per cent. Only Euler's method goes to 1,000,000 relations, once, with the engine "
                    "jit: the engines interp and rebuild have shown what they cost before, and methods that "
                    "locate each of 96,000 events restart the whole tank each time, by hand too."),
        Family("switch", "One switch among relations that do not concern it", "relations",
               {"quick": [100, 1000, 10000], "full": [100, 1000, 10000, 100000, 1000000]},
               lambda n: ("top", "Switches.Among", {"n": n//10, "every": SWITCH_EVERY}),
               lambda n: 0.1, 0.01, ("m.s.u",), solvers=("rk", "ida", "euler"), step=0.001, weight=7,
               reference=_switch_reference,
               reference_name="exponential functions between the switchings"),
    ]


def families(stdlib):
    found = _circuits() + _others()
    where = trebuchet_designator(stdlib)
    if where:
        found.insert(6, Family(
            "trebuchet", "Trebuchet", "machines", {"quick": [1], "full": [1]},
            lambda n: ("top", where, {}), lambda n: 2, 2e-3, ("m.R1.phi", "m.R2.phi"),
            solvers=("ida", "rk"),
            rtol=1e-8, atol=1e-8, max_step={"ida": 1, "rk": 1},
            baseline=Baseline("trebuchet", ("ida", "dp5"), lambda n, method: {"--interval": 2e-3},
                              {"R1_phi": "m.R1.phi", "R2_phi": "m.R2.phi"},
                              {"ida": "ida", "rk": "dp5"}),
            note="In the thesis structural handling took 1.5 % of an interpreter's time."))
    return found


def generator(models):
    """perf/models/generate.py as a module."""
    spec = importlib.util.spec_from_file_location("generate", models/"generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
