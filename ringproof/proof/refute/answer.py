"""A question, whether it is refuted, and by what.  Trusted."""

from __future__ import annotations

from ringproof.proof.refute.checker import Refutation, holds
from ringproof.proof.refute.problem import problem
from ringproof.proof.refute.search import search
from ringproof.proof.refute.smtlib import read


def refute(text: str, seconds: float) -> Refutation | None:
    """A refutation, not yet checked, found within seconds of processor time; errors: `Unreadable`."""
    return search(problem(read(text)), seconds)


def check(text: str, refutation: Refutation) -> bool:
    """Whether a refutation shows that a text has no solution; errors: `Unreadable`."""
    return holds(problem(read(text)), refutation)


def refuted(text: str, seconds: float) -> bool:
    """Whether a refutation was found and checked; false says nothing; errors: `Unreadable`."""
    question = problem(read(text))
    found = search(question, seconds)
    return found is not None and holds(question, found)
