"""Features of tables whose distances are sums of powers of a negative base; not trusted.

Numbers with n digits in base -b are a run of b**n neighbours of 0, so what a rank meets in its first
n steps is a run around it; and what is left for the last steps repeats with a power as its period.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ringproof.proof.every_n.model import Places
from ringproof.proof.every_n.nodes import name, node, number, substitute, subtrees, uses
from ringproof.proof.every_n.rewriting import tidy
from ringproof.table.expr import Node

Steps = tuple[Node, int]  # digits so far, and the base without its sign


@dataclass(frozen=True, slots=True)
class Signed:
    """``runs``: where a place lies in the run around a rank; ``lengths`` of the runs; ``periods``:
    where it lies in what repeats."""

    runs: tuple[Node, ...]
    lengths: tuple[Node, ...]
    periods: tuple[Node, ...]


def signed(trees: Sequence[Node], places: Places, others: Sequence[Node]) -> Signed:
    """The features that compare a rank with ``others``, from the table's own expressions."""
    s, x, N = name(places.step), name(places.rank), name("N")
    every = list(dict.fromkeys(sub for tree in trees for sub in subtrees(tree)))
    digits = list(dict.fromkeys(_digits(every, s)))
    signs = [substitute(t, {"r": x}) for t in dict.fromkeys(_signs(every))][:1]
    peers = [substitute(t, {"r": x}) for t in dict.fromkeys(_peers(every))][:2]
    runs, periods = [], []
    for n, base in digits:
        for v, sign in ((v, sign) for v in others for sign in signs):
            ahead = node("*", sign, node("-", v, x))
            runs.append(node("%", node("+", ahead, _below(n, base)), N))
        period = _power(base, node("+", n, number(1)))
        ends = [x, *(substitute(p, {"s": t}) for p in peers for t in (s, node("-", s, number(1))))]
        periods += [node("%", node("-", v, tidy(end)), period) for v in others for end in ends]
    return Signed(tuple(runs), tuple(_power(b, n) for n, b in digits), tuple(periods))


def _digits(every: Sequence[Node], s: Node) -> Iterator[Steps]:
    """Before a distance that is a power with exponent e there are e - 1 digits, or e when counting down."""
    for sub in every:
        if sub.op == "**" and sub.args[0].op == "neg" and "s" in uses(sub.args[1]) <= {"s", "N"}:
            base = sub.args[0].args[0]
            if base.op == "const" and int(base.value) > 1:
                e = substitute(sub.args[1], {"s": s})
                for less in (1, 0):
                    yield tidy(node("-", e, number(less))), int(base.value)


def _signs(every: Sequence[Node]) -> Iterator[Node]:
    """What a distance is multiplied by, from rank to rank."""
    for sub in every:
        if sub.op == "*":
            for sign, distance in (sub.args, sub.args[::-1]):
                if uses(sign) == {"r"} and "s" in uses(distance) <= {"s", "N"}:
                    yield sign


def _peers(every: Sequence[Node]) -> Iterator[Node]:
    """Sums of a rank and a distance with a sign."""
    for sub in every:
        moved = sub.op in ("+", "-") and sub.args[0] == name("r")
        if moved and {"r", "s"} <= uses(sub.args[1]) <= {"r", "s", "N"}:
            yield sub


def _power(base: int, e: Node) -> Node:
    return node("**", number(base), tidy(e))


def _below(n: Node, base: int) -> Node:
    """How far numbers of n digits in base -b go below 0: b * (1 + b**2 + b**4 + ...)."""
    pairs = node("//", n, number(2))
    whole = node("-", _power(base * base, pairs), number(1))
    return node("//", node("*", number(base), whole), number(base + 1))
