"""What a program computes wrong, and what its races do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ringproof.diagnose.lineage import Contents
from ringproof.diagnose.program import Words
from ringproof.diagnose.words import compared, sum_text
from ringproof.program.decide import Outcome, Shown
from ringproof.program.harm import END, Clash
from ringproof.program.model import ADDS, Case
from ringproof.program.order import Race
from ringproof.program.replay import Cell
from ringproof.program.steps import NOTHING
from ringproof.program.terms import UNKNOWN, contributions
from ringproof.program.world import World, Wrong
from ringproof.verdict import Finding, Label
from ringproof.wording import count_text


def where(w: Words, cases: Sequence[Case]) -> str:
    """Which way of calling a finding is about, where the file allows both."""
    both = w.steps.program.cases
    return f", {' and '.join(cases)}" if len(both) > 1 else ""


def cell_text(one: World, cell: Cell) -> str:
    """A cell as its buffer names it; in place the output's name comes first."""
    rank, at = cell
    i, o, s = one.memory.bases[rank]
    if at >= s:
        return f"s[{at - s}] of GPU {rank}"
    gpu = next(gpu for gpu in one.steps.program.gpus if gpu.id == rank)
    if 0 <= at - o < gpu.o_chunks or not 0 <= at - i < max(gpu.i_chunks, 1):
        return f"o[{at - o}] of GPU {rank}"
    return f"i[{at - i}] of GPU {rank}"


def held(one: World, term: int, chunk: int) -> str:
    """The contents of a term as a sum."""
    if term == UNKNOWN:
        return "what a race leaves open"
    return sum_text(_contents(one, term), chunk)


def _contents(one: World, term: int) -> Contents:
    return Counter(contributions(one.terms.multiset[term]))


def race(w: Words, outcome: Outcome, tail: str) -> Finding:
    """Two accesses without an order, of which the contents depend."""
    found = outcome.harmful
    first = _telling(outcome)
    more = "" if outcome.whole else "more than "
    title = f"{more}{count_text(len(found), 'data race')}{tail}"
    notes = [_race_note(w, outcome.world, first)]
    if outcome.shown:
        notes += _order_notes(w, outcome)
    early, late = w.steps.steps[first.second], w.steps.steps[first.first]
    tb = w.steps.tbs[w.steps.tb_of[first.first]].id
    number = w.steps.number(first.first)
    fix = f'depid="{tb}" deps="{number}" here, and hasdep="1" there, puts this step after the other'
    helps = () if early.depid >= 0 or first.first == first.second else (fix,)
    details = {"count": len(found), "cells": len({cell for one in found for cell in one.cells}),
               "first": w.steps.name(first.first), "second": w.steps.name(first.second),
               "flagged": late.hasdep}  # fmt: skip
    primary, related = _race_labels(w, outcome.world, first)
    return Finding("RP621", title, "error", primary, related, tuple(notes), helps, details)


def harmless(w: Words, outcome: Outcome, tail: str) -> Finding:
    """Races in which every order gives the same contents."""
    found = [one for one in outcome.races if one not in set(outcome.harmful)]
    primary, related = _race_labels(w, outcome.world, found[0])
    title = f"{count_text(len(found), 'data race')} that cannot change any contents{tail}"
    note = "whichever runs first, the cell holds the same contributions when it is read"
    return Finding("RP622", title, "note", primary, related, (_race_note(w, outcome.world, found[0]), note),
                   details={"count": len(found)})  # fmt: skip


def _telling(outcome: Outcome) -> Race:
    """The race to show: one on the cell that the last order shown is about."""
    if outcome.shown:
        cell = outcome.shown[-1].clash.cell
        return next((one for one in outcome.harmful if cell in one.cells), outcome.harmful[0])
    return outcome.harmful[0]


