"""Chips: the label of a message, set on its line where it covers nothing and no other line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import hypot

from ringproof.figure import palette
from ringproof.figure.arrows import Arrow, Segment, head_left, segments
from ringproof.figure.boxes import Room
from ringproof.figure.grid import Grid, NotLegibleError
from ringproof.figure.lettering import width_of
from ringproof.figure.scene import Fill, Ink, Text, bold

HEIGHT, MARGIN, CLEAR, BEFORE = 7.8, 1.5, 1.0, 0.4  # BEFORE: in front of all heads of a step
CROSSING = 0.9
_STEPS = 41
Point = tuple[float, float]


def runs_text(names: Sequence[str]) -> str:
    """Slots in runs: c4, c5, c6, c7 is `c4-7`; c0, c2 is `c0,2`."""
    pieces: list[str] = []
    numbers = [(name[0], int(name[1:])) for name in names]
    at = 0
    while at < len(numbers):
        end = at
        while end + 1 < len(numbers) and numbers[end + 1] == (numbers[at][0], numbers[end][1] + 1):
            end += 1
        lead = numbers[at][0] if not pieces or numbers[at - 1][0] != numbers[at][0] else ""
        text = f"{lead}{numbers[at][1]}"
        pieces.append(text if end == at else f"{text}-{numbers[end][1]}")
        at = end + 1
    return ",".join(pieces)


def named(text: str) -> list[str]:
    """The slots that a chip names; the inverse of `runs_text`; errors: `ValueError`."""
    names: list[str] = []
    letter = ""
    for piece in text.split(","):
        found = re.fullmatch(r"([ct]?)(\d+)(?:-(\d+))?", piece)
        if found is None or not (letter := found[1] or letter):
            raise ValueError(f"not a list of slots: {text!r}")
        names += [f"{letter}{n}" for n in range(int(found[2]), int(found[3] or found[2]) + 1)]
    return names


def chips(labels: Sequence[tuple[str, Arrow]], grid: Grid, rooms: Sequence[Room]) -> list[Ink]:
    """A chip for every message; errors: `NotLegibleError` when one finds no free place."""
    lines = [piece for _, arrow in labels for piece in segments(arrow, grid)]
    taken: list[tuple[float, float, float, float]] = []
    ink: list[Ink] = []
    heads: dict[int, float] = {}
    for _, arrow in labels:
        step = _step(arrow, grid)
        heads[step] = min(heads.get(step, grid.width), head_left(arrow, grid))
    for text, arrow in labels:
        width = width_of(text, "bold", palette.SMALL) + 2 * MARGIN
        step = _step(arrow, grid)
        room = grid.x(step) + grid.box / 2 + CLEAR, heads[step] - BEFORE
        x, y = _place(segments(arrow, grid), width, lines, taken, grid, room)
        taken.append((x - width / 2, y - HEIGHT / 2, x + width / 2, y + HEIGHT / 2))
        ink += [
            Fill(x - width / 2 - 0.5, y - HEIGHT / 2 - 0.5, width + 1, HEIGHT + 1, palette.WHITE,
                 f"{arrow.name}_halo", "halo"),
            Fill(x - width / 2, y - HEIGHT / 2, width, HEIGHT, arrow.color, f"{arrow.name}_chip", "chip"),
            Text(x, y + 2.35, bold(text), "middle", palette.SMALL, palette.ink_on(arrow.color),
                 f"{arrow.name}_words", "chip"),
        ]  # fmt: skip
    return ink


def _step(arrow: Arrow, grid: Grid) -> int:
    """The step in which a send goes, by where it leaves."""
    return round((arrow.start[0] - grid.left - grid.box) / grid.pitch)


def _place(
    own: Sequence[Segment], width: float, lines: Sequence[Segment],
    taken: Sequence[tuple[float, float, float, float]], grid: Grid, room: tuple[float, float],
) -> Point:  # fmt: skip
    """The point on the line that is nearest to its first third among those that cover the least.

    ``room``: the left and right edge that a label must keep.
    """
    best: tuple[float, Point] | None = None
    left, right = room[0] + width / 2, room[1] - width / 2
    for (x1, y1), (x2, y2) in own:
        for i in range(_STEPS):
            share = 0.06 + 0.88 * i / (_STEPS - 1)
            x, y = x1 + (x2 - x1) * share, y1 + (y2 - y1) * share
            low, high = grid.top + HEIGHT / 2, grid.bottom - HEIGHT / 2
            if not (left <= x <= right and low <= y <= high) or _hits(x, y, width, taken):
                continue
            if any(_distance((x, y), line) < CROSSING for line in lines if line not in own):
                continue  # on a crossing nobody could tell whose label it is
            cost = abs(share - 0.3) + 4 * _crowd((x, y), own, lines)
            if best is None or cost < best[0] - 1e-9:
                best = cost, (x, y)
    if best is None:
        raise NotLegibleError("the labels of the messages do not fit between two states")
    return best[1]


def _hits(x: float, y: float, width: float, taken: Sequence[tuple[float, float, float, float]]) -> bool:
    return any(
        x - width / 2 - CLEAR < b[2]
        and x + width / 2 + CLEAR > b[0]
        and y - HEIGHT / 2 - CLEAR < b[3]
        and y + HEIGHT / 2 + CLEAR > b[1]
        for b in taken
    )


def _crowd(point: Point, own: Sequence[Segment], lines: Sequence[Segment]) -> float:
    """How much other lines disturb a label here: 1 for each that goes through its middle."""
    crowd = 0.0
    for line in lines:
        if line not in own and (far := _distance(point, line)) < HEIGHT / 2 + 1:
            crowd += 1 - far / (HEIGHT / 2 + 1)
    return crowd


def _distance(point: Point, line: Segment) -> float:
    (x1, y1), (x2, y2) = line
    dx, dy = x2 - x1, y2 - y1
    share = ((point[0] - x1) * dx + (point[1] - y1) * dy) / (dx * dx + dy * dy or 1)
    share = max(0.0, min(1.0, share))
    return hypot(point[0] - x1 - share * dx, point[1] - y1 - share * dy)
