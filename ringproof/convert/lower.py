"""A table at one size -> what every rank does, in one order that has the table's meaning.

Lock-step says: all sends of a step read the state before it, then all writes land.  Each rank does, step
by step: first it sends (and saves what a local move would find overwritten), then it receives, then
it moves.  So in this order every read finds what the table says.  `blocks` keeps it, for every two
operations of a rank that touch a cell: in whatever order threadblocks run, a read waits for the last
write before it, and a write for the last write and for the reads since.  Contents then follow by
induction over the steps, with messages matched one to one: on a connection both sides have the same order,
by step, then by slot written.

A receive that overwrites what its own step still sends waits for that send, and the send for room on its
connection.  That cannot close a circle where a connection has two messages a step, the window of the Simple
protocol.  With ``landing`` receives of busier connections that would wait so land in scratch, and a local
move brings them to place: no receive then waits for a send of its step, all that is waited for lies in an
earlier step, or is an earlier message of the step in the order (sender, slot), or a local move which nobody
in the step waits for; so nothing hangs with a window of two.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ringproof.convert.layout import Cell, Layout
from ringproof.events import Events
from ringproof.program.load import COUNTS
from ringproof.program.model import Op

LANDS_ABOVE = 2  # messages of a connection in one step
Connection = tuple[int, int, int]  # sender, receiver, lane
Landing = Literal["never", "busy"]


@dataclass(frozen=True, slots=True)
class Move:
    """``count`` consecutive chunks in one operation of a rank; ``into``, ``out``: messages by number."""

    op: Op
    source: Cell | None = None
    target: Cell | None = None
    count: int = 1
    lane: int = 0
    into: int = -1
    out: int = -1

    def reads(self) -> Iterator[Cell]:
        """The cells that it reads."""
        yield from _cells(self.source, self.count)
        if self.op == "re":
            yield from _cells(self.target, self.count)

    def writes(self) -> Iterator[Cell]:
        """The cells that it writes."""
        yield from _cells(self.target, self.count)


@dataclass(frozen=True, slots=True)
class Lowered:
    """``moves``: for every rank its operations in order; ``messages``: the connection of each message."""

    layout: Layout
    moves: tuple[tuple[Move, ...], ...]
    messages: tuple[Connection, ...]


@dataclass(frozen=True, slots=True)
class _Event:
    """One send of a table, its slots renumbered."""

    sender: int
    receiver: int
    chunk: int
    into: int
    reduce: bool
    lane: int


@dataclass(frozen=True, slots=True)
class _Message:
    """One message: the cells it is read from, added to (or none) and written to, or the cells it lands in."""

    connection: Connection
    source: Cell
    added: Cell | None
    target: Cell
    count: int = 1


def lower(events: Events, layout: Layout, landing: Landing) -> Lowered:
    """Every step of a table as operations, and at the end what the promise still misses."""
    state = _State(layout)
    for step in range(events.steps):
        state.step(_events(events, layout, step), landing)
    state.finish()
    return Lowered(layout, tuple(map(tuple, state.moves)), tuple(state.messages))


def _events(events: Events, layout: Layout, step: int) -> list[_Event]:
    a, b = events.bounds[step], events.bounds[step + 1]
    columns = (events.sender, events.receiver, events.chunk, events.into, events.reduce)
    found = [
        _Event(sender, receiver, numbers[chunk], numbers[into], reduce, lane)
        for sender, receiver, chunk, into, reduce in zip(*(c[a:b].tolist() for c in columns), strict=True)
        for lane, numbers in enumerate(layout.place)
    ]
    return sorted(found, key=lambda e: (e.sender, e.lane, e.receiver, e.into, e.chunk))


class _State:
    """What was done so far; ``home``: for every rank and slot where its value lies."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.slots = layout.chunks + layout.scratch
        self.home = [
            [layout.first(r, c) or layout.then(r, c) for c in range(self.slots)] for r in range(layout.ranks)
        ]
        self.moves: list[list[Move]] = [[] for _ in range(layout.ranks)]
        self.messages: list[Connection] = []

    def step(self, events: Sequence[_Event], landing: Landing) -> None:
        """One step: sends, then receives, then local moves."""
        crossing = [e for e in events if e.sender != e.receiver]
        local = [e for e in events if e.sender == e.receiver]
        sources = {e: self.home[e.sender][e.chunk] for e in events}
        read = {(e.sender, sources[e]) for e in events}
        written = {(e.receiver, self.layout.then(e.receiver, e.into)) for e in events}
        busy = Counter((e.sender, e.receiver, e.lane) for e in crossing)
        spare = [self.layout.scratch + self.layout.chunks] * self.layout.ranks
        late: list[tuple[_Event, Cell]] = []
        messages = []
        for e in local:
            if (e.sender, sources[e]) in written:
                saved = self._spare(spare, e.sender)
                self.moves[e.sender].append(Move("cpy", sources[e], saved, lane=e.lane))
                sources[e] = saved
        for e in crossing:
            target = self.layout.then(e.receiver, e.into)
            connection = e.sender, e.receiver, e.lane
            waits = (e.receiver, target) in read
            if landing == "busy" and waits and busy[connection] > LANDS_ABOVE:
                target = self._spare(spare, e.receiver)
                late.append((e, target))
                messages.append(_Message(connection, sources[e], None, target))
                continue
            added = self.home[e.receiver][e.into] if e.reduce else None
            self.home[e.receiver][e.into] = target
            messages.append(_Message(connection, sources[e], added, target))
        self._exchange(_merged(messages))
        for e, source in [*((e, sources[e]) for e in local), *late]:
            self._local(e, source)

    def _spare(self, spare: list[int], rank: int) -> Cell:
        spare[rank] += 1
        return "s", spare[rank] - 1

    def _exchange(self, messages: Sequence[_Message]) -> None:
        first = len(self.messages)
        self.messages += [m.connection for m in messages]
        for number, m in enumerate(messages, first):
            sender, _, lane = m.connection
            self.moves[sender].append(Move("s", m.source, None, m.count, lane, out=number))
        for number, m in enumerate(messages, first):
            _, receiver, lane = m.connection
            op: Op = "r" if m.added is None else "rrc"
            self.moves[receiver].append(Move(op, m.added, m.target, m.count, lane, into=number))

    def _local(self, e: _Event, source: Cell) -> None:
        rank, target = e.receiver, self.layout.then(e.receiver, e.into)
        held = self.home[rank][e.into]
        self.home[rank][e.into] = target
        if e.reduce and held != target:
            self.moves[rank].append(Move("cpy", held, target, lane=e.lane))
        if e.reduce or source != target:
            self.moves[rank].append(Move("re" if e.reduce else "cpy", source, target, lane=e.lane))

    def finish(self) -> None:
        """Bring what was never written to where the result is promised; merge local moves."""
        for rank, home in enumerate(self.home):
            for lane, numbers in enumerate(self.layout.place):
                for slot in sorted(numbers):
                    promised = slot < self.layout.chunks and self.layout.ends[rank][slot]
                    if promised and home[slot] != (target := self.layout.then(rank, slot)):
                        self.moves[rank].append(Move("cpy", home[slot], target, lane=lane))
            self.moves[rank] = list(_joined(self.moves[rank]))


