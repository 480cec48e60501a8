"""Chooses, among sender guesses, the fewest that explain every change on the traces; not trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from random import Random
from time import process_time
from typing import Any

import numpy as np

from ringproof.proof.every_n.features import Features
from ringproof.proof.every_n.instance import Case
from ringproof.proof.every_n.model import Places, Sender
from ringproof.proof.every_n.nodes import expr, inline, name, node, number, substitute, uses
from ringproof.proof.every_n.rewriting import folded
from ringproof.proof.every_n.senders import Solution, solutions
from ringproof.proof.every_n.traces import Grid
from ringproof.table.arrays import unique
from ringproof.table.expr import Expr, Node, Range
from ringproof.table.schedule import Schedule

Array = np.ndarray[Any, np.dtype[Any]]
MOST_PLACES, MOST_MISSED, MOST_SENDERS, ROUNDS = 2500, 500, 4, 4


@dataclass(frozen=True, slots=True)
class Question:
    """Which places to explain: ``end`` is the end of the send that touches them ("reads" or
    "writes"); ``contents`` asks that the source holds the part as well."""

    places: Array
    end: str
    contents: str = ""


@dataclass(slots=True)
class _Row:
    """A row over unknowns ``?r`` and ``?loop``, with the step of the places."""

    case: Case
    unknowns: tuple[str, ...]
    conditions: list[Node]
    sender: Node
    receiver: Node
    chunk: Node
    into: Node


@dataclass(frozen=True, slots=True)
class _Guess:
    """Which rank and which values of its variables send, over the axes."""

    row: _Row
    solution: Solution

    @property
    def sender(self) -> Sender:
        """In the language of the table."""
        case, solution = self.row.case, self.solution
        loops = {u: expr(solution["?" + u]) for u in case.unknowns}
        return Sender(case.index, case.part, expr(solution["?r"]), loops)


class _View:
    """What the traces show at the places of a question."""

    def __init__(self, grid: Grid, question: Question, places: Places) -> None:
        self.grid, self.question, self.places = grid, question, places
        self.some = grid.samples.taken(question.places)

    def explained(self, row: _Row, solution: Solution) -> Array:
        """The places that a guessed send touches."""
        some, places, question = self.some, self.places, self.question
        good = np.ones(some.count, dtype=bool)
        for condition in row.conditions:
            good &= some(substitute(condition, solution)).astype(bool)
            if not good.any():
                return good
        sender, receiver, chunk, into = (
            some(substitute(t, solution)) for t in (row.sender, row.receiver, row.chunk, row.into)
        )
        rank, slot = some(name(places.rank)), some(name(places.slot))
        ends = (sender, chunk) if question.end == "reads" else (receiver, into)
        good &= (ends[0] == rank) & (ends[1] == slot)
        if question.contents and good.any():
            good &= self.grid.at(question.places, some(name(places.step)), sender, chunk)
        return good


def _row(schedule: Schedule, case: Case, places: Places) -> _Row:
    row = case.row
    kept = frozenset({"N", "r", "s", *(p.name for p in schedule.params),
                      *(loop.name for loop in row.loops)})  # fmt: skip
    own = {"s": name(places.step), "r": name("?r")}
    own |= {loop.name: name("?" + loop.name) for loop in row.loops}
    for loop, item in zip(row.loops, case.items, strict=True):
        if isinstance(item, Expr):
            own[loop.name] = substitute(inline(item.node, row.names, kept), own)

    def tree(e: Expr) -> Node:
        return folded(substitute(inline(e.node, row.names, kept), own))

    conditions = [node("<=", number(0), name("?r")), node("<", name("?r"), name("N"))]
    for loop, item in zip(row.loops, case.items, strict=True):
        if isinstance(item, Range):
            conditions.append(node("<=", tree(item.lo), name("?" + loop.name)))
            conditions.append(node("<=", name("?" + loop.name), tree(item.hi)))
    conditions += [tree(guard) for _, guard in row.guards]
    peer = tree(row.peer)
    ends = (name("?r"), peer) if row.push else (peer, name("?r"))
    unknowns = ("?r", *("?" + u for u in case.unknowns))
    return _Row(case, unknowns, conditions, *ends, tree(row.chunk), tree(row.into))


def senders(
    schedule: Schedule, cases: Sequence[Case], places: Places, features: Features, grid: Grid,
    question: Question, deadline: float,
) -> tuple[Sender, ...]:  # fmt: skip
    """The fewest guesses found that explain as many of the places as possible.

    They are found on some of the places and tried on all; what they miss there is looked at as well.
    """
    at, chance = question.places, Random(1)
    looked = _some(at, MOST_PLACES, chance)
    rows = [_row(schedule, case, places) for case in cases]
    chosen: list[_Guess] = []
    for _ in range(ROUNDS if at.size else 0):
        view = _View(grid, replace(question, places=looked), places)
        chosen, hit = _fewest(_pool(rows, features, view, deadline), len(looked))
        if not hit.all() or len(looked) == len(at) or process_time() > deadline:
            break
        every = _View(grid, question, places)
        missed = at[~np.logical_or.reduce([every.explained(g.row, g.solution) for g in chosen])]
        if not missed.size:
            break
        looked = unique(np.concatenate([looked, _some(missed, MOST_MISSED, chance)]))
    return tuple(guess.sender for guess in chosen)


def _some(places: Array, most: int, chance: Random) -> Array:
    return places if len(places) <= most else np.sort(chance.sample(places.tolist(), most))


def _pool(
    rows: Sequence[_Row], features: Features, view: _View, deadline: float
) -> list[tuple[Array, _Guess]]:
    """Every guess that explains something, and what; only one, where one explains everything."""
    pool: list[tuple[Array, _Guess]] = []
    for row in rows:
        for solution in chain.from_iterable(
            guess(row, view.places, features, view.question) for guess in (_digitwise, _likely)
        ):
            if process_time() > deadline:
                break
            hit = view.explained(row, solution)
            if hit.any():
                pool.append((hit, _Guess(row, solution)))
                if hit.all():
                    return pool[-1:]
    return pool


def _fewest(pool: list[tuple[Array, _Guess]], count: int) -> tuple[list[_Guess], Array]:
    """Guesses that explain most together, and what they explain."""
    left = np.ones(count, dtype=bool)
    chosen: list[_Guess] = []
    while left.any() and pool and len(chosen) < MOST_SENDERS:
        hit, guess = max(pool, key=lambda p: int((p[0] & left).sum()))
        if not (hit & left).any():
            break
        chosen.append(guess)
        left &= ~hit
    return chosen, ~left


def _digitwise(
    row: _Row, places: Places, features: Features, question: Question
) -> Iterator[Solution]:
    """Sends along one digit: a variable is the difference of two digits, another counts blocks."""
    x, c = name(places.rank), name(places.slot)
    rank = row.sender if question.end == "reads" else row.receiver
    told = [t for t in features.named if uses(t) & {places.rank, places.step} == {places.rank}]
    powers = [p for p in features.powers[:4] if p.op == "**"]
    widths = [*features.moduli[:3], *(p for p in features.powers if p.op != "**")][:5]
    for t, p, m in product([*told, x], powers, widths if len(row.unknowns) in (2, 3) else ()):
        other = substitute(t, {places.rank: name(places.origin)}) if question.contents else c
        mine, theirs = _digit(t, p, m), _digit(other, p, m)
        there, back = (node("%", node("-", *d), m) for d in ((theirs, mine), (mine, theirs)))
        for along in row.unknowns[1:]:
            blocks = {u: node("//", c, node("*", p, m)) for u in row.unknowns[1:] if u != along}
            if rank == name("?r"):
                yield {"?r": x, along: there, **blocks}
            elif along in uses(rank):
                yield {"?r": substitute(rank, {"?r": x, along: there}), along: back, **blocks}


def _likely(row: _Row, places: Places, features: Features, question: Question) -> list[Solution]:
    x, c, k = (name(n) for n in (places.rank, places.slot, places.origin))
    rank, slot = (row.sender, row.chunk) if question.end == "reads" else (row.receiver, row.into)
    known = [k, x, c] if question.contents else [x, c]
    known.append(node("-", c, name("N")))
    ranks = [*known, *_digits(features, x, known)]
    ranks += [n for n in features.numbers if n.op == "%"][:6]
    seeds = {"?r": ranks}
    for unknown in row.unknowns[1:]:
        bounds = [n.args[0] for n in row.conditions if n.op == "<=" and n.args[1] == name(unknown)]
        apart = [node("%", node("-", u, v), m) for m in [name("N"), *features.moduli[:2]]
                 for u in known[:3] for v in known[:3] if u != v and m.op != "const"]  # fmt: skip
        slots = [n for n in features.numbers if n.op in ("//", "%") and n.args[0] == c][:4]
        said = [(t, u, t.args[1].args[0]) for t in features.quotients for u in features.quotients
                if t != u and t.args[1].op == "**"]  # fmt: skip
        known_digits = [node("%", node("-", node("%", t, b), node("%", u, b)), b) for t, u, b in said]
        digits = [node("%", node("-", _digit(u, p, m), _digit(v, p, m)), m) for p in features.powers[:3]
                  for m in features.moduli[:3] for u, v in ((x, k), (k, x))]  # fmt: skip
        own = [_digit(x, p, p.args[0]) for p in features.powers[:3] if p.op == "**"]
        seeds[unknown] = [*bounds, *slots, *own, *known_digits, *(digits if question.contents else []),
                          *known, *apart]  # fmt: skip
    return solutions([(rank, x), (slot, c)], row.unknowns, seeds)


def _digit(tree: Node, power: Node, base: Node) -> Node:
    return node("%", node("//", tree, power), base)


def _digits(features: Features, x: Node, others: list[Node]) -> list[Node]:
    """x with one digit taken from another number."""
    found = []
    moduli = [m for m in features.moduli if m.op in ("const", "name")] or [number(2)]
    for p in features.powers[:3]:
        for m in moduli[:3]:
            for other in others[:2]:
                if other == x:
                    continue
                mine, theirs = (node("%", node("//", t, p), m) for t in (x, other))
                found.append(node("+", x, node("*", node("-", theirs, mine), p)))
    return found
