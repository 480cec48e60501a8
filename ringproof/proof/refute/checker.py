"""The checker of refutations: the only judge of what the search found.  Trusted.

A refutation adds clauses that follow from the question, one by one, until the empty one.  A clause
follows in one of two ways.  `Lemma`: its literals' negations, each multiplied by a positive whole
number and added up, say `0 <= negative`.  `Learned`: suppose that each of its literals fails; go
through some earlier clauses in order, each of which has at most one literal left that does not fail,
so that this one holds; the last one has none left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ringproof.proof.refute.problem import Clause, Form, Problem, negated


@dataclass(frozen=True, slots=True)
class Lemma:
    """A clause true of all integers; ``multipliers``: one for each literal."""

    clause: Clause
    multipliers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Learned:
    """A clause that follows from earlier ones; ``hints``: their numbers, the question's clauses first."""

    clause: Clause
    hints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Refutation:
    """``forms``: sums used besides the question's own; ``steps``: the last one is the empty clause."""

    forms: tuple[Form, ...]
    steps: tuple[Lemma | Learned, ...]


def holds(question: Problem, refutation: Refutation) -> bool:
    """Whether the refutation shows that the clauses have no integer solution."""
    forms = question.forms + refutation.forms
    if any(type(number) is not int for form in refutation.forms for term in form for number in term):
        return False
    clauses = list(question.clauses)
    for step in refutation.steps:
        if any(type(bound) is not int or not 0 <= key < 2 * len(forms) for key, bound in step.clause):
            return False
        if not (_adds_up(step, forms) if isinstance(step, Lemma) else _follows(step, clauses)):
            return False
        clauses.append(step.clause)
    return () in clauses


def _adds_up(lemma: Lemma, forms: Sequence[Form]) -> bool:
    """Whether the negated literals, multiplied and added, say `0 <= negative`."""
    if len(lemma.multipliers) != len(lemma.clause):
        return False
    if any(type(factor) is not int or factor <= 0 for factor in lemma.multipliers):
        return False
    left: dict[int, int] = {}
    right = 0
    for literal, factor in zip(lemma.clause, lemma.multipliers, strict=True):
        key, bound = negated(literal)
        right += factor * bound
        signed = -factor if key & 1 else factor
        for variable, coefficient in forms[key >> 1]:
            left[variable] = left.get(variable, 0) + signed * coefficient
    return right < 0 and not any(left.values())


def _follows(step: Learned, clauses: Sequence[Clause]) -> bool:
    """Whether the hints, read in order, contradict that every literal of the clause fails."""
    most: dict[int, int] = {}  # key -> what is known to bound it
    for literal in step.clause:
        key, bound = negated(literal)
        most[key] = min(bound, most.get(key, bound))
    for hint in step.hints:
        if not 0 <= hint < len(clauses):
            return False
        left = [(key, bound) for key, bound in clauses[hint]
                if key ^ 1 not in most or most[key ^ 1] + bound >= 0]  # fmt: skip
        if not left:
            return True
        if len(left) > 1:
            return False
        ((key, bound),) = left
        most[key] = min(bound, most.get(key, bound))
    return False
