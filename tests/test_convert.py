"""Tables become programs that do the same in every interleaving, and right programs become tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from ringproof.convert import blocks, fuse, lower, to_program
from ringproof.convert.blocks import Target, assemble
from ringproof.convert.fuse import pairs, unpaired
from ringproof.convert.layout import NotConvertible, layout
from ringproof.convert.to_program import make_program
from ringproof.convert.xml import write_xml
from ringproof.events import Events, expand
from ringproof.problem import EnginesDisagree
from ringproof.program.decide import Decided, decide
from ringproof.program.load import PROFILES, RUNTIMES, refusals
from ringproof.program.model import Case, Program
from ringproof.program.msccl_xml import read_program
from ringproof.program.terms import UNSET, contributions
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import parse, read
from ringproof.verdict import Exit, Size
from tests.conftest import HOME, Run

TABLES = sorted((HOME / "schedules").rglob("*.toml"))
RANKS = (2, 3, 4, 8, 16)
CASES: tuple[Case, ...] = ("in place", "out of place")
RELAXED = settings(max_examples=150, suppress_health_check=list(HealthCheck))
every_table = pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
every_case = pytest.mark.parametrize("case", CASES)


@cache
def schedule_of(path: Path) -> Schedule:
    source = read(str(path))
    return read_schedule(source.values, source.path)


def sizes(path: Path, N: int) -> list[Size]:
    schedule = schedule_of(path)
    return list(schedule.at(N)) if schedule.ranks[0] <= N <= schedule.ranks[1] else []


def ops(program: Program) -> Counter[str]:
    return Counter(step.op for gpu in program.gpus for tb in gpu.tbs for step in tb.steps)


# ---- every table of the library -----------------------------------------------------------------


def clean(path: Path, size: Size, case: Case, instances: int, proto: Any = "Simple") -> Program:
    """Convert, and decide the file that was written, as `ringproof check` would."""
    made = make_program(expand(schedule_of(path), size), case, instances, Target("any", proto))
    program, notes = read_program("x.xml", made.text)
    decided = decide(program)
    assert not notes
    assert program.cases == (case,)
    assert decided.shape.determined
    assert not decided.shape.uneven
    assert not decided.shape.absent
    assert not decided.shape.unraised
    assert decided.window is not None
    assert decided.window == made.window <= 2
    (one,) = decided.outcomes
    assert one.decided
    assert one.world.promised
    assert (one.wrong, one.races, one.unset, one.overwritten) == ((), (), (), ())
    assert not refusals(program, "msccl")
    return program


@every_case
@every_table
def test_a_table_becomes_a_program_that_checks_clean(path: Path, case: Case) -> None:
    """Both small sizes of every table; the sweep has all that the issue names."""
    for N in (3, 4):
        for size in sizes(path, N)[:2]:
            clean(path, size, case, 1)


@pytest.mark.sweep
@pytest.mark.parametrize("instances", [1, 2, 3])
@every_case
@every_table
def test_every_size_of_every_table(path: Path, case: Case, instances: int) -> None:
    known = [size for N in RANKS for size in sizes(path, N)]
    assert known
    for size in known:
        clean(path, size, case, instances)


@every_case
def test_messages_are_as_few_as_the_table_has_runs_of_chunks(case: Case) -> None:
    """Halving and doubling: every message is one run of chunks, log2(N) each way."""
    program = clean(HOME / "schedules/recursive_doubling_all_gather.toml", Size(8), "in place", 1)
    sent = [step for gpu in program.gpus for tb in gpu.tbs for step in tb.steps if step.op == "s"]
    counts = Counter(step.cnt for step in sent)
    assert counts == {1: 8, 2: 8, 4: 8}
    ring = ops(clean(HOME / "schedules/ring.toml", Size(8), case, 1))
    assert ring == {"s": 8, "rrs": 8 * 6, "rrcs": 8, "rcs": 8 * 6, "r": 8}


@pytest.mark.parametrize("instances", [1, 2, 5])
def test_instances_have_threadblocks_and_channels_of_their_own(instances: int) -> None:
    program = clean(HOME / "schedules/ring_all_gather.toml", Size(4), "in place", instances, "LL128")
    assert (program.proto, program.nchannels, program.chunks) == ("LL128", instances, 4 * instances)
    for gpu in program.gpus:
        assert [tb.chan for tb in gpu.tbs] == list(range(instances))


def test_the_same_table_is_the_same_bytes() -> None:
    for name in ("swing", "pat_all_gather", "bruck_all_to_all"):
        path = HOME / f"schedules/{name}.toml"
        texts = {
            make_program(expand(schedule_of(path), sizes(path, 8)[0]), "in place", 2, Target("x")).text
            for _ in range(2)
        }
        assert len(texts) == 1


# ---- limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_program_keeps_to_the_limits_of_its_runtime(runtime: Any) -> None:
    """A chain of 200 pieces needs more channels than one where a threadblock has 64 steps."""
    path = HOME / "schedules/ring_reduce_scatter.toml"
    made = make_program(expand(schedule_of(path), Size(64)), "in place", 3, Target("x", "Simple", runtime))
    assert not refusals(made.program, runtime)
    long = parse(LONG, "long")
    made = make_program(
        expand(read_schedule(long.values, ""), Size(2)), "in place", 1, Target("x", "Simple", runtime)
    )
    assert not refusals(made.program, runtime)
    longest = max(len(tb.steps) for gpu in made.program.gpus for tb in gpu.tbs)
    profile = PROFILES[runtime]
    assert longest <= profile.steps
    assert made.program.nchannels >= 300 // profile.steps


LONG = """
name = "long"
collective = "broadcast"
ranks = "2"
chunks = "300"
[[phase]]
name = "one after the other"
steps = "300"
[[phase.send]]
when = "r == 0"
to = "1"
chunk = "s"
op = "copy"
"""


def test_what_does_not_fit_is_told() -> None:
    path = HOME / "schedules/direct_all_to_all.toml"
    events = expand(schedule_of(path), Size(64))
    with pytest.raises(NotConvertible, match="threadblocks a GPU, and rccl has 64"):
        make_program(events, "in place", 1, Target("x", "Simple", "rccl"))
    with pytest.raises(NotConvertible, match="33 channels, and msccl has 32"):
        make_program(expand(schedule_of(path), Size(3)), "in place", 33, Target("x"))


def test_owners_that_are_not_the_formats_are_renumbered_and_unequal_ones_refused() -> None:
    told = (HOME / "schedules/ring_all_gather.toml").read_text(encoding="utf-8")
    shifted = told.replace('owner      = "c"', 'owner      = "(c + 1) % N"')
    shifted = shifted.replace('"(r - s) % N"', '"(r - s - 1) % N"')
    schedule = read_schedule(parse(shifted, "x").values, "x")
    form = layout(expand(schedule, Size(4)), "in place")
    assert form.place[0] == (1, 2, 3, 0)
    for case in CASES:
        made = make_program(expand(schedule, Size(4)), case, 2, Target("x"), "here")
        assert made.note.endswith("the table's chunks 0..3 are 2, 4, 6, 0")
        assert made.text.startswith(f"<!-- here; {made.note} -->")
    unequal = told.replace('owner      = "c"', 'owner      = "0"')
    with pytest.raises(NotConvertible, match="rank 0 owns 4 chunks and rank 1 owns 0"):
        layout(expand(read_schedule(parse(unequal, "x").values, "x"), Size(4)), "in place")


@every_case
@pytest.mark.parametrize("collective", ["all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce",
                                        "scatter", "gather", "all-to-all"])  # fmt: skip
def test_no_two_slots_share_a_cell(collective: str, case: Case) -> None:
    """Also where partial results and scratch slots of the table lie in scratch together."""
    table = {"name": "x", "collective": collective, "ranks": "3", "chunks": "6", "scratch": "4", "phase": [
        {"name": "nothing", "steps": "1"}]}  # fmt: skip
    form = layout(expand(read_schedule(table, ""), Size(3)), case, 2)
    for rank in range(3):
        cells = [form.then(rank, slot) for slot in range(form.chunks + form.scratch)]
        assert len(set(cells)) == len(cells) == 20
        starts = [cell for slot in range(form.chunks) if (cell := form.first(rank, slot)) is not None]
        assert len(set(starts)) == len(starts)
        if case == "out of place":
            assert not set(starts) & set(cells)


# ---- any table, right or not: slot by slot ------------------------------------------------------


@st.composite
def listed(draw: Any) -> dict[str, Any]:
    """An all-reduce of sends written out, right or (mostly) not: any moves that lock-step allows."""
    N, chunks, scratch = draw(st.integers(2, 4)), draw(st.integers(1, 4)), draw(st.integers(0, 2))
    slots = chunks + scratch
    known = {(r, c) for r in range(N) for c in range(chunks)}
    sends: list[dict[str, Any]] = []
    for step in range(draw(st.integers(1, 4))):
        written: dict[tuple[int, int], str] = {}
        for _ in range(draw(st.integers(1, 10))):
            sender, chunk = draw(st.sampled_from(sorted(known)))
            receiver = draw(st.integers(0, N - 1))
            into = chunk if draw(st.booleans()) else draw(st.integers(0, slots - 1))
            op = draw(st.sampled_from(("reduce", "copy")))
            cell = receiver, into
            taken = written.get(cell)
            if taken == "copy" or (taken and op == "copy") or (op == "reduce" and cell not in known):
                continue
            written[cell] = op
            ends = {"from": sender, "to": receiver, "chunk": chunk, "into": into}
            sends.append({"step": step, **ends, "op": op})
        known |= set(written)
    assume(sends)
    return {"name": "drawn", "collective": "all-reduce", "ranks": str(N), "chunks": str(chunks),
            "scratch": str(scratch), "phase": [{"name": "only", "sends": sends}]}  # fmt: skip


Held = dict[tuple[int, int], dict[tuple[int, int], int]]


def by_reference(table: dict[str, Any]) -> Held:
    """What every slot holds at the end, from the interpreter that shares no code with ringproof."""
    N, chunks = int(table["ranks"]), int(table["chunks"])
    state = {(r, c): Counter({(r, c): 1}) for r in range(N) for c in range(chunks)}
    steps: dict[int, list[dict[str, Any]]] = {}
    for send in table["phase"][0]["sends"]:
        steps.setdefault(send["step"], []).append(send)
    for step in sorted(steps):
        before = {key: Counter(value) for key, value in state.items()}
        fresh: dict[tuple[int, int], Counter[tuple[int, int]]] = {}
        for send in steps[step]:
            cell, value = (send["to"], send["into"]), before[send["from"], send["chunk"]]
            old = fresh.get(cell, before.get(cell, Counter())) if send["op"] == "reduce" else Counter()
            fresh[cell] = old + value
        state |= fresh
    return {key: dict(value) for key, value in state.items()}


def held_at_end(decided: Decided, cells: dict[tuple[int, int], Any]) -> Held:
    """What the program's cells hold, by the slots that they stand for; only where all orders agree."""
    (one,) = decided.outcomes
    assert not one.races
    assert not one.unset
    assert not one.overwritten
    memory, terms = one.world.memory, one.world.terms
    found = {}
    for (rank, slot), (buffer, offset) in cells.items():
        term = one.end.memory[rank][memory.cell(rank, buffer, offset)]
        if term != UNSET:
            found[rank, slot] = contributions(terms.multiset[term])
    return found


