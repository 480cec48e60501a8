"""Names in a table: what defines them, what they stand for, and in which order they are opened."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from ringproof.table import fields
from ringproof.table.expr import Divisors, Expr, Items, Kind, Node, Range
from ringproof.table.fields import Fields
from ringproof.table.findings import Findings
from ringproof.table.resolve import cycles, settle
from ringproof.table.schedule import Loop
from ringproof.table.scope import Scope, bad_name
from ringproof.verdict import Label, Place, Route

_NOWHERE: Mapping[str, Route] = MappingProxyType({})


class Naming:
    """Reads whatever defines or uses a name, and reports what is wrong with it."""

    def __init__(self, report: Findings) -> None:
        self.report = report

    def check(self, expr: Expr, scope: Scope, kind: Kind) -> None:
        """Report unknown names and wrong kinds of ``expr`` in ``scope``."""
        for error in scope.check(expr, kind):
            self.report.error(error, expr.route)

    def expr(self, at: Fields, key: str, scope: Scope, kind: Kind, default: Expr) -> Expr:
        found = at.expr(key, condition=fields.ALLOWED if kind == "condition" else fields.REFUSED)
        if found is None:
            return default
        self.check(found, scope, kind)
        return found

    def names_ok(self, at: Fields, taken: Collection[str], places: Mapping[str, Route] = _NOWHERE) -> None:
        """Report the names that cannot be defined here, and where they are defined already."""
        for name in at.names():
            if reason := bad_name(name, taken):
                first = places.get(name)
                related = (Label(Place(first, on="key"), "defined here"),) if first else ()
                self.report.add("RP110", reason, at.route_of(name), "choose another name", on="key",
                                related=related)  # fmt: skip

    def let(
        self, at: Fields, taken: Collection[str], places: Mapping[str, Route] = _NOWHERE
    ) -> dict[str, Expr]:
        """The names a `let` table defines; their expressions are checked by the caller's scope."""
        self.names_ok(at, taken, places)
        found = {key: at.expr(key, condition=fields.ALLOWED) for key in at.keys()}
        return {key: expr for key, expr in found.items() if expr is not None}

    def check_lets(self, at: Fields, scope: Scope) -> None:
        """Report unknown names and wrong kinds in `let` expressions."""
        for name in at.keys():
            self.check(scope.names[name], scope, "unknown")

    def inner(self, at: Fields, scope: Scope, given: Mapping[str, Kind]) -> Scope:
        """The scope of a phase or row: what is given there, and what its `let` defines."""
        loops = {name: (*at.route[:-1], "for", name) for name in given if name not in ("r", "s")}
        let = self.let(at, [*scope.known(), *given], {**scope.places(), **loops})
        names, extents = settle(let, [*scope.given, *given], scope.extents, self.report)
        found = scope.within(given, names, extents)
        self.check_lets(at, found)
        return found

    def loops(self, at: Fields, scope: Scope) -> tuple[Loop, ...]:
        """The variables of a `for` or `params` table, each after those it uses."""
        found = [Loop(key, at.items(key), at.route_of(key)) for key in at.keys()]
        for loop in found:
            for expr in _expressions(loop.items):
                self.check(expr, scope, "integer")
        names = {loop.name for loop in found}
        needs = {
            loop.name: names & scope.needs(*(n for e in _expressions(loop.items) for n in e.names()))
            for loop in found
        }
        told: set[str] = set()
        for chain in cycles(needs):
            if told & set(chain):
                continue
            told |= set(chain)
            title = f"`{chain[0]}` runs over a range that needs `{chain[0]}`"
            if len(chain) > 1:
                title = "these ranges need each other: " + " -> ".join([*chain, chain[0]])
            hint = "let the range use numbers and other names only"
            self.report.add("RP109", title, at.route_of(chain[0]), hint)
        return tuple(found) if told else _ordered(found, needs)


def _expressions(items: tuple[Items, ...]) -> Iterator[Expr]:
    """Every expression in what a variable runs over."""
    for item in items:
        match item:
            case Range(lo, hi):
                yield from (lo, hi)
            case Divisors(of):
                yield of
            case _:
                yield item


def _ordered(loops: Sequence[Loop], needs: Mapping[str, Collection[str]]) -> tuple[Loop, ...]:
    waiting = list(loops)
    done: dict[str, Loop] = {}
    while waiting:
        ready = next(loop for loop in waiting if done.keys() >= set(needs[loop.name]))
        done[ready.name] = ready
        waiting.remove(ready)
    return tuple(done.values())


def guards(when: Expr, loops: tuple[Loop, ...], scope: Scope) -> tuple[tuple[int, Expr], ...]:
    """The conjuncts of a condition, each as early as its names and the ones before it allow."""

    def split(node: Node) -> list[Node]:
        return [n for a in node.args for n in split(a)] if node.op == "and" else [node]

    found, after = [], 0
    for node in split(when.node):
        guard = Expr(when.text, node, when.route)
        needs = scope.needs(*guard.names())
        after = max([after, *(i + 1 for i, loop in enumerate(loops) if loop.name in needs)])
        found.append((after, guard))
    return tuple(found)
