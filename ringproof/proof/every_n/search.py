"""Proves a table for every N: learn, ask Z3, and where it fails replay that size; not trusted.

Nothing here decides anything: a property is proved only when every obligation of the trusted rooms
is, and refuted only by a replay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from time import process_time

from ringproof.proof.every_n import basics, exact, moves
from ringproof.proof.every_n.composition import Composition
from ringproof.proof.every_n.context import Desk
from ringproof.proof.every_n.counts import Counts
from ringproof.proof.every_n.formula import lt
from ringproof.proof.every_n.guesses import Teacher
from ringproof.proof.every_n.model import Model, Obligation, Predicate, Stage
from ringproof.proof.every_n.replay import MOST_TRACED, Replays
from ringproof.proof.every_n.sizes import Sizes
from ringproof.table.schedule import Schedule
from ringproof.verdict import Size

LEVELS, MOST_TRIES = 3, 4


class Stuck(Exception):
    """No proof, and why."""


@dataclass(frozen=True, slots=True)
class CaseProof:
    """What one case of the sizes was proved with; ``ways``: claim number -> how it was counted."""

    sizes: Sizes
    model: Model
    domain: moves.Moves | exact.Exact
    guesses: tuple[moves.Guess, ...] | tuple[exact.Guess, ...]
    counts: Counts | None = None
    ways: Mapping[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class Search:
    """One table, one budget; ``known``: predicates that proved a phase, by phase and what they say."""

    composition: Composition
    deadline: float
    replays: Replays
    desk: Desk = field(default_factory=Desk)
    known: dict[tuple[int, str], dict[Predicate, None]] = field(default_factory=dict)

    @property
    def schedule(self) -> Schedule:
        """The table, its phases rows of their own."""
        return self.composition.schedule

    def case(self, sizes: Sizes) -> CaseProof:
        """Prove everything but the claims for one case; errors: `Stuck`, `Broken`."""
        model = Model(sizes)
        whole = self.composition.obligations
        for generate in (whole, basics.sense, basics.ranges, basics.conflicts):
            self._all(sizes, generate(model))
        traces = self.replays.of(sizes)
        if not traces:
            raise Stuck("no size small enough to learn from")
        moving = model.in_place and all(t.live is not None for t in traces)
        return self._moves(model) if moving else self._exact(model)

    def _teacher(self, model: Model) -> Teacher:
        traces = self.replays.of(model.sizes)
        return Teacher(self.schedule, model.places, traces, self._soon, self.known)

    def _keep(self, stage: Stage, **said: Predicate | None) -> None:
        """Remember for other cases what proved a phase."""
        for what, predicate in said.items():
            if predicate is not None:
                self.known.setdefault((stage.index, what), {})[predicate] = None

    def _soon(self) -> float:
        return min(self.deadline, process_time() + max(0.5, (self.deadline - process_time()) * 0.6))

    @property
    def _resend_waived(self) -> str:
        return "yes" if "no-resend" in self.schedule.waive else ""

    def _moves(self, model: Model) -> CaseProof:
        guesses: list[moves.Guess] = []
        copied = ""
        for stage in model.stages:
            copied = copied or ("yes" if stage.copies else "")
            for level in self._levels():
                guess = self._teacher(model).moves(stage, level, copied)
                domain = moves.Moves(model, (*guesses, guess), self._resend_waived)
                if self._stage(model, domain.phase(stage), level):
                    break
            self._keep(stage, live=guess.live, whole=guess.whole)
            guesses.append(guess)
        domain = moves.Moves(model, tuple(guesses), self._resend_waived)
        self._ends(model, domain)
        return CaseProof(model.sizes, model, domain, tuple(guesses))

    def _exact(self, model: Model) -> CaseProof:
        guesses: list[exact.Guess] = []
        place = "yes" if model.in_place else ""
        for stage in model.stages:
            for level in self._levels():
                guess = self._teacher(model).exact(stage, level, place)
                domain = exact.Exact(model, (*guesses, guess), self._resend_waived)
                if self._stage(model, domain.phase(stage), level):
                    break
            self._keep(stage, holds=guess.holds)
            guesses.append(guess)
        domain = exact.Exact(model, tuple(guesses), self._resend_waived)
        self._all(model.sizes, domain.links())
        self._ends(model, domain)
        return CaseProof(model.sizes, model, domain, tuple(guesses))

    def _levels(self) -> Iterator[int]:
        """More features after a failure, but the same after one that brought a new sample."""
        level, tries = 0, 0
        while level < LEVELS:
            before = len(self.replays.traces)
            yield level
            tries += 1
            if len(self.replays.traces) == before or tries > MOST_TRIES:
                level += 1

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

    def replayed(self, sizes: Sizes, ob: Obligation, model: dict[int, int]) -> Size | None:
        """The size at which an obligation fails, a small one if there is one; errors: `Broken`."""
        size = sizes.size(model)
        if size is None or size.N > MOST_TRACED:
            small = ob.context.extended(lt(sizes.N, MOST_TRACED + 1)).ask(ob.goal)
            if small.verdict == "fails":
                size = sizes.size(small.model)
        if size is not None:
            self.replays.look(size)
        return size

    def _failed(self, sizes: Sizes, ob: Obligation, model: dict[int, int]) -> None:
        size = self.replayed(sizes, ob, model)
        told = "" if ob.phase < 0 else f" in phase `{self.schedule.phases[ob.phase].name}`"
        raise Stuck(f"not proved: {ob.kind}, {ob.what}{told}" + (f" (N = {size.N})" if size else ""))
