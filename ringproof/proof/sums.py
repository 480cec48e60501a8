"""Z3 on the sums that a program makes: every promised chunk, for all inputs.

A contribution is a free integer x >= 0, a sum is the addition that a step made, in the steps' own order;
nothing in the text is a number that Python worked out.  Sums that differ only in the names of their
inputs are one question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import z3

from ringproof.proof.ask import ask


@dataclass(frozen=True, slots=True)
class Claim:
    """At the end ``term`` must be the sum of the contributions ``wanted``, each named by its term."""

    term: int
    wanted: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """``failed``: the first claim that some input breaks; ``unknown``: why the solver could not say.

    ``looked``: how many questions were asked for how many ``claims``.
    """

    failed: Claim | None
    unknown: str
    looked: int
    claims: int


def prove_sums(
    left: Sequence[int], right: Sequence[int], claims: Iterable[Claim], timeout: int
) -> Answer:
    """Decide claims about terms; term t is ``left[t]`` + ``right[t]``, or an input where they are -1.

    ``timeout`` in ms for each question.
    """
    asked: dict[str, Claim] = {}
    count = 0
    for claim in dict.fromkeys(claims):
        count += 1
        asked.setdefault(question(left, right, claim), claim)
    for text, claim in asked.items():
        solver = z3.SimpleSolver()
        solver.set("timeout", timeout)
        solver.from_string(text)
        said = str(ask(solver))
        if said == "sat":
            return Answer(claim, "", len(asked), count)
        if said != "unsat":
            reason = str(solver.reason_unknown())
            why = "the solver ran out of time" if reason in ("timeout", "canceled") else reason
            return Answer(None, why, len(asked), count)
    return Answer(None, "", len(asked), count)


def question(left: Sequence[int], right: Sequence[int], claim: Claim) -> str:
    """SMT-LIB 2 text that has a model exactly where some input breaks the claim.

    Names are given in the order in which the sum is walked, so that sums of one shape have one text.
    """
    names: dict[int, str] = {}
    lines: list[str] = []

    def leaf(term: int) -> None:
        names[term] = f"x{len(names)}"
        lines.append(f"(declare-const {names[term]} Int)(assert (>= {names[term]} 0))")

    waiting = [claim.term]
    while waiting:
        term = waiting[-1]
        if term in names:
            waiting.pop()
        elif left[term] < 0:
            leaf(term)
        elif left[term] in names and right[term] in names:
            names[term] = f"v{len(names)}"
            parts = f"{names[left[term]]} {names[right[term]]}"
            lines.append(f"(define-fun {names[term]} () Int (+ {parts}))")
        else:
            waiting += [part for part in (right[term], left[term]) if part not in names]
    for term in sorted(claim.wanted):
        if term not in names:
            leaf(term)
    parts = " ".join(sorted(names[term] for term in claim.wanted))
    lines.append(f"(assert (not (= {names[claim.term]} (+ 0 0 {parts}))))")
    return "\n".join(lines)
