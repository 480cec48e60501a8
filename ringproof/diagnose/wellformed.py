"""What keeps a schedule from running: ranks and slots that do not exist, clashes, unset slots."""

from __future__ import annotations

from ringproof.diagnose.case import Case, has_into, make, peer, place_of
from ringproof.diagnose.lineage import Moment
from ringproof.diagnose.words import send_text
from ringproof.verdict import Finding, Label


def in_range(case: Case) -> Finding:
    m, events = case.first(), case.outcome.events
    what = case.violations.what
    value = {"sender": m.sender, "receiver": m.receiver, "chunk": m.chunk, "into": m.into}[what]
    ranks = what in ("sender", "receiver")
    top = events.ranks if ranks else events.slots
    row = case.schedule.row(m.route)
    reader = m.sender if what == "receiver" else m.receiver
    if ranks:
        place = peer(case, m)
    else:
        place = place_of(m.route, what if what == "chunk" or has_into(case, m) else "chunk")
    if row is None and ranks:
        place = place_of(m.route, "from" if what == "sender" else "to")
    noun = "rank" if ranks else "slot"
    where = f"rank {reader}" if ranks else f"rank {m.sender if what == 'chunk' else m.receiver}"
    label = f"this is {noun} {value} in step {m.step} (for {where}); there are 0..{top - 1}"
    note = f"{case.size}: {len(case.violations.events)} of {len(events.step)} sends are out of range"
    title = f"a {noun} that does not exist, {case.headline}"
    return make(title, Label(place, label), (), [note], details={"step": m.step, "value": value})


def conflict(case: Case) -> Finding:
    m, other = case.first(), case.earlier()
    slot = case.slot(m.into)
    related = []
    note = f"{case.size}, step {m.step}: {slot} of rank {m.receiver} is written by"
    if other:
        note += f" rank {other.sender} and by rank {m.sender}; the result would depend on luck"
        if other.route != m.route:
            label = f"rank {other.sender} {_verb(other)} to it in the same step"
            related = [Label(place_of(other.route, "op"), label)]
    label = f"rank {m.sender} {_verb(m)} to {slot} of rank {m.receiver} in step {m.step}"
    if other and other.route == m.route:
        label += f", and so does rank {other.sender}"
    title = f"two writes to one slot in one step, {case.headline}"
    helps = ["a slot takes any number of reduces in one step, or exactly one copy"]
    return make(title, Label(place_of(m.route, "op"), label), related, [note], helps,
                 {"step": m.step, "rank": m.receiver, "slot": m.into})  # fmt: skip


def _verb(m: Moment) -> str:
    return "reduces" if m.reduce else "copies"


def defined(case: Case) -> Finding:
    m, trail = case.first(), case.outcome.trail
    unset = trail is not None and trail.sent[m.event] == 0
    if unset:
        label = f"rank {m.sender} reads {case.slot(m.chunk)} in step {m.step}, and nothing is in it yet"
        note = f"{case.size}: {send_text(m, case.chunks)}, before anything is there"
    else:
        label = f"rank {m.receiver} adds to {case.slot(m.into)} in step {m.step}, which is unset"
        note = f"{case.size}: {send_text(m, case.chunks)}, and there is nothing to add to"
    title = f"an unset slot is {'sent' if unset else 'added to'}, {case.headline}"
    key = "chunk" if unset or not has_into(case, m) else "into"
    slot = m.chunk if unset else m.into
    return make(title, Label(place_of(m.route, key), label), (), [note], [case.trace(slot)],
                 {"step": m.step, "rank": m.sender if unset else m.receiver, "slot": slot})  # fmt: skip
