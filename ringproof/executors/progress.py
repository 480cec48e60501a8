"""How far a check is, on stderr: one line that changes on a terminal, elsewhere a line once in a while."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Literal

Form = Literal["bar", "lines", "none"]
WIDTH = 24
FIRST, TICK, EVERY = 1.0, 0.25, 10.0  # seconds: until the first bar, between looks, between two lines


def form_here() -> Form:
    """What suits this process's stderr."""
    if sys.stderr is None:
        return "none"
    return "bar" if sys.stderr.isatty() else "lines"


class Progress:
    """What is said about ``files`` files while they are checked."""

    def __init__(self, files: int, form: Form) -> None:
        self.files, self.form, self.done = files, form, 0
        self.began = monotonic()
        self.next = self.began + (FIRST if form == "bar" else EVERY)
        self.state = ("", 0, files, "file")
        self.shown = False
        self.turn = threading.RLock()
        self.over = threading.Event()
        if form == "lines" or (form == "bar" and files > 1):  # the first of them may take long
            threading.Thread(target=self._look, daemon=True).start()

    def size(self, path: str, done: int, total: int) -> None:
        """Sizes of one file that is checked here."""
        part = f"[{self.done + 1}/{self.files}] " if self.files > 1 else ""
        self._be(f"{part}{path}", done, total, "size")

    def file(self, path: str) -> None:
        """One more file is done."""
        self.done += 1
        self._be(path, self.done, self.files, "file")

    @contextmanager
    def aside(self) -> Iterator[None]:
        """A while in which something else is printed: that something happens is seen then."""
        with self.turn:
            self._wipe()
            yield
            self.next = max(self.next, monotonic() + (TICK if self.form == "bar" else EVERY))

    def close(self) -> None:
        """Leave the terminal as it was, and say no more."""
        self.over.set()
        with self.turn:
            self._wipe()

    def _look(self) -> None:
        while not self.over.wait(TICK):
            self._show()

    def _be(self, words: str, done: int, total: int, noun: str) -> None:
        self.state = (words, done, total, noun)
        if self.form == "bar":
            self._show()

    def _show(self) -> None:
        with self.turn:
            now = monotonic()
            if self.over.is_set() or now < self.next:
                return
            words, done, total, noun = self.state
            if self.form == "bar":
                filled = WIDTH * done // max(total, 1)
                bar = "#" * filled + "." * (WIDTH - filled)
                self.shown, self.next = True, now + 0.1
                self._write(f"\r\x1b[K{words}  {bar}  {done}/{total}")
            else:
                about = f"{words}: " if noun == "size" else ""
                self.next = now + EVERY
                self._write(f"after {now - self.began:.0f} s: {about}{done} of {total} {noun}s checked\n")

    def _wipe(self) -> None:
        if self.shown:
            self.shown = False
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):
            self.over.set()  # nobody is there to read it
