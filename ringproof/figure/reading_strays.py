"""Ink among the lanes that is no part of a picture: a patch, a stroke that hides others, loose words."""

from __future__ import annotations

from collections.abc import Sequence

from ringproof.figure import palette
from ringproof.figure.chips import HEIGHT, MARGIN
from ringproof.figure.ink import Box, Shape
from ringproof.figure.lettering import width_of
from ringproof.figure.reading import Lanes, Slot, UnreadableError

_NEAR = 0.15
_THICKEST = 1.6  # points: how long a value of a counterexample waited
_TAG = 8.4


def strays(shapes: Sequence[Shape], page: Lanes, boxes: Sequence[Slot]) -> None:
    """Nothing lies among the lanes but boxes, sends, chips and marks; errors: `UnreadableError`."""
    left = min((box.box[0] for box in boxes), default=0.0)
    inner = [s for s in shapes if s.box[1] < page.bottom and s.box[3] > page.top]
    texts = [s for s in inner if s.kind == "text"]
    for shape in inner:
        if shape.kind == "text":
            if shape.box[2] > left and not _held(shape, inner, boxes):
                raise UnreadableError(f"loose words {shape.text!r}", shape.box)
        elif shape.kind in ("line", "curve"):
            _stroke(shape, page)
        elif not _part(shape, texts, boxes, page):
            raise UnreadableError("a patch", shape.box)


def _held(text: Shape, shapes: Sequence[Shape], boxes: Sequence[Slot]) -> bool:
    """Whether words stand in a box of their own, or on a chip or tag."""
    own = [box for box in boxes if _inside(text.middle, box.box)]
    if own:
        return len(own) == 1
    return any(s.kind == "rectangle" and s.fill and _inside(text.middle, s.box) and _plate(s, text)
               for s in shapes)  # fmt: skip


def _stroke(line: Shape, page: Lanes) -> None:
    """A stroke may be a send, a bracket, a lane, the seam or a history, each of its own width."""
    thin = line.stroke in (palette.RULE, palette.SEAM)
    most = 0.55 if thin else _THICKEST + 0.05
    if line.kind == "curve" or line.stroke == palette.WHITE or line.width > most:
        raise UnreadableError("a stroke that hides what lies below", line.box)
    if abs(line.width - _THICKEST) < 0.05 and line.stroke != palette.HISTORY:
        raise UnreadableError("a stroke that hides what lies below", line.box)


def _part(shape: Shape, texts: Sequence[Shape], boxes: Sequence[Slot], page: Lanes) -> bool:
    """Whether a fill or a frame is a part of the picture."""
    if shape.kind == "triangle":
        return not shape.stroke
    if shape.kind != "rectangle":
        return False
    if not shape.fill:
        return shape.stroke == palette.VIOLATION or any(_same(shape.box, box.box) for box in boxes)
    if shape.stroke:  # the ground of a phase, painted before anything else
        flat = abs(shape.box[1] - page.top) < _NEAR and abs(shape.box[3] - page.bottom) < _NEAR
        return shape.fill == shape.stroke == palette.BAND and flat
    if any(_within(shape.box, box.box) for box in boxes):
        return True  # `reading.slots` looks at each of these
    return any(_inside(text.middle, shape.box) and _plate(shape, text) for text in texts)


def _plate(shape: Shape, text: Shape) -> bool:
    """Whether a fill is just as large as what stands under a chip's or a tag's words is drawn."""
    wide, high = shape.box[2] - shape.box[0], shape.box[3] - shape.box[1]
    words = width_of(text.text, "bold", text.size)
    chip = any(abs(wide - words - 2 * MARGIN - more) < _NEAR and abs(high - HEIGHT - more) < _NEAR
               for more in (0, 1))  # fmt: skip
    tag = shape.fill == palette.VIOLATION and abs(wide - words - 3.2) < _NEAR and abs(high - _TAG) < _NEAR
    return (chip or tag) and text.order > shape.order


def _inside(point: tuple[float, float], box: Box) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def _within(inner: Box, outer: Box) -> bool:
    return (inner[0] > outer[0] - _NEAR and inner[2] < outer[2] + _NEAR
            and inner[1] > outer[1] - _NEAR and inner[3] < outer[3] + _NEAR)  # fmt: skip


def _same(a: Box, b: Box) -> bool:
    return max(abs(p - q) for p, q in zip(a, b, strict=True)) < _NEAR
