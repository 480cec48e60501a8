"""What is assumed of the sizes: every N from the claim's lower end on that `where` admits; trusted.

The upper end of a claim is dropped: "every N" is more than the table claims, never less.  A divisor
parameter p of x becomes x = p * q with a fresh q, and ``is_pow2(N)`` becomes N = 2**e, which are the
same sizes; everything else is a hypothesis.  Whatever these expressions need to have a value is an
obligation, and so is that there are sizes at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.context import Context, Desk
from ringproof.proof.every_n.formula import Formula, both, either, eq, le, replaced
from ringproof.proof.every_n.orders import orders
from ringproof.proof.every_n.poly import Monomial, Poly, polynomial
from ringproof.proof.every_n.terms import Need, Reader
from ringproof.table.expr import Divisors, Expr, Node, Range
from ringproof.table.schedule import Loop, Schedule
from ringproof.verdict import Size


@dataclass(slots=True)
class Sizes:
    """One case of the sizes: ``values``: N and the parameters; ``context``: what holds of them.

    ``fixed`` are the parameters that this case gives a number.  ``needs`` are obligations in the
    context of ``before``, where only the claim's lower end is known.  ``rank_order``, ``slot_order``:
    the sizes whose product N is, in an order to write numbers by (see `digits`).
    """

    schedule: Schedule
    desk: Desk
    fixed: Mapping[str, int]
    values: dict[str, Poly] = field(default_factory=dict)
    hypotheses: list[Formula] = field(default_factory=list)
    needs: list[tuple[Context, Need]] = field(default_factory=list)
    rank_order: tuple[int, ...] = ()
    slot_order: tuple[int, ...] = ()

    @property
    def N(self) -> Poly:  # noqa: N802
        """The number of ranks."""
        return self.values["N"]

    def context(self) -> Context:
        """What holds of all sizes of this case."""
        return Context(self.desk, tuple(self.hypotheses))

    def unknown(self, name: str, least: int) -> Poly:
        """A fresh size of at least ``least``."""
        number = self.desk.atoms.number("var", f"{name}!")  # no name of a table has a "!"
        self.desk.atoms.sizes.add(number)
        if least >= 1:
            self.desk.atoms.positive.add(number)
        poly = Poly({(number,): 1})
        self.hypotheses.append(le(least, poly))
        return poly

    def reader(self, context: Context | None = None) -> Reader:
        """Reads top-level expressions."""
        return Reader(context or self.context(), self.values, self.schedule.names)

    def integer(self, expr: Expr) -> Poly:
        """A top-level integer, whose needs become obligations."""
        reader = self.reader()
        found = reader.integer(expr.node)
        self.needs.extend((reader.context, need) for need in reader.needs)
        return found

    def product(self, node: Node) -> Monomial | None:
        """The sizes whose product an expression is."""
        try:
            single = self.reader().integer(node).single
        except Untranslatable:
            return None
        return single[0] if single and single[1] == 1 else None

    def size(self, model: Mapping[int, int]) -> Size | None:
        """The size that a counterexample speaks of, where it gives all its unknowns."""
        values = dict(model)
        for atom in [a for p in self.values.values() for a in p.atoms()]:
            kind = self.desk.atoms.of(atom)
            if atom not in values and kind.kind == "pow":
                inner = next(iter(kind.poly(1).atoms()), 0)
                if inner not in values:
                    return None
                values[atom] = kind.number(0) ** max(kind.poly(1).value(values), 0)
            elif atom not in values:
                values[atom] = 1
        params = tuple((loop.name, self.values[loop.name].value(values))
                       for loop in self.schedule.params)  # fmt: skip
        return Size(self.N.value(values), params)


def cases(schedule: Schedule, desk: Desk, split: frozenset[str]) -> Iterator[Sizes]:
    """Every case of the sizes; parameters in ``split`` get one case for each of their numbers.

    Errors: `Untranslatable`, also where ``split`` names a parameter that is not all numbers.
    """
    loops = [loop for loop in schedule.params if loop.name in split and listed(loop)]
    if len(loops) != len(split):
        raise Untranslatable("a case for every number of what is no list of numbers")
    for numbers in product(*(dict.fromkeys(_numbers(loop)) for loop in loops)):
        fixed = dict(zip((loop.name for loop in loops), numbers, strict=True))
        yield _case(schedule, desk, fixed)


def listed(loop: Loop) -> bool:
    """Whether a parameter runs over numbers written out."""
    return all(isinstance(i, Expr) and i.node.op == "const" for i in loop.items)


def _numbers(loop: Loop) -> list[int]:
    return [int(i.node.value) for i in loop.items if isinstance(i, Expr)]


def _case(schedule: Schedule, desk: Desk, fixed: Mapping[str, int]) -> Sizes:
    sizes = Sizes(schedule, desk, fixed)
    tag = "".join(f"{k}{v}" for k, v in fixed.items())
    lowest = schedule.ranks[0]
    if any(_is_power(node) for node in conjuncts(schedule.where.node)):
        exponent = sizes.unknown(f"log2N{tag}", 0)
        power = desk.atoms.poly("pow", 2, exponent)
        if lowest >= 2:
            sizes.hypotheses.append(le(1, exponent))
        sizes.hypotheses.append(le(lowest, power))
        sizes.values["N"] = power
    else:
        sizes.values["N"] = sizes.unknown(f"N{tag}", lowest)
    for loop in schedule.params:
        _parameter(sizes, loop, tag)
    reader = sizes.reader()
    admitted = reader.condition(schedule.where.node)
    sizes.needs.extend((reader.context, need) for need in reader.needs)
    if admitted is not True:
        sizes.hypotheses.append(admitted)
    whole = sizes.N.single
    sizes.rank_order, sizes.slot_order = orders(schedule, whole[0] if whole else (), sizes.product)
    return sizes


def _is_power(node: Node) -> bool:
    return node.op == "is_pow2" and node.args[0].op == "name" and node.args[0].value == "N"


def conjuncts(node: Node) -> Iterator[Node]:
    """The parts of a condition that must all hold."""
    if node.op == "and":
        for arg in node.args:
            yield from conjuncts(arg)
    else:
        yield node


def _parameter(sizes: Sizes, loop: Loop, tag: str) -> None:
    if loop.name in sizes.fixed:
        sizes.values[loop.name] = polynomial(sizes.fixed[loop.name])
        return
    if len(loop.items) == 1 and isinstance(loop.items[0], Divisors):
        _divisor(sizes, loop, loop.items[0].of, tag)
        return
    number = sizes.desk.atoms.number("var", f"{loop.name}!{tag}")
    sizes.desk.atoms.sizes.add(number)
    value = Poly({(number,): 1})
    choices: list[Formula] = []
    for item in loop.items:
        if isinstance(item, Range):
            lo, hi = sizes.integer(item.lo), sizes.integer(item.hi)
            choices.append(both(le(lo, value), le(value, hi)))
        elif isinstance(item, Expr):
            choices.append(eq(value, sizes.integer(item)))
        else:
            raise Untranslatable("a parameter with divisors and other values")
    sizes.hypotheses.append(either(*choices))
    sizes.values[loop.name] = value
    if sizes.context().entails(le(1, value)):
        sizes.hypotheses.append(le(1, value))
        sizes.desk.atoms.positive.add(number)


def _divisor(sizes: Sizes, loop: Loop, of: Expr, tag: str) -> None:
    """p divides x exactly when x = p * q for some q >= 1; x must be one unknown so far."""
    whole = sizes.integer(of)
    atom = whole.atom
    if atom is None or sizes.desk.atoms.of(atom).kind != "var":
        raise Untranslatable("the divisors of an expression")
    if not sizes.context().entails(le(1, whole)):
        raise Untranslatable("the divisors of what may be below 1")
    mine = sizes.unknown(f"{loop.name}{tag}", 1)
    rest = sizes.unknown(f"{loop.name}_rest{tag}", 1)
    exchange = {atom: mine * rest}
    sizes.values = {k: v.replaced(exchange) for k, v in sizes.values.items()}
    sizes.values[loop.name] = mine
    sizes.hypotheses = [replaced(h, exchange) for h in sizes.hypotheses]
