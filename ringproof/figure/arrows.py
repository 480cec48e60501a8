"""A send as ink: single or double stroke, solid or hollow head, straight or over the seam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from ringproof.figure import palette
from ringproof.figure.grid import Grid
from ringproof.figure.scene import Head, Ink, Line
from ringproof.figure.story import Sent

LENGTH, INNER, INSET = 5.6, 3.1, 1.8  # of a head, of the white head in a hollow one, between their tips
STROKE, STRONG, APART = 0.85, 1.4, 0.95  # points; APART: half the distance of a double line's strokes


@dataclass(frozen=True, slots=True)
class Arrow:
    """What a send looks like; ``wrap`` is -1 or 1 where it leaves through the seam above or below."""

    name: str
    color: str
    start: tuple[float, float]
    end: tuple[float, float]
    reduce: bool
    whole: bool
    wrap: int = 0
    tail: str = ""
    tip: str = ""
    strong: bool = False


def wraps(sends: Sequence[Sent], ranks: int) -> dict[tuple[int, int, int], int]:
    """Which sends (step, sender, receiver) go over the seam, and to which side.

    The ends of the line are neighbours only in a ring: where others send to their neighbour too.
    """
    pairs = {(s.step, s.sender, s.receiver) for s in sends}
    up = {step for step, a, b in pairs if b == a - 1}
    down = {step for step, a, b in pairs if b == a + 1}
    found: dict[tuple[int, int, int], int] = {}
    for step, a, b in pairs if ranks > 2 else ():
        if (a, b) == (ranks - 1, 0) and step in down:
            found[step, a, b] = 1
        elif (a, b) == (0, ranks - 1) and step in up:
            found[step, a, b] = -1
    return found


def drawn(arrow: Arrow, grid: Grid) -> list[Ink]:
    """All the ink of one send."""
    (x1, y1), (x2, y2) = arrow.start, arrow.end
    if not arrow.wrap:
        return _straight(arrow, (x1, y1), (x2, y2), "", True)
    shift = arrow.wrap * grid.lanes * grid.lane  # the unrolled cylinder: where the end would be
    leaves, enters = (grid.bottom, grid.top) if arrow.wrap > 0 else (grid.top, grid.bottom)
    x = x1 + (x2 - x1) * (leaves - y1) / (y2 + shift - y1)
    first = _straight(arrow, (x1, y1), (x, leaves), "_out", False)
    return [*first, *_straight(arrow, (x, enters), (x2, y2), "_in", True)]


def _straight(
    arrow: Arrow, start: tuple[float, float], end: tuple[float, float], part: str, headed: bool
) -> list[Ink]:
    (x1, y1), (x2, y2) = start, end
    far = hypot(x2 - x1, y2 - y1)
    dx, dy = (x2 - x1) / far, (y2 - y1) / far
    length = LENGTH + (1.2 if arrow.strong else 0)
    stop = (x2 - dx * length * 0.9, y2 - dy * length * 0.9) if headed else end
    stroke = STRONG if arrow.strong else STROKE
    sides = (-APART, APART) if arrow.whole else (0.0,)
    kind = f"send {'reduce' if arrow.reduce else 'copy'}"
    ink: list[Ink] = []
    for number, side in enumerate(sides):
        ox, oy = -dy * side, dx * side
        name = f"{arrow.name}{part}" + ("_b" if number else "")
        ink.append(Line(x1 + ox, y1 + oy, stop[0] + ox, stop[1] + oy, arrow.color, stroke,
                        name, kind, arrow.tail, arrow.tip))  # fmt: skip
    if headed:
        ink.append(Head(x2, y2, dx, dy, length, arrow.color, f"{arrow.name}_head", "head"))
        if not arrow.reduce:
            inner = INNER * length / LENGTH
            inset = INSET * (1.15 if arrow.strong else 1.0)
            ink.append(Head(x2 - dx * inset, y2 - dy * inset, dx, dy, inner, palette.WHITE,
                            f"{arrow.name}_hollow", "hollow"))  # fmt: skip
    return ink
