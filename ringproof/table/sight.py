"""What an expression sees where it stands: the names that the reader of tables would find there."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ringproof.table.cursor import Cursor
from ringproof.table.expr import HELPERS, LISTS, Expr, Kind
from ringproof.table.fields import Fields
from ringproof.table.misread import USAGE
from ringproof.table.reader import Reader
from ringproof.table.scope import GIVEN, Scope
from ringproof.table.source import parse
from ringproof.textfile import SourceError
from ringproof.verdict import Route, Spot, TableError

MOST_BROKEN = 8  # lines
_STANDS = '"0"'


class _Watch(Reader):
    """A reader that remembers which scope the expression at one route was checked in."""

    def __init__(self, path: str, route: Route) -> None:
        super().__init__(path)
        self.route = route
        self.seen: Scope | None = None

    def check(self, expr: Expr, scope: Scope, kind: Kind) -> None:
        if expr.route == self.route:
            self.seen = scope
        super().check(expr, scope, kind)


def names_at(text: str, path: str, cursor: Cursor) -> Mapping[str, str] | None:
    """The names with a value in the expression at a cursor, each with what it stands for.

    None where no expression stands, or where too much of the table is broken to know.
    """
    end = text.find("\n", cursor.start)
    rest = text[end:] if end >= 0 else ""
    head = text[: cursor.opening] + _STANDS + cursor.closing
    for whole in (head + rest, head):
        values = _readable(whole, path)
        if values is None:
            continue
        watch = _Watch(path, cursor.route)
        try:
            watch.table(Fields((), values, watch.report))
        except TableError:
            continue  # far too many names
        if watch.seen is not None:
            defined = cursor.route[-1] if cursor.route[-2:-1] in (("let",), ("for",), ("params",)) else ""
            return {name: says for name, says in _said(watch.seen).items() if name != defined}
    return None


def _readable(text: str, path: str) -> Mapping[str, object] | None:
    """The values of a text without its lines that are no TOML."""
    lines = text.split("\n")
    for _ in range(MOST_BROKEN):
        try:
            return parse("\n".join(lines), path).values
        except SourceError as error:
            place = error.findings[0].primary.place if error.findings[0].primary else None
            if not isinstance(place, Spot) or not 0 < place.line <= len(lines) or not lines[place.line - 1]:
                return None
            lines[place.line - 1] = ""
    return None


def _said(scope: Scope) -> Mapping[str, str]:
    found = {name: GIVEN.get(name, "a variable") for name in scope.given}
    found |= {name: f"= {expr.text}" for name, expr in scope.names.items()}
    return MappingProxyType(found)


def functions(route: Route) -> Mapping[str, str]:
    """The functions of the expression language, each as it is called; lists where variables run over them."""
    ranges = len(route) > 1 and any(step in ("for", "params") for step in route[-3:])
    return {name: USAGE[name] for name in (*HELPERS, *(LISTS if ranges else ()))}
