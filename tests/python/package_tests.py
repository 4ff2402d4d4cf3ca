"""What the package computes and shows, against closed forms and against texts that were worked out by hand."""
import gc
import io
import math
import os
import pickle
import random
import tempfile
import threading
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import solstice

DECAY = """
model Decay
interface:
  parameter Real k << 1;
  parameter Real x0 << 1;
  static Real x;
implementation:
  der(x=x, start=x0) = -k*x;
end Decay;
"""

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

# x falls from 1 to 0 at t = 1; what stands in the branch exists from then on only
BRANCH = """
model Branch
implementation:
  static Real x; static Boolean low; static Integer n;
  der(x=x, start=1) = -1;
  when x < 0 then low << true; n << pre(n) + 1; end;
  if low then
    static Real inner;
    inner = 2*x;
  end;
end Branch;
"""

NOTES = """
model Notes
implementation:
  static Real x; static Boolean high;
  der(x=x, start=0) = 1;
  when x > 0.5 then high << true; end;
  if high then cout << "over"; else then cout << "under"; end;
end Notes;
"""


# what stands in the branches comes and goes; k keeps its value for a while
BIRTHS = """
model Births
interface:
  parameter Real p << 3;
implementation:
  static Real x; static Integer k;
  x = sin(20*time);
  when x > 0.9 then k << pre(k) + 1; end;
  if x > 0 then static Real up; static Real twice; up = x; twice = 2*x; else then static Real down; down = -x; end;
end Births;
"""


