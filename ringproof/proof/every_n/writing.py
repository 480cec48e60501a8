"""Expressions and rows of a used table in terms of the table that uses it; trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.nodes import expr, name, number
from ringproof.table.expr import Divisors, Expr, Items, Node, Range, constant, parse
from ringproof.table.schedule import Loop, Names, Phase, Row, Schedule, Use

Over = tuple[tuple[str, Node, Node], ...]  # names, each with its least and its largest value


def filled(tree: Node, names: Names, values: Mapping[str, Node]) -> Node:
    """The tree with every written name written out and every other one replaced by its value."""
    if tree.op == "name":
        text = str(tree.value)
        return values[text] if text in values else filled(names[text].node, names, values)
    return Node(tree.op, tuple(filled(a, names, values) for a in tree.args), 0, 0, tree.value)


def said(text: str, **values: Node) -> Node:
    """An expression of the table language; names without a value stand for themselves."""
    tree = parse(text).node
    free = {n: name(n) for n in parse(text).names()}
    return filled(tree, {}, {**free, **values})


@dataclass(frozen=True, slots=True)
class Writer:
    """A used table over groups of ``size`` ranks whose places are ``stride`` ranks apart."""

    outer: Schedule
    use: Use
    size: Node
    stride: Node

    def __post_init__(self) -> None:
        inner = self.use.schedule
        if inner.scratch.node.op != "const" or inner.scratch.node.value != 0:
            raise Untranslatable("a used table with scratch slots")
        if any(phase.use or phase.sends for phase in inner.phases):
            raise Untranslatable("a used table that uses a table or lists its sends")

    # -- expressions

    def outside(self, e: Expr, **values: Node) -> Node:
        """An expression of the phase that uses the table."""
        given = {n: name(n) for n in ("N", *(p.name for p in self.outer.params))}
        return filled(e.node, {**self.outer.names, **self.use.names}, {**given, **values})

    def inside(self, e: Expr, names: Names, **values: Node) -> Node:
        """An expression of the used table, over the step and the given values."""
        params = {n: self.outside(value) for n, value in self.use.params.items()}
        return filled(e.node, names, {"N": self.size, "s": name("s"), **params, **values})

    def place(self, rank: Node) -> Node:
        """Its place in its group."""
        return self.outside(self.use.rank, r=rank)

    def group(self, rank: Node) -> Node:
        """The number of its group."""
        return self.outside(self.use.group, r=rank)

    def takes_part(self, rank: Node) -> Node:
        """Whether it is in a group at all."""
        return self.outside(self.use.when, r=rank)

    def member(self, rank: Node, place: Node) -> Node:
        """The rank at a place of the same group."""
        apart = said("place - mine", place=place, mine=self.place(rank))
        if self.stride != number(1):
            apart = said("apart * stride", apart=apart, stride=self.stride)
        return said("rank + apart", rank=rank, apart=apart)

    def slot(self, rank: Node, slot: Node, tag: str = "") -> Node:
        """What stands for a slot of the used table in the group of a rank."""
        own = {loop.name: name(self._own(loop.name) + tag) for loop in self.use.loops}
        return self.outside(self.use.chunk, group=self.group(rank), c=slot, **own)

    def _own(self, loop: str) -> str:
        """A variable of the phase, apart from those of the used table's rows."""
        inner = {self._free(own.name) for p in self.use.schedule.phases for r in p.rows for own in r.loops}
        while loop in inner:
            loop += "_"
        return loop

    def _free(self, loop: str) -> str:
        """A variable of the used table, apart from the sizes of the outer one."""
        while loop in ("N", "r", "s") or any(loop == p.name for p in self.outer.params):
            loop += "_"
        return loop

    def spread(self, rank: Node, tag: str = "") -> Over:
        """What the variables of the phase run over: the same for every slot of the used table."""
        values = {"group": self.group(rank)}
        found = []
        for loop in self.use.loops:
            item = loop.items[0]
            if len(loop.items) > 1 or not isinstance(item, Range):
                raise Untranslatable("slots of a used table over a list")
            try:
                lo, hi = (self.outside(e, **values) for e in (item.lo, item.hi))
            except KeyError:
                raise Untranslatable("slots of a used table that are not equally many") from None
            values[loop.name] = name(self._own(loop.name) + tag)
            found.append((self._own(loop.name) + tag, lo, hi))
        return tuple(found)

    # -- rows

    def of_row(self, e: Expr, row: Row) -> Node:
        """An expression of a row of the used table."""
        loops = {loop.name: name(self._free(loop.name)) for loop in row.loops}
        return self.inside(e, row.names, r=self.place(name("r")), **loops)

    def phase(self, phase: Phase, part: Phase, last: str) -> Phase:
        """A phase of the used table; the promise of the whole is that of its ``last`` part."""
        steps = expr(self.inside(part.steps, part.names))
        rows = tuple(self.row(row) for row in part.rows)
        title = f"{phase.name}: {part.name}"
        return Phase(phase.route, title, steps, rows, (), phase.ensures if last else None, {})

    def row(self, row: Row) -> Row:
        """A row of the used table, for every rank and every slot that stands for the one it names."""
        loops = [Loop(self._free(loop.name), tuple(self._items(i, row) for i in loop.items), loop.route)
                 for loop in row.loops]  # fmt: skip
        loops += [Loop(unknown, (Range(expr(lo), expr(hi)),), self.use.route)
                  for unknown, lo, hi in self.spread(name("r"))]  # fmt: skip
        guards = [(0, expr(self.takes_part(name("r"))))] if self.use.when != constant(True) else []
        guards += [(after, expr(self.of_row(guard, row))) for after, guard in row.guards]
        peer = self.member(name("r"), self.of_row(row.peer, row))
        chunk, into = (self.slot(name("r"), self.of_row(e, row)) for e in (row.chunk, row.into))
        return Row(row.route, row.push, expr(peer), expr(chunk), expr(into), row.reduce,
                   tuple(guards), tuple(loops), {})  # fmt: skip

    def _items(self, item: Items, row: Row) -> Items:
        if isinstance(item, Range):
            return Range(*(expr(self.of_row(e, row)) for e in (item.lo, item.hi)))
        if isinstance(item, Divisors):
            return Divisors(expr(self.of_row(item.of, row)))
        return expr(self.of_row(item, row))
