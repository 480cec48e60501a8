"""Whose turn it is to use Z3: in one process it works for one thread at a time.

Two threads that make terms in its one context end the process, or get an answer to another question.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Turn:
    """A lock that whoever has it may take again; in a process that was forked meanwhile it is free."""

    def __init__(self) -> None:
        self._free()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._free)

    def _free(self) -> None:
        self.lock = threading.RLock()


_TURN = _Turn()


def in_turn(work: Callable[P, T]) -> Callable[P, T]:
    """The same work, for which threads of one process wait for each other."""

    @wraps(work)
    def waiting(*given: P.args, **named: P.kwargs) -> T:
        with _TURN.lock:
            return work(*given, **named)

    return waiting
