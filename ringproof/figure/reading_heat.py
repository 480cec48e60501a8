"""What a matrix or life picture says, from its ink alone: cells by their colours, axes and legend."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ringproof.figure import palette
from ringproof.figure.heat import OVER
from ringproof.figure.ink import Box, Shape
from ringproof.figure.reading import UnreadableError
from ringproof.figure.shades import held_colors, sent_colors

_TITLES = {"step": "matrix", "steps done": "life"}
_TITLE, _NUMBERS, _LEGEND = 16.6, 8.6, 28.1  # from the lower edge of the cells to the baselines below
_NEAR = 0.12  # points: cells stand on a grid of 0.05


@dataclass(frozen=True, slots=True)
class Field:
    """``cells``: (row, column, number); ``columns``: the middle of every one; ``slot``: whose life it is
    or the last slot of the scale; ``several``: the most chunks that are sent at once, as the legend says.
    """

    name: str
    cells: tuple[tuple[int, int, int], ...]
    columns: tuple[float, ...]
    top: float
    slot: str
    several: int


@dataclass(frozen=True, slots=True)
class _Page:
    """The frames of a field, its edges, and every column as (left, right, right with what lies under)."""

    left: float
    top: float
    right: float
    bottom: float
    columns: tuple[tuple[float, float, float], ...]
    rows: tuple[tuple[float, float], ...]


def fields(shapes: Sequence[Shape], facts: Mapping[str, Any]) -> list[Field]:
    """Every field of a picture that says ``facts`` of itself; errors: `UnreadableError`."""
    titles = [s for s in shapes if s.kind == "text" and s.text in _TITLES and s.size < palette.LABEL]
    found = [_field(shapes, title, facts) for title in sorted(titles, key=lambda s: s.box[0])]
    if sorted(field.name for field in found) != sorted(str(facts["layout"]).split("+")):
        raise UnreadableError(f"{len(found)} fields of cells in a picture of {facts['layout']}")
    return found


def _field(shapes: Sequence[Shape], title: Shape, facts: Mapping[str, Any]) -> Field:
    name, parts, slots = _TITLES[title.text], max(facts["parts"], 1), facts["slots"]
    page = _page(shapes, title, facts["N"], facts["steps"] + (name == "life"))
    colors = {palette.WHITE: -1} | sent_colors(slots) if name == "matrix" else held_colors(parts)
    cells = _cells(_over(shapes, page, name == "life" and facts["verdict"] == "refuted"), page, colors)
    middles = tuple((left + right) / 2 for left, right, _ in page.columns)
    _axes([s for s in shapes if s.kind == "text"], page, middles)
    slot, several = (_sending if name == "matrix" else _holding)(*_legend(shapes, page), parts)
    return Field(name, cells, middles, page.top, slot, several)


def _page(shapes: Sequence[Shape], title: Shape, ranks: int, count: int) -> _Page:
    """The grid that the frames over an axis' title make."""
    frames = [s.box for s in shapes if s.kind == "rectangle" and not s.fill and s.stroke == palette.BLACK
              and abs(title.points[0][1] - _TITLE - s.box[3]) < 0.3]  # fmt: skip
    clusters: list[list[Box]] = []
    for frame in sorted(frames):
        near = clusters and frame[0] - clusters[-1][-1][2] < 3
        clusters[-1].append(frame) if near else clusters.append([frame])
    here = next((c for c in clusters if c[0][0] < title.middle[0] < c[-1][2]), None)
    if here is None:
        raise UnreadableError("an axis without a field", title.box)
    left, top, right, bottom = here[0][0], here[0][1], here[-1][2], here[0][3]
    across, down = sum(f[2] - f[0] for f in here) / count, (bottom - top) / ranks
    over = round(min(across / 2, down / 2, OVER) * 20) / 20
    columns: list[tuple[float, float, float]] = []
    for a, _, b, _ in here:
        inside = round((b - a) / across)
        edges = [a + (b - a) * i / max(inside, 1) for i in range(inside + 1)]
        columns += [(p, q, q + over) for p, q in pairwise(edges)]
        columns[-1] = (*columns[-1][:2], b)
    if len(columns) != count:
        raise UnreadableError(f"{len(columns)} columns of cells for {count}", title.box)
    rows = [(top + down * i, top + down * (i + 1) + (over if i < ranks - 1 else 0)) for i in range(ranks)]
    return _Page(left, top, right, bottom, tuple(columns), tuple(rows))


def _over(shapes: Sequence[Shape], page: _Page, marked: object) -> list[Shape]:
    """What is painted on a field: its cells, and nothing else but the mark of a counterexample."""
    found = [s for s in shapes
             if s.box[0] < page.right - _NEAR and s.box[2] > page.left + _NEAR
             and s.box[1] < page.bottom - _NEAR and s.box[3] > page.top + _NEAR]  # fmt: skip
    cells = [s for s in found if s.kind == "rectangle" and s.fill and not s.stroke]
    for other in (s for s in found if s.kind != "rectangle" or not s.fill or s.stroke):
        frame = other.kind == "rectangle" and not other.fill
        border = frame and other.stroke == palette.BLACK and abs(other.box[1] - page.top) < _NEAR
        mark = frame and marked and other.stroke == palette.VIOLATION
        if not (border or mark):
            raise UnreadableError("ink over the cells", other.box)
    return cells


