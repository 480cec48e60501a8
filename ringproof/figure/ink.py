"""SVG -> shapes in points: what is painted, in painting order, whatever the file says it means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal
from xml.etree import ElementTree
from xml.parsers import expat

from ringproof.figure.lettering import width_of

Point = tuple[float, float]
Box = tuple[float, float, float, float]
Kind = Literal["rectangle", "triangle", "line", "curve", "ellipse", "text", "unknown"]
ASCENT, DESCENT = 0.72, 0.21  # of a label, in ems from its baseline
FARTHEST = 1e5  # points; no page is as large
MOST_TAGS, MOST_ATTRIBUTES = 1 << 19, 1 << 21  # the largest that is drawn has a quarter of them
_PAINT = {"fill", "stroke", "stroke-width"}
_ATTRIBUTES = {
    "svg": {"width", "height", "viewBox", "role"}, "g": {"transform", "font-family"},
    "title": set[str](), "desc": set[str](), "metadata": set[str](),
    "polygon": {*_PAINT, "points"}, "path": {*_PAINT, "d"},
    "ellipse": {*_PAINT, "cx", "cy", "rx", "ry"},
    "text": {"x", "y", "fill", "text-anchor", "font-family", "font-weight", "font-size", "space"},
}  # fmt: skip
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


class InkError(Exception):
    """A file that is no picture of ringproof's; the message says why.

    ``place``: the line and the column where that shows, from 1; the first of the file where it is not known.
    """

    def __init__(self, why: str, place: tuple[int, int] = (1, 1)) -> None:
        super().__init__(why)
        self.place = place


@dataclass(frozen=True, slots=True)
class Shape:
    """One painted thing; ``fill`` and ``stroke`` are "" where there is none.

    ``points``: corners, ends and control points, or a label's left end on its baseline.
    """

    kind: Kind
    box: Box
    points: tuple[Point, ...]
    fill: str
    stroke: str
    width: float
    order: int
    group: str = ""
    text: str = ""
    size: float = 0.0
    bold: bool = False

    @property
    def middle(self) -> Point:
        """The middle of the box."""
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2


@dataclass(frozen=True, slots=True)
class Drawing:
    """A whole file: page size in points, and shapes in painting order."""

    width: float
    height: float
    shapes: tuple[Shape, ...]

    @property
    def painted(self) -> tuple[Shape, ...]:
        """Everything but the page itself, which is painted first."""
        page = 0.0, 0.0, self.width, self.height
        return tuple(
            s for s in self.shapes
            if s.order or max(abs(a - b) for a, b in zip(s.box, page, strict=True)) > 0.1
        )  # fmt: skip


def metadata_of(text: str, most: int = 1 << 30) -> str:
    """What an SVG says of itself, of at most so many characters; errors: `InkError`."""
    if (at := text.find("<!DOCTYPE")) >= 0:
        raise InkError("it declares a document type; a picture has none", place_in(text, at))
    found = next((e.text or "" for e in _root(text).iter() if _tag(e) == "metadata"), "")
    if len(found) > most:
        place = place_in(text, text.find("<metadata"))
        raise InkError(f"it says more than {most >> 20} MiB of itself: no picture does", place)
    return found


def place_in(text: str, at: int) -> tuple[int, int]:
    """Line and column, from 1, of a character; where there is none, of the first."""
    at = max(at, 0)
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _root(text: str) -> Any:
    """The tree of a file that is small enough to hold."""
    if text.count("<") > MOST_TAGS or text.count("=") > MOST_ATTRIBUTES:
        raise InkError(f"more than {MOST_TAGS} tags or {MOST_ATTRIBUTES} attributes: no picture has them")
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InkError(f"not an SVG: {expat.ErrorString(error.code)}", _broken(text)) from None


def _broken(text: str) -> tuple[int, int]:
    """Where a text stops to be XML."""
    parser, raw = expat.ParserCreate(), text.encode("utf-8")
    with suppress(expat.ExpatError):
        parser.Parse(raw, True)
    return place_in(text, len(raw[: parser.ErrorByteIndex].decode("utf-8", "ignore")))


def read_ink(text: str) -> Drawing:
    """Everything painted in an SVG; errors: `InkError`."""
    root = _root(text)
    size = [_NUMBER.match(root.get(key, "")) for key in ("width", "height")]
    if not root.tag.endswith("svg") or not all(size):
        raise InkError("not an SVG with a width and a height in points")
    width, height = (float(found[0]) for found in size if found)
    view = [float(number) for number in _NUMBER.findall(root.get("viewBox", f"0 0 {width} {height}"))]
    if view != [0, 0, width, height]:
        raise InkError("a view of a part of the picture")
    return Drawing(width, height, tuple(_shapes(root)))


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _shapes(root: Any) -> Iterator[Shape]:
    """Depth first, which is painting order; only the drawing's own transformation is known."""
    order = 0
    todo: list[tuple[Any, tuple[float, float, float], str]] = [(root, (1.0, 0.0, 0.0), "")]
    while todo:
        element, view, group = todo.pop()
        tag = _tag(element)
        _known(element, tag)
        if tag in ("title", "desc", "metadata"):
            continue
        if tag in ("svg", "g"):
            view = _view(element.get("transform", ""), view)
            name = element.get("id", "") or group
            todo += [(child, view, name) for child in reversed(list(element))]
            continue
        shape = _shape(element, tag, view, element.get("id", "") or group, order)
        if not all(abs(place) < FARTHEST for place in shape.box):
            raise InkError(f"a {tag} far off the page")
        yield shape
        order += 1


