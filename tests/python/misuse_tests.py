"""Misuse: each is an exception, none ends the interpreter."""
import gc
import os
import random
import signal
import sys
import threading
import time
import unittest
import weakref

import solstice

DECAY = """
model Decay
interface:
  parameter Real k << 1;
  static Real x;
implementation:
  der(x=x, start=1) = -k*x;
  when x < 0.5 then cout << "half"; end;
end Decay;
"""

SWING = """
model Swing
implementation:
  static Real x; static Real v;
  v = der(x=x, start=1);
  der(x=v, start=0) = -x;
end Swing;
"""


class Closed(unittest.TestCase):
    def test_everything_of_a_closed_simulation(self):
        sim = solstice.loads(DECAY).simulate(stop=1, editable=True)
        sim.run()
        sim.close()
        sim.close()
        calls = [sim.init, sim.run, sim.step, sim.run_to_event, sim.save, sim.fork, sim.finish, sim.undo, sim.redo, sim.flat,
                 sim.graph, sim.model_text, sim.statements, sim.instances, lambda: sim.result, lambda: sim.time,
                 lambda: sim["x"], lambda: sim.variables, lambda: sim.values, lambda: sim.stats, lambda: sim.complete,
                 lambda: sim.add("Real y"), lambda: sim.why("x"), lambda: sim.restore(b""), lambda: sim.__setitem__("x", 1)]
        for call in calls:
            with self.assertRaises(ValueError):
                call()
        sim.cancel()
        self.assertIn("closed", repr(sim))
        self.assertIn("closed", sim._repr_html_())

    def test_closed_models_and_results(self):
        model = solstice.loads(DECAY)
        sim = model.simulate(stop=1)
        model.close()
        with self.assertRaises(solstice.ClosedError):
            model.run()
        sim.run()  # it has what it needs
        result = sim.finish()
        sim.close()
        self.assertGreater(result.last("x"), 0.3)
        result.close()
        for call in (lambda: result["x"], lambda: result.events, lambda: result.header, result.to_bytes):
            with self.assertRaises(ValueError):
                call()
        self.assertIn("closed", repr(result) + result._repr_html_())

    def test_wrong_things(self):
        for wrong in (None, 3, b"x\0y", object()):
            with self.assertRaises((TypeError, ValueError)):
                solstice.loads(wrong)
            with self.assertRaises((TypeError, ValueError, OSError)):
                solstice.load(wrong)
        result = solstice.loads(DECAY).run(stop=1)
        for wrong in (None, 3, "y", object()):
            with self.assertRaises((TypeError, KeyError)):
                result[wrong]
        with self.assertRaises(ValueError):
            list(result.chunks(rows=0))
        self.assertEqual(len(result.read(["x"], 400, 100)["x"]), 0)
        self.assertEqual(len(result.read(["x"], -5, 10**12)["x"]), 5)
        with solstice.loads(DECAY).simulate(stop=1, savable=True) as sim:
            for wrong in (None, "x", object()):
                with self.assertRaises(TypeError):
                    sim.restore(wrong)
                with self.assertRaises(TypeError):
                    sim["x"] = wrong
                with self.assertRaises((TypeError, KeyError)):
                    sim[wrong if wrong != "x" else "nothing"]
            with self.assertRaises(TypeError):
                sim.run(to="the end")
            for value in (float("nan"), float("inf")):
                with self.assertRaises(solstice.UsageError):
                    sim["x"] = value
            with self.assertRaises(solstice.UsageError):
                sim.add("Real y")

    def test_bytes_that_are_no_result(self):
        good = solstice.loads(DECAY).run(stop=1, steps=20).to_bytes()
        rng = random.Random(1)
        for _ in range(300):
            bad = bytearray(good)
            for _ in range(rng.randint(1, 4)):
                bad[rng.randrange(len(bad))] = rng.randrange(256)
            try:
                result = solstice.Result.from_bytes(bad[: rng.randrange(len(bad) + 1)])
                result.read()
                result.events, result.modes, result.notes, result.header
            except solstice.SolsticeError:
                pass

    def test_states_that_are_none(self):
        with solstice.loads(SWING).simulate(stop=10, savable=True) as sim:
            sim.run(to=1)
            good, x = sim.save(), sim["x"]
            rng = random.Random(2)
            for _ in range(60):
                cut = good[: rng.randrange(len(good))]
                with self.assertRaises(solstice.SolsticeError):
                    sim.restore(cut)
                self.assertEqual(sim["x"], x)


