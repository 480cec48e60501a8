"""Expression trees made simpler: what is constant worked out, sums added up; not trusted."""

from __future__ import annotations

from ringproof.proof.every_n.nodes import node, number
from ringproof.table.expr import Node
from ringproof.table.integers import OPERATIONS, Undefined


def folded(tree: Node) -> Node:
    """The tree with what is constant in it worked out, and of a choice only what can be chosen."""
    args = tuple(folded(a) for a in tree.args)
    fixed = [a.value for a in args if a.op == "const"]
    if tree.op == "if" and args[0].op == "const":
        return args[1 if args[0].value else 2]
    if tree.op in ("and", "or") and fixed:
        decided = tree.op == "or"
        rest = tuple(a for a in args if a.op != "const")
        if decided in fixed or not rest:
            return Node("const", (), 0, 0, decided if decided in fixed else not decided)
        return Node(tree.op, rest, 0, 0) if len(rest) > 1 else rest[0]
    if args and len(fixed) == len(args) and tree.op in OPERATIONS and tree.op not in ("**", "<<"):
        try:
            return Node("const", (), 0, 0, OPERATIONS[tree.op](*fixed))  # type: ignore[arg-type]
        except Undefined:
            return Node(tree.op, args, 0, 0)
    if tree.op == "*" and number(0) in args:
        return number(0)
    simple = len(args) == 2 and tree.op in ("+", "-", "*", "//")
    return node(tree.op, *args) if simple else Node(tree.op, args, 0, 0, tree.value)


def tidy(tree: Node) -> Node:
    """Sums with their numbers added up, and b * b**e as b**(e + 1)."""
    args = tuple(tidy(a) for a in tree.args)
    if tree.op in ("+", "-"):
        return _sum(Node(tree.op, args, 0, 0))
    if tree.op == "*":
        for base, power in (args, args[::-1]):
            if power.op == "**" and power.args[0] == base:
                return Node("**", (base, _sum(node("+", power.args[1], number(1)))), 0, 0)
    return Node(tree.op, args, 0, 0, tree.value)


def _sum(tree: Node) -> Node:
    parts: list[tuple[int, Node]] = []
    _terms(tree, 1, parts)
    constant = sum(sign * int(t.value) for sign, t in parts if t.op == "const")
    plus = [t for sign, t in parts if sign > 0 and t.op != "const"]
    minus = [t for sign, t in parts if sign < 0 and t.op != "const"]
    for t in list(plus):
        if t in minus:
            plus.remove(t)
            minus.remove(t)
    found = plus.pop(0) if plus else number(constant)
    if found.op == "const":
        constant = 0
    for op, others in (("+", plus), ("-", minus)):
        for t in others:
            found = Node(op, (found, t), 0, 0)
    if constant:
        found = Node("+" if constant > 0 else "-", (found, number(abs(constant))), 0, 0)
    return found


def _terms(tree: Node, sign: int, parts: list[tuple[int, Node]]) -> None:
    if tree.op in ("+", "-"):
        _terms(tree.args[0], sign, parts)
        _terms(tree.args[1], sign if tree.op == "+" else -sign, parts)
    else:
        parts.append((sign, tree))
