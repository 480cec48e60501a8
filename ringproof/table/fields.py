"""One table's keys, read with their types; mistakes become findings instead of exceptions."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from ringproof.table.expr import Expr, ExprError, Items, constant, parse, parse_items, unread
from ringproof.table.findings import Findings
from ringproof.table.misread import closest, cut, nearest
from ringproof.table.scope import misplaced
from ringproof.verdict import Route
from ringproof.wording import join_text

Booleans = Literal["allowed", "refused"]
ALLOWED: Booleans = "allowed"
REFUSED: Booleans = "refused"
MOST_NAMES = 200
_SAMPLES = {
    "name": 'name = "..."', "collective": 'collective = "all-reduce"',
    "ranks": 'ranks = "2..8"', "chunks": 'chunks = "N"', "phase": "a `[[phase]]`",
    "steps": 'steps = "N - 1"', "chunk": 'chunk = "r"', "op": 'op = "reduce"` or `op = "copy"',
    "step": "step = 0", "from": "from = 0", "to": "to = 1",
    "ensures": 'ensures = { collective = "reduce-scatter" }', "let": 'let = { half = "N // 2" }',
    "for": 'for = { j = "0..N - 1" }', "params": 'params = { L = "divisors(N)" }',
    "claims": 'steps = "N - 1"` below `[claims]', "waive": 'waive = ["no-resend"]',
}  # fmt: skip
_NUMBER = "an expression in quotes or a whole number"
_CONDITION = 'a condition in quotes, such as "N > 2"'


def _kind_of(value: Any) -> str:
    names = {bool: "a boolean", int: "a number", str: "text", list: "a list", dict: "a table",
             float: "a number with a decimal point"}  # fmt: skip
    if isinstance(value, float) and not math.isfinite(value):
        return "not a number" if math.isnan(value) else "infinite"
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

    def wrong(self, key: str, want: str, hint: str = "", at: Route = ()) -> None:
        """Report a value of the wrong type, at its key or at a place inside it."""
        value: Any = self.values[key]
        for step in at:
            value = value[step]
        what = f"an entry of `{cut(key)}`" if at else f"`{cut(key)}`"
        title = f"{what} is {_kind_of(value)}; it must be {want}"
        if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
            hint = f"did you mean `{int(value)}`?"
        self.report.add("RP103", title, (*self.route_of(key), *at), hint)

    def unknown(self, known: Collection[str]) -> list[str]:
        return [key for key in self.values if key not in known]

    def misspelt(self, code: str, key: str, known: Sequence[str], what: str) -> None:
        hint = "" if self.report.full else misplaced(key, known)
        self.report.add(code, f"unknown {what} `{cut(key)}`", self.route_of(key), hint, on="key")

    def missing(self, key: str, title: str, hint: str = "", label: str = "") -> None:
        self.report.add("RP102", title, self.route_of(key), hint, label, on="key")

    def only(self, known: Sequence[str], required: Sequence[str], what: str = "this table") -> None:
        """Report keys that do not belong here and required ones that are not there."""
        unknown = self.unknown(known)
        for key in unknown:
            self.misspelt("RP101", key, known, "key")
        lacking = [key for key in required if self.lacks(key, known)]
        if lacking:
            names = join_text([f"`{key}`" for key in lacking], "or")
            label = "above the first `[table]`" if not self.route and self.values else ""
            label = "" if lacking == ["phase"] else label
            self.missing(lacking[0], f"{what} has no {names}", f"add {_samples(lacking)}", label)

    def lacks(self, key: str, known: Sequence[str]) -> bool:
        """Whether a key is missing, and not only misspelt."""
        unknown = self.unknown(known)[: len(known)]
        return key not in self.values and not any(nearest(word, known) == key for word in unknown)

    def text(self, key: str) -> str:
        value = self.values.get(key, "")
        if not isinstance(value, str):
            self.wrong(key, "text in quotes")
            return ""
        return value

    def whole(self, key: str, limit: int = 1 << 31) -> int:
        """A whole number, smaller than ``limit`` on either side of 0."""
        value = self.values.get(key, 0)
        if type(value) is not int:
            hint = "a send that is written out knows no names; a `[[phase.send]]` does"
            self.wrong(key, "a whole number", hint if isinstance(value, str) else "")
            return 0
        if abs(value) >= limit:
            title = f"`{key}` must be below {limit}"
            self.report.add("RP113", title, self.route_of(key))
            return 0
        return value

    def table(self, key: str) -> Fields:
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            self.wrong(key, "a table", f"as in `{_SAMPLES[key]}`" if key in _SAMPLES else "")
            value = {}
        return Fields(self.route_of(key), value, self.report)

    def tables(self, key: str) -> list[Fields]:
        value = self.values.get(key, [])
        route = self.route_of(key)
        header = ".".join(str(step) for step in route if isinstance(step, str))
        way = "sends = [ { ... }, ... ]" if key == "sends" else f"[[{header}]]"
        if not isinstance(value, list):
            hint = "two brackets: there may be several" if isinstance(value, dict) else ""
            self.wrong(key, f"a list of tables: `{way}`", hint)
            return []
        if key == "phase" and not value and key in self.values:
            hint = "a phase is a `[[phase]]` with its rows"
            self.report.add("RP102", "this table has no phase", route, hint)
        for i, item in enumerate(value):
            if not isinstance(item, dict):
                self.wrong(key, f"a table: `{way}`", at=(i,))
        return [Fields((*route, i), v, self.report) for i, v in enumerate(value) if isinstance(v, dict)]

    def names(self) -> list[str]:
        """The names that a `let`, `for` or `params` defines; errors: `TableError`, far too many."""
        if len(self.values) > MOST_NAMES:
            title = f"{len(self.values)} names in one table; the limit is {MOST_NAMES}"
            self.report.add("RP113", title, self.route)
            raise self.report.stop()
        return list(self.values)

    def expr(self, key: str, condition: Booleans = REFUSED) -> Expr | None:
        """An expression: a string, a whole number, or a boolean where a condition belongs.

        None where there is no such key; what cannot be read is reported and fits everywhere.
        """
        if key not in self.values:
            return None
        value, route = self.values[key], self.route_of(key)
        if type(value) is int or (type(value) is bool and condition == "allowed"):
            return self.constant(value, route)
        if not isinstance(value, str):
            self.wrong(key, _CONDITION if key in ("when", "where") else _NUMBER)
            return unread("", route)
        try:
            return parse(value, route)
        except ExprError as error:
            self.report.error(error, route)
            return unread(value, route)

    def constant(self, value: int, route: Route) -> Expr:
        if abs(value) >= 1 << 62:
            self.report.add("RP113", "the number is 2**62 or more", route)
            return unread("", route)
        return constant(value, route)

    def items(self, key: str) -> tuple[Items, ...]:
        """What a variable runs over: a range, divisors, one value, or a list of these."""
        value, route = self.values[key], self.route_of(key)
        pieces = list(enumerate(value)) if isinstance(value, list) else [(-1, value)]
        found: list[Items] = []
        for i, piece in pieces:
            where = route if i < 0 else (*route, i)
            if type(piece) is int:
                found.append(self.constant(piece, where))
            elif isinstance(piece, str):
                try:
                    found.append(parse_items(piece, where))
                except ExprError as error:
                    self.report.error(error, where)
            else:
                want = "a range `lo..hi`, a number, or a list of these"
                self.wrong(key, want, at=() if i < 0 else (i,))
        return tuple(found)

    def word(self, key: str, known: Iterable[str], what: str) -> str | None:
        """One of the words ``known``; None, and an error unless the key is missing, otherwise."""
        value, words = self.values.get(key), list(known)
        if value is None:
            return None
        if not isinstance(value, str):
            self.wrong(key, f"one of {', '.join(words)}")
            return None
        return self._known(value, words, what, self.route_of(key))

    def words(self, key: str, known: Sequence[str], what: str) -> list[tuple[int, str]]:
        value = self.values.get(key, [])
        if not isinstance(value, list):
            self.wrong(key, "a list", f"as in `{_SAMPLES[key]}`" if key in _SAMPLES else "")
            return []
        found = []
        for i, word in enumerate(value):
            if not isinstance(word, str):
                self.wrong(key, "text in quotes", at=(i,))
            elif self._known(word, known, what, (*self.route_of(key), i)):
                found.append((i, word))
        return found

    def _known(self, word: str, known: Sequence[str], what: str, route: Route) -> str | None:
        if word in known:
            return word
        hint = "" if self.report.full else closest(word, known) or f"known: {', '.join(known)}"
        title = f"unknown {what} `{cut(word)}`" if word else f"the {what} is empty"
        self.report.add("RP104", title, route, hint)
        return None


def _samples(keys: Sequence[str]) -> str:
    return ", ".join(_SAMPLES[k] if k == "phase" else f"`{_SAMPLES.get(k, k)}`" for k in keys)
