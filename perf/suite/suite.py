"""One family after the other: check, then time, side by side, within the family's share of time."""
from . import measure
from .program import say


class Suite:
    def __init__(self, program, baselines, generate, out, kind, repeats, clock):
        self.program = program
        self.baselines = baselines
        self.generate = generate
        self.out = out
        self.kind = kind
        self.repeats = repeats
        self.clock = clock
        self.skipped = []
        self.past = {}  # (family, program) -> [(size, seconds of one run for a simulated second)]

    def skip(self, what, why):
        say(f"  skipped: {what}: {why}")
        self.skipped.append({"what": what, "why": why})

    # ---- time ----

    def expected(self, family, program, size):
        """Seconds of one run at this size, judged by the sizes before; None where there are none."""
        past = self.past.get((family.name, program), [])
        if not past or past[-1][1] is None:
            return None
        return measure.extrapolate(past, size)*family.stop(size)

    def kept(self, family):
        """Seconds for one run of the leading program at each size to come; of the largest, if they would
        take most of what is left, none."""
        past = self.past.get((family.name, family.leading), [])
        ahead = [s for s in family.sizes[self.kind] if past and s > past[-1][0]]
        needs = [1.3*(self.expected(family, family.leading, s) or 0) for s in ahead]
        while needs and sum(needs) > 0.8*self.clock.left():
            needs.pop()
        return sum(needs)

    def left(self, family, program):
        """Seconds that this program may use: all but those that are kept for the leading one, which may
        also take from the chapters to come."""
        if program == family.leading:
            return max(self.clock.left(), 0.6*self.clock.left_of_all())
        return self.clock.left() - self.kept(family)

    def affordable(self, family, program, size):
        """Is one run at this size worth its time, and will it end within it? If not: (reason, what to
        add to the name of what is skipped)."""
        past, left = self.past.get((family.name, program), []), self.left(family, program)
        limit = family.upto.get(program, family.upto.get(program.split(",")[0]))
        if limit is not None and size > limit and self.kind == "full":
            return "not asked for: smaller sizes show what it costs", ""
        if past and past[-1][1] is None:
            return "a smaller size failed or did not end in time", ""
        if left < 1:
            return "the time for this family ended", ""
        expected = self.expected(family, program, size)
        if expected is not None and expected > (0.9 if program == family.leading else 0.5)*left:
            return ("expected to take more than half of what is left of the family's time",
                    f" (about {expected:.2g} s)")
        return None

    def remember(self, family, program, size, seconds):
        """`seconds`: of one run, None if it failed. Kept for a simulated second: the largest sizes
        simulate less."""
        self.past.setdefault((family.name, program), []).append(
            (size, seconds and seconds/family.stop(size)))

    # ---- models ----

    def model_file(self, family, size, settings=None):
        what = family.model(size)
        file = self.out/"models"/f"{family.name}_{size}{'_check' if settings else ''}.sol"
        file.parent.mkdir(parents=True, exist_ok=True)
        if what[0] == "ladder":
            file.write_text(self.generate.ladder(what[1]), encoding="utf-8")
            return f"{file}:Ladder"
        text = self.generate.top(what[1], {**what[2], **(settings or {})})
        file.write_text(text, encoding="utf-8")
        return f"{file}:Top"

    def options(self, family, size, engine, solver, result):
        chosen = {"--stop": family.stop(size), "--interval": family.interval,
                  "--rtol": family.rtol, "--atol": family.atol, "--engine": engine,
                  "--solver": solver, "--output": result, "--vars": list(family.watch)}
        if solver == "euler":
            chosen["--step"] = family.step
        elif solver in family.max_step:
            chosen["--max-step"] = family.max_step[solver]
        if engine == "jit" and "--cache" in self.program.options:
            chosen["--cache"] = self.out/"cache"  # emptied when the suite starts
        return chosen

    def best_engine(self):
        usable = self.program.usable_engines()
        for engine in ("jit", "rebuild", "interp"):
            if engine in usable:
                return engine
        return usable[0] if usable else None

    # ---- checks ----

    def check(self, family):
        """Results of all our solvers against what they must be, point by point. -> dict: `errors` by
        solver; `error`, that of IDA (or of the first solver), decides whether there are ratios."""
        size = family.check_size or family.sizes[self.kind][0]
        stop = family.check_stop or family.stop(size)
        runs = {solver: self._result(family, size, solver) for solver in family.solvers
                if solver not in ("euler", "auto")}
        first = next((s for s in ("ida", "rk") if s in runs and "failed" not in runs[s]), None)
        if first is None:
            return {"size": size, "failed": next(iter(runs.values()))["failed"]}
        truth, what = self._truth(family, size, stop, runs[first]["columns"])
        if "failed" in truth:
            return {"size": size, "failed": truth["failed"]}
        errors = {solver: self._error(family, run, truth, stop) for solver, run in runs.items()}
        needed = family.baseline.agree if family.baseline else 1e-3
        worst = errors[first]
        return {"size": size, "against": what, "errors": errors, "error": worst, "needed": needed,
                "same_run": not family.check_settings,
                "agrees": worst is not None and worst <= needed}

    def _result(self, family, size, solver):
        result = self.out/"check.csv"
        model = self.model_file(family, size, family.check_settings)
        options = self.options(family, size, self.best_engine(), solver, result)
        if family.check_watch:
            options["--vars"] = list(family.check_watch)
        run = self.program.run(model, options, self.clock.left())
        if "failed" in run:
            return run
        times, columns = measure.read_csv(result)
        return {"times": times, "columns": columns}

    def _truth(self, family, size, stop, ours):
        """-> ({path: values at the output points} or {"failed"}, where it comes from)."""
        if family.reference:
            return family.reference(size, stop, family.interval, ours), family.reference_name
        if family.known:
            points = int(stop/family.interval + 1e-6)
            return ({path: [None]*points + [value] for path, value in family.known.items()},
                    "numbers known from elsewhere, at the end")
        return self._by_hand(family, size, stop), "the hand-written program at tolerance 1e-12"

    def _by_hand(self, family, size, stop):
        base, file = family.baseline, self.out/"baseline.csv"
        precise = {"rectifier": "dp5", "ladder": "dp5", "population": "exact", "trebuchet": "dp5"}
        method = precise[base.program]
        options = {**base.options(size, method), **family.check_options, "--stop": stop, "--csv": file,
                   "--method": method, "--rtol": 1e-12, "--atol": 1e-12}
        run = self.baselines.run(base.program, options, self.clock.left())
        if "failed" in run:
            return run
        _, columns = measure.read_csv(file)
        return {path: columns[column] for column, path in base.columns.items()}

    def _error(self, family, run, truth, stop):
        """Largest difference relative to the largest value of its column; None: nothing to compare."""
        if "failed" in run:
            return None
        errors = []
        for path, values in truth.items():
            if path not in run["columns"]:
                return None
            grid = measure.at_grid(run["times"], run["columns"][path], family.interval, stop)
            errors.append(measure.difference(grid, values))
        return None if None in errors else max(errors)

    # ---- times ----

    def time_baselines(self, family, size, methods):
        base, rows = family.baseline, []
        for method in methods:
            label = f"C, {method}"
            why = self.affordable(family, label, size)
            if why:
                self.skip(f"{family.name} {size} {label}{why[1]}", why[0])
                continue
            left = self.left(family, label)
            options = {**base.options(size, method), "--stop": family.stop(size), "--method": method,
                       "--rtol": family.rtol, "--atol": family.atol}
            once = self.baselines.run(base.program, options, 0.8*left)
            if "failed" not in once:
                one = once["seconds"]["median"]
                options["--repeat"] = max(1, min(self.repeats, int(0.05*left/one)))
                if one < 0.02*left:
                    options["--reference"] = None
                if "--reference" in options:
                    once = self.baselines.run(base.program, options, left)
                self.remember(family, label, size, one)
            else:
                self.remember(family, label, size, None)
            rows.append({"method": method, **once})
        return rows

    def combinations(self, family):
        """The best engine with every solver, then the other engines with the first: should the
        time end, what matters less is missing."""
        best = self.best_engine()
        usable = self.program.usable_engines()
        engines = [e for e in family.engines if e in usable and e != best]
        return ([(best, solver) for solver in family.solvers] +
                [(engine, family.solvers[0]) for engine in engines])

    def time_ours(self, family, size):
        model, rows = self.model_file(family, size), []
        for engine, solver in self.combinations(family):
            label = f"{engine}, {solver}"
            why = self.affordable(family, label, size)
            if why:
                self.skip(f"{family.name} {size} with {label}{why[1]}", why[0])
                continue
            options = self.options(family, size, engine, solver, self.out/"timed.solr")
            leads, left = label == family.leading, self.left(family, label)
            allowed = 0.1*(self.clock.left() - self.kept(family))
            run = self.program.repeat(model, options, self.repeats, allowed,
                                      left if leads else 0.8*left)
            if "failed" in run:
                self.skip(f"{family.name} {size} with {label}", run["failed"])
            self.remember(family, label, size,
                          None if "failed" in run else run["process"]["median"])
            rows.append({"engine": engine, "solver": solver, **run})
        return rows

    def family(self, family):
        say(f"{family.name}: {family.title} ({self.clock.left():.0f} s)")
        result = {"title": family.title, "size_name": family.size_name, "rtol": family.rtol,
                  "atol": family.atol, "interval": family.interval, "note": family.note,
                  "same": family.baseline.same if family.baseline else {}, "sizes": []}
        able = self.program.missing is None and self.best_engine() is not None
        if able:
            result["check"] = self.check(family)
            if "failed" in result["check"]:
                self.skip(f"check of {family.name}", result["check"]["failed"])
        for size in family.sizes[self.kind]:
            base = family.baseline
            row = {"size": size, "stop": family.stop(size),
                   "baselines": self.time_baselines(family, size, base.methods if base else ())}
            row["ours"] = self.time_ours(family, size) if able else []
            if base and self.kind == "full":
                row["baselines"] += self.time_baselines(family, size, base.more)
            if row["ours"] or row["baselines"]:
                result["sizes"].append(row)
        return result
