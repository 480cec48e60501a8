"""What a program starts with and must end with: the catalogue's conditions over its own memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringproof.collective import COLLECTIVES
from ringproof.program.memory import Memory
from ringproof.program.replay import Cell
from ringproof.program.terms import WIDTH, Multiset, Terms
from ringproof.table.columns import Columns, column
from ringproof.table.expr import Expr

Row = np.ndarray[Any, np.dtype[Any]]
_ROOTED = ("broadcast", "reduce", "gather", "scatter")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Chunk ``slot`` of rank ``rank``'s result lies in ``cell`` and must hold exactly ``contents``."""

    rank: int
    slot: int
    cell: int
    contents: Multiset


@dataclass(frozen=True, slots=True)
class Post:
    """What a custom program must end with: slot c of rank r's output, where ``ends``, holds one
    contribution (k, ``chunk``) of every rank k with ``part``, and nothing else.
    """

    ends: Expr
    part: Expr
    chunk: Expr


class CutError(Exception):
    """A collective that cannot cut so many chunks among so many ranks."""


def rooted(collective: str) -> bool:
    """Whether a collective has one rank that differs from the others, which no file names."""
    return collective in _ROOTED


def starts(memory: Memory, inputs: int, terms: Terms, root: int) -> dict[Cell, int]:
    """What every cell holds at the start that holds anything; ``inputs``: chunks of a custom input."""
    ranks = range(len(memory.bases))
    entry = COLLECTIVES.get(memory.collective)
    if entry is None:
        return {(r, memory.bases[r][0] + c): terms.leaf(r, c) for r in ranks for c in range(inputs)}
    cells = _Cells(memory, root)
    holds = cells.of(entry.starts)
    return {
        (r, memory.input_cell(r, int(c))): terms.leaf(r, int(c))
        for r in ranks for c in np.flatnonzero(holds[r])
    }  # fmt: skip


def wanted(memory: Memory, outputs: int, post: Post | None, root: int) -> Iterator[Wanted]:
    """What every cell must hold at the end; errors: `CutError`."""
    ranks, entry = len(memory.bases), COLLECTIVES.get(memory.collective)
    if post is not None:
        yield from _custom(memory, outputs, post)
    elif entry is not None:
        if entry.chunks_per_rank and memory.whole % ranks:
            raise CutError(f"{memory.whole} chunks cannot be cut into {ranks} equal blocks")
        cells = _Cells(memory, root)
        ends, chunk = cells.of(entry.ends), cells.of(entry.chunk)
        packed = [_packed(column) for column in cells.of(entry.part).T]
        for r in range(ranks):
            for c in np.flatnonzero(ends[r]):
                contents = (int(chunk[r, c]), packed[c])
                yield Wanted(r, int(c), memory.output_cell(r, int(c)), contents)


def _packed(part: Row) -> int:
    """One contribution of every rank that takes part, as `terms` counts them."""
    return int.from_bytes(part.astype("<u8").tobytes(), "little")


class _Cells:
    """Conditions of the catalogue over every rank (as r and as k) and slot."""

    def __init__(self, memory: Memory, root: int) -> None:
        N, chunks = len(memory.bases), memory.whole
        rank, slot = np.repeat(np.arange(N), chunks), np.tile(np.arange(chunks), N)
        self.shape = (N, chunks)
        owner = slot * N // chunks
        names = {"N": column(N), "chunks": column(chunks), "root": column(root), "owner": column(owner)}
        self.columns = Columns({**names, "c": column(slot), "r": column(rank), "k": column(rank)}, {})

    def of(self, expr: Expr) -> Row:
        """A condition or a number for every rank and slot."""
        return _whole(self.columns, expr, self.shape)


def _custom(memory: Memory, outputs: int, post: Post) -> Iterator[Wanted]:
    """Evaluate a stated result rank by rank; a value that does not exist is no promise."""
    N = len(memory.bases)
    slot, rank = np.tile(np.arange(outputs), N), np.repeat(np.arange(N), outputs)
    for r in range(N):
        names = {"N": column(N), "chunks": column(outputs), "r": column(r)}
        columns = Columns({**names, "c": column(slot), "k": column(rank)}, {})
        ends, part, chunk = (_whole(columns, e, (N, outputs)) for e in (post.ends, post.part, post.chunk))
        for c in np.flatnonzero(ends[0]):
            found: dict[int, int] = {}
            for k in np.flatnonzero(part[:, c]):
                found[int(chunk[k, c])] = found.get(int(chunk[k, c]), 0) + (1 << WIDTH * int(k))
            contents = tuple(value for pair in sorted(found.items()) for value in pair)
            yield Wanted(r, int(c), memory.bases[r][1] + int(c), contents)


def _whole(columns: Columns, expr: Expr, shape: tuple[int, int]) -> Row:
    found = columns.value(expr)
    values = np.broadcast_to(np.asarray(found.values), (shape[0] * shape[1],))
    undefined = np.broadcast_to(np.asarray(found.undefined), values.shape)
    return np.where(undefined, 0, values).reshape(shape)
