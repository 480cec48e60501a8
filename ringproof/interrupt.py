"""Ctrl-C ends the process at once, whatever is at work; what is done may be told before."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

from ringproof.verdict import Exit

PATIENCE = 10.0  # seconds, for last words that nobody reads


class _Waiter(threading.Thread):
    """Waits for an interrupt, and for nothing else; ``turn`` is its for good once one has come."""

    def __init__(self) -> None:
        super().__init__(name="interrupt", daemon=True)
        self.turn = threading.Lock()
        self.last_words: Callable[[], None] | None = None

    def run(self) -> None:
        signal.sigwait({signal.SIGINT})
        self.turn.acquire()
        try:
            clear = "\r\x1b[K" if os.isatty(2) else ""
            _aside(f"{clear}interrupted\n")
            if self.last_words is not None:
                _spoken(self.last_words)
            _end_children()
        finally:  # whatever comes between: an interrupt that nobody hears would let the check go on
            os._exit(Exit.INTERRUPTED)  # before anyone here wonders what became of the children


def leave_at_once() -> None:
    """From here on an interrupt ends this process and its children, with exit code 130.

    Z3 takes an interrupt for the end of one query, and a finalizer that ctypes calls swallows it; the
    check would go on as if nothing had been asked.  So the signal is blocked in every thread but one,
    which does nothing else than wait for it.  Where it is ignored, as below `nohup`, it stays ignored.
    """
    if not hasattr(signal, "pthread_sigmask") or signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    _Waiter().start()


@contextmanager
def last_words(say: Callable[[], None]) -> Iterator[None]:
    """Within this an interrupt has ``say`` told first, in a thread of its own, beside what is at work.

    A second interrupt, or `PATIENCE` seconds, ends the process whether it is told or not.  Whoever
    comes out of this prints alone: an interrupt that came before lets nobody out.  What is printed
    within this ``say`` has to wait for, or to stop.
    """
    waiter = next((t for t in threading.enumerate() if isinstance(t, _Waiter)), None)
    if waiter is None:  # Python raises KeyboardInterrupt
        try:
            yield
        except KeyboardInterrupt:
            say()
            raise
        return
    waiter.last_words = say
    try:
        yield
    finally:
        with waiter.turn:
            waiter.last_words = None


def _end_children() -> None:
    children = getattr(sys.modules.get("multiprocessing"), "active_children", None)  # none: half imported
    for child in children() if children else ():
        with suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)


def _spoken(say: Callable[[], None]) -> None:
    speaker = threading.Thread(target=say, daemon=True)
    speaker.start()
    until = monotonic() + PATIENCE
    while speaker.is_alive() and monotonic() < until:
        if not hasattr(signal, "sigtimedwait"):
            speaker.join(PATIENCE)
        elif signal.sigtimedwait({signal.SIGINT}, 0.02):
            return


def _aside(text: str) -> None:
    try:
        os.write(2, text.encode())
    except OSError:
        return  # nobody is there to read it
