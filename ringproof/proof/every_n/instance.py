"""One symbolic send: a row read for an unknown rank, step and values of its variables; trusted.

A fresh instance stands for *every* send of its row.  An instance with given values stands for one
send, if its conditions hold; they are then part of what must be proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.context import Context
from ringproof.proof.every_n.digits import spelled
from ringproof.proof.every_n.formula import Formula, both, eq, le, negation, within
from ringproof.proof.every_n.poly import ZERO, Poly
from ringproof.proof.every_n.sizes import Sizes
from ringproof.proof.every_n.terms import Need, Reader
from ringproof.table.expr import Divisors, Expr, Items, Range, constant
from ringproof.table.schedule import Row, Schedule

FEW = 2  # a range of so few values is as many cases, where numbers are written by their digits


@dataclass(frozen=True, slots=True)
class Case:
    """A row with one item chosen for each of its loops: two items of a list are two cases, so that
    a value that a list repeats is two sends; and so may be the two values of a range such as ``0..1``."""

    phase: int
    index: int
    row: Row
    items: tuple[Items, ...]
    part: int = 0

    @property
    def unknowns(self) -> tuple[str, ...]:
        """The variables of its loops that are not one given expression."""
        pairs = zip(self.row.loops, self.items, strict=True)
        return tuple(loop.name for loop, item in pairs if isinstance(item, Range))


def is_product(schedule: Schedule) -> bool:
    """Whether N is a product of sizes."""
    return any(isinstance(item, Divisors) for loop in schedule.params for item in loop.items)


def row_cases(schedule: Schedule, phase: int, index: int) -> Iterator[Case]:
    """All cases of one row; errors: `Untranslatable`."""
    row = schedule.phases[phase].rows[index]
    for part, items in enumerate(choices(schedule, row)):
        if any(not isinstance(i, (Range, Expr)) for i in items):
            raise Untranslatable("a row over divisors")
        yield Case(phase, index, row, items, part)


def choices(schedule: Schedule, row: Row) -> Iterator[tuple[Items, ...]]:
    """One item for each loop of a row, in every way."""
    few = FEW if is_product(schedule) else 0
    return product(*(_alternatives(loop.items, few) for loop in row.loops))


def _alternatives(items: tuple[Items, ...], few: int) -> Iterator[Items]:
    for item in items:
        ends = [item.lo.node, item.hi.node] if isinstance(item, Range) else []
        lo, hi = (int(e.value) for e in ends) if ends and all(e.op == "const" for e in ends) else (0, few)
        if lo <= hi < lo + few:
            yield from (constant(value) for value in range(lo, hi + 1))
        else:
            yield item


@dataclass(frozen=True, slots=True)
class Instance:
    """One send: where it reads and writes, and ``conditions`` under which it exists."""

    case: Case
    context: Context
    step: Poly
    rank: Poly
    loops: Mapping[str, Poly]
    conditions: tuple[Formula, ...]
    sender: Poly
    receiver: Poly
    chunk: Poly
    into: Poly
    needs: tuple[tuple[Context, Need], ...]

    @property
    def exists(self) -> Formula:
        """All its conditions."""
        return both(*self.conditions)

    @property
    def message(self) -> Formula:
        """It crosses from one rank to another."""
        return negation(eq(self.sender, self.receiver))

    def same_send(self, other: Instance) -> Formula:
        """Both are the very same send, given that both exist at the same step."""
        if self.case != other.case:
            return False
        loops = [eq(self.loops[name], other.loops[name]) for name in self.case.unknowns]
        return both(eq(self.rank, other.rank), *loops)


def fresh(sizes: Sizes, context: Context, case: Case, step: Poly, tag: str) -> Instance:
    """The instance that stands for every send of a row at ``step``; errors: `Untranslatable`."""
    rank, inside = spelled(sizes.desk.atoms, f"r{tag}", sizes.N, sizes.rank_order)
    return _instance(sizes, context, case, step, rank, inside, {}, tag)


def given(
    sizes: Sizes, context: Context, case: Case, step: Poly, rank: Poly, loops: Mapping[str, Poly]
) -> Instance:
    """The send of given rank and variables, if its conditions hold; read in ``context``."""
    return _instance(sizes, context, case, step, rank, within(0, rank, sizes.N), loops, "")


def _instance(
    sizes: Sizes, context: Context, case: Case, step: Poly, rank: Poly, inside: Formula,
    loops: Mapping[str, Poly], tag: str,
) -> Instance:  # fmt: skip
    """``tag`` of a fresh instance, whose conditions are assumed."""
    row = case.row
    conditions: list[Formula] = [inside]
    here = context.extended(inside) if tag else context
    values = {**sizes.values, "r": rank, "s": step}
    reader = Reader(here, values, row.names)
    opened = 0
    for after, guard in (*row.guards, (len(row.loops), None)):
        while opened < after:
            unknown = _Unknown(sizes, loops, tag)
            conditions.append(_open(reader, case, opened, values, unknown, tuple(conditions)))
            opened += 1
        if guard is not None:
            conditions.append(reader.condition(guard.node, tuple(conditions)))
    needs = [(here, need) for need in reader.needs]
    if tag:
        here = here.extended(*conditions)
    last = Reader(here, values, row.names)
    path = () if tag else tuple(conditions)
    ends = [e.node for e in (row.peer, row.chunk, row.into)]
    try:
        peer, chunk, into = (last.integer(node, path) for node in ends)
    except Untranslatable:
        if tag:
            raise
        # Whoever asks for the ends of a given send asks for its conditions as well.
        here = here.extended(*conditions)
        last = Reader(here, values, row.names)
        peer, chunk, into = (last.integer(node) for node in ends)
    needs += [(here, need) for need in last.needs]
    sender, receiver = (rank, peer) if row.push else (peer, rank)
    known = {loop.name: values[loop.name] for loop in row.loops}
    kept = tuple(c for c in conditions if c is not True)
    return Instance(case, here, step, rank, known, kept, sender, receiver, chunk, into, tuple(needs))


@dataclass(frozen=True, slots=True)
class _Unknown:
    """Values of a row's variables: given ones, or fresh ones for a ``tag``."""

    sizes: Sizes
    loops: Mapping[str, Poly]
    tag: str

    def within(self, name: str, lo: Poly, hi: Poly) -> tuple[Poly, Formula]:
        """The value of a variable, and what is true of it."""
        if self.tag and lo == ZERO:
            order = self.sizes.slot_order
            return spelled(self.sizes.desk.atoms, f"{name}!{self.tag}", hi + 1, order)
        fresh = self.sizes.desk.atoms.poly("var", f"{name}!{self.tag}") if self.tag else ZERO
        value = fresh if self.tag else self.loops[name]
        return value, both(le(lo, value), le(value, hi))


def _open(
    reader: Reader, case: Case, at: int, values: dict[str, Poly], unknown: _Unknown,
    path: tuple[Formula, ...],
) -> Formula:  # fmt: skip
    """One more variable; returns what is true of its values."""
    loop, item = case.row.loops[at], case.items[at]
    if isinstance(item, Range):
        lo, hi = (reader.integer(e.node, path) for e in (item.lo, item.hi))
        value, inside = unknown.within(loop.name, lo, hi)
        values[loop.name] = value
        if _is_own(reader, loop.name, value) and lo.number is not None and 0 <= (hi.number or -1) <= 8:
            reader.context.desk.atoms.small[value.atom or 0] = hi.number or 0
        return inside
    if isinstance(item, Expr):
        values[loop.name] = reader.integer(item.node, path)
        return True
    raise Untranslatable("a row over divisors")


def _is_own(reader: Reader, name: str, value: Poly) -> bool:
    """Whether a loop's value is its own unknown: nothing else is as small everywhere."""
    atom = reader.context.desk.atoms.of(value.atom) if value.atom is not None else None
    return atom is not None and atom.kind == "var" and str(atom.args[0]).startswith(f"{name}!")
