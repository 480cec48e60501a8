"""The sends that a picture says, run again: what every slot then holds, and which verdict comes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ringproof.contract import Contract
from ringproof.diagnose.lineage import Lineage
from ringproof.events import Events
from ringproof.figure.facts import strip
from ringproof.figure.reading import Slot, TooLargeError, UnreadableError
from ringproof.figure.shades import held_as, lowest_sent, most_sent, sent_as, shades
from ringproof.figure.story import Content, Stage, content_of, states
from ringproof.problem import ExpansionError
from ringproof.simulate import Outcome, replay, simulate
from ringproof.verdict import Size

MEMORY = float(1 << 29)  # bytes for the contents of one block of values
MOST_PARTS = 10_000_000  # contributions in all values together: a ring of 256 has 8.4 million
RERUN = {"complete", "once", "no-resend", "defined"}  # what a picture's sends alone can refute
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Again:
    """One run of the sends of a picture; ``held``: the number of every value, as in a story."""

    outcome: Outcome
    lineage: Lineage
    held: Array

    def content(self, state: int, rank: int, slot: int) -> Content:
        """What a slot holds when so many steps are done."""
        found = self.lineage.contents(int(self.held[state, rank, slot]))
        return content_of(self.outcome, found, rank, slot)


def again(metadata: Mapping[str, Any], sends: Sequence[tuple[int, ...]] | Array) -> Again:
    """Run (step, sender, receiver, slot read, slot written, 1 where it is added) under the promise of a file.

    A schedule that cannot run is replayed up to where it is drawn.  Errors: `UnreadableError`;
    `TooLargeError` where its values hold more contributions than any picture's.
    """
    try:
        outcome = simulate(_events(metadata, sends), memory=MEMORY)
    except ExpansionError:
        raise TooLargeError("sums of more contributions than any picture's") from None
    if outcome.trail is None and metadata["runs"]:
        raise UnreadableError("sends that cannot run")
    if outcome.trail is None:
        outcome = replace(outcome, trail=replay(outcome.events))
    _holdable(outcome)
    lineage = Lineage(outcome)
    return Again(outcome, lineage, states(outcome, lineage))


def _holdable(outcome: Outcome) -> None:
    """Whether the contents of all values fit in memory; errors: `TooLargeError`."""
    if outcome.trail is None:
        return
    total, different = outcome.trail.total, outcome.events.ranks * outcome.events.chunks
    digits = np.log2(total.max(initial=2)) / 800  # a count of 100 bytes or less is as good as any
    if not np.minimum(total, different).sum() * max(1, digits) <= MOST_PARTS:
        raise TooLargeError("sums of more contributions than any picture's")


def stages(found: Again, phases: Sequence[tuple[str, int, int]]) -> list[Stage]:
    """The phases that a file names, with what their receivers do in this run."""
    events = found.outcome.events
    return [
        Stage(name, start, stop, frozenset(
            bool(op) for op in events.reduce[(events.step >= start) & (events.step < stop)].tolist()))
        for name, start, stop in phases
    ]  # fmt: skip


def otherwise(found: Again, metadata: Mapping[str, Any]) -> Iterator[str]:
    """Where the verdict of a file is not that of this run."""
    if not metadata["runs"]:
        if metadata["verdict"] != "refuted":
            yield "a schedule that cannot run is no proved one"
        return
    violations = found.outcome.violations
    broken = {name for name, where in violations.items() if where} - set(metadata["waived"])
    if metadata["verdict"] == "proved" and broken:
        yield f"the sends that are drawn are not right: {', '.join(sorted(broken))}"
    if metadata["verdict"] == "refuted" and not broken and set(metadata["refutes"]) & RERUN:
        yield "the sends that are drawn are right, and the picture says that they are refuted"


def misfilled(found: Again, boxes: Sequence[Slot], plain: object) -> list[str]:
    """Boxes that are drawn with something else in them; ``plain``: no counterexample is in focus."""
    return [
        f"slot {box.slot} of rank {box.rank} after {box.state} steps holds something else"
        for box in boxes if strip(found.content(box.state, box.rank, box.slot), plain) != box.counts
    ][:5]  # fmt: skip


def miscolored(
    found: Again, cells: Sequence[tuple[str, int, int, int]], chunk: int, parts: int
) -> list[str]:
    """Cells of matrix and life whose colour is not what this run sends and holds."""
    sent = lowest_sent(found.outcome.events)
    held = shades(lambda cell: found.content(*cell), found.held, chunk)
    sends, holds = sent_as(found.outcome.events.slots), held_as(parts)
    wrong = []
    for name, rank, column, number in cells:
        if name == "matrix" and sends(int(sent[column, rank])) != number:
            wrong.append(f"rank {rank} does not send in step {column} what its cell says")
        if name == "life" and holds(held[column][rank]) != number:
            wrong.append(f"rank {rank} does not hold after {column} steps what its cell says")
    return wrong[:5]


def most(found: Again) -> int:
    """The most different slots that a rank sends in one step."""
    return most_sent(found.outcome.events)


def _events(metadata: Mapping[str, Any], sends: Sequence[tuple[int, ...]] | Array) -> Events:
    """The sends as events at one size."""
    rows = np.array(sends, dtype=np.int64).reshape(len(sends), 6)
    step, sender, receiver, chunk, into, reduce = rows[np.lexsort(rows.T[::-1])].T.copy()
    steps = metadata["steps"]
    return Events(
        Size(metadata["N"]), metadata["chunks"], metadata["slots"], steps, step, sender, receiver, chunk,
        into, reduce.astype(bool), step * 0, (("picture",),), np.searchsorted(step, np.arange(steps + 1)),
        (0,), _contract(metadata), (), (),
    )  # fmt: skip


def _contract(metadata: Mapping[str, Any]) -> Contract:
    promise, shape = metadata["promise"], (metadata["N"], metadata["chunks"])
    chunk = np.broadcast_to(np.arange(shape[1]), shape)
    if promise["chunk"] != "own":
        chunk = np.array(promise["chunk"], dtype=np.int64)
    if chunk.shape != shape or (chunk.size and not 0 <= chunk.min() <= chunk.max() < shape[1]):
        raise ValueError("a promise of other sizes")
    starts, ends, part = (_marks(promise[key], shape) for key in ("starts", "ends", "part"))
    return Contract(promise["collective"], starts, ends, part, chunk)


def _marks(rows: str | list[str], shape: tuple[int, int]) -> Array:
    if rows == "all":
        return np.ones(shape, dtype=bool)
    marks = np.array([[mark == "1" for mark in f"{int(row, 16):0{shape[1]}b}"] for row in rows], dtype=bool)
    if marks.shape != shape:
        raise ValueError("a promise of other sizes")
    return marks
