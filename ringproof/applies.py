"""Options of `check` that ask something of tables only, or of programs only: never silently without effect.

Options that say how to work (`--bounded`, `--induction`, `--no-symmetry`, `--z3`) weaken no verdict on a
file of the other kind, so they may stand beside any file: a list of changed files may hold either kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import click

from ringproof.inputs import Item, Kind, kind_of, path_of
from ringproof.verdict import Exit, Finding, Report
from ringproof.wording import join_text

ONLY: Mapping[str, Kind] = MappingProxyType({
    **dict.fromkeys(("every_n", "used", "ports", "order", "no_swap"), "table"),
    **dict.fromkeys(("collective", "post", "runtime"), "program"),
})  # fmt: skip


def fitting(files: Sequence[Item], names: Sequence[str]) -> None:
    """Refuse options that none of some files is for; errors: `UsageError`."""
    kinds = {kind_of(file): file for file in files if not isinstance(file, Report)}
    for name in names if kinds else ():
        if ONLY[name] not in kinds:
            other, file = next(iter(kinds.items()))
            whole = f"{path_of(file)} is a {other}" if len(files) == 1 else f"all files here are {other}s"
            raise click.UsageError(f"{_said([name])} is for {ONLY[name]}s, and {whole}")


def noted(report: Report, names: Sequence[str]) -> Report:
    """A report that says which of these options it was made without."""
    without = [name for name in names if ONLY[name] != report.kind]
    if not without or report.exit in (Exit.CANNOT_CHECK, Exit.INTERRUPTED):
        return report
    are = "are" if len(without) > 1 else "is"
    title = f"{_said(without)} {are} for {ONLY[without[0]]}s: this {report.kind} is checked without"
    return replace(report, findings=(*report.findings, Finding("RP510", title, "note")))


def _said(names: Sequence[str]) -> str:
    return join_text([f"--{name.replace('_', '-')}" for name in names], "and")
