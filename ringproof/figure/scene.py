"""Ink, as plain values in points: x to the right, y downwards, the page's corner at (0, 0).

A layout makes a flat list of these; the writers (`dot`, `tikz`) know nothing else.  Lines and heads
lie under fills, frames and text, so a line never crosses a label.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ringproof.figure.lettering import width_of

Anchor = Literal["left", "middle", "right"]
Runs = tuple[tuple[str, Literal["regular", "bold"]], ...]


@dataclass(frozen=True, slots=True)
class Band:
    """A background behind everything else; there are few of them."""

    x: float
    y: float
    width: float
    height: float
    color: str


@dataclass(frozen=True, slots=True)
class Fill:
    """A filled rectangle without an outline; ``name`` is its id in the file."""

    x: float
    y: float
    width: float
    height: float
    color: str
    name: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """The outline of a rectangle."""

    x: float
    y: float
    width: float
    height: float
    color: str
    stroke: float
    name: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A straight stroke; a send runs between the cells named ``tail`` and ``tip``."""

    x1: float
    y1: float
    x2: float
    y2: float
    color: str
    stroke: float
    name: str = ""
    kind: str = ""
    tail: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """A cubic spline through two end points, with its two control points between them."""

    points: tuple[tuple[float, float], ...]
    color: str
    stroke: float
    name: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """A solid arrow head with its tip at (x, y), pointing along the unit vector (dx, dy)."""

    x: float
    y: float
    dx: float
    dy: float
    length: float
    color: str
    name: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Disc:
    """A white circle with an outline."""

    x: float
    y: float
    radius: float
    color: str
    stroke: float
    name: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; ``y`` is its baseline, ``x`` the edge or the middle that ``anchor`` names."""

    x: float
    y: float
    runs: Runs
    anchor: Anchor = "left"
    size: float = 7.0
    color: str = "#000000"
    name: str = ""
    kind: str = ""

    @property
    def width(self) -> float:
        """Width in points, in Helvetica's metrics."""
        return sum(width_of(text, face, self.size) for text, face in self.runs)

    @property
    def left(self) -> float:
        """The left edge."""
        share = {"left": 0.0, "middle": 0.5, "right": 1.0}[self.anchor]
        return self.x - share * self.width

    @property
    def plain(self) -> str:
        """The words alone."""
        return "".join(text for text, _ in self.runs)


Ink = Band | Fill | Frame | Line | Curve | Head | Disc | Text


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole picture: its size in points, its ink in painting order, and what it says of itself.

    ``order``: whether lines lie under boxes ("edgesfirst") or over cells ("nodesfirst").
    """

    width: float
    height: float
    ink: tuple[Ink, ...]
    title: str = ""
    description: str = ""
    metadata: dict[str, Any] = field(default_factory=dict, hash=False)
    order: Literal["edgesfirst", "nodesfirst"] = "edgesfirst"


def snapped(points: float) -> float:
    """On a grid of 1/20 pt, the unit of the drawing: thousands of coordinates are whole numbers there."""
    return round(points * 20) / 20


def regular(text: str) -> Runs:
    """A label in the regular face."""
    return ((text, "regular"),)


def bold(text: str) -> Runs:
    """A label in the bold face."""
    return ((text, "bold"),)


def moved(ink: Ink, dx: float, dy: float, prefix: str = "") -> Ink:
    """The same ink elsewhere; ``prefix`` keeps the names of two panels apart."""
    names: dict[str, Any] = {
        key: prefix + value for key in ("name", "tail", "tip") if (value := getattr(ink, key, ""))
    }
    if isinstance(ink, Line):
        return replace(ink, x1=ink.x1 + dx, y1=ink.y1 + dy, x2=ink.x2 + dx, y2=ink.y2 + dy, **names)
    if isinstance(ink, Curve):
        return replace(ink, points=tuple((x + dx, y + dy) for x, y in ink.points), **names)
    return replace(ink, x=ink.x + dx, y=ink.y + dy, **names)
