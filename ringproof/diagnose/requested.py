"""Properties judged on request: used, ports, order, no-swap."""

from __future__ import annotations

from ringproof.diagnose.case import Case, make, peer, sends
from ringproof.diagnose.lineage import Lineage
from ringproof.diagnose.words import send_text
from ringproof.verdict import Finding, Label, Place


def used(case: Case) -> Finding:
    m = case.first()
    label = f"what rank {m.sender} sends in step {m.step} reaches no promised slot"
    note = (f"{case.size}, {send_text(m, case.chunks)}: one of {len(case.violations.events)} unused "
            f"sends of {case.violations.total}")  # fmt: skip
    title = f"a value is sent and never used, {case.headline}"
    return make(title, Label(sends(case, m), label), (), [note], [case.trace(m.into)],
                 {"step": m.step, "sender": m.sender, "receiver": m.receiver})  # fmt: skip


def ports(case: Case) -> Finding:
    m = case.first()
    label = f"rank {m.sender} to rank {m.receiver} in step {m.step} is one partner too many"
    note = f"{case.size}: {len(case.violations.events)} of {case.violations.total} messages exceed the ports"
    title = f"too many partners in one step, {case.headline}"
    return make(title, Label(peer(case, m), label), (), [note],
                 details={"step": m.step, "sender": m.sender, "receiver": m.receiver})  # fmt: skip


def order(case: Case) -> Finding:
    rank, slot = case.violations.cells[0]
    lineage = Lineage(case.outcome)
    copies, *made = lineage.origin(rank, slot, lineage.events.steps)
    maker = lineage.writer(*made) if len(made) == 3 else None
    event = maker if maker is not None else copies[-1] if copies else None
    place = Place(("collective",))
    if event is not None:
        place = sends(case, lineage.moment(event))
    label = f"rank {rank} adds up {case.slot(slot)} in another order than the ranks before it"
    note = (f"{case.size}: {len(case.violations.cells)} of {case.violations.total} promised slots are "
            "added up in another order; floating-point sums may differ in their last bits")  # fmt: skip
    title = f"ranks add in different orders, {case.headline}"
    return make(title, Label(place, label), (), [note], [case.trace(slot)],
                 {"rank": rank, "slot": slot})  # fmt: skip


def no_swap(case: Case) -> Finding:
    m, other = case.first(), case.earlier()
    label = f"rank {m.sender} sends {case.slot(m.chunk)} in step {m.step}"
    related = []
    if other:
        text = f"rank {other.sender} writes it in the same step"
        if other.route == m.route:
            label += f", and rank {other.sender} writes it in the same step"
        else:
            related = [Label(sends(case, other), text)]
    note = f"{case.size}: {len(case.violations.events)} of {case.violations.total} messages"
    note += " are read from a slot that is overwritten meanwhile; the machine needs a buffer"
    title = f"a slot is written while it is read, {case.headline}"
    return make(title, Label(sends(case, m), label), related, [note],
                 details={"step": m.step, "rank": m.sender, "slot": m.chunk})  # fmt: skip
