"""One table's keys, read with their types; mistakes become findings instead of exceptions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from ringproof.table.expr import (
    Divisors,
    Expr,
    ExprError,
    Items,
    Kind,
    Range,
    constant,
    parse,
    parse_items,
)
from ringproof.table.integers import Environment, Undefined
from ringproof.table.schedule import Loop
from ringproof.table.scope import Scope, bad_name, closest
from ringproof.verdict import Finding, Label, Place, Route

Booleans = Literal["allowed", "refused"]
ALLOWED: Booleans = "allowed"
REFUSED: Booleans = "refused"


class Findings:
    """What is wrong so far, in the order it was met."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def add(
        self, code: str, title: str, route: Route, hint: str = "", label: str = "",
        on: Literal["key", "value"] = "value", part: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        start, end = part or (None, None)
        primary = Label(Place(route, start, end, on), label)
        self.findings.append(
            Finding(code, title, primary=primary, helps=(hint,) if hint else ())
        )

    def error(self, error: ExprError, route: Route) -> None:
        self.add(error.code, error.title, route, error.hint, part=(error.start, error.end))

    def check(self, expr: Expr, scope: Scope, kind: Kind) -> None:
        """Report unknown names and wrong kinds of ``expr`` in ``scope``."""
        for error in scope.check(expr, kind):
            self.error(error, expr.route)

    def name(self, route: Route, name: str, taken: Collection[str]) -> None:
        """Report ``name`` if it cannot be defined here."""
        if reason := bad_name(name, taken):
            self.add("RP110", reason, route, on="key")

    def check_lets(self, at: Fields, scope: Scope, let: Mapping[str, Expr]) -> None:
        """Report unknown names in `let` expressions, and cycles, each cycle once."""
        told: set[str] = set()
        for name, expr in let.items():
            if cycle := scope.cycle(name):
                if not told & set(cycle):
                    title = "these names need each other: " + " -> ".join(cycle)
                    self.add("RP109", title, at.route_of(name))
                told |= set(cycle)
            else:
                self.check(expr, scope, "unknown")

    def ordered(self, loops: Sequence[Loop], scope: Scope) -> tuple[Loop, ...]:
        """Loops so that each comes after those its range uses; a cycle is reported."""
        names = {loop.name for loop in loops}
        waiting = list(loops)
        done: list[Loop] = []
        while waiting:
            placed = {loop.name for loop in done}
            ready = [
                loop for loop in waiting
                if names & set(scope.needs(*_names_of(loop))) <= placed
            ]  # fmt: skip
            if not ready:
                title = "these ranges need each other: " + ", ".join(w.name for w in waiting)
                self.add("RP109", title, waiting[0].route)
                break
            done.append(ready[0])
            waiting.remove(ready[0])
        return tuple(done)


def expressions(items: tuple[Items, ...]) -> Iterator[Expr]:
    """Every expression in what a variable runs over."""
    for item in items:
        match item:
            case Range(lo, hi):
                yield from (lo, hi)
            case Divisors(of):
                yield of
            case _:
                yield item


def _names_of(loop: Loop) -> set[str]:
    return {name for expr in expressions(loop.items) for name in expr.names()}


def _kind_of(value: Any) -> str:
    names = {bool: "a boolean", int: "a number", str: "a string", list: "a list", dict: "a table",
             float: "a fraction"}  # fmt: skip
    return names.get(type(value), "a date or time")