def _known(element: Any, tag: str) -> None:
    """Only what figures are made of may stand in one: what is not known could hide or show anything."""
    if tag not in _ATTRIBUTES:
        raise InkError(f"an element that no figure has: {tag}")
    if len(element) and tag not in ("svg", "g"):
        raise InkError(f"a {tag} with something in it")
    strange = {key.rpartition("}")[2] for key in element.keys()} - _ATTRIBUTES[tag] - {"id", "class"}
    if strange:
        raise InkError(f"an attribute that no {tag} of a figure has: {min(strange)}")


def _view(text: str, outer: tuple[float, float, float]) -> tuple[float, float, float]:
    """Scale and shift of a group: Graphviz writes `scale(k k) rotate(0) translate(x y)`."""
    if not text:
        return outer
    found = re.fullmatch(
        r"scale\(([\d.]+)[ ,]+([\d.]+)\) rotate\(0\) translate\(([-\d.]+)[ ,]+([-\d.]+)\)", text.strip()
    )
    if found is None or found[1] != found[2]:
        raise InkError(f"a transformation that no figure has: {text}")
    scale = float(found[1]) * outer[0]
    return scale, scale * float(found[3]) + outer[1], scale * float(found[4]) + outer[2]


def _shape(element: Any, tag: str, view: tuple[float, float, float], group: str, order: int) -> Shape:
    scale, dx, dy = view
    fill, stroke = color_of(element.get("fill", "none")), color_of(element.get("stroke", "none"))
    if stroke and float(element.get("stroke-width", "1")) == 0:
        stroke = ""
    width = float(element.get("stroke-width", "1")) * scale if stroke else 0.0
    if tag == "text":
        return _label(element, view, group, order)
    if tag == "ellipse":
        cx, cy, rx, ry = (float(element.get(key, "0")) * scale for key in ("cx", "cy", "rx", "ry"))
        box = (cx - rx + dx, cy - ry + dy, cx + rx + dx, cy + ry + dy)
        return Shape("ellipse", box, (), fill, stroke, width, order, group)
    numbers = list(map(float, _NUMBER.findall(element.get("d" if tag == "path" else "points", ""))))
    points = tuple(
        (x * scale + dx, y * scale + dy) for x, y in zip(numbers[::2], numbers[1::2], strict=False)
    )
    if tag == "polygon" and len(points) > 1 and points[0] == points[-1]:
        points = points[:-1]
    if not points:
        return Shape("unknown", (0, 0, 0, 0), (), fill, stroke, width, order, group)
    xs, ys = [x for x, _ in points], [y for _, y in points]
    box = (min(xs), min(ys), max(xs), max(ys))
    if not all(abs(place) < FARTHEST for place in box):
        raise InkError(f"a {tag} far off the page")
    return Shape(_kind(tag, points), box, points, fill, stroke, width, order, group)


def _kind(tag: str, points: tuple[Point, ...]) -> Kind:
    if tag == "path":
        return "line" if len(points) == 4 and _straight(points) else "curve"
    if tag == "polygon" and len(points) == 3:
        return "triangle"
    if tag == "polygon" and len(points) == len(set(points)) == 4 and len({x for x, _ in points}) == 2:
        return "rectangle"
    return "unknown"


def _straight(points: tuple[Point, ...]) -> bool:
    (x1, y1), (x2, y2) = points[0], points[-1]
    length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1e-9)
    return all(abs((x - x1) * (y2 - y1) - (y - y1) * (x2 - x1)) / length < 0.02 for x, y in points)


def _label(element: Any, view: tuple[float, float, float], group: str, order: int) -> Shape:
    scale, dx, dy = view
    size = float(element.get("font-size", "0")) * scale
    text = "".join(element.itertext())
    face: Literal["regular", "bold"] = "bold" if element.get("font-weight") == "bold" else "regular"
    try:
        width = width_of(text.rstrip(" "), face, size)
    except ValueError as error:
        raise InkError(str(error)) from None
    x, y = float(element.get("x", "0")) * scale + dx, float(element.get("y", "0")) * scale + dy
    x -= width * {"middle": 0.5, "end": 1.0}.get(element.get("text-anchor", "start"), 0.0)
    box = (x, y - ASCENT * size, x + width, y + DESCENT * size)
    color = color_of(element.get("fill", "#000000"))
    return Shape("text", box, ((x, y),), color, "", 0.0, order, group, text, size, face == "bold")


def color_of(text: str) -> str:
    """A colour as #RRGGBB; "" for none."""
    if text in ("none", "transparent"):
        return ""
    named = {"white": "#FFFFFF", "black": "#000000"}
    return named.get(text, text).upper()
