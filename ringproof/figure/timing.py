"""When the ink of a scene comes to be: which column is which state, and the way of every box that moves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ringproof.figure.scene import Fill, Frame, Line, Scene

Box = tuple[float, float, float, float]  # left, top, right, bottom; points
_STATE = re.compile(r"t(\d+)_r\d+_s\d+")
_SEND = re.compile(r"(send_t(\d+)_.*?)(_out|_in)?(_b)?")
_CELL = re.compile(r"[mv]_\d+_\d+(?:_\d+)?")


class TimelessError(Exception):
    """A scene without a column for every state."""


@dataclass(frozen=True, slots=True)
class Field:
    """A part of the page in which time runs right; ``columns``: left and right edge by state.

    ``behind``: 1 where the first column is not a state but a step, and is there once that is done.
    """

    top: float
    bottom: float
    columns: tuple[tuple[float, float], ...]
    behind: int = 0

    @property
    def left(self) -> float:
        return self.columns[0][0] - 1.0

    @property
    def right(self) -> float:
        return self.columns[-1][1] + 1.0

    def front(self, done: int, share: float) -> float:
        """How far to the right everything has happened, when a share of the next step is done too."""
        last = min(done - self.behind, len(self.columns) - 1)
        edge = self.columns[last][1] + 0.6 if last >= 0 else self.left
        if last + 1 == len(self.columns):
            return edge
        left, right = self.columns[last + 1]
        if left - edge < 1.0:  # columns that touch: the next one fills
            return left + (right - left) * share
        if not share:
            return edge
        middle = self._middle(last)
        return max(edge, min(middle + (self._middle(last + 1) - middle) * share, left - 1.2))

    def _middle(self, column: int) -> float:
        left, right = self.columns[column]
        return (left + right) / 2


@dataclass(frozen=True, slots=True)
class Way:
    """The way of a box, as straight pieces between which it jumps: one, or two over the seam."""

    box: Box
    pieces: tuple[tuple[tuple[float, float], tuple[float, float]], ...]

    def at(self, share: float) -> tuple[float, float]:
        """Where the middle of the box is, moving evenly along x."""
        start, end = self.pieces[0][0][0], self.pieces[-1][1][0]
        x = start + (end - start) * share
        (x1, y1), (x2, y2) = next((p for p in self.pieces if x <= p[1][0]), self.pieces[-1])
        return x, y1 + (y2 - y1) * (x - x1) / (x2 - x1)


@dataclass(frozen=True, slots=True)
class Course:
    """How a scene of some width unfolds; ``ways``: by step, the boxes that move in it."""

    width: float
    steps: int
    fields: tuple[Field, ...]
    ways: Mapping[int, tuple[Way, ...]]


def course(scene: Scene) -> Course:
    """How a scene unfolds; errors: `TimelessError`."""
    steps = int(scene.metadata["steps"])
    if scene.metadata["layout"] in ("token", "vector"):
        boxes = {part.name: _box(part) for part in scene.ink if isinstance(part, Fill) and part.name}
        if not any(map(_STATE.fullmatch, boxes)):  # nobody sends: there is nothing to unfold
            return Course(scene.width, steps, (), {})
        ways = _ways(scene, boxes) if scene.metadata["layout"] == "token" else {}
        return Course(scene.width, steps, (_grid(scene, boxes, steps),), ways)
    fields = tuple(_heat(scene, name, steps) for layout, name in (("matrix", "m"), ("life", "v"))
                   if layout in scene.metadata["layout"].split("+"))  # fmt: skip
    if not fields:
        raise TimelessError(f"a scene of layout {scene.metadata['layout']} does not unfold in time")
    return Course(scene.width, steps, fields, {})


def _box(part: Fill | Frame) -> Box:
    return part.x, part.y, part.x + part.width, part.y + part.height


def _grid(scene: Scene, boxes: Mapping[str, Box], steps: int) -> Field:
    found: dict[int, Box] = {}
    for name, box in boxes.items():
        if state := _STATE.fullmatch(name):
            found[int(state[1])] = _union(found.get(int(state[1]), box), box)
    sends = [(min(p.y1, p.y2), max(p.y1, p.y2)) for p in scene.ink
             if isinstance(p, Line) and p.kind.startswith("send")]  # fmt: skip
    tops = [box[1] for box in found.values()] + [low for low, _ in sends]
    bottoms = [box[3] for box in found.values()] + [high for _, high in sends]
    columns = _even({state: (box[0], box[2]) for state, box in found.items()}, steps + 1)
    # A counterexample's tag stands above its box.
    tag = 9.0 if scene.metadata["verdict"] == "refuted" else 0.7
    return Field(max(min(tops) - tag, 20.5), max(bottoms) + 0.7, columns)


def _heat(scene: Scene, name: str, steps: int) -> Field:
    """The columns under the frames of a field: equal cells are one fill, so the cells do not tell them."""
    cells = [_box(part) for part in scene.ink if isinstance(part, Fill) and _CELL.fullmatch(part.name)
             and part.name.startswith(name)]  # fmt: skip
    left, right = min(box[0] for box in cells), max(box[2] for box in cells)
    frames = sorted(_box(part) for part in scene.ink if isinstance(part, Frame) and part.kind == "border"
                    and left - 0.1 < part.x < right)  # fmt: skip
    behind = int(name == "m")
    across = sum(frame[2] - frame[0] for frame in frames) / (steps + 1 - behind)
    columns = [
        (frame[0] + across * i, frame[0] + across * (i + 1))
        for frame in frames for i in range(round((frame[2] - frame[0]) / across))
    ]  # fmt: skip
    return Field(min(box[1] for box in cells), max(box[3] for box in cells), tuple(columns), behind)


def _even(found: Mapping[int, tuple[float, float]], count: int) -> tuple[tuple[float, float], ...]:
    """Every column's edges; one where nothing stands lies evenly between its neighbours."""
    if not found or count < 1:
        raise TimelessError("a scene without a box has no time")
    known = sorted(found)
    made = []
    for column in range(count):
        if column in found:
            made.append(found[column])
            continue
        before = max((k for k in known if k < column), default=None)
        after = min((k for k in known if k > column), default=None)
        if before is None or after is None:
            made.append(found[known[-1] if after is None else known[0]])
            continue
        share = (column - before) / (after - before)
        (a, b), (c, d) = found[before], found[after]
        made.append((a + (c - a) * share, b + (d - b) * share))
    return tuple(made)


def _union(a: Box, b: Box) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _ways(scene: Scene, boxes: Mapping[str, Box]) -> dict[int, tuple[Way, ...]]:
    """The way of every send's box, in painting order."""
    lines: dict[tuple[str, int], list[Line]] = {}
    for part in scene.ink:
        if isinstance(part, Line) and (send := _SEND.fullmatch(part.name)) and not send[4]:
            lines.setdefault((send[1], int(send[2])), []).append(part)
    ways: dict[int, tuple[Way, ...]] = {}
    for (_, step), pieces in lines.items():
        ways[step] = (*ways.get(step, ()), _way(pieces, boxes))
    return ways


def _way(pieces: Sequence[Line], boxes: Mapping[str, Box]) -> Way:
    first, last = _center(boxes[pieces[0].tail]), _center(boxes[pieces[-1].tip])
    if len(pieces) == 1:
        return Way(boxes[pieces[0].tail], ((first, last),))
    leave, enter = pieces[0], pieces[-1]
    return Way(boxes[leave.tail], ((first, (leave.x2, leave.y2)), ((enter.x1, enter.y1), last)))


def _center(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
