"""The sum of every chunk on every rank: can it be done in T steps?

What feeds a promised sum is about that chunk alone and counts every rank at most once, because a sum
counts nothing less often than its parts do and there is no way to subtract.  So a message is a set
of ranks for one chunk, and it is the disjoint union of some of what its sender has: its own part
and the messages that it received before.  That is `exact`.  Two questions stand around it:

`heard` forgets that parts must be disjoint.  Then a rank loses nothing by sending all it knows of a
chunk, and the state is who knows of whom.  Every schedule is a solution, so impossible is impossible.

`in_place` has one slot for each rank and chunk, which a message adds to or replaces.  It only finds.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ringproof.proof.bound_formula import UNKNOWN, Answer, Clock, Formula, Verdict, some, total
from ringproof.proof.bound_messages import Hop, Messages
from ringproof.proof.bound_problem import Everywhere
from ringproof.proof.bound_turn import Turn, rotation, still

Source = tuple[int, int]
Key = tuple[int, int, int, int]
Parts = Mapping[Key, frozenset[Source]]
"""What every message (step, sender, receiver, chunk) is the sum of: messages its sender received, as
(step, sender), and `OWN`.  At step T, "from" r to r, stands what r's promised slot is the sum of."""
OWN: Source = (-1, -1)
LARGEST = 2_000_000


@dataclass(frozen=True, slots=True)
class Summed:
    """An answer, and the parts of every message of the schedule if one was found."""

    verdict: Verdict
    parts: Parts | None = None


