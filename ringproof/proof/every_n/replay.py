"""Replays of single sizes: samples to learn from, and refutations; not trusted, except that a
refutation is what `simulate` finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ringproof.events import expand
from ringproof.problem import ExpansionError
from ringproof.proof.every_n.instance import is_product
from ringproof.proof.every_n.sizes import Sizes
from ringproof.proof.every_n.traces import Trace, trace
from ringproof.simulate import Outcome, simulate
from ringproof.table.integers import Undefined
from ringproof.table.schedule import Schedule
from ringproof.verdict import Size

SMALL = (2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16)
PRODUCTS = (*SMALL, 20)  # 4 x 5: two digits that differ, both with room to turn
MOST_SIZES, MOST_N, MOST_TRACED = 26, 100, 40


class Broken(Exception):
    """A size at which a property fails, replayed."""

    def __init__(self, size: Size, names: tuple[str, ...]) -> None:
        super().__init__(str(size))
        self.size, self.names = size, names


@dataclass(slots=True)
class Replays:
    """All sizes replayed so far; ``claims``: claim number -> the first size at which it fails.

    ``rows`` is the table with all its phases rows of their own, for the traces; ``judged`` are sizes at
    which a sweep has found every property and claim to hold.
    """

    schedule: Schedule
    rows: Schedule
    judged: frozenset[Size] = frozenset()
    traces: list[Trace] = field(default_factory=list)
    seen: set[Size] = field(default_factory=set)
    claims: dict[int, Size] = field(default_factory=dict)

    def start(self) -> None:
        """Look at small sizes; errors: `Broken`."""
        lo = self.schedule.ranks[0]
        small = PRODUCTS if is_product(self.schedule) else SMALL
        numbers = [N for N in small if N >= lo] or [lo, lo + 1, lo + 2]
        sizes = [s for N in numbers for s in self.schedule.at(N)]
        more = max(numbers) + 1
        while len(sizes) < 5 and more <= 64:
            sizes += self.schedule.at(more)
            more += 1
        per = max(1, len(sizes) // MOST_SIZES)
        for at, size in enumerate(sizes):
            if size.N <= 8 or per == 1 or at % per == 0:
                self.look(size)

    def look(self, size: Size) -> bool:
        """Replay one size; False where it was seen or is too large; errors: `Broken`."""
        if size in self.seen or size.N > MOST_N or size.N < self.schedule.ranks[0]:
            return False
        if size not in set(self.schedule.at(size.N)):
            return False
        self.seen.add(size)
        if size not in self.judged:
            self._judge(size)
        if size.N <= MOST_TRACED:
            self.traces.append(trace(self.rows, size))
        return True

    def _judge(self, size: Size) -> None:
        try:
            outcome = simulate(expand(self.schedule, size))
        except ExpansionError as error:
            raise Broken(size, ("in-range",)) from error
        bad = tuple(n for n, v in outcome.violations.items() if v and n not in self.schedule.waive)
        if bad:
            raise Broken(size, bad)
        self._claims(size, outcome)

    def _claims(self, size: Size, outcome: Outcome) -> None:
        from ringproof.assess import claim_holds

        environment = self.schedule.environment(size)
        for number, claim in enumerate(self.schedule.claims):
            if number in self.claims:
                continue
            try:
                claimed = Fraction(environment.value(claim.value))
            except Undefined:
                self.claims[number] = size
                continue
            if not claim_holds(claim.relation, claimed, outcome.counts.of(claim.what)):
                self.claims[number] = size

    def of(self, sizes: Sizes) -> list[Trace]:
        """The traces that belong to a case of the sizes."""
        fixed = sizes.fixed.items()
        return [t for t in self.traces if all(dict(t.size.params)[k] == v for k, v in fixed)]
