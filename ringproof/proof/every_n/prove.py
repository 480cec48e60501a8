"""The entry: one table, one budget, and what can be said of it for every N; not trusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from time import monotonic

from ringproof.problem import ExpansionError
from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.context import Desk, OutOfTime
from ringproof.proof.every_n.counts import Counts
from ringproof.proof.every_n.exact import Guess as ExactGuess
from ringproof.proof.every_n.guesses import NotLearned
from ringproof.proof.every_n.model import Obligation, Predicate
from ringproof.proof.every_n.moves import Guess as MovesGuess
from ringproof.proof.every_n.moves import Moves
from ringproof.proof.every_n.poly import ONE
from ringproof.proof.every_n.replay import Broken, Replays
from ringproof.proof.every_n.search import CaseProof, Search, Stuck
from ringproof.proof.every_n.sizes import cases, listed
from ringproof.proof.every_n.tallies import counts
from ringproof.proof.every_n.verdicts import (
    EveryN,
    Invariant,
    Proved,
    Refuted,
    Undecided,
    Verdict,
)  # fmt: skip
from ringproof.table.expr import Divisors
from ringproof.table.integers import Undefined
from ringproof.table.schedule import Claim, Schedule

PROPERTIES = ("in-range", "conflict-free", "defined", "complete", "once", "no-resend")


def prove_every_n(schedule: Schedule, budget: float = 10.0) -> EveryN:
    """Prove a table for every N from its lower end on, within ``budget`` seconds."""
    began = monotonic()
    replays = Replays(schedule)
    search = Search(schedule, began + budget, replays, Desk(deadline=began + budget))
    proofs: list[CaseProof] = []
    verdict: Verdict
    broken: Mapping[str, Verdict] = {}
    try:
        proofs = _proofs(search)
        verdict = Proved()
    except (Stuck, NotLearned) as error:
        verdict = Undecided(str(error))
    except OutOfTime:
        verdict = Undecided(f"no proof within {budget:g} s")
    except Broken as error:
        verdict = Refuted(error.size)
        broken = dict.fromkeys(error.names, verdict)
    except (ExpansionError, Undefined) as error:
        verdict = Undecided(f"a size cannot be replayed: {error}")
    claims = tuple(_claim(search, proofs, i, c) for i, c in enumerate(schedule.claims))
    return EveryN(
        verdict, words(schedule), _properties(schedule, verdict, broken), claims,
        invariants(schedule, proofs), monotonic() - began, tuple(proofs),
    )  # fmt: skip


def _proofs(search: Search) -> list[CaseProof]:
    schedule = search.schedule
    if any(phase.sends or phase.use for phase in schedule.phases):
        raise Stuck("its sends are not all rows of its own")
    search.replays.start()
    names = frozenset(loop.name for loop in schedule.params if listed(loop))
    for split in dict.fromkeys((frozenset[str](), names)):
        try:
            return [search.case(sizes) for sizes in cases(schedule, search.desk, split)]
        except Untranslatable as error:
            reason = str(error)
    raise Stuck(f"not translated: {reason}")


def _properties(
    schedule: Schedule, verdict: Verdict, broken: Mapping[str, Verdict]
) -> dict[str, Verdict]:
    ensures = [p for p in schedule.phases if p.ensures]
    names = [n for n in PROPERTIES if n not in schedule.waive]
    names += [f"ensures[{i}]" for i in range(len(ensures))]
    if not isinstance(verdict, Refuted):
        return dict.fromkeys(names, verdict)
    unasked = Undecided(f"another property fails at {verdict.size}")
    return {n: broken.get(n, unasked) for n in names}


def _claim(search: Search, proofs: list[CaseProof], number: int, claim: Claim) -> Verdict:
    """One claim, for all cases of the sizes."""
    if number in search.replays.claims:
        return Refuted(search.replays.claims[number])
    if not proofs:
        return Undecided("the table itself is not proved")
    try:
        for proof in proofs:
            reason = _counted(search, proof, claim)
            if reason:
                return Undecided(reason)
    except OutOfTime:
        return Undecided("out of time")
    except Broken as error:
        return Undecided(f"the table is wrong at {error.size}")
    return Proved()


def _counted(search: Search, proof: CaseProof, claim: Claim) -> str:
    """Why one case of a claim is not proved, or nothing."""
    traces = search.replays.of(proof.sizes)
    try:
        guess = counts(proof.model, traces)
        ways = _ways(guess, proof, claim)
    except Untranslatable as error:
        return str(error)
    reason = "no way to count it"
    for way in ways:
        try:
            total, why = way()
        except Untranslatable as error:
            reason = str(error)
            continue
        per = proof.model.chunks if claim.what in ("traffic", "received") else ONE
        failed = _first_failure([*why, *guess.claim(claim, (total, per))])
        if not failed:
            return ""
        reason = f"not proved: {failed}"
    return reason


def _ways(guess: Counts, proof: CaseProof, claim: Claim):  # type: ignore[no-untyped-def]
    if claim.what == "steps":
        return [guess.steps]
    if claim.what in ("sends_per_rank", "traffic"):
        return [guess.sends]
    if claim.what == "total_sends":
        domain = proof.domain
        moved = [lambda: guess.conserved(domain)] if isinstance(domain, Moves) else []
        return [guess.alike, *moved]
    return []


def _first_failure(obligations: Iterable[Obligation]) -> str:
    for ob in obligations:
        if ob.context.ask(ob.goal).verdict != "proved":
            return ob.what
    return ""


def words(schedule: Schedule) -> str:
    """The sizes a proof speaks of."""
    lowest = schedule.ranks[0]
    where = schedule.where.text.strip()
    if where == "is_pow2(N)":
        told = f"every power of two N >= {lowest}"
    else:
        told = f"every N >= {lowest}" + ("" if where == "True" else f" where {where}")
    for loop in schedule.params:
        items = loop.items
        if len(items) == 1 and isinstance(items[0], Divisors):
            told += f", every divisor {loop.name} of {items[0].of.text}"
        elif listed(loop):
            told += f", {loop.name} = " + ", ".join(i.text for i in items if hasattr(i, "text"))
        else:
            told += f", every {loop.name} it names"
    return told


def invariants(schedule: Schedule, proofs: list[CaseProof]) -> tuple[Invariant, ...]:
    """What was learned, phase by phase, in the language of the table."""
    found: dict[tuple[str, str, str], Invariant] = {}
    for proof in proofs:
        p = proof.model.places
        names = {p.step: "steps done in this phase", p.rank: "a rank", p.slot: "a slot"}
        part = {p.origin: "the rank a part comes from"}
        if not proof.model.in_place:
            part[p.chunk] = "the chunk it is a part of"
        for phase, guess in zip(schedule.phases, proof.guesses, strict=True):
            said: list[tuple[str, Predicate | None, Mapping[str, str]]] = []
            if isinstance(guess, MovesGuess):
                said = [("the slot is still to be added up or final", guess.live, names),
                        ("the slot holds the whole value", guess.whole, names)]  # fmt: skip
            elif isinstance(guess, ExactGuess):
                said = [("the slot holds this part", guess.holds, {**names, **part})]
            for says, predicate, over in said:
                if predicate is not None:
                    key = (phase.name, says, predicate.text)
                    found.setdefault(key, Invariant(*key, over))
    return tuple(found.values())
