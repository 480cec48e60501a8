"""A table with symbolic sizes: its phases, one fresh instance of every row, and its promises; trusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from ringproof.collective import COLLECTIVES, DEFAULT_OWNER
from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.context import Context
from ringproof.proof.every_n.digits import spelled
from ringproof.proof.every_n.formula import Formula, within
from ringproof.proof.every_n.instance import Case, Instance, fresh, row_cases
from ringproof.proof.every_n.poly import Poly
from ringproof.proof.every_n.sizes import Sizes
from ringproof.proof.every_n.terms import Need, Reader
from ringproof.table.expr import Expr
from ringproof.table.schedule import Phase, Promise


@dataclass(frozen=True, slots=True)
class Obligation:
    """``goal`` must follow in ``context``; ``kind`` is the property it serves, ``what`` says how."""

    kind: str
    what: str
    context: Context
    goal: Formula
    phase: int = -1


@dataclass(frozen=True, slots=True)
class Predicate:
    """An invariant: one of the rules holds, a rule being conditions that all hold.

    The conditions use the sizes and the places: the step, a rank, a slot, a contribution.  Any
    predicate is allowed; nothing about it is believed.  ``sign`` "not" turns it over.
    """

    rules: tuple[tuple[Expr, ...], ...]
    sign: str = ""

    @property
    def text(self) -> str:
        """As a condition of the table language."""
        rules = [" and ".join(e.text for e in rule) or "True" for rule in self.rules]
        whole = " or ".join(f"({r})" if " and " in r and len(rules) > 1 else r for r in rules)
        return f"not ({whole or 'False'})" if self.sign else whole or "False"


@dataclass(frozen=True, slots=True)
class Sender:
    """A guess at the send that reached a place: the row, its rank and variables, over the places."""

    row: int
    part: int
    rank: Expr
    loops: Mapping[str, Expr]


@dataclass(frozen=True, slots=True)
class Places:
    """Names for the places of invariants that no parameter of the table has."""

    step: str
    rank: str
    slot: str
    origin: str
    chunk: str

    @staticmethod
    def of(sizes: Sizes) -> Places:
        """Free names."""
        return Places.free(sizes.values)

    @staticmethod
    def free(taken: Mapping[str, object]) -> Places:
        """Free names, given those of the sizes."""
        found = []
        for name in ("s", "x", "c", "k", "q"):
            while name in taken:
                name += "_"
            found.append(name)
        return Places(*found)


class Contract:
    """A promise over symbolic ranks and slots."""

    def __init__(self, sizes: Sizes, promise: Promise) -> None:
        self.sizes, self.promise = sizes, promise
        self.entry = COLLECTIVES[promise.collective]
        self.chunks = sizes.integer(sizes.schedule.chunks)
        self.root = sizes.integer(promise.root)

    def owner(self, context: Context, slot: Poly) -> tuple[Poly, list[Need]]:
        """Who owns a slot, and what that needs to have a value."""
        values = {**self.sizes.values, "chunks": self.chunks, "c": slot}
        reader = Reader(context, values, self.promise.names)
        found = reader.integer((self.promise.owner or DEFAULT_OWNER).node)
        return found, reader.needs

    def reader(self, context: Context, rank: Poly, slot: Poly, origin: Poly) -> Reader:
        """Reads the catalogue's entry."""
        values = {"N": self.sizes.N, "chunks": self.chunks, "root": self.root, "c": slot,
                  "r": rank, "k": origin}  # fmt: skip
        if self.entry.takes_owner:
            values["owner"] = self.owner(context, slot)[0]
        return Reader(context, values, {})

    def starts(self, context: Context, rank: Poly, slot: Poly) -> Formula:
        """The rank's slot holds its own part at the start (for slots below ``chunks``)."""
        return self.reader(context, rank, slot, rank).condition(self.entry.starts.node)

    def ends(self, context: Context, rank: Poly, slot: Poly) -> Formula:
        """The rank's slot is promised at the end."""
        return self.reader(context, rank, slot, rank).condition(self.entry.ends.node)

    def part(self, context: Context, origin: Poly, slot: Poly) -> Formula:
        """The promised value of a slot contains the part of ``origin``."""
        return self.reader(context, origin, slot, origin).condition(self.entry.part.node)

    def chunk(self, context: Context, rank: Poly, slot: Poly) -> Poly:
        """Which chunk's parts the promised value is made of."""
        return self.reader(context, rank, slot, rank).integer(self.entry.chunk.node)


@dataclass(slots=True)
class Stage:
    """One phase: its number of steps, the symbolic step, and an instance of every row."""

    index: int
    phase: Phase
    steps: Poly
    step: Poly
    context: Context
    instances: list[Instance] = field(default_factory=list)

    @property
    def reduces(self) -> list[Instance]:
        """Rows whose receiver adds."""
        return [i for i in self.instances if i.case.row.reduce]

    @property
    def copies(self) -> list[Instance]:
        """Rows whose receiver overwrites."""
        return [i for i in self.instances if not i.case.row.reduce]


class Model:
    """Everything symbolic about one case of the sizes; errors: `Untranslatable`."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        schedule = sizes.schedule
        self.places = Places.of(sizes)
        self.contract = Contract(sizes, schedule.promise)
        self.chunks = self.contract.chunks
        self.scratch = sizes.integer(schedule.scratch)
        self.slots = self.chunks + self.scratch
        self.stages = [self._stage(i, phase) for i, phase in enumerate(schedule.phases)]
        self.ensures = {i: Contract(sizes, phase.ensures)
                        for i, phase in enumerate(schedule.phases) if phase.ensures}  # fmt: skip
        self.in_place = all(i.chunk == i.into for s in self.stages for i in s.instances)

    def _stage(self, index: int, phase: Phase) -> Stage:
        if phase.sends or phase.use:
            raise Untranslatable("sends written out" if phase.sends else "a table used in a table")
        schedule, steps = self.sizes.schedule, self.sizes.integer(phase.steps)
        step = self.sizes.desk.atoms.poly("var", f"s_{index}")
        context = self.sizes.context().extended(within(0, step, steps))
        stage = Stage(index, phase, steps, step, context)
        for number in range(len(phase.rows)):
            for case in row_cases(schedule, index, number):
                stage.instances.append(fresh(self.sizes, context, case, step, f"_{index}"))
        return stage

    def unknown(self, name: str) -> Poly:
        """A fresh rank, slot or contribution."""
        return self.sizes.desk.atoms.poly("var", name)

    def rank(self, name: str) -> tuple[Poly, Formula]:
        """A fresh rank and its range."""
        return spelled(self.sizes.desk.atoms, name, self.sizes.N, self.sizes.rank_order)

    def slot(self, name: str, count: Poly) -> tuple[Poly, Formula]:
        """A fresh slot and its range."""
        return spelled(self.sizes.desk.atoms, name, count, self.sizes.slot_order)


def twin(model: Model, first: Instance, case: Case) -> Instance:
    """A second instance at the same step, in the context of the first; read without it: that is
    quicker, and the two know nothing of each other anyway."""
    alone = fresh(model.sizes, model.stages[case.phase].context, case, first.step, f"_{case.phase}t")
    return replace(alone, context=first.context.extended(*alone.conditions))


Ask = Callable[[Obligation], None]
