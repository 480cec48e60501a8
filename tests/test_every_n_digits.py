"""Numbers by their digits: each number once, and comparisons that mean the same; planted bugs."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from ringproof.proof.certificate import certificate, compare, discharge
from ringproof.proof.every_n import Proved, digits, orders, prove_every_n, relations, sizes
from ringproof.proof.every_n.context import Context, Desk
from ringproof.proof.every_n.digits import spelled
from ringproof.proof.every_n.formula import Formula, both, eq, holds, le, lt, negation
from ringproof.proof.every_n.poly import Poly, polynomial
from ringproof.table.reader import read_schedule
from ringproof.table.source import read
from tests.test_every_n import disagreements

SCHEDULES = Path(__file__).parent.parent / "schedules"


class Numbers:
    """Two unknown numbers below k*a*b by their digits, in two orders, and all their small values."""

    def __init__(self, times: int = 1) -> None:
        self.desk = Desk()
        atoms = self.desk.atoms
        self.sizes = [atoms.number("var", n) for n in ("a", "b")]
        atoms.sizes.update(self.sizes)
        atoms.positive.update(self.sizes)
        a, b = (Poly({(n,): 1}) for n in self.sizes)
        self.count = a * b * times
        self.x, in_x = spelled(atoms, "x", self.count, self.sizes)
        self.y, in_y = spelled(atoms, "y", self.count, self.sizes[::-1] if times > 1 else self.sizes)
        self.context = Context(self.desk, (le(1, a), le(1, b))).extended(in_x, in_y)

    def values(self) -> Iterator[dict[int, int]]:
        unknown = [n for n in range(1, len(self.desk.atoms.kinds) + 1) if n not in self.sizes]
        for a, b in product((1, 2, 3), repeat=2):
            for rest in product(range(3), repeat=len(unknown)):
                found = dict(zip((*self.sizes, *unknown), (a, b, *rest), strict=True))
                if all(holds(h, found) for h in self.context.hypotheses):
                    yield found

    def differ(self) -> list[Formula]:
        """Conditions that are not the same when compared digit by digit."""
        a, b = (Poly({(n,): 1}) for n in self.sizes)
        found = []
        for z in (self.y, self.y + 1, a, a * b - 1, self.y - a, self.y + a * b, polynomial(2)):
            for f in (eq(self.x, z), le(self.x, z), lt(self.x, z), both(le(z, self.x), eq(self.y, z))):
                for g in (f, negation(f)):
                    told = self.context._spelled(g)
                    if any(holds(g, v) != holds(told, v) for v in self.values()):
                        found.append(g)
        return found


@pytest.mark.parametrize("times", [1, 2])
def test_every_number_has_its_digits_once(times: int) -> None:
    numbers = Numbers(times)
    for n, group in _grouped(numbers):
        assert sorted(group) == list(range(n))


def _grouped(numbers: Numbers) -> Iterator[tuple[int, set[int]]]:
    found: dict[tuple[int, int], dict[tuple[int, ...], int]] = {}
    mine = sorted(set(numbers.x.atoms()) - set(numbers.sizes))
    for v in numbers.values():
        size = (v[numbers.sizes[0]], v[numbers.sizes[1]])
        found.setdefault(size, {})[tuple(v[d] for d in mine)] = numbers.x.value(v)
    for (a, b), values in found.items():
        count = numbers.count.value(dict(zip(numbers.sizes, (a, b), strict=True)))
        assert len(set(values.values())) == len(values)
        yield count, set(values.values())


@pytest.mark.parametrize("times", [1, 2])
def test_comparing_digit_by_digit_is_comparing(times: int) -> None:
    assert Numbers(times).differ() == []


def test_digits_that_may_carry_are_not_parted(monkeypatch: pytest.MonkeyPatch) -> None:
    right = digits.by_digits
    monkeypatch.setattr("ringproof.proof.every_n.context.by_digits", lambda a, e, f: right(a, _yes, f))
    assert Numbers().differ()


def _yes(f: Formula) -> bool:
    return True


def _wrong_weights(facts_of: Any) -> int:
    """How often a fact about a digit and its weight is false, in range or not."""
    numbers = Numbers()
    atoms = numbers.desk.atoms
    known = list(range(1, len(atoms.kinds) + 1))
    found = 0
    for values in product(range(-1, 4), repeat=len(known)):
        v = dict(zip(known, values, strict=True))
        if all(v[size] >= 1 for size in numbers.sizes):
            facts = [f for m in numbers.x.terms for f in facts_of(atoms, m)]
            found += sum(not holds(f, v) for f in facts)
    return found


def test_facts_about_digits_hold_in_range_only() -> None:
    assert _wrong_weights(relations.weighted) == 0
    assert _wrong_weights(lambda *a: (f.args[-1] for f in relations.weighted(*a)))


def test_facts_and_proved_goals_over_digits_are_true() -> None:
    assert disagreements("hierarchical_ring", random.Random(5), 40, 4) == []


def table(name: str) -> Any:
    path = str(SCHEDULES / f"{name}.toml")
    return read_schedule(read(path).values, path)


@pytest.mark.sweep
def test_any_order_of_the_sizes_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    def turned(*args: Any) -> Any:
        return tuple(order[::-1] for order in orders.orders(*args))

    monkeypatch.setattr(sizes, "orders", turned)
    assert disagreements("hierarchical_ring", random.Random(5), 10, 4) == []


SWEPT = [pytest.param(f"torus_{d}d_all_reduce", marks=pytest.mark.sweep) for d in (2, 3)]


@pytest.mark.parametrize("name", ["hierarchical_composed", *SWEPT])
def test_tables_over_products_of_sizes_are_proved_and_certified(name: str) -> None:
    schedule = table(name)
    found = prove_every_n(schedule, budget=60)
    assert found.verdict == Proved()
    made = certificate(schedule, found)
    compare(schedule, json.loads(json.dumps(made.data)), made.questions)
    assert set(discharge(made.questions, "z3")) == {"proved"}
