"""`schema` and `completion`: what other tools know ringproof by."""

from __future__ import annotations

import json
from typing import Literal

import click

from ringproof.output import reader_may_leave
from ringproof.verdict import Exit


def run_schema(what: Literal["table", "report"]) -> Exit:
    """Print the JSON Schema of a table, or of the JSON report."""
    with reader_may_leave():
        click.echo(schema_text(what), nl=False)
    return Exit.PROVED


def schema_text(what: Literal["table", "report"]) -> str:
    """A JSON Schema as it is printed and as it lies beside tables."""
    from ringproof.report.json_schema import schema as of_report
    from ringproof.table.json_schema import schema as of_table

    found = of_table() if what == "table" else of_report()
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def run_completion(shell: str, command: click.Command) -> Exit:
    """Print the script that makes a shell ask ringproof for the words that may come next."""
    from click.shell_completion import ShellComplete, get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion for {shell}")
    made = found(command, {}, "ringproof", "_RINGPROOF_COMPLETE")
    with reader_may_leave():
        click.echo(ShellComplete.source(made))  # a bash too old says so itself, when the script runs
    return Exit.PROVED
