"""The least number of steps: known values, an exhaustive search written apart, and planted mistakes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ringproof.assess import Options, Settings
from ringproof.bound.command import bound
from ringproof.bound.table import accepted, answer, command, written
from ringproof.bound.values import Question, QuestionError, closed_form, closed_form_steps, promised, question
from ringproof.check import check
from ringproof.collective import COLLECTIVES
from ringproof.problem import EnginesDisagree
from ringproof.proof import bound_delivery, bound_problem, bound_sums
from ringproof.proof.bound import Limits, Unsupported, least_steps
from ringproof.proof.bound_formula import Clock, Formula
from ringproof.proof.bound_messages import Messages
from ringproof.proof.bound_slots import placed
from ringproof.proof.bound_turn import EVERY, Turn, rotation
from ringproof.simulate import Optional
from ringproof.table.source import parse
from ringproof.verdict import Exit

SECONDS = 30.0


def ask(collective: str, N: int, **given: int | None) -> Question:
    return question(collective, N, **given)  # type: ignore[arg-type]


def steps(asked: Question) -> int:
    """The proved least number of steps, with a table that the pipeline accepts."""
    found = answer(asked, SECONDS)
    assert found.exit is Exit.PROVED, found.reason
    assert found.checked is not None
    assert "ports" in [result.name for result in found.checked.results]
    assert f"\nsteps = {found.at_least}\n" in found.table
    return found.at_least


def ceil_log(count: int, base: int) -> int:
    found = 0
    while base**found < count:
        found += 1
    return found


# ---- known values -------------------------------------------------------------------------------


@pytest.mark.parametrize("N", range(2, 10))
@pytest.mark.parametrize("collective", ["broadcast", "reduce"])
def test_a_tree_is_the_best_with_one_port(collective: str, N: int) -> None:
    assert steps(ask(collective, N)) == ceil_log(N, 2)


@pytest.mark.parametrize(("N", "ports", "least"), [(3, 2, 1), (4, 2, 2), (9, 2, 2), (10, 2, 3), (5, 4, 1)])
def test_ports_spread_news_faster(N: int, ports: int, least: int) -> None:
    assert steps(ask("broadcast", N, ports=ports)) == least
    assert steps(ask("reduce", N, ports=ports, root=N - 1)) == least


@pytest.mark.parametrize("N", range(2, 7))
@pytest.mark.parametrize("collective", ["all-gather", "reduce-scatter", "scatter", "gather", "all-to-all"])
def test_chunk_by_chunk_takes_a_step_for_every_other_rank(collective: str, N: int) -> None:
    assert steps(ask(collective, N)) == N - 1


@pytest.mark.parametrize("N", [3, 4, 5, 8])
@pytest.mark.parametrize("collective", list(COLLECTIVES))
def test_messages_of_any_size_take_the_logarithm(collective: str, N: int) -> None:
    asked = ask(collective, N, message=None)
    assert steps(asked) == ceil_log(N, 2) == closed_form(asked)


@pytest.mark.parametrize("N", range(2, 9))
def test_one_chunk_is_reduced_everywhere_in_the_logarithm(N: int) -> None:
    """Any N, with scratch where N is no power of two."""
    assert steps(ask("all-reduce", N)) == ceil_log(N, 2)


@pytest.mark.parametrize("N", [2, 3, 4, 5])
def test_the_ring_is_the_best_all_reduce_chunk_by_chunk(N: int) -> None:
    assert steps(ask("all-reduce", N, chunks=N)) == 2 * (N - 1)


@pytest.mark.parametrize(
    ("collective", "N", "given", "least"),
    [
        ("all-reduce", 3, {"chunks": 2}, 4),  # counting gives 3: ceil(2 * 2 * 2 / 3)
        ("all-reduce", 4, {"chunks": 2}, 3),
        ("all-reduce", 4, {"chunks": 3}, 5),
        ("all-reduce", 3, {"ports": 2, "chunks": 3}, 2),
        ("all-gather", 5, {"ports": 2}, 2),
        ("all-gather", 4, {"message": 2}, 2),
        ("scatter", 5, {"message": 2}, 3),  # log2 gives 3; 4 chunks in twos give 2
        ("scatter", 5, {"chunks": 3}, 2),
        ("scatter", 3, {"chunks": 1}, 0),
        ("scatter", 5, {"chunks": 3, "message": None}, 2),  # only ranks 1 and 3 wait for anything
        ("gather", 5, {"chunks": 3, "message": None, "root": 4}, 2),
        ("gather", 6, {"root": 2, "chunks": 12}, 10),
        ("broadcast", 4, {"chunks": 2}, 3),  # chunks - 1 + log2 N (Johnsson and Ho 1989)
        ("broadcast", 4, {"chunks": 3, "root": 3}, 4),
        ("all-to-all", 3, {"chunks": 6}, 4),
    ],
)
def test_other_known_values(collective: str, N: int, given: dict[str, int], least: int) -> None:
    assert steps(ask(collective, N, **given)) == least


@pytest.mark.parametrize("collective", list(COLLECTIVES))
def test_nothing_beats_the_closed_form(collective: str) -> None:
    for N in (2, 3, 4):
        for ports in (1, 2):
            for message in (1, 2, None):
                asked = ask(collective, N, ports=ports, message=message)
                assert steps(asked) >= closed_form(asked)


def test_closed_forms() -> None:
    for N in (2, 5, 8, 33):
        assert closed_form_steps("all-reduce", N, message=None) == ceil_log(N, 2)
        assert closed_form_steps("all-gather", N) == N - 1
        assert closed_form_steps("all-reduce", N, chunks=N) == 2 * (N - 1)
        assert closed_form_steps("broadcast", N, ports=2) == ceil_log(N, 3 if N > 2 else 2)


# ---- an exhaustive search, written apart ----------------------------------------------------------

Value = tuple[tuple[int, int], ...]
State = tuple[frozenset[Value], ...]


def sums(held: frozenset[Value], most: int) -> frozenset[Value]:
    """All sums for one chunk of what a rank holds, with no contribution more than ``most`` times."""
    found = set(held)
    while True:
        more = {tuple(sorted(a + b)) for a in found for b in found if a[0][1] == b[0][1]} - found
        more = {value for value in more if all(value.count(x) <= most for x in value)}
        if not more:
            return frozenset(found)
        found |= more


def after(state: State, ports: int, most: int) -> Iterator[State]:
    """Every state that one step leads to: a message is one value, for one of ``ports`` partners."""
    N = len(state)
    pairs = [(q, r) for q in range(N) for r in range(N) if q != r]

    def choose(i: int, out: list[int], into: list[int], now: State) -> Iterator[State]:
        if i == len(pairs):
            yield now
            return
        yield from choose(i + 1, out, into, now)
        q, r = pairs[i]
        if out[q] == ports or into[r] == ports:
            return
        out[q], into[r] = out[q] + 1, into[r] + 1
        for value in sums(state[q], most) - state[r]:
            yield from choose(i + 1, out, into, (*now[:r], now[r] | {value}, *now[r + 1 :]))
        out[q], into[r] = out[q] - 1, into[r] - 1

    return choose(0, [0] * N, [0] * N, state)


def exhaustive(asked: Question, most: int = 1) -> int:
    """The least number of steps by trying everything."""
    asked_of = promised(asked)
    N, chunks = asked.N, asked.chunks
    state = tuple(frozenset({((r, c),) for c in range(chunks) if asked_of.starts[r, c]}) for r in range(N))
    goals = [
        {tuple(sorted((k, int(asked_of.chunk[r, c])) for k in range(N) if asked_of.part[k, c]))
         for c in range(chunks) if asked_of.ends[r, c]} for r in range(N)
    ]  # fmt: skip

    def missing(now: State) -> int:
        return max(len(goals[r] - sums(now[r], most)) for r in range(N))

    seen: set[tuple[State, int]] = set()

    def reached(now: State, left: int) -> bool:
        if (now, left) in seen or missing(now) > left * asked.ports:
            return False
        seen.add((now, left))
        return missing(now) == 0 or any(reached(new, left - 1) for new in after(now, asked.ports, most))

    return next(T for T in range(9) if reached(state, T))


@pytest.mark.parametrize(
    ("collective", "N", "given", "most"),
    [
        *((name, 2, {}, 2) for name in COLLECTIVES),
        *((name, 3, {}, 1) for name in COLLECTIVES),
        ("all-reduce", 2, {"chunks": 2}, 1),
        ("all-reduce", 2, {"chunks": 3}, 1),
        pytest.param("all-reduce", 3, {"chunks": 2}, 1, marks=pytest.mark.sweep),
        ("all-reduce", 3, {"ports": 2}, 1),
        ("broadcast", 3, {"chunks": 2}, 1),
        ("broadcast", 3, {"chunks": 3}, 1),
        ("broadcast", 4, {}, 1),
        ("reduce", 3, {"chunks": 2, "root": 1}, 1),
        ("scatter", 3, {"ports": 2}, 1),
        ("gather", 4, {"chunks": 3}, 1),
    ],
)
def test_trying_everything_agrees(collective: str, N: int, given: dict[str, int], most: int) -> None:
    asked = ask(collective, N, **given)
    assert exhaustive(asked, most) == steps(asked)


# ---- one question, several ways to ask it ---------------------------------------------------------


@pytest.mark.parametrize(
    ("collective", "N", "given"),
    [
        ("broadcast", 5, {}), ("broadcast", 5, {"chunks": 2}), ("all-gather", 4, {}),
        ("all-gather", 4, {"ports": 2}), ("all-gather", 5, {"message": 2}),
        ("all-gather", 5, {"message": None}), ("all-gather", 5, {"chunks": 3}), ("scatter", 5, {}),
        ("scatter", 5, {"message": 2}), ("gather", 4, {"root": 1}), ("all-to-all", 4, {}),
        ("all-to-all", 5, {"message": None}), ("reduce-scatter", 4, {"chunks": 8}),
    ],
)  # fmt: skip
def test_what_linear_arithmetic_refuses_the_search_refuses(
    collective: str, N: int, given: dict[str, int]
) -> None:
    """The linear questions are asked of one rank of each circle; the search of all, without reals."""
    asked = ask(collective, N, **given)
    cargo = bound_problem.problem(promised(asked), Limits(asked.ports, asked.message))
    assert isinstance(cargo, bound_problem.Cargo)
    least, clock = steps(asked), Clock.of(SECONDS)
    whole, _ = cargo.delivery.merged()
    for T in range(least + 1):
        verdict = bound_delivery.search(whole, T, "all", clock).verdict
        assert verdict == ("impossible" if T < least else "possible")
        if bound_delivery.impossible(cargo.delivery, T, clock):
            assert verdict == "impossible"


@pytest.mark.parametrize(("N", "chunks"), [(2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2)])
def test_the_questions_about_sums_agree(N: int, chunks: int) -> None:
    every = bound_problem.Everywhere(N, chunks, Limits(1))
    least = steps(ask("all-reduce", N, chunks=chunks))
    clock, still = Clock.of(SECONDS), bound_sums.still_of(every)
    for T in range(least + 1):
        verdict = bound_sums.exact(every, T, still, clock).verdict
        assert verdict == ("possible" if T == least else "impossible")
        if bound_sums.calls(every, T, clock) or bound_sums.heard(every, T, clock).verdict == "impossible":
            assert verdict == "impossible"
        if bound_sums.in_place(every, T, still, clock):
            assert verdict == "possible"


@pytest.mark.parametrize("N", [3, 5, 6, 7])
def test_any_schedule_of_sums_becomes_a_table(N: int) -> None:
    """`exact` sends what no slot in place would hold; local moves make it."""
    asked = ask("all-reduce", N)
    every = bound_problem.Everywhere(N, 1, Limits(1))
    for turn in (bound_sums.still_of(every), bound_sums.turn_of(every)):
        found = bound_sums.exact(every, 3, turn, Clock.of(SECONDS))
        assert found.parts is not None
        witness = placed(found.parts, N, 1, 3)
        report = check(parse(written(asked, witness, 3), "found"), Options(Settings(Optional(ports=1))))
        refuted = [r.name for r in report.results if r.refuted]
        assert report.exit is Exit.PROVED or (N == 3 and refuted == ["claims"])  # two steps are enough


def test_a_turn_stands_for_its_whole_circle() -> None:
    turn = rotation(4, [1, 2, 0])
    places = [((q, r), v) for q in range(4) for r in range(4) for v in range(3)]
    for ranks, v in places:
        circle = {turn.turned(i, ranks, v) for i in range(12)}
        assert turn.first(ranks, v) == min(circle)
        assert {turn.first(*place) for place in circle} == {min(circle)}
    assert turn.firsts() == [0]
    assert Turn((0, 2, 1, 3), ()).firsts() == [0, 1, 3]
    assert turn.first((2, 3), EVERY) == ((0, 1), EVERY)


@pytest.mark.parametrize("collective", [name for name in COLLECTIVES if name != "all-reduce"])
def test_a_turn_leaves_what_is_asked_the_same(collective: str) -> None:
    """Else the mean over all turns would be no solution, and linear arithmetic would refuse too much."""
    for N in (2, 3, 5):
        for chunks in (1, 2, 3, 5, 6):
            for message in (1, None):
                for root in (0, N - 1):
                    if collective == "all-to-all":
                        chunks = N
                    asked = Question(collective, N, chunks, 1, message, root)
                    cargo = bound_problem.problem(promised(asked), Limits(1, message))
                    assert isinstance(cargo, bound_problem.Cargo)
                    whole, _ = cargo.delivery.merged()
                    for part in (whole, *(replace(whole, items=(item,)) for item in whole.items)):
                        turn = part.turn()
                        for item, other in zip(part.items, turn.things, strict=True):
                            there = part.items[other]
                            assert there.start == turn.ranks[item.start]
                            assert there.goals == {turn.ranks[r] for r in item.goals}


# ---- planted mistakes -----------------------------------------------------------------------------


def test_without_the_port_limit_the_bound_falls_and_the_table_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = ask("all-gather", 4)
    monkeypatch.setattr(Messages, "keep_limits", lambda self: None)
    assert least_steps(promised(asked), Limits(1), SECONDS).at_least < 3
    with pytest.raises(EnginesDisagree, match="not accepted"):
        answer(asked, SECONDS)


def test_counting_a_part_twice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """In place, one chunk on three ranks takes three steps, unless parts may be counted twice."""
    every = bound_problem.Everywhere(3, 1, Limits(1))
    assert bound_sums.in_place(every, 2, bound_sums.still_of(every), Clock.of(SECONDS)) is None
    honest = Formula.at_most
    monkeypatch.setattr(
        Formula, "at_most",
        lambda self, count, terms: None if "(and" in "".join(terms) else honest(self, count, terms),
    )  # fmt: skip
    with pytest.raises(EnginesDisagree, match="not accepted"):
        answer(ask("all-reduce", 3), SECONDS)


def test_a_large_message_is_refused() -> None:
    """No property of tables limits the size of messages, so it is counted."""
    free = ask("all-gather", 4, message=None)
    table = answer(free, SECONDS).table
    with pytest.raises(EnginesDisagree, match="a message of 2 chunks"):
        accepted(ask("all-gather", 4), table)


def test_a_table_that_is_changed_is_refused() -> None:
    asked = ask("broadcast", 4)
    table = answer(asked, SECONDS).table
    assert accepted(asked, table).exit is Exit.PROVED
    claim = "steps = 2\n\n[["
    changes = ((claim, claim.replace("2", "1")), ("step = 1", "step = 0"), ("from = 0", "from = 3"))
    for before, other in changes:
        with pytest.raises(EnginesDisagree):
            accepted(asked, table.replace(before, other, 1))


def test_a_wrong_guess_is_not_believed() -> None:
    asked = ask("all-gather", 4)
    for guess in (0, 1, 2, 3, 4, 9):
        found = least_steps(promised(asked), Limits(1), SECONDS, guess)
        assert (found.at_least, found.witness is None) == (3, False)


def test_a_promise_of_another_kind_is_said_to_be_unsupported() -> None:
    whole = promised(ask("all-reduce", 3, chunks=2))
    some = replace(whole, ends=np.array([[1, 1], [1, 1], [0, 0]], dtype=bool))
    with pytest.raises(Unsupported):
        least_steps(some, Limits(1))


# ---- the command ----------------------------------------------------------------------------------


def run(*arguments: str) -> Result:
    return CliRunner().invoke(bound, list(arguments))


def test_the_output_is_a_table() -> None:
    done = run("--collective", "all-gather", "-N", "5")
    assert done.exit_code == Exit.PROVED
    told = "# all-gather of 5 chunks on 5 ranks: 4 steps, and no schedule takes fewer\n"
    assert done.stdout.startswith(told)
    assert "proved     no schedule takes 3 steps or fewer" in done.stdout
    assert "at most 1 other rank" in done.stdout
    report = check(parse(done.stdout, "found"), Options())
    assert report.exit is Exit.PROVED
    assert run("--collective", "all-gather", "-N", "5").stdout == done.stdout


def test_the_table_can_be_written_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "best.toml"
    done = run("--collective", "all-reduce", "-N", "3", "-o", str(path))
    assert done.exit_code == Exit.PROVED
    assert done.stdout.startswith("all-reduce of 1 chunk on 3 ranks: 2 steps")
    assert done.stdout.endswith(f"proved  2 steps\ntable: {path}\n")
    assert check(parse(path.read_text(encoding="utf-8"), str(path)), Options()).exit is Exit.PROVED


def test_json() -> None:
    done = run("--collective", "broadcast", "-N", "5", "--root", "2", "--format", "json")
    told = json.loads(done.stdout)
    assert (told["exit"], told["outcome"], told["at_least"], told["steps"]) == (0, "proved", 3, 3)
    assert told["question"]["command"] == "ringproof bound --collective broadcast -N 5 --chunks 1 --root 2"
    assert told["closed_form"] == 3
    assert check(parse(told["table"], "found"), Options()).exit is Exit.PROVED


def test_undecided_says_what_was_proved(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    done = run("--collective", "all-reduce", "-N", "5", "--chunks", "6", "--timeout", "1.5", "-o", str(path))
    assert done.exit_code == Exit.UNDECIDED
    assert done.stdout.startswith("all-reduce of 6 chunks on 5 ranks: at least 10 steps; 10 not decided\n")
    assert "proved     no schedule takes 9 steps or fewer" in done.stdout
    assert "undecided  10 steps: the solver ran out of time" in done.stdout
    assert not path.exists()


def test_out_of_time_at_once_is_undecided() -> None:
    done = run("--collective", "all-gather", "-N", "5", "--timeout", "0.001", "--format", "json")
    told = json.loads(done.stdout)
    assert (done.exit_code, told["steps"], told["table"]) == (Exit.UNDECIDED, None, None)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--collective allgather -N 5", "did you mean all-gather?"),
        ("--collective gossip -N 5", "is no collective; they are: all-reduce"),
        ("--collective all-gather -N 1", "give -N 2 or more"),
        ("--collective all-gather -N 65", "give -N 2..64"),
        ("--collective all-gather -N four", "not a valid integer"),
        ("--collective all-to-all -N 4 --chunks 6", "give --chunks 4 or another multiple of 4"),
        ("--collective all-gather -N 4 --chunks 0", "--chunks"),
        ("--collective all-gather -N 4 --chunks 5000", "give --chunks 1..1024"),
        ("--collective all-gather -N 4 --ports 0", "--ports"),
        ("--collective all-gather -N 4 --message-chunks none", "neither a number of chunks from 1 nor `any`"),
        ("--collective all-gather -N 4 --root 1", "all-gather has no root"),
        ("--collective broadcast -N 4 --root 4", "give --root 0..3"),
        ("--collective broadcast -N 4 --timeout 0", "--timeout"),
        ("--collective broadcast -N 4 -o nowhere/x.toml", "there is no folder nowhere"),
        ("-N 4", "--collective"),
    ],
)
def test_what_cannot_be_asked(arguments: str, told: str) -> None:
    done = run(*arguments.split())
    assert done.exit_code == Exit.CANNOT_CHECK
    assert told in done.stderr
    assert not done.stdout


def test_a_question_names_its_command() -> None:
    asked = ask("scatter", 4, ports=2, message=None, root=3)
    assert command(asked) == (
        "ringproof bound --collective scatter -N 4 --chunks 4 --ports 2 --message-chunks any --root 3"
    )
    with pytest.raises(QuestionError):
        question("broadcast", 4, root=-1)
