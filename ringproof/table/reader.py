"""Plain values -> `Schedule`, or every mistake of the table at once (RP1xx)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from ringproof.collective import COLLECTIVES
from ringproof.table import fields
from ringproof.table.expr import Expr, Kind, Node, constant
from ringproof.table.fields import Fields
from ringproof.table.schedule import Claim, Loop, Phase, Promise, Row, Schedule, Send
from ringproof.table.scope import KEYS, Scope
from ringproof.table.uses import read_use
from ringproof.verdict import TableError, Used

WAIVABLE = ("no-resend", "once", "used", "ports", "order", "no-swap")
PROPERTIES = ("in-range", "conflict-free", "defined", "complete", *WAIVABLE, "ensures", "claims")
_RELATIONS = ("<=", ">=", "==", "<", ">")
_ZERO, _ONE = constant(0), constant(1)


def read_schedule(values: Mapping[str, Any], path: str = "") -> Schedule:
    """The schedule that these values state; errors: `TableError` with all findings.

    ``path`` is where the table stands: the tables that it uses are found from there.
    """
    reader = Reader(path)
    schedule = reader.table(Fields((), values, reader.report))
    if reader.report.findings or schedule is None:
        raise TableError(tuple(reader.report.findings), tuple(reader.used))
    return schedule


class Reader:
    """One pass over one table; findings are collected, placeholders stand in for bad values."""

    def __init__(self, path: str, chain: tuple[str, ...] = ()) -> None:
        self.path, self.chain = path, chain
        self.used: list[Used] = []
        self.report = fields.Findings()
        self.owner: Expr | None = None  # the table's, which an `ensures` takes over

    def nested(self, path: str, chain: tuple[str, ...]) -> Reader:
        """A reader for a table that this one uses; it reports to the same findings."""
        inner = Reader(path, chain)
        inner.report, inner.used = self.report, self.used
        return inner

    def table(self, at: Fields) -> Schedule | None:
        at.only(KEYS["table"], required=("name", "collective", "ranks", "chunks", "phase"))
        lo, hi = at.ranks("ranks")
        raw_params = at.table("params")
        given: dict[str, Kind] = {"N": "integer", **dict.fromkeys(raw_params.keys(), "integer")}
        self.names_ok(raw_params, ("c",))
        let = self.let(at.table("let"), {*given, "c"})
        chunks = at.expr("chunks") or _ONE
        root = at.expr("root") or _ZERO
        names: dict[str, Expr] = {**let, "chunks": chunks, "root": root}
        row_names: dict[str, Kind] = {"r": "integer", "s": "integer"}
        scope = Scope(given, names, frozenset("rsc"))
        self.report.check_lets(at.table("let"), scope.within(row_names, {}), let)
        self.checked(at, "chunks", chunks, scope, "integer")
        self.checked(at, "root", root, scope, "integer")
        promise = self.promise(at, "collective", scope, root)
        self.owner = promise.owner
        where = self.expr(at, "where", scope, "condition", constant(True))
        return Schedule(
            name=at.text("name"),
            promise=promise,
            ranks=(lo, hi),
            chunks=chunks,
            scratch=self.expr(at, "scratch", scope, "integer", _ZERO),
            where=where,
            params=self.loops(raw_params, scope),
            waive=self.waive(at),
            claims=self.claims(at.table("claims"), scope),
            phases=tuple(self.phase(p, scope, (lo, hi)) for p in at.tables("phase")),
            names=names,
            reference=at.text("reference"),
            notes=at.text("notes"),
            route=at.route,
            used=tuple(self.used),
        )

    def checked(self, at: Fields, key: str, expr: Expr, scope: Scope, kind: Kind) -> None:
        if key in at:
            self.report.check(expr, scope, kind)

    def expr(self, at: Fields, key: str, scope: Scope, kind: Kind, default: Expr) -> Expr:
        found = at.expr(key, condition=fields.ALLOWED if kind == "condition" else fields.REFUSED)
        if found is None:
            return default
        self.report.check(found, scope, kind)
        return found

    def names_ok(self, at: Fields, taken: Collection[str]) -> None:
        for key in at.keys():
            self.report.name(at.route_of(key), key, taken)

    def let(self, at: Fields, taken: Collection[str]) -> dict[str, Expr]:
        """The names a `let` table defines; their expressions are checked by the caller's scope."""
        self.names_ok(at, taken)
        found = {key: at.expr(key, condition=fields.ALLOWED) for key in at.keys()}
        return {key: expr for key, expr in found.items() if expr is not None}

    def loops(self, at: Fields, scope: Scope) -> tuple[Loop, ...]:
        """The variables of a `for` or `params` table, each after those it uses."""
        found = [Loop(key, at.items(key), at.route_of(key)) for key in at.keys()]
        for loop in found:
            for expr in fields.expressions(loop.items):
                self.report.check(expr, scope, "integer")
        return self.report.ordered(found, scope)

    def promise(self, at: Fields, key: str, scope: Scope, root: Expr) -> Promise:
        collective = at.word(key, COLLECTIVES, "collective", "all-reduce")
        owner = at.expr("owner")
        if owner is not None:
            self.report.check(owner, scope.within({"c": "integer"}, {}), "integer")
            if not COLLECTIVES[collective].takes_owner:
                title = f"{collective} has no owner to choose"
                self.report.add("RP114", title, at.route_of("owner"), on="key")
        return Promise(at.route_of(key), collective, owner, root, scope.names)

    def waive(self, at: Fields) -> tuple[str, ...]:
        words = at.words("waive", PROPERTIES, "property")
        for i, word in words:
            if word not in WAIVABLE:
                title = f"`{word}` cannot be waived: a schedule without it is not one"
                hint = "what can be waived: " + ", ".join(WAIVABLE)
                self.report.add("RP115", title, (*at.route_of("waive"), i), hint=hint)
        return tuple(word for _, word in words)

    def claims(self, at: Fields, scope: Scope) -> tuple[Claim, ...]:
        for key in at.unknown(KEYS["claims"]):
            at.misspelt("RP104", key, KEYS["claims"], "claim")
        scope = Scope(scope.given, scope.names, scope.elsewhere, fractions="allowed")
        claims = []
        for what in KEYS["claims"]:
            if what in at:
                relation, value = at.claim(what, _RELATIONS)
                if value is not None:
                    self.report.check(value, scope, "fraction")
                    claims.append(Claim(at.route_of(what), what, relation, value))
        return tuple(claims)

    def phase(self, at: Fields, scope: Scope, ranks: tuple[int, int]) -> Phase:
        let = self.let(at.table("let"), scope.known())
        if "use" in at:
            use = read_use(self, at, scope, let)
            ensures = self.ensures(at, scope)
            return Phase(at.route, at.text("name"), _ZERO, (), (), ensures, scope.names, use)
        at.only(KEYS["phase"], required=("name",))
        inner = scope.within({"r": "integer", "s": "integer"}, let)
        self.report.check_lets(at.table("let"), inner, let)
        rows = tuple(self.row(row, inner) for row in at.tables("send"))
        sends = tuple(self.send(send) for send in at.tables("sends"))
        if sends and ranks[0] != ranks[1]:
            title = f"`sends` lists one size; the table claims N = {ranks[0]}..{ranks[1]}"
            self.report.add("RP114", title, at.route_of("sends"), on="key")
        if rows and "steps" not in at:
            at.missing("steps", "a phase with rows needs `steps`, the number of its steps")
        last = constant(max((send.step + 1 for send in sends), default=0))
        steps = self.expr(at, "steps", Scope(scope.given, inner.names, frozenset("rsc")),
                          "integer", last)  # fmt: skip
        return Phase(
            at.route, at.text("name"), steps, rows, sends, self.ensures(at, scope), inner.names
        )

    def ensures(self, at: Fields, scope: Scope) -> Promise | None:
        if "ensures" not in at:
            return None
        inner = at.table("ensures")
        inner.only(KEYS["ensures"], required=("collective",))
        root = self.expr(inner, "root", scope, "integer", scope.names["root"])
        made = self.promise(inner, "collective", scope, root)
        takes = COLLECTIVES[made.collective].takes_owner
        return replace(made, owner=made.owner or (self.owner if takes else None))

    def row(self, at: Fields, scope: Scope) -> Row:
        at.only(KEYS["send"], required=("chunk", "op"))
        push = "to" in at
        if push == ("from" in at):
            both = "both `to` and `from`" if push else "neither `to` nor `from`"
            title = f"a row has one of the two, this one has {both}"
            self.report.add("RP111", title, at.route_of("from") if push else at.route, on="key")
        for_table, let_table = at.table("for"), at.table("let")
        self.names_ok(for_table, scope.known())
        let = self.let(let_table, [*scope.known(), *for_table.keys()])
        inner = scope.within(dict.fromkeys(for_table.keys(), "integer"), let)
        self.report.check_lets(let_table, inner, let)
        chunk = self.expr(at, "chunk", inner, "integer", _ZERO)
        when = self.expr(at, "when", inner, "condition", constant(True))
        loops = self.loops(for_table, inner)
        return Row(
            route=at.route,
            push=push,
            peer=self.expr(at, "to" if push else "from", inner, "integer", _ZERO),
            chunk=chunk,
            into=self.expr(at, "into", inner, "integer", chunk),
            reduce=at.word("op", ("reduce", "copy"), "op", "copy") == "reduce",
            guards=_guards(when, loops, inner),
            loops=loops,
            names=inner.names,
        )

    def send(self, at: Fields) -> Send:
        at.only(KEYS["sends"], required=("step", "from", "to", "chunk", "op"))
        step, sender, receiver, chunk = (at.whole(k) for k in ("step", "from", "to", "chunk"))
        if step < 0:
            self.report.add("RP112", "steps count from 0", at.route_of("step"))
        into = at.whole("into") if "into" in at else chunk
        reduce = at.word("op", ("reduce", "copy"), "op", "copy") == "reduce"
        return Send(at.route, step, sender, receiver, chunk, into, reduce)


def _guards(when: Expr, loops: tuple[Loop, ...], scope: Scope) -> tuple[tuple[int, Expr], ...]:
    """The conjuncts of a condition, each as early as its names and the ones before it allow."""

    def split(node: Node) -> list[Node]:
        return [n for a in node.args for n in split(a)] if node.op == "and" else [node]

    guards, after = [], 0
    for node in split(when.node):
        guard = Expr(when.text, node, when.route)
        needs = scope.needs(*guard.names())
        after = max([after, *(i + 1 for i, loop in enumerate(loops) if loop.name in needs)])
        guards.append((after, guard))
    return tuple(guards)
