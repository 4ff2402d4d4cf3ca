"""One family after the other: check, then time, side by side."""
from . import measure
from .program import say


class Suite:
    def __init__(self, program, baselines, generate, out, kind, repeats, timeout, clock):
        self.program = program
        self.baselines = baselines
        self.generate = generate
        self.out = out
        self.kind = kind
        self.repeats = repeats
        self.timeout = timeout
        self.clock = clock
        self.skipped = []
        self.too_slow = set()  # (family, engine, solver) that did not end in time at some size

    def skip(self, what, why):
        say(f"  skipped: {what}: {why}")
        self.skipped.append({"what": what, "why": why})

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
        elif family.max_step:
            chosen["--max-step"] = family.max_step
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
        """Our result and the hand-written program's, point by point. -> dict, with `error`."""
        size = family.sizes[self.kind][0]
        run = self._result(family, size, "ida")
        if "failed" in run:
            return {"size": size, "failed": run["failed"]}
        if family.baseline:
            return self._check_baseline(family, size, run["times"], run["columns"])
        if family.known:
            return self._check_known(family, size, run["columns"])
        return self._check_solvers(family, size, run)

    def _result(self, family, size, solver):
        result = self.out/"check.csv"
        model = self.model_file(family, size, family.check_settings)
        run = self.program.run(model, self.options(family, size, self.best_engine(), solver, result),
                               min(self.timeout, self.clock.left()))
        if "failed" in run:
            return run
        times, columns = measure.read_csv(result)
        return {"times": times, "columns": columns}

    def _check_baseline(self, family, size, times, ours):
        base, stop = family.baseline, family.stop(size)
        file = self.out/"baseline.csv"
        precise = {"rectifier": "dp5", "ladder": "dp5", "population": "exact", "trebuchet": "dp5"}
        options = {**base.options(size), **family.check_options, "--stop": stop, "--csv": file,
                   "--method": precise[base.program], "--rtol": 1e-12, "--atol": 1e-12}
        run = self.baselines.run(base.program, options, self.timeout)
        if "failed" in run:
            return {"size": size, "failed": run["failed"]}
        _, theirs = measure.read_csv(file)
        errors = {}
        for column, path in base.columns.items():
            values = ours.get(path)
            if values is None:
                return {"size": size, "failed": f"our result has no column {path}"}
            grid = measure.at_grid(times, values, family.interval, stop)
            errors[path] = measure.difference(grid, theirs[column])
        worst = None if None in errors.values() else max(errors.values())
        return {"size": size, "errors": errors, "error": worst,
                "agrees": worst is not None and worst <= base.agree, "needed": base.agree}

    def _check_solvers(self, family, size, first):
        """Nothing independent is there; at least two of our own methods should agree."""
        second = self._result(family, size, "rk")
        if "failed" in second:
            return {"size": size, "note": "nothing independent to compare with, and no second "
                                          f"solver ({second['failed']})"}
        errors = {}
        for path, values in first["columns"].items():
            if path not in second["columns"]:
                continue
            grids = [measure.at_grid(r["times"], r["columns"][path], family.interval,
                                     family.stop(size)) for r in (first, second)]
            errors[path] = measure.difference(*grids, share=0.1)  # some live only for a while
        known = [e for e in errors.values() if e is not None]
        return {"size": size, "errors": errors, "note": "nothing independent to compare with; our ida "
                "and rk differ by " + (f"{max(known):.2g}" if known else "an unknown amount")}

    def _check_known(self, family, size, ours):
        errors = {path: abs(ours[path][-1] - value)/max(1.0, abs(value))
                  for path, value in family.known.items() if path in ours}
        if len(errors) < len(family.known):
            return {"size": size, "failed": "columns are missing in our result"}
        worst = max(errors.values())
        return {"size": size, "errors": errors, "error": worst, "agrees": worst <= 1e-3,
                "needed": 1e-3}

    # ---- times ----

    def time_baselines(self, family, size):
        base, rows = family.baseline, []
        methods = base.methods + (base.more if self.kind == "full" else ()) if base else ()
        for method in methods:
            options = {**base.options(size), "--stop": family.stop(size), "--method": method,
                       "--rtol": family.rtol, "--atol": family.atol}
            once = self.baselines.run(base.program, options, min(self.timeout, self.clock.left()))
            if "failed" not in once:
                cheap = once["seconds"]["median"]*self.repeats < 0.2*self.timeout
                options["--repeat"] = self.repeats if cheap else 1
                # The reference of a large population is the run of another method: cheap too.
                if cheap:
                    options["--reference"] = None
                once = self.baselines.run(base.program, options,
                                          min(self.timeout, self.clock.left()))
            rows.append({"method": method, **once})
        return rows

    def combinations(self, family):
        """The best engine with every solver, then the other engines with the first: should the
        time end, what matters less is missing."""
        best = self.best_engine()
        engines = [e for e in self.program.usable_engines() if e != best]
        return ([(best, solver) for solver in family.solvers] +
                [(engine, family.solvers[0]) for engine in engines])

    def time_ours(self, family, size):
        model, rows = self.model_file(family, size), []
        for engine, solver in self.combinations(family):
            if self.clock.left() < 5:
                self.skip(f"{family.name} {size} {engine} {solver}", "the time for this report ended")
                continue
            if (family.name, engine, solver) in self.too_slow:
                self.skip(f"{family.name} {size} with {engine}, {solver}",
                          "a smaller size did not end in time")
                continue
            options = self.options(family, size, engine, solver, self.out/"timed.solr")
            run = self.program.repeat(model, options, self.repeats, self.timeout, self.clock)
            if "failed" in run:
                self.skip(f"{family.name} {size} with {engine}, {solver}", run["failed"])
                if "did not end" in run["failed"]:
                    self.too_slow.add((family.name, engine, solver))
            rows.append({"engine": engine, "solver": solver, **run})
        return rows

    def family(self, family):
        say(f"{family.name}: {family.title}")
        result = {"title": family.title, "size_name": family.size_name, "rtol": family.rtol,
                  "atol": family.atol, "interval": family.interval,
                  "same": family.baseline.same if family.baseline else {}, "sizes": []}
        able = self.program.missing is None and self.best_engine() is not None
        if able:
            result["check"] = self.check(family)
            if "failed" in result["check"]:
                self.skip(f"check of {family.name}", result["check"]["failed"])
        for size in family.sizes[self.kind]:
            if self.clock.left() < 5:
                self.skip(f"{family.name} {size}", "the time for this report ended")
                continue
            row = {"size": size, "stop": family.stop(size),
                   "baselines": self.time_baselines(family, size)}
            row["ours"] = self.time_ours(family, size) if able else []
            result["sizes"].append(row)
        return result
