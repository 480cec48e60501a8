"""Building and rewriting expression trees, and reading them over many samples; not trusted."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ringproof.table.arrays import ARRAYS
from ringproof.table.expr import Expr, Node, walk
from ringproof.table.integers import OPERATIONS, Undefined

Array = np.ndarray[Any, np.dtype[Any]]
_INFIX = {"+", "-", "*", "//", "%", "**", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==",
          "!=", "and", "or", "/"}  # fmt: skip
_INTEGERS = {"+", "-", "*", "//", "%", "**", "neg", "^", "&", "|", "<<", ">>", "flip", "lowbit",
             "log2", "ceil_log2", "log", "ceil_log", "min", "max", "if", "bit", "abs"}  # fmt: skip
_CONDITIONS = {"<", "<=", ">", ">=", "==", "!=", "and", "or", "not", "is_pow2"}


def number(value: int) -> Node:
    """A constant."""
    return Node("const", (), 0, 0, value)


def name(text: str) -> Node:
    """A name."""
    return Node("name", (), 0, 0, text)


def node(op: str, *args: Node) -> Node:
    """An operation, slightly simplified."""
    zero, one = (a.op == "const" and a.value in (0, 1) for a in (args[-1], args[-1]))
    if op in ("+", "-") and zero and args[1].value == 0:
        return args[0]
    if op in ("//", "*") and one and args[1].value == 1:
        return args[0]
    if op == "+" and args[0].op == "const" and args[0].value == 0:
        return args[1]
    if op == "*" and args[0].op == "const" and args[0].value == 1:
        return args[1]
    return Node(op, tuple(args), 0, 0)


def inline(tree: Node, names: Mapping[str, Expr], kept: frozenset[str]) -> Node:
    """Every written name replaced by what it stands for, positions dropped."""
    if tree.op == "name":
        text = str(tree.value)
        if text in kept or text not in names:
            return name(text)
        return inline(names[text].node, names, kept)
    args = tuple(inline(a, names, kept) for a in tree.args)
    if tree.op in ("+", "-", "*", "//") and len(args) == 2:
        return node(tree.op, *args)
    return Node(tree.op, args, 0, 0, tree.value)


def substitute(tree: Node, values: Mapping[str, Node]) -> Node:
    """Names replaced by trees."""
    if tree.op == "name":
        return values.get(str(tree.value), tree)
    if not tree.args:
        return tree
    return Node(tree.op, tuple(substitute(a, values) for a in tree.args), 0, 0, tree.value)


def uses(tree: Node) -> frozenset[str]:
    """The names in a tree."""
    found: set[str] = set()
    rest = [tree]
    while rest:
        one = rest.pop()
        rest.extend(one.args)
        if one.op == "name":
            found.add(str(one.value))
    return frozenset(found)


def tells(tree: Node) -> bool:
    """Whether it is a condition."""
    return tree.op in _CONDITIONS or (tree.op == "if" and tells(tree.args[1]))


def counts(tree: Node) -> bool:
    """Whether it is an integer, and not just a name or a number."""
    return tree.op in _INTEGERS and not tells(tree)


def size(tree: Node) -> int:
    """How many nodes."""
    return 1 + sum(map(size, tree.args))


def weight(tree: Node, named: frozenset[Node]) -> int:
    """How many nodes, what the table has a name for counting little."""
    if tree in named:
        return 2
    return 1 + sum(weight(a, named) for a in tree.args)


def subtrees(tree: Node) -> Iterator[Node]:
    """Every part of a tree."""
    return walk(tree)


def show(tree: Node) -> str:
    """The tree as text of the table language."""
    op, args = tree.op, tree.args
    if op in ("const", "name"):
        # A negative base: -2 ** s would be -(2 ** s).
        return f"({tree.value})" if isinstance(tree.value, int) and tree.value < 0 else str(tree.value)
    shown = [show(a) for a in args]
    if op == "if":
        return f"({shown[1]} if {shown[0]} else {shown[2]})"
    if op == "not":
        return f"not ({shown[0]})"
    if op in ("neg", "~", "pos"):
        return f"({ {'neg': '-', '~': '~', 'pos': '+'}[op]}{_wrapped(args[0], shown[0])})"
    if op in _INFIX:
        return f" {op} ".join(_wrapped(a, t) for a, t in zip(args, shown, strict=True))
    return f"{op}({', '.join(shown)})"


def _wrapped(tree: Node, text: str) -> str:
    return f"({text})" if tree.op in _INFIX or tree.op == "not" else text


_OPPOSITE = {ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.Eq: ast.NotEq,
             ast.NotEq: ast.Eq}  # fmt: skip


def plain(text: str) -> str:
    """An expression as one would write it: no needless brackets, no `not` before a comparison."""
    return ast.unparse(_without_not(ast.parse(text, mode="eval").body))


def _without_not(tree: ast.expr) -> ast.expr:
    if isinstance(tree, ast.BoolOp):
        return ast.BoolOp(tree.op, [_without_not(v) for v in tree.values])
    if not (isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not)):
        return tree
    inner = tree.operand
    if isinstance(inner, ast.BoolOp):
        other = ast.Or() if isinstance(inner.op, ast.And) else ast.And()
        return ast.BoolOp(other, [_without_not(ast.UnaryOp(ast.Not(), v)) for v in inner.values])
    if isinstance(inner, ast.Compare) and len(inner.ops) == 1:
        return ast.Compare(inner.left, [_OPPOSITE[type(inner.ops[0])]()], inner.comparators)
    if isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.Not):
        return _without_not(inner.operand)
    return tree


def expr(tree: Node) -> Expr:
    """The tree as an expression with a text."""
    return Expr(show(tree), tree, ())


class Samples:
    """Places with known values: names -> int64 arrays of one length.

    Unlike `table.columns` nothing guards against overflow: a wrong value is a wrong guess.
    """

    def __init__(self, values: Mapping[str, Array]) -> None:
        self.values = dict(values)
        self.count = len(next(iter(self.values.values())))
        self._kept: dict[Node, Any] = {}

    def __call__(self, tree: Node) -> Array:
        """A tree at every place; 0 or False where it has no value."""
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(self._value(tree)), (self.count,))

    def _value(self, tree: Node) -> Any:
        if tree.op == "const":
            return tree.value
        if tree.op == "name":
            return self.values[str(tree.value)]
        found = self._kept.get(tree)
        if found is None:
            found = self._kept[tree] = self._operation(tree)
        return found

    def _operation(self, tree: Node) -> Any:
        args = [self._value(a) for a in tree.args]
        if tree.op == "if":
            return np.where(args[0], args[1], args[2])
        if tree.op in ("and", "or"):
            combine = np.logical_and if tree.op == "and" else np.logical_or
            result = args[0]
            for arg in args[1:]:
                result = combine(result, arg)
            return result
        if not any(isinstance(a, np.ndarray) for a in args):
            try:
                return OPERATIONS[tree.op](*args)
            except Undefined:
                return 0
        if tree.op in ("**", "<<"):
            args[1] = np.minimum(args[1], 40)
        values, bad = ARRAYS[tree.op](*args)
        return values if bad is False else np.where(bad, 0, values)

    def taken(self, at: Array) -> Samples:
        """Some of the places."""
        return Samples({k: v[at] for k, v in self.values.items()})
