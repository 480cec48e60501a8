"""Printing for a reader who may leave early."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """What is printed may go unread: a reader such as `head` leaves when it has seen enough.

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
