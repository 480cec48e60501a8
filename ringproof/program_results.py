"""The results of a program, a property each, with the findings that go with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ringproof.diagnose import interleaving, loading, program
from ringproof.diagnose.program import Words
from ringproof.program.asked import Asked
from ringproof.program.decide import Decided, Outcome
from ringproof.program.load import refusals
from ringproof.program.model import COLLECTIVE_OF, Case, Program
from ringproof.verdict import Finding, Proved, Refuted, Result, Size, Undecided, Verdict
from ringproof.wording import join_text

if TYPE_CHECKING:
    from ringproof.proof.sums import Answer

SIMPLE_WINDOW = 2  # messages that the Simple protocol holds: 8 slots, 4 a message
_READ = "decided by reading every step"
_RUN = "decided by running it: what a step waits for, no other threadblock can take away"
_CLOCKS = "decided by happens-before over all GPUs: program order, messages and flags"
_REPLAY = ("decided by one exact replay, which decides all interleavings: nothing hangs and no race is left "
           "that matters, so every read finds the same in all orders")  # fmt: skip
_Z3 = ("decided by Z3 for all inputs, on the sums of one exact replay, which stands for all interleavings: "
       "nothing hangs and no race is left that matters")  # fmt: skip
_ONE = "refuted by an exact replay of one order"
_BROKEN = {"defined": _ONE, "complete": _ONE}


class Telling:
    """The results of a program, and the findings that go with them, root cause first."""

    def __init__(
        self, read: Program, decided: Decided, words: Words, asked: Asked, proofs: Mapping[Case, Answer]
    ) -> None:
        self.read, self.decided, self.words, self.asked = read, decided, words, asked
        self.proofs = proofs
        self.findings: list[Finding] = []
        self.by_case: dict[Case, Size] = {case: Size(read.ranks) for case in read.cases}
        if len(read.cases) > 1:
            self.by_case = {
                case: Size(read.ranks, (("inplace", int(case == "in place")),)) for case in read.cases
            }
        self.sizes = tuple(sorted(self.by_case.values()))

    @property
    def collective(self) -> str:
        """The collective that is checked, as our catalogue calls it."""
        return self.asked.collective or COLLECTIVE_OF.get(self.read.coll, self.read.coll)

    @property
    def promises(self) -> bool:
        """Whether there is a result to check."""
        return self.asked.post is not None or self.collective in COLLECTIVE_OF.values()

    def claim(self) -> str:
        """What is checked, in words."""
        name = self.collective
        how = f" {self.read.cases[0]}" if len(self.read.cases) == 1 else ""
        said = f"{name}{how} for {'; '.join(map(str, self.sizes))}"
        if self.asked.collective and COLLECTIVE_OF.get(self.read.coll) != self.asked.collective:
            return f"{said} (the file says {self.read.coll})"
        return said

    def results(self) -> Iterator[Result]:
        """Every property in the order to read them."""
        shape = self.decided.shape
        for name, statement, checks in (
            ("in-range", "every operand lies within its buffer", [(shape.outside, program.out_of_bounds)]),
            ("connected", "every message has a peer, and one threadblock on each side",
             [(shape.alone, program.no_peer), (shape.shared, program.shared_connection)]),
            ("matched", "what is sent is received, chunk for chunk",
             [(shape.unequal, program.unequal_counts), (shape.uneven, program.uneven)]),
            ("raised", "every flag that is waited for is raised",
             [(shape.absent, program.absent_step), (shape.unraised, program.never_raised)]),
        ):  # fmt: skip
            made = [make(self.words) for found, make in checks if found]
            yield self._static(name, statement, made)
        yield self._deadlock()
        yield self._cases("race-free", "no two accesses to a cell lack an order that matters", _CLOCKS, _race)
        yield self._cases("defined", "nothing unset is read", _REPLAY, _defined)
        if self.promises:
            statement = "every promised chunk ends with exactly its sum"
            yield self._cases("complete", statement, _Z3 if self.proofs else _REPLAY, self._complete)
        if self.asked.runtime is not None:
            found = refusals(self.read, self.asked.runtime)
            made = list(loading.refused(self.words, self.asked.runtime, found))
            yield self._static("loads", f"{self.asked.runtime} loads it", made)

    def remarks(self) -> list[Finding]:
        """Warnings and notes, each once."""
        found: list[Finding] = []
        window, w = self.decided.window, self.words
        if window is not None and window > SIMPLE_WINDOW and self.read.proto == "Simple":
            found.append(program.hangs(w, window - 1))
        outcomes = self.decided.outcomes
        right = not any(f.code == "RP624" for f in self.findings)
        noted: tuple[tuple[_Make, list[Outcome]], ...] = (
            (interleaving.harmless, [one for one in outcomes if len(one.races) > len(one.harmful)]),
            (interleaving.overwritten, [one for one in outcomes if one.overwritten]),
            (interleaving.useless, [one for one in outcomes if one.useless and right]),
            (interleaving.orders, [one for one in outcomes if one.orders and right]),
        )
        found += [make(w, those[0], self._tail(those)) for make, those in noted if those]
        if not self.promises:
            found.append(loading.nothing_promised(w, self.collective))
        return found

    def _tail(self, outcomes: Sequence[Outcome]) -> str:
        cases = [one.world.memory.case for one in outcomes]
        return "" if len(self.read.cases) == 1 else f", {join_text(cases)}"

    def _static(self, name: str, statement: str, made: list[Finding]) -> Result:
        self.findings += made
        if made:
            return Result(name, statement, Refuted(made[0]), _READ, refuted=self.sizes)
        return Result(name, statement, Proved(), _READ, proved=self.sizes)

    def _deadlock(self) -> Result:
        name, statement = "deadlock-free", "no interleaving hangs"
        if self.decided.window is None:
            known = program.cause(self.words, self.findings)
            finding = known or program.hangs(self.words, 0)
            self.findings += [] if known else [finding]
            return Result(name, statement, Refuted(finding), _RUN, refuted=self.sizes)
        if self.decided.shape.shared:
            return Result(name, statement, Undecided(_SHARED), _RUN, undecided=self.sizes)
        return Result(name, statement, Proved(), _RUN, proved=self.sizes)

    def _cases(self, name: str, statement: str, engines: str, judge: _Judge) -> Result:
        if not self.decided.outcomes:
            return Result(name, statement, Undecided(self._why_not()), "", undecided=self.sizes)
        judged = [(one, judge(one)) for one in self.decided.outcomes]
        found: Verdict = next((v for _, v in judged if isinstance(v, Undecided)), Proved())
        wrong = [(one, make) for one, make in judged if not isinstance(make, Proved | Undecided | Refuted)]
        if wrong:
            one, make = wrong[0]
            finding = make(self.words, one, self._tail([other for other, _ in wrong]))
            self.findings.append(finding)
            found = Refuted(finding)
        proved = self._sizes(one for one, v in judged if isinstance(v, Proved))
        open_ = self._sizes(one for one, v in judged if isinstance(v, Undecided))
        refuted = self._sizes(one for one, _ in wrong)
        engines = _BROKEN.get(name, engines) if refuted else engines if proved else ""
        return Result(name, statement, found, engines, proved, refuted, open_)

    def _complete(self, one: Outcome) -> Verdict | _Make:
        """Right where the replay says so, and Z3 too where it was asked."""
        answer = self.proofs.get(one.world.memory.case)
        if answer is not None and answer.unknown:
            return Undecided(f"right in the replay, but Z3 cannot say it of all inputs: {answer.unknown}")
        return _complete(one)

    def _sizes(self, outcomes: Iterable[Outcome]) -> tuple[Size, ...]:
        return tuple(sorted(self.by_case[one.world.memory.case] for one in outcomes))

    def _why_not(self) -> str:
        shape = self.decided.shape
        for name, found in (
            ("in-range", shape.outside),
            ("connected", shape.alone or shape.shared),
            ("matched", shape.unequal),
        ):
            if found:
                return f"{name} fails, so it cannot be asked"
        return "it hangs, so it cannot be asked"


_SHARED = "threadblocks share a connection, so which message is whose is not determined"
_Make = Callable[[Words, Outcome, str], Finding]
_Judge = Callable[[Outcome], Verdict | _Make]
_RACES = "races leave it open, and no order that was tried breaks it"


def _race(one: Outcome) -> Verdict | _Make:
    if not one.decided and not one.races:
        return Undecided(_SHARED)
    return interleaving.race if one.harmful else Proved()


def _defined(one: Outcome) -> Verdict | _Make:
    if one.unset or any(shown.unset for shown in one.shown):
        return interleaving.unset
    if not one.decided and not one.races:
        return Undecided(_SHARED)
    return Proved() if one.whole and not one.may_be_unset else Undecided(_RACES)


def _complete(one: Outcome) -> Verdict | _Make:
    if one.world.uncut or one.wrong or any(shown.wrong for shown in one.shown):
        return interleaving.wrong_result
    if one.decided:
        return Proved()
    return Undecided(_RACES if one.races else _SHARED)
