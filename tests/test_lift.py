"""Right programs become tables that the table engine proves; and `ringproof convert` on the command line."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from ringproof.convert import atoms as atoms_room
from ringproof.convert.atoms import atoms_of
from ringproof.convert.blocks import Target, assemble
from ringproof.convert.fuse import pairs, unpaired
from ringproof.convert.layout import Layout
from ringproof.convert.lower import Lowered, Move
from ringproof.convert.rounds import rounds
from ringproof.convert.to_program import make_program
from ringproof.convert.to_table import make_table
from ringproof.convert.xml import write_xml
from ringproof.events import expand
from ringproof.problem import EnginesDisagree
from ringproof.program.decide import Outcome, decide
from ringproof.program.model import Case, Gpu, Program, Step, Threadblock
from ringproof.program.msccl_xml import read_program
from ringproof.program.terms import UNSET, contributions
from ringproof.verdict import Exit, Size
from tests.conftest import HOME, Run
from tests.program_strategies import programs
from tests.ring_programs import chain_ring, split_ring
from tests.test_convert import CASES, TABLES, by_reference, schedule_of, sizes
from tests.test_program_cli import Bytes
from tests.test_program_corpus import CORPUS

RELAXED = settings(max_examples=300, suppress_health_check=list(HealthCheck))
FILES = sorted(CORPUS.glob("right/*.xml"))
LARGE = 150_000  # bytes; beyond that a file is for the sweep
every_case = pytest.mark.parametrize("case", CASES)


# ---- there and back -----------------------------------------------------------------------------


def back(path: Path, size: Size, case: Case) -> tuple[int, int]:
    """Convert, lift what was written, and have it proved; the steps of both."""
    events = expand(schedule_of(path), size)
    made = make_program(events, case, 1, Target("any"))
    table = make_table(read_program("x", made.text)[0], case, "", "")
    return table.steps, events.steps


@every_case
@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_a_table_comes_back_proved(path: Path, case: Case) -> None:
    (size, *_) = [size for N in (4, 3, 8) for size in sizes(path, N)]
    back(path, size, case)


@pytest.mark.sweep
@every_case
@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_table_comes_back_proved(path: Path, case: Case) -> None:
    for size in [size for N in (2, 3, 4, 8, 16) for size in sizes(path, N)]:
        back(path, size, case)


@every_case
@pytest.mark.parametrize("name", ["ring", "halving_doubling", "ring_reduce_scatter", "recursive_doubling"])
def test_a_table_comes_back_with_as_many_steps(name: str, case: Case) -> None:
    came, went = back(HOME / f"schedules/{name}.toml", Size(8), case)
    assert came == went


@pytest.mark.parametrize("make", [chain_ring, split_ring])
def test_a_ring_takes_the_steps_of_a_ring(make: Any) -> None:
    table = make_table(make(4, 2, 4), "in place", "", "")
    assert (table.steps, table.sends, table.waive) == (6, 2 * 4 * 6, ())


# ---- any program, right or not: slot by slot ----------------------------------------------------


def same_contents(one: Outcome) -> None:
    """The rounds of one case leave the same in every promised chunk, and no step has conflicting writes."""
    read = atoms_of(one)
    found, slots = rounds(read)
    event("split" if slots > max(read.used) else "lifted whole")
    sends = [
        {"step": x.step, "from": x.sender, "to": x.receiver, "chunk": x.chunk, "into": x.into,
         "op": "reduce" if x.reduce else "copy"} for x in found
    ]  # fmt: skip
    copies = Counter((x["step"], x["to"], x["into"]) for x in sends if x["op"] == "copy")
    reduces = {(x["step"], x["to"], x["into"]) for x in sends if x["op"] == "reduce"}
    assert max(copies.values(), default=1) == 1
    assert not copies.keys() & reduces
    ranks = len(one.world.memory.bases)
    held = by_reference({"ranks": str(ranks), "chunks": "2", "phase": [{"sends": sends}]})
    for wanted in one.world.promised:
        term = one.end.memory[wanted.rank][wanted.cell]
        if term != UNSET:
            expected = contributions(one.world.terms.multiset[term])
            assert held[wanted.rank, wanted.slot] == expected


@given(programs())
@RELAXED
def test_a_table_does_what_its_program_does(program: Program) -> None:
    """Whatever a race-free program computes, its rounds do too."""
    decided = decide(program)
    assume(decided.outcomes)
    for one in decided.outcomes:
        if one.decided and not one.unset and not one.races:
            same_contents(one)


@st.composite
def delayed(draw: Any) -> Lowered:
    """Operations of ranks in one order, with messages that are taken long after they were sent."""
    N, case = draw(st.integers(2, 3)), draw(st.sampled_from(CASES))
    known = [{("i", 0), ("i", 1)} for _ in range(N)]
    targets = [("i" if case == "in place" else "o", c) for c in range(2)] + [("s", c) for c in range(2)]
    moves: list[list[Move]] = [[] for _ in range(N)]
    messages: list[tuple[int, int, int]] = []
    flying: list[int] = []

    def any_of(cells: Any) -> Any:
        return draw(st.sampled_from(sorted(cells)))

    def write(rank: int, op: Any, source: Any, **how: int) -> None:
        target = any_of(known[rank] & set(targets) or targets) if op == "re" else any_of(targets)
        op = "cpy" if op == "re" and target not in known[rank] else op
        moves[rank].append(Move(op, source, target, **how))
        known[rank].add(target)

    for _ in range(draw(st.integers(4, 16))):
        action = draw(st.sampled_from(("local", "send", "send", "take", "take")))
        rank = draw(st.integers(0, N - 1))
        if action == "local":
            write(rank, draw(st.sampled_from(("cpy", "re"))), any_of(known[rank]))
        elif action == "send":
            other, lane = (rank + draw(st.integers(1, N - 1))) % N, draw(st.integers(0, 1))
            moves[rank].append(Move("s", any_of(known[rank]), lane=lane, out=len(messages)))
            flying.append(len(messages))
            messages.append((rank, other, lane))
        elif flying:
            _take(draw, flying, messages, known, write)
    while flying:
        _take(draw, flying, messages, known, write)
    truth = ((True, True),) * N
    form = Layout(case, "all-reduce", N, 2, 2, ((0, 1),) * 2, truth, truth)
    return Lowered(form, tuple(map(tuple, moves)), tuple(messages))


def _take(draw: Any, flying: list[int], messages: Any, known: Any, write: Any) -> None:
    """Receive the message that has waited longest on some connection."""
    connection = messages[draw(st.sampled_from(flying))]
    first = next(m for m in flying if messages[m] == connection)
    flying.remove(first)
    _, rank, lane = connection
    added = draw(st.sampled_from([None, *sorted(known[rank])]))
    write(rank, "rrc" if added else "r", added, lane=lane, into=first)


@given(delayed(), st.booleans())
@RELAXED
def test_a_table_does_what_late_messages_do(lowered: Lowered, sharing: bool) -> None:
    """Threadblocks keep the order of their rank where it matters, and rounds keep what it means."""
    program = assemble(lowered, pairs(lowered) if sharing else unpaired(lowered), Target("drawn"))
    decided = decide(program)
    assert sharing or decided.window is not None
    for one in decided.outcomes:
        assert one.decided
        assert (one.races, one.unset, one.overwritten) == ((), (), ())
        same_contents(one)


def late() -> Program:
    """GPU 1 takes the first message of GPU 0 last, when what it was sent from holds another sum long since.

    An all-reduce all the same: x0 lands in scratch, and is added to nothing but a copy of x1.
    """
    zero = (
        Threadblock(0, 1, 1, 0, (Step("rrc", "i", 0, "i", 0, 1, 1, 0), Step("s", "i", 0, "i", 0))),
        Threadblock(1, 1, -1, 1, (Step("s", "i", 0, "i", 0, hasdep=True),)),
    )
    one = (
        Threadblock(0, 0, 0, 0, (Step("s", "i", 0, "i", 0), Step("r", "s", 0, "s", 0, hasdep=True))),
        Threadblock(1, -1, 0, 1, (Step("rrc", "i", 0, "i", 0, 1, 0, 1),)),
    )
    return Program("late", "allreduce", 1, (Gpu(0, 1, 1, 0, zero), Gpu(1, 1, 1, 1, one)), nchannels=2)


def test_a_message_taken_late_lands_in_a_spare_slot() -> None:
    """x0 is overwritten at GPU 0 before GPU 1 takes it, and GPU 1 waits for what overwrote it."""
    (one,) = decide(late()).outcomes
    read = atoms_of(one)
    assert max(read.used) == 2
    found, slots = rounds(read)
    assert slots == 2  # it may share a step with what overwrites it: nothing reads GPU 1's scratch before
    table = make_table(late(), "in place", "", "")
    assert table.steps == 2
    zero, first = late().gpus
    waiting = Threadblock(1, -1, 0, 1, (Step("r", "s", 0, "s", 0, 1, 0, 1), Step("re", "s", 0, "i", 0)))
    tbs = (first.tbs[0], waiting)
    program = Program("late", "allreduce", 1, (zero, Gpu(1, 1, 1, 1, tbs)), nchannels=2)
    (one,) = decide(program).outcomes
    assert one.decided
    assert not one.wrong
    found, slots = rounds(atoms_of(one))
    assert slots > 2  # x0 goes where x0 + x1 was: it has to wait elsewhere
    assert make_table(program, "in place", "", "").steps == max(each.step for each in found) + 1


def test_a_fault_in_lifting_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `rrs` builds its sum in its local operand, whether that is still wanted or not."""
    steps = (Step("s", "i", 0, "i", 0), Step("rrc", "i", 0, "i", 0))
    around = (Step("rrs", "i", 0, "i", 0), Step("rrc", "i", 0, "i", 0))
    gpus = tuple(
        Gpu(r, 1, 1, 0, (Threadblock(0, (r + 1) % 3, (r - 1) % 3, 0, (steps[0], *around)),)) for r in range(3)
    )
    program = Program("three", "allreduce", 1, gpus)
    assert make_table(program, "in place", "", "").sends == 3 + 3 + 3
    dead = atoms_room._Reading._dead
    monkeypatch.setattr(atoms_room._Reading, "_dead", lambda self: {*dead(self), *range(9)})
    with pytest.raises(EnginesDisagree, match="does not do what its program does"):
        make_table(program, "in place", "", "")


