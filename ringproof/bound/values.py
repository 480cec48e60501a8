"""What is asked and what is answered about the least number of steps, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ringproof.collective import COLLECTIVES
from ringproof.contract import Contract, contract
from ringproof.cost.bounds import bounds
from ringproof.problem import Problem
from ringproof.table.reader import read_schedule
from ringproof.verdict import Exit, Report, Size

MOST_RANKS, MOST_CHUNKS = 64, 1024


class QuestionError(Exception):
    """A question without an answer; the message says what to ask instead."""


@dataclass(frozen=True, slots=True)
class Question:
    """``message``: the most chunks from one rank to another in one step, None for any number."""

    collective: str
    N: int
    chunks: int
    ports: int = 1
    message: int | None = 1
    root: int = 0

    def __str__(self) -> str:
        pieces = "1 chunk" if self.chunks == 1 else f"{self.chunks} chunks"
        return f"{self.collective} of {pieces} on {self.N} ranks"


@dataclass(frozen=True, slots=True)
class Answer:
    """No schedule takes fewer than ``at_least`` steps; ``table`` takes as many and ``checked`` is the
    report of the whole pipeline on it; ``local`` further steps of it have local moves only.  No table:
    undecided, and ``reason`` says why.

    ``method`` proved the bound; ``closed_form`` is what counting alone gives.
    """

    question: Question
    at_least: int
    method: str
    closed_form: int
    table: str = ""
    checked: Report | None = None
    local: int = 0
    reason: str = ""

    @property
    def exit(self) -> Exit:
        """Proved only with a table that check accepts."""
        return Exit.PROVED if self.checked else Exit.UNDECIDED


def usual_chunks(collective: str, N: int) -> int:
    """One chunk a rank where ranks own chunks, else one."""
    entry = COLLECTIVES[collective]
    return N if entry.takes_owner or entry.chunks_per_rank else 1


def rooted(collective: str) -> bool:
    """Whether the promise speaks of a root."""
    entry = COLLECTIVES[collective]
    return any("root" in e.names() for e in (entry.starts, entry.ends, entry.part))


def question(
    collective: str, N: int, chunks: int | None = None, ports: int = 1, message: int | None = 1,
    root: int = 0,
) -> Question:  # fmt: skip
    """A question that makes sense; errors: `QuestionError`."""
    if N < 2:
        raise QuestionError("one rank has nothing to send: give -N 2 or more")
    if N > MOST_RANKS:
        raise QuestionError(
            f"N = {N} is out of reach: give -N 2..{MOST_RANKS}; within a minute, with one port and one"
            " chunk a message, all-gather is decided up to about N = 32, all-to-all 16, broadcast 48"
        )
    chunks = usual_chunks(collective, N) if chunks is None else chunks
    if chunks > MOST_CHUNKS:
        raise QuestionError(f"{chunks} chunks are out of reach: give --chunks 1..{MOST_CHUNKS}")
    if COLLECTIVES[collective].chunks_per_rank and chunks % N:
        raise QuestionError(
            f"{collective} has as many chunks for every rank: give --chunks {N} or another multiple of {N}"
        )
    if root and not rooted(collective):
        raise QuestionError(f"{collective} has no root: leave out --root")
    if not 0 <= root < N:
        raise QuestionError(f"there is no rank {root}: give --root 0..{N - 1}")
    return Question(collective, N, chunks, ports, message, root)


def promised(asked: Question) -> Contract:
    """The collective at this size, with the usual owners."""
    written = {"name": "bound", "collective": asked.collective, "ranks": str(asked.N),
               "chunks": asked.chunks, "root": asked.root,
               "phase": [{"name": "found", "steps": 0, "sends": []}]}  # fmt: skip
    schedule, size = read_schedule(written), Size(asked.N)
    problems: list[Problem] = []
    return contract(schedule.promise, schedule.environment(size), size, asked.chunks, problems)


def closed_form(asked: Question) -> int:
    """A lower bound on steps that counting gives: how fast news spreads, how much ranks can move.

    The sources are named in `ringproof.cost.bounds`.
    """
    ports = min(asked.ports, asked.N - 1)
    bound = bounds(promised(asked), (ports, ports))
    if bound is None or asked.message is None:
        return bound.steps if bound else 0
    mean = Fraction(bound.total, asked.N)
    moved = max(bound.sent, bound.received, mean) * asked.chunks
    return max(bound.steps, ceil(moved / (ports * asked.message)))


def closed_form_steps(
    collective: str, N: int, chunks: int | None = None, ports: int = 1, message: int | None = 1,
    root: int = 0,
) -> int:  # fmt: skip
    """`closed_form` by name: ceil(log2 N) with one port and messages of any size, N - 1 for an
    all-gather with messages of one chunk; errors: `QuestionError`."""
    return closed_form(question(collective, N, chunks, ports, message, root))
