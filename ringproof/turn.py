"""Whose turn it is to use Z3: in one process it works for one thread at a time.

Two threads that make terms in its one context end the process, or get an answer to another question.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from ringproof.errors import RingproofError

P = ParamSpec("P")
T = TypeVar("T")


class ForkedError(RingproofError, RuntimeError):
    """A process in which Z3 stands still half way: it was forked while another thread was at work in it."""


class _Turn:
    """A lock that whoever has it may take again."""

    def __init__(self) -> None:
        self.swallowed = False  # an interrupt, by a finalizer, in which nothing can be raised
        self.lock = threading.RLock()
        self.others = False  # at a fork, whether another thread had its turn
        self.half_way = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._fork, after_in_child=self._forked)

    def _fork(self) -> None:
        mine = self.lock.acquire(blocking=False)
        if mine:
            self.lock.release()
        self.others = not mine

    def _forked(self) -> None:
        self.lock = threading.RLock()
        self.half_way = self.half_way or self.others

    def go_on(self) -> None:
        """Nothing, unless an interrupt was swallowed; errors: `KeyboardInterrupt`."""
        if self.swallowed:
            self.swallowed = False
            raise KeyboardInterrupt

    @contextmanager
    def taken(self) -> Iterator[None]:
        """A while in which nobody else has it, and in which is listened to what finalizers swallow."""
        if self.half_way:
            raise ForkedError("this process was forked while another thread of its parent checked, and "
                              "cannot use Z3; begin it in another way, such as spawn")  # fmt: skip
        with self.lock:
            told_before, self.swallowed = sys.unraisablehook, False
            sys.unraisablehook = lambda what: self._tell(what, told_before)
            try:
                yield
            finally:
                sys.unraisablehook = told_before

    def _tell(self, what: Any, told_before: Callable[[Any], object]) -> None:
        if issubclass(what.exc_type, KeyboardInterrupt):
            self.swallowed = True
        else:
            told_before(what)


_TURN = _Turn()


def in_turn(work: Callable[P, T]) -> Callable[P, T]:
    """The same work, for which threads of one process wait for each other.

    Z3 is let go by finalizers, and an interrupt that comes in one is raised here or by `go_on`.  Errors:
    `ForkedError`.
    """

    @wraps(work)
    def waiting(*given: P.args, **named: P.kwargs) -> T:
        with _TURN.taken():
            found = work(*given, **named)
            _TURN.go_on()
            return found

    return waiting


def go_on() -> None:
    """Nothing, unless somebody has interrupted and nobody heard it; errors: `KeyboardInterrupt`."""
    _TURN.go_on()
