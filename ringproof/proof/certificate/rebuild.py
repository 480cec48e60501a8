"""The questions that a table and guesses raise, made from nothing else; trusted.

No solver is asked here when the answers to simplifications are given: each that was used becomes a
question of its own, so a wrong answer leaves a question that no solver can settle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ringproof.proof.certificate.data import Refused, read_counts, read_domain
from ringproof.proof.every_n import basics, exact
from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.atoms import Atoms
from ringproof.proof.every_n.composition import Composition, written_out
from ringproof.proof.every_n.context import Desk, Unrecorded
from ringproof.proof.every_n.formula import Formula
from ringproof.proof.every_n.groups import groups
from ringproof.proof.every_n.model import Model, Obligation
from ringproof.proof.every_n.questions import Question
from ringproof.proof.every_n.sizes import cases
from ringproof.table.expr import ExprError
from ringproof.table.schedule import Claim, Schedule

SIMPLIFIED = "a simplification of terms"
_UNFIT = (KeyError, IndexError, TypeError, ValueError, AttributeError, RuntimeError, ExprError, Unrecorded,
          Untranslatable)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and what it is about, in words."""

    about: str
    question: Question
    atoms: Atoms

    def text(self, kept: tuple[int, ...] | None = None) -> str:
        """As SMT-LIB, with only the ``kept`` premises; errors: `IndexError`."""
        question = self.question if kept is None else self.question.only(kept)
        return f"; {self.about}\n" + question.text(self.atoms)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Everything that must hold; ``answers``: which simplifications were made ("1") and which not."""

    asked: tuple[Asked, ...]
    answers: str


def rebuild(schedule: Schedule, data: Mapping[str, Any], recorded: str | None) -> Rebuilt:
    """Make the questions again; without ``recorded`` answers Z3 is asked what may be simplified.

    Errors: `Refused`.
    """
    try:
        desk = Desk(recorded=None if recorded is None else iter([a == "1" for a in recorded]))
        asked = tuple(_questions(schedule, data["cases"], desk))
    except _UNFIT as error:
        told = str(error) or type(error).__name__
        raise Refused(f"the guesses do not fit the table: {told}") from None
    answers = "".join("1" if a else "0" for a in desk.answers)
    if recorded is not None and recorded != answers:
        raise Refused("more simplifications are recorded than there are")
    return Rebuilt(asked, answers)


def _questions(schedule: Schedule, given: list[Mapping[str, Any]], desk: Desk) -> Iterator[Asked]:
    split = frozenset(given[0]["fixed"])
    composition = written_out(schedule, groups)
    every = list(cases(composition.schedule, desk, split))
    if len(every) != len(given):
        raise Refused(f"{len(given)} cases of the sizes instead of {len(every)}")
    proved = set(given[0]["claims"])
    if not proved <= set(map(str, range(len(schedule.claims)))):
        raise Refused("a claim that the table does not make")
    for sizes, case in zip(every, given, strict=True):
        if dict(sizes.fixed) != case["fixed"]:
            raise Refused("another case of the sizes")
        if set(case["claims"]) != proved:
            raise Refused("a claim that is not proved in every case of the sizes")
        asked: set[tuple[tuple[Formula, ...], Formula]] = set()
        for about, ob in _obligations(composition, Model(sizes), case):
            context, goal = ob.context.posed(ob.goal)
            key = (context.hypotheses, goal)
            if goal is not True and key not in asked and not context.settled(goal):
                # Now: what later obligations split into halves would be told of its halves alone.
                yield Asked(about, context.question(goal), desk.atoms)
            asked.add(key)
        for (hypotheses, goal), context in desk.relied.items():
            if (hypotheses, goal) not in asked:
                yield Asked(SIMPLIFIED, context.question(goal), desk.atoms)
        desk.relied.clear()


def _obligations(
    composition: Composition, model: Model, case: Mapping[str, Any]
) -> Iterator[tuple[str, Obligation]]:  # fmt: skip
    """All obligations of one case, in order, and what each is about."""
    schedule = composition.schedule
    waived = "yes" if "no-resend" in schedule.waive else ""
    domain = read_domain(model, case, waived)
    whole = [composition.obligations(model)]
    whole += [generate(model) for generate in (basics.sense, basics.ranges, basics.conflicts)]
    if isinstance(domain, exact.Exact):
        whole.append(domain.links())
    whole += [domain.phase(stage) for stage in model.stages]
    whole.append(domain.ends(model.contract, len(model.stages) - 1, "complete"))
    whole += [domain.ends(contract, phase, f"ensures of phase {phase + 1}")
              for phase, contract in model.ensures.items()]  # fmt: skip
    for obligations in whole:
        for ob in obligations:
            yield _about(schedule, ob), ob
    for number, way in case["claims"].items():
        claim = schedule.claims[int(number)]
        for ob in read_counts(model, case["counts"]).obligations(claim, way, domain):
            yield f"{said(claim)}: {ob.what}", ob


def _about(schedule: Schedule, ob: Obligation) -> str:
    where = f", phase `{' '.join(schedule.phases[ob.phase].name.split())}`" if ob.phase >= 0 else ""
    return f"{ob.kind}: {ob.what}{where}"


def said(claim: Claim) -> str:
    """A claim as a sentence of the table."""
    relation = "=" if claim.relation == "==" else claim.relation
    return f"{claim.what} {relation} {' '.join(claim.value.text.split())}"
