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
_CLOSED = "counted in the send log, against the closed-form lower bound"
_NO_COUNT = "in-range fails there, so nothing can be counted"


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


def optimal(schedule: Schedule, assessed: Sequence[Assessment]) -> Result:
    """The optima that a table claims: proved where its counts reach the closed-form bound."""
    proved: list[Size] = []
    undecided: list[Size] = []
    reasons: dict[str, None] = {}
    for a in assessed:
        short = [b for b in a.best if b is None or not b.reached]
        if a.best and not short:
            proved.append(a.size)
            continue
        undecided.append(a.size)
        reasons |= dict.fromkeys([_why(b, a.size) for b in short] or [_NO_COUNT])
    verdict: Verdict = Undecided(next(iter(reasons))) if undecided else Proved()
    return Result("optimal", OPTIMAL, verdict, _CLOSED, tuple(proved), (), tuple(undecided),
                  remark=", ".join(schedule.optimal))  # fmt: skip


def _why(best: Best | None, size: Size) -> str:
    if best is None:
        return "no lower bound is known for this collective"
    unit = "D" if best.what == "traffic" else ""
    among = "" if best.what == "traffic" else (
        f" with {best.ports} partner{'s' if best.ports > 1 else ''} a step and"
        f" {best.message} chunk{'s' if best.message > 1 else ''} a message")  # fmt: skip
    return (f"{best.what} {best.counted}{unit} at {size}; the closed form only says at least "
            f"{best.least}{unit}{among}")  # fmt: skip
