"""What the cells of matrix and life say, as numbers: the lowest slot sent, and how much a slot holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ringproof.events import Events
from ringproof.figure import palette
from ringproof.figure.story import Array, Cell, Content

UNSET, TWICE = -1, -2


def shade(content: Content) -> int:
    """How much of its chunk a slot holds: so many parts, 0 for all that is promised, unset or twice."""
    if content.empty:
        return UNSET
    if max(content.counts) > 1:
        return TWICE
    return 0 if content.whole else int(sum(content.counts))


def shades(content: Callable[[Cell], Content], held: Array, chunk: int) -> list[list[int]]:
    """Of every state the shade of one slot on every rank; ``held``: as in a story.

    The same value on the same rank is looked at once: in most states most slots are as they were.
    """
    known: dict[tuple[int, int], int] = {}
    for state, values in enumerate(held[:, :, chunk].tolist()):
        for place in enumerate(values):
            if place not in known:
                known[place] = shade(content((state, place[0], chunk)))
    return [[known[place] for place in enumerate(values)] for values in held[:, :, chunk].tolist()]


def life_color(shade: int, parts: int) -> str | None:
    """The colour of a shade: none where a slot is unset, dark once all is in.

    Counted twice has the colour of a violation, whatever the number: a wrong sum is never dark.
    """
    if shade in (UNSET, TWICE):
        return None if shade == UNSET else palette.VIOLATION
    if shade == 0:
        return palette.LIFE[2]
    share = min((shade - 1) / max(parts - 2, 1), 1.0) if parts > 1 else 1.0
    return palette.mixed(palette.LIFE[0], palette.LIFE[1], share)


def sent_colors(slots: int) -> dict[str, int]:
    """The slot that a colour of matrix says; of many some look the same, and the lowest stands for all."""
    top = max(slots - 1, 1)
    return {palette.viridis(slot / top): slot for slot in reversed(range(slots))}


def held_colors(parts: int) -> dict[str, int]:
    """The shade that a colour of life says, the first where several look the same; white is unset."""
    known = [*range(max(parts, 2)), UNSET, TWICE]
    return {(life_color(shade, parts) or palette.WHITE): shade for shade in reversed(known)}


def looks(colors: dict[str, int], color: Callable[[int], str | None], number: int) -> int:
    """The number that a cell says which is painted for another one of the same colour."""
    return colors.get(color(number) or palette.WHITE, number)


def sent_as(slots: int) -> Callable[[int], int]:
    """What the cell of a slot that is sent says; -1 where nothing is."""
    colors, top = sent_colors(slots), max(slots - 1, 1)
    return lambda slot: slot if slot < 0 else looks(colors, lambda n: palette.viridis(n / top), slot)


def held_as(parts: int) -> Callable[[int], int]:
    """What the cell of a shade says."""
    colors = held_colors(max(parts, 1))
    return lambda shade: looks(colors, lambda n: life_color(n, parts), shade)


def lowest_sent(events: Events) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """(steps, N): the lowest slot each rank sends in a message of each step, or -1."""
    sent = np.full((events.steps, events.ranks), events.slots, dtype=np.int64)
    moving = events.message
    np.minimum.at(sent, (events.step[moving], events.sender[moving]), events.chunk[moving])
    return np.where(sent == events.slots, -1, sent)


def most_sent(events: Events) -> int:
    """The most different slots that a rank sends in one step."""
    moving = events.message
    key = (events.step[moving] * events.ranks + events.sender[moving]) * events.slots + events.chunk[moving]
    _, counts = np.unique(np.unique(key) // events.slots, return_counts=True)
    return int(counts.max(initial=0))
