"""Guesses which send reached a place: rank and variables as expressions over the place; not trusted.

Equations such as ``to(r) = x`` are turned over symbolically; what a turned-over expression leaves
open is tried with a few seeds.  Candidates are judged on traces, and the fewest that cover are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from ringproof.proof.every_n.nodes import name, node, number, size, substitute, uses
from ringproof.table.expr import Node

Solution = dict[str, Node]


def turned(tree: Node, wanted: Node, unknown: str) -> Iterator[Node]:
    """Values of ``unknown`` for which ``tree`` might be ``wanted``."""
    op, args = tree.op, tree.args
    if op == "name":
        if tree.value == unknown:
            yield wanted
        return
    inside = [i for i, a in enumerate(args) if unknown in uses(a)]
    if op == "if":
        for i in (1, 2):
            yield from turned(args[i], wanted, unknown)
        return
    if len(inside) != 1:
        if op in ("+", "-", "%") and inside:
            yield from _repeated(tree, wanted, unknown)
            yield substitute(_mirrored(tree, unknown), {unknown: wanted})
        return
    i = inside[0]
    mine = args[i]
    other = args[1 - i] if len(args) == 2 else number(0)
    match op:
        case "+":
            yield from turned(mine, node("-", wanted, other), unknown)
        case "-" if i == 0:
            yield from turned(mine, node("+", wanted, other), unknown)
        case "-":
            yield from turned(mine, node("-", other, wanted), unknown)
        case "*":
            yield from turned(mine, node("//", wanted, other), unknown)
            if other.op == "if":  # a sign undoes itself
                yield from turned(mine, node("*", wanted, other), unknown)
        case "//" if i == 0:
            yield from turned(mine, node("*", wanted, other), unknown)
        case "^" | "flip" if i == 0 or op == "^":
            yield from turned(mine, node(op, wanted, other), unknown)
        case "%" if i == 0:
            yield from _modulo(mine, wanted, other, unknown)
        case "neg":
            yield from turned(mine, node("neg", wanted), unknown)
        case "min" | "max":
            yield from turned(mine, wanted, unknown)


def _modulo(mine: Node, wanted: Node, m: Node, unknown: str) -> Iterator[Node]:
    linear = _linear(mine, unknown)
    if linear is None:
        for found in turned(mine, wanted, unknown):
            yield node("%", found, m)
        yield from turned(mine, wanted, unknown)
        return
    rest, factor, sign = linear
    ahead = node("-", wanted, rest) if sign > 0 else node("-", rest, wanted)
    yield node("//", node("%", ahead, m), factor)


def _repeated(tree: Node, wanted: Node, unknown: str) -> Iterator[Node]:
    """r + (something of r) = x, where the something may be read at x as well."""
    if tree.op == "%":
        for found in _repeated(tree.args[0], wanted, unknown):
            yield node("%", found, tree.args[1])
        return
    if tree.op in ("+", "-") and tree.args[0] == name(unknown):
        back = "-" if tree.op == "+" else "+"
        there = substitute(tree.args[1], {unknown: wanted})
        yield node(back, wanted, there)
        yield node(tree.op, wanted, there)


def _mirrored(tree: Node, unknown: str) -> Node:
    """The same steps the other way: what is added to the unknown is taken away."""
    args = tuple(_mirrored(a, unknown) for a in tree.args)
    if tree.op in ("+", "-"):
        inside = [unknown in uses(a) for a in args]
        if inside == [True, False]:
            return node("-" if tree.op == "+" else "+", *args)
    return Node(tree.op, args, 0, 0, tree.value)


def _linear(tree: Node, unknown: str) -> tuple[Node, Node, int] | None:
    """tree = rest + sign * factor * unknown."""
    if tree == name(unknown):
        return number(0), number(1), 1
    if unknown not in uses(tree):
        return tree, number(0), 0
    if tree.op in ("+", "-"):
        a, b = (_linear(t, unknown) for t in tree.args)
        if a is None or b is None or (a[2] and b[2]):
            return None
        rest = node(tree.op, a[0], b[0])
        if a[2]:
            return rest, a[1], a[2]
        return rest, b[1], b[2] if tree.op == "+" else -b[2]
    if tree.op == "*":
        for i in (0, 1):
            if unknown not in uses(tree.args[1 - i]):
                inner = _linear(tree.args[i], unknown)
                if inner and inner[0] == number(0):
                    return inner[0], node("*", inner[1], tree.args[1 - i]), inner[2]
    return None


def solutions(
    equations: list[tuple[Node, Node]], unknowns: tuple[str, ...], seeds: Mapping[str, list[Node]],
    most: int = 160,
) -> list[Solution]:  # fmt: skip
    """Ways to fill in the unknowns, likely ones first."""
    found: dict[tuple[Node, ...], Solution] = {}
    for tried in range(3):
        if len(found) >= most:
            break
        ways = islice(_solve(equations, unknowns, {}, seeds, tried), most * 2)
        for solution in ways if tried else sorted(ways, key=_length):
            found.setdefault(tuple(solution[u] for u in unknowns), solution)
    return list(found.values())[:most]


def _length(solution: Solution) -> int:
    return sum(size(n) for n in solution.values())


def _solve(
    equations: list[tuple[Node, Node]], unknowns: tuple[str, ...], known: Solution,
    seeds: Mapping[str, list[Node]], tries: int,
) -> Iterator[Solution]:  # fmt: skip
    """Solutions in which exactly ``tries`` unknowns were only tried."""
    open_ones = [u for u in unknowns if u not in known]
    if not open_ones:
        if not tries:
            yield dict(known)
        return
    filled = [(substitute(tree, known), wanted) for tree, wanted in equations]
    for unknown in open_ones:
        others = [u for u in open_ones if u != unknown]
        for tree, wanted in filled:
            if unknown in uses(tree) and not any(o in uses(tree) for o in others):
                there = substitute(tree, {unknown: wanted})  # right where a step undoes itself
                for value in dict.fromkeys((*turned(tree, wanted, unknown), there)):
                    if not any(o in uses(value) for o in open_ones):
                        more = {**known, unknown: value}
                        yield from _solve(equations, unknowns, more, seeds, tries)
    for unknown in open_ones if tries else ():
        for value in seeds.get(unknown, []):
            more = {**known, unknown: value}
            yield from _solve(equations, unknowns, more, seeds, tries - 1)
