"""`schema`: the JSON Schemas that other tools read ringproof's files by."""

from __future__ import annotations

import json
from typing import Literal

import click

from ringproof.output import reader_may_leave
from ringproof.verdict import Exit


def run_schema(what: Literal["table", "report"]) -> Exit:
    """Print the JSON Schema of a table, or of the JSON report."""
    from ringproof.report.json_schema import schema as report

    with reader_may_leave():
        click.echo(json.dumps(report(), indent=2, ensure_ascii=False))
    return Exit.PROVED