def _cells(
    shapes: Sequence[Shape], page: _Page, colors: Mapping[str, int]
) -> tuple[tuple[int, int, int], ...]:
    """(row, column, number) of every cell, each painted once."""
    numbers: dict[tuple[int, int], int] = {}
    for shape in shapes:
        left, top, right, bottom = shape.box
        first = _at(left, [column[0] for column in page.columns])
        last = _at(right, [column[2] for column in page.columns])
        row = _at(top, [edges[0] for edges in page.rows])
        if min(first, last, row) < 0 or last < first or abs(page.rows[row][1] - bottom) > _NEAR:
            raise UnreadableError("a patch over the cells", shape.box)
        if shape.fill not in colors:
            raise UnreadableError(f"a cell painted {shape.fill}", shape.box)
        for column in range(first, last + 1):
            if (row, column) in numbers:
                raise UnreadableError("a patch over the cells", shape.box)
            numbers[row, column] = colors[shape.fill]
    if len(numbers) != len(page.rows) * len(page.columns):
        raise UnreadableError("a cell that is missing", (page.left, page.top, page.right, page.bottom))
    return tuple((row, column, number) for (row, column), number in sorted(numbers.items()))


def _at(value: float, edges: Sequence[float]) -> int:
    """Which of several edges a value is, or -1."""
    best = min(range(len(edges)), key=lambda i: abs(edges[i] - value))
    return best if abs(edges[best] - value) < _NEAR else -1


def _axes(texts: Sequence[Shape], page: _Page, middles: Sequence[float]) -> None:
    """Every number beside a field stands at its row, and every one below it at its column."""
    beside = [t for t in texts if -4 < t.box[2] - page.left < 0
              and page.top - 3 < t.middle[1] < page.bottom + 3]  # fmt: skip
    below = [t for t in texts if abs(t.points[0][1] - page.bottom - _NUMBERS) < 0.3
             and page.left - 6 < t.middle[0] < page.right + 6]  # fmt: skip
    rows = [(a + page.rows[i + 1][0]) / 2 if i + 1 < len(page.rows) else (a + page.bottom) / 2
            for i, (a, _) in enumerate(page.rows)]  # fmt: skip
    ranks = [(t.text.removeprefix("rank "), t.points[0][1] - 2.3) for t in beside]
    steps = [(t.text, t.middle[0]) for t in below]
    for told, places, what in ((ranks, rows, "rank"), (steps, middles, "step")):
        if "0" not in dict(told):
            raise UnreadableError(f"an axis without a {what} 0", (page.left, page.top, 0, 0))
        for text, at in told:
            number = int(text) if text.isdigit() else -1
            if not 0 <= number < len(places) or abs(places[number] - at) > 0.3:
                raise UnreadableError(f"{what} {text!r} at another's place", (page.left, page.top, 0, 0))


def _legend(shapes: Sequence[Shape], page: _Page) -> tuple[list[str], list[str]]:
    """The words and the colours below a field, from left to right."""
    y = page.bottom + _LEGEND
    row = sorted((s for s in shapes if page.left - 1 < s.box[0] < page.right + 20), key=lambda s: s.box[0])
    words = [s.text for s in row if s.kind == "text" and abs(s.points[0][1] - y) < 0.3]
    fills = [s.fill for s in row if s.fill and s.kind == "rectangle" and abs(s.box[1] - y + 5.8) < 0.3]
    return words, fills


def _sending(words: list[str], fills: list[str], _: int) -> tuple[str, int]:
    """The last slot of the scale, and the most that is sent at once."""
    if words == ["sends c0"] and fills == [palette.viridis(0)]:
        return "c0", 1
    found = re.fullmatch(r"chunk sent|lowest chunk sent \(up to (\d+) at once\)", words[0]) if words else None
    if found is None or len(words) != 3 or words[1] != "c0" or fills != _scale(palette.viridis):
        raise UnreadableError(f"a legend of other cells: {' '.join(words)!r}")
    return words[2], int(found[1] or 1)


def _holding(words: list[str], fills: list[str], parts: int) -> tuple[str, int]:
    """Whose life it is."""
    few, most, whole = palette.LIFE
    if parts <= 1:
        expected, colors, pattern = ["another part"], [whole, most], r"(.*): as promised"
    else:
        expected, pattern = ["1", str(parts - 1), f"all {parts}"], r"parts of (.*) on the rank"
        colors = [*_scale(lambda share: palette.mixed(few, most, share)), whole]
    found = re.fullmatch(pattern, words[0]) if words else None
    if found is None or words[1:] != expected or fills != colors:
        raise UnreadableError(f"a legend of other cells: {' '.join(words)!r}")
    return found[1], 0


def _scale(color: Callable[[float], str]) -> list[str]:
    return [color(i / 23) for i in range(24)]
