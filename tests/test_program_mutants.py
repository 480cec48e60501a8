"""Every small change of a right program is flagged, or harmless in every interleaving.

Harmless is shown by brute force (`tests.interleavings`), with a meaning of the collectives written here.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ringproof.check_program import check_program
from ringproof.convert.xml import write_xml
from ringproof.program.asked import Asked
from ringproof.program.model import Case, Program
from ringproof.program.msccl_xml import read_program
from ringproof.verdict import Exit
from tests.conftest import HOME, sampled
from tests.interleavings import Address, Contents, explore
from tests.program_mutants import KINDS, mutants
from tests.ring_programs import chain_ring, split_ring

FOLDER = HOME / "tests" / "programs"
KNOWN = ("allreduce", "allgather", "reduce_scatter", "reducescatter", "alltoall")
Table = Counter[tuple[str, str]]


def right_programs() -> dict[str, Program]:
    found = {}
    for path in sorted(FOLDER.glob("*.xml")):
        text = path.read_text(encoding="utf-8")
        if text.startswith("<!-- proved"):
            program, _ = read_program(path.name, text)
            if program.coll in KNOWN:
                found[path.stem] = program
    return {**found, "chain ring": chain_ring(3, 1, 2), "split ring": split_ring(2, 1, 2),
            "two channels": chain_ring(2, 2, 1)}  # fmt: skip


PROGRAMS = right_programs()


def whole(program: Program) -> int:
    """Chunks of the whole vector."""
    return max(gpu.o_chunks if program.coll == "allgather" else gpu.i_chunks for gpu in program.gpus)


def alias(program: Program, case: Case) -> Any:
    """Which cell an address is: in place, input and output are one memory, or one is a block of the other."""
    block = whole(program) // program.ranks

    def name(address: Address) -> Address:
        rank, buffer, offset = address
        if case == "out of place" or buffer == "s":
            return address
        if program.coll == "allgather" and buffer == "i":
            return rank, "x", rank * block + offset
        if program.coll.startswith("reduce") and buffer == "o":
            return rank, "x", rank * block + offset
        return rank, "x", offset

    return name


def begin(program: Program, case: Case) -> dict[Address, Contents]:
    name, block = alias(program, case), whole(program) // program.ranks
    held: dict[Address, Contents] = {}
    for rank in range(program.ranks):
        for c in range(block if program.coll == "allgather" else whole(program)):
            chunk = rank * block + c if program.coll == "allgather" else c
            held[name((rank, "i", c))] = (((rank, chunk), 1),)
    return held


def wanted(program: Program, case: Case) -> dict[Address, Contents]:
    name, N, block = alias(program, case), program.ranks, whole(program) // program.ranks
    everyone = {c: tuple(((k, c), 1) for k in range(N)) for c in range(whole(program))}
    found: dict[Address, Contents] = {}
    for rank in range(N):
        if program.coll.startswith("reduce"):
            for c in range(block):
                found[name((rank, "o", c))] = everyone[rank * block + c]
            continue
        for c in range(whole(program)):
            owner = c // block if block else 0
            found[name((rank, "o", c))] = {
                "allreduce": everyone[c], "allgather": (((owner, c), 1),),
                "alltoall": (((owner, rank * block + c % max(block, 1)), 1),),
            }[program.coll]  # fmt: skip
    return found


def right_in_every_interleaving(program: Program) -> bool:
    for case in program.cases:
        found = explore(program, alias(program, case), begin(program, case), most=200_000)
        if found.hangs or not found.finals:
            return False
        for final in found.finals:
            held = dict(final)
            if any(held.get(cell) != contents for cell, contents in wanted(program, case).items()):
                return False
    return True


def outcome(program: Program) -> Exit:
    return check_program("mutant.xml", write_xml(program), Asked(z3="never")).exit


def survey(program: Program) -> Table:
    """What became of every change: (kind, outcome) -> how many; fails where a harmful one is proved."""
    table: Table = Counter()
    for kind, mutant in mutants(program):
        exit_code = outcome(mutant)
        if exit_code is Exit.PROVED:
            assert right_in_every_interleaving(mutant), (kind, write_xml(mutant))
            table[kind, "harmless"] += 1
        else:
            assert exit_code in (Exit.REFUTED, Exit.CANNOT_CHECK)
            table[kind, "flagged"] += 1
    return table


def told(table: Table) -> str:
    lines = [f"{'kind of change':<32} {'flagged':>8} {'harmless':>8}"]
    lines += [f"{kind:<32} {table[kind, 'flagged']:>8} {table[kind, 'harmless']:>8}" for kind in KINDS]
    return "\n".join(lines)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_itself_is_right_in_every_interleaving(name: str) -> None:
    assert outcome(PROGRAMS[name]) is Exit.PROVED
    assert right_in_every_interleaving(PROGRAMS[name])


@pytest.mark.parametrize("name", sampled(PROGRAMS, 3))
def test_every_change_is_flagged_or_harmless(name: str, record_property: Any) -> None:
    table = survey(PROGRAMS[name])
    print(f"\n{name}\n{told(table)}")
    record_property("mutants", {f"{kind}: {what}": count for (kind, what), count in table.items()})
    assert sum(table.values()) > 0


def test_every_kind_of_change_is_made_and_flagged() -> None:
    made = Counter(kind for program in PROGRAMS.values() for kind, _ in mutants(program))
    assert set(made) == set(KINDS)
    for kind in KINDS:
        some = [mutant for program in PROGRAMS.values() for of, mutant in mutants(program) if of == kind]
        assert any(outcome(mutant) is not Exit.PROVED for mutant in some[:40]), kind


def test_harmful_means_harmful() -> None:
    """The brute force is no rubber stamp: it refuses programs that are wrong."""
    for name in ("ring_added_twice", "scratch_without_flag", "all_to_all_not_exchanged", "deadlock"):
        program, _ = read_program(name, Path(FOLDER / f"{name}.xml").read_text(encoding="utf-8"))
        assert not right_in_every_interleaving(program)
