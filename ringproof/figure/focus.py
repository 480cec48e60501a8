"""A counterexample as a figure shows it: the first violation, and the history that led to it."""

from __future__ import annotations

from dataclasses import dataclass

from ringproof.figure import palette
from ringproof.figure.boxes import Look
from ringproof.figure.story import Cell, Content

LifeLine = tuple[int, int, int, int]  # rank, slot, first and last state


@dataclass(frozen=True, slots=True)
class Focus:
    """``events``: sends of the history; ``lines``: how long each value of it waited where.

    ``at``: the violating send, and ``cell`` the slot it spoils; either may be missing.
    """

    title: str
    sentences: tuple[str, ...]
    tag: str = ""
    at: int | None = None
    cell: Cell | None = None
    events: frozenset[int] = frozenset()
    lines: tuple[LifeLine, ...] = ()
    broken: bool = False  # the schedule cannot run, and is drawn up to where it fails

    def remembers(self, cell: Cell) -> bool:
        """Whether a slot at a state belongs to the history."""
        step, rank, slot = cell
        return any(r == rank and c == slot and a <= step <= b for r, c, a, b in self.lines)


def look(cell: Cell, content: Content, focus: Focus | None) -> Look:
    """How one box is coloured: its chunk's own colour, or grey, history and violation."""
    if focus is None:
        return Look(palette.chunk_color(content.chunk))
    if cell == focus.cell:
        return Look(palette.HISTORY, plain=False, missing=palette.MISSING, doubled=palette.VIOLATION)
    if focus.remembers(cell):
        return Look(palette.HISTORY, plain=False)
    return Look(palette.GREY, palette.GREY_TEXT, plain=False)


def send_color(event: int, chunk_color: str, focus: Focus | None) -> tuple[str, bool]:
    """The colour of a send, and whether its stroke is strong."""
    if focus is None:
        return chunk_color, False
    if event == focus.at:
        return palette.VIOLATION, True
    return (palette.HISTORY, True) if event in focus.events else (palette.GREY, False)
