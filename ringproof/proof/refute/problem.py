"""A question as clauses of linear inequalities.  Trusted.

A literal is (key, bound): key 2*f says that form f is at most bound, key 2*f + 1 that minus form f
is.  Over the integers the negation of `form <= bound` is `-form <= -bound - 1`, so a literal and its
negation differ in one bit, and bounds of one form need no rule of their own.  A form has no common
factor: `2*x <= 3` is `x <= 1`.  An `and` below an `or` gets a variable of its own, p, whose literal
`p >= 1` implies every part of it; the clauses have a solution exactly when the question has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd

from ringproof.proof.refute.smtlib import All, AtMost, Formula, Not, Question, Some

Form = tuple[tuple[int, int], ...]  # (variable, coefficient), by variable; the first is positive
Literal = tuple[int, int]
Clause = tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """Clauses over forms; variables from ``named`` on stand for an `and`."""

    forms: tuple[Form, ...]
    clauses: tuple[Clause, ...]
    named: int


def negated(literal: Literal) -> Literal:
    """The literal that holds exactly where this one does not."""
    return literal[0] ^ 1, -literal[1] - 1


def problem(question: Question) -> Problem:
    """The clauses of a question."""
    writer = _Writer(len(question.names))
    for formula in question.formulas:
        writer.state(formula, True)
    return Problem(tuple(writer.forms), tuple(writer.clauses), len(question.names))


class _Writer:
    """Clauses, forms and variables so far."""

    def __init__(self, variables: int) -> None:
        self.variables = variables
        self.forms: dict[Form, int] = {}
        self.clauses: list[Clause] = []

    def state(self, formula: Formula, holds: bool) -> None:
        """The formula, or its negation, must hold."""
        match formula:
            case Not(part):
                self.state(part, not holds)
            case All(parts) if holds:
                for part in parts:
                    self.state(part, holds)
            case Some(parts) if not holds:
                for part in parts:
                    self.state(part, holds)
            case _:
                self.keep(self.either(formula, holds))

    def keep(self, literals: Iterable[Literal] | None) -> None:
        """One clause more; None, or a literal and its opposite, is a clause that always holds."""
        if literals is None:
            return
        widest: dict[int, int] = {}
        for key, bound in literals:
            widest[key] = max(bound, widest.get(key, bound))
        if not any(key ^ 1 in widest and widest[key ^ 1] + bound >= -1 for key, bound in widest.items()):
            self.clauses.append(tuple(widest.items()))

    def either(self, formula: Formula, holds: bool) -> list[Literal] | None:
        """Literals of which one must hold for the formula, or its negation; None: it always holds."""
        match formula:
            case AtMost(terms, bound):
                return self.literal(terms, bound, holds)
            case Not(part):
                return self.either(part, not holds)
            case All(parts) if holds:
                return self.name(parts, holds)
            case Some(parts) if not holds:
                return self.name(parts, holds)
        found: list[Literal] = []
        for part in formula.parts:
            literals = self.either(part, holds)
            if literals is None:
                return None
            found += literals
        return found

    def name(self, parts: tuple[Formula, ...], holds: bool) -> list[Literal] | None:
        """A literal that implies each part, or its negation."""
        if len(parts) <= 1:
            return self.either(parts[0], holds) if parts else None
        named = (2 * self.form(((self.variables, 1),)) + 1, -1)
        self.variables += 1
        for part in parts:
            literals = self.either(part, holds)
            if literals is not None:
                self.keep([negated(named), *literals])
        return [named]

    def literal(self, terms: Form, bound: int, holds: bool) -> list[Literal] | None:
        """`terms <= bound`, or its negation; a truth value where there are no terms."""
        if not terms:
            return None if (0 <= bound) == holds else []
        common = gcd(*[factor for _, factor in terms])
        side = int(terms[0][1] < 0)
        divisor = -common if side else common
        form = self.form(tuple([(variable, factor // divisor) for variable, factor in terms]))
        literal = (2 * form + side, bound // common)
        return [literal if holds else negated(literal)]

    def form(self, form: Form) -> int:
        return self.forms.setdefault(form, len(self.forms))
