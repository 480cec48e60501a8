"""Printing for a reader who may leave early, or never have been there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """What is printed may go unread: a reader such as `head` leaves when it has seen enough.

    Then the rest of the block is passed over, so no verdict is found or returned in it.

    Errors: `ClickException` when it cannot be printed for another reason, such as a full disk.
    """
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered goes there
        if not isinstance(error, BrokenPipeError):
            reason = (error.strerror or "").lower()
            raise click.ClickException(f"cannot write the report: {reason}") from None


def say(text: str) -> None:
    """Print a line, which may go unread; errors: as `reader_may_leave`."""
    with reader_may_leave():
        click.echo(text)


def aside(text: str, end: str = "\n") -> None:
    """Write to stderr beside the report; a verdict does not depend on who reads that."""
    with suppress(OSError):
        click.echo(text + end, nl=False, err=True)
