"""Claims about counts and optima, at every size -> results; the counts come from the send log."""

from __future__ import annotations

from collections.abc import Sequence

from ringproof.assess import Assessment, claim_holds
from ringproof.cost.best import Best
from ringproof.diagnose import problems
from ringproof.table.schedule import Schedule
from ringproof.verdict import Finding, Proved, Refuted, Result, Size, Undecided, Verdict

CLAIMS = "the send log counts what the table claims"
OPTIMAL = "no schedule does better"
_COUNTED = "counted exactly in the send log"
_CLOSED = "counted in the send log, against the closed-form lower bound, or against Z3's up to 5 ranks"
_SOLVED_RANKS = 5
_NO_COUNT = "in-range fails there, so nothing can be counted"
_WRONG = "the schedule is refuted there, so it cannot be asked"


def false_claims(schedule: Schedule, assessed: Sequence[Assessment]) -> list[Finding]:
    """One finding for each claim that is false somewhere, at its smallest such size."""
    found = []
    for i, claim in enumerate(schedule.claims):
        asked = [a for a in assessed if a.claims]
        wrong = [a for a in asked if not claim_holds(claim.relation, *a.claims[i])]
        if wrong:
            claimed, counted = wrong[0].claims[i]
            finding = problems.false_claim(
                claim, wrong[0].size, claimed, counted, len(wrong), len(asked)
            )
            found.append(finding)
    return found


def claims(
    schedule: Schedule, assessed: Sequence[Assessment], false: Sequence[Finding]
) -> Result:
    """All claims of a table as one property."""
    proved: list[Size] = []
    refuted: list[Size] = []
    undecided: list[Size] = []
    for a in assessed:
        pairs = zip(schedule.claims, a.claims, strict=False)
        right = all(claim_holds(claim.relation, *pair) for claim, pair in pairs)
        (undecided if not a.claims else proved if right else refuted).append(a.size)
    verdict: Verdict = Proved()
    if refuted:
        verdict = Refuted(false[0])
    elif undecided:
        verdict = Undecided(_NO_COUNT)
    said = ", ".join(
        f"{c.what} {'' if c.relation == '==' else c.relation + ' '}{c.value.text.strip()}"
        for c in schedule.claims
    )
    return Result("claims", CLAIMS, verdict, _COUNTED, tuple(proved), tuple(refuted),
                  tuple(undecided), remark=said)  # fmt: skip


def optimal(schedule: Schedule, assessed: Sequence[Assessment], seconds: float) -> Result:
    """The optima that a table claims: its counts reach the closed form, or the solver's bound.

    The solver is asked at the sizes it can do, and no more once the table is refuted or something
    better is found.
    """
    proved: list[Size] = []
    refuted: list[Size] = []
    undecided: list[Size] = []
    reasons: dict[str, None] = {}
    finding: Finding | None = None
    wrong = not all(a.best for a in assessed)
    for a in assessed:
        open_ = [b for b in a.best if b is None or not b.reached]
        stop = wrong or bool(refuted)
        fewest = [] if stop else [_fewest(schedule, a.size, b, seconds) for b in open_]
        better = [(b, n) for b, n in zip(open_, fewest, strict=False) if b and n and n < b.counted]
        if better:
            refuted.append(a.size)
            finding = problems.not_optimal(schedule, a.size, *better[0])
        elif a.best and all(b and b.counted == n for b, n in zip(open_, fewest, strict=False)):
            (undecided if stop and open_ else proved).append(a.size)
        else:
            undecided.append(a.size)
            reasons |= dict.fromkeys([_why(b, a.size) for b in open_] or [_WRONG])
    verdict: Verdict = Undecided(next(iter(reasons), "")) if undecided else Proved()
    verdict = Refuted(finding) if finding else verdict
    return Result("optimal", OPTIMAL, verdict, _CLOSED, tuple(proved), tuple(refuted),
                  tuple(undecided), remark=", ".join(schedule.optimal))  # fmt: skip


def _fewest(schedule: Schedule, size: Size, best: Best | None, seconds: float) -> int | None:
    """The fewest steps of any schedule with this table's ports and messages, where Z3 can say."""
    if best is None or best.what != "steps" or size.N > _SOLVED_RANKS:
        return None
    from ringproof.events import expand
    from ringproof.proof.bound import Limits, Unsupported, least_steps

    contract = expand(schedule, size).contract
    try:
        found = least_steps(contract, Limits(best.ports, best.message), seconds, int(best.least))
    except Unsupported:
        return None
    exact = found.witness is not None or found.at_least == best.counted
    return found.at_least if exact else None


def _why(best: Best | None, size: Size) -> str:
    if best is None:
        return "no lower bound is known for this collective"
    unit = "D" if best.what == "traffic" else ""
    among = "" if best.what == "traffic" else (
        f" with {best.ports} partner{'s' if best.ports > 1 else ''} a step and"
        f" {best.message} chunk{'s' if best.message > 1 else ''} a message")  # fmt: skip
    return (f"{best.what} {best.counted}{unit} at {size}; the closed form only says at least "
            f"{best.least}{unit}{among}")  # fmt: skip
