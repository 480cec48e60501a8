"""Which layout a story gets, and the whole picture: drawing, verdict, phases that need a key, legend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from ringproof.figure import grid as grids
from ringproof.figure import heat, legend, palette, token, vector
from ringproof.figure.focus import Focus
from ringproof.figure.grid import NotLegibleError
from ringproof.figure.lettering import width_of
from ringproof.figure.marks import LEADING, height_of, note
from ringproof.figure.scene import Fill, Frame, Ink, Runs, Text, moved
from ringproof.figure.story import Story

Layout = Literal["auto", "token", "vector", "matrix", "life"]
ORDER = ("token", "vector", "pair")
SIDE_BY_SIDE = 400.0  # from this width on, matrix and life stand beside each other
COLUMN = {"1col": 240.0, "2col": 504.0}
_GUTTER = 16.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to draw: ``width`` in points, ``chunk`` for life; ``legend`` is "on" or "off"."""

    layout: Layout = "auto"
    width: float = COLUMN["1col"]
    chunk: int = 0
    legend: Literal["on", "off"] = "on"


@dataclass(frozen=True, slots=True)
class Drawn:
    """Ink of some height, the layout it has, and why the layouts before it were passed over."""

    ink: tuple[Ink, ...]
    height: float
    layout: str
    passed: tuple[tuple[str, str], ...] = ()


def draw(story: Story, wanted: Wanted, focus: Focus | None = None) -> Drawn:
    """The picture of a story; errors: `NotLegibleError` when no layout fits the width.

    A layout that was asked for and does not fit gives way to the next; text is never shrunk.
    """
    first = wanted.layout
    chain = ORDER if first == "auto" else ORDER[ORDER.index(first) :] if first in ORDER else (first,)
    passed: list[tuple[str, str]] = []
    for name in chain:
        try:
            ink, layout = _LAYOUTS[name](story, wanted, focus)
            return Drawn(tuple(ink), float(ceil(height_of(ink) + 2)), layout, tuple(passed))
        except NotLegibleError as error:
            passed.append((name, str(error)))
    raise NotLegibleError("; ".join(f"{name}: {why}" for name, why in passed))


def _grid(kind: Literal["token", "vector"]) -> Callable[[Story, Wanted, Focus | None], tuple[list[Ink], str]]:
    def made(story: Story, wanted: Wanted, focus: Focus | None) -> tuple[list[Ink], str]:
        panel = token.panel if kind == "token" else vector.panel
        ink, page = panel(story, wanted.width, focus)
        key = grids.key(story.stages, grids.rooms(story, page))
        return _under(ink, page.bottom + 3.5, story, wanted, focus, key), kind

    return made


def _pair(story: Story, wanted: Wanted, focus: Focus | None) -> tuple[list[Ink], str]:
    """Matrix and life, side by side or one above the other."""
    chunk = f"chunk {wanted.chunk}" if wanted.chunk < story.chunks else story.slot_name(wanted.chunk)
    titles = ("(a) chunk each rank sends", f"(b) parts of {chunk} on each rank")
    beside = wanted.width >= SIDE_BY_SIDE
    width = (wanted.width - _GUTTER) / 2 if beside else wanted.width
    first, rooms = heat.matrix(story, width, titles[0])
    second, _ = heat.life(story, width, wanted.chunk, titles[1], focus)
    dx, dy = (width + _GUTTER, 0.0) if beside else (0.0, height_of(first) + 6)
    ink = first + [moved(part, dx, dy) for part in second]
    key = grids.key(story.stages, rooms)
    return _under(ink, height_of(ink) + 3, story, wanted, focus, key, "heat"), "matrix+life"


def _matrix(story: Story, wanted: Wanted, focus: Focus | None) -> tuple[list[Ink], str]:
    ink, rooms = heat.matrix(story, wanted.width)
    key = grids.key(story.stages, rooms)
    return _under(ink, height_of(ink) + 3, story, wanted, focus, key, "heat"), "matrix"


def _life(story: Story, wanted: Wanted, focus: Focus | None) -> tuple[list[Ink], str]:
    ink, rooms = heat.life(story, wanted.width, wanted.chunk, "", focus)
    key = grids.key(story.stages, rooms)
    return _under(ink, height_of(ink) + 3, story, wanted, focus, key, "heat"), "life"


_LAYOUTS: dict[str, Callable[[Story, Wanted, Focus | None], tuple[list[Ink], str]]] = {
    "token": _grid("token"), "vector": _grid("vector"), "pair": _pair, "matrix": _matrix, "life": _life,
}  # fmt: skip


def _under(
    ink: list[Ink], y: float, story: Story, wanted: Wanted, focus: Focus | None, key: Sequence[Runs],
    kind: str = "grid",
) -> list[Ink]:  # fmt: skip
    """What stands below a drawing: phases, the finding, the legend."""
    if key:
        ink = ink + flowing(key, 1.0, y, wanted.width - 2)
        y = height_of(ink) + 2.5
    if focus:
        color = palette.VIOLATION
        ink = ink + note(focus.title, focus.sentences, color, 0.5, y, wanted.width - 2)
        y = height_of(ink) + 3
    if wanted.legend == "on" and kind == "grid":
        ink = ink + legend.placed(legend.entries(story, boxes_in(ink)), 1.0, y, wanted.width - 2)
    return ink


def flowing(entries: Sequence[Runs], x: float, y: float, width: float) -> list[Ink]:
    """Short texts one after another, on as many lines as they need."""
    ink: list[Ink] = []
    at, baseline = x, y + 6.6
    for runs in entries:
        wide = sum(width_of(text, face, palette.LABEL) for text, face in runs)
        if at > x and at + wide > x + width:
            at, baseline = x, baseline + LEADING
        ink.append(Text(at, baseline, runs, kind="key"))
        at += wide + 9
    return ink


def boxes_in(ink: Sequence[Ink]) -> frozenset[str]:
    """The kinds of box and chip that are drawn."""
    kinds = set()
    fills = [part for part in ink if isinstance(part, Fill)]
    edges = [part for part in ink if isinstance(part, Frame) and part.kind == "edge"]
    if any(fill.kind == "box whole" for fill in fills):
        kinds.add("whole")
    if any(fill.kind.startswith("slot") for fill in fills):
        kinds.add("partial")
    if any(edge.color == palette.RULE for edge in edges):
        kinds.add("unset")
    if any(edge.height == token.SPLIT for edge in edges):
        kinds.add("split")
    if any(fill.kind == "chip" and fill.color == palette.SEVERAL for fill in fills):
        kinds.add("several")
    return frozenset(kinds)
