"""What to suppose next: a literal of a clause that the present values break.  Not trusted.

Clauses that the values satisfy by chance are left alone; most of a question is never decided on.
"""

from __future__ import annotations

from fractions import Fraction

from ringproof.proof.refute.clauses import Clauses
from ringproof.proof.refute.problem import Literal, Problem
from ringproof.proof.refute.simplex import Number, Simplex
from ringproof.proof.refute.trail import Trail

GROWTH, LARGEST = 1.1, 1e100


class Choice:
    """``activity[form]``: how much a form was in conflicts, recent ones counting more."""

    def __init__(self, question: Problem, trail: Trail, clauses: Clauses, simplex: Simplex) -> None:
        self.trail, self.clauses, self.simplex = trail, clauses, simplex
        self.asked = len(question.clauses)
        self.activity: list[float] = []
        self.reward = 1.0
        self.values: dict[int, Number] = {}
        self.names = {f for f, form in enumerate(question.forms) if form[0][0] >= question.named}
        self.parts: dict[int, list[int]] = {}  # key that names an `and` -> clauses of which it is a premise
        for number, clause in enumerate(question.clauses):
            for key, _ in clause:
                if not key & 1 and key >> 1 in self.names:
                    self.parts.setdefault(key + 1, []).append(number)

    def add_form(self) -> None:
        """A form more."""
        self.activity.append(0.0)

    def praise(self, literals: list[Literal]) -> None:
        """Forms that were in a conflict are chosen sooner."""
        for key, _ in literals:
            self.activity[key >> 1] += self.reward
        self.reward *= GROWTH
        if self.reward > LARGEST:
            self.activity = [value / LARGEST for value in self.activity]
            self.reward /= LARGEST

    def broken(self) -> Literal | None:
        """A literal of the clause with the fewest left, none of which is true of the values."""
        activity = self.activity
        self.values.clear()
        best: list[Literal] = []
        least = (0, 0.0)
        for number in range(self.asked):
            left = self._left(number)
            if left:
                rank = (len(left), -max([activity[key >> 1] for key, _ in left]))
                if not best or rank < least:
                    best, least = left, rank
        return max(best, key=lambda literal: activity[literal[0] >> 1], default=None)

    def fraction(self) -> Literal | None:
        """A bound that excludes a fraction among the values."""
        for form, value in enumerate(self.simplex.value):
            if isinstance(value, Fraction):
                return 2 * form, value.numerator // value.denominator
        return None

    def _left(self, number: int) -> list[Literal]:
        """The literals left of a clause that neither the bounds nor the values satisfy."""
        upper = self.trail.upper
        left: list[Literal] = []
        for literal in self.clauses.items[number]:
            key, bound = literal
            if upper[key] <= bound:
                return []
            if upper[key ^ 1] >= -bound:
                if self._true(literal):
                    return []
                left.append(literal)
        return left

    def _true(self, literal: Literal) -> bool:
        """Whether the values satisfy a literal that the bounds leave open."""
        key, bound = literal
        form = key >> 1
        if form in self.names:
            return not key & 1 or all(self._part(number, key) for number in self.parts.get(key, ()))
        value = self.values.get(form)
        if value is None:
            value = self.values[form] = self.simplex.present(form)
        return (-value if key & 1 else value) <= bound

    def _part(self, number: int, name: int) -> bool:
        """Whether a part of a named `and` holds, by the bounds or the values."""
        upper = self.trail.upper
        return any(
            literal[0] != name ^ 1 and (upper[literal[0]] <= literal[1] or self._true(literal))
            for literal in self.clauses.items[number]
        )
