"""A right program -> a table for its one size, proved: the pipeline of the other direction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ringproof.assess import Options
from ringproof.check import check
from ringproof.convert.atoms import atoms_of
from ringproof.convert.layout import NotConvertible
from ringproof.convert.rounds import Round, rounds
from ringproof.events import expand
from ringproof.problem import EnginesDisagree, ExpansionError
from ringproof.program.decide import Outcome, decide
from ringproof.program.model import Case, Program
from ringproof.program.promise import rooted
from ringproof.simulate import simulate
from ringproof.table.reader import read_schedule
from ringproof.table.source import parse
from ringproof.textfile import LARGEST
from ringproof.verdict import Exit, Size, TableError

WAIVED = ("once", "no-resend")  # what a right program may do and a right table may not, unless it says so


@dataclass(frozen=True, slots=True)
class Table:
    """A table's text; ``steps`` and ``sends`` of it, and what it has to waive."""

    text: str
    steps: int
    sends: int
    waive: tuple[str, ...]


def make_table(program: Program, case: Case, collective: str, remark: str) -> Table:
    """Lift a program that was found right.

    Errors: `NotConvertible`; `EnginesDisagree` where the table is not proved, which is a bug of ours.
    """
    outcome = next(o for o in decide(program, collective).outcomes if o.world.memory.case == case)
    found, slots = rounds(atoms_of(outcome))
    text = _text(program, outcome, found, slots, (), remark)
    if len(text.encode()) > LARGEST:
        raise NotConvertible(f"its {len(found)} sends make a table of more than {LARGEST >> 20} MiB, which "
                             "none of the other commands reads")  # fmt: skip
    waive = _waived(text, program.ranks)
    if waive:
        text = _text(program, outcome, found, slots, waive, remark)
    report = check(parse(text, "the table"), Options(induction="never", suggest=0))
    if report.exit is not Exit.PROVED:
        told = "; ".join(f.title for f in report.findings if f.severity == "error") or "undecided"
        raise EnginesDisagree(f"the table does not do what its program does: {told}")
    return Table(text, max((each.step for each in found), default=-1) + 1, len(found), waive)


def _waived(text: str, N: int) -> tuple[str, ...]:
    """The properties that may be waived and fail."""
    try:
        outcome = simulate(expand(read_schedule(parse(text, "the table").values, ""), Size(N)))
    except (TableError, ExpansionError) as error:
        raise EnginesDisagree(f"the table cannot be read: {error}") from None
    return tuple(name for name in WAIVED if outcome.violations.get(name))


def _text(
    program: Program, outcome: Outcome, found: Sequence[Round], slots: int, waive: Sequence[str], remark: str
) -> str:  # fmt: skip
    memory, world = outcome.world.memory, outcome.world
    head = [("name", _quoted(program.name.strip() or "program")), ("collective", _quoted(memory.collective)),
            ("ranks", _quoted(str(program.ranks))), ("chunks", _quoted(str(memory.whole)))]  # fmt: skip
    if slots > memory.whole:
        head.append(("scratch", _quoted(str(slots - memory.whole))))
    if rooted(memory.collective):
        head.append(("root", str(world.root)))
    if waive:
        head.append(("waive", f"[{', '.join(map(_quoted, waive))}]"))
    head.append(("notes", _quoted(remark)))
    lines = [f"{key:<10} = {value}" for key, value in head]
    lines += ["", "[[phase]]", 'name  = "program"', "sends = ["]
    last = 0
    for each in found:
        if each.step != last:
            lines.append("")
            last = each.step
        into = f", into = {each.into}" if each.into != each.chunk else ""
        op = "reduce" if each.reduce else "copy"
        lines.append(f"  {{ step = {each.step}, from = {each.sender}, to = {each.receiver}, "
                     f'chunk = {each.chunk}{into}, op = "{op}" }},')  # fmt: skip
    return "\n".join([*lines, "]", ""])


def _quoted(text: str) -> str:
    """A TOML string; JSON's escapes are all of TOML's, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
