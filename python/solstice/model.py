"""Models: text -> something that runs."""
from __future__ import annotations

import ctypes
import os
import re
import threading
import weakref
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple, Union

from ._library import header, lib, texts, utf8
from ._loaded import Loaded
from ._options import make_options
from .errors import ClosedError, Message, OutOfMemory, SolsticeError, Status
from .result import Result
from .simulation import Event, Point, Simulation

_Path = Union[str, "os.PathLike[str]"]


class Model:
    """A text of Sol with its definitions.

    Made by `load` (a file) and `loads` (a string). `run` runs it once and returns a `Result`; `simulate` gives a
    `Simulation` that is advanced, looked at and changed step by step. A model may be used by several threads:
    each run has definitions of its own.
    """

    def __init__(self, path: Optional[_Path] = None, text: Optional[str] = None, model: Optional[str] = None,
                 folders: Sequence[_Path] = (), memory_limit: int = 0) -> None:
        self._arguments = (path, text, model, tuple(folders), memory_limit)
        self._keep = texts([os.fspath(folder) for folder in folders], "a folder")
        load = header.structs["SolLoad"](
            path=None if path is None else utf8(path, "the path of a model"), folders=self._keep, n_folders=len(folders),
            memory_limit=memory_limit)
        if text is not None:
            content = text.encode() if isinstance(text, str) else utf8(text, "the text of a model")
            load.text, load.length = content, len(content)
        self._load = load
        self._designator = None if model is None else utf8(model, "the name of a model")
        self._free: List[Loaded] = []
        self._guard = threading.Lock()
        self._closed = False
        self._finalizer = weakref.finalize(self, _abandon, self._free)
        self._release(self._take())  # a text that is wrong is told here

    # ---- SolModels: one for each simulation that is there at the same time ----

    def _take(self) -> Loaded:
        with self._guard:
            if self._closed:
                raise ClosedError("the model is closed")
            if self._free:
                taken = self._free.pop()
                if taken.process == os.getpid():
                    return taken
        pointer = lib.sol_load(ctypes.byref(self._load))
        if not pointer:
            raise OutOfMemory("no memory for the model")
        loaded = Loaded(pointer)
        try:
            loaded.judge(lib.sol_model_status(pointer), "the text is wrong", 5)
        except SolsticeError:
            loaded.abandon()
            raise
        return loaded

    def _release(self, loaded: Loaded) -> None:
        with self._guard:
            if not self._closed and loaded.is_reusable():
                self._free.append(loaded)
                return
        loaded.abandon()

    # ---- life ----

    def close(self) -> None:
        """Frees its definitions; simulations that are there go on. Otherwise that happens when nobody has it any more."""
        with self._guard:
            self._closed = True
        _abandon(self._free)

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        """Into another process it goes as its file or text, and is read there."""
        return Model, self._arguments

    def __repr__(self) -> str:
        name = (self._designator or b"").decode()
        path = (self._load.path or b"text").decode(errors="replace")
        return f"<Model {path}{':' + name if name else ''}{', closed' if self._closed else ''}>"

    # ---- use ----

    def check(self) -> List[Message]:
        """Checks every definition of the file; returns warnings, raises ModelError."""
        loaded = self._take()
        try:
            with loaded.use() as pointer:
                return loaded.judge(lib.sol_check(pointer), "the model is wrong")
        finally:
            self._release(loaded)

    def simulate(self, stop: Optional[float] = None, *, start: float = 0.0, set: Optional[Mapping[str, Any]] = None,
                 vars: Optional[Sequence[str]] = None, output: Optional[_Path] = None, record: bool = True,
                 model: Optional[str] = None, on_event: Optional[Callable[[Event], Any]] = None,
                 on_point: Optional[Callable[[Point], Any]] = None,
                 on_cout: Optional[Callable[[float, str], Any]] = None, **options: Any) -> Simulation:
        """A simulation at its start time.

        stop, start: last and first time; other options as those of `solstice run`, with underscores: `steps`, `interval`,
        `rtol`, `atol`, `solver="ida"|"auto"|"rk"|"rodas"|"euler"|"inline"`, `engine="jit"|"interp"`, `seed`, `audit`, ...; `savable=True` for
        `save`, `restore` and `fork`, `editable=True` for edits; `sensitivities=[PATH, ...]` for columns `d(x)/d(PATH)`.
        set: paths of parameters, or of variables whose start value is meant, and their values.
        vars: patterns of the variables that are recorded (`*`, `?`); all if None. output: a result file (`.solr`); in
        memory if None. record=False: nothing is recorded.
        on_event, on_point, on_cout: called while it runs; what they raise ends the run and comes out of it.
        """
        designator = self._designator if model is None else utf8(model, "the name of a model")
        made = make_options(dict(options, start=start, stop=stop), set)
        loaded = self._take()
        try:
            with loaded.use(moves=True) as pointer:
                sol = lib.sol_create(pointer, designator, ctypes.byref(made))
                if not sol:
                    loaded.judge(lib.sol_model_status(pointer) or Status.SOL_USAGE, "the simulation cannot be made")
                loaded.sims[sol] = made
        except BaseException:
            self._release(loaded)
            raise
        simulation = Simulation(self._release, loaded, sol, made, on_event, on_point, on_cout)
        try:
            simulation._begin(vars, output, record)
        except BaseException:
            simulation.close()
            raise
        return simulation

    def run(self, stop: Optional[float] = None, **arguments: Any) -> Result:
        """Runs the model from its start to `stop` and returns what it showed. Arguments as those of `simulate`.

        An error has what was shown until then in its attribute `result`."""
        with self.simulate(stop, **arguments) as simulation:
            try:
                simulation.run()
            except SolsticeError as error:
                error.result = simulation._end_quietly()
                raise
            return simulation.finish()


def _abandon(free: List[Loaded]) -> None:
    while free:
        free.pop().abandon()


def _of_library(name: str) -> Tuple[str, Optional[str]]:
    """The file and designator of a model of the library; of anything else, the name itself."""
    room = ctypes.create_string_buffer(4096)
    lib.sol_stdlib(room, len(room))
    file = os.path.join(room.value.decode(errors="replace"), name.split(".")[0] + ".sol")
    known = re.fullmatch(r"[A-Za-z_]\w*(\.\w+)+", name) and room.value and os.path.exists(file)
    return (file, name) if known else (name, None)


def load(path: _Path, model: Optional[str] = None, *, folders: Sequence[_Path] = (), memory_limit: int = 0) -> Model:
    """Reads a file of Sol. `model` is a dotted designator, by default the last model at the top of the file; `folders` are where
    packages are looked for, beside that of the file and the library. A model of the library goes by its designator
    alone: `load("Electric.Examples.Rectifier")`."""
    if model is None and isinstance(path, str) and not os.path.exists(path):
        path, model = _of_library(path)
    return Model(path=path, model=model, folders=folders, memory_limit=memory_limit)


def loads(text: str, model: Optional[str] = None, *, name: str = "text", folders: Sequence[_Path] = (),
          memory_limit: int = 0) -> Model:
    """Reads a text of Sol; `name` is what messages call it."""
    if not isinstance(text, str):
        raise TypeError(f"the text of a model must be a str, not {type(text).__name__}")
    return Model(path=name, text=text, model=model, folders=folders, memory_limit=memory_limit)
