"""One SolModel of the library and the simulations in it: who may touch it, and when it is freed.

A SolModel and its simulations are used by one thread at a time, so each has a lock. What is freed by the garbage
collector is only noted: the collector runs anywhere, also in a callback of a simulation of the same SolModel.
"""
from __future__ import annotations

import collections
import contextlib
import ctypes
import os
import signal
import threading
import warnings
from typing import Any, Callable, Deque, Dict, Iterator, List, Optional, Tuple

from ._library import header, lib, text_of
from .errors import Message, SolsticeWarning, Status, UsageError, error_of

_SEVERITIES = ("error", "warning", "note")
_MANY_MESSAGES = 1000  # of one SolModel; beyond, it is loaded anew rather than used again


class Loaded:
    """A SolModel. `sims` keeps what its simulations need alive, by the address of each."""

    def __init__(self, pointer: int) -> None:
        self.pointer: Optional[int] = pointer
        self.lock = threading.RLock()
        self.moving = False  # a call that moves a simulation is in progress, perhaps in a callback
        self.failed = False  # messages have errors: not used again for other runs
        self.sims: Dict[int, Any] = {}
        self.garbage: Deque[int] = collections.deque()
        self.abandoned = False
        self.seen = 0  # messages told so far
        self.process = os.getpid()

    # ---- use ----

    @contextlib.contextmanager
    def use(self, moves: bool = False) -> Iterator[int]:
        """The pointer, for this thread alone. What moves must not come from a callback."""
        if os.getpid() != self.process:
            raise UsageError("the model was loaded before this process was forked: load it again here")
        with self.lock:
            if self.moving and moves:
                raise UsageError("a callback may look at its simulation, but not move, change or close it")
            self._sweep()
            if self.pointer is None:
                raise UsageError("the model is closed")
            before, self.moving = self.moving, self.moving or moves
            try:
                yield self.pointer
            finally:
                self.moving = before
                self._sweep()

    # ---- the end ----

    def close_sim(self, pointer: int) -> None:
        with self.lock:
            if self.sims.pop(pointer, None) is not None and self.pointer is not None:
                lib.sol_close(pointer)

    def discard_sim(self, pointer: int) -> None:
        """From a finalizer: at once where nobody is in the way, otherwise when the SolModel is used next."""
        self.garbage.append(pointer)
        self._sweep_if_free()

    def abandon(self) -> None:
        """Nobody will use it any more; from a finalizer too."""
        self.abandoned = True
        self._sweep_if_free()

    def _sweep_if_free(self) -> None:
        if os.getpid() == self.process and self.lock.acquire(blocking=False):
            try:
                self._sweep()
            finally:
                self.lock.release()

    def _sweep(self) -> None:
        if self.moving:
            return
        while self.garbage:
            self.close_sim(self.garbage.popleft())
        if self.abandoned and self.pointer is not None:
            pointer, self.pointer = self.pointer, None
            self.sims.clear()
            lib.sol_unload(pointer)

    # ---- messages ----

    def new_messages(self) -> Tuple[List[Message], str]:
        """Those that nobody has seen yet, and what the program prints of them."""
        first, found = self.seen, []
        message = header.structs["SolMessage"]()
        self.seen = lib.sol_message_count(self.pointer)
        if self.seen == first:
            return [], ""
        for index in range(first, self.seen):
            lib.sol_message(self.pointer, index, ctypes.byref(message))
            file = message.file.decode(errors="replace") if message.file else None
            text = (message.text or b"").decode(errors="replace")
            found.append(Message(_SEVERITIES[message.severity], text, file, message.line, message.column))
        self.failed = self.failed or any(m.severity == "error" for m in found)
        printed = text_of(lambda out: lib.sol_print_messages(self.pointer, first, out, False))
        return found, printed.rstrip("\n")

    def judge(self, status: int, otherwise: str, level: int = 4) -> List[Message]:
        """Raises what the status stands for; otherwise gives warnings and returns the new messages."""
        found, printed = self.new_messages()
        if status != Status.SOL_OK:
            raise error_of(status, printed or otherwise, found)
        for m in found:
            if m.severity == "warning":
                warnings.warn(str(m), SolsticeWarning, stacklevel=level)
        return found

    def is_reusable(self) -> bool:
        return not (self.failed or self.abandoned or self.sims or self.garbage or self.seen > _MANY_MESSAGES)


# ---- Ctrl-C ----


class _Watch:
    """Ctrl-C while the main thread is inside the library: a byte in a pipe wakes a thread that cancels the run.

    The interpreter runs its own handler when the call has returned, which raises KeyboardInterrupt."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.cancel: Optional[Callable[[], None]] = None
        self.out, self.into = os.pipe()
        os.set_blocking(self.into, False)
        threading.Thread(target=self._wait, name="solstice-signals", daemon=True).start()

    def _wait(self) -> None:
        while os.read(self.out, 1):
            cancel = self.cancel
            if cancel:
                cancel()


_watch: Optional[_Watch] = None


@contextlib.contextmanager
def interruptible(cancel: Callable[[], None]) -> Iterator[None]:
    """While it lasts, signals to the main thread call `cancel` in another."""
    global _watch
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if _watch is None or _watch.process != os.getpid():
        _watch = _Watch()
    before = signal.set_wakeup_fd(_watch.into, warn_on_full_buffer=False)
    outer, _watch.cancel = _watch.cancel, cancel
    try:
        yield
    finally:
        _watch.cancel = outer
        signal.set_wakeup_fd(before)
