"""Refuted properties of one size -> findings: what is wrong, where it starts, expected and got."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ringproof.diagnose.lineage import Contents, Lineage, Moment, moment, wanted
from ringproof.diagnose.words import (
    compared,
    for_how_many,
    holds_where,
    part,
    send_text,
    slot_text,
    sum_text,
)
from ringproof.simulate import Outcome, Violations
from ringproof.table.schedule import Schedule
from ringproof.verdict import Finding, Label, Place, Route, Size

CODES = {
    "in-range": "RP202", "conflict-free": "RP203", "defined": "RP305", "complete": "RP301",
    "once": "RP302", "no-resend": "RP303", "ensures": "RP304", "used": "RP306", "ports": "RP307",
    "order": "RP308", "no-swap": "RP309", "claims": "RP401",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One refuted property at its smallest size, and how the other sizes came out."""

    schedule: Schedule
    path: str
    name: str
    outcome: Outcome
    violations: Violations
    proved: Sequence[Size]
    refuted: Sequence[Size]
    asked: int

    @property
    def size(self) -> Size:
        return self.outcome.events.size

    @property
    def chunks(self) -> int:
        return self.outcome.events.chunks

    @property
    def headline(self) -> str:
        return for_how_many(self.refuted, self.asked)

    def first(self) -> Moment:
        """The earliest send at fault."""
        return moment(self.outcome.events, self.violations.events[0])

    def earlier(self) -> Moment | None:
        """The send that the earliest one clashes with."""
        other = self.violations.other[:1]
        return moment(self.outcome.events, other[0]) if other and other[0] >= 0 else None

    def slot(self, slot: int) -> str:
        return slot_text(slot, self.chunks)

    def trace(self, chunk: int) -> str:
        params = "".join(f" -p {name}={value}" for name, value in self.size.params)
        command = f"ringproof trace {self.path} -N {self.size.N}{params} --chunk {chunk}"
        return f"{command}   shows every step of {self.slot(chunk)}"


def finding(case: Case) -> Finding:
    """The finding for a refuted property."""
    base = case.name.partition("[")[0]
    made = _MAKERS[base](case)
    notes = (*made.notes, holds_where(case.proved, case.refuted))
    details = {"property": base, "N": case.size.N, "params": dict(case.size.params),
               **made.details}  # fmt: skip
    related = (*made.related, *_used_at(case, made.primary))
    return Finding(CODES[base], made.title, "error", made.primary, related, notes,
                   made.helps, details)  # fmt: skip


def _used_at(case: Case, label: Label | None) -> list[Label]:
    """Where the table that a label stands in is used, if it is not the table itself."""
    if label is None or not isinstance(label.place, Place):
        return []
    route = label.place.route
    places = [used.route for used in case.schedule.used if route[: len(used.route)] == used.route]
    return [Label(Place(place), "used here") for place in sorted(places, key=len)[-1:]]


def _made(
    title: str, primary: Label, related: Sequence[Label] = (), notes: Sequence[str] = (),
    helps: Sequence[str] = (), details: Mapping[str, object] | None = None,
) -> Finding:  # fmt: skip
    return Finding("", title, "error", primary, tuple(related), tuple(notes), tuple(helps),
                   details or {})  # fmt: skip


def _key(route: Route, key: str) -> Place:
    """The value of a row's key."""
    return Place((*route, key))


def _peer(case: Case, m: Moment) -> Place:
    row = case.schedule.row(m.route)
    return _key(m.route, "to" if row is None or row.push else "from")


def _sends(case: Case, m: Moment) -> Place:
    """What decides a send: its chunk, or the partner where the chunk is written as a number."""
    row = case.schedule.row(m.route)
    constant = row is not None and row.chunk.node.op == "const"
    return _peer(case, m) if constant else _key(m.route, "chunk")


