"""What a run has shown: columns, events and modes, read when they are asked for."""
from __future__ import annotations

import ctypes
import fnmatch
import os
import threading
import weakref
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._library import header, lib, utf8
from .errors import ClosedError, FileError, OutOfMemory, Status, error_of
from .table import Table, html_table, need

_TYPES = ("Real", "Integer", "Boolean", "String")
_CHOICES = (None, False, True)
_MANY_ROWS = 1_000_000  # the times of so many rows are read anew each time
_double_p = ctypes.POINTER(ctypes.c_double)


class Column(NamedTuple):
    """What is known of a column beside its values."""

    name: str
    type: str  # "Real", "Integer", "Boolean", "String"
    parameter: bool
    held: bool  # changes at events only
    state: bool
    top: bool
    monitored: bool


class Result:
    """The result of a run, in memory or in a file (`.solr`).

    `result["R.i"]` is a column as a NumPy array, with NaN where the variable does not exist; `result.time` belongs
    to it. At an event there are two rows of the same time, its left and its right side (`result.sides`). Columns are read
    when they are asked for and not kept, so memory stays flat however long the file is. Several at once
    (`result.read([...])`, `result.frame()`) cost one pass through the file.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._open(lib.sol_result_open(utf8(path, "the path of a result")))

    @classmethod
    def _from_pointer(cls, pointer: Optional[int]) -> "Result":
        made = cls.__new__(cls)
        made._open(pointer)
        return made

    @classmethod
    def from_bytes(cls, content: bytes) -> "Result":
        """The content of a result file."""
        return cls._from_pointer(lib.sol_result_open_bytes(bytes(content), len(content)))

    def _open(self, pointer: Optional[int]) -> None:
        if not pointer:
            raise OutOfMemory("no memory for the result")
        self._pointer: Optional[int] = pointer
        self._lock = threading.RLock()
        self._finalizer = weakref.finalize(self, lib.sol_result_close, pointer)
        self._time: Optional[np.ndarray] = None
        info = header.structs["SolResultInfo"]()
        lib.sol_result_info(pointer, ctypes.byref(info))
        self._message = info.message.decode(errors="replace")
        if info.status != Status.SOL_OK:
            self.close()
            raise error_of(info.status, self._message)
        self._rows, self._complete, self._end = info.rows, info.complete, info.end
        self._exit_code, self._ended = info.exit_code, (info.ended or b"").decode(errors="replace")
        self._columns = [self._describe(index) for index in range(info.columns)]
        self._index = {column.name: at for at, column in enumerate(self._columns)}

    def _describe(self, index: int) -> Column:
        c = header.structs["SolColumn"]()
        lib.sol_result_column(self._pointer, index, ctypes.byref(c))
        name = c.path.decode(errors="replace")
        return Column(name, _TYPES[c.type], c.parameter, c.held, c.state, c.top, c.monitored)

    # ---- life ----

    def close(self) -> None:
        """Frees it now; otherwise that happens when nobody has it any more."""
        with self._lock:
            self._pointer = None
            self._finalizer()

    def __enter__(self) -> "Result":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _live(self) -> int:
        if self._pointer is None:
            raise ClosedError("the result is closed")
        return self._pointer

    def __reduce__(self) -> Any:
        return Result.from_bytes, (self.to_bytes(),)

    def to_bytes(self) -> bytes:
        """The content of a result file, of a result in memory."""
        n = ctypes.c_size_t()
        with self._lock:
            at = lib.sol_result_bytes(self._live(), ctypes.byref(n))
            if not at:
                raise FileError("the result is in a file already")
            return ctypes.string_at(at, n.value)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a result in memory to a file (`.solr`) that `solstice plot`, `report` and `convert` read."""
        content = self.to_bytes()
        with open(path, "wb") as file:
            file.write(content)

    # ---- what there is ----

    @property
    def names(self) -> List[str]:
        """Of the columns, in order of their births."""
        return [column.name for column in self._columns]

    keys = names.fget

    @property
    def columns(self) -> List[Column]:
        """Names, types and kinds of the columns."""
        return list(self._columns)

    @property
    def rows(self) -> int:
        return self._rows

    @property
    def complete(self) -> bool:
        """The run has ended and said so; False: it was cut, or still runs."""
        return self._complete

    @property
    def message(self) -> str:
        """Why the result cannot be read to its end, or what the run said at its end; "" when all is well."""
        return self._message or self._ended

    @property
    def exit_code(self) -> int:
        """Of the run, as `solstice run` would have had it; 0: done."""
        return self._exit_code

    @property
    def end(self) -> float:
        """The last time."""
        return self._end

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def match(self, *patterns: str) -> List[str]:
        """Names that fit a pattern: `*` stands for any text, `?` for one character."""
        plain = [pattern.replace("[", "[[]") for pattern in patterns]
        return [n for n in self.names if any(fnmatch.fnmatchcase(n, pattern) for pattern in plain)]

    # ---- values ----

    def _find(self, name: str) -> int:
        if not isinstance(name, str):
            raise TypeError(f"a column has a name, not {type(name).__name__}")
        if name in self._index:
            return self._index[name]
        import difflib

        near = difflib.get_close_matches(name, self.names, 3)
        raise KeyError(f"there is no column '{name}'" + (f"; there is {', '.join(near)}" if near else ""))

    def _fetch(self, names: Sequence[str], start: int, stop: int, times: bool, sides: bool) -> Tuple[Any, Any, List[Any]]:
        indices = [self._find(name) for name in names]
        count = max(stop - start, 0)
        t = np.empty(count) if times else None
        s = np.empty(count, dtype=np.uint8) if sides else None
        values = [np.empty(count) for _ in indices]
        columns = (ctypes.c_uint32 * max(len(indices), 1))(*indices)
        targets = (_double_p * max(len(indices), 1))(*(v.ctypes.data_as(_double_p) for v in values))
        with self._lock:
            status = lib.sol_result_read(
                self._live(), start, count, None if t is None else t.ctypes.data_as(_double_p),
                None if s is None else s.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8)), len(indices), columns, targets,
            )
            if status != Status.SOL_OK:
                raise error_of(status, "the result is not what it was when it was opened")
            shown = [self._shown(index, v) for index, v in zip(indices, values)]
        return t, s, shown

    def _shown(self, index: int, values: np.ndarray) -> np.ndarray:
        """Strings as texts, None where there is none; everything else as numbers."""
        if self._columns[index].type != "String":
            return values
        there = ~np.isnan(values)
        texts = {value: lib.sol_result_text(self._pointer, value).decode(errors="replace") for value in np.unique(values[there])}
        return np.array([texts.get(value) for value in values], dtype=object)

    @property
    def time(self) -> np.ndarray:
        """The time of each row."""
        if self._time is not None:
            return self._time
        time = self._fetch((), 0, self._rows, True, False)[0]
        time.flags.writeable = False
        if self._rows <= _MANY_ROWS:
            self._time = time
        return time

    @property
    def sides(self) -> np.ndarray:
        """Of each row: 0 start, 1 output point, 2 left of an event, 3 right of it, 4 the last point."""
        return self._fetch((), 0, self._rows, False, True)[1]

    def __getitem__(self, name: Union[str, Sequence[str]]) -> Any:
        if isinstance(name, str):
            return self._fetch([name], 0, self._rows, False, False)[2][0]
        if not isinstance(name, (list, tuple)):
            raise TypeError(f"a column has a name, not {type(name).__name__}")
        return self.read(name)

    def read(self, names: Optional[Sequence[str]] = None, start: int = 0, stop: Optional[int] = None) -> Dict[str, np.ndarray]:
        """Columns, rows `start` to `stop` - 1, in one pass: a dictionary of arrays."""
        chosen = self.names if names is None else [names] if isinstance(names, str) else list(names)
        begin, end, _ = slice(start, stop).indices(self._rows)
        return dict(zip(chosen, self._fetch(chosen, begin, end, False, False)[2]))

    def chunks(self, names: Optional[Sequence[str]] = None, rows: int = 65536) -> Iterator[Tuple[np.ndarray, Dict[str, np.ndarray]]]:
        """The whole result piece by piece, in one pass: (times, columns) of up to `rows` rows."""
        chosen = self.names if names is None else list(names)
        if rows < 1:
            raise ValueError("rows must be 1 or more")
        for begin in range(0, self._rows, rows):
            t, _, values = self._fetch(chosen, begin, min(begin + rows, self._rows), True, False)
            yield t, dict(zip(chosen, values))

    def last(self, name: str) -> Any:
        """The value in the last row; NaN where the variable does not exist there."""
        if not self._rows:
            raise KeyError("the result has no rows")
        return self._fetch([name], self._rows - 1, self._rows, False, False)[2][0][0]

    def at(self, name: str, time: Any) -> Any:
        """Values at other times, on the straight line between rows; at an event, behind it."""
        t, _, values = self._fetch([name], 0, self._rows, True, False)
        if values[0].dtype == object:
            raise TypeError(f"'{name}' is a String and has nothing between its rows")
        wanted = np.asarray(time, dtype=float)
        left = np.clip(np.searchsorted(t, wanted, side="right") - 1, 0, max(len(t) - 2, 0))
        right = np.minimum(left + 1, len(t) - 1)
        span = np.where(t[right] > t[left], t[right] - t[left], 1.0)
        part = (wanted - t[left]) / span
        between = values[0][left] + np.where(part > 0, part * (values[0][right] - values[0][left]), 0.0)
        made = np.where((wanted < t[0]) | (wanted > t[-1]), np.nan, between)
        return made if made.ndim else float(made)

    def array(self, names: Optional[Sequence[str]] = None) -> np.ndarray:
        """Columns as one matrix, a row for each point."""
        return np.column_stack(list(self.read(names).values())) if self._rows else np.empty((0, 0))

    def frame(self, names: Optional[Sequence[str]] = None) -> Any:
        """A pandas DataFrame, indexed by time."""
        pandas = need("pandas", "a DataFrame")
        chosen = self.names if names is None else [names] if isinstance(names, str) else list(names)
        t, _, values = self._fetch(chosen, 0, self._rows, True, False)
        return pandas.DataFrame(dict(zip(chosen, values)), index=pandas.Index(t, name="time"))

    @property
    def parameters(self) -> Dict[str, Any]:
        """Parameters and their last values."""
        names = [column.name for column in self._columns if column.parameter]
        if not names or not self._rows:
            return {}
        values = self._fetch(names, self._rows - 1, self._rows, False, False)[2]
        return {name: value[0] for name, value in zip(names, values)}

    # ---- events, modes, notes ----

    def _visit(self, **wanted: Any) -> None:
        kinds = dict(header.structs["SolVisit"]._fields_)
        visit = header.structs["SolVisit"](**{name: kinds[name](function) for name, function in wanted.items()})
        with self._lock:
            status = lib.sol_result_visit(self._live(), ctypes.byref(visit))
        if status != Status.SOL_OK:
            raise error_of(status, "the result cannot be read")

    @property
    def header(self) -> Dict[str, str]:
        """What the result says of its run: `model`, `file`, `program`, `options`, ..."""
        found: Dict[str, str] = {}
        self._visit(header=lambda _, key, value: found.__setitem__(key.decode(errors="replace"), value.decode(errors="replace")))
        return found

    @property
    def events(self) -> Table:
        """A row for each event: its time, what fired, and what it did to the structure."""
        fields = ("updates", "entered", "removed", "visited", "states_before", "states_after", "loops_before", "loops_after")
        rows: List[Tuple[Any, ...]] = []

        def event(_: Any, at: Any) -> None:
            e = at.contents
            triggers = tuple(e.triggers[i].decode(errors="replace") for i in range(e.n_triggers))
            rows.append((e.time, triggers, bool(e.structural), *(getattr(e, field) for field in fields)))

        self._visit(event=event)
        return _table(("time", "triggers", "structural", *fields), rows)

    @property
    def modes(self) -> Table:
        """A row for each choice of an `if`: True `then`, False `else`, None gone with its instance."""
        rows: List[Tuple[Any, ...]] = []

        def mode(_: Any, time: float, at: Any) -> None:
            m = at.contents
            rows.append((time, (m.path or b"").decode(), (m.condition or b"").decode(), _CHOICES[m.choice]))

        self._visit(mode=mode)
        return _table(("time", "path", "condition", "choice"), rows)

    @property
    def notes(self) -> Table:
        """What `cout` showed."""
        rows: List[Tuple[Any, ...]] = []
        self._visit(note=lambda _, time, text: rows.append((time, text.decode(errors="replace"))))
        return _table(("time", "text"), rows)

    # ---- for people ----

    def plot(self, *names: str, axes: Any = None, events: bool = True, **style: Any) -> Any:
        """Curves over time with matplotlib, gaps where a variable does not exist, thin lines at events. Names may have `*` and `?`."""
        pyplot = need("matplotlib.pyplot", "a plot")
        chosen = [n for name in names for n in (self.match(name) or [self.names[self._find(name)]])] if names else self._curves()
        if axes is None:
            _, axes = pyplot.subplots()
        t, _, values = self._fetch(chosen, 0, self._rows, True, False)
        for name, value in zip(chosen, values):
            if value.dtype != object:
                axes.plot(t, value, label=name, **style)
        for row in self.events if events else ():
            axes.axvline(row["time"], color="0.8", linewidth=0.5 if row["structural"] else 0.25, zorder=0)
        axes.set_xlabel("time")
        axes.legend()
        return axes

    def _curves(self) -> List[str]:
        main = [c.name for c in self._columns if not c.parameter and c.type == "Real"]
        tops = [c.name for c in self._columns if c.top and not c.parameter and c.type == "Real"]
        return (tops or main)[:8]

    def __repr__(self) -> str:
        if self._pointer is None:
            return "<Result, closed>"
        return f"<Result of {len(self._columns)} columns, {self._rows} rows, to time {self._end:.10g}{self._how()}>"

    def _how(self) -> str:
        return "" if self._complete and not self.message else f": {self.message or 'not ended'}"

    def _repr_html_(self) -> str:
        if self._pointer is None:
            return "<p>Result, closed</p>"
        import html

        shown = [c for c in self._columns if c.type != "String"][:40]
        rows = []
        for column, values in zip(shown, self._fetch([c.name for c in shown], 0, self._rows, False, False)[2]):
            there = values[~np.isnan(values)]
            numbers = [there.min(), there.max(), there[-1]] if there.size else []
            kind = "parameter" if column.parameter else "state" if column.state else column.type
            rows.append([column.name, kind, *(f"{x:.6g}" for x in numbers), *([""] * (3 - len(numbers)))])
        more = f"<p>and {len(self._columns) - len(shown)} more columns</p>" if len(shown) < len(self._columns) else ""
        return f"<p>{html.escape(repr(self)[1:-1])}</p>" + html_table(["variable", "kind", "min", "max", "last"], rows) + more

    def _ipython_key_completions_(self) -> List[str]:
        return self.names


def _table(names: Sequence[str], rows: List[Tuple[Any, ...]]) -> Table:
    columns: Dict[str, Any] = {name: list(column) for name, column in zip(names, zip(*rows))} if rows else {n: [] for n in names}
    for name in columns:
        if name not in ("triggers", "path", "condition", "choice", "text", "structural"):
            columns[name] = np.array(columns[name], dtype=float if name == "time" else np.int64)
    return Table(columns)
