"""Where the slots of a table lie in the buffers of a program.

The promise of an all-gather, reduce-scatter, gather or scatter is symmetric in the chunks, but the format
fixes who owns which: rank k's are a block, the k-th of equal ones.  A table whose owner is another says the
same of renamed chunks, so its chunks are renumbered, each owner's in ascending order, and nothing moves.
With instances every chunk is cut again: instance i of a block's chunks stands together, so that consecutive
chunks stay consecutive.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ringproof.events import Events
from ringproof.program.model import Buffer, Case

Array = np.ndarray[Any, np.dtype[Any]]
Cell = tuple[Buffer, int]
STARTS_WITH_A_BLOCK = ("all-gather", "gather")
ENDS_WITH_A_BLOCK = ("reduce-scatter", "scatter")


class NotConvertible(Exception):
    """A table or a program that has no counterpart; the text says why and what can be done."""


@dataclass(frozen=True, slots=True)
class Layout:
    """One case of a collective among ``ranks``, of ``chunks`` slots and ``scratch`` more, after renumbering.

    ``place``: the number of slot c in instance i is place[i][c], also for scratch slots.  ``starts``,
    ``ends``: by rank, whether a numbered slot holds an input, or is promised.
    """

    case: Case
    collective: str
    ranks: int
    chunks: int
    scratch: int
    place: tuple[tuple[int, ...], ...]
    starts: tuple[tuple[bool, ...], ...]
    ends: tuple[tuple[bool, ...], ...]

    @property
    def block(self) -> int:
        """Chunks of the whole vector that one rank owns."""
        return self.chunks // self.ranks

    @property
    def inputs(self) -> int:
        """Chunks of the input buffer."""
        return self.block if self.collective in STARTS_WITH_A_BLOCK else self.chunks

    @property
    def outputs(self) -> int:
        """Chunks of the output buffer."""
        return self.block if self.collective in ENDS_WITH_A_BLOCK else self.chunks

    @property
    def renumbered(self) -> bool:
        """Whether a chunk of the table has another number here, instances apart."""
        return any(a > b for a, b in pairwise(self.place[0]))

    def first(self, rank: int, slot: int) -> Cell | None:
        """Where a slot's value lies at the start, None where it has none."""
        if slot >= self.chunks or not self.starts[rank][slot]:
            return None
        if self.case == "in place" and self.ends[rank][slot] and self.collective in STARTS_WITH_A_BLOCK:
            return "o", slot
        return "i", slot - rank * self.block * (self.collective in STARTS_WITH_A_BLOCK)

    def then(self, rank: int, slot: int) -> Cell:
        """Where a slot's value lies once it was written.

        Out of place the input is left alone, and what is not promised is scratch; in place a slot
        with an input stays where it is.
        """
        if self.case == "in place" and (found := self.first(rank, slot)) is not None:
            return found
        if slot < self.chunks and self.ends[rank][slot]:
            return "o", slot - rank * self.block * (self.collective in ENDS_WITH_A_BLOCK)
        return "s", slot - self.chunks if slot >= self.chunks else self.scratch + slot


def layout(events: Events, case: Case, instances: int = 1) -> Layout:
    """Number the slots of a table; errors: `NotConvertible` where its ranks own unequal numbers of chunks."""
    N, name = events.ranks, events.contract.collective
    owned = name in (*STARTS_WITH_A_BLOCK, *ENDS_WITH_A_BLOCK)
    order, block = list(range(events.chunks)), events.chunks
    if owned:
        owner = _owners(events, name)
        counts = np.bincount(owner, minlength=N)
        if counts.min() != counts.max():
            most, least = int(counts.argmax()), int(counts.argmin())
            raise NotConvertible(
                f"rank {most} owns {counts[most]} chunks and rank {least} owns {counts[least]}, and in the "
                f"format's {name} all own equally many; give the table an `owner` that does"
            )
        order = np.argsort(np.argsort(owner, kind="stable")).tolist()
    if owned or name == "all-to-all":
        block = events.chunks // N
    place = tuple(_numbers(events, order, block, i, instances) for i in range(instances))
    return Layout(
        case, name, N, events.chunks * instances, (events.slots - events.chunks) * instances, place,
        _renumbered(events.contract.starts, place, events), _renumbered(events.contract.ends, place, events),
    )  # fmt: skip


def _owners(events: Events, name: str) -> Array:
    """The rank that owns each chunk: the one whose part it is, or who ends with it."""
    starts = name in STARTS_WITH_A_BLOCK
    owner: Array = np.argmax(events.contract.starts if starts else events.contract.ends, axis=0)
    return owner


def _numbers(events: Events, order: list[int], block: int, i: int, instances: int) -> tuple[int, ...]:
    chunks = [c // block * block * instances + i * block + c % block for c in order]
    first, scratch = events.chunks * instances, events.slots - events.chunks
    return (*chunks, *(first + i * scratch + j for j in range(scratch)))


def _renumbered(
    condition: Array, place: tuple[tuple[int, ...], ...], events: Events
) -> tuple[tuple[bool, ...], ...]:  # fmt: skip
    found = np.zeros((events.ranks, events.chunks * len(place)), dtype=bool)
    for numbers in place:
        found[:, numbers[: events.chunks]] = condition
    return tuple(map(tuple, found.tolist()))
