"""Beyond the claim: what induction says of every N, and where a table goes wrong that claims less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

from ringproof.assess import Options, claim_holds, replayed
from ringproof.diagnose import problems
from ringproof.problem import EnginesDisagree, ExpansionError
from ringproof.table.integers import Undefined
from ringproof.table.schedule import Schedule
from ringproof.verdict import Beyond, Finding, Proved, Refuted, Result, Size, Undecided, Verdict

if TYPE_CHECKING:
    from ringproof.proof import every_n

_MOST_REPLAYED = 200  # sizes, to find the first wrong one


def wanted(schedule: Schedule, results: Sequence[Result], options: Options) -> str:
    """Whether induction is asked at all: "yes", or empty."""
    if options.induction == "never" or any(isinstance(r.verdict, Refuted) for r in results):
        return ""
    claims_one = schedule.ranks[0] == schedule.ranks[1]
    narrowed = bool(options.ranks) or claims_one
    return "" if narrowed and options.induction == "auto" else "yes"


def beyond(schedule: Schedule, sizes: Sequence[Size], results: Sequence[Result], options: Options) -> Beyond:
    """What induction makes of a table that is proved at ``sizes``.

    Errors: `EnginesDisagree` where it refutes one of them.
    """
    from ringproof.proof import every_n

    right = all(isinstance(r.verdict, Proved) for r in results)
    found = every_n.prove_every_n(schedule, options.seconds, frozenset(sizes if right else ()))
    demanded = options.induction == "demanded"
    wrong = [v.size for v in (found.verdict, *found.claims) if isinstance(v, every_n.Refuted)]
    for size in set(wrong) & set(sizes):
        raise EnginesDisagree(f"{size}: the sweep proves it; a replay for the induction refutes it")
    if wrong:
        first, names = _first_wrong(schedule, min(wrong), options)
        finding = problems.wrong_beyond(first, names)
        return Beyond(Refuted(finding), found.sizes, demanded)
    asked = _properties(found, options)
    if schedule.claims and found.verdict == Proved():
        asked |= _claims(schedule, found)
    proved = tuple(n for n, v in asked.items() if isinstance(v, Proved))
    undecided = tuple((n, v.reason) for n, v in asked.items() if isinstance(v, Undecided))
    verdict = found.verdict if isinstance(found.verdict, Undecided) else Proved()
    return Beyond(verdict, found.sizes, demanded, proved, undecided, found.invariants)


def _properties(found: every_n.EveryN, options: Options) -> dict[str, Verdict]:
    """The properties of the schedule, `ensures` as one; those that induction does not know of."""
    asked: dict[str, Verdict] = {}
    for name, verdict in found.properties.items():
        if isinstance(verdict, Proved | Undecided):
            asked[name.partition("[")[0]] = verdict
    wanted = options.settings.wanted
    for name in (*wanted.names, *(["ports"] if wanted.ports else [])):
        asked[name] = Undecided("asked of each size alone")
    return asked


def _claims(schedule: Schedule, found: every_n.EveryN) -> dict[str, Verdict]:
    """All claims as one where all are proved, else one by one."""
    if set(found.claims) == {Proved()}:
        return {"claims": Proved()}
    pairs = zip(schedule.claims, found.claims, strict=True)
    return {f"the claim {c.what}": v for c, v in pairs if isinstance(v, Proved | Undecided)}


def _first_wrong(schedule: Schedule, known: Size, options: Options) -> tuple[Size, tuple[str, ...]]:
    """The smallest size beyond the claim that fails, and what fails there."""
    sizes = islice(_between(schedule, known.N), _MOST_REPLAYED)
    for size in (*sizes, known):
        names = _fails(schedule, size, options)
        if names:
            return size, names
    raise EnginesDisagree(f"{known}: refuted for the induction, and right when replayed again")


def _between(schedule: Schedule, last: int) -> Iterator[Size]:
    for N in range(schedule.ranks[1] + 1, last + 1):
        yield from schedule.at(N)


def _fails(schedule: Schedule, size: Size, options: Options) -> tuple[str, ...]:
    """The properties and claims that do not hold at one size."""
    try:
        outcome = replayed(schedule, size, options.settings)
        names = [n.partition("[")[0] for n, v in outcome.violations.items() if v]
        names = [n for n in dict.fromkeys(names) if n not in schedule.waive]
        environment = schedule.environment(size)
        for claim in schedule.claims if not names else ():
            claimed = Fraction(environment.value(claim.value))
            if not claim_holds(claim.relation, claimed, outcome.counts.of(claim.what)):
                names.append(f"the claim {claim.what}")
    except (ExpansionError, Undefined):
        return ("in-range",)
    return tuple(names)


def remarks(found: Beyond) -> tuple[Finding, ...]:
    """What to say of it in findings: a table that is wrong beyond its claim; what was demanded."""
    if isinstance(found.verdict, Refuted):
        return (found.verdict.counterexample,)
    if found.demanded and found.undecided:
        return (problems.undecided_every_n(found.sizes, found.undecided),)
    return ()
