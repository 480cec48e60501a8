"""Reports in several formats: each module renders finished reports to text, and prints nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ringproof.verdict import Report

FORMATS = ("text", "concise", "json", "sarif", "github", "junit")


def renderer(form: str) -> Callable[[Sequence[Report]], str]:
    """What writes reports in a format; only that one is imported.  Errors: `ValueError`."""
    if form not in FORMATS:
        raise ValueError(f"unknown format {form!r}; there are: {', '.join(FORMATS)}")
    found: Callable[[Sequence[Report]], str] = import_module(f"ringproof.report.{form}").render
    return found
