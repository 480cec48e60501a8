"""The search for a refutation, which learns a clause from every conflict.  Not trusted.

Bounds are propagated through the clauses; a simplex looks for values within them; then a literal of
a clause that the values break is supposed.  Values that break nothing but are fractions are cut off.
"""

from __future__ import annotations

import time

from ringproof.proof.refute.checker import Lemma, Refutation
from ringproof.proof.refute.choice import Choice
from ringproof.proof.refute.clauses import Clauses
from ringproof.proof.refute.conflict import Analysis
from ringproof.proof.refute.cuts import Cut, best_cut
from ringproof.proof.refute.problem import Form, Problem, negated
from ringproof.proof.refute.simplex import Number, Simplex
from ringproof.proof.refute.trail import Trail
from ringproof.proof.refute.trim import trimmed


def search(question: Problem, seconds: float) -> Refutation | None:
    """A refutation found within seconds of processor time; None also where there is a solution."""
    return _Search(question).run(time.process_time() + seconds)


class _Search:
    """``forms``: the question's, then variables that have none there, then those of cuts."""

    def __init__(self, question: Problem) -> None:
        self.question = question
        self.trail = Trail()
        self.clauses = Clauses(question, self.trail)
        self.simplex = Simplex(self.trail)
        self.choice = Choice(question, self.trail, self.clauses, self.simplex)
        self.analysis = Analysis(self.trail, self.clauses)
        self.forms: list[Form] = []
        self.number: dict[Form, int] = {}
        self.column: dict[int, int] = {}  # variable -> the form that is it alone
        self._add_forms()
        self.failed: int | None = None
        for number in range(len(question.clauses)):
            self.failed = self.clauses.enter(number)
            if self.failed is not None:
                break

    def _add_forms(self) -> None:
        forms = dict.fromkeys(self.question.forms)
        forms.update(dict.fromkeys([((variable, 1),) for form in forms for variable, _ in form]))
        self.column = {form[0][0]: number for number, form in enumerate(forms) if len(form) == 1}
        for form in forms:
            self._add_form(form)

    def _add_form(self, form: Form) -> None:
        self.number[form] = len(self.forms)
        self.forms.append(form)
        self.trail.add_form()
        self.clauses.add_form()
        self.choice.add_form()
        sums: dict[int, Number] = {self.column[variable]: factor for variable, factor in form}
        self.simplex.add_form(sums if len(form) > 1 else {})

    def run(self, until: float) -> Refutation | None:
        """A refutation; None where there is a solution, or at a moment of processor time."""
        while time.process_time() < until:
            if self.failed is None:
                self.failed = self._propagate()
            if self.failed is not None:
                if not self._learn(self.failed):
                    return self._refutation()
                continue
            literal = self.choice.broken()
            if literal is None:
                cut = best_cut(self.simplex, self.forms)
                if cut is not None:
                    self.failed = self._cut_off(cut)
                    continue
                literal = self.choice.fraction()
            if literal is None:
                return None
            self.trail.decide(literal)
        return None

    def _refutation(self) -> Refutation:
        extra = tuple(self.forms[len(self.question.forms) :])
        return trimmed(Refutation(extra, tuple(self.clauses.steps)), len(self.question.clauses))

    def _propagate(self) -> int | None:
        """Everything that follows from the bounds; the number of a clause that fails."""
        failed = self.clauses.propagate()
        if failed is not None:
            return failed
        conflict = self.simplex.check()
        if conflict is None:
            return None
        literals, multipliers = conflict
        return self.clauses.add(Lemma(tuple([negated(literal) for literal in literals]), multipliers))

    def _learn(self, failed: int) -> bool:
        """Go back to where a new clause says more; false where nothing is left to go back to."""
        level = self.analysis.learn(failed)
        number = len(self.clauses.items) - 1
        learned = self.clauses.items[number]
        self.choice.praise(learned + self.clauses.items[failed])
        if not learned:
            return False
        left = self.trail.back_to(level)
        self.clauses.head = min(self.clauses.head, left)
        self.simplex.head = min(self.simplex.head, left)
        self.failed = self.clauses.enter(number)
        return True

    def _cut_off(self, cut: Cut) -> int | None:
        """Bound a form by a cut; the number of a clause that fails."""
        if cut.form not in self.number:
            self._add_form(cut.form)
        late = sorted(
            zip(cut.premises, cut.multipliers, strict=True),
            key=lambda pair: self.trail.source(pair[0], len(self.trail)), reverse=True,
        )  # fmt: skip
        bounded = (2 * self.number[cut.form] + cut.side, cut.bound)
        clause = (bounded, *[negated(literal) for literal, _ in late])
        lemma = Lemma(clause, (cut.factor, *[times for _, times in late]))
        return self.clauses.enter(self.clauses.add(lemma))
