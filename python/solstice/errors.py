"""What goes wrong, with the program's own messages."""
from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Type

from ._library import header

if TYPE_CHECKING:
    from .result import Result

Status = header.enums["SolStatus"]


class Message(NamedTuple):
    """A message of the program: `severity` is "error", "warning" or "note"."""

    severity: str
    text: str
    file: Optional[str] = None
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return f"{place}{self.severity}: {self.text}"


class SolsticeError(Exception):
    """Base of all errors of this package.

    `messages` are the program's, one by one; the text of the error is what the program would print. `result` has
    what a run that failed had shown until then, or is None.
    """

    def __init__(self, text: str, messages: Optional[List[Message]] = None) -> None:
        super().__init__(text)
        self.messages: List[Message] = messages or []
        self.result: Optional[Result] = None


class ModelError(SolsticeError):
    """The model is wrong: its text, its types, its structure."""


class UsageError(SolsticeError, ValueError):
    """An option, a path or a value is wrong, or a call comes at a wrong time."""


class NumericsError(SolsticeError, ArithmeticError):
    """The numerics failed; the message has time, equation, instance and values."""


class FileError(SolsticeError, OSError):
    """A file cannot be read or written."""


class OutOfMemory(SolsticeError, MemoryError):
    """There was no memory, or not as much as `memory_limit` allows."""


class Cancelled(SolsticeError):
    """`cancel()` ended a run; it stands at a consistent point and may go on."""


class ClosedError(SolsticeError, ValueError):
    """What was closed is used."""


class SolsticeWarning(UserWarning):
    """A warning of the program."""


_KINDS: Dict[int, Type[SolsticeError]] = {
    Status.SOL_MODEL: ModelError,
    Status.SOL_USAGE: UsageError,
    Status.SOL_NUMERICS: NumericsError,
    Status.SOL_IO: FileError,
    Status.SOL_MEMORY: OutOfMemory,
    Status.SOL_CANCELLED: Cancelled,
}


def error_of(status: int, text: str, messages: Optional[List[Message]] = None) -> SolsticeError:
    """The exception that a status stands for."""
    return _KINDS.get(status, SolsticeError)(text, messages)
