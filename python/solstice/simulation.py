"""A simulation that is advanced, looked at and changed while it runs."""
from __future__ import annotations

import ctypes
import math
import os
import threading
import weakref
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from ._library import header, lib, text_of, texts, utf8
from ._loaded import Loaded, interruptible
from ._options import sol_text
from .errors import Cancelled, ClosedError, Message, SolsticeError, Status, UsageError
from .result import Result
from .table import html_table

_SIDES = ("start", "point", "before", "after", "end")
_VERDICTS = ("accepted", "incomplete", "refused")
_KINDS = {name: header.constants["SOL_" + name.upper()] for name in ("add", "remove", "replace", "assign")}
_SolWrite, _SolRead = header.types["SolWrite"], header.types["SolRead"]


class Variable(NamedTuple):
    """A variable that exists now."""

    path: str
    type: str
    parameter: bool
    held: bool
    state: bool
    public: bool
    top: bool


class Event(NamedTuple):
    """What an event did, as `on_event` gets it."""

    time: float
    triggers: Tuple[str, ...]
    structural: bool
    updates: int
    entered: int
    removed: int
    visited: int
    states_before: int
    states_after: int


class Edited(NamedTuple):
    """The verdict on an edit. `bool(edited)` is False if it was refused."""

    verdict: str  # "accepted", "incomplete", "refused"
    edit: int  # number of what was entered: "+3" in `remove`
    entered: int
    removed: int
    visited: int
    microseconds: float
    messages: List[Message]
    text: str  # the messages as the program prints them

    def __bool__(self) -> bool:
        return self.verdict != "refused"


class Statement(NamedTuple):
    """A statement of an instance; `handle` names it for `remove`."""

    handle: str
    text: str
    edit: int
    removed: bool


class Point:
    """Values at a point, as `on_point` gets them; only while it is called. `point["x"]` is NaN for what is not recorded."""

    def __init__(self, simulation: "Simulation", at: Any) -> None:
        self._simulation, self._at = simulation, at
        self.time: float = at.time
        self.side: str = _SIDES[at.side]

    def __getitem__(self, path: str) -> float:
        if self._at is None:
            raise UsageError("a point can be read only while the callback that got it runs")
        var = lib.sol_find(self._simulation._sol(), utf8(path, "a path"))
        if not var:
            raise KeyError(f"there is no variable '{path}' now")
        return self._at.values[var] if var < self._at.limit else math.nan


