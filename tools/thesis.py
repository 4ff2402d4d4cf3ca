#!/usr/bin/env python3
"""thesis.py: runs of our models -> docs/thesis.md, the numbers of the thesis and of the DDP paper beside ours.

    tools/thesis.py [PROGRAM] [--quick] > docs/thesis.md

PROGRAM is build/solstice unless told. --quick: only what takes seconds and does not depend on the machine, for the test that
the page is up to date.

The thesis is Dirk Zimmer, Equation-Based Modeling of Variable-Structure Systems, ETH Zurich 2010 (chapters 8 to 11); the
paper is Zimmer, A new framework for the simulation of equation-based models with variable structure, Simulation 89(8), 2013.
Times are told as ratios of processor time: theirs were measured some fifteen years earlier.
"""
import csv
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
QUICK = "--quick" in sys.argv
WORDS = [word for word in sys.argv[1:] if word != "--quick"]
PROGRAM = os.path.abspath(WORDS[0]) if WORDS else os.path.join(ROOT, "build", "solstice")
WORK = tempfile.TemporaryDirectory()
OWN = "tests/sim/thesis.sol:Thesis."


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(model, *options, variables=()):
    """One run: its statistics, its events, and the columns of the variables that were asked for."""
    stats, table = (os.path.join(WORK.name, name) for name in ("s.json", "r.csv"))
    chosen = [word for path in variables or ("time",) for word in ("--vars", path)]
    before = cpu_of_children()
    subprocess.run([PROGRAM, "run", model, "--stats", stats, "--output", table, "--quiet", *options, *chosen], cwd=ROOT,
                   check=True, stderr=subprocess.DEVNULL, timeout=1200)
    with open(stats) as file:
        result = json.load(file)
    result["cpu"] = cpu_of_children() - before
    with open(table) as file:
        rows = list(csv.reader(file))
    result["columns"] = {name: [float(row[i]) if row[i] else 0.0 for row in rows[1:]] for i, name in enumerate(rows[0])}
    return result