def _in_range(case: Case) -> Finding:
    m, events = case.first(), case.outcome.events
    what = case.violations.what
    value = {"sender": m.sender, "receiver": m.receiver, "chunk": m.chunk, "into": m.into}[what]
    ranks = what in ("sender", "receiver")
    top = events.ranks if ranks else events.slots
    row = case.schedule.row(m.route)
    reader = m.sender if what == "receiver" else m.receiver
    if ranks:
        place = _peer(case, m)
    else:
        place = _key(m.route, what if what == "chunk" or _has_into(case, m) else "chunk")
    if row is None and ranks:
        place = _key(m.route, "from" if what == "sender" else "to")
    noun = "rank" if ranks else "slot"
    where = f"rank {reader}" if ranks else f"rank {m.sender if what == 'chunk' else m.receiver}"
    label = f"this is {noun} {value} in step {m.step} (for {where}); there are 0..{top - 1}"
    note = f"{case.size}: {len(case.violations.events)} of {len(events.step)} sends are out of range"
    title = f"a {noun} that does not exist, {case.headline}"
    return _made(title, Label(place, label), (), [note], details={"step": m.step, "value": value})


def _has_into(case: Case, m: Moment) -> bool:
    row = case.schedule.row(m.route)
    return row is None or row.into.route[-1:] == ("into",)


def _conflict(case: Case) -> Finding:
    m, other = case.first(), case.earlier()
    slot = case.slot(m.into)
    related = []
    note = f"{case.size}, step {m.step}: {slot} of rank {m.receiver} is written by"
    if other:
        note += f" rank {other.sender} and by rank {m.sender}; the result would depend on luck"
        if other.route != m.route:
            label = f"rank {other.sender} {_verb(other)} to it in the same step"
            related = [Label(_key(other.route, "op"), label)]
    label = f"rank {m.sender} {_verb(m)} to {slot} of rank {m.receiver} in step {m.step}"
    if other and other.route == m.route:
        label += f", and so does rank {other.sender}"
    title = f"two writes to one slot in one step, {case.headline}"
    helps = ["a slot takes any number of reduces in one step, or exactly one copy"]
    return _made(title, Label(_key(m.route, "op"), label), related, [note], helps,
                 {"step": m.step, "rank": m.receiver, "slot": m.into})  # fmt: skip


def _verb(m: Moment) -> str:
    return "reduces" if m.reduce else "copies"


def _defined(case: Case) -> Finding:
    m, trail = case.first(), case.outcome.trail
    unset = trail is not None and trail.sent[m.event] == 0
    if unset:
        label = f"rank {m.sender} reads {case.slot(m.chunk)} in step {m.step}, and nothing is in it yet"
        note = f"{case.size}: {send_text(m, case.chunks)}, before anything is there"
    else:
        label = f"rank {m.receiver} adds to {case.slot(m.into)} in step {m.step}, which is unset"
        note = f"{case.size}: {send_text(m, case.chunks)}, and there is nothing to add to"
    title = f"an unset slot is {'sent' if unset else 'added to'}, {case.headline}"
    key = "chunk" if unset or not _has_into(case, m) else "into"
    slot = m.chunk if unset else m.into
    return _made(title, Label(_key(m.route, key), label), (), [note], [case.trace(slot)],
                 {"step": m.step, "rank": m.sender if unset else m.receiver, "slot": slot})  # fmt: skip


def _complete(case: Case) -> Finding:
    events = case.outcome.events
    collective = case.schedule.promise.collective
    title = f"{collective} is wrong {case.headline}"
    return _promise(case, title, events.steps, -1, "as rank {rank} ends with it")


def _ensures(case: Case) -> Finding:
    number = int(case.name.partition("[")[2][:-1])
    ensured = case.outcome.events.ensures[number]
    phase = next(p for p in case.schedule.phases if p.ensures and p.ensures.route == ensured.route)
    title = f"phase `{phase.name}` does not ensure {ensured.contract.collective}, {case.headline}"
    made = _promise(case, title, ensured.step, number, "as rank {rank} ends the phase with it")
    cell = case.violations.cells[0]
    got = made.details["got"]
    label = f"rank {cell[0]} does not hold what this says: {case.slot(cell[1])} is {got}"
    related = [made.primary] if made.primary and made.primary.place != Place(ensured.route) else []
    return _made(title, Label(Place(ensured.route), label), [*related, *made.related][:2],
                 made.notes, made.helps, made.details)  # fmt: skip


