"""How far a check is: one line on a terminal's stderr, from the second second on."""

from __future__ import annotations

import sys
import threading
from time import monotonic

WIDTH = 24


class Progress:
    """The line about ``files`` files; nothing where stderr is no terminal."""

    def __init__(self, files: int) -> None:
        self.files, self.done = files, 0
        self.shown = False
        self.next = monotonic() + 1.0
        self.live = sys.stderr is not None and sys.stderr.isatty()
        self.line = ("", 0, files)
        self.over = threading.Event()
        if self.live and files > 1:  # the first of them may take long
            threading.Thread(target=self._tick, daemon=True).start()

    def _tick(self) -> None:
        while not self.over.wait(0.25):
            self._show(*self.line)

    def size(self, path: str, done: int, total: int) -> None:
        """Sizes of one file that is checked here."""
        part = f"[{self.done + 1}/{self.files}] " if self.files > 1 else ""
        self._show(f"{part}{path}", done, total)

    def file(self, path: str) -> None:
        """One more file is done."""
        self.done += 1
        self._show(path, self.done, self.files)

    def _show(self, words: str, done: int, total: int) -> None:
        self.line = (words, done, total)
        if not self.live or (now := monotonic()) < self.next:
            return
        self.next, self.shown = now + 0.1, True
        filled = WIDTH * done // max(total, 1)
        bar = "#" * filled + "." * (WIDTH - filled)
        sys.stderr.write(f"\r\x1b[K{words}  {bar}  {done}/{total}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Leave the terminal as it was."""
        self.over.set()
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
