"""Decides one size with Z3, for all inputs: complete, once, no-resend and ensures.

``unsat`` of "some input breaks it" proves a property for every input; ``unknown`` is its own
answer.  A model is decoded to one contribution and one place, which `check` replays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

import z3

from ringproof.events import Events
from ringproof.proof.ask import ask
from ringproof.proof.smt import ANY, BARREN, ONE_HOT, Query, query
from ringproof.proof.units import FOREIGN, Unit, every_unit, first_unit, representatives

Symmetry = Literal["rotation", "shapes", "none"]
DECIDES = ("complete", "once", "no-resend")


@dataclass(frozen=True, slots=True)
class Holds:
    """True for all inputs."""


@dataclass(frozen=True, slots=True)
class Fails:
    """False: at a promised (rank, slot), or at a send (an index into the events).

    ``contribution`` is (rank, chunk) of the one input that shows it, where one does.
    """

    cell: tuple[int, int] | None = None
    event: int | None = None
    contribution: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not decided, and why."""

    reason: str


Decision = Holds | Fails | Unknown


@dataclass(frozen=True, slots=True)
class Proof:
    """``decisions`` by property; ``looked`` of ``units`` stand for all of them, and Z3 decided these."""

    decisions: dict[str, Decision]
    looked: int
    units: int


def prove(
    events: Events, asked: Iterable[str], symmetry: Symmetry, timeout: int, settled: set[bytes] | None = None
) -> Proof:
    """Decide the properties ``asked`` at one size; ``timeout`` in ms for each query.

    ``symmetry = "rotation"`` may be passed only when `rotation.commutes` has proved it.  ``settled``:
    SHA-256 of questions to which Z3 found no answer; the same text is not asked again, here or at another
    size for which the set is handed over, unless ``symmetry = "none"`` wants everything asked.
    """
    asked, settled = tuple(asked), set() if settled is None else settled
    if symmetry == "rotation":
        units, count = first_unit(events), events.slots
    elif symmetry == "shapes":
        units, count = representatives(events)
    else:
        units = list(every_unit(events))
        count = len(units)
    decisions: dict[str, Decision] = {name: Holds() for name in asked}
    for unit in units:
        open_names = tuple(n for n, d in decisions.items() if isinstance(d, Holds))
        if open_names:
            question = query(unit, open_names)
            digest = sha256(question.text.encode()).digest()
            if digest not in settled or symmetry == "none":
                found = _Session(unit, question, timeout).decide()
                decisions.update(found)
                settled.update(() if found else (digest,))
    return Proof(decisions, len(units), count)


class _Session:
    """One unit in one solver."""

    def __init__(self, unit: Unit, question: Query, timeout: int) -> None:
        self.unit, self.query = unit, question
        self.solver = z3.SimpleSolver()
        self.solver.set("timeout", timeout)
        self.solver.from_string(self.query.text)

    def ask(self, *literals: str) -> str:
        """`sat`, `unsat` or `unknown`, with these literals assumed."""
        return str(ask(self.solver, *(z3.Bool(name) for name in literals)))

    def decide(self) -> dict[str, Decision]:
        """What is not known to hold, or is looked into one by one; nothing where all of it holds."""
        if self.query.hopeless is None and self.ask(ANY) == "unsat":
            return {}
        return {name: self.one(name) for name in self.query.asked}

    def one(self, name: str) -> Decision:
        if name == "no-resend" and self.query.hopeless is not None:
            return self.resend(self.query.hopeless)
        answer = self.ask(name)
        if answer == "unsat":
            return Holds()
        if answer == "sat" and name == "no-resend":
            return Unknown("a guessed witness does not hold")
        if answer == "sat":
            answer = self.ask(name, ONE_HOT)
        if answer != "sat":
            return Unknown(self.why())
        model = self.solver.model()
        inputs = {
            cell: model.eval(z3.Int(term), model_completion=True).as_long()
            for term, cell in self.query.inputs.items()
        }
        return self.place(name, inputs)

    def resend(self, event: int) -> Decision:
        """Z3 must confirm that a send without a witness brings nothing, whatever the input."""
        answer = self.ask(BARREN)
        if answer == "unsat":
            return Fails(event=event)
        return Unknown("a send without a witness" if answer == "sat" else self.why())

    def why(self) -> str:
        reason = str(self.solver.reason_unknown())
        return "the solver ran out of time" if reason in ("timeout", "canceled") else reason

    def place(self, name: str, inputs: dict[int, int]) -> Decision:
        """Where the property fails under these inputs, found by running them."""
        contribution = next((self.unit.names[c] for c, value in inputs.items() if value), None)
        where = _run(self.unit, name, inputs)
        if where is None:
            return Unknown("a model that no run of it confirms")
        cell, event = where
        return Fails(None if cell is None else self.unit.names[cell], event, contribution)


def _run(
    unit: Unit, name: str, inputs: dict[int, int]
) -> tuple[int | None, int | None] | None:
    """The first (cell, event) that violates ``name`` when the unit runs on numbers."""
    state: dict[int, int] = dict(inputs)
    whole = sum(inputs.values())
    promise = 0 if name == "complete" else int(name[8:-1]) + 1 if name[:7] == "ensures" else None
    at = 0
    last = max((*unit.due, *(s + 1 for s in unit.step)))
    for step in range(last + 1):
        if promise is not None and unit.due[promise] == step:
            for cell, want in sorted(unit.promises[promise].items(), key=lambda p: unit.names[p[0]]):
                foreign = FOREIGN in want
                if foreign or state.get(cell, 0) != sum(inputs.get(w, 0) for w in want):
                    return cell, None
            return None
        end = at
        while end < len(unit.step) and unit.step[end] == step:
            end += 1
        read = [state.get(unit.source[e], 0) for e in range(at, end)]
        for e, value in zip(range(at, end), read, strict=True):
            held = state.get(unit.target[e], 0) if unit.reduce[e] else 0
            state[unit.target[e]] = held + value
        for e in range(at, end) if name == "once" else ():
            if unit.reduce[e] and state[unit.target[e]] > whole:
                return None, unit.event[e]
        at = end
    return None