def _promise(case: Case, title: str, step: int, ensured: int, ends: str) -> Finding:
    rank, slot = case.violations.cells[0]
    lineage = Lineage(case.outcome)
    expected = wanted(lineage.events, (rank, slot), ensured)
    got = lineage.contents(lineage.held(rank, slot, step))
    chunk = next(iter(expected), (0, slot))[1]
    primary, related = _blame(case, lineage, (rank, slot, step), expected, got)
    where = f"{case.size}, {case.slot(slot)} {ends.format(rank=rank)}"
    note = "\n".join([where, *compared(expected, got, chunk)])
    details = {"rank": rank, "slot": slot, "step": step,
               "expected": sum_text(expected, chunk), "got": sum_text(got, chunk)}  # fmt: skip
    return _made(title, primary, related, [note], [case.trace(slot)], details)


def _blame(
    case: Case, lineage: Lineage, cell: tuple[int, int, int], expected: Contents, got: Contents
) -> tuple[Label, list[Label]]:
    """The send that spread the wrong value first, and the one that made it."""
    copies, rank, slot, step = lineage.origin(*cell)
    maker = lineage.writer(rank, slot, step)
    doubled = next((k for k in sorted(got) if got[k] > 1), None)
    if doubled is not None and (label := _doubling(case, lineage, lineage.held(*cell), doubled)):
        return label, []
    made = lineage.moment(maker) if maker is not None else None
    added = []
    if made:
        text = f"rank {rank} last adds to {case.slot(slot)} here, in step {made.step}"
        added = [Label(_sends(case, made), text)]
    if copies:
        first = lineage.moment(copies[-1])
        missing = any(not got[k] for k in expected)
        foreign = any(not expected[k] for k in got)
        why = ", which is not what belongs there" if foreign else (
            " before it is complete" if missing else "")  # fmt: skip
        text = f"rank {first.sender} sends {case.slot(first.chunk)} in step {first.step}{why}"
        return Label(_sends(case, first), text), added
    if added:
        return added[0], []
    text = f"nothing ever writes {case.slot(cell[1])} of rank {cell[0]}"
    return Label(Place(("collective",)), text), []


def _doubling(
    case: Case, lineage: Lineage, value: int, key: tuple[int, int]
) -> Label | None:
    """The first reduce on the way to a value that adds a contribution it has already."""
    ancestors = lineage.ancestors(value)
    for event in range(len(lineage.trail.sent)):
        after = int(lineage.trail.after[event])
        added = lineage.events.reduce[event] and after in ancestors
        if added and lineage.contents(after)[key] > 1:
            m = lineage.moment(event)
            text = f"rank {m.receiver} adds {part(key, key[1])} a second time in step {m.step}"
            return Label(_sends(case, m), text)
    return None


def _once(case: Case) -> Finding:
    m, lineage = case.first(), Lineage(case.outcome)
    trail = lineage.trail
    held, sent, after = (
        lineage.contents(int(x[m.event])) for x in (trail.before, trail.sent, trail.after)
    )
    key = next(k for k in sorted(after) if after[k] > 1)
    chunk = key[1]
    label = f"rank {m.receiver} adds {part(key, chunk)} a second time, in step {m.step}"
    related = []
    before = lineage.writer(m.receiver, m.into, m.step)
    if before is not None and (earlier := lineage.moment(before)).route != m.route:
        text = f"rank {m.receiver} has it since step {earlier.step} at the latest"
        related = [Label(_sends(case, earlier), text)]
    where = f"{case.size}, {case.slot(m.into)} of rank {m.receiver} in step {m.step}"
    note = "\n".join([where, f"  holds     {sum_text(held, chunk)}",
                      f"  receives  {sum_text(sent, chunk)}",
                      f"  becomes   {sum_text(after, chunk)}"])  # fmt: skip
    title = f"a part is counted twice, {case.headline}"
    return _made(title, Label(_sends(case, m), label), related, [note], [case.trace(m.into)],
                 {"step": m.step, "rank": m.receiver, "slot": m.into, "part": list(key)})  # fmt: skip


