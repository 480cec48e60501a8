"""A send as ink: single or double stroke, solid or hollow head, straight or over the seam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from ringproof.figure import palette
from ringproof.figure.grid import Grid
from ringproof.figure.scene import Head, Ink, Line
from ringproof.figure.story import Sent

LENGTH, TWIN = 6.0, 6.8  # of a head on a single and on a double line
INSET, RIM = 1.8, 2.45  # between the tips of a hollow head and its white one; how much shorter that is
TAIL = 1.5  # of the line that is seen behind a head, at least
STRONGER = 1.2  # how much longer the head of a strong line is
HALF = 0.35  # of a head's length: half its width, as Graphviz draws it
# Thin is what only surrounds a counterexample.
STROKE, THIN, STRONG, STRONG_TWIN = 0.85, 0.7, 1.4, 1.05
APART = 0.95  # half the distance of a double line's strokes
Segment = tuple[tuple[float, float], tuple[float, float]]


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


def clearance(dx: float, dy: float, length: float) -> float:
    """How far before an edge a head must end along (dx, dy), so that none of it lies under the box."""
    return max(0.0, HALF * length * abs(dy) - length * abs(dx))


def segments(arrow: Arrow, grid: Grid) -> list[Segment]:
    """The straight pieces of a send, up to its tip: one, or two when it goes over the seam."""
    (x1, y1), (x2, y2) = arrow.start, arrow.end
    shift = arrow.wrap * grid.lanes * grid.lane  # the unrolled cylinder: where the end would be
    edge = x2
    for _ in range(4):  # the slope depends on where the tip is, and that a little on the slope
        far = hypot(x2 - x1, y2 + shift - y1)
        x2 = edge - clearance((x2 - x1) / far, (y2 + shift - y1) / far, _length(arrow))
    if not arrow.wrap:
        return [((x1, y1), (x2, y2))]
    leaves, enters = (grid.bottom, grid.top) if arrow.wrap > 0 else (grid.top, grid.bottom)
    x = x1 + (x2 - x1) * (leaves - y1) / (y2 + shift - y1)
    return [((x1, y1), (x, leaves)), ((x, enters), (x2, y2))]


def cramped(arrow: Arrow, grid: Grid) -> float:
    """How far the seam is too near, in points, for a send that comes in over it to have its whole head."""
    if not arrow.wrap:
        return 0.0
    (x1, y1), (x2, y2) = segments(arrow, grid)[-1]
    far = hypot(x2 - x1, y2 - y1)
    return max(0.0, (_length(arrow) + TAIL - far) * abs(y2 - y1) / far)


def head_left(arrow: Arrow, grid: Grid) -> float:
    """The left edge of a send's head."""
    (x1, y1), (x2, y2) = segments(arrow, grid)[-1]
    far = hypot(x2 - x1, y2 - y1)
    return x2 - _length(arrow) * (abs(x2 - x1) + HALF * abs(y2 - y1)) / far


def drawn(arrow: Arrow, grid: Grid) -> list[Ink]:
    """All the ink of one send."""
    *before, last = segments(arrow, grid)
    ink = [part for piece in before for part in _straight(arrow, *piece, "_out", False)]
    return [*ink, *_straight(arrow, *last, "_in" if before else "", True)]


def _length(arrow: Arrow) -> float:
    return (TWIN if arrow.whole else LENGTH) + (STRONGER if arrow.strong else 0)


def _straight(
    arrow: Arrow, start: tuple[float, float], end: tuple[float, float], part: str, headed: bool
) -> list[Ink]:
    (x1, y1), (x2, y2) = start, end
    far = hypot(x2 - x1, y2 - y1)
    dx, dy = (x2 - x1) / far, (y2 - y1) / far
    length = _length(arrow)
    stop = (x2 - dx * length * 0.9, y2 - dy * length * 0.9) if headed else end
    strong = STRONG_TWIN if arrow.whole else STRONG
    stroke = strong if arrow.strong else THIN if arrow.color == palette.GREY else STROKE
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
            ink.append(Head(x2 - dx * INSET, y2 - dy * INSET, dx, dy, length - RIM, palette.WHITE,
                            f"{arrow.name}_hollow", "hollow"))  # fmt: skip
    return ink