class Fields:
    """A TOML table at a route; every reader returns a value or reports and returns a stand-in."""

    def __init__(self, route: Route, values: Mapping[str, Any], report: Findings) -> None:
        self.route, self.values, self.report = route, values, report

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def keys(self) -> list[str]:
        """Its keys as written."""
        return list(self.values)

    def route_of(self, key: str) -> Route:
        return (*self.route, key)

    def wrong(self, key: str, want: str) -> None:
        got = _kind_of(self.values[key])
        self.report.add("RP103", f"`{key}` is {got}; it must be {want}", self.route_of(key))

    def unknown(self, known: Sequence[str]) -> list[str]:
        return [key for key in self.values if key not in known]

    def misspelt(self, code: str, key: str, known: Sequence[str], what: str) -> None:
        hint = closest(key, known) or f"known here: {', '.join(known)}"
        self.report.add(code, f"unknown {what} `{key}`", self.route_of(key), hint, on="key")

    def missing(self, key: str, title: str) -> None:
        self.report.add("RP102", title, self.route_of(key), on="key")

    def only(self, known: Sequence[str], required: Sequence[str]) -> None:
        """Report keys that do not belong here and required ones that are not there."""
        for key in self.unknown(known):
            self.misspelt("RP101", key, known, "key")
        for key in required:
            if key not in self.values:
                self.missing(key, f"the key `{key}` is missing")

    def text(self, key: str) -> str:
        value = self.values.get(key, "")
        if not isinstance(value, str):
            self.wrong(key, "a string")
            return ""
        return value

    def whole(self, key: str) -> int:
        value = self.values.get(key, 0)
        if type(value) is not int or abs(value) >= 1 << 31:
            self.wrong(key, "a whole number below 2**31")
            return 0
        return int(value)

    def table(self, key: str) -> Fields:
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            self.wrong(key, "a table")
            value = {}
        return Fields(self.route_of(key), value, self.report)

    def tables(self, key: str) -> list[Fields]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            self.wrong(key, f"a list of tables (`[[{key}]]`)")
            return []
        if key == "phase" and key in self.values and not value:
            self.report.add("RP102", "a table needs at least one phase", self.route_of(key))
        return [Fields((*self.route_of(key), i), v, self.report) for i, v in enumerate(value)]

    def expr(self, key: str, condition: Booleans = REFUSED) -> Expr | None:
        """An expression: a string, a whole number, or a boolean where a condition belongs."""
        if key not in self.values:
            return None
        value, route = self.values[key], self.route_of(key)
        if type(value) is int or (type(value) is bool and condition == "allowed"):
            return self._constant(value, route)
        if not isinstance(value, str):
            self.wrong(key, "an expression in quotes or a whole number")
            return None
        try:
            return parse(value, route)
        except ExprError as error:
            self.report.error(error, route)
            return None

    def _constant(self, value: int, route: Route) -> Expr | None:
        if abs(value) >= 1 << 62:
            self.report.add("RP113", "the number is 2**62 or more", route)
            return None
        return constant(value, route)

    def items(self, key: str) -> tuple[Items, ...]:
        """What a variable runs over: a range, divisors, one value, or a list of these."""
        value, route = self.values[key], self.route_of(key)
        pieces = list(enumerate(value)) if isinstance(value, list) else [(-1, value)]
        found: list[Items] = []
        for i, piece in pieces:
            where = route if i < 0 else (*route, i)
            if type(piece) is int:
                found += [e for e in [self._constant(piece, where)] if e is not None]
            elif isinstance(piece, str):
                try:
                    found.append(parse_items(piece, where))
                except ExprError as error:
                    self.report.error(error, where)
            else:
                self.report.add("RP103", f"`{key}` is {_kind_of(piece)}; it must be a range "
                                "`lo..hi`, a number, or a list of these", where)  # fmt: skip
        return tuple(found)

    def word(self, key: str, known: Iterable[str], what: str, default: str) -> str:
        value = self.values.get(key, default)
        if not isinstance(value, str):
            self.wrong(key, f"one of {', '.join(known)}")
            return default
        if value not in known:
            hint = closest(value, known) or f"known: {', '.join(known)}"
            self.report.add("RP104", f"unknown {what} `{value}`", self.route_of(key), hint)
            return default
        return value

    def words(self, key: str, known: Sequence[str], what: str) -> list[tuple[int, str]]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            self.wrong(key, "a list of strings")
            return []
        for i, word in enumerate(value):
            if word not in known:
                hint = closest(word, known) or f"known: {', '.join(known)}"
                route = (*self.route_of(key), i)
                self.report.add("RP104", f"unknown {what} `{word}`", route, hint)
        return [(i, word) for i, word in enumerate(value) if word in known]

    def claim(self, key: str, relations: Sequence[str]) -> tuple[str, Expr | None]:
        """A claimed value, or a bound such as ``<= N``: the relation and the expression."""
        value = self.values[key]
        if isinstance(value, str):
            stripped = value.lstrip()
            for relation in relations:
                if stripped.startswith(relation):
                    skip = len(value) - len(stripped) + len(relation)
                    padded = " " * skip + value[skip:]
                    try:
                        return relation, parse(padded, self.route_of(key))
                    except ExprError as error:
                        self.report.error(error, self.route_of(key))
                        return relation, None
        return "==", self.expr(key)

    def ranks(self, key: str) -> tuple[int, int]:
        """The claimed rank counts, both ends included."""
        if key not in self.values:
            return 2, 2
        value, route = self.values[key], self.route_of(key)
        if type(value) is not int and not isinstance(value, str):
            self.wrong(key, 'a range such as "2..64" or a whole number')
            return 2, 2
        try:
            items = constant(value, route) if isinstance(value, int) else parse_items(value, route)
            lo, hi = self._ends(items)
        except ExprError as error:
            self.report.error(error, route)
            return 2, 2
        except Undefined as error:
            self.report.add("RP112", f"`{key}` has no value: {error.reason}", route)
            return 2, 2
        if lo < 1:
            self.report.add("RP112", "a schedule has at least 1 rank", route)
        elif hi < lo:
            hint = f'did you mean `"{hi}..{lo}"`?'
            self.report.add("RP112", f"the range {lo}..{hi} is empty", route, hint)
        else:
            return lo, hi
        return 2, 2

    def _ends(self, items: Items) -> tuple[int, int]:
        if isinstance(items, Divisors):
            raise ExprError("RP112", "ranks are a range, not divisors", 0, len(items.of.text))
        scope, env = Scope({}, {}), Environment({}, {})
        ends = (items.lo, items.hi) if isinstance(items, Range) else (items, items)
        for end in ends:
            for error in scope.check(end, "integer"):
                raise error
        return env.integer(ends[0]), env.integer(ends[1])
