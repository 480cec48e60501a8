"""Which ringproof this is."""

from __future__ import annotations


def version() -> str:
    """The version of the installed package; ``0+source`` where it runs without being installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as of

    try:
        return of("ringproof")
    except PackageNotFoundError:
        return "0+source"
