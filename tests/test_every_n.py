"""The proof for every N: sound first.

The trusted rooms are guarded by comparison: symbolic rows with expanded sends, facts and everything
Z3 was asked with concrete values.  The untrusted rooms are guarded by planting bugs in them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ringproof.events import expand
from ringproof.proof.every_n import (
    Proved,
    Refuted,
    Undecided,
    arithmetic,
    atoms,
    candidates,
    context,
    covers,
    digits,
    facts,
    features,
    gathered,
    guesses,
    instance,
    learner,
    prove_every_n,
    relations,
    truths,
)
from ringproof.proof.every_n.composition import written_out
from ringproof.proof.every_n.context import Desk
from ringproof.proof.every_n.formula import both, eq, holds, implies, le
from ringproof.proof.every_n.groups import groups
from ringproof.proof.every_n.model import Model, Predicate
from ringproof.proof.every_n.nodes import number
from ringproof.proof.every_n.poly import Poly, polynomial
from ringproof.proof.every_n.sizes import Sizes, cases, listed
from ringproof.table.expr import parse
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import read
from ringproof.verdict import Size
from tests.conftest import sampled
from tests.judged import is_wrong

ROOT = Path(__file__).parent.parent
RIGHT = sorted((ROOT / "schedules").glob("*.toml"))
WRONG = sorted((ROOT / "tests" / "wrong").glob("*.toml"))
FIRST, SECOND = (sampled(RIGHT, 3, first) for first in (0, 1))
QUICK = ("ring", "ring_reduce_scatter", "ring_all_gather", "naive", "binomial_broadcast",
         "recursive_doubling", "bruck_all_gather", "swing_latency", "bine_all_gather")  # fmt: skip


def load(path: Path) -> Schedule:
    return read_schedule(read(str(path)).values, str(path))


def table(name: str) -> Schedule:
    return load(ROOT / "schedules" / f"{name}.toml")


def rows(text: str, **keys: Any) -> Schedule:
    """A one-row table: ``to | chunk | op``."""
    to, chunk, op = (t.strip() for t in text.split("|"))
    values = {"name": "t", "ranks": "2..64", "chunks": "N", "collective": "all-gather", **keys}
    row = {"to": to, "chunk": chunk, "op": op, **values.pop("row", {})}
    values["phase"] = [{"name": "p", "steps": values.pop("steps", "N - 1"), "send": [row]}]
    return read_schedule(values)


# -- verdicts


@pytest.mark.parametrize("name", QUICK)
def test_right_tables_are_proved_with_their_claims(name: str) -> None:
    found = prove_every_n(table(name))
    assert found.verdict == Proved()
    assert set(found.properties.values()) == {Proved()}
    assert set(found.claims) == {Proved()}
    assert found.invariants
    for invariant in found.invariants:
        assert parse(invariant.text)


@pytest.mark.parametrize("path", WRONG, ids=lambda p: p.stem)
def test_wrong_tables_are_never_proved(path: Path) -> None:
    found = prove_every_n(load(path), budget=4)
    if found.verdict == Proved():
        assert any(isinstance(c, Refuted) for c in found.claims)
    elif isinstance(found.verdict, Refuted):
        assert is_wrong(load(path), [found.verdict.size])


def test_right_up_to_41_and_wrong_at_42() -> None:
    keys = {"collective": "all-gather", "owner": "c", "row": {"when": "N != 42 or r != 0"}}
    found = prove_every_n(rows("(r + 1) % N | (r - s) % N | copy", **keys))
    assert found.verdict == Refuted(Size(42))


def test_a_claim_wrong_at_42_only() -> None:
    claims = {"steps": "N - 1 if N != 42 else 0"}
    found = prove_every_n(rows("(r + 1) % N | (r - s) % N | copy", owner="c", claims=claims))
    assert found.verdict == Proved()
    assert found.claims == (Refuted(Size(42)),)


HOLES: dict[str, dict[str, Any]] = {
    "negative steps": {"steps": "N - 1 if N != 50 else -1"},
    "not a power of two": {
        "where": "not is_pow2(N)", "steps": "N - 1 if not is_pow2(N + 1) else N - 2",
    },
    "a value twice in a list": {"row": {"for": {"j": [0, 0]}}},
    "names of places": {"let": {"x": "N - 1", "k": "x"}, "steps": "k - 1"},
    "names of unknowns": {"params": {"r_0": [0], "s_0": [0], "x_0e": [0]}, "steps": "N - 2"},
}  # fmt: skip


@pytest.mark.parametrize("keys", HOLES.values(), ids=HOLES)
def test_holes(keys: dict[str, Any]) -> None:
    found = prove_every_n(rows("(r + 1) % N | (r - s) % N | copy", owner="c", **keys), budget=4)
    assert found.verdict != Proved()


def test_where_is_an_assumption_only_as_far_as_it_goes() -> None:
    keys: dict[str, Any] = {"where": "not is_pow2(N)", "owner": "c"}
    assert prove_every_n(rows("(r + 1) % N | (r - s) % N | copy", **keys)).verdict == Proved()


def test_ensures_of_another_collective() -> None:
    values = read(str(ROOT / "schedules" / "ring.toml")).values
    first, second = values["phase"]
    wrong = {**values, "phase": [{**first, "ensures": {"collective": "all-reduce"}}, second]}
    assert prove_every_n(read_schedule(wrong)).verdict != Proved()
    late = {**values, "phase": [first, {**second, "ensures": {"collective": "all-gather"}}]}
    assert prove_every_n(read_schedule(late)).verdict != Proved()


def _claimed(schedule: Schedule, most: int) -> Iterator[Size]:
    for N in range(schedule.ranks[0], most + 1):
        yield from schedule.at(N)


# -- the trusted rooms against concrete values


def concrete(
    desk: Desk, sizes: Sizes, size: Size, given: dict[str, int], chance: random.Random
) -> dict[int, int] | None:
    """Values of all atoms: the sizes as given, other unknowns as given or at random."""
    known = {"N": size.N, **dict(size.params)}
    values: dict[int, int] = {}
    wanted: dict[int, int] = {}
    for name, poly in sizes.values.items():
        if poly.atom is not None and desk.atoms.of(poly.atom).kind == "var":
            wanted[poly.atom] = known[name]
    rest = sizes.N.single
    assert rest is not None
    for i, atom in enumerate(desk.atoms.kinds):
        n = desk.atoms.numbers[atom]
        assert abs(n) == i + 1
        if atom.kind != "var":
            values[n] = atoms.meaning(atom, values)
        elif n in wanted:
            values[n] = wanted[n]
        elif n in desk.atoms.digits and desk.atoms.digits[n].number in given:
            digit = desk.atoms.digits[n]
            values[n] = _digit(digit, given[digit.number], values, desk)
        elif str(atom.args[0]).startswith("log2N"):
            values[n] = size.N.bit_length() - 1
        elif n in desk.atoms.positive:  # the cofactor of a divisor
            product = 1
            for a in rest[0]:
                if a != n:
                    product *= wanted.get(a, 1)
            values[n] = size.N // product
        else:
            values[n] = given.get(str(atom.args[0]), chance.randint(-2, size.N + 2))
    if sizes.N.value(values) != size.N or not all(holds(h, values) for h in sizes.hypotheses):
        return None
    return values


def _digit(digit: atoms.Digit, number: int, values: dict[int, int], desk: Desk) -> int:
    """One digit of a number; the last one takes all that is left, so that it may be out of range."""
    weight, size = digit.weight.value(values), digit.size.value(values)
    same = [d for d in desk.atoms.digits.values() if d.number == digit.number]
    return number // weight % size if digit is not same[-1] else number // weight


def models(schedule: Schedule) -> Iterator[tuple[Desk, Model]]:
    desk = Desk()
    schedule = written_out(schedule, groups).schedule
    for split in (frozenset[str](), frozenset(p.name for p in schedule.params if listed(p))):
        try:
            for sizes in cases(schedule, desk, split):
                yield desk, Model(sizes)
            return
        except arithmetic.Untranslatable:
            continue


def sends(schedule: Schedule, most: int) -> Iterator[tuple[set[Any], set[Any]]]:
    """For every size: the sends that the symbolic rows say, and the expanded ones."""
    chance = random.Random(1)
    for desk, model in models(schedule):
        for size in _claimed(schedule, most):
            if any(dict(size.params)[k] != v for k, v in model.sizes.fixed.items()):
                continue
            events = expand(schedule, size)
            real = set(zip(events.step.tolist(), events.sender.tolist(), events.receiver.tolist(),
                           events.chunk.tolist(), events.into.tolist(), strict=True))  # fmt: skip
            said: set[Any] = set()
            start = 0
            for stage in model.stages:
                blank = concrete(desk, model.sizes, size, {}, chance)
                assert blank is not None
                steps = stage.steps.value(blank)
                for s in range(steps):
                    for i in stage.instances:
                        said |= _said(desk, model, i, size, s, start, chance)
                start += steps
            yield said, real


def _said(
    desk: Desk, model: Model, i: Any, size: Size, s: int, start: int, chance: random.Random
) -> set[Any]:
    found = set()
    names = list(i.case.unknowns)
    for r in range(-1, size.N + 1):
        ranges = [range(-1, 2 * size.N + 1)] * len(names)
        for loops in _product(ranges):
            given = {f"s_{i.case.phase}": s, f"r_{i.case.phase}": r}
            given |= {f"{n}!_{i.case.phase}": v for n, v in zip(names, loops, strict=True)}
            values = concrete(desk, model.sizes, size, given, chance)
            assert values is not None
            if holds(both(*i.conditions), values):
                ends = (p.value(values) for p in (i.sender, i.receiver, i.chunk, i.into))
                found.add((s + start, *ends))
    return found


def _product(ranges: list[range]) -> Iterator[tuple[int, ...]]:
    if not ranges:
        yield ()
        return
    for first in ranges[0]:
        for rest in _product(ranges[1:]):
            yield (first, *rest)


@pytest.mark.parametrize("path", FIRST, ids=lambda p: p.stem)
def test_symbolic_rows_are_the_expanded_sends(path: Path) -> None:
    schedule = load(path)
    loops = max((len(row.loops) for phase in schedule.phases for row in phase.rows), default=0)
    compared = 0
    for said, real in sends(schedule, 3 if loops > 1 or schedule.params else 4):
        assert said == real
        compared += 1
    if not compared:
        pytest.skip("not translated")


def disagreements(name: str, chance: random.Random, budget: float = 4, most: int = 8) -> list[str]:
    """Facts that are false, and things Z3 proved that are false, at random values up to ``most``."""
    schedule = table(name)
    found: list[str] = []
    desk = Desk()
    done = prove_every_n(schedule, budget)
    proofs: Any = done.guesses
    if proofs:
        desk = proofs[0].model.sizes.desk
    said = relied_on(desk, chance)
    for proof in proofs:
        sizes = proof.model.sizes
        for size in list(_claimed(schedule, most)):
            for _ in range(2):
                found += _false(desk, said, sizes, size, chance)
    return found


def relied_on(desk: Desk, chance: random.Random) -> dict[Any, None]:
    """The facts of up to a hundred of the questions that were settled, each as it was asked."""
    asked = list(desk.relied)
    said: dict[Any, None] = {}
    for hypotheses, goal in asked if len(asked) <= 100 else chance.sample(asked, 100):
        needed = facts.Facts(desk.atoms)
        for f in (*hypotheses, goal):
            needed.ask(f)
        said.update(dict.fromkeys(needed.fresh))
    return said


def test_names_of_the_table_do_not_meet_those_of_the_proof() -> None:
    keys: dict[str, Any] = {"owner": "c", "params": {"r_0": [5], "s_0": [0], "x_0e": [0], "x": [3]}}
    found = prove_every_n(rows("(r + 1) % N | (r - s) % N | copy", **keys))
    assert found.verdict == Proved()
    found = prove_every_n(rows("(r + 1) % N | (r - s) % N if r == r_0 else 0 | copy", **keys))
    assert found.verdict != Proved()


def _false(
    desk: Desk, said: dict[Any, None], sizes: Sizes, size: Size, chance: random.Random
) -> list[str]:
    values = concrete(desk, sizes, size, {}, chance)
    if values is None:
        return []
    found = [f"fact {f}" for f in said if not holds(f, values)]
    for hypotheses, goal in desk.relied:
        if all(holds(h, values) for h in hypotheses) and not holds(goal, values):
            found.append(f"proved {goal}")
    return found


@pytest.mark.parametrize("name", sampled([*QUICK, "recursive_doubling_any"], 3))
def test_facts_and_proved_goals_are_true_at_random_values(name: str) -> None:
    assert disagreements(name, random.Random(5)) == []


def false_of_rows(schedule: Schedule, chance: random.Random) -> list[str]:
    """Facts about what the rows say, and simplifications in them, that are false."""
    found: list[str] = []
    for desk, model in models(schedule):
        needed = facts.Facts(desk.atoms)
        for i in (i for stage in model.stages for i in stage.instances):
            for f in (*i.conditions, *(le(0, p) for p in (i.sender, i.receiver, i.chunk, i.into))):
                needed.ask(f)
        fixed, said = model.sizes.fixed.items(), relied_on(desk, chance)
        sizes = [s for s in _claimed(schedule, 16) if fixed <= dict(s.params).items()]
        for size in sizes[1:: max(4, len(sizes) // 8)]:
            values = concrete(desk, model.sizes, size, {}, chance)
            if values is not None:
                found += [f"fact {f}" for f in needed.fresh if not holds(f, values)]
                found += _false(desk, said, model.sizes, size, chance)
    return found


@pytest.mark.parametrize("path", SECOND, ids=lambda p: p.stem)
def test_facts_about_rows_are_true_at_random_values(path: Path) -> None:
    assert false_of_rows(load(path), random.Random(7)) == []


# -- planted bugs


def _bad_gaps(u: Any, v: Any, m: Any) -> Iterator[Any]:
    yield implies(le(2, u - v), le(m * 3, (u - v) * m))


def _bad_division(*args: Any) -> Iterator[Any]:
    _, it, x, m = args
    yield truths.both(truths.le(0, x - m * it), truths.le(x - m * it, m - 2))


def m_of(m: Any) -> Any:
    return Poly({m: 1})


FACTUAL = ("recursive_doubling", "ring", "recursive_doubling_any")
TRUSTED: dict[str, tuple[object, str, Callable[..., Any]]] = {
    "gap facts": (gathered, "gaps", _bad_gaps),
    "division": (truths, "_division", _bad_division),
    "powers": (relations, "_ordered", lambda p, q, e, f, b: iter([le(q * b, p)])),
    "multiples": (facts, "scaled", lambda u, m: iter([le(m * 2, u * m)])),
    "products of powers": (relations, "_merged", lambda a, p, q, m: iter([le(m, 0)])),
    "choices": (gathered, "chosen", lambda a, m: iter([le(m_of(m), 0)])),
}


@pytest.mark.parametrize("bug", TRUSTED)
def test_false_facts_are_caught(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    room, name, wrong = TRUSTED[bug]
    monkeypatch.setattr(room, name, wrong)
    assert any(disagreements(n, random.Random(5)) for n in (*FACTUAL, "bine_all_gather"))


def powers_said_falsely() -> list[str]:
    """False facts about powers of several bases, their remainders and how they compare."""
    kept = atoms.Atoms()
    x, y = (kept.poly("var", name) for name in "xy")
    half = kept.split(next(x.atoms()), 2)[0]
    powers = [kept.poly("pow", b, e) for b in (2, 3, 4) for e in (x, x + 1, half * 2, x - y, x + y + 1)]
    numbers = [next(p.atoms()) for p in powers]
    numbers += [kept.number("div", p, polynomial(k)) for p in powers for k in (2, 3, 4, 5)]
    said = [f for n in numbers for f in truths.own(kept, n)]
    said += [f for n in numbers for m in numbers if n != m for f in relations.pair(kept, n, m)]
    found = []
    for i, j in product(range(-3, 8), repeat=2):
        values: dict[int, int] = {}
        for atom in kept.kinds:
            at = kept.numbers[atom]
            unknown = {"x": i, "y": j}.get(str(atom.args[0]))
            values[at] = atoms.meaning(atom, values) if unknown is None else unknown
        found += [f"{f} at {i}, {j}" for f in said if not holds(f, values)]
    return found


def _equal(one: int, two: int) -> Any:
    return eq(*(Poly({(n,): 1}) for n in (one, two)))


POWERS: dict[str, tuple[object, str, Callable[..., Any]]] = {
    "remainders": (truths, "remainder", lambda every, at, k: (0, polynomial(1))),
    "remainders of small powers": (truths, "remainder", lambda every, at, k: (0, polynomial(0))),
    "parities": (truths, "parity", lambda every, x: polynomial(0)),
    "order": (relations, "_ordered", lambda p, q, e, f, b: iter([eq(p, q)])),
    "roots": (relations, "_rooted", lambda every, one, two: iter([_equal(one, two)])),
}  # fmt: skip


def test_facts_about_powers_are_true() -> None:
    assert powers_said_falsely() == []


@pytest.mark.parametrize("bug", POWERS)
def test_false_facts_about_powers_are_caught(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*POWERS[bug])
    assert powers_said_falsely()


def _bad_sums(atoms_: Any, number: int, others: Any) -> Iterator[Any]:
    for f in relations.added(atoms_, number, others):
        yield f.args[-1]  # without the condition that exponents are not negative


def test_powers_of_sizes_are_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert disagreements("pat_reduce_scatter", random.Random(5), 30) == []
    monkeypatch.setattr(gathered, "added", _bad_sums)
    assert any(f.startswith("fact") for f in disagreements("pat_reduce_scatter", random.Random(5), 30))


def test_a_false_choice_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = truths.own

    def wrong(table: Any, number: int) -> Iterator[Any]:
        atom = table.of(number)
        if atom.kind == "if":
            yield truths.eq(atom.poly(2), table.poly("if", *atom.args))
        else:
            yield from right(table, number)

    monkeypatch.setattr(gathered, "own", wrong)
    assert false_of_rows(table("recursive_doubling_any"), random.Random(7))


def _one_more(lo: Any, x: Any, hi: Any) -> Any:
    return instance.both(instance.le(lo, x), instance.le(x, hi))


def test_wrong_instances_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digits, "within", _one_more)
    assert any(said != real for said, real in sends(table("ring"), 4))


def test_wrong_arithmetic_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = arithmetic.Arithmetic.divide
    monkeypatch.setattr(arithmetic.Arithmetic, "divide", lambda self, x, m: right(self, x + 1, m))
    assert any(said != real for said, real in sends(table("ring"), 4))


def test_a_solver_that_always_agrees_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context.Context, "_check", lambda *a, **k: "proved")
    assert disagreements("ring", random.Random(5))


def _nothing(*args: Any, **kwargs: Any) -> Any:
    return ()


def _no_lesson(*args: Any, **kwargs: Any) -> learner.Lesson:
    return learner.Lesson(None, "nothing learned")


def _wrong_lesson(*args: Any, **kwargs: Any) -> learner.Lesson:
    return learner.Lesson(Predicate(((),)))


GUESSES: dict[str, tuple[object, str, Callable[..., Any]]] = {
    "senders": (guesses, "senders", _nothing),
    "witnesses": (guesses, "witnesses", _nothing),
    "learner refuses": (guesses, "learn", _no_lesson),
    "learner says always": (guesses, "learn", _wrong_lesson),
    "no features": (guesses, "features", lambda *a: features.Features([number(0)], [number(0)])),
    "no solutions": (covers, "solutions", lambda *a, **k: []),
}


@pytest.mark.parametrize("bug", GUESSES)
def test_wrong_guesses_only_cost_the_proof(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    room, name, wrong = GUESSES[bug]
    monkeypatch.setattr(room, name, wrong)
    names = ("recursive_doubling", "ring_all_gather")
    verdicts = [prove_every_n(table(n), budget=3).verdict for n in names]
    assert any(isinstance(v, Undecided) for v in verdicts)
    assert not any(isinstance(v, Refuted) for v in verdicts)


@pytest.mark.parametrize("name", QUICK[:4])
def test_the_sweep_agrees_at_small_sizes(name: str) -> None:
    assert prove_every_n(table(name)).verdict == Proved()
    schedule = table(name)
    assert not is_wrong(schedule, _claimed(schedule, 12))


def test_words_read_truth_however_it_lies_in_memory() -> None:
    generator = np.random.default_rng(1)
    truth = generator.random((5, 200)) < 0.5
    by_column = np.asfortranarray(truth)[:, generator.random(200) < 0.7]
    assert by_column.flags.f_contiguous
    assert np.array_equal(candidates.words(by_column), candidates.words(by_column.copy("C")))
