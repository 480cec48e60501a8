"""A strict reader of the questions: linear integer arithmetic in SMT-LIB 2.  Trusted.

A text is a list of commands: declarations of integer constants, assertions, and one `check-sat` at
the end; a line may be a comment as a whole.  Formulas are made of and, or, not, <=, =, true, false;
terms of +, -, * and numerals, and are linear.  Anything else is refused: a text that is misread must
not be refuted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

DEEPEST = 100
_WORD = re.compile(r"[()]|[^() \t\r\n]+")
_COMMENT = re.compile(r"^;[^\r\n]*", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z~!@$%^&*_=<>.?/][A-Za-z0-9~!@$%^&*_+=<>.?/-]*")
_NUMERAL = re.compile(r"0|[1-9][0-9]{0,999}")
_RESERVED = {"and", "or", "not", "<=", "=", "+", "-", "*", "true", "false", "assert", "check-sat",
             "declare-const", "set-logic", "let", "forall", "exists", "match", "as", "par", "_", "!",
             "=>", "xor", "distinct", "ite", "<", ">", ">=", "/", "div", "mod", "abs"}  # fmt: skip


class Unreadable(ValueError):
    """A text outside the subset, and why."""


@dataclass(frozen=True, slots=True)
class AtMost:
    """The sum of coefficient times variable is at most ``bound``; ``terms``: (variable, coefficient)."""

    terms: tuple[tuple[int, int], ...]
    bound: int


@dataclass(frozen=True, slots=True)
class Not:
    part: Formula


@dataclass(frozen=True, slots=True)
class All:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Some:
    parts: tuple[Formula, ...]


Formula = AtMost | Not | All | Some
Tree = str | list["Tree"]
Sum = dict[int, int]  # variable -> coefficient; the constant stands at CONSTANT
CONSTANT = -1


@dataclass(frozen=True, slots=True)
class Question:
    """All of ``formulas`` at once, over the integers ``names[0]``, ``names[1]``, ..."""

    names: tuple[str, ...]
    formulas: tuple[Formula, ...]


def read(text: str) -> Question:
    """The question that a text asks; errors: `Unreadable`."""
    variables: dict[str, int] = {}
    formulas: list[Formula] = []
    commands = _trees(text)
    if not commands or commands[-1] != ["check-sat"]:
        raise Unreadable("the text does not end with (check-sat)")
    for command in commands[:-1]:
        match command:
            case ["declare-const", str(name), "Int"]:
                if not _NAME.fullmatch(name) or name in _RESERVED or name in variables:
                    raise Unreadable(f"`{name}` cannot be declared")
                variables[name] = len(variables)
            case ["assert", formula]:
                formulas.append(_formula(formula, variables))
            case ["set-logic", "QF_LIA"]:
                pass
            case _:
                raise Unreadable(f"unknown command: {_shown(command)}")
    return Question(tuple(variables), tuple(formulas))


def _trees(text: str) -> list[Tree]:
    """The commands as nested lists of words."""
    open_lists: list[list[Tree]] = [[]]
    for word in _WORD.findall(_COMMENT.sub("", text)):
        if word == "(":
            open_lists.append([])
            if len(open_lists) > DEEPEST:
                raise Unreadable("brackets are nested too deep")
        elif word != ")":
            open_lists[-1].append(word)
        elif len(open_lists) == 1:
            raise Unreadable("a bracket is closed that was never opened")
        else:
            closed = open_lists.pop()
            open_lists[-1].append(closed)
    if len(open_lists) != 1:
        raise Unreadable("a bracket is left open: the text is cut off")
    return open_lists[0]


def _formula(tree: Tree, variables: dict[str, int]) -> Formula:
    match tree:
        case "true":
            return All(())
        case "false":
            return Some(())
        case ["not", part]:
            return Not(_formula(part, variables))
        case ["and", _, *_]:
            return All(tuple([_formula(part, variables) for part in tree[1:]]))
        case ["or", _, *_]:
            return Some(tuple([_formula(part, variables) for part in tree[1:]]))
        case ["<=", left, right]:
            return _at_most(_added([(1, _sum(left, variables)), (-1, _sum(right, variables))]))
        case ["=", left, right]:
            one, other = _sum(left, variables), _sum(right, variables)
            return All((_at_most(_added([(1, one), (-1, other)])), _at_most(_added([(-1, one), (1, other)]))))
    raise Unreadable(f"not a formula: {_shown(tree)}")


def _at_most(total: Sum) -> AtMost:
    bound = -total.pop(CONSTANT, 0)
    return AtMost(tuple(sorted([(name, factor) for name, factor in total.items() if factor])), bound)


def _sum(tree: Tree, variables: dict[str, int]) -> Sum:
    match tree:
        case str():
            if tree in variables:
                return {variables[tree]: 1}
            if _NUMERAL.fullmatch(tree):
                return {CONSTANT: int(tree)}
            raise Unreadable(f"undeclared name or not a number: {_shown(tree)}")
        case ["+", _, _, *_]:
            return _added([(1, _sum(part, variables)) for part in tree[1:]])
        case ["-", part]:
            return _added([(-1, _sum(part, variables))])
        case ["-", first, *others] if others:
            minus = [(-1, _sum(part, variables)) for part in others]
            return _added([(1, _sum(first, variables)), *minus])
        case ["*", left, right]:
            one, other = _sum(left, variables), _sum(right, variables)
            if one.keys() <= {CONSTANT}:
                return _added([(one.get(CONSTANT, 0), other)])
            if other.keys() <= {CONSTANT}:
                return _added([(other.get(CONSTANT, 0), one)])
            raise Unreadable(f"not linear: {_shown(tree)}")
    raise Unreadable(f"not a term: {_shown(tree)}")


def _added(parts: Iterable[tuple[int, Sum]]) -> Sum:
    total: Sum = {}
    for factor, part in parts:
        for name, coefficient in part.items():
            total[name] = total.get(name, 0) + factor * coefficient
    return total


def _shown(tree: Tree) -> str:
    text = tree if isinstance(tree, str) else f"({' '.join(map(_shown, tree))})"
    return text if len(text) <= 60 else text[:57] + "..."
