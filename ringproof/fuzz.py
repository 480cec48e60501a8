"""`fuzz`: small changes of a right table, each of which must be refuted or proved harmless."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import click

from ringproof.assess import Options
from ringproof.check import check
from ringproof.diagnose.suggest import survives
from ringproof.output import aside, reader_may_leave, say
from ringproof.report import text
from ringproof.table.integers import Undefined
from ringproof.table.mutate import Mutant, sample
from ringproof.table.reader import read_schedule
from ringproof.table.source import Source, SourceError, read
from ringproof.verdict import Exit, Report, TableError
from ringproof.wording import count_text

REFUTED, HARMLESS, OPEN = "refuted", "proved", "undecided"
_SMALL_SIZES = 7


def run_fuzz(path: str, count: int, seed: int, detail: str) -> Exit:
    """Fuzz one table and print how many mutants of each kind were refuted and which survive.

    Exit 0: every mutant is refuted or proved equal in meaning.  3: some mutant is neither.
    """
    options = Options(suggest=0, induction="never")
    try:
        source = read(path)
        report = check(source, options)
    except SourceError as error:
        report = Report(error.path, "", error.text, "", findings=error.findings)
    if report.exit is not Exit.PROVED:
        with reader_may_leave():
            click.echo(text.render([report]), nl=False)
        aside("a table is fuzzed only once it is proved")
        return report.exit
    mutants = sample(source.values, count, seed)
    outcomes = [(m, judge(source, m, options)) for m in mutants]
    with reader_may_leave():
        click.echo(f"{source.path}: {count_text(len(mutants), 'mutant')}, seed {seed}\n")
        _table(outcomes)
        _survivors([(m, o) for m, o in outcomes if o != REFUTED], detail)
    return _verdict(Counter(o for _, o in outcomes))


def _survivors(survivors: list[tuple[Mutant, str]], detail: str) -> None:
    for mutant, outcome in survivors if detail == "verbose" else survivors[:10]:
        route = ".".join(map(str, mutant.route))
        click.echo(f"  {outcome:<9} {mutant.kind}: {route}: `{mutant.before}` -> `{mutant.after}`")
    if detail != "verbose" and len(survivors) > 10:
        click.echo(f"  ... and {len(survivors) - 10} more (-v lists them)")


def judge(source: Source, mutant: Mutant, options: Options) -> str:
    """What becomes of a mutant: quickly at small sizes, then over the whole claim."""
    try:
        schedule = read_schedule(mutant.values, source.path)
        if not survives(mutant, list(islice(schedule.claimed(), _SMALL_SIZES)), source.path):
            return REFUTED
    except (TableError, Undefined):
        return REFUTED
    report = check(Source(source.path, source.text, dict(mutant.values)), options)
    if report.exit is Exit.PROVED:
        return HARMLESS
    return REFUTED if report.exit in (Exit.REFUTED, Exit.CANNOT_CHECK) else OPEN


def _table(outcomes: list[tuple[Mutant, str]]) -> None:
    kinds: dict[str, Counter[str]] = {}
    for mutant, outcome in outcomes:
        kinds.setdefault("two edits" if "+" in mutant.kind else mutant.kind, Counter())[outcome] += 1
    width = max((len(kind) for kind in kinds), default=0)
    for kind, counts in kinds.items():
        parts = [f"{counts[o]:>4} {o}" for o in (REFUTED, HARMLESS, OPEN) if counts[o]]
        click.echo(f"  {kind:<{width}}  {sum(counts.values()):>4}: {', '.join(parts)}")
    click.echo("")


def _verdict(counts: Counter[str]) -> Exit:
    total = sum(counts.values())
    said = f"{counts[REFUTED]} of {count_text(total, 'mutant')} refuted"
    if counts[HARMLESS]:
        said += f", {counts[HARMLESS]} proved equal in meaning"
    if counts[OPEN]:
        said += f", {counts[OPEN]} neither refuted nor proved"
    say(said)
    if not total:
        aside("nothing to change in this table")
    return Exit.UNDECIDED if counts[OPEN] or not total else Exit.PROVED
