"""Learns what a phase needs to be guessed, from traces; not trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ringproof.proof.every_n import exact, moves
from ringproof.proof.every_n.covers import Question, senders
from ringproof.proof.every_n.features import Features, features
from ringproof.proof.every_n.instance import Case
from ringproof.proof.every_n.learner import Lesson, fits, learn
from ringproof.proof.every_n.model import Places, Predicate, Stage
from ringproof.proof.every_n.nodes import subtrees
from ringproof.proof.every_n.traces import Grid, Trace, contents, grid
from ringproof.proof.every_n.witnesses import witnesses
from ringproof.table.schedule import Schedule

Array = np.ndarray[Any, np.dtype[Any]]


MOST_CELLS = 300_000


class NotLearned(Exception):
    """No guess fits the traces, and why."""


@dataclass(slots=True)
class Teacher:
    """Traces of the sizes of one case, and what was learned of them; ``known``: what proved the
    same phase in other cases, by phase and what it is about."""

    schedule: Schedule
    places: Places
    traces: list[Trace]
    deadline: Callable[[], float]
    known: Mapping[tuple[int, str], Iterable[Predicate]] = field(default_factory=dict)
    _features: dict[tuple[int, tuple[str, ...], int], Features] = field(default_factory=dict)

    def moves(self, stage: Stage, level: int, copied: str) -> moves.Guess:
        """A guess in the domain Moves; ``copied``: some phase so far copies."""
        axes = (self.places.step, self.places.rank, self.places.slot)
        live = whole = None
        dying: tuple[Any, ...] = ()
        gaining: tuple[Any, ...] = ()
        if stage.reduces:
            g = self._grid(stage, [t.live for t in self.traces], axes)
            live = self._learn(stage, g, axes, level, "live").predicate
            lost = np.flatnonzero(g.value & ~g.after)
            dying = self._senders(stage, [i.case for i in stage.reduces], g, axes, level,
                                  Question(lost, "reads"))  # fmt: skip
        if stage.copies or copied:
            g = self._grid(stage, [t.whole for t in self.traces], axes)
            whole = self._learn(stage, g, axes, level, "whole").predicate
            gained = np.flatnonzero(g.after & ~g.value)
            gaining = self._senders(stage, [i.case for i in stage.copies], g, axes, level,
                                    Question(gained, "writes"))  # fmt: skip
        return moves.Guess(live, whole, dying, gaining)

    def exact(self, stage: Stage, level: int, in_place: str) -> exact.Guess:
        """A guess in the domain Exact."""
        places = self.places
        axes: tuple[str, ...] = (places.step, places.rank, places.slot, places.origin)
        if not in_place:
            axes = (*axes, places.chunk)
        for t in self.traces:
            events = t.events
            parts = events.ranks * (1 if in_place else events.chunks)
            cells = (events.steps + 1) * events.ranks * events.slots * parts
            if t.holds is None and (cells <= MOST_CELLS or t is self.traces[0]):
                t.holds = contents(t, in_place)
        g = self._grid(stage, [t.holds for t in self.traces], axes)
        holds = self._learn(stage, g, axes, level, "holds").predicate
        if holds is None:
            raise NotLearned("no invariant")
        gained, lost = (np.flatnonzero(m) for m in (g.after & ~g.value, g.value & ~g.after))
        every, copies = ([i.case for i in some] for some in (stage.instances, stage.copies))
        gaining = self._senders(stage, every, g, axes, level,
                                Question(gained, "writes", "yes"), holds)  # fmt: skip
        losing = self._senders(stage, copies, g, axes, level, Question(lost, "writes"))
        found = self._look(stage, axes, level)
        known = [t for t in self.traces if t.holds is not None]
        seen = witnesses(known, stage.index, found, places, in_place, self.schedule, holds)
        return exact.Guess(holds, gaining, losing, seen)

    def _look(self, stage: Stage, axes: tuple[str, ...], level: int) -> Features:
        key = (stage.index, axes, level)
        if key not in self._features:
            self._features[key] = features(self.schedule, stage.phase, self.places, axes, level)
        return self._features[key]

    def _grid(
        self, stage: Stage, arrays: Sequence[Array | None], axes: tuple[str, ...]
    ) -> Grid:
        pairs = [(t, a) for t, a in zip(self.traces, arrays, strict=True) if a is not None]
        pairs.sort(key=lambda p: p[1].size)
        kept = [p for at, p in enumerate(pairs) if at < 3 or p[1].size <= MOST_CELLS]
        return grid([t for t, _ in kept], [a for _, a in kept], stage.index, axes)

    def _learn(
        self, stage: Stage, g: Grid, axes: tuple[str, ...], level: int, what: str
    ) -> Lesson:
        """What proved another case, or the shortest that the levels from here on can say."""
        for predicate in () if level else self.known.get((stage.index, what), ()):
            if fits(predicate, g):
                return Lesson(predicate)
        best: Lesson | None = None
        reason = ""
        for at in range(level, 3):
            if best is not None and at > level + 1:
                break
            lesson = learn(g, self._look(stage, axes, at), self.deadline(), seed=at)
            reason = lesson.reason
            if lesson.predicate is not None:
                if best is None or lesson.cost < best.cost:
                    best = lesson
                if lesson.cost <= 40:
                    break
        if best is None:
            raise NotLearned(reason)
        return best

    def _senders(
        self, stage: Stage, cases: list[Case], g: Grid, axes: tuple[str, ...], level: int,
        question: Question, said: Predicate | None = None,
    ) -> tuple[Any, ...]:  # fmt: skip
        found = self._look(stage, axes, level)
        if said is not None:
            quotients = [t for rule in said.rules for e in rule for t in subtrees(e.node) if t.op == "//"]
            found = replace(found, quotients=list(dict.fromkeys(quotients)))
        return senders(self.schedule, cases, self.places, found, g, question, self.deadline())
