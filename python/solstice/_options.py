"""Keyword arguments -> SolOptions, with what they point to; values -> texts of Sol."""
from __future__ import annotations

import ctypes
import difflib
import math
from typing import Any, Dict, Mapping, Optional

from ._library import header, texts, utf8

_SolOptions = header.structs["SolOptions"]
_SolSet = header.structs["SolSet"]
_FIELDS = dict(_SolOptions._fields_)
_ENUMS = {"solver": "SolSolver", "method": "SolMethod", "form": "SolForm", "linear": "SolLinear", "engine": "SolEngine"}
_OWN = {"sets", "n_sets", "n_monitored", "n_sensitivities", "trace_to", "trace"}  # not for keyword arguments


def sol_text(value: Any, path: str = "the value") -> str:
    """A value as it is written in Sol."""
    if isinstance(value, str):
        if '"' in value or "\n" in value:
            raise ValueError(f"{path}: a String of Sol has no quotation marks and no line ends")
        return f'"{value}"'
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):  # NumPy's too
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{path}: a number, True, False or a text is wanted, not {type(value).__name__}") from None
    if not math.isfinite(number):
        raise ValueError(f"{path}: {number} is no value of Sol")
    integer = hasattr(value, "dtype") and value.dtype.kind in "iu"
    return str(int(value)) if integer else repr(number)


def _choice(name: str, value: Any) -> int:
    members = header.enums[_ENUMS[name]].__members__
    labels = {"-".join(label.split("_")[2:]).lower(): int(member) for label, member in members.items()}
    if value not in labels:
        raise ValueError(f"{name}: {value!r} is none of {', '.join(sorted(labels))}")
    return labels[value]


def _number(name: str, kind: Any, value: Any) -> Any:
    if kind is ctypes.c_bool:
        return bool(value)
    if kind is ctypes.c_double:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise TypeError(f"{name} must be a number, not {type(value).__name__}") from None
    try:
        whole = value.__index__()
    except AttributeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None
    if whole < 0 or whole >= 1 << (8 * ctypes.sizeof(kind)):
        raise ValueError(f"{name}: {whole} is out of range")
    return whole


def _fill(options: Any, name: str, value: Any) -> None:
    if name not in _FIELDS or name in _OWN:
        near = difflib.get_close_matches(name, [f for f in _FIELDS if f not in _OWN], 1)
        hint = f": did you mean {near[0]}?" if near else ""
        raise TypeError(f"there is no option '{name}'{hint}")
    if name in ("monitored", "sensitivities"):
        setattr(options, name, texts(value, name))
        setattr(options, "n_" + name, len(value) if not isinstance(value, str) else 1)
    elif name in _ENUMS:
        setattr(options, name, _choice(name, value))
    elif _FIELDS[name] is ctypes.c_char_p:
        setattr(options, name, utf8(value, name))
    else:
        setattr(options, name, _number(name, _FIELDS[name], value))


def make_options(values: Mapping[str, Any], set: Optional[Mapping[str, Any]]) -> Any:
    """A SolOptions; ctypes keeps alive what it points to."""
    options = _SolOptions()
    if values.get("method") is not None and values.get("solver") != "inline":
        raise ValueError("method: it is for solver='inline'")
    for name, value in values.items():
        if value is not None:
            _fill(options, name, value)
    start = options.start
    if values.get("stop") is None:
        options.stop = start + 1
    if set is not None and not isinstance(set, Mapping):
        raise TypeError("set wants a dictionary: paths and their values")
    pairs: Dict[str, Any] = dict(set or {})
    sets = (_SolSet * max(len(pairs), 1))()
    for at, (path, value) in enumerate(pairs.items()):
        sets[at].path = utf8(path, "a path of set")
        sets[at].value = utf8(sol_text(value, path), path)
    options.sets, options.n_sets = sets, len(pairs)
    return options
