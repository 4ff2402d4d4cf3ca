"""libsolstice, found and loaded once per process; texts that it writes to a FILE."""
from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any, Callable, List

from ._header import Header

_HERE = Path(__file__).resolve().parent


def _header_text() -> str:
    for place in (_HERE / "solstice.h", _HERE.parent.parent / "runtime" / "solstice.h"):
        if place.is_file():
            return place.read_text()
    raise ImportError("solstice.h is missing beside the package: install it with `make install`")


def _candidates() -> List[str]:
    named = os.environ.get("SOLSTICE_LIBRARY")
    if named:
        return [named]
    try:
        from . import _place  # written by `make install`

        return [str((_HERE / _place.LIBRARY).resolve())]
    except ImportError:
        pass
    return [str(_HERE.parent.parent / "build" / "libsolstice.so"), "libsolstice.so.0"]


def _load() -> ctypes.CDLL:
    reasons = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)  # a call releases the interpreter's lock until it returns
        except OSError as error:
            reasons.append(str(error))
    raise ImportError(
        "libsolstice.so cannot be loaded (the environment variable SOLSTICE_LIBRARY may name it): " + "; ".join(reasons)
    )


header = Header(_header_text())
lib = _load()
for _name, (_result, _arguments) in header.functions.items():
    try:
        _function = getattr(lib, _name)
    except AttributeError:
        raise ImportError(f"libsolstice.so has no {_name}: library and package are of different versions") from None
    _function.restype, _function.argtypes = _result, _arguments

version: str = lib.sol_version().decode()

_libc = ctypes.CDLL(None)
_libc.open_memstream.restype = ctypes.c_void_p
_libc.open_memstream.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t)]
_libc.fclose.argtypes = [ctypes.c_void_p]
_libc.free.argtypes = [ctypes.c_void_p]


def text_of(write: Callable[[int], Any]) -> str:
    """What `write`, given a C FILE, writes to it."""
    at, n = ctypes.c_void_p(), ctypes.c_size_t()
    out = _libc.open_memstream(ctypes.byref(at), ctypes.byref(n))
    if not out:
        raise MemoryError("no memory for a text")
    try:
        write(out)
    finally:
        _libc.fclose(out)
        text = ctypes.string_at(at.value, n.value).decode(errors="replace") if at.value else ""
        _libc.free(at)
    return text


def utf8(text: Any, what: str) -> bytes:
    """A text for C: no text, or one with a zero in it, is an error in words."""
    if isinstance(text, os.PathLike):
        text = os.fspath(text)
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"{what} must be a text, not {type(text).__name__}")
    made = text.encode() if isinstance(text, str) else text
    if b"\0" in made:
        raise ValueError(f"{what} must not contain a zero character")
    return made


def texts(values: Any, what: str) -> Any:
    """An array of texts for C, or NULL."""
    if isinstance(values, (str, bytes)):
        values = [values]
    made = [utf8(value, what) for value in values or ()]
    return (ctypes.c_char_p * len(made))(*made) if made else None
