"""Deciding a program for every interleaving of its threadblocks.

Threadblocks meet only in messages and flags.  What a step waits for can be undone by nobody else, so if
nothing hangs in one order, nothing hangs in any (`execute`).  Every two accesses to a cell are ordered in
all executions, or they race.  If none race, every read finds the same write before it in all orders
(`order`); where some do, `harm` says what that leaves open.  So one replay, with exact multisets of
contributions, decides what every interleaving computes.
"""

from __future__ import annotations

from dataclasses import dataclass

from ringproof.program.execute import ANY, Execution, Wait, execute, smallest_window, waits
from ringproof.program.harm import Clash, judge, order_that_shows
from ringproof.program.model import COLLECTIVE_OF, Program
from ringproof.program.order import Race, races
from ringproof.program.promise import Post, Wanted
from ringproof.program.replay import Cell, Machine, useless
from ringproof.program.shape import Shape, shape
from ringproof.program.steps import Steps, flatten
from ringproof.program.world import World, Wrong, world

MOST_ORDERS = 20


@dataclass(frozen=True, slots=True)
class Shown:
    """An order in which a racing read finds something else, and what comes of it.

    ``wrong``: the first promised chunk that is wrong then; ``unset``: reads of unset cells then.
    """

    clash: Clash
    order: tuple[int, ...]
    wrong: Wrong | None
    unset: tuple[tuple[int, Cell], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one case does.  ``end``: memory after the run, UNKNOWN what ``clashes`` leave open.

    ``decided``: every interleaving does the same to all that is promised.

    ``races``, and of them the ``harmful``; ``whole``: whether all are named.  ``shown``: orders that show
    their harm.  ``wrong``: promised chunks that are wrong in every order; ``open``: how many a race leaves
    open.  ``unset``: reads of what nothing has set; ``may_be_unset``: in some order a racing read is one.
    ``overwritten``: steps that write the input out of place.  ``useless``: sends of which nothing reaches
    the result.  ``orders``: pairs of promised chunks with the same contents added in different orders.
    """

    world: World
    end: Machine
    clashes: tuple[Clash, ...]
    decided: bool
    races: tuple[Race, ...]
    harmful: tuple[Race, ...]
    whole: bool
    shown: tuple[Shown, ...]
    wrong: tuple[Wrong, ...]
    open: int
    unset: tuple[tuple[int, Cell], ...]
    overwritten: tuple[int, ...]
    useless: tuple[int, ...]
    orders: tuple[tuple[Wanted, Wanted], ...]
    may_be_unset: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """What is known of a program.  ``window``: the smallest that cannot hang, None if every one hangs.

    ``waits``: what every stuck threadblock waits for with the next smaller window.  ``outcomes``: of
    every case; none where the program hangs, or its steps do not say what they do.
    """

    steps: Steps
    shape: Shape
    window: int | None
    waits: tuple[Wait, ...]
    outcomes: tuple[Outcome, ...]


def decide(program: Program, collective: str = "", post: Post | None = None) -> Decided:
    """Decide a program; ``collective`` (of our catalogue, or ``custom``) overrides what the file says."""
    steps = flatten(program)
    form = shape(steps)
    window = smallest_window(steps)
    small = ANY if window is None else window - 1
    hanging = waits(steps, small) if small else ()
    run = execute(steps)
    if run.stuck or form.outside or form.alone or not _equal(steps, run):
        return Decided(steps, form, window, hanging, ())
    name = collective or COLLECTIVE_OF.get(program.coll, program.coll)
    worlds = [world(steps, run, case, name, post) for case in program.cases]
    outcomes = tuple(_one_order(one) if form.shared else _all_orders(one) for one in worlds)
    return Decided(steps, form, window, hanging, outcomes)


def _equal(steps: Steps, run: Execution) -> bool:
    """Whether every message is received with as many chunks as were sent."""
    cnt = [step.cnt for step in steps.steps]
    return all(cnt[x] == cnt[sender] for x, sender in enumerate(run.partner) if sender >= 0)


def _one_order(one: World) -> Outcome:
    """What happens in the one order that was run: with shared connections it says nothing of others."""
    machine = one.end(one.run.order)
    wrong = tuple(one.wrong(machine))
    return Outcome(
        one, machine, (), False, (), (), True, (), wrong, len(one.promised), tuple(machine.unset),
        tuple(one.overwritten()), (), (),
    )  # fmt: skip


def _all_orders(one: World) -> Outcome:
    """What happens in every order."""
    steps, run = one.steps, one.run
    found = races(steps, one.at, one.memory, run)
    judged = judge(steps, run, found, one.fresh)
    machine, clashes, whole = judged.machine, judged.clashes, found.whole
    plain = one.end(run.order) if clashes else machine
    wrong = tuple(one.wrong(machine)) if whole else ()
    left_open = one.open(machine) if whole else len(one.promised)
    clashing = {clash.cell for clash in clashes}
    reach = [(w.rank, w.cell) for w in one.promised]
    harmful = tuple(race for race in found.races if clashing & set(race.cells) or not whole)
    return Outcome(
        one, machine, clashes,
        decided=whole and not left_open,
        races=found.races,
        harmful=harmful,
        whole=whole,
        shown=tuple(_shown(one, clashes, plain)),
        wrong=wrong,
        open=left_open,
        unset=tuple(plain.unset),
        overwritten=tuple(one.overwritten()),
        useless=tuple(
            useless(steps, one.at, run.order, run.partner, one.memory, reach) if reach and not harmful else ()
        ),
        orders=() if harmful or wrong else tuple(one.differing(machine)),
        may_be_unset=any(clash.unset for clash in clashes),
    )  # fmt: skip


def _shown(one: World, clashes: tuple[Clash, ...], reference: Machine) -> list[Shown]:
    """Run orders that show the harm of races, until one of them makes the result wrong."""
    found: list[Shown] = []
    if (wrong := next(one.wrong(reference), None)) is not None and clashes:
        return [Shown(clashes[0], one.run.order, wrong, ())]
    for clash in clashes[:MOST_ORDERS]:
        order = order_that_shows(one.steps, one.run, clash)
        machine = one.end(order)
        unset = tuple(read for read in machine.unset if read not in reference.unset)
        found.append(Shown(clash, order, next(one.wrong(machine), None), unset))
        if found[-1].wrong is not None and (found[-1].unset or not any(c.unset for c in clashes)):
            break
    return found
