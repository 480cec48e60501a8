"""Claims for every N: guesses the counts and tries every way to prove them; not trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.context import OutOfTime
from ringproof.proof.every_n.counts import WAYS, Counts
from ringproof.proof.every_n.model import Obligation
from ringproof.proof.every_n.replay import Broken
from ringproof.proof.every_n.search import CaseProof, Search
from ringproof.proof.every_n.tallies import counts
from ringproof.proof.every_n.verdicts import Proved, Refuted, Undecided, Verdict
from ringproof.table.schedule import Claim


class Asserted:
    """The claims of one table, after its ``found`` proofs, one for every case of the sizes."""

    def __init__(self, search: Search, found: Sequence[CaseProof]) -> None:
        self.search, self.found = search, found
        self._counts: list[Counts | None] = [None] * len(found)
        self._ways: list[dict[int, str]] = [{} for _ in found]

    def claim(self, number: int, claim: Claim) -> Verdict:
        """One claim, for all cases of the sizes."""
        wrong = self.search.replays.claims
        if number in wrong:
            return Refuted(wrong[number])
        if not self.found:
            return Undecided("the table itself is not proved")
        try:
            for case, proof in enumerate(self.found):
                reason = self._proved(case, proof, number, claim)
                if reason:
                    return Refuted(wrong[number]) if number in wrong else Undecided(reason)
        except OutOfTime:
            return Undecided("out of time")
        except Broken as error:
            return Undecided(f"the table is wrong at {error.size}")
        return Proved()

    def proofs(self) -> tuple[CaseProof, ...]:
        """The proofs, with how every claim was counted."""
        whole = zip(self.found, self._counts, self._ways, strict=True)
        return tuple(replace(p, counts=c, ways=w) for p, c, w in whole)

    def _proved(self, case: int, proof: CaseProof, number: int, claim: Claim) -> str:
        """Why one case of a claim is not proved, or nothing."""
        reason = f"no way to count `{claim.what}`"
        try:
            guess = self._counts[case] or counts(proof.model, self.search.replays.of(proof.sizes))
        except Untranslatable as error:
            return str(error)
        self._counts[case] = guess
        for way in WAYS.get(claim.what, ()):
            try:
                failed = self._first_failure(proof, guess.obligations(claim, way, proof.domain))
            except Untranslatable as error:
                reason = str(error)
                continue
            if not failed:
                self._ways[case][number] = way
                return ""
            reason = f"not proved: {failed}"
        return reason

    def _first_failure(self, proof: CaseProof, obligations: Iterable[Obligation]) -> str:
        """What is not proved first; the size at which it fails is replayed, as the claim may be wrong."""
        for ob in obligations:
            answer = ob.context.ask(ob.goal)
            if answer.verdict == "fails":
                self.search.replayed(proof.sizes, ob, answer.model)
            if answer.verdict != "proved":
                return ob.what
        return ""
