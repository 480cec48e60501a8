"""The rounds of a program: the earliest lock-step in which each message can stand.

In a table a message is one event: what it carries is read before its step and lands after it.  In a
program it may be sent early and received late.  It stands in any step t that is

- after the last write of what it reads, and not after the next one;
- after the last write of what it overwrites or adds to (reduces with no read between them may share a
  step), and not before a read of that.

Every read then finds the write that it found in the program, so contents agree slot by slot.  The steps are
the longest paths of these conditions.  Where conditions go round in a circle, because something was
overwritten at the sender before the receiver took the old value, the messages of that circle are split: one
lands in a spare slot when it is sent and is moved to place when it was received.  With all split, every
condition points forward in the order of the program, so there is always an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ringproof.convert.atoms import Atom, Atoms, Slot, split


@dataclass(frozen=True, slots=True)
class Round:
    """One send of a table."""

    step: int
    sender: int
    receiver: int
    chunk: int
    into: int
    reduce: bool


@dataclass(slots=True)
class _Event:
    """A message with both its ends, or a local operation; ``after``: what comes before, and by how much."""

    send: Atom
    write: Atom
    after: dict[int, int] = field(default_factory=dict)


def rounds(atoms: Atoms) -> tuple[tuple[Round, ...], int]:
    """The sends of a table, by step; and its number of slots."""
    done = {-1}
    while True:
        events = _events(atoms.atoms)
        level, circles = _levels([event.after for event in events])
        together = {events[e].send.message for e in circles} - done
        if not together:
            break
        atoms = split(atoms, together)
        done |= together
    found = [
        Round(level[e], a[0], b[0], a[1], b[1], event.write.reduce)
        for e, event in enumerate(events)
        for a, b in zip(event.send.reads, event.write.writes, strict=True)
    ]
    found.sort(key=lambda each: (each.step, each.sender, each.receiver, each.chunk, each.into))
    return tuple(found), max(atoms.used)


@dataclass(slots=True)
class _Use:
    """The last writers of a slot (one copy, or reduces that may share a step) and the reads since them.

    ``before``: what each of the writers had to come after.
    """

    writers: list[int] = field(default_factory=list)
    adding: bool = False
    readers: list[int] = field(default_factory=list)
    before: list[tuple[int, int]] = field(default_factory=list)


def _events(atoms: Sequence[Atom]) -> list[_Event]:
    events: list[_Event] = []
    number: dict[int, int] = {}
    uses: dict[Slot, _Use] = {}
    for atom in atoms:
        e = number.get(atom.message, len(events)) if atom.message >= 0 else len(events)
        if e == len(events):
            events.append(_Event(atom, atom))
            number[atom.message] = e
        if atom.writes:
            events[e].write = atom
        for slot in atom.reads:
            use = uses.setdefault(slot, _Use())
            for w in use.writers:
                _after(events, e, w, 1)
            use.readers.append(e)
        for slot in atom.writes:
            _write(events, e, uses.setdefault(slot, _Use()), atom.reduce)
    return events


def _write(events: list[_Event], e: int, use: _Use, reduce: bool) -> None:
    """Add a write of a slot; a reduce joins those before it unless somebody read what they made."""
    joins = reduce and use.adding and not use.readers
    if not joins:
        use.before = [*((w, 1) for w in use.writers), *((u, 0) for u in use.readers)]
        use.writers, use.readers, use.adding = [], [], reduce
    for other, gap in use.before:
        _after(events, e, other, gap)
    use.writers.append(e)


def _after(events: list[_Event], e: int, other: int, gap: int) -> None:
    if e != other:
        events[e].after[other] = max(events[e].after.get(other, 0), gap)


def _levels(after: Sequence[dict[int, int]]) -> tuple[list[int], set[int]]:
    """The step of every event, and the events on circles that no steps satisfy."""
    level, circles = [0] * len(after), set[int]()
    for component in _components(after):
        inside = set(component)
        if any(after[e].get(u, 0) for e in component for u in after[e].keys() & inside):
            circles |= inside
        first = max((level[u] + gap for e in component for u, gap in after[e].items() if u not in inside),
                    default=0)  # fmt: skip
        for e in component:
            level[e] = first
    return level, circles


def _components(after: Sequence[dict[int, int]]) -> list[list[int]]:
    """Strongly connected events, what must come before first (Tarjan 1972, without recursion)."""
    order: dict[int, int] = {}
    low, on, stack, found = [0] * len(after), [False] * len(after), list[int](), list[list[int]]()
    for root in range(len(after)):
        if root in order:
            continue
        work = [(root, iter(after[root]))]
        low[root] = order[root] = len(order)
        stack.append(root)
        on[root] = True
        while work:
            e, rest = work[-1]
            for u in rest:
                if u not in order:
                    low[u] = order[u] = len(order)
                    stack.append(u)
                    on[u] = True
                    work.append((u, iter(after[u])))
                    break
                if on[u]:
                    low[e] = min(low[e], order[u])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[e])
                if low[e] == order[e]:
                    at = _last(stack, e)
                    found.append(stack[at:])
                    for u in stack[at:]:
                        on[u] = False
                    del stack[at:]
    return found


def _last(stack: Sequence[int], e: int) -> int:
    at = len(stack) - 1
    while stack[at] != e:
        at -= 1
    return at
