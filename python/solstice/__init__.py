"""Solstice: models of equations whose structure changes while they run.

    import solstice
    model = solstice.load("diode.sol")
    result = model.run(stop=0.1, set={"C": 1e-3})
    result["uC"], result.time, result.events

`docs/python.md` shows what there is.
"""
from ._library import version as __version__
from .errors import (
    Cancelled,
    ClosedError,
    FileError,
    Message,
    ModelError,
    NumericsError,
    OutOfMemory,
    SolsticeError,
    SolsticeWarning,
    UsageError,
)
from .model import Model, load, loads
from .result import Column, Result
from .simulation import Edited, Event, Point, Simulation, Statement, Variable
from .table import Table

open_result = Result

__all__ = [
    "Cancelled", "ClosedError", "Column", "Edited", "Event", "FileError", "Message", "Model", "ModelError",
    "NumericsError", "OutOfMemory", "Point", "Result", "Simulation", "SolsticeError", "SolsticeWarning", "Statement",
    "Table", "UsageError", "Variable", "load", "loads", "open_result", "__version__",
]