@given(listed(), st.sampled_from(CASES), st.sampled_from(("never", "busy")), st.booleans(), st.integers(1, 2))
@RELAXED
def test_a_program_does_what_its_table_does(
    table: dict[str, Any], case: Case, landing: Any, sharing: bool, instances: int
) -> None:
    """Whatever the table computes, its program does too: fused or not, landing in scratch or not."""
    events = expand(read_schedule(table, ""), Size(int(table["ranks"])))
    form = layout(events, case, instances)
    lowered = lower.lower(events, form, landing)
    program = assemble(lowered, pairs(lowered) if sharing else unpaired(lowered), Target("drawn"))
    decided = decide(program)
    assert decided.window is not None or (sharing or landing == "never")
    if landing == "busy" and not sharing:
        assert decided.window is not None
        assert decided.window <= 2
    if decided.window is None:
        event("hangs")
        return
    event(f"window {decided.window}")
    for kind in ops(program):
        event(kind)
    expected = by_reference(table)
    chunks = int(table["chunks"])
    cells = {(r, c): form.then(r, form.place[0][c]) for r in range(events.ranks) for c in range(chunks)}
    got = held_at_end(decided, cells)
    number = {form.place[0][c]: c for c in range(chunks)}
    for key in cells:
        assert {(k, number[c]): n for (k, c), n in got[key].items()} == expected[key]


