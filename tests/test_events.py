"""A table unrolled at one size: which sends it means, and what it says when it means none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ringproof.events import Events, expand
from ringproof.problem import ExpansionError, Problem
from ringproof.table.reader import read_schedule
from ringproof.verdict import Size, TableError
from tests.strategies import one_phase

Values = dict[str, Any]
Sends = list[tuple[int, ...]]


def unroll(values: Values, N: int, **params: int) -> Events:
    return expand(read_schedule(values), Size(N, tuple(params.items())))


def sends(values: Values, N: int, **params: int) -> Sends:
    """(step, sender, receiver, chunk, into) of every send, in order."""
    events = unroll(values, N, **params)
    columns = (events.step, events.sender, events.receiver, events.chunk, events.into)
    return list(zip(*(c.tolist() for c in columns), strict=True))


def problems(values: Values, N: int, **params: int) -> tuple[Problem, ...]:
    with pytest.raises(ExpansionError) as caught:
        unroll(values, N, **params)
    found = caught.value.problems
    return tuple(p for i, p in enumerate(found) if p not in found[:i])


# ---- rows ---------------------------------------------------------------------------------------


def test_a_push_is_read_at_the_sender() -> None:
    row = {"to": "(r + 1) % N", "chunk": "r", "into": "(r - 1) % N", "op": "reduce"}
    assert sends(one_phase(row), 3) == [(0, 0, 1, 0, 2), (0, 1, 2, 1, 0), (0, 2, 0, 2, 1)]


def test_a_pull_is_read_at_the_receiver() -> None:
    """`r` receives: chunk is the slot read at `from`, into the slot written at r."""
    row = {"from": "(r + 1) % N", "chunk": "r", "into": "(r - 1) % N", "op": "copy"}
    assert sends(one_phase(row), 3) == [(0, 1, 0, 0, 2), (0, 2, 1, 1, 0), (0, 0, 2, 2, 1)]


def test_steps_count_within_a_phase_and_rows_keep_their_order() -> None:
    values = one_phase(
        {"to": "1", "chunk": "s", "op": "reduce", "when": "r == 0"},
        {"to": "0", "chunk": "1", "op": "copy", "when": "r == 1"},
        steps=2,
    )
    last = {"name": "last", "steps": "1", "send": [{"to": "1", "chunk": "s", "op": "copy", "when": "r == 0"}]}
    none = {"name": "none", "steps": 0, "send": []}
    events = unroll({**values, "phase": [*values["phase"], none, last]}, 2)
    assert events.step.tolist() == [0, 0, 1, 1, 2]
    assert events.chunk.tolist() == [0, 1, 1, 1, 0]
    assert events.reduce.tolist() == [True, False, True, False, False]
    assert events.row.tolist() == [0, 1, 0, 1, 2]
    assert events.routes == (("phase", 0, "send", 0), ("phase", 0, "send", 1), ("phase", 2, "send", 0))
    assert (events.starts, events.steps, events.bounds.tolist()) == ((0, 2, 2), 3, [0, 2, 4, 5])
    assert [events.phase_of(step) for step in range(3)] == [0, 0, 2]


def test_a_local_move_is_no_message() -> None:
    row = {"to": "r - r % 2", "chunk": "0", "into": "1", "op": "copy"}
    events = unroll(one_phase(row), 2)
    assert events.sender.tolist() == [0, 1]
    assert events.receiver.tolist() == [0, 0]
    assert events.message.tolist() == [False, True]


def test_scratch_lies_beyond_the_chunks() -> None:
    row = {"to": "r", "chunk": "0", "into": "chunks + r", "op": "copy"}
    events = unroll(one_phase(row, scratch="N"), 3)
    assert (events.chunks, events.slots, events.ranks) == (3, 6, 3)
    assert events.into.tolist() == [3, 4, 5]


# ---- for ----------------------------------------------------------------------------------------

ROW: Values = {"to": "0", "chunk": "j", "op": "reduce", "when": "r == 1"}


@pytest.mark.parametrize(
    ("items", "values"),
    [
        ("0..2", [0, 1, 2]), ("N - 1..N - 1", [3]), ("1..0", []), ("5..2", []), ("r", [1]), (2, [2]),
        ([3, 0, 3], [3, 0, 3]), (["r", 0], [1, 0]), (["0..1", 3, "2..2"], [0, 1, 3, 2]),
        ("divisors(N)", [1, 2, 4]), (["divisors(r)", "3..N - 1"], [1, 3]), ("-1..0", [-1, 0]),
    ],
)  # fmt: skip
def test_what_a_variable_runs_over(items: Any, values: list[int]) -> None:
    got = unroll(one_phase({**ROW, "for": {"j": items}}), 4)
    assert got.chunk.tolist() == values


def test_an_empty_list_is_refused_or_sends_nothing() -> None:
    codes = ["RP112"]
    try:
        assert sends(one_phase({**ROW, "for": {"j": []}}), 3) == []
    except TableError as error:
        codes = [finding.code for finding in error.findings]
    assert codes == ["RP112"]


@pytest.mark.parametrize("names", [("i", "j", "k"), ("k", "j", "i"), ("j", "k", "i")])
def test_ranges_may_depend_on_each_other_in_any_order(names: tuple[str, ...]) -> None:
    ranges: Values = {"i": "0..1", "j": "i..width - 1", "k": ["j..j", "i + 5"]}
    row = {**ROW, "into": "k", "for": {name: ranges[name] for name in names}, "let": {"width": "2*i + 1"}}
    assert [s[3:] for s in sends(one_phase(row), 2)] == [(0, 0), (0, 5), (1, 1), (1, 6), (2, 2), (2, 6)]


def test_loops_vary_inside_a_rank_and_a_rank_inside_a_step() -> None:
    row = {"to": "r", "chunk": "j", "op": "copy", "for": {"j": "s..s + 1"}}
    assert [(s, r, c) for s, r, _, c, _ in sends(one_phase(row, steps=2), 2)] == [
        (0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 1), (1, 0, 2), (1, 1, 1), (1, 1, 2),
    ]  # fmt: skip


def test_an_empty_range_is_normal_and_a_reversed_one_is_recorded() -> None:
    route = ("phase", 0, "send", 0, "for", "j")
    empty = unroll(one_phase({**ROW, "when": "True", "for": {"j": "r + 1..1 - s"}}), 2)
    assert empty.chunk.tolist() == [1]
    assert empty.reversed == ()
    events = unroll(one_phase({**ROW, "when": "True", "for": {"j": "2*r..1"}}), 4)
    assert events.chunk.tolist() == [0, 1]
    assert events.reversed == ((route, 4, 1),)
    listed = unroll(one_phase({**ROW, "for": {"j": [0, "4..r"]}}), 2)
    assert listed.reversed == (((*route, 1), 4, 1),)


# ---- guards guard -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "row",
    [
        {"chunk": "6 // s", "when": "s > 0"},
        {"chunk": "0", "when": "s > 0 and 6 // s > 0"},
        {"chunk": "0", "when": "not (s == 0 or 6 // s == 0)"},
        {"chunk": "0", "when": "(s > 0 and 6 // s > 0) or s > 9"},
        {"chunk": "x", "when": "s > 0", "let": {"x": "6 // s"}},
        {"chunk": "0", "when": "x > 0 if s > 0 else False", "let": {"x": "6 // s"}},
        {"chunk": "0", "when": "s > 0 and j == 6 // s", "for": {"j": "6 // s..6 // s"}},
        {"chunk": "0", "when": "s > 0 and bit(7, s - 1) == 1"},
        {"chunk": "log2(s)", "into": "1 % s", "to": "(r + 2**(s - 1)) % N", "when": "s > 0"},
    ],
)
def test_what_a_guard_holds_back_need_not_exist(row: Values) -> None:
    values = one_phase({"to": "(r + 1) % N", "op": "copy", **row}, steps=3)
    assert [(s, r) for s, r, *_ in sends(values, 2)] == [(1, 0), (1, 1), (2, 0), (2, 1)]


def test_an_if_holds_back_its_other_branch() -> None:
    row = {"to": "(r + 1) % N", "chunk": "0 if s == 0 else 6 // s", "op": "copy"}
    assert [c for _, _, _, c, _ in sends(one_phase(row, steps=3), 2)] == [0, 0, 6, 6, 3, 3]


@pytest.mark.parametrize("part", ["1 // (N - 2) == r", "bit(r, N - 3) == 1"])
def test_a_part_without_a_value_at_one_size_leaves_the_rest_of_a_guard_alone(part: str) -> None:
    """At N = 2 the part before `or` is held back for all ranks at once."""
    row = {"to": "(r + 1) % N", "chunk": "0", "op": "copy", "when": f"(N > 2 and {part}) or r == 1"}
    assert [r for _, r, *_ in sends(one_phase(row), 2)] == [1]


@pytest.mark.parametrize(
    ("key", "text", "part", "reason", "cell"),
    [
        ("chunk", "1 + r // s", (4, 10), "division by zero", {"r": 0, "s": 0}),
        ("to", "r % (s - 1)", (0, 11), "modulo by a negative number", {"r": 0, "s": 0}),
        ("into", "2**(1 - s)", (0, 10), "a negative exponent", {"r": 0, "s": 2}),
        ("chunk", "1 << (1 - r)", (0, 12), "a shift by a negative number", {"r": 2, "s": 0}),
        ("when", "log2(r) == s", (0, 7), "the logarithm of zero", {"r": 0, "s": 0}),
        ("when", "r < 1 or 1 // (r - 1) > 0", (9, 21), "division by zero", {"r": 1, "s": 0}),
        ("when", "s > 1 and 1 // (s - 2) > 0", (10, 22), "division by zero", {"r": 0, "s": 2}),
        ("chunk", "0 if s < 2 else 1 // (s - 2)", (16, 28), "division by zero", {"r": 0, "s": 2}),
    ],
)  # fmt: skip
def test_a_value_that_does_not_exist_is_told_with_its_cell(
    key: str, text: str, part: tuple[int, int], reason: str, cell: dict[str, int]
) -> None:
    row = {"to": "(r + 1) % N", "chunk": "0", "op": "copy", key: text}
    (problem,) = problems(one_phase(row, steps=3), 3)
    assert problem == Problem(
        "undefined", Size(3), ("phase", 0, "send", 0, key), part, reason, cell
    )  # fmt: skip


def test_a_value_that_does_not_exist_is_told_where_its_name_is_written() -> None:
    row = {**ROW, "chunk": "j + x", "for": {"j": "0..2"}, "let": {"x": "y + 1", "y": "6 // (j - 1)"}}
    (problem,) = problems(one_phase(row), 2)
    assert problem.route == ("phase", 0, "send", 0, "let", "y")
    assert (problem.part, problem.facts) == ((0, 12), {"r": 1, "s": 0, "j": 0})
    assert problem.reason == "division by a negative number"


def test_a_range_that_does_not_exist() -> None:
    for items, at in (("0..1 // r", ()), ([0, "1 // r..3"], (1,))):
        (problem,) = problems(one_phase({**ROW, "when": "True", "for": {"j": items}}), 2)
        assert problem.route == ("phase", 0, "send", 0, "for", "j", *at)
        assert problem.facts == {"r": 0, "s": 0}
    (problem,) = problems(one_phase({**ROW, "when": "True", "for": {"j": "divisors(r)"}}), 2)
    assert problem.reason.startswith("the divisors of a number below 1")


def test_every_row_reports_its_own_problem() -> None:
    rows = [{"to": "0", "chunk": "1 // r", "op": "copy"}, {"to": "1 // (r - 1)", "chunk": "0", "op": "copy"}]
    found = problems(one_phase(*rows), 2)
    assert [p.route[3:] for p in found] == [(0, "chunk"), (1, "to")]


def test_a_guard_need_not_exist_where_an_empty_range_sends_nothing() -> None:
    """design.md: an undefined value is an error only in a row that would send there."""
    row = {**ROW, "when": "1 // s > 0", "for": {"j": "1..s"}}
    assert [s for s, *_ in sends(one_phase(row, steps=2), 2)] == [1, 1]


# ---- explicit sends -----------------------------------------------------------------------------


def listed(*rows: tuple[Any, ...], **phase: Any) -> Values:
    keys = ("step", "from", "to", "chunk", "op", "into")
    values = [dict(zip(keys, row, strict=False)) for row in rows]
    return one_phase(ranks="3", phase=[{"name": "listed", "sends": values, **phase}])


def test_explicit_sends_are_ordered_by_step() -> None:
    values = listed((2, 0, 1, 2, "copy", 0), (0, 1, 2, 1, "reduce"), (2, 2, 2, 0, "reduce", 1))
    events = unroll(values, 3)
    assert sends(values, 3) == [(0, 1, 2, 1, 1), (2, 0, 1, 2, 0), (2, 2, 2, 0, 1)]
    assert events.reduce.tolist() == [True, False, True]
    assert [events.routes[row] for row in events.row] == [("phase", 0, "sends", i) for i in (1, 0, 2)]
    assert (events.steps, events.bounds.tolist()) == (3, [0, 1, 1, 3])


def test_explicit_sends_may_stand_beside_rows_and_after_phases() -> None:
    values = listed((1, 0, 1, 0, "copy"), steps="2", send=[{"to": "r", "chunk": "r", "op": "copy"}])
    values["phase"] = values["phase"] * 2
    assert [s[0] for s in sends(values, 3)] == [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3]


def test_a_send_after_the_last_step() -> None:
    (problem,) = problems(listed((2, 0, 1, 0, "copy"), steps=2), 3)
    assert (problem.kind, problem.route) == ("bad-size", ("phase", 0, "sends", 0, "step"))
    assert problem.facts == {"value": 2, "steps": 2}


# ---- sizes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "route", "facts"),
    [
        ({"chunks": "N - 3"}, ("chunks",), {"value": 0}),
        ({"scratch": "N - 4"}, ("scratch",), {"value": -1}),
        ({"collective": "broadcast", "root": "N"}, ("root",), {"root": 3}),
        ({"collective": "all-gather", "owner": "c + 1"}, ("owner",), {"owner": 3, "c": 2}),
        ({"collective": "all-to-all", "chunks": 4}, ("chunks",), {"multiple": 4}),
    ],
)
def test_a_size_that_makes_no_sense(keys: Values, route: tuple[str, ...], facts: dict[str, int]) -> None:
    row = {"to": "r", "chunk": "0", "op": "copy"}
    (problem,) = problems(one_phase(row, **keys), 3)
    assert (problem.kind, problem.route, problem.facts) == ("bad-size", route, facts)


def test_negative_steps() -> None:
    (problem,) = problems(one_phase(steps="N - 5"), 3)
    assert (problem.kind, problem.route) == ("bad-size", ("phase", 0, "steps"))
    assert problem.facts == {"value": -2}


def test_parameters_are_names() -> None:
    values = one_phase({**ROW, "chunk": "k"}, steps="k", params={"k": [1, 2], "l": "k..N"}, where="l < N")
    sizes = [size for size in read_schedule(values).claimed() if size.N == 3]
    pairs = [tuple(value for _, value in size.params) for size in sizes]
    assert pairs == [(1, 1), (1, 2), (2, 2)]
    assert sends(values, 3, k=2, l=2) == [(0, 1, 0, 2, 2), (1, 1, 0, 2, 2)]


def test_one_rank_alone() -> None:
    row = {"to": "(r + 1) % N", "chunk": "r", "op": "reduce"}
    assert sends(one_phase(row, steps="N", ranks="1..2"), 1) == [(0, 0, 0, 0, 0)]
    assert sends(one_phase(row, steps="N - 1", ranks="1..2"), 1) == []


@pytest.fixture
def allocated(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """The most cells that numpy was asked for at once."""
    most = [0]

    def watched(function: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            most[0] = max(most[0], result.size)
            return result

        return call

    for name in ("arange", "tile", "repeat", "zeros"):
        monkeypatch.setattr(np, name, watched(getattr(np, name)))
    return lambda: most[0]


@pytest.mark.parametrize(
    ("values", "N"),
    [
        (one_phase({"to": "(r + 1) % N", "chunk": "(r - s) % N", "op": "copy"}, steps="N - 1"), 10**6),
        (one_phase({"to": "(r + 1) % N", "chunk": "0", "op": "copy"}, chunks=1, scratch="2**40"), 3),
        (one_phase({"to": "(r + 1) % N", "chunk": "j", "op": "copy", "for": {"j": "0..2**61"}}), 3),
        (one_phase({**ROW, "for": {"j": "1 - 2**61..2**61", "i": "0..1"}}), 3),
        (one_phase({**ROW, "for": {"j": "0..999999", "i": "0..999999"}, "when": "i == j"}), 3),
        (one_phase(steps="2**40"), 3),
    ],
)
def test_what_does_not_fit_is_refused_before_it_is_allocated(
    values: Values, N: int, allocated: Callable[[], int]
) -> None:
    (problem,) = problems(values, N)
    assert problem.kind == "memory"
    assert problem.facts["need"] > problem.facts["memory"]
    assert allocated() <= 3 * 10**6
