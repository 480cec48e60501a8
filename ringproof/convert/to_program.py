"""A table at one size -> a program that was checked: the pipeline of one direction.

Programs are tried from the shortest to the safest: operations fused in shared threadblocks; a threadblock
for every side of a connection; both again with receives of busy connections landing in scratch, and
the last of these cannot hang with a window of two (`lower`).  Only such a hang passes a program over for the
next; any other fault in what was written is a bug of ringproof.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ringproof.convert.blocks import Target, assemble
from ringproof.convert.fuse import pairs, unpaired
from ringproof.convert.layout import Layout, layout
from ringproof.convert.lower import Landing, lower
from ringproof.convert.xml import write_xml
from ringproof.events import Events
from ringproof.problem import EnginesDisagree
from ringproof.program.decide import Decided, decide
from ringproof.program.load import Runtime, refusals
from ringproof.program.model import COLLECTIVE_OF, Case, Program
from ringproof.program.msccl_xml import read_program
from ringproof.verdict import TableError

WINDOW = 2  # messages that a connection of the Simple protocol holds


@dataclass(frozen=True, slots=True)
class Made:
    """A program with its text, and the smallest window with which it cannot hang.

    ``note``: how its chunks differ from the table's, if they do.
    """

    program: Program
    text: str
    window: int
    note: str = ""


def make_program(
    events: Events, case: Case, instances: int, target: Target, remark: str = ""
) -> Made:  # fmt: skip
    """Lower, check and write.

    Errors: `NotConvertible`; `EnginesDisagree` where the check finds a fault, which is a bug of ours.
    """
    form = layout(events, case, instances)
    note = _note(form, events.chunks)
    for program in _programs(events, form, target):
        decided = decide(program)
        if decided.window is not None and decided.window <= WINDOW:
            text = write_xml(program, f"{remark}; {note}" if note else remark)
            if faults := [*_faults(program, decided, target.runtime), *_misread(program, text)]:
                raise EnginesDisagree(f"the program does not do what its table does: {faults[0]}")
            return Made(program, text, decided.window, note)
    raise EnginesDisagree(f"the program hangs with a window of {WINDOW}")


def _note(form: Layout, chunks: int) -> str:
    """What a reader of both has to know where the table's owners are not the format's."""
    if not form.renumbered:
        return ""
    here = ", ".join(map(str, form.place[0][:chunks]))
    return f"every rank's own chunks are a block here: the table's chunks 0..{chunks - 1} are {here}"


def _programs(events: Events, form: Layout, target: Target) -> Iterator[Program]:
    landings: tuple[Landing, ...] = ("never", "busy")
    for landing in landings:
        lowered = lower(events, form, landing)
        for paired in (pairs(lowered), unpaired(lowered)):
            yield assemble(lowered, paired, target)


def _faults(program: Program, decided: Decided, runtime: Runtime) -> Iterator[str]:
    """Whatever a right program has none of."""
    shape = decided.shape
    for name in ("outside", "alone", "shared", "unequal", "uneven", "absent", "unraised"):
        if found := getattr(shape, name):
            yield f"{name}: {found[0]}"
    if not decided.outcomes:
        yield "it was not replayed"
    for one in decided.outcomes:
        case = one.world.memory.case
        promised = one.world.promised and COLLECTIVE_OF.get(program.coll) == one.world.memory.collective
        if not promised or one.world.uncut:
            yield f"{case}: nothing is promised {one.world.uncut}"
        for name in ("races", "clashes", "wrong", "unset", "overwritten"):
            if found := getattr(one, name):
                yield f"{case}, {name}: {found[0]}"
        if not one.decided or one.open or one.may_be_unset:
            yield f"{case}: not decided for all orders"
    for refusal in refusals(program, runtime):
        yield f"{runtime} refuses it: {refusal.rule} {refusal.text}"


def _misread(program: Program, text: str) -> Iterator[str]:
    try:
        again, notes = read_program("", text)
    except TableError as error:
        yield f"its text cannot be read: {error}"
        return
    if again != program or notes:
        yield "its text reads as another program"