def _race_labels(w: Words, one: World, found: Race) -> tuple[Label, tuple[Label, ...]]:
    cell = cell_text(one, found.cells[0])
    if found.first == found.second:
        return w.label(found.second, f"reads and writes {cell}, in one transfer"), ()
    late = w.label(found.second, f"{_does(one, found.second, found.cells[0])} {cell}")
    return late, (w.label(found.first, f"{_does(one, found.first, found.cells[0])} it"),)


def _does(one: World, x: int, cell: Cell) -> str:
    reads = any(cell[1] in part for part in one.at.reads(one.steps, x))
    writes = cell[1] in one.at.writes(one.steps, x)
    adds = one.steps.steps[x].op in ADDS
    return "adds to" if reads and writes and adds else "writes" if writes else "reads"


def _race_note(w: Words, one: World, found: Race) -> str:
    if found.first == found.second:
        return "the chunks of one transfer have no order: source and target of a step must not overlap so"
    return (f"no message, flag or program order puts {w.steps.name(found.first)} and "
            f"{w.steps.name(found.second)} into an order")  # fmt: skip


def _order_notes(w: Words, outcome: Outcome) -> list[str]:
    """The order that shows the harm, and what it does to the result."""
    shown = outcome.shown[-1]
    notes = [_clash_note(w, outcome.world, shown.clash)]
    if shown.wrong is not None:
        lines = _wrong_lines(outcome.world, shown.wrong)
        notes.append("\n".join(["the result in one of these orders", *lines]))
    elif outcome.world.promised and not outcome.open:
        notes.append("no order changes the result: what the races leave open does not reach it")
    return notes


def _clash_note(w: Words, one: World, clash: Clash) -> str:
    cell, chunk = cell_text(one, clash.cell), next(iter(_contents(one, clash.got)), (0, 0))[1]
    writer = "its first content" if clash.write == NOTHING else f"what {w.steps.name(clash.write)} writes"
    if clash.read == END:
        first = f"{cell} may end with {writer}: {held(one, clash.may, chunk)}"
        return f"{first}\nin another order it ends with {held(one, clash.got, chunk)}"
    first = f"{w.steps.name(clash.read)} may find {writer} in {cell}: {held(one, clash.may, chunk)}"
    return f"{first}\nin another order it finds {held(one, clash.got, chunk)}"


def _wrong_lines(one: World, wrong: Wrong) -> list[str]:
    expected, got = (Counter(contributions(m)) for m in (wrong.wanted.contents, wrong.got))
    chunk = next(iter(expected), (0, wrong.wanted.slot))[1]
    what = f"chunk {wrong.wanted.slot} as GPU {wrong.wanted.rank} ends with it"
    if wrong.got[0] == -1:
        return [what, f"  expected  {sum_text(expected, chunk)}", "  got       unset memory"]
    return [what, *compared(expected, got, chunk)]


def unset(w: Words, outcome: Outcome, tail: str) -> Finding:
    """A step that reads a cell before anything has set it."""
    found = outcome.unset or _shown_unset(outcome.shown)
    x, cell = found[0]
    steps = {read: None for read, _ in found}
    title = f"{count_text(len(steps), 'step reads', 'steps read')} memory that nothing has set{tail}"
    name = cell_text(outcome.world, cell)
    notes = () if outcome.unset else ("it does so in some orders of the racing steps, not in all",)
    run, at = outcome.world.run, outcome.world.at
    writers = [y for y in run.order if at.rank[y] == cell[0] and cell[1] in at.writes(w.steps, y)]
    if not writers:
        notes = (*notes, f"nothing ever writes {name}")
    late = "sets it, too late" if outcome.unset else "sets it, in no order with this"
    related = (w.label(writers[0], late),) if writers and writers[0] != x else ()
    details = {"count": len(steps), "step": w.steps.name(x), "cell": name}
    primary = w.label(x, f"reads {name}", "srcoff")
    return Finding("RP623", title, "error", primary, related, notes, (), details)


def _shown_unset(shown: Sequence[Shown]) -> tuple[tuple[int, Cell], ...]:
    return next((one.unset for one in shown if one.unset), ())