def _no_resend(case: Case) -> Finding:
    m, first, lineage = case.first(), case.earlier(), Lineage(case.outcome)
    chunk = m.chunk
    sent, held = (
        lineage.contents(int(x[m.event])) for x in (lineage.trail.sent, lineage.trail.before)
    )
    related = []
    if first:
        label = f"rank {m.sender} sends {case.slot(chunk)} to rank {m.receiver} again in step {m.step}"
        text = f"the very same value went there in step {first.step}"
        related = [Label(_sends(case, first), text)] if first.route != m.route else []
        label += "" if related else f", unchanged since step {first.step}"
    else:
        label = (f"rank {m.sender} sends {case.slot(chunk)} in step {m.step}, "
                 f"and rank {m.receiver} has all of it")  # fmt: skip
    where = f"{case.size}, {send_text(m, case.chunks)}"
    note = "\n".join([where, f"  sends     {sum_text(sent, chunk)}",
                      f"  replaces  {sum_text(held, chunk)}" if not m.reduce else
                      f"  added to  {sum_text(held, chunk)}"])  # fmt: skip
    count = f"{len(case.violations.events)} of {case.violations.total} sends at {case.size} are wasted"
    title = f"a chunk is sent twice, {case.headline}"
    return _made(title, Label(_sends(case, m), label), related, [note, count],
                 [case.trace(m.into)], {"step": m.step, "sender": m.sender, "receiver": m.receiver,
                                        "chunk": chunk})  # fmt: skip


def _used(case: Case) -> Finding:
    m = case.first()
    label = f"what rank {m.sender} sends in step {m.step} reaches no promised slot"
    note = (f"{case.size}, {send_text(m, case.chunks)}: one of {len(case.violations.events)} unused "
            f"sends of {case.violations.total}")  # fmt: skip
    title = f"a value is sent and never used, {case.headline}"
    return _made(title, Label(_sends(case, m), label), (), [note], [case.trace(m.into)],
                 {"step": m.step, "sender": m.sender, "receiver": m.receiver})  # fmt: skip


def _ports(case: Case) -> Finding:
    m = case.first()
    label = f"rank {m.sender} to rank {m.receiver} in step {m.step} is one partner too many"
    note = f"{case.size}: {len(case.violations.events)} of {case.violations.total} messages exceed the ports"
    title = f"too many partners in one step, {case.headline}"
    return _made(title, Label(_peer(case, m), label), (), [note],
                 details={"step": m.step, "sender": m.sender, "receiver": m.receiver})  # fmt: skip


def _order(case: Case) -> Finding:
    rank, slot = case.violations.cells[0]
    lineage = Lineage(case.outcome)
    copies, *made = lineage.origin(rank, slot, lineage.events.steps)
    maker = lineage.writer(*made) if len(made) == 3 else None
    event = maker if maker is not None else copies[-1] if copies else None
    place = Place(("collective",))
    if event is not None:
        place = _key(lineage.moment(event).route, "chunk")
    label = f"rank {rank} adds up {case.slot(slot)} in another order than the ranks before it"
    note = (f"{case.size}: {len(case.violations.cells)} of {case.violations.total} promised slots are "
            "added up in another order; floating-point sums may differ in their last bits")  # fmt: skip
    title = f"ranks add in different orders, {case.headline}"
    return _made(title, Label(place, label), (), [note], [case.trace(slot)],
                 {"rank": rank, "slot": slot})  # fmt: skip


def _no_swap(case: Case) -> Finding:
    m, other = case.first(), case.earlier()
    label = f"rank {m.sender} sends {case.slot(m.chunk)} in step {m.step}"
    related = []
    if other:
        text = f"rank {other.sender} writes it in the same step"
        if other.route == m.route:
            label += f", and rank {other.sender} writes it in the same step"
        else:
            related = [Label(_sends(case, other), text)]
    note = f"{case.size}: {len(case.violations.events)} of {case.violations.total} messages"
    note += " are read from a slot that is overwritten meanwhile; the machine needs a buffer"
    title = f"a slot is written while it is read, {case.headline}"
    return _made(title, Label(_sends(case, m), label), related, [note],
                 details={"step": m.step, "rank": m.sender, "slot": m.chunk})  # fmt: skip


_MAKERS: Mapping[str, Callable[[Case], Finding]] = {
    "in-range": _in_range, "conflict-free": _conflict, "defined": _defined, "complete": _complete,
    "once": _once, "no-resend": _no_resend, "ensures": _ensures, "used": _used, "ports": _ports,
    "order": _order, "no-swap": _no_swap,
}  # fmt: skip
