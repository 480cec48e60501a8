"""A refuted schedule -> the first violation that a figure shows, and the history that led to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ringproof.diagnose.lineage import Contents, Lineage, Moment, moment, wanted
from ringproof.events import Events
from ringproof.figure.focus import Focus, LifeLine
from ringproof.figure.story import Cell
from ringproof.simulate import Outcome, replay
from ringproof.table.schedule import Schedule

LifeCell = tuple[int, int, int]  # rank, slot, state


@dataclass(frozen=True, slots=True)
class Fault:
    """What to draw: an outcome that runs, cut short where the schedule cannot, and its focus."""

    outcome: Outcome
    focus: Focus


def fault(schedule: Schedule, outcome: Outcome, otherwise: str) -> Fault:
    """The earliest violation; ``otherwise`` is the sentence for what has no place, such as a count."""
    broken = [name for name, found in outcome.violations.items() if found and name not in schedule.waive]
    for name in ("in-range", "conflict-free"):
        if name in broken:
            return _cannot_run(outcome, name)
    lineage = Lineage(outcome)
    if set(broken) - {"no-resend", "claims"}:  # a wrong sum explains what is sent again for nothing
        broken = [name for name in broken if name != "no-resend"]
    found = [f for name in broken for f in _violations(lineage, outcome, name)]
    if not found:
        return Fault(outcome, Focus("Refuted", (otherwise,)))
    return Fault(outcome, min(found, key=lambda pair: pair[0])[1])


def _violations(lineage: Lineage, outcome: Outcome, name: str) -> Iterator[tuple[tuple[int, int], Focus]]:
    """The first violation of one property, with when it happens."""
    violations = outcome.violations[name]
    if violations.events:
        m = moment(outcome.events, violations.events[0])
        made = {"once": _double, "defined": _unset, "no-resend": _again}.get(name)
        if made:
            yield (m.step, 0), made(lineage, m)
        return
    ensured = int(name[8:-1]) if name.startswith("ensures[") else -1
    end = outcome.events.ensures[ensured].step if ensured >= 0 else outcome.events.steps
    best = min(((_cause(lineage, cell, end), cell) for cell in violations.cells), key=lambda pair: pair[0])
    (step, event), cell = best
    focus = _copied(lineage, cell, event, ensured) if event >= 0 else _left(lineage, cell, end, ensured)
    yield (step, 1), focus


def _cause(lineage: Lineage, cell: tuple[int, int], end: int) -> tuple[int, int]:
    """When a slot goes wrong: the earliest copy of what it ends with, or the end, without a copy (-1)."""
    copies, *_ = lineage.origin(*cell, end)
    if copies:
        return int(lineage.events.step[copies[-1]]), copies[-1]
    return end, -1


def _double(lineage: Lineage, m: Moment) -> Focus:
    counts = lineage.contents(int(lineage.trail.after[m.event]))
    (rank, _), times = max(counts.items(), key=lambda item: (item[1], -item[0][0]))
    sentences = (f"step {m.step}: rank {m.receiver} adds {_slot(lineage, m.chunk)} from rank {m.sender}",
                 f"the part of rank {rank} is now in the sum {times} times")  # fmt: skip
    return _focus(lineage, m, "Double count", sentences, f"x{times}", [(m.receiver, m.into, m.step)])


def _unset(lineage: Lineage, m: Moment) -> Focus:
    sent = int(lineage.trail.sent[m.event]) != 0
    if sent:
        what = f"step {m.step}: rank {m.receiver} adds to {_slot(lineage, m.into)}, which nothing has set"
    else:
        what = f"step {m.step}: rank {m.sender} sends {_slot(lineage, m.chunk)}, which nothing has set"
    return _focus(lineage, m, "Unset slot", (what,), "unset")


def _again(lineage: Lineage, m: Moment) -> Focus:
    sentences = (f"step {m.step}: rank {m.sender} sends {_slot(lineage, m.chunk)} to rank {m.receiver}",
                 "the message repeats a value, or brings nothing that the slot lacks")  # fmt: skip
    return _focus(lineage, m, "Sent again", sentences, "again")


def _copied(lineage: Lineage, cell: tuple[int, int], event: int, ensured: int) -> Focus:
    m = moment(lineage.events, event)
    got = lineage.contents(int(lineage.trail.after[event]))
    tag, told = _compared(lineage.events, cell, got, ensured)
    what = "an unfinished sum" if "/" in tag else "something else"
    title = "Unfinished sum copied" if "/" in tag else "Wrong chunk copied"
    first = (
        f"step {m.step}: rank {m.sender} overwrites {_slot(lineage, m.into)} on rank {m.receiver} with {what}"
    )
    return _focus(lineage, m, title, (first, told), tag)


def _left(lineage: Lineage, cell: tuple[int, int], end: int, ensured: int) -> Focus:
    rank, slot = cell
    tag, told = _compared(lineage.events, cell, lineage.contents(lineage.held(rank, slot, end)), ensured)
    when = "at the end" if ensured < 0 else f"after step {end - 1}, where its phase promises more"
    lines, events = _history(lineage, [(rank, slot, end)])
    sentences = (f"{when} {_slot(lineage, slot)} on rank {rank} is not what is promised", told)
    return Focus("Unfinished" if "/" in tag else "Wrong contents", sentences, tag, None,
                 (end, rank, slot), events, lines)  # fmt: skip


def _compared(events: Events, cell: tuple[int, int], got: Contents, ensured: int) -> tuple[str, str]:
    """A tag such as 2/4, and what is missing or does not belong."""
    expected = wanted(events, cell, ensured)
    twice = sorted(k for (k, c), times in got.items() if times > 1)
    strange = sorted({c for k, c in got if (k, c) not in expected})
    missing = sorted(k for k, c in expected if (k, c) not in got)
    have = f"{len(expected) - len(missing)} of {len(expected)} parts"
    lack = f", missing {_ranks(missing)}" if missing else ""
    if twice:
        return "x2", f"the part of rank {twice[0]} is in it more than once{lack}"
    if strange:
        return "wrong", f"{have}{lack}; a part of c{strange[0]} does not belong"
    return f"{len(expected) - len(missing)}/{len(expected)}", f"{have}{lack}"


def _ranks(ranks: list[int]) -> str:
    names = [str(rank) for rank in ranks[:6]]
    if len(ranks) == 1:
        return f"rank {names[0]}"
    if len(ranks) > 6:
        return f"ranks {', '.join(names)} and {len(ranks) - 6} more"
    return f"ranks {', '.join(names[:-1])} and {names[-1]}"


def _slot(lineage: Lineage, slot: int) -> str:
    chunks = lineage.events.chunks
    return f"c{slot}" if slot < chunks else f"t{slot - chunks}"


def _focus(
    lineage: Lineage, m: Moment, title: str, sentences: tuple[str, ...], tag: str,
    more: Sequence[LifeCell] = (),
) -> Focus:  # fmt: skip
    lines, events = _history(lineage, [(m.sender, m.chunk, m.step), *more])
    cell = m.step + 1, m.receiver, m.into
    return Focus(title, sentences, tag, m.event, cell, events, lines)


def _history(lineage: Lineage, ends: list[LifeCell]) -> tuple[tuple[LifeLine, ...], frozenset[int]]:
    """Where the values in some slots come from: how long each waited where, and every send of it."""
    lines: dict[LifeCell, int] = {}
    events: set[int] = set()
    todo, seen = list(ends), set(ends)
    while todo:
        rank, slot, state = todo.pop()
        writer = lineage.writer(rank, slot, state)
        start = int(lineage.events.step[writer]) + 1 if writer is not None else 0
        lines[rank, slot, start] = max(state, lines.get((rank, slot, start), state))
        if writer is None:
            continue
        for event in _together(lineage.events, writer):
            events.add(event)
            sender, chunk = int(lineage.events.sender[event]), int(lineage.events.chunk[event])
            before: list[LifeCell] = [(sender, chunk, start - 1)]
            before += [(rank, slot, start - 1)] if lineage.events.reduce[event] else []
            todo += [place for place in before if place not in seen]
            seen |= set(before)
    return tuple((r, c, a, b) for (r, c, a), b in sorted(lines.items())), frozenset(events)


def _together(events: Events, writer: int) -> list[int]:
    """All sends that write a slot in the step in which one does."""
    same = ((events.step == events.step[writer]) & (events.receiver == events.receiver[writer])
            & (events.into == events.into[writer]))  # fmt: skip
    return [int(event) for event in np.flatnonzero(same)]


def _cannot_run(outcome: Outcome, name: str) -> Fault:
    """A schedule that cannot be replayed is drawn up to the step in which it fails."""
    violations = outcome.violations[name]
    m = moment(outcome.events, violations.events[0])
    events, at = _cut(outcome.events, m)
    short = replace(outcome, events=events, trail=replay(events))
    if name == "conflict-free":
        other = moment(outcome.events, violations.other[0])
        sentences = (
            f"step {m.step}: ranks {other.sender} and {m.sender} both write slot {m.into} of rank "
            f"{m.receiver}",
            "a step may write a slot by one copy or by any number of adds",
        )
        cell: Cell = (m.step + 1, m.receiver, m.into)
        return Fault(short, Focus("Two writes at once", sentences, "clash", at, cell, broken=True))
    what = {"sender": "rank", "receiver": "rank"}.get(violations.what, "slot")
    number = {"sender": m.sender, "receiver": m.receiver, "chunk": m.chunk, "into": m.into}[violations.what]
    sentences = (f"step {m.step}: rank {m.sender} sends slot {m.chunk} to slot {m.into} of rank {m.receiver}",
                 f"there is no {what} {number}")  # fmt: skip
    inside = 0 <= m.sender < events.ranks and 0 <= m.chunk < events.slots
    place = (m.step, m.sender, m.chunk) if inside else None
    return Fault(short, Focus(f"No such {what}", sentences, f"no {what} {number}", None, place, broken=True))


def _cut(events: Events, m: Moment) -> tuple[Events, int | None]:
    """The sends up to a step that can be drawn, and which of them the offender is."""
    top = {"sender": events.ranks, "receiver": events.ranks, "chunk": events.slots, "into": events.slots}
    keep = events.step <= m.step
    for name, limit in top.items():
        column = getattr(events, name)
        keep &= (column >= 0) & (column < limit)
    columns = {name: getattr(events, name)[keep] for name in ("step", *top, "reduce", "row")}
    steps = m.step + 1
    bounds = np.searchsorted(columns["step"], np.arange(steps + 1))
    starts = tuple(min(start, steps) for start in events.starts)
    short = replace(events, **columns, steps=steps, bounds=bounds, starts=starts, ensures=())
    at = int(np.count_nonzero(keep[: m.event])) if keep[m.event] else None
    return short, at
