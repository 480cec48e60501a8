"""What the replay says of single steps: which sends matter, and what the terms are."""

from __future__ import annotations

import pytest

from ringproof.program.decide import decide
from ringproof.program.model import SENDS, Gpu, Program, Step, Threadblock
from ringproof.program.terms import UNSET, Terms, contributions
from ringproof.program.world import World
from tests.test_program_mutants import PROGRAMS


def is_right_without(one: World, poisoned: int) -> bool:
    """Whether the result is still right when one message is replaced by rubbish."""
    machine = one.fresh()
    for x in one.run.order:
        machine.step(x)
        if x == poisoned:
            machine.messages[x] = [UNSET] * len(machine.messages[x])
    return next(one.wrong(machine), None) is None


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))
def test_a_send_is_useless_exactly_where_rubbish_does_no_harm(program: Program) -> None:
    for outcome in decide(program).outcomes:
        if outcome.harmful:
            continue
        sends = [x for x in outcome.world.run.order if outcome.world.steps.steps[x].op in SENDS]
        assert sends
        harmless = {x for x in sends if is_right_without(outcome.world, x)}
        assert set(outcome.useless) == harmless


@pytest.mark.parametrize("count", range(1, 10))
def test_the_smallest_window_is_found_whatever_it_is(count: int) -> None:
    """Two ranks that send so many messages each before they receive need room for just as many."""
    steps = (*[Step("s", "i", 0, "i", 0)] * count, *[Step("r", "s", 0, "s", 0)] * count)
    gpus = tuple(Gpu(r, 1, 0, 1, (Threadblock(0, 1 - r, 1 - r, 0, steps),)) for r in range(2))
    assert decide(Program("sends first", "allreduce", 1, gpus)).window == count


def test_terms_are_equal_where_bits_are() -> None:
    terms = Terms()
    a, b, c = (terms.leaf(k, 0) for k in range(3))
    assert terms.add(a, b) == terms.add(b, a)
    left, right = terms.add(terms.add(a, b), c), terms.add(a, terms.add(b, c))
    assert left != right
    assert terms.multiset[left] == terms.multiset[right]
    assert contributions(terms.multiset[left]) == {(0, 0): 1, (1, 0): 1, (2, 0): 1}


def test_parts_of_several_chunks_are_counted_apart() -> None:
    terms = Terms()
    mixed = terms.add(terms.add(terms.leaf(2, 7), terms.leaf(0, 1)), terms.leaf(2, 7))
    assert contributions(terms.multiset[mixed]) == {(0, 1): 1, (2, 7): 2}
    assert terms.add(mixed, UNSET) == UNSET


def test_counts_that_no_field_holds_are_never_taken_for_right() -> None:
    """Seventy doublings would wrap a 64-bit count around to nothing."""
    terms = Terms()
    value = terms.leaf(0, 0)
    seen = set()
    for _ in range(70):
        value = terms.add(value, value)
        seen.add(terms.multiset[value])
    assert len(seen) == 70
    assert terms.multiset[value][0] < 0
    assert terms.multiset[terms.add(value, terms.leaf(1, 0))] not in seen
