"""Results -> report.md and the pictures beside it."""
from . import floors, measure, plots
from .program import structural_share


def number(value, digits=3):
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10000 else str(value)
    return f"{value:.{digits}g}"


def timed(summary):
    """Median, in brackets least and most, and of how many runs."""
    return (f"{number(summary['median'])} [{number(summary['least'], 2)}, "
            f"{number(summary['most'], 2)}] of {summary['runs']}")


def table(head, rows):
    if not rows:
        return []
    lines = ["| " + " | ".join(head) + " |", "|" + "---|"*len(head)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def _head(results):
    kind = "quick" if results["quick"] else "full"
    lines = ["# Where we stand", "",
             f"The {kind} report of `perf/run.py`; `perf/README.md` says how to read it. All raw "
             "numbers are in `report.json`. Ratios compare programs run in the same minutes on the "
             "same machine; absolute times are information, not results.", ""]
    rows = [(name, value) for name, value in {**results["machine"], **results["versions"]}.items()]
    lines += table(("machine and versions", ""), rows)
    if results["machine"]["load at start"] > 0.5:
        lines += [f"**The machine was not idle** (load {results['machine']['load at start']:.1f} at "
                  f"the start, {results['machine']['load at end']:.1f} at the end): take times, and "
                  "ratios of short runs, as rough.", ""]
    return lines


def _floors(results):
    rows = [(f["name"], f["target"], number(f["value"]), f["verdict"], f["note"] or "")
            for f in results["floors"]]
    return ["## Figures that must hold", ""] + table(
        ("figure", "must be", "is", "", "how, and why not"), rows)


def _missing(results):
    lines = ["## What this report does not have", ""]
    if results["missing"]:
        lines.append(f"* Nothing of ours: {results['missing']}.")
    for engine, why in results["engines"].items():
        if why:
            lines.append(f"* Engine `{engine}`: {why}.")
    grouped = {}
    for s in results["skipped"]:
        grouped.setdefault(s["why"], []).append(s["what"])
    for why, whats in grouped.items():
        shown = ", ".join(whats[:24]) + (f" and {len(whats) - 24} more" if len(whats) > 24 else "")
        lines.append(f"* {shown}: {why}.")
    return lines + ([""] if len(lines) > 2 else ["Nothing is missing.", ""])


def _check(data):
    check = data.get("check")
    if not check:
        return []
    if "failed" in check:
        return [f"Check: failed ({check['failed']}), so no ratios.", ""]
    verdict = "agree" if check["agrees"] else "**do not agree, so ratios are left out**"
    errors = ", ".join(f"{solver} {number(e)}" for solver, e in check["errors"].items())
    return [f"Check at size {check['size']} against {check['against']}: largest relative difference "
            f"{errors}; needed {number(check['needed'])}: results {verdict}.", ""]


def _ratio(data, row, run):
    hand = floors.baseline(row, data["same"].get(run["solver"], ""))
    fast = floors.fastest_baseline(row, data)
    total = run["total"]["median"]
    if not floors.agrees(data):
        return "–", "–"
    return (number(total/hand["seconds"]["median"]) if hand else "–",
            number(total/fast["seconds"]["median"]) if fast else "–")


def _error(data, row, run):
    """Known where the check was of this very run; engines give the same bits."""
    check = data.get("check", {})
    same = check.get("same_run") and check["size"] == row["size"]
    return check["errors"].get(run["solver"]) if same else None


def _run_rows(data, row):
    rows = []
    for b in row["baselines"]:
        if "failed" in b:
            rows.append((row["size"], f"C, {b['method']}", b["failed"], *["–"]*7))
        else:
            rows.append((row["size"], f"C, {b['method']}", timed(b["seconds"]), "–", "–",
                         number(b.get("error")), number(b["states"]), number(b["steps"]),
                         number(b["events"]), "–"))
    for run in floors.ours(row):
        same, fast = _ratio(data, row, run)
        t = run["totals"]
        rows.append((row["size"], f"{run['engine']}, {run['solver']}", timed(run["total"]), same, fast,
                     number(_error(data, row, run)), number(t["states_max"]), number(t["steps"]), number(t["events"]),
                     number(run["relations_peak"])))
    return rows


def _event_rows(row):
    rows = []
    for run in floors.ours(row):
        e = run["events"]
        if not e["structural"]:
            continue

        def spread(name, events=e):
            d = events[name]
            return f"{number(d['median'])} / {number(d['p95'])} / {number(d['worst'])}" if d else "–"

        share = structural_share(run)
        rows.append((row["size"], f"{run['engine']}, {run['solver']}", number(e["structural"]),
                     spread("structure_us"), spread("restart_us"), spread("wait_us"),
                     spread("visited"),
                     number(e["blocks_kept"]["median"]) if e["blocks_kept"] else "–",
                     number(e["blocks_rebuilt"]["median"]) if e["blocks_rebuilt"] else "–",
                     f"{100*share:.2g} %" if share is not None else "–",
                     number(floors.megabytes_per_1000(run))))
    return rows


STAGES = ("parse", "instantiate", "ddp", "lower", "compile_wait", "integrate", "events", "output",
          "total")


def _stage_rows(row):
    return [(row["size"], f"{run['engine']}, {run['solver']}",
             *[number(run["stages"].get(stage)) for stage in STAGES]) for run in floors.ours(row)]


def _series(data):
    """Label -> [(size, seconds)] of all programs."""
    series = {}
    for row in data["sizes"]:
        for b in row["baselines"]:
            if "failed" not in b:
                series.setdefault(f"C, {b['method']}", []).append((row["size"],
                                                                   b["seconds"]["median"]/row["stop"]))
        for run in floors.ours(row):
            series.setdefault(f"{run['engine']}, {run['solver']}", []).append(
                (row["size"], run["total"]["median"]/row["stop"]))
    return series


def _structure_series(data):
    series = {}
    for row in data["sizes"]:
        for run in floors.ours(row):
            cost = run["events"]["structure_us"]
            if cost:
                series.setdefault(f"{run['engine']}, {run['solver']}", []).append(
                    (row["size"], cost["median"]))
    return series


def _exponents(what, series):
    fits = {name: measure.exponent(*zip(*points)) for name, points in series.items()}
    told = [f"{name} {number(e)}" for name, e in fits.items() if e is not None]
    return [f"{what} grows with the size to the power: {'; '.join(told)}.", ""] if told else []


def _family(name, data, folder):
    lines = [f"## {data['title']}", "",
             f"Size counts {data['size_name']}; rtol {data['rtol']:g}, atol {data['atol']:g}, output "
             f"every {data['interval']:g} s.", ""]
    lines += _check(data)
    runs = [r for row in data["sizes"] for r in _run_rows(data, row)]
    lines += table(("size", "program", "seconds", "over same method in C", "over fastest C", "error",
                    "states", "steps", "events", "relations, most"), runs)
    stages = [r for row in data["sizes"] for r in _stage_rows(row)]
    if stages:
        lines += ["Seconds by stage:", ""] + table(("size", "engine, solver", *STAGES), stages)
    events = [r for row in data["sizes"] for r in _event_rows(row)]
    if events:
        lines += ["Structural events: median / 95 % / worst, microseconds and relations visited.", ""]
        lines += table(("size", "engine, solver", "events", "structure us", "restart us", "wait us", "visited",
                        "blocks kept", "rebuilt", "structure, share", "MB per 1,000 relations"), events)
    if data.get("note"):
        lines += [data["note"], ""]
    series = _series(data)
    lines += _exponents("Time for a simulated second", series)
    lines += _exponents("Median structure_us", _structure_series(data))
    if any(len(points) > 1 for points in series.values()):
        picture = plots.lines(data["title"], data["size_name"],
                              "seconds a simulated second", series)
        lines += _picture(folder, f"{name}.svg", picture, data["title"])
        lines += _growth_pictures(name, data, folder)
    if name == "growing":
        lines += _hydra(data)
    return lines


def _growth_pictures(name, data, folder):
    """Cost of an event, and memory, against the size."""
    structure, memory = _structure_series(data), {}
    for row in data["sizes"]:
        for run in floors.ours(row):
            label = f"{run['engine']}, {run['solver']}"
            memory.setdefault(label, []).append((row["size"], run["totals"]["peak_rss_bytes"]/1e6))
    lines = []
    for kind, unit, series in (("structure", "structure_us, median", structure),
                               ("memory", "MB, whole process", memory)):
        if any(len(points) > 1 for points in series.values()):
            title = f"{data['title']}: {kind}"
            lines += _picture(folder, f"{name}_{kind}.svg",
                              plots.lines(title, data["size_name"], unit, series), title)
    return lines


def _picture(folder, file, svg, title):
    if not svg:
        return []
    (folder/file).write_text(svg, encoding="utf-8")
    return [f"![{title}]({file})", ""]


def _hydra(data):
    """Our waiting time at each switch beside what Hydra needed for a mode of that size."""
    waits = {}
    for row in data["sizes"]:
        for run in floors.ours(row, solver="ida"):
            for k, event in enumerate(run["events"].get("single", [])):
                waits.setdefault(1000*(k + 2), {})[run["engine"]] = event
    engines = [e for e in ("jit", "rebuild", "interp") if any(e in w for w in waits.values())]
    lines = ["Each switch by itself: our milliseconds of waiting (structure + restart, for `rebuild` with its "
             "compiler), and Hydra's seconds for a mode of that size **as of 2009** (2.0 GHz Core 2, LLVM "
             "2.5, dense matrix by finite differences; Giorgidze's thesis). Its simulation is of 10 s.", ""]
    rows = []
    for n, values in floors.HYDRA.items():
        found = [waits.get(n, {}).get(e) for e in engines]
        rows.append((n, *[f"{e['wait_us']/1e3:.2f} ({e['structure_us']/1e3:.2f} + "
                          f"{e['restart_us']/1e3:.2f})" if e else "–" for e in found], *values))
    return lines + table(("equations", *[f"{e}, ms" for e in engines], "Hydra: symbolic, s",
                          "compilation, s", "simulation, s"), rows)


def _profiles(results):
    found = results.get("profiles")
    if not found:
        return []
    lines = ["## Where the time goes", "", "Samples of `perf record` over a whole run, engine jit, share of the "
             "processor's time by function; code that was compiled at run time is one line.", ""]
    for one in found:
        text = ", ".join(f"{name} {share:.0f} %" for share, name in one["top"])
        lines.append(f"* {one['what']}: {text}.")
    return lines + [""]


def _converters(results):
    rows = []
    for r in results["converters"]:
        if "failed" in r:
            rows.append((r["n"], r["kind"], r["failed"], "", "", "", ""))
        else:
            rows.append((r["n"], r["kind"], r.get("solver", ""), number(r["event_us"]), number(r["steps"]),
                         number(r.get("integrate_us")), number(r.get("structure_us"))))
    if not rows:
        return []
    return ["## Buck converters", "", "24 V, 0.1 mH, 0.1 mF, 10 Ohm, 10 kHz, three events in a period. Microseconds for an "
            "event: all of the run, of it integration, of it events.", ""] + table(
                ("converters", "switches", "solver", "all", "steps", "integration", "events"), rows)


def _start(results):
    rows = []
    for r in results["start"]:
        if "failed" in r:
            rows.append((r["model"], r["engine"], r["failed"], ""))
        else:
            rows.append((r["model"], r["engine"], number(1e3*r["cold"]["median"]),
                         number(1e3*r["warm"]["median"])))
    if not rows:
        return []
    return ["## Start to exit", "", "Milliseconds of the whole process, 0.01 s simulated; warm: with "
            "the code cache of the run before.", ""] + table(("model", "engine", "cold", "warm"), rows)


def _spice(results):
    found = results["spice"]
    if not found:
        return []
    lines = ["## ngspice", "",
             f"{found['version']}. Equality of accuracy is judged by the error itself: largest "
             "difference from a reference over the whole run, relative to the largest value of the "
             "signal. ngspice runs with tighter and tighter settings (ladder: reltol, rectifier: longest "
             "step) until its error is not above the one named; that run's time counts. The "
             "rectifier's diode is exponential there, so its error is taken against its own run with "
             "steps of 2e-6 s; how far that is from the ideal diode is in the last column.", ""]
    rows = []
    for name in ("ladder", "rectifier"):
        for one in found[name]:
            rows += _spice_rows(name, one)
            family = "growing" if name == "ladder" and one["size"] > 1 else name
            rows += _spice_neighbours(results, family, one["size"])
    return lines + table(("circuit", "size", "program or setting", "seconds a simulated second",
                          "error", "error to reach", "of", "from the ideal diode"), rows)


def _spice_rows(name, one):
    if "failed" in one:
        return [(name, one["size"], one["failed"], "", "", "", "", "")]
    rows = []
    for run in one["tried"]:
        counts = " **counts**" if run is one["equal"] or run == one["equal"] else ""
        speed = number(run["seconds"]/one["stop"]) + counts if "failed" not in run else run["failed"]
        rows.append((name, one["size"], f"ngspice, {run['setting']:g}", speed,
                     number(run.get("error")), number(one["target"]), one["target_from"],
                     number(one.get("model_difference"))))
    return rows


def _spice_neighbours(results, family, size):
    """Our best run of the same circuit, and the fastest by hand, for the eye."""
    data = results["families"].get(family, {})
    rows = []
    for row in data.get("sizes", []):
        if row["size"] == size:
            run, hand = floors.best(row), floors.fastest_baseline(row, data)
            if run:
                rows.append((family, size, f"solstice, {run['engine']}, {run['solver']}",
                             number(run["total"]["median"]/row["stop"]),
                             number(data.get("check", {}).get("errors", {}).get(run["solver"])), "–",
                             "–", "–"))
            if hand:
                rows.append((family, size, f"C, {hand['method']}",
                             number(hand["seconds"]["median"]/row["stop"]),
                             number(hand.get("error")), "–", "–", "–"))
    return rows


def _programs(results):
    lines = []
    if results["programs"]:
        lines += ["[ddp.md](ddp.md) has the dynamic DAE processor alone at its full size.", ""]
    for name, text in results["programs"].items():
        lines += [f"## {name}", "", "```", text.rstrip("\n"), "```", ""]
    return lines


def _ratios_picture(results, folder):
    bars = []
    for name, data in results["families"].items():
        for row in data["sizes"]:
            hand = floors.fastest_baseline(row, data)
            run = floors.best(row)
            if hand and run and floors.agrees(data):
                bars.append((f"{name} {row['size']}",
                             run["total"]["median"]/hand["seconds"]["median"]))
    return _picture(folder, "distance.svg", plots.bars(
        "Our best total time over the fastest hand-written C", "times slower (logarithmic)", bars),
        "Distance to the fastest hand-written program")


def write(results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    lines = _head(results) + _floors(results) + _missing(results) + _ratios_picture(results, folder)
    for name, data in results["families"].items():
        lines += _family(name, data, folder)
    lines += _converters(results) + _start(results) + _spice(results) + _profiles(results) + _programs(results)
    text = "\n".join(lines).rstrip("\n") + "\n"
    (folder/"report.md").write_text(text, encoding="utf-8")
