"""What a schedule that runs gets wrong: where it starts, what was expected and what came."""

from __future__ import annotations

from ringproof.diagnose.case import Case, make, sends
from ringproof.diagnose.lineage import Contents, Lineage, wanted
from ringproof.diagnose.words import compared, part, send_text, sum_text
from ringproof.verdict import Finding, Label, Place

_MOST_CELLS = 4096


def complete(case: Case) -> Finding:
    events = case.outcome.events
    collective = case.schedule.promise.collective
    title = f"{collective} is wrong {case.headline}"
    return _promise(case, title, events.steps, -1, "as rank {rank} ends with it")


def ensures(case: Case) -> Finding:
    number = int(case.name.partition("[")[2][:-1])
    ensured = case.outcome.events.ensures[number]
    phase = next(p for p in case.schedule.phases if p.ensures and p.ensures.route == ensured.route)
    title = f"phase `{phase.name}` does not ensure {ensured.contract.collective}, {case.headline}"
    made = _promise(case, title, ensured.step, number, "as rank {rank} ends the phase with it")
    cell = case.violations.cells[0]
    got = made.details["got"]
    label = f"rank {cell[0]} does not hold what this says: {case.slot(cell[1])} is {got}"
    related = [made.primary] if made.primary and made.primary.place != Place(ensured.route) else []
    return make(title, Label(Place(ensured.route), label), [*related, *made.related][:2],
                 made.notes, made.helps, made.details)  # fmt: skip


def _promise(case: Case, title: str, step: int, ensured: int, ends: str) -> Finding:
    rank, slot = case.violations.cells[0]
    lineage = Lineage(case.outcome)
    expected = wanted(lineage.events, (rank, slot), ensured)
    got = lineage.contents(lineage.held(rank, slot, step))
    chunk = next(iter(expected), (0, slot))[1]
    primary, related = _elsewhere(case, lineage, (rank, slot, step), expected, ensured) or _blame(
        case, lineage, (rank, slot, step), expected, got
    )
    where = f"{case.size}, {case.slot(slot)} {ends.format(rank=rank)}"
    note = "\n".join([where, *compared(expected, got, chunk)])
    details = {"rank": rank, "slot": slot, "step": step,
               "expected": sum_text(expected, chunk), "got": sum_text(got, chunk)}  # fmt: skip
    return make(title, primary, related, [note], [case.trace(slot)], details)


def _elsewhere(
    case: Case, lineage: Lineage, cell: tuple[int, int, int], expected: Contents, ensured: int
) -> tuple[Label, list[Label]] | None:
    """The rank that ends with what another one was promised, where it was promised nothing."""
    events, (rank, slot, step) = lineage.events, cell
    contract = events.contract if ensured < 0 else events.ensures[ensured].contract
    if contract.ends.size > _MOST_CELLS or not expected:
        return None
    for q in range(events.ranks):
        for z in range(events.slots):
            promised = z < events.chunks and bool(contract.ends[q, z])
            writer = None if promised else lineage.writer(q, z, step)
            if writer is None or lineage.contents(lineage.held(q, z, step)) != expected:
                continue
            made = lineage.moment(writer)
            there = "" if z == slot else f" in {case.slot(z)}"
            text = f"rank {q} ends with what rank {rank} was to have of {case.slot(slot)}{there}"
            return Label(sends(case, made), text), []
    return None


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
        added = [Label(sends(case, made), text)]
    if copies:
        first = lineage.moment(copies[-1])
        missing = any(not got[k] for k in expected)
        foreign = any(not expected[k] for k in got)
        why = ", which is not what belongs there" if foreign else (
            " before it is complete" if missing else "")  # fmt: skip
        text = f"rank {first.sender} sends {case.slot(first.chunk)} in step {first.step}{why}"
        return Label(sends(case, first), text), added
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
            return Label(sends(case, m), text)
    return None


def once(case: Case) -> Finding:
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
        related = [Label(sends(case, earlier), text)]
    where = f"{case.size}, {case.slot(m.into)} of rank {m.receiver} in step {m.step}"
    note = "\n".join([where, f"  holds     {sum_text(held, chunk)}",
                      f"  receives  {sum_text(sent, chunk)}",
                      f"  becomes   {sum_text(after, chunk)}"])  # fmt: skip
    title = f"a part is counted twice, {case.headline}"
    return make(title, Label(sends(case, m), label), related, [note], [case.trace(m.into)],
                 {"step": m.step, "rank": m.receiver, "slot": m.into, "part": list(key)})  # fmt: skip


def no_resend(case: Case) -> Finding:
    m, first, lineage = case.first(), case.earlier(), Lineage(case.outcome)
    chunk = m.chunk
    sent, held = (
        lineage.contents(int(x[m.event])) for x in (lineage.trail.sent, lineage.trail.before)
    )
    related = []
    if first:
        label = f"rank {m.sender} sends {case.slot(chunk)} to rank {m.receiver} again in step {m.step}"
        text = f"the very same value went there in step {first.step}"
        related = [Label(sends(case, first), text)] if first.route != m.route else []
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
    return make(title, Label(sends(case, m), label), related, [note, count],
                 [case.trace(m.into)], {"step": m.step, "sender": m.sender, "receiver": m.receiver,
                                        "chunk": chunk})  # fmt: skip