def loops(model, *options):
    """Of the causality graph: for each loop its number of relations and its tearing variables."""
    text = subprocess.run([PROGRAM, "graph", model, *options], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = []
    for block in re.findall(r"subgraph cluster_\d+ \{(.*?)\n  \}", text, re.S):
        tears = re.search(r"tears: ([^\"]*)", block)
        found.append((block.count("[shape=box"), len(tears.group(1).split(",")) if tears else 0))
    return found


def first_message(text):
    """The first message that `check` has for a text, without its place."""
    path = os.path.join(WORK.name, "m.sol")
    with open(path, "w") as file:
        file.write(text)
    out = subprocess.run([PROGRAM, "check", "--instantiate", path], cwd=ROOT, capture_output=True, text=True).stderr
    found = re.search(r"(error|warning): (.*)", out)
    return f"{found.group(1)}: {found.group(2)}" if found else "accepted"


def few(number):
    """Two digits."""
    return f"{float(f'{number:.2g}'):,g}"


def share(result):
    """Of the whole time, what structural changes took: instances, DDP, lowering, evaluation of what changed."""
    spent = sum(e["structure_us"] for e in result["events"] if e["structural"]) / 1e6
    return 100 * spent / result["stages"]["total"]


def effort(result):
    events = [e for e in result["events"] if e["structural"]]
    return sum(e["visited"] for e in events) / sum(e["entered"] + e["removed"] for e in events)


LINES = []


def say(text=""):
    LINES.append(text)


def table(title, rows):
    say(f"## {title}\n")
    say("| what | theirs | ours | how ours was found |")
    say("|---|---|---|---|")
    for row in rows:
        say("| " + " | ".join(str(cell) for cell in row) + " |")
    say()


def chapters_8_to_10():
    ends = run(OWN + "FourEnds", "--stop", "20")
    one, two, three = ends["events"]
    small, large = (run("tests/sim/rectifiers.sol:Row", "--stop", "0.02", "--set", "first=1", "--set", f"n={n}", "--stats-events", "10000")
                    for n in (10, 200))
    visited = [sorted(e["visited"] for e in r["events"] if e["structural"]) for r in (small, large)]
    middle = [v[len(v) // 2] for v in visited]
    (mesh,) = loops(OWN + "Mesh", "-L", "stdlib")
    (side,) = loops(OWN + "SideBySide", "-L", "stdlib")
    half = run(OWN + "HalfWave", "--stop", "0.1", "-L", "stdlib")
    states = sorted({e[k] for e in half["events"] for k in ("states_before", "states_after")})
    changed = lambda e: f"{e['removed']} removed, {e['entered']} entered, {e['visited']} looked at"
    table("Chapters 8 to 10 (sections 3 to 5 of the paper)", [
        ("circuit of listing 7.2, from the cosine to the constant source", "2 relations and a variable removed, 1 entered; no unnecessary decausalization",
         changed(one), "`Thesis.FourEnds`, statistics of the event; the schedule of the modes counts too"),
        ("the same circuit, from the source to a current", "a conflict: a residual, one potential path of 3 relations causalized anew",
         changed(two), "the same"),
        ("and on to a resistor", "-", changed(three) + f"; loops {three['loops_before']} before, {three['loops_after']} behind", "the same"),
        ("effort of a change against the size of the model (8.7)", "local, except for the lookup of residuals",
         f"{middle[0]} relations looked at in a row of 10 rectifiers, {middle[1]} in a row of 200", "`tests/sim/rectifiers.sol`, medians over structural events"),
        ("resistor network of listing 9.1, switch open", "one tearing variable, one residual, 6 relations in the loop",
         f"{mesh[1]} tearing variable, {mesh[0]} relations in the loop", "`solstice graph`, `Thesis.Mesh`"),
        ("bipartite graph of residuals and tearing variables (figures 9.4, 9.5; 14, 15)", "perfect matching, then strong components", "the same decomposition",
         "`tests/ddp/bipartite_9_4.rel`"),
        ("half-wave rectifier of listing 10.1 (4): states", "2 while the diode conducts, 1 while it does not", f"{states[-1]} and {states[0]}",
         "`Thesis.HalfWave`, statistics of its events"),
        ("two capacitors of listing 10.2 (5)", "1 state; 3 differentiated equations; 4 relations torn by one variable",
         f"{run(OWN + 'SideBySide', '--stop', '1')['totals']['states']} state; a loop of {side[0]} relations with {side[1]} tearing variable, the two that say what der(u1) and der(u2) stand for among them",
         "`solstice graph`, `Thesis.SideBySide`"),
    ])


def circuit_and_trebuchet():
    euler = run(OWN + "HalfWave", "--stop", "0.1", "--solver", "euler", "--step", "1e-4", "-L", "stdlib")
    exact = run(OWN + "HalfWave", "--stop", "0.1", "-L", "stdlib")
    bow = run("Planar.Examples.Trebuchet", "--stop", "2", "--solver", "euler", "--step", "1e-3", "--engine", "interp")
    long_bow = run("Planar.Examples.Trebuchet", "--stop", "4", "--solver", "euler", "--step", "2e-3")
    right = run("Planar.Examples.Trebuchet", "--stop", "2", "--rtol", "1e-8")
    chain = [right["events"][0]["states_before"]] + [n for e in right["events"] for n in e["states_in_updates"]]
    seen = " ".join(map(str, chain))
    changes = sum(len(e["states_in_updates"]) for e in right["events"])
    systems = loops("Planar.Examples.Trebuchet")
    table("11.3: the half-wave rectifier with line inductance", [
        ("100 ms with steps of 0.1 ms, forward Euler", "20 ms of computing", f"{few(0.02 / euler['cpu'])} times as fast, {euler['totals']['steps']:,} steps, {euler['totals']['events']} events",
         "`Thesis.HalfWave --solver euler --step 1e-4`, the whole run with its output"),
        ("the same with located events", "not possible", f"{exact['totals']['steps']:,} steps, {exact['totals']['events']} events, rtol 1e-6", "`Thesis.HalfWave`"),
        ("states", "1 or 2", f"{min(e['states_after'] for e in exact['events'])} or {exact['totals']['states_max']}", "the same"),
    ])
    table("11.4: the trebuchet", [
        ("equations", "roughly 250", f"{right['totals']['relations']}", "`Planar.Examples.Trebuchet`; our joints and bodies have a few more"),
        ("differential index", "3, in impulses 2", "3, in impulses 2", "positions are constrained, in impulses speeds"),
        ("systems of equations that remain", "2, linear", f"{len(systems)}: {', '.join(f'{n} relations, {t} tearing' for n, t in systems)}", "`solstice graph`"),
        ("first change that is seen in the path of the projectile", "0.5 s", f"{right['events'][0]['time']:.3f} s", "the rope tightens"),
        ("structural changes in the first 2 s, impulses included", "6", f"{changes}", "updates that changed the structure"),
        ("modes", "5, two of them alike, and 2 intermediate ones for impulses", f"numbers of states in order: {seen}", "statistics, `states_in_updates`; theirs tell the same numbers twice where components change without a state"),
        ("states", "2 to 10", f"{min(chain)} to {max(chain)}", "the same"),
        ("2,000 steps of forward Euler, parsing to output (paper)", "roughly 1 s", f"{few(1 / bow['cpu'])} times as fast", "`--stop 2 --solver euler --step 1e-3 --engine interp`"),
        ("4 s with steps of 2 ms (thesis)", "within 1 s", f"{few(1 / long_bow['cpu'])} times as fast", "`--stop 4 --solver euler --step 2e-3`"),
        ("share of structural changes in the time (paper)", "1.5 %", f"{few(share(bow))} % with forward Euler, {few(share(right))} % with IDA at 1e-8, whose steps are fewer", "statistics, `structure_us` over the total"),
    ])


def population():
    sizes, peaks = (100, 300, 1000), {}
    for volume in sizes:
        peaks[volume] = run("Population.Examples.Colony", "--stop", "600", "--interval", "2", "--solver", "euler", "--step", "0.25",
                            "--set", f"V={volume}", "--stats-events", "100000", variables=("root.alive",))
    big = run("Population.Examples.Colony", "--stop", "600", "--interval", "2", "--solver", "rk", "--stats-events", "100000",
              variables=("root.alive",))
    euler = peaks[1000]
    alive = max(big["columns"]["root.alive"])
    events = [e for e in big["events"] if e["structural"]]
    touched = sorted(e["entered"] + e["removed"] for e in events)
    memory = big["totals"]["memory_peak_bytes"] / 1e6
    relations = max_relations(big)
    with open(os.path.join(ROOT, "stdlib", "Population.sol")) as file:
        code = [line for line in file.read().split("package Examples")[0].splitlines() if line.strip()]
    speed = [r["cpu"] / max(r["columns"]["root.alive"]) for r in peaks.values()]
    table("11.5: population dynamics, 1,000 litres, 20 % of nutrition", [
        ("lines of the model", "roughly 100", f"{len(code)}, comments included", "`stdlib/Population.sol` without its examples"),
        ("life forms alive at the peak", "around 4,200", f"{alive:,.0f}", "`Population.Examples.Colony --solver rk`: events are located; the draws differ"),
        ("states at the peak", "several thousand", f"{big['totals']['states_max']:,}", "statistics"),
        ("relations", "about 100,000", f"{relations:,} at the most", "entered less removed"),
        ("events", "about 10,000", f"{big['totals']['events']:,}, {len(events):,} of them structural", "statistics"),
        ("equations that one change affects", "10 to 25", f"{touched[len(touched) // 10]} to {touched[-len(touched) // 10]} entered or removed", "statistics, the middle eight tenths of the events"),
        ("relations looked at in a change", "-", f"{sorted(e['visited'] for e in events)[len(events) // 2]}", "statistics, median"),
        ("share of structural changes in the time", "4.5 %; 80 % if all were causalized anew", f"{few(share(big))} %; {few(share(euler))} % with forward Euler in steps of 0.25, whose events come together. Evaluation is compiled, so that the rest is short", "statistics, `structure_us` over the total"),
        ("memory for 1,000 relations", "3.5 MB (1 to 2 MB in Dymola)", f"{few(1000 * memory / relations)} MB", "peak of our own memory over the most relations"),
        ("effort of the processor against size", "linear in the number of life forms",
         "; ".join(f"{v} litres: {few(effort(r))}" for v, r in peaks.items()), "forward Euler in steps of 0.25: relations looked at for each that was entered or removed"),
        ("time against size (figures 11.11, 22)", "linear in the number of life forms",
         "; ".join(f"{v} litres: {few(s / speed[0])}" for v, s in zip(sizes, speed)), "forward Euler in steps of 0.25: time for each life form at the peak, in units of the first"),
    ])


def max_relations(result):
    """The most relations that there were at a time, from what events entered and removed."""
    total = result["totals"]["relations"]
    most = total
    for event in reversed(result["events"]):
        total += event["removed"] - event["entered"]
        most = max(most, total)
    return most


def traffic():
    road = run("Traffic.Examples.Road", "--stop", "800", "--interval", "1", "--solver", "euler", "--step", "0.1", "--stats-events", "100000",
               variables=("last.car.x*",))
    cars = max_cars(road)
    table("11.6: traffic", [
        ("800 s with steps of 0.1 s", "8,000 steps, and roughly 2,000 for events", f"{road['totals']['steps']:,} steps, {road['totals']['updates']:,} updates in {road['totals']['events']:,} events", "`Traffic.Examples.Road --solver euler --step 0.1`"),
        ("cars on the road at the most", "up to 100", f"{cars}", "half of the states"),
        ("states at the most", "200", f"{road['totals']['states_max']}", "statistics"),
        ("variables at the most", "roughly 1,000", f"{max_relations(road):,} relations", "entered less removed"),
        ("time", "within 10 s", f"{few(10 / road['cpu'])} times as fast", "the whole run"),
    ])


def max_cars(result):
    return result["totals"]["states_max"] // 2


MISPRINTS = [
    ("5.10", "`else` without `then`, and no `;` behind `freeze << false` and `freeze << true`",
     "model M interface: static Real y; static Boolean b; implementation: b << time > 1; if b then y = 1; else y = 2; end; end M;"),
    ("5.11, 5.12", "the parameter is `meanT` here, `meanTorque` where the engines are defined",
     "model E interface: parameter Real meanTorque; end E; model M implementation: static E e{meanT << 10}; end M;"),
    ("7.2, 9.1", "`f(x = time)` is not defined; the text says what it stands for",
     "model M interface: static Integer mode; implementation: mode << f(x = time); end M;"),
    ("10.1", "`der(uC)` by position, where other listings write `der(x = uC)`",
     "model M interface: static Real u; implementation: der(u) = 1; end M;"),
    ("10.1", "`end else when`",
     "model M interface: static Real u; static Boolean b; implementation: u = time; when u < 0 then b << true; end else when u > 1 then b << false; end; end M;"),
    ("10.1", "`when u < 0`: there is no u; the flag `open` means that the diode conducts; a source with the other sign",
     "model M interface: static Boolean b; implementation: when u < 0 then b << true; end; end M;"),
    ("10.2", "no `;` behind the equations of the two capacitors",
     "model M interface: static Real a; static Real b; implementation: a = 1 b = 2; end M;"),
    ("11.14", "`define epsilon = 0.001`, elsewhere `as`",
     "model M define epsilon = 0.001; interface: static Real x; implementation: x = epsilon; end M;"),
    ("11.17", "`static Boolean t` is declared and never used",
     "model M interface: static Real x; implementation: static Boolean t; x = 1; end M;"),
    ("appendix A", "the grammar has `define VALUE as NAME`, every listing the reverse",
     "model M define 9.81 as g; interface: static Real x; implementation: x = g; end M;"),
    ("appendix C", "`2pi`", "model M define pi as 3.14; interface: static Real x; implementation: x = 2pi; end M;"),
    ("appendix C", "no `;` behind the `end` of an `if`",
     "model M interface: static Real x; static Boolean b; implementation: b << true; if b then x = 1; else then x = 2; end end M;"),
    ("appendix C", "both conditions of the diode have the wrong sign: it lets the other half-wave through (`Thesis.Reversed`)", None),
    ("appendix D", "`intial()`", "model M interface: static Real x; implementation: if intial() then x << 1; end; end M;"),
    ("appendix D", "`l*1` and `m*1*1`, where the letter l is meant", None),
    ("appendix D", "the limit of LimitedRevolute, `-phi > l`, is true at the start of the trebuchet; `phi < l` is meant", None),
    ("appendix D", "Prismatic does not restart its speed and does not pass contacts on", None),
]


def misprints():
    say("## Listings as printed\n")
    say("Misprints, and what `solstice check --instantiate` says of a text with the same slip. All listings run when these are mended; what they")
    say("describe is done by `tests/sim/thesis.sol` and the library.\n")
    say("| listing | as printed | message |")
    say("|---|---|---|")
    for listing, slip, text in MISPRINTS:
        message = "a text like any other: only the result shows it" if text is None else "`" + first_message(text).replace("|", "\\|") + "`"
        say(f"| {listing} | {slip.replace('|', chr(92) + '|')} | {message} |")
    say()


def main():
    say("# The numbers of the thesis beside ours\n")
    say("Made by `tools/thesis.py`. On the left what chapters 8 to 11 of Zimmer's thesis (2010) and his paper on the dynamic DAE processor (2013) tell,")
    say("on the right what models of ours do that say the same. Theirs were computed by Solsim, an interpreter with forward Euler, on machines of about 2009;")
    say("times are therefore told as ratios, with two digits, and include all from parsing to output.\n")
    chapters_8_to_10()
    if not QUICK:
        circuit_and_trebuchet()
        population()
        traffic()
    misprints()
    print("\n".join(LINES).rstrip())


main()
