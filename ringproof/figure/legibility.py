"""Whether a picture can be read in print, judged on the emitted SVG alone; every finding has its box."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ringproof.figure import palette
from ringproof.figure.ink import Box, Drawing, Shape

LEAST_STROKE, LEAST_TEXT_CONTRAST, LEAST_LINE_CONTRAST = 0.3, 4.5, 3.0
COVERED = "text covered"
_BUCKET = 24.0
_CONTEXT = {palette.GREY, palette.RULE, palette.SEAM, palette.WHITE}  # what is meant to stand back
_SLACK = 0.06  # what rounding may do, in points


@dataclass(frozen=True, slots=True)
class Illegible:
    """What cannot be read, and where."""

    why: str
    box: Box
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Ground:
    """The labels near every place, and the latest fill that lies wholly under each of them."""

    labels: Sequence[Shape]
    near: dict[tuple[int, int], list[int]] = field(default_factory=dict)


def illegible(drawing: Drawing) -> list[Illegible]:
    """Everything in a picture that is too small, too faint, covered or off the page."""
    labels = [shape for shape in drawing.shapes if shape.kind == "text"]
    if not labels:
        return [Illegible("no labels at all", (0, 0, drawing.width, drawing.height))]
    ground = _Ground(labels)
    for number, label in enumerate(labels):
        for place in _places(label.box):
            ground.near.setdefault(place, []).append(number)
    found = [*_off_page(drawing), *_small(drawing), *_overlapping(ground)]
    return [*found, *_covered(drawing, ground), *_faint_lines(drawing)]


def _places(box: Box) -> Iterator[tuple[int, int]]:
    for i in range(int(box[0] // _BUCKET), int(box[2] // _BUCKET) + 1):
        for j in range(int(box[1] // _BUCKET), int(box[3] // _BUCKET) + 1):
            yield i, j


def _near(box: Box, ground: _Ground) -> list[int]:
    return sorted({number for place in _places(box) for number in ground.near.get(place, ())})


def _meet(a: Box, b: Box, slack: float = _SLACK) -> bool:
    return a[0] + slack < b[2] and b[0] + slack < a[2] and a[1] + slack < b[3] and b[1] + slack < a[3]


def _off_page(drawing: Drawing) -> Iterator[Illegible]:
    for shape in drawing.shapes:
        half = shape.width / 2 if shape.kind != "line" else 0.0
        left, top, right, bottom = shape.box
        if (min(left, top) - half < -_SLACK or right + half > drawing.width + _SLACK
                or bottom + half > drawing.height + _SLACK):  # fmt: skip
            yield Illegible("off the page", shape.box, shape.text)


def _small(drawing: Drawing) -> Iterator[Illegible]:
    for shape in drawing.shapes:
        if shape.kind == "text" and shape.size < palette.FLOOR - 0.01:
            yield Illegible(f"text of {shape.size:.2f} pt", shape.box, shape.text)
        if shape.stroke and shape.fill != shape.stroke and shape.width < LEAST_STROKE - 0.01:
            yield Illegible(f"a stroke of {shape.width:.2f} pt", shape.box)


def _overlapping(ground: _Ground) -> Iterator[Illegible]:
    for number, label in enumerate(ground.labels):
        for other in _near(label.box, ground):
            if other > number and _meet(label.box, ground.labels[other].box, 0.15):
                yield Illegible(f"text on text {ground.labels[other].text!r}", label.box, label.text)


def _covered(drawing: Drawing, ground: _Ground) -> Iterator[Illegible]:
    """Fills over labels, strokes through them, and labels too faint on what they stand on."""
    under: list[tuple[int, str]] = [(-1, palette.WHITE) for _ in ground.labels]
    strokes: list[list[Shape]] = [[] for _ in ground.labels]
    for shape in drawing.shapes:
        if shape.kind == "text":
            continue
        for number in _near(shape.box, ground) if _reaches(shape, drawing) else ():
            label = ground.labels[number]
            if shape.fill and shape.kind != "triangle" and _meet(label.box, shape.box, 0.3):
                if shape.order > label.order:
                    yield Illegible(COVERED, label.box, label.text)
                elif _inside(label.middle, shape.box):
                    under[number] = shape.order, shape.fill
            if shape.stroke and shape.kind in ("line", "curve", "rectangle") and _strikes(shape, label):
                strokes[number].append(shape)
            if shape.kind == "triangle" and _meet(label.box, shape.box, 0.3):
                strokes[number].append(shape)
    for label, (order, color), struck in zip(ground.labels, under, strokes, strict=True):
        if any(stroke.order > order for stroke in struck):
            yield Illegible("a stroke through a label", label.box, label.text)
        if palette.contrast(label.fill, color) < LEAST_TEXT_CONTRAST:
            yield Illegible(
                f"text of contrast {palette.contrast(label.fill, color):.1f}", label.box, label.text
            )


def _reaches(shape: Shape, drawing: Drawing) -> bool:
    """All but the page itself."""
    return shape.box[2] - shape.box[0] < drawing.width - 1 or shape.kind in ("line", "curve")


def _inside(point: tuple[float, float], box: Box) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def _strikes(shape: Shape, label: Shape) -> bool:
    """Whether a stroke enters the x-height of a label, where it would cross letters out."""
    left, top, right, bottom = label.box
    core = (left + 0.2, top + 0.25 * label.size, right - 0.2, bottom - 0.25 * label.size)
    if shape.kind == "rectangle":
        a, b, c, d = shape.box
        sides = [((a, b), (c, b)), ((a, d), (c, d)), ((a, b), (a, d)), ((c, b), (c, d))]
    else:
        sides = list(zip(shape.points, shape.points[1:], strict=False))
    return any(_cuts(p, q, core) for p, q in sides)


def _cuts(p: tuple[float, float], q: tuple[float, float], box: Box) -> bool:
    """Whether a straight piece meets a box (Liang-Barsky)."""
    first, last = 0.0, 1.0
    for axis, (low, high) in enumerate(((box[0], box[2]), (box[1], box[3]))):
        step = q[axis] - p[axis]
        if abs(step) < 1e-9:
            if not low < p[axis] < high:
                return False
            continue
        a, b = sorted(((low - p[axis]) / step, (high - p[axis]) / step))
        first, last = max(first, a), min(last, b)
    return first < last


def _faint_lines(drawing: Drawing) -> Iterator[Illegible]:
    """Strokes that carry meaning must stand out from the paper."""
    for shape in drawing.shapes:
        if shape.kind == "line" and shape.stroke not in _CONTEXT:
            found = palette.contrast(shape.stroke, palette.WHITE)
            if found < LEAST_LINE_CONTRAST:
                yield Illegible(f"a line of contrast {found:.1f}", shape.box)
