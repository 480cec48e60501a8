"""Only the steps of a refutation that its end needs.  Not trusted."""

from __future__ import annotations

from ringproof.proof.refute.checker import Learned, Lemma, Refutation


def trimmed(refutation: Refutation, clauses: int) -> Refutation:
    """The same refutation without steps that the last one does not lead back to."""
    steps = refutation.steps
    needed = {clauses + len(steps) - 1}
    for number in range(clauses + len(steps) - 1, clauses - 1, -1):
        step = steps[number - clauses]
        if number in needed and isinstance(step, Learned):
            needed.update(step.hints)
    kept = [number for number in range(clauses, clauses + len(steps)) if number in needed]
    place = {number: number for number in range(clauses)}
    place.update({number: clauses + i for i, number in enumerate(kept)})

    def renamed(step: Lemma | Learned) -> Lemma | Learned:
        if isinstance(step, Lemma):
            return step
        return Learned(step.clause, tuple([place[hint] for hint in step.hints]))

    return Refutation(refutation.forms, tuple([renamed(steps[number - clauses]) for number in kept]))
