"""A collective at one size: who holds what at the start, and who must hold what at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ringproof.collective import COLLECTIVES, DEFAULT_OWNER
from ringproof.problem import Problem, first_undefined
from ringproof.table.columns import Columns, column
from ringproof.table.expr import Expr
from ringproof.table.integers import Environment, Undefined
from ringproof.table.schedule import Promise
from ringproof.verdict import Size

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Contract:
    """``starts``, ``ends``: bool (N, chunks), over rank and slot; ``chunk``: int64, same shape.

    ``part``: bool (N, chunks), over the rank k a contribution comes from and the slot c it ends
    in.  A slot with ``starts`` holds (r, c) once at the start.  A slot with ``ends`` holds at the
    end exactly one (k, chunk[r, c]) for every k with part[k, c].
    """

    collective: str
    starts: Array
    ends: Array
    part: Array
    chunk: Array


def contract(
    promise: Promise, environment: Environment, size: Size, chunks: int, problems: list[Problem]
) -> Contract:
    """Evaluate a promise over all ranks and chunks; what has no sense is added to ``problems``."""
    entry, N = COLLECTIVES[promise.collective], size.N
    rank = np.repeat(np.arange(N), chunks)
    slot = np.tile(np.arange(chunks), N)
    whole_blocks = not (entry.chunks_per_rank and chunks % N)
    if not whole_blocks:
        problems.append(Problem("bad-size", size, promise.names["chunks"].route, facts={"multiple": chunks}))
    root = _root(promise, environment, size, problems)
    owner = _owner(promise, environment, size, chunks, problems)
    inputs = {"N": column(N), "chunks": column(chunks), "root": column(root),
              "c": column(slot), "r": column(rank), "k": column(rank),
              "owner": column(np.tile(owner, N))}  # fmt: skip

    def cells(expr: Expr) -> Array:
        values = Columns(inputs, {}).value(expr).values if whole_blocks else 0
        return np.broadcast_to(np.asarray(values), (N * chunks,)).reshape(N, chunks)

    return Contract(
        promise.collective, cells(entry.starts), cells(entry.ends), cells(entry.part),
        cells(entry.chunk),
    )  # fmt: skip


def _root(
    promise: Promise, environment: Environment, size: Size, problems: list[Problem]
) -> int:
    try:
        root = environment.integer(promise.root)
    except Undefined as error:
        problems.append(Problem.undefined(error, size, {}))
        return 0
    if not 0 <= root < size.N:
        problems.append(Problem("bad-size", size, promise.root.route, facts={"root": root}))
        return 0
    return root


def _owner(
    promise: Promise, environment: Environment, size: Size, chunks: int, problems: list[Problem]
) -> Array:
    expr = promise.owner or DEFAULT_OWNER
    inputs = {k: column(int(environment[k])) for k in ("N", *dict(size.params), "chunks")}
    slot = np.arange(chunks)
    names = Columns({**inputs, "c": column(slot)}, promise.names)
    found = names.value(expr)
    if found.undefined is not False:
        at = 0 if found.undefined is True else int(np.argmax(found.undefined))
        problems.append(first_undefined(expr, size, {"c": at}, promise.names))
        return slot * 0
    owner = np.broadcast_to(np.asarray(found.values), (chunks,))
    bad = (owner < 0) | (owner >= size.N)
    if bad.any():
        at = int(np.argmax(bad))
        facts = {"owner": int(owner[at]), "c": at}
        problems.append(Problem("bad-size", size, expr.route, facts=facts))
        return slot * 0
    return owner