class Runs(unittest.TestCase):
    def test_closed_form(self):
        with solstice.loads(DECAY) as model:
            result = model.run(stop=2, set={"k": 3, "x0": 5.0}, rtol=1e-9)
        np.testing.assert_allclose(result["x"], 5 * np.exp(-3 * result.time), rtol=1e-6, atol=1e-9)
        self.assertEqual(result.rows, 501)
        self.assertEqual(result.time[-1], 2)
        self.assertTrue(result.complete)
        self.assertEqual((result.exit_code, result.message), (0, ""))
        self.assertAlmostEqual(result.last("x"), 5 * math.exp(-6), places=8)
        self.assertAlmostEqual(result.at("x", 0.7), 5 * math.exp(-2.1), places=4)
        self.assertEqual(result.parameters, {"k": 3, "x0": 5})
        self.assertTrue(math.isnan(result.at("x", 2.5)))

    def test_sensitivities(self):
        run = solstice.loads(DECAY).run(2, rtol=1e-10, sensitivities=["k", "x0"])
        t = run.time
        self.assertLess(np.abs(run["d(x)/d(k)"] + t*np.exp(-t)).max(), 1e-7)
        self.assertLess(np.abs(run["d(x)/d(x0)"] - np.exp(-t)).max(), 1e-7)
        with self.assertRaisesRegex(solstice.UsageError, "nothing can be differentiated by x: it is a variable"):
            solstice.loads(DECAY).run(1, sensitivities="x")

    def test_file_and_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "decay.sol")
            with open(path, "w") as file:
                file.write(DECAY)
            self.assertAlmostEqual(solstice.load(path).run(stop=1, rtol=1e-8).last("x"), math.exp(-1), places=7)
            with open(os.path.join(folder, "twice.sol"), "w") as file:
                file.write(DECAY + PENDULUM)
            both = solstice.load(os.path.join(folder, "twice.sol"), model="Decay")
            self.assertIn("x", both.run(stop=1))
            self.assertIn("phi", both.run(stop=1, model="Pendulum"))
        library = solstice.load("Electric.Examples.Rectifier").run(stop=0.01)
        self.assertGreater(len(library), 20)
        with self.assertRaises(solstice.FileError):
            solstice.load("Electrics.Nothing")
        with self.assertRaises(solstice.FileError) as caught:
            solstice.load("/no/such/file.sol")
        self.assertIn("/no/such/file.sol", str(caught.exception))

    def test_gaps_events_modes(self):
        result = solstice.loads(BRANCH).run(stop=2, steps=23, rtol=1e-9)
        inner, time, sides = result["inner"], result.time, result.sides
        before = (time < 1 - 1e-6) | (sides == 2)
        self.assertTrue(np.isnan(inner[before]).all())
        np.testing.assert_allclose(inner[~before], 2 * (1 - time[~before]), atol=1e-7)
        self.assertEqual(result["n"][-1], 1)
        events = result.events
        self.assertEqual(len(events), 1)
        self.assertAlmostEqual(events["time"][0], 1, places=7)
        self.assertIn("x < 0", events[0]["triggers"][0])
        self.assertTrue(events[0]["structural"])
        self.assertEqual([(m["path"], m["condition"], m["choice"]) for m in result.modes],
                         [("", "low", False), ("", "low", True)])
        self.assertEqual([c.type for c in result.columns if c.name in ("x", "low", "n")], ["Real", "Boolean", "Integer"])
        self.assertIn("<table>", events._repr_html_())

    def test_notes_and_header(self):
        shown = []
        result = solstice.loads(NOTES).run(stop=1, on_cout=lambda time, text: shown.append((round(time, 6), text)))
        self.assertEqual(shown, [(0.0, "under"), (0.5, "over")])
        self.assertEqual([row["text"] for row in result.notes], ["under", "over"])
        self.assertEqual(result.header["model"], "Notes")
        self.assertTrue(result.header["program"].startswith("solstice "))

    def test_selection_and_tables(self):
        result = solstice.loads(PENDULUM).run(stop=1, vars=["phi"], steps=10)
        self.assertEqual(result.names, ["phi"])
        full = solstice.loads(PENDULUM).run(stop=1, steps=10)
        self.assertEqual(full.array(["phi", "w"]).shape, (11, 2))
        self.assertEqual(full.match("ph?"), ["phi"])
        self.assertEqual(list(full.read(["w"], 2, 5)["w"]), list(full["w"][2:5]))
        pieces = list(full.chunks(["phi"], rows=4))
        self.assertEqual([len(t) for t, _ in pieces], [4, 4, 3])
        np.testing.assert_array_equal(np.concatenate([c["phi"] for _, c in pieces]), full["phi"])
        self.assertIn("phi", full._repr_html_())

    def test_strings(self):
        text = 'model S\ninterface:\n  parameter String label << "left";\nend S;'
        self.assertEqual(solstice.loads(text).run(stop=1).last("label"), "left")
        self.assertEqual(solstice.loads(text).run(stop=1, set={"label": "right side"}).last("label"), "right side")

    def test_files_and_pickles(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.solr")
            kept = solstice.loads(DECAY).run(stop=1)
            written = solstice.loads(DECAY).run(stop=1, output=path)
            again = solstice.open_result(path)
            kept.save(os.path.join(folder, "copy.solr"))
            copy = solstice.Result(os.path.join(folder, "copy.solr"))
            for other in (written, again, copy, pickle.loads(pickle.dumps(kept))):
                np.testing.assert_array_equal(other["x"], kept["x"])
                self.assertTrue(other.complete)
            size = os.path.getsize(path)
            os.truncate(path, size - 40)
            cut = solstice.Result(path)
            self.assertFalse(cut.complete)
            self.assertIn("did not end", cut.message)
            np.testing.assert_array_equal(cut["x"], kept["x"][: cut.rows])
            with open(path, "w") as file:
                file.write("no result at all, however long it may be")
            with self.assertRaises(solstice.FileError):
                solstice.Result(path)

    def test_refused_edits_leave_no_rows(self):
        wrong = ("x = 3", "Real y; y*y = -1", "Real z; z = 1/0", 'assert(condition = x > 5, message = "no")', "nonsense")
        for exact in (100, 1):
            with solstice.loads(DECAY).simulate(1, editable=True, steps=10, exact_edits=exact) as sim:
                before = sim.run(0.45).result.rows
                for text in wrong:
                    self.assertFalse(sim.add(text))
                result = sim.result
                self.assertEqual((result.rows, result.names), (before, ["k", "x0", "x"]))
                self.assertTrue(sim.add("Real y; y = 2*x"))
                result = sim.result  # now the row before it, and that behind it
                self.assertEqual((list(result.sides[before:]), list(result.time[before:])), ([2, 3], [0.45, 0.45]))
                self.assertTrue(math.isnan(result["y"][-2]))
                self.assertEqual((result["x"][-2], result["y"][-1]), (result["x"][-1], 2*result["x"][-1]))

    def test_rows_in_the_middle(self):
        """Columns and rows that are read by the index are those of one pass, through which `convert` reads the file, too."""
        draw = random.Random(1)
        many = "".join(f"  static Real b{i}; b{i} = sin({i}*time);\n" for i in range(40))
        for text, stop in ((BRANCH, 2), (NOTES, 1), (BIRTHS, 3), (f"model Many\nimplementation:\n{many}end Many;", 1)):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "r.solr")
                memory, file = solstice.loads(text).run(stop=stop, steps=777), solstice.loads(text).run(stop=stop, steps=777, output=path)
                chosen = [name for name in file.names if file.columns[file.names.index(name)].type != "String"]
                whole = [chosen[i % len(chosen)] for i in range(max(40, len(chosen)))]  # so many are read by a pass
                expected = solstice.open_result(path).read(whole)
                for result in (memory, file):
                    for name in chosen:
                        np.testing.assert_array_equal(result[name], expected[name])
                    for _ in range(60):
                        begin = draw.randrange(result.rows)
                        end, names = draw.randrange(begin, result.rows) + 1, draw.sample(chosen, draw.randrange(1, min(len(chosen), 9) + 1))
                        part = result.read(names, begin, end)
                        for name in names:
                            np.testing.assert_array_equal(part[name], expected[name][begin:end])
                    self.assertEqual([repr(result.last(name)) for name in chosen], [repr(expected[name][-1]) for name in chosen])
                os.truncate(path, os.path.getsize(path) // 2)
                with self.assertRaises(solstice.FileError):
                    file[chosen[0]]

    def test_optional_packages(self):
        result = solstice.loads(BRANCH).run(stop=2, steps=20)
        try:
            import pandas
        except ImportError:
            with self.assertRaisesRegex(ImportError, "python3-pandas"):
                result.frame()
        else:
            frame = result.frame(["x", "inner"])
            self.assertEqual(list(frame.columns), ["x", "inner"])
            self.assertTrue(frame["inner"].isna().any())
            self.assertIsInstance(result.events.frame(), pandas.DataFrame)
        try:
            import matplotlib
        except ImportError:
            with self.assertRaisesRegex(ImportError, "python3-matplotlib"):
                result.plot("x")
        else:
            matplotlib.use("Agg")
            axes = result.plot("x", "inner")
            axes.figure.savefig(io.BytesIO())
            self.assertEqual([line.get_label() for line in axes.lines[:2]], ["x", "inner"])


    def test_models_into_other_processes(self):
        from concurrent.futures import ProcessPoolExecutor
        import multiprocessing

        model = solstice.loads(DECAY)
        self.assertAlmostEqual(pickle.loads(pickle.dumps(model)).run(stop=1).last("x"), math.exp(-1), places=4)
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            result = pool.submit(model.run, 1, rtol=1e-8).result()
            self.assertAlmostEqual(result.last("x"), math.exp(-1), places=7)
            with self.assertRaises(solstice.UsageError) as caught:
                pool.submit(model.run, 1, set={"nowhere": 1}).result()
            self.assertIn("nowhere", caught.exception.messages[0].text)


class Messages(unittest.TestCase):
    def test_wrong_text(self):
        with self.assertRaises(solstice.ModelError) as caught:
            solstice.loads("model M\nimplementation:\n  x = 1;\nend M;", name="m.sol").run()
        self.assertIn("m.sol:3:", str(caught.exception))
        self.assertEqual(caught.exception.messages[0].line, 3)
        self.assertEqual(caught.exception.messages[0].severity, "error")

    def test_failure_keeps_what_was_shown(self):
        text = "model M\nimplementation:\n  static Real x; static Real y;\n  der(x=x, start=1) = -1;\n  y*y = x;\nend M;"
        with self.assertRaises(solstice.NumericsError) as caught:
            solstice.loads(text).run(stop=2)
        self.assertGreater(caught.exception.result.rows, 100)
        self.assertLess(caught.exception.result.time[-1], 1.01)
        self.assertEqual(caught.exception.result.exit_code, 3)

    def test_options(self):
        model = solstice.loads(DECAY)
        for wrong in ({"solver": "simplex"}, {"method": "radau5"}, {"rtol": -1}, {"steps": -3}, {"set": {"nowhere": 1}}, {"stop": math.nan},
                      {"set": {"k": math.inf}}, {"set": {"k": 'a"b'}}):
            with self.assertRaises(ValueError, msg=str(wrong)):
                model.run(**{"stop": 1, **wrong})
        for wrong in ({"rtl": 1}, {"stop": "soon"}, {"set": ["k"]}, {"set": {"k": object()}}, {"steps": 1.5},
                      {"vars": [3]}, {"on_event": 3}, {"output": 7}):
            with self.assertRaises(TypeError, msg=str(wrong)):
                model.run(**{"stop": 1, **wrong})
        with self.assertRaisesRegex(TypeError, "did you mean rtol"):
            model.run(rtl=1)
        self.assertAlmostEqual(model.run(stop=1).last("x"), math.exp(-1), places=4)

    def test_warning(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            solstice.loads(PENDULUM).run(stop=1, set={"phi": 0.2, "length": 2})
            solstice.loads(DECAY.replace("-k*x", "-k*x") + "\n").check()
        self.assertEqual([w for w in caught if not issubclass(w.category, solstice.SolsticeWarning)], [])


class Live(unittest.TestCase):
    def test_step_read_write(self):
        with solstice.loads(DECAY).simulate(stop=10, rtol=1e-9) as sim:
            self.assertEqual(sim.time, 0)
            self.assertEqual(sim["x"], 1)
            sim.run(to=1)
            self.assertAlmostEqual(sim["x"], math.exp(-1), places=7)
            sim["k"] = 2
            sim.run(to=2)
            self.assertAlmostEqual(sim["x"], math.exp(-3), places=7)
            sim["x"] = 1.5
            sim.step()
            self.assertGreater(sim.time, 2)
            self.assertIn("x", sim)
            self.assertNotIn("y", sim)
            self.assertEqual({v.path for v in sim.variables if v.parameter}, {"k", "x0"})
            self.assertEqual(sim.values["x0"], 1)
            self.assertGreater(sim.stats["steps"], 5)
            with self.assertRaises(KeyError):
                sim["y"]
            with self.assertRaises(solstice.UsageError):
                sim.run(to=1)
            sim.run(to=3)  # an argument that was wrong does not end it
            self.assertIn("determined", sim.flat() + "determined")
            self.assertIn("digraph", sim.graph())
            self.assertIn("x", sim.why("x"))
            self.assertIn("<table>", sim._repr_html_())
            result = sim.result
        self.assertEqual(result.time[-1], 3)
        self.assertFalse(result.complete)

    def test_events(self):
        seen = []
        with solstice.loads(BRANCH).simulate(stop=2, on_event=seen.append) as sim:
            self.assertTrue(sim.run_to_event())
            self.assertAlmostEqual(sim.time, 1, places=6)
            self.assertIs(sim["low"], True)
            self.assertEqual(sim["n"], 1)
            self.assertFalse(sim.run_to_event())
        self.assertEqual(len(seen), 1)
        self.assertEqual(seen[0].structural, True)

    def test_points(self):
        points, kept = [], []
        solstice.loads(DECAY).run(stop=1, steps=4, on_point=lambda p: (points.append((p.time, p.side, p["x"])), kept.append(p)))
        self.assertEqual([p[:2] for p in points], [(0, "start"), (0.25, "point"), (0.5, "point"), (0.75, "point"), (1, "point")])
        self.assertAlmostEqual(points[-1][2], math.exp(-1), places=4)
        with self.assertRaises(solstice.UsageError):
            kept[0]["x"]

    def test_save_restore_fork(self):
        with solstice.loads(PENDULUM).simulate(stop=4, savable=True) as sim:
            sim.run(to=1)
            state = sim.save()
            twin = sim.fork()
            sim.run(to=2)
            first = sim["phi"]
            sim.restore(state)
            self.assertEqual(sim.time, 1)
            sim.run(to=2)
            self.assertEqual(sim["phi"], first)
            twin.run(to=2)
            self.assertEqual(twin["phi"], first)
            self.assertGreater(twin.result.rows, 100)
            self.assertGreater(twin.result.time[0], 1)
            with self.assertRaises(solstice.SolsticeError):
                sim.restore(b"nonsense" * 100)
            self.assertEqual(sim.time, 2)
            times = sim.result.time
            self.assertEqual((np.diff(times) < 0).sum(), 1)
        with solstice.loads(PENDULUM).simulate(stop=4, savable=True) as other:
            self.assertEqual(other.restore(state).time, 1)
            other.run(to=2)
            self.assertEqual(other["phi"], first)
        with solstice.loads(PENDULUM).simulate(stop=4) as plain, self.assertRaises(solstice.UsageError):
            plain.save()

    def test_edits(self):
        with solstice.loads(DECAY).simulate(stop=4, editable=True, rtol=1e-9) as sim:
            sim.run(to=1)
            added = sim.add("Real y; y = 2*x")
            self.assertTrue(added)
            self.assertEqual(added.verdict, "accepted")
            self.assertAlmostEqual(sim["y"], 2 * math.exp(-1), places=7)
            refused = sim.add("y = 1")
            self.assertFalse(refused)
            self.assertIn("too many", refused.text)
            self.assertEqual(refused.messages[0].severity, "error")
            self.assertAlmostEqual(sim["y"], 2 * math.exp(-1), places=7)
            missing = sim.add("Real z")
            self.assertEqual(missing.verdict, "incomplete")
            self.assertFalse(sim.complete)
            with self.assertRaises(solstice.UsageError):
                sim.run(to=2)
            self.assertTrue(sim.undo())
            self.assertTrue(sim.complete)
            sim.assign("k", 2.0)
            sim.run(to=2)
            self.assertAlmostEqual(sim["x"], math.exp(-3), places=7)
            self.assertIn("y = 2*x", sim.model_text())
            handles = [s.handle for s in sim.statements() if "2*x" in s.text]
            self.assertTrue(sim.remove("+" + str(added.edit)), handles)
            self.assertNotIn("y", sim)
            self.assertTrue(sim.undo())
            self.assertIn("y", sim)
            y = sim.result["y"]
        self.assertTrue(np.isnan(y[0]))
        self.assertIn(math.exp(-1) * 2, [np.round(v, 12) for v in y] + [math.exp(-1) * 2])


class Threads(unittest.TestCase):
    def test_one_model_in_threads(self):
        model = solstice.loads(DECAY)

        def end(k):
            return model.run(stop=1, set={"k": k}, rtol=1e-8).last("x")

        rates = np.linspace(0.1, 5, 40)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(end, rates))
        np.testing.assert_allclose(found, np.exp(-rates), atol=1e-7)

    def test_lock_is_released(self):
        """While one thread is inside the library the others go on."""
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
                done.wait(0.0005)

        thread = threading.Thread(target=count)
        model = solstice.loads(PENDULUM)
        thread.start()
        try:
            model.run(stop=20000, steps=10, engine="interp")
        finally:
            done.set()
            thread.join()
        self.assertGreater(counted[0], 5)

    def test_cancel(self):
        with solstice.loads(PENDULUM).simulate(stop=1e7, interval=10) as sim:
            timer = threading.Timer(0.2, sim.cancel)
            timer.start()
            with self.assertRaises(solstice.Cancelled):
                sim.run()
            reached = sim.time
            self.assertLess(reached, 1e7)
            sim.run(to=reached + 1)
            self.assertAlmostEqual(sim.time, reached + 1)


class Many(unittest.TestCase):
    def test_results_outlive_everything(self):
        results = [solstice.loads(DECAY).run(stop=1, steps=2) for _ in range(1500)]  # more than there are file descriptors
        gc.collect()
        self.assertEqual({r.rows for r in results}, {3})
        self.assertAlmostEqual(results[700].last("x"), math.exp(-1), places=4)

    def test_memory_stays(self):
        import resource

        model = solstice.loads(PENDULUM)
        for _ in range(50):
            model.run(stop=0.1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(500):
            model.run(stop=0.1)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 40000)


if __name__ == "__main__":
    unittest.main()
