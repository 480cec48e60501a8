"""The marks of a counterexample, and the words under a drawing: verdict, finding and legend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ringproof.figure import palette
from ringproof.figure.boxes import Room
from ringproof.figure.focus import Focus
from ringproof.figure.grid import Grid
from ringproof.figure.lettering import width_of, wrapped
from ringproof.figure.scene import Fill, Frame, Ink, Line, Text, bold, regular
from ringproof.figure.story import Cell, Story

LEADING = 8.6


def lifelines(focus: Focus | None, grid: Grid, y: Callable[[int, int], float]) -> list[Ink]:
    """How long each value of the history waited, as thick strokes along its lane."""
    if focus is None:
        return []
    half = grid.box / 2
    return [
        Line(grid.x(a) + half, y(rank, slot), grid.x(b) - half, y(rank, slot), palette.HISTORY, 1.6,
             kind="history")
        for rank, slot, a, b in focus.lines if b > a
    ]  # fmt: skip


def tag_width(focus: Focus) -> float:
    """How wide the tag of a violation is."""
    return width_of(focus.tag, "bold", palette.LABEL) + 3.2


def beside(story: Story, focus: Focus | None) -> float:
    """The room at the right that a tag needs which stands beside a box of the last state."""
    if focus is None or focus.cell is None or not focus.tag or focus.cell[0] < story.steps:
        return 0.0
    return tag_width(focus) + 1.8


def violation(focus: Focus | None, rooms: Mapping[Cell, Room], grid: Grid, right: float) -> list[Ink]:
    """A red frame round the spoilt slot, and its tag above it or beside it, at most as far as ``right``."""
    if focus is None or focus.cell is None or focus.cell not in rooms:
        return []
    room = rooms[focus.cell]
    ink: list[Ink] = [
        Frame(room.x, room.y, room.width, room.height, palette.VIOLATION, 1.4, kind="violation")
    ]
    if not focus.tag:
        return ink
    width, height = tag_width(focus), 8.4
    x = max(grid.left, min(room.x + room.width / 2 - width / 2, right - width))
    y = room.y - height - 0.9
    if any(_overlaps(other, x, y, width, height) for other in rooms.values()):
        x, y = room.x + room.width + 1.2, room.middle - height - 0.6  # beside: above is a neighbour
    if x + width > right:
        x = room.x - width - 1.2
    ink.append(Fill(x, y, width, height, palette.VIOLATION, kind="tag"))
    return [*ink, Text(x + width / 2, y + 6.4, bold(focus.tag), "middle", palette.LABEL, palette.WHITE,
                       kind="tag")]  # fmt: skip


def _overlaps(room: Room, x: float, y: float, width: float, height: float) -> bool:
    return (room.x < x + width and x < room.x + room.width
            and room.y < y + height and y < room.y + room.height)  # fmt: skip


def note(title: str, sentences: Sequence[str], color: str, x: float, y: float, width: float) -> list[Ink]:
    """A verdict beside a bar: a bold title and what it means."""
    lines = [line for sentence in sentences for line in wrapped(sentence, palette.LABEL, width - 8)]
    height = LEADING * (1 + len(lines)) + 2
    ink: list[Ink] = [Fill(x + 0.5, y, 2.0, height, color, kind="bar")]
    ink.append(Text(x + 6, y + 7.4, bold(title), "left", palette.LABEL, color, kind="note"))
    for number, line in enumerate(lines):
        ink.append(Text(x + 6, y + 7.4 + LEADING * (number + 1), regular(line), kind="note"))
    return ink


def height_of(ink: Sequence[Ink]) -> float:
    """The lowest point of some ink."""
    lowest = 0.0
    for part in ink:
        match part:
            case Text():
                lowest = max(lowest, part.y + 0.22 * part.size)
            case Line():
                lowest = max(lowest, part.y1, part.y2)
            case Fill() | Frame():
                lowest = max(lowest, part.y + part.height)
    return lowest
