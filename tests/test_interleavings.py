"""The verdict for every interleaving, held against every interleaving: none missed, none invented."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, assume, event, given, settings

from ringproof.program.decide import Decided, Outcome, decide
from ringproof.program.model import Case, Program
from ringproof.program.steps import Steps
from ringproof.program.terms import UNKNOWN, UNSET, contributions
from tests.interleavings import Address, Contents, Found, Site, TooLarge, explore, total
from tests.program_strategies import CHUNKS, programs

RELAXED = settings(max_examples=300, suppress_health_check=list(HealthCheck))


def alias_of(case: Case) -> Any:
    """In an all-reduce in place, the output is the input."""
    if case == "in place":
        return lambda address: (address[0], "i", address[2]) if address[1] == "o" else address
    return lambda address: address


def begin(N: int) -> dict[Address, Contents]:
    return {(r, "i", c): (((r, c), 1),) for r in range(N) for c in range(CHUNKS["i"])}


def expected(N: int, c: int) -> Contents:
    found: Contents = ()
    for r in range(N):
        found = total(found, (((r, c), 1),))
    return found


def site(steps: Steps, x: int) -> Site:
    tb = steps.tb_of[x]
    return steps.rank_of[tb], steps.tbs[tb].id, steps.number(x)


def look(program: Program, case: Case, **how: int) -> Found:
    try:
        return explore(program, alias_of(case), begin(program.ranks), **how)
    except TooLarge:
        assume(False)
        raise


def check_hanging(program: Program, decided: Decided) -> None:
    case = program.cases[0]
    anyhow = look(program, case)
    assert not (anyhow.hangs and anyhow.ends), "whether a program hangs does not depend on the order"
    assert (decided.window is None) == anyhow.hangs
    event("hangs" if anyhow.hangs else "runs")
    if decided.window is not None:
        assert not look(program, case, window=decided.window).hangs
        if decided.window > 1:
            assert look(program, case, window=decided.window - 1).hangs
            event("a window of 1 hangs")


def address(outcome: Outcome, cell: tuple[int, int]) -> Address:
    """Which address a cell is, in place by its input's name."""
    rank, at = cell
    for buffer in ("i", "o", "s"):
        base = outcome.world.memory.bases[rank]["ios".index(buffer)]
        if base <= at < base + CHUNKS[buffer]:
            return rank, buffer, at - base
    raise LookupError(cell)


def spelled(outcome: Outcome, term: int) -> Contents:
    if term == UNSET:
        return None
    return tuple(sorted(contributions(outcome.world.terms.multiset[term]).items()))


def check_races(decided: Decided, outcome: Outcome, found: Found) -> None:
    steps = decided.steps
    told = {frozenset(site(steps, x) for x in (race.first, race.second)) for race in outcome.races}
    alone = {one for one in told if len(one) == 1}
    assert told - alone == found.races
    event("races" if told else "no race")


def check_contents(decided: Decided, outcome: Outcome, found: Found) -> None:
    """What the tool says is the same in all orders is, and what it says differs does."""
    if any(race.first == race.second for race in outcome.races):
        return  # a step at odds with itself has no one meaning to compare
    varying = {key for key, values in found.reads.items() if len(values) > 1}
    differ = {cell for final in found.finals for cell in final ^ next(iter(found.finals))}
    assert bool(outcome.clashes) == bool(varying or differ)
    unset = {key for key, values in found.reads.items() if None in values}
    told = [*outcome.unset, *(read for shown in outcome.shown for read in shown.unset)]
    assert {(site(decided.steps, x), address(outcome, cell)) for x, cell in told} <= unset
    if not told:
        event("unset undecided" if outcome.may_be_unset else "nothing unset")
        assert outcome.may_be_unset or not unset
    machine = outcome.end
    for final in found.finals:
        held = dict(final)
        for rank, cells in enumerate(machine.memory):
            for at, term in enumerate(cells):
                if term != UNKNOWN:
                    assert held.get(address(outcome, (rank, at))) == spelled(outcome, term)
    event("contents differ" if outcome.clashes else "contents the same")


def check_result(outcome: Outcome, program: Program, case: Case, found: Found) -> None:
    if any(race.first == race.second for race in outcome.races):
        return
    alias = alias_of(case)
    right = [
        all(dict(final).get(alias((r, "o", c))) == expected(program.ranks, c)
            for r in range(program.ranks) for c in range(2))
        for final in found.finals
    ]  # fmt: skip
    if outcome.decided and not outcome.wrong:
        assert all(right)
        event("right")
    elif outcome.wrong:
        assert not any(right)
    elif any(shown.wrong for shown in outcome.shown):
        assert not all(right)
        event("wrong in some orders only")
    else:
        event("undecided")
        assert all(right)


def agrees(program: Program) -> None:
    """The verdict on one program, held against all its interleavings; too large ones are given up."""
    decided = decide(program)
    assume(decided.shape.determined)
    check_hanging(program, decided)
    for outcome in decided.outcomes:
        case = outcome.world.memory.case
        found = look(program, case)
        check_races(decided, outcome, found)
        check_contents(decided, outcome, found)
        check_result(outcome, program, case, found)


@RELAXED
@given(programs())
def test_every_verdict_agrees_with_every_interleaving(program: Program) -> None:
    agrees(program)


@settings(RELAXED, max_examples=15)
@given(programs(most_steps=40))
def test_every_verdict_agrees_on_longer_programs(program: Program) -> None:
    """Up to a dozen steps a GPU and more, as far as brute force can follow."""
    assume(max(sum(len(tb.steps) for tb in gpu.tbs) for gpu in program.gpus) >= 8)
    agrees(program)