class Callbacks(unittest.TestCase):
    def test_raising(self):
        for name in ("on_event", "on_point", "on_cout"):
            def bad(*_):
                raise ZeroDivisionError(name)
            with self.assertRaises(ZeroDivisionError) as caught:
                solstice.loads(DECAY).run(stop=2, **{name: bad})
            self.assertEqual(caught.exception.args, (name,))

    def test_raising_then_going_on(self):
        left = [3]

        def bad(point):
            left[0] -= 1
            if left[0] == 0:
                raise RuntimeError("once")

        with solstice.loads(DECAY).simulate(stop=1, on_point=bad) as sim:
            with self.assertRaises(RuntimeError):
                sim.run()
            sim.run()
            self.assertEqual(sim.time, 1)

    def test_moving_from_a_callback(self):
        problems = []
        holder = []

        def meddle(point):
            sim = holder[0]
            for call in (sim.close, sim.run, sim.step, sim.save, sim.fork, lambda: sim["x"], lambda: sim.__setitem__("x", 2),
                         sim.finish, sim.flat, sim.init, lambda: sim.add("Real y"), sim.undo, lambda: sim.result):
                try:
                    call()
                    problems.append(call)
                except solstice.UsageError:
                    pass
            sim.time, sim.stats, sim.complete
            holder[1].run(stop=0.1)  # another run of the same model is fine

        model = solstice.loads(DECAY)
        with model.simulate(stop=1, steps=5, editable=True, on_point=meddle) as sim:
            holder += [sim, model]
            sim.run()
        self.assertEqual(problems, [])

    def test_collecting_in_a_callback(self):
        with solstice.loads(SWING).simulate(stop=1, steps=20, savable=True, on_point=lambda p: (forks.clear(), gc.collect())) as sim:
            forks = []
            sim.run(to=0.2)
            forks += [sim.fork() for _ in range(5)]
            forks.append(forks)  # only the collector finds them
            sim.run()
        self.assertEqual(sim._loaded.sims, {})

    def test_cancel_in_a_callback(self):
        with solstice.loads(SWING).simulate(stop=1e6, steps=1000000, on_point=lambda p: sim.cancel()) as sim:
            with self.assertRaises(solstice.Cancelled):
                sim.run()


class Threads(unittest.TestCase):
    def test_one_simulation_in_many_threads(self):
        failures = []
        with solstice.loads(SWING).simulate(stop=1e9, savable=True, steps=1000) as sim:
            def poke(seed):
                rng = random.Random(seed)
                try:
                    for _ in range(30):
                        rng.choice([lambda: sim.run(to=sim.time + 1), lambda: sim["x"], sim.save, lambda: sim.fork().run(sim.time + 5),
                                    lambda: sim.stats, lambda: sim.variables, sim.cancel])()
                except solstice.SolsticeError:
                    pass  # times that another thread has passed, runs that another has cancelled
                except BaseException as error:
                    failures.append(error)

            threads = [threading.Thread(target=poke, args=(n,)) for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])

    def test_closing_under_a_run(self):
        for _ in range(10):
            sim = solstice.loads(SWING).simulate(stop=1e9, steps=10)

            def run():
                try:
                    sim.run()
                except solstice.SolsticeError:
                    pass

            thread = threading.Thread(target=run)
            thread.start()
            time.sleep(0.01)
            while thread.is_alive():
                sim.cancel()
                thread.join(0.01)
            sim.close()

    def test_results_in_many_threads(self):
        result = solstice.loads(DECAY).run(stop=1)
        want, failures = list(result["x"]), []

        def read():
            for _ in range(30):
                if list(result["x"]) != want or len(result.events) != 1:
                    failures.append("other values")

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class Collector(unittest.TestCase):
    def test_any_order(self):
        for seed in range(60):
            rng = random.Random(seed)
            model = solstice.loads(SWING)
            sim = model.simulate(stop=5, savable=True)
            sim.run(to=1)
            twin = sim.fork()
            things = [model, sim, twin, sim.result, model.simulate(stop=1), model.run(stop=0.1)]
            if rng.random() < 0.3:
                things.append(things)
            watched = [weakref.ref(t) for t in things[:6]]
            del model, sim, twin
            rng.shuffle(things)
            while things:
                thing = things.pop()
                if hasattr(thing, "close") and rng.random() < 0.3:
                    thing.close()
                del thing
                if rng.random() < 0.3:
                    gc.collect()
            gc.collect()
            self.assertTrue(all(w() is None for w in watched))

    def test_at_the_end_of_the_interpreter(self):
        import subprocess

        program = ("import solstice, sys\n"
                   f"m = solstice.loads('''{DECAY}''')\n"
                   "s = m.simulate(stop=1, savable=True); s.run(to=0.5); f = s.fork(); r = s.result\n"
                   "sys.loop = [m, s, f, r]; sys.loop.append(sys.loop)\n")
        self.assertEqual(subprocess.run([sys.executable, "-c", program]).returncode, 0)


class Processes(unittest.TestCase):
    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_fork_of_the_process(self):
        model = solstice.loads(DECAY)
        sim = model.simulate(stop=1)
        sim.run(to=0.5)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                sim.run()
            except solstice.UsageError:
                code = 0 if abs(model.run(stop=1).last("x") - 0.367879) < 1e-4 else 2
            finally:
                os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        sim.run()

    def test_ctrl_c(self):
        with solstice.loads(SWING).simulate(stop=1e9, steps=10) as sim:
            threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                sim.run()
            self.assertLess(time.monotonic() - begin, 20)
            sim.run(to=sim.time + 1)

    def test_signal_without_exception(self):
        seen = []
        before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
        try:
            with solstice.loads(SWING).simulate(stop=3000, steps=10) as sim:
                threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
                sim.run()
                self.assertEqual(sim.time, 3000)
            for _ in range(1000):  # the timer's thread may come late
                if seen:
                    break
                time.sleep(0.02)
            self.assertEqual(seen, [1])
        finally:
            signal.signal(signal.SIGUSR1, before)


if __name__ == "__main__":
    unittest.main()
