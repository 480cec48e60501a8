"""Lines of a table with the places that matter underlined, laid out as rustc does."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Literal

from ringproof.table.source import Span

Role = Literal[
    "error", "warning", "note", "help", "gutter", "related", "title", "good", "doubtful", "faint"
]
Paint = Callable[[Role, str], str]

WIDTH = 96
_TAB = "    "
_CUT = "..."
_TALLEST = 4
_LONGEST = 20_000  # characters of a line that are looked at
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@dataclass(frozen=True, slots=True)
class Mark:
    """A span to underline with ``sign``, and the words to write under it."""

    span: Span
    text: str
    sign: Literal["^", "-"]
    role: Role


@dataclass(frozen=True, slots=True)
class _Piece:
    """A mark on one line: half-open display columns from 0."""

    start: int
    end: int
    text: str
    sign: str
    role: Role


def visible(text: str) -> str:
    """Write a text so that no character of it can steer a terminal; a tab becomes four blanks."""
    return "".join(map(_shown, text))


def width(text: str) -> int:
    """Count the terminal columns of a visible text: wide characters take two, accents none."""
    if text.isascii():
        return len(text)
    return sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _shown(character: str) -> str:
    if character == "\t":
        return _TAB
    if unicodedata.category(character) not in _UNSEEN:
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def gutter(marks: Iterable[Mark]) -> int:
    """Count the columns that the line numbers of some marks need."""
    return max((len(str(mark.span.end_line)) for mark in marks), default=1)


def draw(text: str, marks: Sequence[Mark], paint: Paint, digits: int = 0) -> list[str]:
    """Draw the marked lines of a text in file order, ``...`` where lines are left out.

    A single line between two marked ones is shown too.  Of a span over more than four lines only
    its first and last line are drawn.  Line numbers take at least ``digits`` columns.
    """
    lines = text.split("\n")
    digits = max(digits, gutter(marks))
    numbers = sorted({number for mark in marks for number in _lines_of(mark.span)})
    drawn: list[str] = []
    last = 0
    for number in numbers:
        if last and number == last + 2:
            drawn.append(_coded(number - 1, _fit(lines, number - 1, [])[0], digits, paint))
        elif last and number > last + 2:
            drawn.append(paint("gutter", "..."))
        here = [mark for mark in marks if number in _lines_of(mark.span)]
        code, pieces = _fit(lines, number, here)
        drawn.append(_coded(number, code, digits, paint))
        edge = paint("gutter", f"{' ' * digits} | ")
        drawn += [edge + row for row in _annotated(pieces, paint)]
        last = number
    return drawn


def _last_line(span: Span) -> int:
    """Find the last line that a span covers: one that ends with a line end covers no next line."""
    return span.end_line - (span.end_column == 1 and span.end_line > span.line)


def _lines_of(span: Span) -> Sequence[int]:
    last = _last_line(span)
    return (span.line, last) if last - span.line >= _TALLEST else range(span.line, last + 1)


def _coded(number: int, code: str, digits: int, paint: Paint) -> str:
    return (paint("gutter", f"{number:>{digits}} |") + " " + code).rstrip()


def _fit(lines: Sequence[str], number: int, marks: Sequence[Mark]) -> tuple[str, list[_Piece]]:
    """Cut a line to the width of a report around its marks, and place the marks under it."""
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    skipped, more = _neighbourhood(line, number, marks)
    line = line[skipped : len(line) - more]
    shown = [_shown(character) for character in line]
    edges = [0, *accumulate(map(width, shown))]
    placed = [(mark, *_columns(mark.span, number, line, edges, skipped)) for mark in marks]
    first, last = 0, len(shown)
    if edges[-1] > WIDTH:
        left, right = _window(placed, edges[-1])
        first = next(i for i, edge in enumerate(edges) if edge >= left)
        last = max(i for i, edge in enumerate(edges) if edge <= right)
    ends = (_CUT if first or skipped else "", _CUT if last < len(shown) or more else "")
    code = "".join(shown[first:last]).join(ends)
    shift = len(ends[0]) - edges[first]
    pieces = []
    for mark, start, end in placed:
        start, end = (min(max(at, edges[first]), edges[last]) + shift for at in (start, end))
        text = visible(mark.text) if number == _last_line(mark.span) else ""
        pieces.append(_Piece(start, max(end, start + 1), text, mark.sign, mark.role))
    return code, pieces


def _neighbourhood(line: str, number: int, marks: Sequence[Mark]) -> tuple[int, int]:
    """Of a line of a file that has hardly any: how many characters to leave out before and after."""
    if len(line) <= _LONGEST:
        return 0, 0
    main = min(marks, key=lambda mark: mark.sign != "^", default=None)
    column = main.span.column if main and number == main.span.line else 1
    skipped = min(max(column - _LONGEST // 2, 0), len(line) - _LONGEST)
    return skipped, len(line) - skipped - _LONGEST


def _columns(
    span: Span, number: int, line: str, edges: Sequence[int], skipped: int = 0
) -> tuple[int, int]:
    """Find the display columns that a span covers on one of its lines."""
    blank = len(line) - len(line.lstrip())
    start = span.column - 1 - skipped if number == span.line else blank
    end = span.end_column - 1 - skipped if number == span.end_line else len(line)
    start, end = (edges[min(max(at, 0), len(line))] for at in (start, end))
    return start, max(end, start)


def _window(placed: Sequence[tuple[Mark, int, int]], total: int) -> tuple[int, int]:
    """Choose which display columns of a long line to show: all marks, or else the main one."""
    low = min((start for _, start, _ in placed), default=0)
    high = max((end for _, _, end in placed), default=0)
    if high - low > WIDTH:
        low, high = min(((s, e) for m, s, e in placed if m.sign == "^"), default=(low, high))
    left = max(0, min(low - max(0, WIDTH - (high - low)) // 2, total - WIDTH))
    return left, left + WIDTH


def _annotated(pieces: Sequence[_Piece], paint: Paint) -> list[str]:
    """Draw the rows below a line: underlines, then the words, the rightmost first."""
    if not pieces:
        return []
    ends = max(piece.end for piece in pieces)
    worded = sorted((p for p in pieces if p.text), key=lambda p: (p.start, p.sign == "^"))
    beside = worded.pop() if worded and worded[-1].end == ends else None
    row = _underlines(pieces, ends, paint)
    rows = [f"{row} {paint(beside.role, beside.text)}" if beside else row]
    if worded:
        rows.append(_row([(p.start, p.role, "|") for p in worded], paint))
    while worded:
        piece = worded.pop()
        bars = [(p.start, p.role, "|") for p in worded if p.start < piece.start]
        rows.append(_row([*bars, (piece.start, piece.role, piece.text)], paint))
    return rows


def _underlines(pieces: Sequence[_Piece], ends: int, paint: Paint) -> str:
    cells: list[tuple[str, Role | None]] = [(" ", None)] * ends
    for piece in sorted(pieces, key=lambda p: p.sign == "^"):
        cells[piece.start : piece.end] = [(piece.sign, piece.role)] * (piece.end - piece.start)
    painted = ""
    for role, group in groupby(cells, key=lambda cell: cell[1]):
        signs = "".join(sign for sign, _ in group)
        painted += paint(role, signs) if role else signs
    return painted


def _row(words: Sequence[tuple[int, Role, str]], paint: Paint) -> str:
    """Put words at their columns; of several at one column the first is kept."""
    row, column = "", 0
    for start, role, word in sorted(words, key=lambda item: item[0]):
        if start >= column:
            row += " " * (start - column) + paint(role, word)
            column = start + width(word)
    return row
