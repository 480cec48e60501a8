"""A schedule that Z3 found -> the text of a table, accepted by the whole pipeline or never shown."""

from __future__ import annotations

from itertools import groupby

from ringproof.assess import Options, Settings
from ringproof.bound.values import Answer, Question, closed_form, promised, rooted
from ringproof.check import check
from ringproof.cost.optimal import largest_message
from ringproof.events import expand
from ringproof.problem import EnginesDisagree
from ringproof.proof.bound import Limits, Progress, Witness, least_steps
from ringproof.simulate import Optional
from ringproof.table.reader import read_schedule
from ringproof.table.source import Source, parse
from ringproof.verdict import Exit, Report, Size
from ringproof.wording import count_text

NAME = "the table found"


def answer(asked: Question, seconds: float, progress: Progress | None = None) -> Answer:
    """Find the least number of steps, and check the table that takes it.

    Errors: `EnginesDisagree` when the pipeline does not accept what the solver found.
    """
    guess = closed_form(asked)
    limits = Limits(asked.ports, asked.message)
    found = least_steps(promised(asked), limits, seconds, guess, progress)
    if found.witness is None:
        return Answer(asked, found.at_least, found.method, guess, reason=found.reason)
    text = written(asked, found.witness, found.at_least)
    local = found.witness.steps - found.at_least
    return Answer(asked, found.at_least, found.method, guess, text, accepted(asked, text), local)


def accepted(asked: Question, text: str) -> Report:
    """The report on a table that is right, claims its steps and keeps the limits of the question."""
    source = parse(text, NAME)
    report = check(source, Options(Settings(Optional(ports=asked.ports)), suggest=0, induction="never"))
    if report.exit is not Exit.PROVED:
        raise EnginesDisagree(f"{asked}: the schedule found is not accepted; {_why(report)}")
    most = _message(source, asked)
    if asked.message is not None and most > asked.message:
        raise EnginesDisagree(f"{asked}: the schedule found has a message of {most} chunks")
    return report


def _why(report: Report) -> str:
    return "; ".join(f"{f.code}: {f.title}" for f in report.findings) or "undecided"


def _message(source: Source, asked: Question) -> int:
    return largest_message(expand(read_schedule(source.values), Size(asked.N)))


def written(asked: Question, witness: Witness, steps: int) -> str:
    """The text of the table; it claims ``steps`` steps in which messages move."""
    lines = [
        f'name       = "{asked}, {count_text(steps, "step")}"',
        f'collective = "{asked.collective}"',
        f'ranks      = "{asked.N}"',
        f"chunks     = {asked.chunks}",
    ]
    if rooted(asked.collective):
        lines.append(f"root       = {asked.root}")
    if witness.scratch:
        lines.append(f"scratch    = {witness.scratch}")
    notes = f"Found by Z3, which also proves that no schedule takes fewer steps: {command(asked)}"
    lines += [f'notes      = "{notes}"', "", "[claims]", f"steps = {steps}", ""]
    lines += ["[[phase]]", 'name  = "found"', f"steps = {witness.steps}", "sends = ["]
    return "\n".join([*lines, *_sends(witness), "]", ""])


def _sends(witness: Witness) -> list[str]:
    """A line for every send, and a blank line between steps."""
    lines: list[str] = []
    for _, moves in groupby(witness.moves, key=lambda move: move.step):
        lines += [""] if lines else []
        for m in moves:
            into = f", into = {m.into}" if m.into != m.chunk else ""
            op = "reduce" if m.reduce else "copy"
            send = f"step = {m.step}, from = {m.sender}, to = {m.receiver}, chunk = {m.chunk}{into}"
            lines.append(f'  {{ {send}, op = "{op}" }},')
    return lines


def command(asked: Question) -> str:
    """The command line that asks this question."""
    words = ["ringproof bound", f"--collective {asked.collective}", f"-N {asked.N}"]
    words.append(f"--chunks {asked.chunks}")
    words += [f"--ports {asked.ports}"] if asked.ports != 1 else []
    words += [f"--message-chunks {asked.message or 'any'}"] if asked.message != 1 else []
    words += [f"--root {asked.root}"] if asked.root else []
    return " ".join(words)
