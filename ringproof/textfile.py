"""A text file: reading it whole, and counting its lines and columns."""

from __future__ import annotations

import difflib
import os
import shlex
import sys
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from ringproof.verdict import Finding, Label, Spot, TableError

LARGEST = 4 * 1024 * 1024
LARGEST_PROGRAM = 32 * 1024 * 1024
STDIN = "<stdin>"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text: lines and columns count from 1, columns in characters, end half-open."""

    line: int
    column: int
    end_line: int
    end_column: int


class SourceError(TableError):
    """A file that is no table: what it is called, and as much of its text as can be shown."""

    def __init__(self, path: str, finding: Finding, text: str = "") -> None:
        super().__init__((finding,))
        self.path, self.text = path, text

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.path, self.findings, self.text)


def _again(path: str, findings: tuple[Finding, ...], text: str) -> SourceError:
    made = SourceError(path, findings[0], text)
    made.findings = findings
    return made


def read_text(path: str, largest: int = LARGEST) -> tuple[str, str]:
    """Read a text file, or standard input when the path is ``-``: how to call it, and its text.

    Raises ``SourceError`` with RP001 (cannot be read), RP002 (not UTF-8) or RP005 (over ``largest`` bytes).
    """
    called = STDIN if path == "-" else path
    try:
        raw = _bytes(path, largest)
    except (OSError, ValueError) as error:
        raise SourceError(called, _unreadable(path, error)) from None
    if len(raw) > largest:
        raise SourceError(called, too_large(largest))
    utf16 = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    try:
        return called, raw.decode("utf-8")
    except UnicodeDecodeError as error:
        text = raw.decode("utf-8", "replace").replace("\r\n", "\n")
        before = raw[: error.start].decode("utf-8")
        spot = Spot(before.count("\n") + 1, len(before) - before.rfind("\n"))
        label = Label(spot, f"the byte 0x{raw[error.start]:02x} begins no UTF-8 character")
    hint = "the file is in UTF-16; save it as UTF-8" if utf16 else "save the file as UTF-8"
    finding = Finding("RP002", "the file is not UTF-8", primary=label, helps=(hint,))
    raise SourceError(called, finding, text)


def in_shell(path: str) -> str:
    """A path as a command has it that somebody copies: quoted, and ``-`` for standard input."""
    if path.startswith("<") and path.endswith(">"):
        return "-" if path == STDIN else path  # what was built in Python is no file
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def too_large(largest: int) -> Finding:
    """A file of more bytes than any of its kind."""
    hint = "a schedule of this size is better written as rows than as a list of sends"
    title = f"the file is larger than {largest >> 20} MiB"
    return Finding("RP005", title, helps=(hint,) if largest == LARGEST else ())


def _bytes(path: str, largest: int) -> bytes:
    if path != "-":
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > largest:  # it is not read at all
                raise SourceError(path, too_large(largest))
            return file.read(largest + 1)
    if sys.stdin is None:
        raise OSError("standard input is closed")
    return sys.stdin.buffer.read(largest + 1)


def _unreadable(path: str, error: Exception) -> Finding:
    helps: tuple[str, ...] = ()
    if isinstance(error, FileNotFoundError) and os.path.islink(path):
        reason = "it is a link to a file that is not there"
    elif isinstance(error, FileNotFoundError):
        reason = "there is no such file"
        helps = tuple(f"did you mean `{other}`?" for other in _near(path))
    elif isinstance(error, IsADirectoryError):
        reason = "it is a folder; one file belongs here"
    elif isinstance(error, PermissionError):
        reason = "you have no permission to read it"
    else:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
    subject = "standard input" if path == "-" else "the file"
    return Finding("RP001", f"cannot read {subject}: {reason}", helps=helps)


def _near(path: str) -> list[str]:
    """A table of nearly this name, in this folder or in one of nearly its name."""
    folder, name = os.path.split(path)
    if folder and not os.path.isdir(folder):
        parent, last = os.path.split(folder)
        folders = [n for n in _names_in(parent) if os.path.isdir(os.path.join(parent, n))]
        found = difflib.get_close_matches(last, folders, 1)
        if not found:
            return []
        folder = os.path.join(parent, found[0])
    tables = [n for n in _names_in(folder) if n.endswith((".toml", ".xml"))]
    return [os.path.join(folder, n) for n in difflib.get_close_matches(name, tables, 1)]


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder or "."))
    except OSError:
        return []


class Offsets:
    """Byte ranges to character ranges to lines and columns, for one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.raw = text.encode("utf-8", "surrogatepass")
        self.lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))][:-1]

    def characters(self, start: int, end: int) -> tuple[int, int]:
        """Turn a byte range into a character range."""
        if len(self.raw) == len(self.text):
            return start, end
        before = len(self.raw[:start].decode("utf-8", "surrogatepass"))
        return before, before + len(self.raw[start:end].decode("utf-8", "surrogatepass"))

    def span(self, start: int, end: int) -> Span:
        """Turn a character range into lines and columns."""
        (line, column), (end_line, end_column) = self._point(start), self._point(end)
        return Span(line, column, end_line, end_column)

    def spot(self, start: int, end: int) -> Spot:
        """Turn a byte range within one line into a spot."""
        first, last = self.characters(start, end)
        line, column = self._point(first)
        return Spot(line, column, last - first)

    def _point(self, at: int) -> tuple[int, int]:
        line = bisect_right(self.lines, at)
        return line, at - self.lines[line - 1] + 1
