"""Proves a table for every N: learn, ask Z3, and where it fails replay that size; not trusted.

Nothing here decides anything: a property is proved only when every obligation of the trusted rooms
is, and refuted only by a replay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from ringproof.problem import EnginesDisagree, ExpansionError
from ringproof.proof.every_n import basics, exact, moves
from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.context import Desk, OutOfTime
from ringproof.proof.every_n.formula import lt
from ringproof.proof.every_n.guesses import NotLearned, Teacher
from ringproof.proof.every_n.model import Model, Obligation
from ringproof.proof.every_n.replay import Broken, Replays
from ringproof.proof.every_n.sizes import Sizes, cases, listed
from ringproof.proof.every_n.verdicts import EveryN, Invariant, Proved, Refuted, Undecided, Verdict
from ringproof.table.integers import Undefined
from ringproof.table.schedule import Schedule

LEVELS = 3


class Stuck(Exception):
    """No proof, and why."""


@dataclass(slots=True)
class CaseProof:
    """What one case of the sizes was proved with."""

    sizes: Sizes
    model: Model
    domain: moves.Moves | exact.Exact
    guesses: tuple[moves.Guess, ...] | tuple[exact.Guess, ...]


@dataclass(slots=True)
class Search:
    """One table, one budget."""

    schedule: Schedule
    deadline: float
    replays: Replays
    desk: Desk = field(default_factory=Desk)

    def case(self, sizes: Sizes) -> CaseProof:
        """Prove everything but the claims for one case; errors: `Stuck`, `Broken`."""
        model = Model(sizes)
        for generate in (basics.sense, basics.ranges, basics.conflicts):
            self._all(sizes, generate(model))
        last: CaseProof | None = None
        traces = self.replays.of(sizes)
        if not traces:
            raise Stuck("no size small enough to learn from")
        moving = model.in_place and all(t.live is not None for t in traces)
        last = self._moves(model) if moving else self._exact(model)
        return last

    def _teacher(self, model: Model) -> Teacher:
        traces = self.replays.of(model.sizes)
        return Teacher(self.schedule, model.places, traces, self._soon)

    def _soon(self) -> float:
        return min(self.deadline, monotonic() + max(0.5, (self.deadline - monotonic()) * 0.6))

    @property
    def _resend_waived(self) -> str:
        return "yes" if "no-resend" in self.schedule.waive else ""

    def _moves(self, model: Model) -> CaseProof:
        guesses: list[moves.Guess] = []
        copied = ""
        for stage in model.stages:
            copied = copied or ("yes" if stage.copies else "")
            for level in range(LEVELS):
                teacher = self._teacher(model)
                guess = self._learned(lambda t=teacher, s=stage, v=level, c=copied: t.moves(s, v, c))  # type: ignore[misc]
                domain = moves.Moves(model, (*guesses, guess), self._resend_waived)
                if self._stage(model, domain.phase(stage), level):
                    break
            guesses.append(guess)
        domain = moves.Moves(model, tuple(guesses), self._resend_waived)
        self._ends(model, domain)
        return CaseProof(model.sizes, model, domain, tuple(guesses))

    def _exact(self, model: Model) -> CaseProof:
        guesses: list[exact.Guess] = []
        place = "yes" if model.in_place else ""
        for stage in model.stages:
            for level in range(LEVELS):
                teacher = self._teacher(model)
                guess = self._learned(lambda t=teacher, s=stage, v=level: t.exact(s, v, place))  # type: ignore[misc]
                domain = exact.Exact(model, (*guesses, guess), self._resend_waived)
                if self._stage(model, domain.phase(stage), level):
                    break
            guesses.append(guess)
        domain = exact.Exact(model, tuple(guesses), self._resend_waived)
        self._all(model.sizes, domain.links())
        self._ends(model, domain)
        return CaseProof(model.sizes, model, domain, tuple(guesses))

    def _learned(self, learn):  # type: ignore[no-untyped-def]
        try:
            return learn()
        except NotLearned as error:
            raise Stuck(str(error)) from None

    def _ends(self, model: Model, domain: moves.Moves | exact.Exact) -> None:
        last = len(model.stages) - 1
        self._all(model.sizes, domain.ends(model.contract, last, "complete"))
        for number, (phase, contract) in enumerate(model.ensures.items()):
            self._all(model.sizes, domain.ends(contract, phase, f"ensures[{number}]"))

    def _stage(self, model: Model, obligations: Iterator[Obligation], level: int) -> bool:
        """Whether all are proved; False to learn again with more."""
        try:
            self._all(model.sizes, obligations)
        except Stuck:
            if level == LEVELS - 1:
                raise
            return False
        return True

    def _all(self, sizes: Sizes, obligations: Iterable[Obligation]) -> None:
        for ob in obligations:
            answer = ob.context.ask(ob.goal)
            if answer.verdict == "unknown":
                raise Stuck(f"Z3 gives up on: {ob.kind}, {ob.what}")
            if answer.verdict == "fails":
                self._failed(sizes, ob, answer.model)

    def _failed(self, sizes: Sizes, ob: Obligation, model: dict[int, int]) -> None:
        size = sizes.size(model)
        if size is None or size.N > 40:
            small = ob.context.extended(lt(sizes.N, 41)).ask(ob.goal)
            if small.verdict == "fails":
                size = sizes.size(small.model)
        if size is not None:
            self.replays.look(size)
        told = "" if ob.phase < 0 else f" in phase `{self.schedule.phases[ob.phase].name}`"
        raise Stuck(f"not proved: {ob.kind}, {ob.what}{told}" + (f" (N = {size.N})" if size else ""))


def prove_every_n(schedule: Schedule, budget: float = 10.0) -> EveryN:
    """Prove a table for every N from its lower end on, within ``budget`` seconds."""
    began = monotonic()
    replays = Replays(schedule)
    desk = Desk(deadline=began + budget)
    search = Search(schedule, began + budget, replays, desk)
    said = words(schedule)
    proofs: list[CaseProof] = []
    verdict: Verdict
    try:
        if any(phase.sends for phase in schedule.phases):
            raise Stuck("its sends are written out, for one size")
        replays.start()
        for split in _splits(schedule):
            try:
                proofs = [search.case(sizes) for sizes in cases(schedule, desk, split)]
                break
            except Untranslatable as error:
                if split == _splits(schedule)[-1]:
                    raise Stuck(f"not translated: {error}") from None
        verdict = Proved()
    except Stuck as error:
        verdict = Undecided(str(error))
    except OutOfTime:
        verdict = Undecided(f"no proof within {budget:g} s")
    except Broken as error:
        verdict = Refuted(error.size)
    except (ExpansionError, Undefined) as error:
        verdict = Undecided(f"cannot be replayed: {error}")
    return EveryN(verdict, said, seconds=monotonic() - began, guesses=tuple(proofs))


def _splits(schedule: Schedule) -> list[frozenset[str]]:
    names = frozenset(loop.name for loop in schedule.params if listed(loop))
    return [frozenset(), names] if names else [frozenset()]


def words(schedule: Schedule) -> str:
    """The sizes a proof speaks of."""
    return f"every N >= {schedule.ranks[0]}"


__all__ = ["EnginesDisagree", "Invariant", "prove_every_n"]
