"""What a token or vector picture says, from its ink alone: lanes and steps, boxes, and what is in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ringproof.figure import palette
from ringproof.figure.boxes import STRIP
from ringproof.figure.ink import Box, Shape

Near = 0.35
_MARKS = {palette.VIOLATION}
_ABOVE = 4.1  # from the baseline of a step's number to the first lane's upper edge


class UnreadableError(Exception):
    """Ink that says nothing, or that contradicts itself; ``box`` is where."""

    def __init__(self, why: str, box: Box = (0, 0, 0, 0)) -> None:
        super().__init__(f"{why} at ({box[0]:.1f}, {box[1]:.1f})")


class TooLargeError(Exception):
    """A file that says more than any picture shows, so nothing of it is run; the message says of what."""


@dataclass(frozen=True, slots=True)
class Lanes:
    """The middles of the lanes and of the steps, read from their labels."""

    ranks: tuple[float, ...]
    pitch: float
    steps: tuple[float, ...]

    @property
    def top(self) -> float:
        return self.ranks[0] - self.pitch / 2

    @property
    def bottom(self) -> float:
        return self.ranks[-1] + self.pitch / 2


@dataclass(frozen=True, slots=True)
class Slot:
    """One box: which slot of which rank after how many steps, and how often each part is in it."""

    state: int
    rank: int
    slot: int
    counts: tuple[int, ...]
    box: Box

    @property
    def middle(self) -> float:
        return (self.box[1] + self.box[3]) / 2


def lanes(shapes: Sequence[Shape]) -> Lanes:
    """Lanes and steps; errors: `UnreadableError` when their labels are not 0, 1, 2, ... in order."""
    found = sorted((int(m[1]), shape) for shape in shapes if shape.kind == "text"
                   and (m := re.fullmatch(r"rank (\d+)", shape.text)) and shape.size > 6.8)  # fmt: skip
    rules = [s.middle[1] for s in shapes if s.kind == "line" and s.stroke == palette.RULE]
    ys = [min(rules, key=lambda y: abs(y - label.middle[1]), default=-1.0) for _, label in found]
    gaps = [b - a for a, b in pairwise(ys)]
    apart = bool(gaps) and max(gaps) - min(gaps) < Near and min(gaps) > 1
    if not apart or [n for n, _ in found] != list(range(len(ys))):
        raise UnreadableError("the labels of the ranks are not one to a lane, in order")
    header = ys[0] - gaps[0] / 2 - _ABOVE
    numbers = sorted((shape.middle[0], int(m[1])) for shape in shapes if shape.kind == "text"
                     and abs(shape.points[0][1] - header) < Near
                     and (m := re.fullmatch(r"(?:step )?(\d+)", shape.text)))  # fmt: skip
    if [n for _, n in numbers] != list(range(len(numbers))):
        raise UnreadableError("the numbers of the steps are not in order")
    return Lanes(tuple(ys), gaps[0], tuple(x for x, _ in numbers))


def slots(shapes: Sequence[Shape], page: Lanes, chunks: int) -> list[Slot]:
    """Every box in the lanes; errors: `UnreadableError`."""
    frames = [s for s in shapes if s.kind == "rectangle" and s.stroke and not s.fill
              and s.stroke not in _MARKS and page.top < s.middle[1] < page.bottom]  # fmt: skip
    fills = [s for s in shapes if s.fill and not s.stroke and s.kind == "rectangle"]
    texts = [s for s in shapes if s.kind == "text"]
    by_place: dict[tuple[int, int], list[Shape]] = {}
    for frame in frames:
        state = sum(1 for step in page.steps if step < frame.middle[0])
        rank = min(range(len(page.ranks)), key=lambda r: abs(page.ranks[r] - frame.middle[1]))
        by_place.setdefault((state, rank), []).append(frame)
    found: list[Slot] = []
    for (state, rank), here in sorted(by_place.items()):
        for number, frame in enumerate(sorted(here, key=lambda s: s.box[1])):
            inside = [s for s in fills if _overlap(s.box, frame.box)]
            label = [t for t in texts if _inside(t.middle, frame.box)]
            if len(label) > 1:
                raise UnreadableError("a box with two labels", frame.box)
            slot = _slot(label[0], chunks) if label else number
            height = STRIP if label else frame.box[3] - frame.box[1]
            counts = _counts(frame, inside, height, len(page.ranks))
            _belongs(frame, inside, len(page.ranks))
            found.append(Slot(state, rank, slot, counts, frame.box))
    if len({(s.state, s.rank, s.slot) for s in found}) != len(found):
        raise UnreadableError("two boxes stand for one slot")
    return found


def _slot(label: Shape, chunks: int) -> int:
    found = re.fullmatch(r"([ct])(\d+)", label.text)
    if found is None:
        raise UnreadableError(f"a box labelled {label.text!r}", label.box)
    return int(found[2]) + (chunks if found[1] == "t" else 0)


def _counts(frame: Shape, fills: Sequence[Shape], height: float, ranks: int) -> tuple[int, ...]:
    """The strip of a box, by the paint on top at the middle of each slot; nothing for a solid box."""
    left, top, right, bottom = frame.box
    corners = [_paint(fills, x, y) for x in (left + 0.7, right - 0.7) for y in (top + 0.7, bottom - 0.7)]
    if frame.width > 0.8:
        if len(set(corners)) > 1 or corners[0] in ("", palette.WHITE):
            raise UnreadableError("a solid box that is not solid", frame.box)
        return ()
    each = (right - left) / ranks
    counts = []
    for rank in range(ranks):
        color = _paint(fills, left + (rank + 0.5) * each, bottom - height / 2)
        if color in ("", palette.WHITE, palette.MISSING):
            counts.append(0)
        elif color in (palette.GREY_MORE, palette.VIOLATION):
            counts.append(2)
        elif color == frame.stroke:
            counts.append(1)
        else:
            raise UnreadableError(f"a slot painted {color}", frame.box)
    return tuple(counts)


def _paint(fills: Sequence[Shape], x: float, y: float) -> str:
    """The colour on top at a point."""
    over = [s for s in fills if _inside((x, y), s.box)]
    return max(over, key=lambda s: s.order).fill if over else ""


def _belongs(frame: Shape, fills: Sequence[Shape], ranks: int) -> None:
    """Every fill that touches a box is its ground, one of its slots, a hair line, or a mark."""
    left, top, right, bottom = frame.box
    each = (right - left) / ranks
    for fill in fills:
        a, b, c, d = fill.box
        hair = c - a < 0.4 or d - b < 0.5
        ground = max(abs(a - left), abs(b - top), abs(c - right), abs(d - bottom)) < 0.1
        place = (a - left) / each
        slot = (
            abs(c - a - each) < 0.12
            and abs(place - round(place)) * each < 0.12
            and b > top - 0.1
            and d < bottom + 0.1
        )
        if not (hair or ground or slot or fill.fill in _MARKS):
            raise UnreadableError("a patch over a box", fill.box)


def _overlap(a: Box, b: Box) -> bool:
    return a[0] + 0.2 < b[2] and b[0] + 0.2 < a[2] and a[1] + 0.2 < b[3] and b[1] + 0.2 < a[3]


def _inside(point: tuple[float, float], box: Box) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]