def turn_of(ask: Everywhere) -> Turn:
    """All ranks in a circle, and the chunks with them as far as each rank has some of its own."""
    by = max(1, ask.chunks // ask.ranks)
    return rotation(ask.ranks, [(c + by) % ask.chunks for c in range(ask.chunks)])


def still_of(ask: Everywhere) -> Turn:
    """No circle."""
    return still(ask.ranks, ask.chunks)


def calls(ask: Everywhere, steps: int, clock: Clock) -> bool:
    """Whether T steps have too few messages for all chunks; proved by linear arithmetic.

    Some chunk has at most M messages, the mean or fewer.  Look at those alone, one after another:
    whoever knows more only helps, so this loses nothing.  Let rank 0 be the first to know of all, with
    the j-th message; call the ranks so.  A linear question for every j, with, after i messages,
    ``o`` whether a rank has told anyone of itself, and ``c`` whether it knows of all.
    """
    capacity = ask.limits.capacity(ask.ranks)
    if capacity is None or ask.ranks < 2:
        return False
    most = steps * capacity // ask.chunks
    if most >= 4 * ask.ranks:
        return False
    return all(_calls(ask.ranks, most, j, clock).verdict == "impossible" for j in range(most + 1))


def _calls(ranks: int, most: int, first: int, clock: Clock) -> Answer:
    """Ranks 1.. may be renamed in a circle, so the mean over all turns has one number for them all."""
    f, times = Formula("Real"), (1, ranks - 1)

    def series(kind: str, count: int) -> list[tuple[str, str]]:
        return [(f.variable(f"{kind}{i}_0"), f.variable(f"{kind}{i}_1")) for i in range(count)]

    told, knows = series("o", most + 1), series("c", most + 1)
    sends, gets = series("s", most), series("g", most)
    for i in range(most):
        for call in (sends[i], gets[i]):
            f.require(f"(<= {total(f'(* {n} {name})' for n, name in zip(times, call, strict=True))} 1)")
        for r in (0, 1):
            f.require(f"(<= {told[i + 1][r]} {total([told[i][r], sends[i][r]])})")
            f.require(f"(<= {knows[i + 1][r]} {total([knows[i][r], gets[i][r]])})")
    for r in (0, 1):
        f.fix(told[0][r], 0)
        f.fix(knows[0][r], 0)
        f.fix(knows[most][r], 1)
    f.fix(knows[first][1], 0)
    f.fix(told[first][1], 1)
    return f.decide(clock)


def heard(ask: Everywhere, steps: int, clock: Clock) -> Answer:
    """Who knows of whom; only impossible says something."""
    if ask.chunks * ask.ranks**3 * steps > LARGEST:
        return UNKNOWN
    m = _messages(ask, steps, still_of(ask))
    for c, r in _cells(m):
        for k in range(m.ranks):
            m.formula.fix(m.name("x", 0, (r, k), c), 1 if k == r else 0)
            m.formula.fix(m.name("x", steps, (r, k), c), 1)
            for t in range(steps):
                before, after = (m.name("x", i, (r, k), c) for i in (t, t + 1))
                news = [_both(m.hop(t, q, r, c), m.name("x", t, (q, k), c)) for q in m.others(r)]
                m.formula.require(f"(=> {after} {some([before, *news])})")
    return m.formula.decide(clock)


def in_place(ask: Everywhere, steps: int, turn: Turn, clock: Clock, work: int = 0) -> Parts | None:
    """Find a schedule without scratch; ``p`` says that what arrives replaces what is there."""
    if ask.chunks * ask.ranks**3 * steps > LARGEST:
        return None
    m = _messages(ask, steps, turn)
    for c, r in _cells(m):
        for t in range(steps):
            _slot(m, t, r, c)
        for k in range(m.ranks):
            m.formula.fix(m.name("x", 0, (r, k), c), 1 if k == r else 0)
            m.formula.fix(m.name("x", steps, (r, k), c), 1)
    answer = m.formula.decide(clock, work)
    if answer.verdict != "possible":
        return None
    hops = list(m.found(answer.true))
    copies = {(t, q, r, c) for t, q, r, c in hops if m.name("p", t, (r,), c) in answer.true}
    return followed(m.ranks, m.things, steps, hops, copies)


def _slot(m: Messages, t: int, r: int, c: int) -> None:
    """One step of one slot: what is in it after, and nothing twice."""
    replaces = m.name("p", t, (r,), c)
    hops = [m.hop(t, q, r, c) for q in m.others(r)]
    m.formula.require(f"(=> {replaces} {some(hops)})")
    for one, other in combinations(hops, 2):
        m.formula.require(f"(not (and {replaces} {one} {other}))")
    for k in range(m.ranks):
        before, after = (m.name("x", i, (r, k), c) for i in (t, t + 1))
        news = [_both(m.hop(t, q, r, c), m.name("x", t, (q, k), c)) for q in m.others(r)]
        counts = [_both(before, f"(not {replaces})"), *news]
        m.formula.require(f"(= {after} {some(counts)})")
        m.formula.at_most(1, counts)


def followed(
    ranks: int, chunks: int, steps: int, hops: Sequence[Hop], copies: Container[Hop]
) -> Parts:
    """The parts of every message of a schedule in place; ``copies`` replace, the others add."""
    slot = {(r, c): frozenset({OWN}) for r in range(ranks) for c in range(chunks)}
    parts: dict[Key, frozenset[Source]] = {}
    for t in range(steps):
        here = [hop for hop in hops if hop[0] == t]
        parts |= {hop: slot[hop[1], hop[3]] for hop in here}
        for hop in here:
            _, q, r, c = hop
            slot[r, c] = frozenset({(t, q)}) | (frozenset() if hop in copies else slot[r, c])
    return parts | {(steps, r, r, c): held for (r, c), held in slot.items()}


def exact(ask: Everywhere, steps: int, turn: Turn, clock: Clock, work: int = 0) -> Summed:
    """The question itself; with a turn that is no turn, impossible means what it says.

    ``u`` says that a message (or the last sum) has a part, ``x`` that it counts a rank.
    """
    if len(turn.firsts()) * ask.chunks * ask.ranks**3 * (steps + 1) ** 2 // 2 > LARGEST:
        return Summed("unknown")
    m = _messages(ask, steps, turn)
    for c, q in _cells(m):
        for t in range(steps + 1):
            for r in (q,) if t == steps else m.others(q):
                _sum(m, (t, q, r, c))
    answer = m.formula.decide(clock, work)
    if answer.verdict != "possible":
        return Summed(answer.verdict)
    last = [(steps, r, r, c) for r in range(m.ranks) for c in range(m.things)]
    return Summed("possible", {key: _parts(m, key, answer.true) for key in (*m.found(answer.true), *last)})


def _parts(m: Messages, key: Key, true: frozenset[str]) -> frozenset[Source]:
    return frozenset(source for source in _sources(m, key) if _part(m, key, source) in true)


def _sum(m: Messages, key: Key) -> None:
    """What one message counts, and nothing twice."""
    t, q, r, c = key
    sources = _sources(m, key)
    for step, sender in sources[1:]:
        m.formula.require(f"(=> {_part(m, key, (step, sender))} {m.hop(step, sender, q, c)})")
    for k in range(m.ranks):
        counts = [_both(_part(m, key, (step, sender)), m.name("x", step, (sender, q, k), c))
                  for step, sender in sources[1:]]  # fmt: skip
        if k == q:
            counts.append(_part(m, key, OWN))
        if t == m.steps:
            m.formula.require(some(counts))
        else:
            m.formula.require(f"(= {m.name('x', t, (q, r, k), c)} {some(counts)})")
        m.formula.at_most(1, counts)


def _sources(m: Messages, key: Key) -> list[Source]:
    t, q, _, _ = key
    return [OWN, *((step, sender) for step in range(t) for sender in m.others(q))]


def _part(m: Messages, key: Key, source: Source) -> str:
    t, q, r, c = key
    step, sender = source
    return m.name(f"u{t}_{step if source != OWN else 'own'}_", 0, (q, r, q if source == OWN else sender), c)


def _messages(ask: Everywhere, steps: int, turn: Turn) -> Messages:
    m = Messages("Bool", turn, steps, ask.limits, lambda r, c: True)
    m.keep_limits()
    return m


def _cells(m: Messages) -> Iterator[tuple[int, int]]:
    return ((c, r) for r in m.firsts for c in range(m.things))


def _both(one: str, other: str) -> str:
    return f"(and {one} {other})"
