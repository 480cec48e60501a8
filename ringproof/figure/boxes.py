"""One slot of one rank as ink: its parts in a strip, solid once the sum is finished."""

from __future__ import annotations

from dataclasses import dataclass

from ringproof.figure import palette
from ringproof.figure.scene import Fill, Frame, Ink, Text, bold, snapped
from ringproof.figure.story import Content

STRIP = 3.0


@dataclass(frozen=True, slots=True)
class Look:
    """How a box is coloured: ``plain`` where its own colour counts, else part of a counterexample."""

    color: str
    text: str = palette.BLACK
    plain: bool = True
    stroke: float = 0.6
    missing: str = palette.WHITE
    doubled: str = palette.GREY_MORE


@dataclass(frozen=True, slots=True)
class Room:
    """Where a box is: its corner and its size, and the name it is known by in the file."""

    x: float
    y: float
    width: float
    height: float
    name: str

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


def token(room: Room, label: str, content: Content, look: Look) -> list[Ink]:
    """A box with a printed label; slot i of its strip is filled once rank i's part is in."""
    if content.whole and look.plain:
        return [*_solid(room, look.color), _label(room, label, room.height, palette.ink_on(look.color))]
    ink: list[Ink] = [Fill(room.x, room.y, room.width, room.height, palette.WHITE, room.name, "box")]
    strip = Room(room.x, room.y + room.height - STRIP, room.width, STRIP, room.name)
    ink += _slots(strip, content, look)
    ink.append(Fill(room.x, strip.y - 0.2, room.width, 0.4, look.color, kind="rule"))
    ink.append(Frame(room.x, room.y, room.width, room.height, look.color, look.stroke,
                     f"{room.name}_edge", "edge"))  # fmt: skip
    return [*ink, _label(room, label, room.height - STRIP, look.text)]


def strip(room: Room, content: Content, look: Look) -> list[Ink]:
    """A box without a label, all of it strip; an unset slot is a faint outline."""
    if content.whole and look.plain:
        return _solid(room, look.color)
    ink: list[Ink] = [Fill(room.x, room.y, room.width, room.height, palette.WHITE, room.name, "box")]
    if not content.empty:
        ink += _slots(room, content, look)
    color = palette.RULE if content.empty and look.plain else look.color
    ink.append(Frame(room.x, room.y, room.width, room.height, color, look.stroke,
                     f"{room.name}_edge", "edge"))  # fmt: skip
    return ink


def _solid(room: Room, color: str) -> list[Ink]:
    edge = palette.mixed(color, palette.BLACK, 0.35)
    return [
        Fill(room.x, room.y, room.width, room.height, color, room.name, "box whole"),
        Frame(room.x, room.y, room.width, room.height, edge, 0.9, f"{room.name}_edge", "edge"),
    ]


def _label(room: Room, label: str, height: float, color: str) -> Text:
    baseline = room.y + height / 2 + 0.36 * palette.LABEL
    return Text(room.x + room.width / 2, baseline, bold(label), "middle", palette.LABEL, color,
                f"{room.name}_label", "label")  # fmt: skip


def _slots(room: Room, content: Content, look: Look) -> list[Ink]:
    """Filled slots, and hair lines between the empty ones."""
    ranks = len(content.counts)
    edges = [snapped(room.x + rank * room.width / ranks) for rank in range(ranks + 1)]
    light = palette.mixed(look.color, palette.WHITE, 0.6)
    ink: list[Ink] = []
    for rank, times in enumerate(content.counts):
        color = look.color if times == 1 else look.doubled if times else look.missing
        if color != palette.WHITE:
            ink.append(Fill(edges[rank], room.y, edges[rank + 1] - edges[rank], room.height, color,
                            f"{room.name}_p{rank}", f"slot n{times}"))  # fmt: skip
    for rank in range(1, ranks):
        color = palette.WHITE if content.counts[rank - 1] and content.counts[rank] else light
        ink.append(Fill(edges[rank] - 0.15, room.y, 0.3, room.height, color))
    return ink
