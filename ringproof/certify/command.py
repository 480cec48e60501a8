"""`ringproof certify` and `ringproof verify`: a proof for every N that others can check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ringproof.options import TABLE, SecondsType
from ringproof.output import say
from ringproof.verdict import Exit

OUTPUT = click.Path(file_okay=False)


@click.command()
@click.argument("path", type=TABLE, metavar="FILE|-")
@click.option("-o", "--output", type=OUTPUT, required=True, metavar="DIR",
              help="The folder of the certificate.")  # fmt: skip
@click.option("--seconds", type=SecondsType(), default=10.0, metavar="SECONDS",
              help="For the whole proof (default: 10).")  # fmt: skip
def certify(path: str, output: str, seconds: float) -> None:
    """Prove a table for every N and write a certificate that `ringproof verify` checks.

    The folder holds the table, what was guessed (as JSON, in the language of the table) and every
    question that must have no answer (as SMT-LIB 2, for any solver). Exit code 3: no proof in that time.
    """
    raise click.exceptions.Exit(run_certify(path, output, seconds))


@click.command()
@click.argument("path", metavar="DIR", type=TABLE)
@click.option("--solver", type=click.Choice(["z3", "cvc5", "python", "all"]), default="all",
              help="Who settles the questions (default: all that are installed).")  # fmt: skip
@click.option("--timeout", type=SecondsType(), default=20.0, metavar="SECONDS",
              help="For each question (default: 20).")  # fmt: skip
def verify(path: str, solver: str, timeout: float) -> None:
    """Check a certificate: make its questions again from table and guesses, compare, and settle them.

    Exit code 1: it does not certify its table; 2: it cannot be read; 3: a question stays open.
    """
    raise click.exceptions.Exit(run_verify(path, solver, timeout))


def run_certify(path: str, output: str, seconds: float) -> Exit:
    """Prove, make the certificate, check it, write it."""
    from ringproof.certify import folder
    from ringproof.proof.certificate import Refused, certificate, compare
    from ringproof.proof.every_n import Proved, Refuted, prove_every_n
    from ringproof.report import text
    from ringproof.table.reader import read_schedule
    from ringproof.table.source import read
    from ringproof.verdict import Report, TableError

    try:
        source = read(path)
        schedule = read_schedule(source.values, source.path)
    except TableError as error:
        called, shown = getattr(error, "path", path), getattr(error, "text", "")
        say(text.render([Report(called, "", shown, "", findings=error.findings)]).removesuffix("\n"))
        return Exit.CANNOT_CHECK
    found = prove_every_n(schedule, seconds)
    if isinstance(found.verdict, Refuted):
        say(f"refuted  {source.path} is wrong at {found.verdict.size}; `ringproof check` says more")
        return Exit.REFUTED
    if found.verdict != Proved():
        say(f"undecided  {source.path}: {getattr(found.verdict, 'reason', '')}")
        return Exit.UNDECIDED
    try:
        name = "table.toml" if path == "-" else source.path
        called = folder.names(name, [u.path for u in schedule.used])
        made = certificate(schedule, found)
        compare(schedule, made.data, made.questions)
        texts = (source.text, *{u.path: u.text for u in schedule.used}.values())
        whole = folder.Folder(made.data, dict(zip(called, texts, strict=True)), made.questions)
        folder.write(output, whole)
    except (folder.Unreadable, Refused) as error:
        raise click.ClickException(str(error)) from None
    _tell(made.data)
    left = [f"{c.what}: {getattr(v, 'reason', v)}"
            for c, v in zip(schedule.claims, found.claims, strict=True) if v != Proved()]  # fmt: skip
    for reason in left:
        say(f"  not in it: the claim {reason}")
    size = sum(map(len, made.questions)) / 1024
    say(f"proved  {made.data['sizes']}; {len(made.questions)} questions ({size:.0f} KiB) in {output}")
    return Exit.PROVED


def _tell(data: Mapping[str, Any]) -> None:
    say(f"{data['table']}, for {data['sizes']}")
    for what in ("properties", "claims"):
        for line in [", ".join(data[what])] if what == "properties" else data[what]:
            say(f"  {line}")


def run_verify(path: str, solver: str, timeout: float) -> Exit:
    """Read, make again, compare, settle."""
    from ringproof.certify import folder
    from ringproof.proof.certificate import Refused, compare
    from ringproof.verdict import TableError

    try:
        given = folder.read(path)
        schedule = _schedule(path, given.tables)
        compare(schedule, given.data, given.questions)
    except folder.Unreadable as error:
        raise click.ClickException(str(error)) from None
    except (folder.Changed, Refused, TableError) as error:
        say(f"refuted  {path} does not certify its table: {error}")
        return Exit.REFUTED
    _tell(given.data)
    say(f"  {len(given.questions)} questions, made again from table and guesses: as in the files")
    return _settled(given.questions, solver, timeout, str(given.data["sizes"]))


def _schedule(path: str, tables: Mapping[str, str]) -> Any:
    """The certified table; everything it reads must be of the certificate."""
    import os

    from ringproof.proof.certificate import Refused
    from ringproof.table.reader import read_schedule
    from ringproof.table.source import read

    source = read(os.path.join(path, next(iter(tables))))
    schedule = read_schedule(source.values, source.path)
    known = {os.path.realpath(os.path.join(path, name)) for name in tables}
    for used in schedule.used:
        if os.path.realpath(used.path) not in known:
            raise Refused(f"it uses {used.path}, whose hash is not in the certificate")
    return schedule


def _settled(questions: tuple[str, ...], solver: str, timeout: float, sizes: str) -> Exit:
    """Ask the solvers; every one must find that no question has an answer."""
    from ringproof.proof.certificate import at_hand, discharge

    hand = at_hand()
    if solver != "all" and solver not in hand:
        extra = "; pip install 'ringproof[cert]'" if solver == "cvc5" else ""
        raise click.ClickException(f"{solver} is not installed{extra}")
    worst = Exit.PROVED
    asked = hand if solver == "all" else (solver,)
    for name in asked:
        answers = discharge(questions, name, timeout)
        good = answers.count("proved")
        say(f"  {name:<6}  {good} of {len(answers)} have no answer")
        for number, answer in enumerate(answers, 1):
            if answer != "proved":
                say(f"          {number:04}.smt2: {'has one' if answer == 'fails' else 'stays open'}")
        if "fails" in answers:
            worst = Exit.REFUTED
        elif good < len(answers) and worst is Exit.PROVED:
            worst = Exit.UNDECIDED
    told = {Exit.PROVED: f"proved  {sizes}, by {', '.join(asked)}",
            Exit.REFUTED: "refuted  a question has an answer, so the guesses prove nothing",
            Exit.UNDECIDED: "undecided  a question stays open; nothing is claimed"}  # fmt: skip
    say(told[worst])
    return worst