class Simulation:
    """One simulation of a model; made by `Model.simulate`, closed by `close` or at the end of a `with`."""

    def __init__(self, release: Callable[[Loaded], None], loaded: Loaded, sol: int, options: Any,
                 on_event: Any = None, on_point: Any = None, on_cout: Any = None) -> None:
        self._release, self._loaded, self._options = release, loaded, options
        self._pointer: Optional[int] = sol
        self._handle_lock = threading.Lock()
        self._on = {"event": on_event, "point": on_point, "cout": on_cout}
        for name, function in self._on.items():
            if function is not None and not callable(function):
                raise TypeError(f"on_{name} must be a function, not {type(function).__name__}")
        self._raised: Optional[BaseException] = None
        self._cancelled = False
        self._recorded = False
        self._finalizer = weakref.finalize(self, _discard, loaded, sol, release)

    # ---- life ----

    def _sol(self) -> int:
        if self._pointer is None:
            raise ClosedError("the simulation is closed")
        return self._pointer

    def close(self) -> None:
        """Ends it now; otherwise that happens when nobody has it any more."""
        if self._pointer is None:
            return
        with self._loaded.use(moves=True):
            with self._handle_lock:
                self._pointer = None
        self._finalizer()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Simulation at time {self.time:.10g}>" if self._pointer else "<Simulation, closed>"

    # ---- callbacks ----

    def _guarded(self, name: str, convert: Callable[..., Tuple[Any, ...]]) -> Any:
        """A function for C: what the user's function raises is kept, the run is cancelled."""
        function, me = self._on[name], weakref.ref(self)

        def call(_: Any, *arguments: Any) -> bool:
            simulation = me()
            if simulation is None or simulation._raised is not None:
                return True
            made: Tuple[Any, ...] = ()
            try:
                made = convert(simulation, *arguments)
                function(*made)
            except BaseException as error:  # nothing may go through C
                simulation._raised = error
                if simulation._pointer is not None:
                    lib.sol_cancel(simulation._pointer)
            finally:
                if made and isinstance(made[0], Point):
                    made[0]._at = None  # its values are the library's
            return True

        return call

    def _recording(self, kinds: Dict[str, Any]) -> Dict[str, Any]:
        """The callbacks that are wanted, as C takes them."""
        converts = {"event": _event_of, "point": _point_of, "cout": lambda _, time, text: (time, text.decode(errors="replace"))}
        return {n: kinds[n](self._guarded(n, converts[n])) for n, f in self._on.items() if f is not None}

    def _begin(self, vars: Optional[Sequence[str]], output: Any, record: bool) -> None:
        with self._loaded.use(moves=True):
            if not record:
                self._listen()
                return
            kind = header.structs["SolRecording"]
            patterns = texts(vars, "a pattern")
            made = kind(path=None if output is None else utf8(output, "the path of a result"), patterns=patterns,
                        n_patterns=len(patterns) if patterns is not None else 0, **self._recording(dict(kind._fields_)))
            self._loaded.sims[self._sol()] = (self._options, made)
            self._judge(lib.sol_record(self._sol(), ctypes.byref(made)), "the recording cannot begin")
            self._recorded = True

    def _listen(self) -> None:
        """Callbacks without a recording."""
        kinds = dict(header.structs["SolOutput"]._fields_, event=header.functions["sol_set_event"][1][1])
        wanted = self._recording(kinds)
        event = wanted.pop("event", None)
        wanted.setdefault("cout", kinds["cout"](_silent))
        made = header.structs["SolOutput"](**wanted)
        self._loaded.sims[self._sol()] = (self._options, made, event)
        lib.sol_set_output(self._sol(), ctypes.byref(made))
        if event is not None:
            lib.sol_set_event(self._sol(), event, None)

    # ---- calls ----

    def _judge(self, status: int, otherwise: str) -> List[Message]:
        raised, self._raised = self._raised, None
        if raised is not None:
            self._loaded.new_messages()
            raise raised
        return self._loaded.judge(status, otherwise, 6)

    def _move(self, call: Callable[[int], int], what: str) -> None:
        """A call that may take long: it can be cancelled, by Ctrl-C too. A signal whose handler raises nothing does not end it."""
        with self._loaded.use(moves=True), interruptible(self._cancel_quietly):
            self._cancelled = False
            status = call(self._sol())
            while status == Status.SOL_CANCELLED and not self._cancelled and self._raised is None:
                status = call(self._sol())
            self._judge(status, what)

    def _cancel_quietly(self) -> None:
        with self._handle_lock:
            if self._pointer is not None:
                lib.sol_cancel(self._pointer)

    def cancel(self) -> None:
        """From another thread or a callback: a run in progress ends soon with `Cancelled`, and may go on later."""
        self._cancelled = True
        self._cancel_quietly()

    def _stop(self, to: Optional[float]) -> float:
        if to is None:
            return self._options.stop
        try:
            return float(to)
        except (TypeError, ValueError):
            raise TypeError(f"a time is a number, not {type(to).__name__}") from None

    def init(self) -> "Simulation":
        """Makes instances and finds consistent values; done by whatever needs them, too."""
        self._move(lib.sol_init, "the start failed")
        return self

    def run(self, to: Optional[float] = None) -> "Simulation":
        """Goes on to the time `to`, or to the end."""
        stop = self._stop(to)
        self._move(lambda sol: lib.sol_run_to(sol, stop), "the run failed")
        return self

    def run_to_event(self, to: Optional[float] = None) -> bool:
        """Goes on behind the next event, at most to the time `to`; True: there was one."""
        happened, stop = ctypes.c_bool(), self._stop(to)
        self._move(lambda sol: lib.sol_run_to_event(sol, stop, ctypes.byref(happened)), "the run failed")
        return happened.value

    def step(self, to: Optional[float] = None) -> "Simulation":
        """One step of the integrator, at most to the time `to`."""
        stop = self._stop(to)
        self._move(lambda sol: lib.sol_step(sol, stop), "the step failed")
        return self

    @property
    def time(self) -> float:
        """The present time."""
        with self._loaded.use():
            return lib.sol_time(self._sol())

    @property
    def stop(self) -> float:
        """The time that `run()` goes to."""
        return self._options.stop

    # ---- variables ----

    def _find(self, path: str) -> int:
        self._move(lib.sol_init, "the start failed")
        with self._loaded.use():
            var = lib.sol_find(self._sol(), utf8(path, "a path"))
        if not var:
            raise KeyError(f"there is no variable '{path}' now")
        return var

    def _info(self, var: int) -> Any:
        info = header.structs["SolVarInfo"]()
        lib.sol_var_info(self._sol(), var, ctypes.byref(info))
        return info

    def __getitem__(self, path: str) -> Any:
        """The value now: float, int, bool or str; NaN if it exists but has no value."""
        var, value = self._find(path), ctypes.c_double()
        self._move(lambda sol: lib.sol_read(sol, var, ctypes.byref(value)), f"'{path}' cannot be read")
        with self._loaded.use():
            kind = self._info(var).type
            if kind == 3:
                return lib.sol_text(self._sol(), value.value).decode(errors="replace")
        if math.isnan(value.value) or kind == 0:
            return value.value
        return bool(value.value) if kind == 2 else int(value.value)

    def __setitem__(self, path: str, value: Any) -> None:
        """Sets a parameter, a held variable or a state, as an event would."""
        var = self._find(path)
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise TypeError(f"{path}: a number is wanted, not {type(value).__name__}") from None
        self._move(lambda sol: lib.sol_write(sol, var, number), f"'{path}' cannot be written")

    read = __getitem__
    write = __setitem__

    def __contains__(self, path: object) -> bool:
        try:
            return isinstance(path, str) and bool(self._find(path))
        except KeyError:
            return False

    @property
    def variables(self) -> List[Variable]:
        """Those that exist now."""
        self._move(lib.sol_init, "the start failed")
        found, room = [], ctypes.create_string_buffer(4096)
        with self._loaded.use():
            var = lib.sol_next_var(self._sol(), 0)
            while var:
                info = self._info(var)
                lib.sol_var_path(self._sol(), var, room, len(room))
                kind = ("Real", "Integer", "Boolean", "String")[info.type]
                found.append(Variable(room.value.decode(errors="replace"), kind, info.parameter, info.held, info.state,
                                      info.is_public, info.top))
                var = lib.sol_next_var(self._sol(), var)
        return found

    def __iter__(self) -> Iterator[str]:
        return (variable.path for variable in self.variables)

    @property
    def values(self) -> Dict[str, Any]:
        """All variables that exist now, with their values."""
        return {path: self[path] for path in self}

    @property
    def stats(self) -> Dict[str, float]:
        """What was counted and timed so far, by the names of SolStats in solstice.h."""
        made = header.structs["SolStats"]()
        with self._loaded.use():
            lib.sol_stats(self._sol(), ctypes.byref(made))
        return {name: getattr(made, name) for name, _ in made._fields_}

    # ---- results ----

    @property
    def result(self) -> Result:
        """What was recorded so far."""
        with self._loaded.use(moves=True):
            if not self._recorded:
                raise UsageError("nothing is recorded of this simulation")
            return Result._from_pointer(lib.sol_recorded(self._sol()))

    def finish(self) -> Result:
        """Ends the recording and returns it; a result file has its end then."""
        with self._loaded.use(moves=True):
            if not self._recorded:
                raise UsageError("nothing is recorded of this simulation")
            status = lib.sol_record_end(self._sol())
            if status not in (Status.SOL_OK, Status.SOL_USAGE):
                self._judge(status, "the result could not be written")
            return Result._from_pointer(lib.sol_recorded(self._sol()))

    def _end_quietly(self) -> Optional[Result]:
        try:
            return self.finish()
        except (SolsticeError, OSError, MemoryError):
            return None

    # ---- save, fork ----

    def _ready_to_save(self, what: str) -> None:
        if not self._options.savable and not self._options.editable:
            raise UsageError(f"a simulation that is to {what} is made with savable=True")

    def save(self) -> bytes:
        """Everything that is needed to go on from here, for `restore` of this simulation or of another with the same text and options."""
        self._ready_to_save("be saved")
        pieces: List[bytes] = []

        def write(_: Any, at: int, n: int) -> bool:
            pieces.append(ctypes.string_at(at, n))
            return True

        callback = _SolWrite(write)
        self._move(lambda sol: lib.sol_save(sol, callback, None), "it cannot be saved")
        return b"".join(pieces)

    def restore(self, state: bytes) -> "Simulation":
        """To the point that `save` wrote, its time included. The result keeps what it has and goes on from that point."""
        self._ready_to_save("be restored")
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise TypeError(f"what save() returned is wanted, not {type(state).__name__}")
        content, at = bytes(state), [0]

        def read(_: Any, to: int, n: int) -> bool:
            if at[0] + n > len(content):
                return False
            ctypes.memmove(to, content[at[0]:at[0] + n], n)
            at[0] += n
            return True

        callback = _SolRead(read)
        self._move(lambda sol: lib.sol_back(sol, callback, None), "it is not what save() of such a simulation returned")
        return self

    def fork(self, *, vars: Optional[Sequence[str]] = None, output: Any = None, record: bool = True,
             on_event: Any = None, on_point: Any = None, on_cout: Any = None) -> "Simulation":
        """A second simulation at the same point, which goes on alike; recorded from its next point on."""
        self._ready_to_save("be forked")
        self._move(lib.sol_init, "the start failed")
        with self._loaded.use(moves=True):
            sol = lib.sol_fork(self._sol())
            if not sol:
                self._judge(lib.sol_status(self._sol()) or Status.SOL_MEMORY, "it cannot be forked")
            self._loaded.sims[sol] = self._options
        twin = Simulation(self._release, self._loaded, sol, self._options, on_event, on_point, on_cout)
        twin._begin(vars, output, record)
        return twin

    # ---- edits ----

    def edit(self, edits: Sequence[Tuple[str, str, str, str]]) -> Edited:
        """Several edits together, or none: tuples (kind, at, what, text) with kind "add", "remove", "replace", "assign"."""
        made = (header.structs["SolEdit"] * max(len(edits), 1))()
        for target, (kind, at, what, text) in zip(made, edits):
            if kind not in _KINDS:
                raise ValueError(f"{kind!r} is none of {', '.join(_KINDS)}")
            target.kind, target.scope = _KINDS[kind], utf8(at, "a path")
            target.what, target.text = utf8(what, "what"), utf8(text, "the text of an edit")
        return self._change(lambda sol, edited: lib.sol_edit(sol, len(edits), made, edited))

    def _change(self, call: Callable[[int, Any], int]) -> Edited:
        edited = header.structs["SolEdited"]()
        if not self._options.editable:
            raise UsageError("a simulation that is to be edited is made with editable=True")
        self._move(lib.sol_init, "the start failed")
        with self._loaded.use(moves=True):
            self._loaded.new_messages()
            status = call(self._sol(), ctypes.byref(edited))
            found, text = self._loaded.new_messages()
            if status != Status.SOL_OK and edited.verdict != _VERDICTS.index("refused"):
                self._judge(status, text or "the edit failed")
            if self._raised is not None:
                self._judge(status, "")
        return Edited(_VERDICTS[edited.verdict], edited.edit, edited.entered, edited.removed, edited.visited,
                      edited.microseconds, found, text)

    def add(self, text: str, at: str = "") -> Edited:
        """Enters statements into the instance `at`; the top model is ""."""
        return self.edit([("add", at, "", text)])

    def remove(self, what: str, at: str = "") -> Edited:
        """Takes a statement away ("#3"), all of an edit ("+2"), or a member of the instance `at`."""
        return self.edit([("remove", at, what, "")])

    def replace(self, what: str, text: str, at: str = "") -> Edited:
        """The component `what` becomes one of `text`: "Type{a << 1}"."""
        return self.edit([("replace", at, what, text)])

    def assign(self, what: str, value: Any, at: str = "") -> Edited:
        """A parameter, state or held variable gets a value."""
        return self.edit([("assign", at, what, sol_text(value, what))])

    def undo(self) -> Edited:
        """Takes the last edit that was not undone out again."""
        return self._change(lib.sol_undo)

    def redo(self) -> Edited:
        """Puts what `undo` took out back."""
        return self._change(lib.sol_redo)

    @property
    def complete(self) -> bool:
        """Time can go on; False behind an edit that left variables without an equation."""
        with self._loaded.use():
            return lib.sol_is_complete(self._sol())

    # ---- looking inside ----

    def statements(self, at: str = "") -> List[Statement]:
        """The statements of an instance, with the handles that `remove` takes."""
        self._move(lib.sol_init, "the start failed")
        found: List[Statement] = []

        def each(_: Any, where: Any) -> None:
            s = where.contents
            found.append(Statement(s.handle.decode(), ctypes.string_at(s.text, s.length).decode(errors="replace"), s.edit, s.removed))

        callback = header.functions["sol_statements"][1][2](each)
        with self._loaded.use(moves=True):
            if not lib.sol_statements(self._sol(), utf8(at, "a path"), callback, None):
                raise KeyError(f"there is no instance '{at}' now")
        return found

    def instances(self, at: str = "") -> List[str]:
        """Paths of the instances that exist now: `at` and all in it."""
        self._move(lib.sol_init, "the start failed")
        found: List[str] = []
        callback = header.functions["sol_instances"][1][2](lambda _, path: found.append(path.decode(errors="replace")))
        with self._loaded.use(moves=True):
            lib.sol_instances(self._sol(), utf8(at, "a path"), callback, None)
        return found

    def _text(self, call: Callable[[int, int], int], what: str) -> str:
        with self._loaded.use(moves=True):
            status: List[int] = []
            text = text_of(lambda out: status.append(call(self._sol(), out)))
            self._judge(status[0], what)
            return text

    def why(self, path: str, depth: int = 2, readers: bool = False) -> str:
        """What determines a variable, with values; with `readers`, what follows from it."""
        var = self._find(path)
        return self._text(lambda sol, out: lib.sol_why(sol, var, depth, readers, out), f"nothing is known of '{path}'")

    def flat(self) -> str:
        """Variables with their values, relations and branches that exist now."""
        return self._text(lib.sol_print_flat, "it cannot be shown")

    def graph(self) -> str:
        """The causality graph in the language of dot."""
        return self._text(lib.sol_print_graph, "it cannot be shown")

    def model_text(self) -> str:
        """The text of the model with its edits."""
        pieces: List[bytes] = []

        def write(_: Any, at: int, n: int) -> bool:
            pieces.append(ctypes.string_at(at, n))
            return True

        writing = header.structs["SolWriting"](text=_SolWrite(write))
        self._move(lambda sol: lib.sol_write_model(sol, ctypes.byref(writing)), "a text cannot say it")
        return b"".join(pieces).decode()

    def _repr_html_(self) -> str:
        if self._pointer is None:
            return "<p>Simulation, closed</p>"
        shown = self.variables[:60]
        rows = [[v.path, "parameter" if v.parameter else "state" if v.state else v.type, f"{self[v.path]}"] for v in shown]
        return f"<p>Simulation at time {self.time:.10g}</p>" + html_table(["variable", "kind", "value"], rows)


def _silent(_: Any, __: float, ___: bytes) -> None:
    pass


def _event_of(_: Simulation, at: Any) -> Tuple[Event]:
    e = at.contents
    triggers = tuple(e.triggers[i].decode(errors="replace") for i in range(e.n_triggers))
    return (Event(e.time, triggers, bool(e.structural), e.updates, e.entered, e.removed, e.visited, e.states_before,
                  e.states_after),)


def _point_of(simulation: Simulation, at: Any) -> Tuple[Point]:
    return (Point(simulation, at.contents),)


def _discard(loaded: Loaded, sol: int, release: Callable[[Loaded], None]) -> None:
    """At its end, whoever is there: the library's simulation goes, its SolModel may serve another."""
    loaded.discard_sim(sol)
    if not loaded.sims and not loaded.garbage and os.getpid() == loaded.process:
        release(loaded)
