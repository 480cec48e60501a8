"""The token layout: each lane shows the chunk just received and, if it is another, the one sent next."""

from __future__ import annotations

from collections.abc import Sequence

from ringproof.figure import grid as grids
from ringproof.figure import palette
from ringproof.figure.arrows import Arrow, drawn, wraps
from ringproof.figure.boxes import Room, token
from ringproof.figure.focus import Focus, look, send_color
from ringproof.figure.grid import Grid, NotLegibleError
from ringproof.figure.lettering import width_of
from ringproof.figure.marks import beside, lifelines, violation
from ringproof.figure.scene import Ink, snapped
from ringproof.figure.story import Cell, Sent, Story

MOST_RANKS = 8
BOX, HEIGHT, SPLIT = 15.5, 10.6, 9.8
LANE, SPLIT_LANE = 22.0, 26.0
LEAST_GAP = 9.0


def panel(
    story: Story, width: float, focus: Focus | None = None, lane: float = 0.0
) -> tuple[list[Ink], Grid]:
    """The drawing without its legend, ``lane`` the least height of a lane; errors: `NotLegibleError`."""
    if story.ranks > MOST_RANKS:
        raise NotLegibleError(f"token is for up to {MOST_RANKS} ranks")
    if any(len(message.sends) > 1 for message in story.messages()):
        raise NotLegibleError("a message carries several chunks")
    shown = shown_in(story, focus)
    most = max(map(len, shown.values()), default=1)
    if most > 2:
        raise NotLegibleError(f"a rank has {most} chunks to show at once")
    rooms_wide = max(BOX, 4 + max(width_of(story.slot_name(c), "bold", palette.LABEL) for c in _slots(shown)))
    reserved = beside(story, focus) if most == 2 else 0.0
    made = grids.grid(story, width - reserved, rooms_wide, max(lane, SPLIT_LANE if most == 2 else LANE))
    if made.gap < LEAST_GAP:
        raise NotLegibleError(f"{story.steps} steps leave no room for arrows in {width:g} pt")
    rooms = _rooms(shown, made)
    wrapped = wraps(story.sends, story.ranks)
    ink = grids.backdrop(story, made)
    ink += grids.seams(made) if wrapped else []
    ink += lifelines(focus, made, lambda rank, slot: made.y(rank))
    for send in _painting(story.sends, focus):
        ink += drawn(_arrow(story, send, rooms, wrapped, focus), made)
    for cell, room in rooms.items():
        content = story.content(cell)
        ink += token(room, story.slot_name(cell[2]), content, look(cell, content, focus))
    return ink + violation(focus, rooms, made, width - 1), made


def _slots(shown: dict[tuple[int, int], list[int]]) -> set[int]:
    return {slot for slots in shown.values() for slot in slots} or {0}


def _painting(sends: Sequence[Sent], focus: Focus | None) -> list[Sent]:
    """Sends in painting order: a counterexample lies over what surrounds it."""
    if focus is None:
        return list(sends)
    return sorted(sends, key=lambda send: (send.event == focus.at, send.event in focus.events))


def shown_in(story: Story, focus: Focus | None = None) -> dict[tuple[int, int], list[int]]:
    """State and rank -> the slots shown there: received first, then sent next."""
    shown: dict[tuple[int, int], list[int]] = {}
    received = [((s.step + 1, s.receiver), s.into) for s in story.sends]
    sent = [((s.step, s.sender), s.chunk) for s in story.sends]
    extra = [((focus.cell[0], focus.cell[1]), focus.cell[2])] if focus and focus.cell else []
    for place, slot in (*received, *sent, *extra):
        slots = shown.setdefault(place, [])
        if slot not in slots:
            slots.append(slot)
    return shown


def _rooms(shown: dict[tuple[int, int], list[int]], grid: Grid) -> dict[Cell, Room]:
    rooms: dict[Cell, Room] = {}
    wide = snapped(grid.box)
    for (state, rank), slots in sorted(shown.items()):
        height = HEIGHT if len(slots) == 1 else SPLIT
        top = grid.y(rank) - (height / 2 if len(slots) == 1 else height + 0.5)
        for number, slot in enumerate(slots):
            name = f"t{state}_r{rank}_s{slot}"
            y = top + number * (height + 1.0)
            left = snapped(grid.x(state) - grid.box / 2)
            rooms[state, rank, slot] = Room(left, snapped(y), wide, height, name)
    return rooms


def _arrow(
    story: Story, send: Sent, rooms: dict[Cell, Room], wrapped: dict[tuple[int, int, int], int],
    focus: Focus | None,
) -> Arrow:  # fmt: skip
    tail, tip = rooms[send.step, send.sender, send.chunk], rooms[send.step + 1, send.receiver, send.into]
    carried = story.content((send.step, send.sender, send.chunk))
    color, strong = send_color(send.event, palette.chunk_color(carried.chunk), focus)
    return Arrow(
        f"send_t{send.step}_r{send.sender}_r{send.receiver}_c{send.chunk}", color,
        (tail.x + tail.width, tail.middle), (tip.x, tip.middle), send.reduce, send.whole,
        wrapped.get((send.step, send.sender, send.receiver), 0), tail.name, tip.name, strong,
    )  # fmt: skip
