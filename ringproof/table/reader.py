"""Plain values -> `Schedule`, or every mistake of the table at once (RP1xx)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ringproof.collective import COLLECTIVES
from ringproof.table import claimed
from ringproof.table.expr import Expr, Kind, constant
from ringproof.table.fields import Fields
from ringproof.table.findings import Findings
from ringproof.table.naming import Naming, guards
from ringproof.table.resolve import settle
from ringproof.table.schedule import Claim, Phase, Promise, Row, Schedule, Send
from ringproof.table.scope import KEYS, REQUIRED, Scope
from ringproof.table.uses import read_use
from ringproof.verdict import Label, Place, TableError, Used

OPTIMAL = ("steps", "traffic")
WAIVABLE = ("no-resend", "once", "used", "ports", "order", "no-swap")
PROPERTIES = ("in-range", "conflict-free", "defined", "complete", *WAIVABLE, "ensures", "claims")
DEEPEST_USE, MOST_USED, MOST_STEPS = 16, 100, 1 << 20
_ZERO, _ONE = constant(0), constant(1)


def read_schedule(values: Mapping[str, Any], path: str = "") -> Schedule:
    """The schedule that these values state; errors: `TableError` with all findings.

    ``path`` is where the table stands: the tables that it uses are found from there.
    """
    reader = Reader(path)
    schedule = reader.table(Fields((), values, reader.report))
    if schedule is not None and not reader.report.findings:
        claimed.bounded(schedule, reader.report)
    if reader.report.findings or schedule is None:
        raise TableError(reader.report.told(values), tuple(reader.used))
    return schedule


class Reader(Naming):
    """One pass over one table; findings are collected, placeholders stand in for bad values."""

    def __init__(self, path: str, chain: tuple[str, ...] = ()) -> None:
        self.path, self.chain = path, chain
        self.used: list[Used] = []
        super().__init__(Findings())
        self.owner: Expr | None = None  # the table's, which an `ensures` takes over

    def nested(self, path: str, chain: tuple[str, ...]) -> Reader:
        """A reader for a table that this one uses; it reports to the same findings."""
        inner = Reader(path, chain)
        inner.report, inner.used = self.report, self.used
        return inner

    def table(self, at: Fields) -> Schedule | None:
        if len(self.chain) > DEEPEST_USE or len(self.used) > MOST_USED:
            title = f"tables use each other more than {DEEPEST_USE} deep or {MOST_USED} times"
            self.report.add("RP116", title, at.route)
            raise self.report.stop()
        at.only(KEYS["table"], REQUIRED["table"])
        lo, hi = claimed.ranks(at)
        raw_params, raw_let = at.table("params"), at.table("let")
        given: dict[str, Kind] = {"N": "integer", **dict.fromkeys(raw_params.names(), "integer")}
        params = {name: raw_params.route_of(name) for name in raw_params.keys()}
        self.names_ok(raw_params, ("c",))
        chunks = at.expr("chunks") or _ONE
        root = at.expr("root") or _ZERO
        written = {**self.let(raw_let, {*given, "c"}, params), "chunks": chunks, "root": root}
        names, extents = settle(written, given, {}, self.report)
        scope = Scope(given, names, frozenset("rsc"), extents=extents)
        rows: dict[str, Kind] = {"r": "integer", "s": "integer"}
        self.check_lets(raw_let, scope.within(rows, {}))
        for key in ("chunks", "root"):
            if key in at:
                self.check(names[key], scope, "integer")
        promise = self.promise(at, scope, root)
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
            optimal=self.optimal(at),
            claims=self.claims(at.table("claims"), scope),
            phases=tuple(self.phase(p, scope, (lo, hi)) for p in at.tables("phase")),
            names=names,
            reference=at.text("reference"),
            notes=at.text("notes"),
            route=at.route,
            used=tuple(self.used),
        )

    def promise(self, at: Fields, scope: Scope, root: Expr) -> Promise:
        collective = at.word("collective", COLLECTIVES, "collective")
        owner = at.expr("owner")
        if owner is not None:
            self.check(owner, scope.within({"c": "integer"}, {}), "integer")
            if collective and not COLLECTIVES[collective].takes_owner:
                title = f"{collective} has no owner to choose"
                self.report.add("RP114", title, at.route_of("owner"), "leave `owner` out", on="key")
        route = at.route_of("collective")
        return Promise(route, collective or "all-reduce", owner, root, scope.names)

    def waive(self, at: Fields) -> tuple[str, ...]:
        words = at.words("waive", PROPERTIES, "property")
        for i, word in words:
            if word not in WAIVABLE:
                title = f"`{word}` cannot be waived: a schedule without it is not one"
                hint = "what can be waived: " + ", ".join(WAIVABLE)
                self.report.add("RP115", title, (*at.route_of("waive"), i), hint=hint)
        return tuple(word for _, word in words)

    def optimal(self, at: Fields) -> tuple[str, ...]:
        """What no schedule does better: one word, or a list of them."""
        if isinstance(at.values.get("optimal"), str):
            return tuple(w for w in [at.word("optimal", OPTIMAL, "optimum")] if w)
        return tuple(word for _, word in at.words("optimal", OPTIMAL, "optimum"))

    def claims(self, at: Fields, scope: Scope) -> tuple[Claim, ...]:
        for key in at.unknown(KEYS["claims"]):
            at.misspelt("RP104", key, KEYS["claims"], "claim")
        scope = replace(scope, fractions="allowed", _kinds={})
        claims = []
        for what in KEYS["claims"]:
            if what in at:
                relation, value = claimed.claim(at, what)
                self.check(value, scope, "fraction")
                claims.append(Claim(at.route_of(what), what, relation, value))
        return tuple(claims)

    def phase(self, at: Fields, scope: Scope, ranks: tuple[int, int]) -> Phase:
        if "use" in at:
            let = self.inner(at.table("let"), scope, {}).names
            use = read_use(self, at, scope, let)
            ensures = self.ensures(at, scope)
            return Phase(at.route, at.text("name"), _ZERO, (), (), ensures, scope.names, use)
        at.only(KEYS["phase"], REQUIRED["phase"], what="this phase")
        inner = self.inner(at.table("let"), scope, {"r": "integer", "s": "integer"})
        rows = tuple(self.row(row, inner) for row in at.tables("send"))
        sends = tuple(self.send(send) for send in at.tables("sends"))
        if sends and ranks[0] != ranks[1]:
            title = f"`sends` lists the sends of one size; the table claims N = {ranks[0]}..{ranks[1]}"
            hint = f"claim one size, as in `ranks = {ranks[1]}`"
            self.report.add("RP114", title, at.route_of("sends"), hint, on="key")
        if rows and at.lacks("steps", KEYS["phase"]):
            hint = 'add the number of its steps, as in `steps = "N - 1"`'
            at.missing("steps", "a phase with rows has no `steps`", hint)
        last = constant(max((send.step + 1 for send in sends), default=0))
        whole = Scope(scope.given, inner.names, frozenset("rsc"), extents=inner.extents)
        steps = self.expr(at, "steps", whole, "integer", last)
        return Phase(
            at.route, at.text("name"), steps, rows, sends, self.ensures(at, scope), inner.names
        )

    def ensures(self, at: Fields, scope: Scope) -> Promise | None:
        if "ensures" not in at:
            return None
        inner = at.table("ensures")
        if not isinstance(at.values["ensures"], dict):
            return None
        inner.only(KEYS["ensures"], REQUIRED["ensures"], what="`ensures`")
        root = self.expr(inner, "root", scope, "integer", scope.names["root"])
        made = self.promise(inner, scope, root)
        takes = COLLECTIVES[made.collective].takes_owner
        return replace(made, owner=made.owner or (self.owner if takes else None))

    def row(self, at: Fields, scope: Scope) -> Row:
        at.only(KEYS["send"], REQUIRED["send"], what="this row")
        push = "to" in at
        if push == ("from" in at):
            self.one_of_two(at)
        for_table = at.table("for")
        self.names_ok(for_table, scope.known(), scope.places())
        given: dict[str, Kind] = dict.fromkeys(for_table.keys(), "integer")
        inner = self.inner(at.table("let"), scope, given)
        chunk = self.expr(at, "chunk", inner, "integer", _ZERO)
        when = self.expr(at, "when", inner, "condition", constant(True))
        loops = self.loops(for_table, inner)
        return Row(
            route=at.route,
            push=push,
            peer=self.expr(at, "to" if push else "from", inner, "integer", _ZERO),
            chunk=chunk,
            into=self.expr(at, "into", inner, "integer", chunk),
            reduce=at.word("op", ("reduce", "copy"), "op") == "reduce",
            guards=guards(when, loops, inner),
            loops=loops,
            names=inner.names,
        )

    def one_of_two(self, at: Fields) -> None:
        """Report a row with both of `to` and `from`, or with neither."""
        hint = "`to`: r sends to that rank; `from`: r receives from that rank"
        if "to" not in at:
            title = "this row has neither `to` nor `from`"
            self.report.add("RP111", title, (*at.route, "to"), hint, on="key")
            return
        to = Label(Place(at.route_of("to"), on="key"), "the other one")
        title = "a row has one of `to` and `from`; this one has both"
        self.report.add("RP111", title, at.route_of("from"), hint, on="key", related=(to,))

    def send(self, at: Fields) -> Send:
        at.only(KEYS["sends"], REQUIRED["sends"], what="this send")
        step = at.whole("step", MOST_STEPS)
        sender, receiver, chunk = (at.whole(key) for key in ("from", "to", "chunk"))
        if step < 0:
            self.report.add("RP112", "steps count from 0", at.route_of("step"))
        into = at.whole("into") if "into" in at else chunk
        reduce = at.word("op", ("reduce", "copy"), "op") == "reduce"
        return Send(at.route, step, sender, receiver, chunk, into, reduce)