def _follows(a: Cell | None, b: Cell | None, count: int) -> bool:
    """Whether ``b`` is the next cell after ``count`` cells from ``a``; nothing follows nothing."""
    if a is None or b is None:
        return a is b
    return b == (a[0], a[1] + count)


def _merged(messages: Sequence[_Message]) -> list[_Message]:
    """One message for consecutive chunks of one step between the same ranks, as long as runtimes take it."""
    found: list[_Message] = []
    for m in messages:
        last = found[-1] if found else None
        if last is not None and last.connection == m.connection and last.count < COUNTS[-1] and all(
            _follows(a, b, last.count)
            for a, b in ((last.source, m.source), (last.added, m.added), (last.target, m.target))
        ):  # fmt: skip
            found[-1] = replace(last, count=last.count + 1)
        else:
            found.append(m)
    return found


def _joined(moves: Sequence[Move]) -> Iterator[Move]:
    """Adjacent local moves of consecutive chunks as one, unless one reads what the other wrote."""
    last: Move | None = None
    for m in moves:
        if last is not None and m.op == last.op and m.op in ("cpy", "re") and m.lane == last.lane and (
            last.count < COUNTS[-1] and _follows(last.source, m.source, last.count)
            and _follows(last.target, m.target, last.count) and m.source not in set(last.writes())
            and m.target not in {*last.reads(), m.source}
        ):  # fmt: skip
            last = replace(last, count=last.count + 1)
            continue
        if last is not None:
            yield last
        last = m
    if last is not None:
        yield last


def _cells(first: Cell | None, count: int) -> Iterator[Cell]:
    if first is not None:
        yield from ((first[0], first[1] + i) for i in range(count))


def compact(moves: Sequence[Move]) -> tuple[tuple[Move, ...], int]:
    """Number the scratch cells that a rank uses without gaps; the moves, and how many cells those are."""
    used = sorted({cell[1] for m in moves for cell in (*m.reads(), *m.writes()) if cell[0] == "s"})
    number = defaultdict(int, {old: new for new, old in enumerate(used)})

    def moved(cell: Cell | None) -> Cell | None:
        return ("s", number[cell[1]]) if cell is not None and cell[0] == "s" else cell

    return tuple(replace(m, source=moved(m.source), target=moved(m.target)) for m in moves), len(used)
