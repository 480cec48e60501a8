"""Mutants are single, small, readable edits; none is lost, doubled or outside the language."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringproof.events import expand
from ringproof.simulate import simulate
from ringproof.strategies import values_of_tables as tables
from ringproof.table.expr import ExprError, parse
from ringproof.table.integers import Environment, Undefined
from ringproof.table.mutate import COSTS, ELSEWHERE, Mutant, mutants, repairs, sample
from ringproof.table.reader import read_schedule
from ringproof.table.splice import conditions, edits, moved
from ringproof.verdict import Route
from tests.conftest import sampled
from tests.reference import load
from tests.strategies import expressions, one_phase

Values = dict[str, Any]

HOME = Path(__file__).parents[1]
SCHEDULES = sorted((HOME / "schedules").glob("*.toml"))
TABLES = [*SCHEDULES, *sorted((HOME / "tests" / "wrong").glob("*.toml"))]
RING = load(HOME / "schedules" / "ring.toml")
ONE = {"to": "(r + 1) % N", "chunk": "(r - s) % N", "op": "copy"}
LETS = {"p": parse("r == s"), "q": parse("p and N > 2"), "h": parse("2**s")}


def afters(mutants: Iterator[Mutant], kind: str, *route: str | int) -> list[str]:
    return [m.after for m in mutants if m.kind == kind and m.route == route]


def at(values: Any, route: Route) -> Any:
    for key in route:
        values = values[key]
    return values


# ---- edits of one expression --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("(r - s - 1) % N", "shift", ["(r - s) % N", "(r - s - 2) % N"]),
        ("(r - s) % N", "shift", ["(r - s + 1) % N", "(r - s - 1) % N"]),
        ("r % N", "shift", ["(r + 1) % N", "(r - 1) % N"]),
        ("(r+1)%N", "shift", ["(r+2)%N", "r%N"]),
        ("(r ^ h) % N", "shift", ["((r ^ h) + 1) % N", "((r ^ h) - 1) % N"]),
        ("r ^ h", "shift", ["(r ^ h) + 1", "(r ^ h) - 1"]),
        ("(1 + s - r) % N", "shift", ["(2 + s - r) % N", "(0 + s - r) % N"]),
        ("0", "shift", ["1", "-1"]),
        ("r if s == 0 else r - 1", "shift", ["r + 1 if s == 0 else r - 1", "r - 1 if s == 0 else r - 1",
                                             "r if s == 0 else r", "r if s == 0 else r - 2"]),
        ("(r if p else s) % N", "shift", ["((r if p else s) + 1) % N", "((r if p else s) - 1) % N",
                                          "(r + 1 if p else s) % N", "(r - 1 if p else s) % N",
                                          "(r if p else s + 1) % N", "(r if p else s - 1) % N"]),
        ("r - r % h", "shift", ["r - r % h + 1", "r - r % h - 1", "r - (r + 1) % h", "r - (r - 1) % h"]),
        ("min(s, 1)", "shift", ["min(s, 1) + 1", "min(s, 1) - 1", "min(s, 2)", "min(s, 0)"]),
        ("(r - s - 1) % N", "sign", ["(r - s + 1) % N", "(r + s - 1) % N"]),
        ("-s if p else s - 1", "sign", ["s if p else s - 1", "-s if p else s + 1"]),
        ("2**s", "stride", ["3**s", "1**s", "2**(s + 1)", "2**(s - 1)"]),
        ("k**(s - 1)", "stride", ["(2*k)**(s - 1)", "k**s", "k**(s - 2)", "k**(2*s - 1)"]),
        ("N >> (s + 1)", "stride", ["N >> (s + 2)", "N >> s", "N >> (2*s + 1)"]),
        ("flip(r, s)", "stride", ["flip(2*r, s)", "flip(r, s + 1)", "flip(r, s - 1)"]),
        ("2*r + s", "stride", ["3*r + s", "1*r + s", "2*r + 2*s"]),
        ("r // h * k", "stride", ["2*r // h * k", "r // (2*h) * k", "r // h * 2*k"]),
        ("(r - s) % N", "mask-for-modulo", ["(r - s) & (N - 1)"]),
        ("r % N * G + j", "mask-for-modulo", ["(r & (N - 1)) * G + j"]),
        ("r % 2 == 0", "mask-for-modulo", ["r & 1 == 0"]),
        ("r % (a * b)", "mask-for-modulo", ["r & (a * b - 1)"]),
        ("r % (N + 1)", "mask-for-modulo", ["r & N"]),
        ("(r - s) % N", "lost-modulo", ["r - s"]),
        ("(r - s) % L * G", "lost-modulo", ["(r - s) * G"]),
        ("(r - s) & (N - 1)", "modulo-for-mask", ["(r - s) % N"]),
        ("r - s & (a * b - 1)", "modulo-for-mask", ["(r - s) % (a * b)"]),
        ("log2(N) + log(N, 3)", "rounding", ["ceil_log2(N) + log(N, 3)", "log2(N) + ceil_log(N, 3)"]),
        ("ceil_log2(N)", "rounding", ["log2(N)"]),
        ("0 <= r < N and s >= 2", "guard-off-by-one", [
            "0 < r < N and s >= 2", "1 <= r < N and s >= 2", "-1 <= r < N and s >= 2",
            "0 <= r <= N and s >= 2", "0 <= r < N and s > 2", "0 <= r < N and s >= 3",
            "0 <= r < N and s >= 1"]),
        ("q and not p", "stride", []),
        ("p", "shift", []),
        ("h", "stride", ["2*h"]),
    ],
)  # fmt: skip
def test_edits(text: str, kind: str, expected: list[str]) -> None:
    found = [e.text for e in edits(text, parse(text).node, "shift", conditions(LETS)) if e.kind == kind]
    assert list(dict.fromkeys(found)) == expected


INTEGER, CONDITION = expressions(["r", "s", "N", "h"], ["p", "q"])


@settings(max_examples=150)
@given(st.tuples(st.just("chunk"), INTEGER) | st.tuples(st.just("when"), CONDITION))
def test_edits_of_any_expression_parse_and_keep_its_kind(written: tuple[str, str]) -> None:
    key, text = written
    for edit in edits(text, parse(text).node, "shift", conditions(LETS)):
        assert edit.kind in COSTS
        row = {**ONE, key: edit.text}
        read_schedule(one_phase(row, let={name: expr.text for name, expr in LETS.items()}))


@settings(max_examples=300)
@given(expressions(["r", "s", "N"], depth=3)[0], st.integers(-3, 3).filter(bool))
def test_moved_adds_exactly_that_much(text: str, by: int) -> None:
    after = moved(text, parse(text).node, by)
    for r, s in ((0, 0), (1, 0), (2, 3), (5, 2)):
        environment = Environment({"r": r, "s": s, "N": 4}, {})
        try:
            value = environment.integer(parse(text))
        except Undefined:
            continue
        assert environment.integer(parse(after)) == value + by


def test_layout_is_kept() -> None:
    text = "( r\n - s )  %N"
    found = {edit.text for edit in edits(text, parse(text).node, "shift")}
    assert {"( r\n - s + 1 )  %N", "( r\n + s )  %N", "( r\n - s ) & (N - 1)"} <= found


# ---- mutants of a table -------------------------------------------------------------------------


@pytest.mark.parametrize("path", sampled(TABLES, 5), ids=lambda path: path.stem)
def test_every_mutant_is_a_table_of_its_own(path: Path) -> None:
    values = load(path)
    before = copy.deepcopy(values)
    found = list(mutants(values))
    assert values == before
    keys = [json.dumps(m.values, sort_keys=True) for m in found]
    assert len({*keys, json.dumps(values, sort_keys=True)}) == len(keys) + 1
    for mutant in found:
        read_schedule(mutant.values, str(path))
        assert mutant.kind in COSTS
        assert mutant.before != mutant.after
    assert [m.values for m in mutants(values)] == [m.values for m in found]


@pytest.mark.parametrize("path", sampled(TABLES, 5, 1), ids=lambda path: path.stem)
def test_before_and_after_are_what_stands_at_the_route(path: Path) -> None:
    values = load(path)
    for mutant in mutants(values):
        if mutant.route[-1] in ("chunk", "when", "steps", "op") or "let" in mutant.route:
            assert str(at(values, mutant.route)) == mutant.before
            assert str(at(mutant.values, mutant.route)) == mutant.after
            if mutant.route[-1] != "op":
                with_ranges = "for" in mutant.route or isinstance(at(values, mutant.route), int)
                assert with_ranges or parse(mutant.after)


def test_the_ring_has_every_kind_of_mutant_that_rows_have() -> None:
    kinds = Counter(m.kind for m in mutants(RING))
    assert kinds == {
        "step-more": 2, "step-less": 2, "shift": 8, "direction": 4, "sign": 3, "stride": 6,
        "mask-for-modulo": 4, "lost-modulo": 4, "into-off-by-one": 4, "swapped-op": 2,
        "dropped-row": 2, "doubled-row": 2, "phases-swapped": 1,
    }  # fmt: skip


def test_rows_and_phases() -> None:
    send = ("phase", 0, "send", 0)
    by_kind = {(m.kind, m.route): m for m in mutants(RING)}
    assert at(by_kind["dropped-row", send].values, ("phase", 0, "send")) == []
    assert at(by_kind["doubled-row", send].values, ("phase", 0, "send")) == [RING["phase"][0]["send"][0]] * 2
    swapped = by_kind["phases-swapped", ("phase", 1)]
    assert swapped.values["phase"] == RING["phase"][::-1]
    assert (swapped.before, swapped.after) == ("reduce-scatter, all-gather", "all-gather, reduce-scatter")
    assert by_kind["swapped-op", (*send, "op")].values["phase"][0]["send"][0]["op"] == "copy"
    assert by_kind["direction", (*send, "to")].values["phase"][0]["send"][0] == {
        "from": "(r + 1) % N", "chunk": "(r - s - 1) % N", "op": "reduce"
    }  # fmt: skip
    assert afters(mutants(RING), "direction", *send, "to") == ["(r - 1) % N", "from"]
    assert afters(mutants(RING), "step-more", "phase", 0, "steps") == ["N"]
    into = afters(mutants(RING), "into-off-by-one", *send, "into")
    assert into == ["(r - s - 1) % N + 1", "(r - s - 1) % N - 1"]


def test_constants_without_quotes_and_no_negative_steps() -> None:
    values = one_phase({**ONE, "chunk": 0, "into": 1, "for": {"j": [0, "1..2"]}}, steps=0)
    send = ("phase", 0, "send", 0)
    found = list(mutants(values))
    assert afters(iter(found), "shift", *send, "chunk") == ["1", "-1"]
    assert afters(iter(found), "into-off-by-one", *send, "into") == ["2", "0"]
    assert afters(iter(found), "step-more", "phase", 0, "steps") == ["1"]
    assert afters(iter(found), "step-less", "phase", 0, "steps") == []
    assert afters(iter(found), "range-off-by-one", *send, "for", "j", 0) == ["1", "-1"]
    assert afters(iter(found), "range-off-by-one", *send, "for", "j", 1) == ["2..2", "0..2", "1..3", "1..1"]


def test_names_of_every_level_are_edited() -> None:
    row = {**ONE, "let": {"a": "b + 1"}, "when": "yes and a > 0"}
    values = one_phase(row, let={"b": "2*r", "yes": "r < N - 1"})
    values["phase"][0]["let"] = {"d": "s"}
    routes = {m.route for m in mutants(values)}
    assert {("let", "b"), ("let", "yes"), ("phase", 0, "let", "d")} <= routes
    assert ("phase", 0, "send", 0, "let", "a") in routes
    assert not any(m.after in ("2*yes", "yes + 1") or "2*yes" in m.after for m in mutants(values))


def test_explicit_sends() -> None:
    values = load(HOME / "schedules" / "ring4_sends.toml")
    found = [m for m in mutants(values) if m.route[:4] == ("phase", 0, "sends", 3)]
    first = values["phase"][0]["sends"][3]
    assert first == {"step": 0, "from": 3, "to": 0, "chunk": 2, "op": "reduce"}
    changed = {m.kind: at(m.values, ("phase", 0, "sends"))[3:5] for m in found}
    second = values["phase"][0]["sends"][4]
    assert changed == {
        "redirected-send": [{**first, "to": 1}, second],
        "rechunked-send": [{**first, "chunk": 3}, second],
        "swapped-op": [{**first, "op": "copy"}, second],
        "dropped-send": [second, values["phase"][0]["sends"][5]],
        "doubled-send": [first, first],
    }


def test_how_a_phase_uses_another_table() -> None:
    phase = {"name": "inside", "use": "ring.toml", "group": "r // L", "rank": "r % L", "chunk": "c*G + j",
             "for": {"j": "0..G - 1"}, "params": {"k": 2}}  # fmt: skip
    found = list(mutants(one_phase(phase=[phase])))
    route = ("phase", 0)
    assert afters(iter(found), "shift", *route, "group") == ["r // L + 1", "r // L - 1"]
    assert afters(iter(found), "mask-for-modulo", *route, "rank") == ["r & (L - 1)"]
    assert afters(iter(found), "sign", *route, "chunk") == ["c*G - j"]
    assert afters(iter(found), "shift", *route, "params", "k") == ["3", "1"]
    assert "1..G - 1" in afters(iter(found), "range-off-by-one", *route, "for", "j")


# ---- samples ------------------------------------------------------------------------------------


def test_a_small_sample_is_spread_evenly_over_kinds() -> None:
    kinds = len({m.kind for m in mutants(RING)})
    for count in (0, 1, 5, kinds, 2 * kinds):
        found = sample(RING, count, seed=7)
        assert len(found) == count
        shares = Counter(m.kind for m in found)
        everything = Counter(m.kind for m in mutants(RING))
        deepest = max(shares.values(), default=0)
        assert all(n >= min(deepest - 1, everything[kind]) for kind, n in shares.items())
        assert len(shares) == min(count, kinds)


def test_a_large_sample_has_all_singles_and_then_pairs() -> None:
    singles = list(mutants(RING))
    found = sample(RING, 500, seed=1)
    assert [m.values for m in found[: len(singles)]] == [m.values for m in singles]
    assert len(found) == 500
    keys = {json.dumps(m.values, sort_keys=True) for m in found}
    assert len({*keys, json.dumps(RING, sort_keys=True)}) == 501
    for pair in found[len(singles) :]:
        assert all(kind in COSTS for kind in pair.kind.split("+"))
        assert pair.kind.count("+") == 1
        read_schedule(pair.values)


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    for count in (9, 120):
        first, second, other = sample(RING, count, 3), sample(RING, count, 3), sample(RING, count, 4)
        assert [m.values for m in first] == [m.values for m in second]
        assert [m.values for m in first] != [m.values for m in other]


def test_a_sample_ends_when_nothing_is_left() -> None:
    values = one_phase({"to": "r", "chunk": "r", "op": "copy"})
    found = sample(values, 10**6, seed=0)
    assert len(found) == len({json.dumps(m.values, sort_keys=True) for m in found}) < 1000


# ---- repairs ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "route", "after", "rank"),
    [
        ("ring_flipped_sign", ("phase", 1, "send", 0, "chunk"), "(r - s) % N", 6),
        ("ring_one_rotation_shifted", ("phase", 0, "send", 0, "chunk"), "(r - s - 1) % N", 6),
        ("ring_one_rotation_shifted", ("phase", 1, "send", 0, "chunk"), "(r - s + 1) % N", 6),
        ("ring_reduce_scatter_plus_one", ("phase", 0, "send", 0, "chunk"), "(r - s - 1) % N", 8),
        ("ring_reduce_scatter_shifted", ("phase", 0, "send", 0, "chunk"), "(r - s - 1) % N", 6),
        ("ring_all_gather_too_early", ("phase", 0, "send", 0, "chunk"), "(r - s) % N", 6),
        ("ring_all_gather_step_too_many", ("phase", 1, "send", 0), "N - 1", 20),
        ("ring_reduce_scatter_step_too_many", ("phase", 0, "send", 0), "N - 1", 20),
        ("bruck_last_step_missing", ("phase", 0, "send", 0, "chunk"), "ceil_log2(N)", 25),
        ("naive_copied", ("phase", 0, "send", 0), "reduce", 20),
    ],
)
def test_known_mistakes_are_repaired_early(name: str, route: Route, after: str, rank: int) -> None:
    """The right table is among the first few candidates that replay finds nothing wrong with."""
    values = load(HOME / "tests" / "wrong" / f"{name}.toml")
    candidates = list(islice(repairs(values, route), rank))
    right = [m.after for m in candidates if not wrong(dict(m.values))]
    assert after in right


def wrong(values: Values) -> bool:
    try:
        schedule = read_schedule(values)
        sizes = [size for size in schedule.claimed() if size.N <= 5]
        return any(any(simulate(expand(schedule, size)).violations.values()) for size in sizes)
    except Exception:
        return True


@pytest.mark.parametrize("path", sampled(TABLES, 5, 2), ids=lambda path: path.stem)
def test_repairs_come_cheapest_first_and_no_table_twice(path: Path) -> None:
    values = load(path)
    phase = values["phase"][-1]
    route: Route = ("phase", len(values["phase"]) - 1)
    if "use" not in phase:
        route = (*route, "send" if "send" in phase else "sends", 0)
    found = list(repairs(values, route))
    assert all(a.cost <= b.cost for a, b in pairwise(found))
    keys = [json.dumps(m.values, sort_keys=True) for m in found]
    assert len({*keys, json.dumps(values, sort_keys=True)}) == len(keys) + 1
    assert {json.dumps(m.values, sort_keys=True) for m in mutants(values)} <= set(keys)
    for mutant in found:
        shared = {(*route[:2], "steps"), (*route[:2], "let")}
        near = mutant.route[: len(route)] == route or mutant.route[:3] in shared
        assert (mutant.cost < ELSEWHERE) == near


def test_repairs_shift_a_rotation_by_up_to_three() -> None:
    found = [m for m in repairs(one_phase(ONE), ("phase", 0, "send", 0, "chunk")) if m.route[-1] == "chunk"]
    costs = {m.after: m.cost for m in found if m.kind in ("shift", "sign")}
    assert costs == {
        "(r + s) % N": 1, "(r - s + 1) % N": 1, "(r - s - 1) % N": 1, "(r - s + 2) % N": 2,
        "(r - s - 2) % N": 2, "(r - s + 3) % N": 3, "(r - s - 3) % N": 3,
    }  # fmt: skip


def test_repairs_of_a_whole_phase_and_of_the_whole_table() -> None:
    near = {m.route[1] for m in repairs(RING, ("phase", 1)) if m.cost < ELSEWHERE}
    assert near == {1}
    assert all(m.cost < ELSEWHERE for m in repairs(RING, ()))


@settings(max_examples=25)
@given(tables())
def test_mutants_of_any_table_can_be_read(values: Values) -> None:
    before = copy.deepcopy(values)
    for mutant in mutants(values):
        read_schedule(mutant.values)
    assert values == before


def test_an_expression_that_does_not_parse_is_the_callers_to_exclude() -> None:
    with pytest.raises(ExprError):
        list(mutants(one_phase({**ONE, "chunk": "r +"})))