# ---- a fault in the lowering is never written ---------------------------------------------------


def swapped(table: str = "pairwise_all_to_all_in_place") -> Events:
    path = HOME / f"schedules/{table}.toml"
    return expand(schedule_of(path), sizes(path, 4)[0])


def test_a_dependence_left_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_waits", lambda moves, of, tbs: [[] for _ in moves])
    with pytest.raises(EnginesDisagree, match="races"):
        make_program(swapped("halving_doubling"), "in place", 1, Target("x"))


def test_a_store_left_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgets(moves: Any, layout: Any, rank: int) -> Any:
        return [replace(m, op="rrs", target=None) if m.op == "rrcs" else m for m in moves]

    monkeypatch.setattr(fuse, "_not_stored", forgets)
    with pytest.raises(EnginesDisagree, match="wrong"):
        make_program(swapped("ring"), "in place", 1, Target("x"))


def test_a_local_move_that_is_not_saved_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two slots of a rank change places in one step: one has to be saved first."""
    table = {"name": "x", "collective": "all-to-all", "ranks": "2", "chunks": "2", "phase": [
        {"name": "exchange", "sends": [
            {"step": 0, "from": 0, "to": 1, "chunk": 1, "into": 1, "op": "copy"},
            {"step": 0, "from": 1, "to": 0, "chunk": 0, "into": 0, "op": "copy"},
            {"step": 0, "from": 0, "to": 0, "chunk": 0, "into": 1, "op": "copy"},
            {"step": 0, "from": 1, "to": 1, "chunk": 1, "into": 0, "op": "copy"}]},
        {"name": "swap", "sends": [
            {"step": 0, "from": r, "to": r, "chunk": c, "into": 1 - c, "op": "copy"}
            for r in range(2) for c in range(2)]},
    ]}  # fmt: skip
    events = expand(read_schedule(table, ""), Size(2))
    copies = ops(make_program(events, "in place", 1, Target("x")).program)["cpy"]
    assert copies == 2 * (1 + 1) + 2 * (1 + 2)  # saved and moved; both saved at once, then moved one by one
    monkeypatch.setattr(lower._State, "_spare", lambda self, spare, rank: ("i", 0))
    with pytest.raises(EnginesDisagree):
        make_program(events, "in place", 1, Target("x"))


def test_a_text_that_reads_as_another_program_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    other = lambda program, remark: write_xml(replace(program, name="y"))  # noqa: E731
    monkeypatch.setattr(to_program, "write_xml", other)
    with pytest.raises(EnginesDisagree, match="another program"):
        make_program(swapped("ring"), "in place", 1, Target("x"))


def test_a_fault_is_an_internal_error(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_waits", lambda moves, of, tbs: [[] for _ in moves])
    target = tmp_path / "x.xml"
    assert run("convert", "schedules/halving_doubling.toml", "-N", "4", "-o", str(target))[0] == Exit.INTERNAL
    assert list(tmp_path.iterdir()) == []