# ---- real files ---------------------------------------------------------------------------------


def lifted(path: Path) -> None:
    program, _ = read_program(str(path), path.read_text(encoding="utf-8"))
    for case in program.cases:
        table = make_table(program, case, "", "")
        assert table.sends
        assert table.waive == ()


@pytest.mark.skipif(not FILES, reason="no corpus: RINGPROOF_CORPUS names its folder")
@pytest.mark.parametrize("path", [f for f in FILES if f.stat().st_size < LARGE], ids=lambda path: path.stem)
def test_a_real_file_becomes_a_table(path: Path, run: Run, tmp_path: Path) -> None:
    if "alltonext" in path.name:
        assert run("convert", str(path), "-o", str(tmp_path / "x.toml"))[0] == Exit.CANNOT_CHECK
        return
    lifted(path)


@pytest.mark.sweep
@pytest.mark.skipif(not FILES, reason="no corpus: RINGPROOF_CORPUS names its folder")
@pytest.mark.parametrize("path", [f for f in FILES if f.stat().st_size >= LARGE], ids=lambda path: path.stem)
def test_a_large_real_file_becomes_a_table(path: Path) -> None:
    lifted(path)


# ---- the command --------------------------------------------------------------------------------


def test_what_is_converted_works_with_the_other_commands(run: Run, tmp_path: Path) -> None:
    program, table = str(tmp_path / "ring8.xml"), str(tmp_path / "ring8.toml")
    code, told = run("convert", "schedules/ring.toml", "-N", "8", "-o", program)
    assert (code, "at most 1 threadblock a GPU on 1 channel; proved" in told) == (Exit.PROVED, True)
    assert run("check", "--runtime", "msccl", program)[0] == Exit.PROVED
    code, told = run("convert", program, "-o", table)
    assert (code, "112 sends in 14 steps; proved" in told) == (Exit.PROVED, True)
    assert run("check", table)[0] == Exit.PROVED
    code, cost = run("cost", table, "-N", "8", "--format", "json")
    assert (code, "112" in cost) == (Exit.PROVED, True)
    code, traced = run("trace", table, "-N", "8", "--chunk", "0")
    assert (code, "step 13" in traced) == (Exit.PROVED, True)
    assert run("draw", table, "-N", "8", "-o", str(tmp_path / "x.svg"))[0] == Exit.PROVED


