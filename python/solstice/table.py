"""Small tables (events, modes) that work without pandas."""
from __future__ import annotations

import html
from typing import Any, Dict, Iterator, List, Mapping, Union

import numpy as np


class Table:
    """Named columns of equal length. `table["time"]` is a column, `table[3]` a row, `table.frame()` a DataFrame."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns: Dict[str, Any] = dict(columns)

    @property
    def columns(self) -> List[str]:
        return list(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()))) if self._columns else 0

    def __getitem__(self, key: Union[str, int]) -> Any:
        if isinstance(key, str):
            return self._columns[key]
        at = range(len(self))[key]
        return {name: column[at] for name, column in self._columns.items()}

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return (self[at] for at in range(len(self)))

    def frame(self) -> Any:
        """As a pandas DataFrame."""
        return need("pandas", "a DataFrame").DataFrame(self._columns)

    def __repr__(self) -> str:
        lines = ["  ".join(self._columns)]
        lines += ["  ".join(_cell(value) for value in row.values()) for row in _some(self)]
        if len(self) > _SHOWN:
            lines.append(f"... {len(self)} rows")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [[_cell(value) for value in row.values()] for row in _some(self)]
        note = f"<p>{len(self)} rows, the first {_SHOWN} are shown</p>" if len(self) > _SHOWN else ""
        return html_table(self.columns, rows) + note


_SHOWN = 60


def _some(table: Table) -> Iterator[Dict[str, Any]]:
    return (table[at] for at in range(min(len(table), _SHOWN)))


def _cell(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.10g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(str(part) for part in value)
    return str(value)


def html_table(names: List[str], rows: List[List[str]]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def need(module: str, what: str) -> Any:
    """A package that is used when it is there."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.split(".")[0]
        raise ImportError(f"{what} needs {name}: on Debian, apt install python3-{name}") from None
