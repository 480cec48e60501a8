"""The cost chart read back: what its curves say by their places on the axes, and its ink as shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import Any
from xml.etree import ElementTree

from ringproof.figure.ink import ASCENT, DESCENT, Drawing, InkError, Point, Shape, color_of
from ringproof.figure.lettering import width_of

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NEAR = 0.1  # points
Scale = tuple[float, float]  # a place is the first plus the second times the logarithm


def misread(text: str, metadata: Mapping[str, Any]) -> list[str]:
    """Where curves say something else than the file; errors: `InkError`, `KeyError`."""
    root = ElementTree.fromstring(text)
    wrong: list[str] = []
    for number, key in enumerate(("traffic", "steps"), 1):
        axes = _named(root, f"axes_{number}")
        across, up = (_scale(axes, f"matplotlib.axis_{2 * number - 1 + i}", i) for i in (0, 1))
        found = {g.get("id", ""): g for g in axes.iter() if g.get("id", "").startswith(f"{key}_")}
        expected = {f"{key}_{table}": curve[key] for table, curve in metadata["curves"].items()}
        if set(found) != set(expected):
            wrong.append(f"other curves of {key} are drawn than the file lists")
        for name in sorted(set(found) & set(expected)):
            places = [(across[0] + across[1] * log(N), up[0] + up[1] * log(value))
                      for N, value in expected[name]]  # fmt: skip
            if not _same(_line(found[name]), places):
                wrong.append(f"the curve {name} says something else")
            marks = _marks(found[name])
            if marks and not _same(marks, places):
                wrong.append(f"a mark of {name} stands elsewhere")
    return wrong


def ink_of(text: str) -> Drawing:
    """The chart's ink as shapes: labels, strokes and fills; marks have no place in it."""
    root = ElementTree.fromstring(text)
    width, height = (float(root.get(key, "0").removesuffix("pt")) for key in ("width", "height"))
    return Drawing(width, height, tuple(_shapes(root)))


def _shapes(root: Any) -> Iterator[Shape]:
    hidden = {id(e) for d in root.iter() if _tag(d) in ("defs", "clipPath") for e in d.iter()}
    for order, element in enumerate(e for e in root.iter() if id(e) not in hidden):
        style = dict(re.findall(r"([\w-]+): ([^;]+)", element.get("style", "")))
        if _tag(element) == "text":
            yield _label(element, style, order)
        if _tag(element) == "path":
            points = tuple(_line(element))
            xs, ys = [x for x, _ in points], [y for _, y in points]
            fill, stroke = (color_of(style.get(key, "none")) for key in ("fill", "stroke"))
            thick = float(style.get("stroke-width", "1")) if stroke else 0.0
            box = (min(xs), min(ys), max(xs), max(ys))
            yield Shape("rectangle" if fill else "line", box, points, fill, stroke, thick, order)


def _label(element: Any, style: Mapping[str, str], order: int) -> Shape:
    size = float(style["font-size"].removesuffix("px")) if "font-size" in style else float(
        re.findall(r"([\d.]+)px", style.get("font", ""))[0])  # fmt: skip
    bold = "font-weight" in style or re.search("bold|700", style.get("font", "")) is not None
    text = element.text or ""
    wide = width_of(text, "bold" if bold else "regular", size)
    x = float(element.get("x")) - wide * {"middle": 0.5, "end": 1.0}.get(style.get("text-anchor", ""), 0.0)
    y = float(element.get("y"))
    box = (x, y - ASCENT * size, x + wide, y + DESCENT * size)
    color = color_of(style.get("fill", "black"))
    return Shape("text", box, ((x, y),), color, "", 0.0, order, "", text, size, bold)


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _named(root: Any, name: str) -> Any:
    found = next((e for e in root.iter() if e.get("id") == name), None)
    if found is None:
        raise InkError(f"no {name} in the chart")
    return found


def _scale(axes: Any, name: str, axis: int) -> Scale:
    """Where numbers are along an axis, from its outermost ticks; the others must agree."""
    ticks: list[tuple[float, float]] = []
    for tick in _named(axes, name):
        mark = next((e for e in tick.iter() if _tag(e) == "use"), None)
        label = next((e for e in tick.iter() if _tag(e) == "text"), None)
        if mark is not None and label is not None and (label.text or "").isdigit():
            here, at = (float(e.get("xy"[axis])) for e in (label, mark))
            if abs(here - at) > 4:
                raise InkError(f"a number {label.text} beside another tick")
            ticks.append((log(int(label.text)), at))
    ticks.sort()
    if len(ticks) < 2 or ticks[0][0] == ticks[-1][0]:
        raise InkError("an axis without numbers")
    (a, p), (b, q) = ticks[0], ticks[-1]
    slope = (q - p) / (b - a)
    if any(abs(p + slope * (number - a) - at) > _NEAR for number, at in ticks):
        raise InkError("an axis whose numbers are not in their places")
    return p - slope * a, slope


def _line(group: Any) -> list[Point]:
    path = next((e for e in group.iter() if _tag(e) == "path"), None)
    numbers = [float(n) for n in _NUMBER.findall(path.get("d", ""))] if path is not None else []
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _marks(group: Any) -> list[Point]:
    return [(float(e.get("x")), float(e.get("y"))) for e in group.iter() if _tag(e) == "use"]


def _same(found: Sequence[Point], places: Sequence[Point]) -> bool:
    return len(found) == len(places) and all(
        abs(x - u) < _NEAR and abs(y - v) < _NEAR for (x, y), (u, v) in zip(found, places, strict=True)
    )