def wrong_result(w: Words, outcome: Outcome, tail: str) -> Finding:
    """Promised chunks that do not hold what they must."""
    one = outcome.world
    if one.uncut:
        return Finding("RP624", f"{one.memory.collective} is not possible: {one.uncut}{tail}",
                       primary=w.places.label(w.steps.program.at, "nchunksperloop"))  # fmt: skip
    in_order = next((s for s in outcome.shown if s.wrong), None)
    first = outcome.wrong[0] if outcome.wrong else in_order.wrong if in_order else None
    if first is None:
        raise ValueError("nothing is wrong")
    order = one.run.order if outcome.wrong else in_order.order if in_order else ()
    what, total = one.memory.collective, len(one.promised)
    count = f"{len(outcome.wrong)} of {count_text(total, 'promised chunk')}" if outcome.wrong else ""
    title = f"{what} is wrong: {count}{tail}" if count else f"{what} is wrong in some orders{tail}"
    primary, related = _blame(w, outcome, first, order)
    notes = ["\n".join(_wrong_lines(one, first))]
    if w.decided.shape.shared:
        notes.append("this is the order that was run; with shared connections it is not the only one")
    expected, got = (sum_text(Counter(contributions(m)), -1) for m in (first.wanted.contents, first.got))
    details = {"count": len(outcome.wrong), "promised": total, "rank": first.wanted.rank,
               "chunk": first.wanted.slot, "expected": expected, "got": got}  # fmt: skip
    return Finding("RP624", title, "error", primary, related, tuple(notes), (), details)


def _blame(
    w: Words, outcome: Outcome, wrong: Wrong, order: Sequence[int]
) -> tuple[Label, tuple[Label, ...]]:
    """The last step that writes the wrong chunk, and where a received value comes from."""
    one, cell = outcome.world, wrong.wanted.cell
    for x in reversed(order):
        if one.at.rank[x] == wrong.wanted.rank and cell in one.at.writes(w.steps, x):
            name = cell_text(one, (wrong.wanted.rank, cell))
            sender = one.run.partner[x]
            related = (w.label(sender, "sends what it receives"),) if sender >= 0 else ()
            return w.label(x, f"writes {name} last"), related
    rank = wrong.wanted.rank
    gpu = next(gpu for gpu in w.steps.program.gpus if gpu.id == rank)
    text = f"nothing ever writes {cell_text(one, (rank, cell))}"
    return w.places.label(gpu.at, "id", text), ()


def overwritten(w: Words, outcome: Outcome, tail: str) -> Finding:
    """A step that writes into the input, which the caller keeps out of place."""
    xs = outcome.overwritten
    title = f"{count_text(len(xs), 'step writes', 'steps write')} into the input, out of place"
    return Finding(
        "RP625", title, "warning", w.label(xs[0], "writes it", "dstbuf"), w.many(xs, "too", "dstbuf"),
        helps=("out of place the input is the caller's: use scratch",), details={"count": len(xs)},
    )  # fmt: skip


def useless(w: Words, outcome: Outcome, tail: str) -> Finding:
    """Sends of which nothing reaches the result."""
    xs = outcome.useless
    title = f"nothing of {count_text(len(xs), 'send')} reaches the result{tail}"
    return Finding("RP626", title, "note", w.label(xs[0], "sends it in vain"), w.many(xs, "too"),
                   details={"count": len(xs)})  # fmt: skip


def orders(w: Words, outcome: Outcome, tail: str) -> Finding:
    """Ranks that add the same contributions in different orders."""
    first, other = outcome.orders[0]
    chunks = len({one.slot for _, one in outcome.orders})
    what = f"ranks add {count_text(chunks, 'chunk')} in different orders"
    title = f"{what}: their results may differ in the last bits{tail}"
    note = f"for example chunk {first.slot} at GPU {first.rank} and at GPU {other.rank}"
    return Finding("RP627", title, "note", w.places.label(w.steps.program.at, "coll"), notes=(note,),
                   details={"chunks": chunks})  # fmt: skip
