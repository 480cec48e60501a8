"""The entry: one table, one budget, and what can be said of it for every N; not trusted."""

from __future__ import annotations

from collections.abc import Mapping
from time import process_time

from ringproof.problem import ExpansionError
from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.asserted import Asserted
from ringproof.proof.every_n.composition import Composition, written_out
from ringproof.proof.every_n.context import Desk, OutOfTime
from ringproof.proof.every_n.exact import Guess as ExactGuess
from ringproof.proof.every_n.groups import groups
from ringproof.proof.every_n.guesses import NotLearned
from ringproof.proof.every_n.model import Predicate
from ringproof.proof.every_n.moves import Guess as MovesGuess
from ringproof.proof.every_n.nodes import plain, show
from ringproof.proof.every_n.replay import Broken, Replays
from ringproof.proof.every_n.search import CaseProof, Search, Stuck
from ringproof.proof.every_n.sizes import cases, listed
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
from ringproof.table.schedule import Schedule
from ringproof.verdict import Size

PROPERTIES = ("in-range", "conflict-free", "defined", "complete", "once", "no-resend")


def prove_every_n(
    schedule: Schedule, budget: float = 10.0, judged: frozenset[Size] = frozenset()
) -> EveryN:
    """Prove a table for every N from its lower end on, within ``budget`` seconds of this process.

    ``judged`` are sizes at which every property and claim is known to hold: no need to look again.
    """
    began = process_time()
    proofs: list[CaseProof] = []
    verdict: Verdict
    broken: Mapping[str, Verdict] = {}
    search = Search(Composition(schedule), began + budget, Replays(schedule, schedule, judged))
    try:
        search = _search(schedule, began + budget, judged)
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
    asserted = Asserted(search, proofs)
    claims = tuple(asserted.claim(i, c) for i, c in enumerate(schedule.claims))
    return EveryN(
        verdict, words(schedule), _properties(schedule, verdict, broken), claims,
        invariants(search.schedule, proofs), process_time() - began, asserted.proofs(),
    )  # fmt: skip


def _search(schedule: Schedule, deadline: float, judged: frozenset[Size]) -> Search:
    lowest, highest = schedule.ranks
    if any(phase.sends for phase in schedule.phases):
        raise Stuck(f"its sends are written out for one size, N = {lowest}")
    if lowest == highest:
        raise Stuck(f"it claims one size, N = {lowest}: there is nothing beyond it to prove")
    try:
        composition = written_out(schedule, groups)
    except Untranslatable as error:
        raise Stuck(f"not translated: {error}") from None
    replays = Replays(schedule, composition.schedule, judged)
    return Search(composition, deadline, replays, Desk(deadline=deadline))


def _proofs(search: Search) -> list[CaseProof]:
    schedule = search.schedule
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
            told += f", every divisor {loop.name} of {plain(show(items[0].of.node))}"
        elif listed(loop):
            told += f", {loop.name} = " + ", ".join(i.text for i in items if hasattr(i, "text"))
        else:
            told += f", every {loop.name} it names"
    return told


def invariants(schedule: Schedule, proofs: list[CaseProof]) -> tuple[Invariant, ...]:
    """What was learned, phase by phase, in words and in the language of the table."""
    found: dict[Invariant, None] = {}
    for proof in proofs:
        p = proof.model.places
        slot = f"rank {p.rank}'s slot {p.slot}"
        part = f"rank {p.origin}'s part" + ("" if proof.model.in_place else f" of chunk {p.chunk}")
        for phase, guess in zip(schedule.phases, proof.guesses, strict=True):
            said: list[tuple[str, Predicate | None]] = []
            if isinstance(guess, MovesGuess):
                said = [(f"every part is in one slot that counts; {slot} does exactly where", guess.live),
                        (f"{slot} holds the whole value wherever", guess.whole)]  # fmt: skip
            elif isinstance(guess, ExactGuess):
                said = [(f"{slot} holds {part} exactly where", guess.holds)]
            for says, predicate in said:
                if predicate is not None:
                    found[Invariant(phase.name, p.step, says, plain(predicate.text))] = None
    return tuple(found)
