"""The vector layout: the full state, every slot of every rank; several chunks go in one message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ringproof.figure import grid as grids
from ringproof.figure import palette
from ringproof.figure.arrows import Arrow, cramped, drawn, wraps
from ringproof.figure.boxes import Room, strip
from ringproof.figure.chips import chips, runs_text
from ringproof.figure.focus import Focus, look, send_color
from ringproof.figure.grid import Grid, NotLegibleError
from ringproof.figure.marks import beside, lifelines, violation
from ringproof.figure.scene import Ink, Line, snapped
from ringproof.figure.story import MOST_LANES, Cell, Message, Story

ROW, HEIGHT, BETWEEN = 5.8, 5.0, 4.2  # points; from row to row, of a box, between two lanes
LEAST_BOX, LEAST_SLOT, LEAST_LANE = 15.5, 1.1, 11.0
GOOD_SLOT, GOOD_SHARE = 2.3, 0.27  # points a slot may have, and of a column all slots, where there is room
LEAST_GAP, MOST_HEIGHT = 13.0, 620.0
BRACKET, NEXT, TOOTH = 1.6, 1.6, 0.9  # a bracket's distance from its box, and from the next one


@dataclass(frozen=True, slots=True)
class Port:
    """Where a message leaves or arrives: a point, and the bracket round its slots."""

    x: float
    y: float
    ink: tuple[Ink, ...]


def panel(
    story: Story, width: float, focus: Focus | None = None, lane: float = 0.0
) -> tuple[list[Ink], Grid]:
    """The drawing without its legend, ``lane`` the least height of a lane; errors: `NotLegibleError`."""
    if story.ranks > MOST_LANES:
        raise NotLegibleError(f"vector is for up to {MOST_LANES} ranks")
    roomy = min(GOOD_SLOT * story.ranks, GOOD_SHARE * width / (story.steps + 1))
    box = max(LEAST_BOX, LEAST_SLOT * story.ranks, roomy)
    lane = max(lane, LEAST_LANE, story.slots * ROW + BETWEEN)
    if lane * story.ranks > MOST_HEIGHT:
        raise NotLegibleError(f"{story.ranks} ranks with {story.slots} slots each are taller than a page")
    made = grids.grid(story, width - beside(story, focus), box, lane)
    if made.gap < LEAST_GAP:
        raise NotLegibleError(f"{story.steps} steps leave no room for arrows in {width:g} pt")
    messages = _painting(story.messages(), focus)
    rooms = _rooms(story, made)
    wrapped = wraps(story.sends, story.ranks)
    arrows = _arrows(story, messages, rooms, wrapped, focus)
    if (more := max((cramped(arrow, made) for arrow, _ in arrows), default=0.0)) > 0.01:
        return panel(story, width, focus, lane + 2 * more + 0.1)
    ink = grids.backdrop(story, made)
    ink += grids.seams(made) if wrapped else []
    ink += lifelines(focus, made, lambda rank, slot: rooms[0, rank, slot].middle)
    for arrow, brackets in arrows:
        ink += [*brackets, *drawn(arrow, made)]
    for cell, room in rooms.items():
        content = story.content(cell)
        ink += strip(room, content, look(cell, content, focus))
    shown = [(message, arrow) for message, (arrow, _) in zip(messages, arrows, strict=True)
             if focus is None or arrow.strong or len(message.sends) > 1]  # fmt: skip
    ink += chips([(_words(story, m), a) for m, a in shown], made, [r for _, r in sorted(rooms.items())])
    return ink + violation(focus, rooms, made, width - 1), made


def _words(story: Story, message: Message) -> str:
    """What a chip says: the slots read, in runs; where it goes if that is another slot."""
    words = runs_text([story.slot_name(slot) for slot in message.chunks])
    if message.into != message.chunks:
        into = message.into if len(set(message.into)) > 1 else message.into[:1]
        words += ">" + runs_text([story.slot_name(slot) for slot in into])
    return words


def _painting(messages: Sequence[Message], focus: Focus | None) -> list[Message]:
    if focus is None:
        return list(messages)
    return sorted(messages, key=lambda m: (any(s.event == focus.at for s in m.sends),
                                           any(s.event in focus.events for s in m.sends)))  # fmt: skip


def _rooms(story: Story, grid: Grid) -> dict[Cell, Room]:
    rooms: dict[Cell, Room] = {}
    wide = snapped(grid.box)
    for state in range(grid.columns):
        for rank in range(story.ranks):
            top = grid.y(rank) - (story.slots * ROW - (ROW - HEIGHT)) / 2
            for slot in range(story.slots):
                name = f"t{state}_r{rank}_s{slot}"
                left = snapped(grid.x(state) - grid.box / 2)
                rooms[state, rank, slot] = Room(left, snapped(top + slot * ROW), wide, HEIGHT, name)
    return rooms


def _arrows(
    story: Story, messages: Sequence[Message], rooms: dict[Cell, Room],
    wrapped: dict[tuple[int, int, int], int], focus: Focus | None,
) -> list[tuple[Arrow, tuple[Ink, ...]]]:  # fmt: skip
    out, into = _offsets(messages, "out"), _offsets(messages, "in")
    arrows = []
    for i, message in enumerate(messages):
        step, sender, receiver = message.key
        several = len(message.sends) > 1
        first = message.sends[0]
        own = palette.chunk_color(story.content((step, sender, first.chunk)).chunk)
        color, strong = _color(message, palette.SEVERAL if several else own, focus)
        tails = [rooms[step, sender, slot] for slot in message.chunks]
        tips = [rooms[step + 1, receiver, slot] for slot in message.into]
        leave, arrive = _port(tails, 1, out.get(i), color), _port(tips, -1, into.get(i), color)
        chunks = "_".join(f"c{slot}" for slot in message.chunks)
        arrow = Arrow(
            f"send_t{step}_r{sender}_r{receiver}_{'add' if message.reduce else 'copy'}_{chunks}", color,
            (leave.x, leave.y), (arrive.x, arrive.y), message.reduce, message.whole,
            wrapped.get(message.key, 0), tails[0].name, tips[0].name, strong,
        )  # fmt: skip
        arrows.append((arrow, (*leave.ink, *arrive.ink)))
    return arrows


def _color(message: Message, color: str, focus: Focus | None) -> tuple[str, bool]:
    found = [send_color(send.event, color, focus) for send in message.sends]
    return max(found, key=lambda pair: (pair[1], pair[0] == palette.VIOLATION))


def _offsets(messages: Sequence[Message], side: str) -> dict[int, int]:
    """Which of several brackets at one rank and state each message has, counted from the box."""
    used: dict[tuple[int, int], int] = {}
    offsets: dict[int, int] = {}
    for i, message in enumerate(messages):
        if len(message.sends) == 1:
            continue
        step, sender, receiver = message.key
        place = (step, sender) if side == "out" else (step, receiver)
        offsets[i] = used.get(place, 0)
        used[place] = offsets[i] + 1
        if offsets[i] > 2:
            raise NotLegibleError("a rank has more than three messages of several chunks at once")
    return offsets


def _port(rooms: Sequence[Room], side: int, offset: int | None, color: str) -> Port:
    """The end of a message: the edge of a box, or a bracket with a tooth at every run of slots."""
    edge = rooms[0].x + (rooms[0].width if side > 0 else 0)
    if offset is None:
        return Port(edge, rooms[0].middle, ())
    x = edge + side * (BRACKET + NEXT * offset)
    top = min(room.y for room in rooms)
    bottom = max(room.y + room.height for room in rooms)
    ink: list[Ink] = [Line(x, top, x, bottom, color, 0.8, kind="bracket")]
    for room in rooms:
        ink.append(Line(x, room.middle, edge + side * 0.3, room.middle, color, 0.5, kind="tooth"))
    return Port(x, (top + bottom) / 2, tuple(ink))
