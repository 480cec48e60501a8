"""Does a table commute with rotation, r -> r + 1 and c -> c + 1 modulo N, for every N at once?

If its rows, its precondition and its promises all do, then what happens to chunk c is what happens
to chunk 0 with every rank renamed, and one chunk stands for all.  Z3 decides it with N symbolic.
"""

from __future__ import annotations

from collections.abc import Mapping

import z3

from ringproof.collective import COLLECTIVES, DEFAULT_OWNER
from ringproof.proof.ask import ask
from ringproof.proof.terms import Terms, Untranslatable, next_rank
from ringproof.table.expr import Expr, Items, Range
from ringproof.table.schedule import Loop, Promise, Row, Schedule

Values = Mapping[str, str]


def query(schedule: Schedule) -> str:
    """SMT-LIB text that is unsatisfiable when the table commutes; errors: `Untranslatable`."""
    return _Rotation(schedule).text()


def commutes(schedule: Schedule, timeout: int) -> bool:
    """Whether Z3 proves, within ``timeout`` ms, that the table commutes with rotation."""
    try:
        text = query(schedule)
    except Untranslatable:
        return False
    solver = z3.SimpleSolver()
    solver.set("timeout", timeout)
    solver.from_string(text)
    return bool(ask(solver) == z3.unsat)


class _Rotation:
    """Collects, for every part of a table, what would be a failure to commute."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.terms = Terms(schedule.names)
        self.failures: list[str] = []
        self.given: list[str] = []
        self.base = {"N": self.terms.declare("N", "(>= N 1)")}
        for loop in schedule.params:
            self.base[loop.name] = self.terms.declare(f"p_{loop.name}")

    def text(self) -> str:
        schedule = self.schedule
        if self.terms.term(schedule.chunks.node, self.base) != "N" or schedule.scratch.text != "0":
            raise Untranslatable("slots that do not rotate with the ranks")
        self.base["chunks"] = "N"
        self.promise(schedule.promise)
        for phase in schedule.phases:
            if phase.sends or phase.use:
                raise Untranslatable("sends written out, or another table's")
            if phase.ensures:
                self.promise(phase.ensures)
            for row in phase.rows:
                self.row(row)
        declared = "".join(f"(declare-const {name} Int)" for name in self.terms.declared)
        facts = "".join(f"(assert {fact})" for fact in self.terms.facts)
        return f"{declared}{facts}(assert (or false {' '.join(self.failures)}))"

    def rank(self, name: str) -> str:
        """A symbolic rank or chunk."""
        fresh = f"{name}{len(self.terms.declared)}"
        return self.terms.declare(fresh, f"(<= 0 {fresh})", f"(< {fresh} N)")

    def same(self, expr: Expr, here: Values, there: Values) -> None:
        """``expr`` has one value in both places."""
        a, b = (self.terms.term(expr.node, v) for v in (here, there))
        if a != b:
            self.fail(f"(= {a} {b})")

    def turned(self, expr: Expr, here: Values, there: Values) -> None:
        """``expr`` is one further there than here."""
        a, b = (self.terms.term(expr.node, v) for v in (here, there))
        self.fail(f"(= {next_rank(a)} {b})")

    def fail(self, equation: str) -> None:
        """Ask for a case, among those ``given`` of the variables, in which this does not hold."""
        self.failures.append(f"(and {' '.join(self.given)} (not {equation}))")

    def promise(self, promise: Promise) -> None:
        self.terms.names, self.given = promise.names, []
        entry = COLLECTIVES[promise.collective]
        place = {name: self.rank(name) for name in ("r", "k", "c")}
        here: dict[str, str] = {**self.base, **place}
        there = {**self.base, **{name: next_rank(term) for name, term in place.items()}}
        owner = promise.owner or DEFAULT_OWNER
        if entry.takes_owner:
            self.turned(owner, here, there)
        for values in (here, there):
            values["owner"] = self.terms.term(owner.node, values)
        for condition in (entry.starts, entry.ends, entry.part):
            self.same(condition, here, there)
        self.turned(entry.chunk, here, there)

    def row(self, row: Row) -> None:
        self.terms.names, self.given = row.names, []
        r, s = self.rank("r"), self.terms.declare(f"s{len(self.terms.declared)}")
        self.terms.facts.append(f"(<= 0 {s})")
        here: dict[str, str] = {**self.base, "r": r, "s": s}
        there: dict[str, str] = {**here, "r": next_rank(r)}
        for loop in row.loops:
            name = self.terms.declare(f"{loop.name}{len(self.terms.declared)}")
            self.loop(loop, name, here, there)
            here[loop.name] = there[loop.name] = name
        for _, guard in row.guards:
            self.same(guard, here, there)
        for expr in (row.peer, row.chunk, row.into):
            self.turned(expr, here, there)

    def loop(self, loop: Loop, name: str, here: Values, there: Values) -> None:
        """A variable runs over the same values in both places; its range is given from here on.

        Not a fact: where the range is empty, it would make everything else true as well.
        """
        choices = [self.item(item, name, here, there) for item in loop.items]
        self.given.append(f"(or false {' '.join(choices)})")

    def item(self, item: Items, name: str, here: Values, there: Values) -> str:
        if isinstance(item, Range):
            self.same(item.lo, here, there)
            self.same(item.hi, here, there)
            lo, hi = (self.terms.term(e.node, here) for e in (item.lo, item.hi))
            return f"(and (<= {lo} {name}) (<= {name} {hi}))"
        if isinstance(item, Expr):
            self.same(item, here, there)
            return f"(= {name} {self.terms.term(item.node, here)})"
        raise Untranslatable("divisors")
