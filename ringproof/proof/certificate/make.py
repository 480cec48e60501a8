"""Makes a certificate of what was proved; not trusted, because a certificate is checked anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ringproof.proof.certificate.data import Refused, written
from ringproof.proof.certificate.rebuild import rebuild, said
from ringproof.proof.certificate.solve import needed
from ringproof.proof.every_n.prove import PROPERTIES, words
from ringproof.proof.every_n.search import CaseProof
from ringproof.proof.every_n.verdicts import EveryN, Proved
from ringproof.table.schedule import Schedule

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Certificate:
    """``data``: plain, for JSON; ``questions``: SMT-LIB texts, in order."""

    data: Mapping[str, Any]
    questions: tuple[str, ...]


def certificate(schedule: Schedule, found: EveryN) -> Certificate:
    """The certificate of a proved table; errors: `Refused` where there is nothing to certify."""
    proofs = [p for p in found.guesses if isinstance(p, CaseProof)]
    if found.verdict != Proved() or not proofs:
        raise Refused("the table is not proved for every N")
    common = set.intersection(*(set(p.ways) for p in proofs))
    cases = [_only(written(p), common) for p in proofs]
    rebuilt = rebuild(schedule, {"cases": cases}, None)
    questions, asked = [], []
    for number, one in enumerate(rebuilt.asked):
        kept = needed(one.text())
        if kept is None:
            raise Refused(f"made again from what a certificate says, Z3 does not settle: {one.about}")
        questions.append(one.text(kept))
        asked.append({"file": f"{number + 1:04}.smt2", "about": one.about,
                      "premises": list(kept)})  # fmt: skip
    data = {
        "format": FORMAT, "table": schedule.name, **statement(schedule, common), "cases": cases,
        "simplifications": rebuilt.answers, "questions": asked,
    }  # fmt: skip
    return Certificate(data, tuple(questions))


def _only(case: dict[str, Any], claims: set[int]) -> dict[str, Any]:
    """A case with only the claims that are proved in all."""
    ways = {n: way for n, way in case["claims"].items() if int(n) in claims}
    return {**case, "claims": ways, "counts": case["counts"] if ways else None}


def statement(schedule: Schedule, claims: set[int]) -> dict[str, Any]:
    """What a certificate says is proved: the sizes, the properties, and the claims by number."""
    properties = [name for name in PROPERTIES if name not in schedule.waive]
    if any(phase.ensures for phase in schedule.phases):
        properties.append("ensures")
    return {"sizes": words(schedule), "properties": properties,
            "claims": [said(schedule.claims[n]) for n in sorted(claims)]}  # fmt: skip