def test_options_of_a_table(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "x.XML"
    base = ("convert", "schedules/kary_tree_all_reduce.toml", "-N", "4", "-o", str(out))
    assert run(*base, "-p", "k=3", "-p", "S=2", "--out-of-place", "--instances", "2", "--proto", "LL")[0] == 0
    program, _ = read_program("x", out.read_text(encoding="utf-8"))
    assert (program.proto, program.cases, program.chunks) == ("LL", ("out of place",), 4)
    assert out.read_text(encoding="utf-8").startswith("<!-- kary_tree_all_reduce.toml, N = 4, k = 3, S = 2")
    assert run(*base, "-p", "k=9")[0] == Exit.CANNOT_CHECK


def test_standard_input_and_output(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    told = (HOME / "schedules/ring.toml").read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", Bytes(told.encode()))
    code, text = run("convert", "-", "-N", "3", "-o", "-")
    assert code == Exit.PROVED
    assert read_program("x", text)[0].ranks == 3
    monkeypatch.setattr(sys, "stdin", Bytes(text.encode()))
    code, text = run("convert", "-", "-o", "-")
    assert (code, text.splitlines()[2]) == (Exit.PROVED, 'ranks      = "3"')


@pytest.mark.parametrize(
    "arguments",
    [
        ("schedules/ring.toml", "-o", "{}/x.xml"),
        ("schedules/ring.toml", "-N", "65", "-o", "{}/x.xml"),
        ("schedules/halving_doubling.toml", "-N", "3", "-o", "{}/x.xml"),
        ("schedules/ring.toml", "-N", "4", "-o", "{}/x.toml"),
        ("schedules/ring.toml", "-N", "4", "-o", "{}/x"),
        ("schedules/ring.toml", "-N", "4", "-o", "{}/no/x.xml"),
        ("schedules/ring.toml", "-N", "4", "-o", "{}"),
        ("schedules/ring.toml", "-N", "4", "-o", "{}/x.xml", "--collective", "reduce"),
        ("schedules/none.toml", "-N", "4", "-o", "{}/x.xml"),
        ("README.md", "-N", "4", "-o", "{}/x.xml"),
        ("tests/programs/ring_all_reduce.xml", "-o", "{}/x.xml"),
        ("tests/programs/ring_all_reduce.xml", "-o", "{}/x.toml", "-N", "3"),
        ("tests/programs/ring_all_reduce.xml", "-o", "{}/x.toml", "--out-of-place"),
        ("tests/programs/custom.xml", "-o", "{}/x.toml"),
        ("schedules/ring.toml",),
    ],
    ids=" ".join,
)
def test_what_cannot_be_converted(arguments: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    assert run("convert", *(a.format(tmp_path) for a in arguments))[0] == Exit.CANNOT_CHECK
    assert list(tmp_path.iterdir()) == []


def test_what_is_wrong_is_not_converted(run: Run, tmp_path: Path) -> None:
    table, program = tmp_path / "x.toml", tmp_path / "x.xml"
    code, told = run("convert", "tests/wrong/swing_six.toml", "-N", "6", "-o", str(program))
    assert (code, "error[RP302]" in told) == (Exit.REFUTED, True)
    code, told = run("convert", "tests/programs/scratch_without_flag.xml", "-o", str(table))
    assert (code, "error[RP6" in told) == (Exit.REFUTED, True)
    assert list(tmp_path.iterdir()) == []
    claims = (HOME / "schedules/ring.toml").read_text(encoding="utf-8").replace('"2*(N - 1)"', '"2*N"')
    table.write_text(claims, encoding="utf-8")
    code, told = run("convert", str(table), "-N", "4", "-o", str(program))
    assert (code, "RP4" in told, program.exists()) == (Exit.REFUTED, True, False)


def test_what_is_no_table_or_program(run: Run, tmp_path: Path) -> None:
    table, program = tmp_path / "x.toml", tmp_path / "x.xml"
    program.write_text("<algo", encoding="utf-8")
    assert run("convert", str(program), "-o", str(table))[0] == Exit.CANNOT_CHECK
    program.unlink()
    table.write_text("name = ", encoding="utf-8")
    code, told = run("convert", str(table), "-N", "4", "-o", str(program))
    assert (code, "RP003" in told, program.exists()) == (Exit.CANNOT_CHECK, True, False)


def test_a_file_that_was_there_is_replaced_whole_or_not_at_all(run: Run, tmp_path: Path) -> None:
    program = tmp_path / "x.xml"
    program.write_text("old", encoding="utf-8")
    code, _ = run("convert", "tests/wrong/swing_six.toml", "-N", "6", "-o", str(program))
    assert (code, program.read_text(encoding="utf-8")) == (Exit.REFUTED, "old")
    assert run("convert", "schedules/ring.toml", "-N", "2", "-o", str(program))[0] == Exit.PROVED
    assert program.read_text(encoding="utf-8").endswith("</algo>\n")
    assert [path.name for path in tmp_path.iterdir()] == ["x.xml"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")
def test_a_full_disk(run: Run, tmp_path: Path) -> None:
    full = tmp_path / "full.xml"
    full.symlink_to("/dev/full")
    assert run("convert", "schedules/ring.toml", "-N", "2", "-o", str(full))[0] == Exit.CANNOT_CHECK
    assert full.is_symlink()


def test_a_collective_that_a_file_hides(run: Run, tmp_path: Path) -> None:
    hidden, table = tmp_path / "x.xml", tmp_path / "x.toml"
    hidden.write_text(write_xml(chain_ring(3, 1, 3)).replace("allreduce", "custom"), encoding="utf-8")
    assert run("convert", str(hidden), "-o", str(table))[0] == Exit.CANNOT_CHECK
    assert run("convert", str(hidden), "-o", str(table), "--collective", "all-reduce")[0] == Exit.PROVED
    code, told = run("check", "--format", "json", str(table))
    assert (code, json.loads(told)["reports"][0]["claim"]) == (Exit.PROVED, "all-reduce for N = 3")
