"""Which ringproof this is, and which solvers it would ask."""

from __future__ import annotations

_SOLVERS = {"z3": "z3-solver", "cvc5": "cvc5"}
_UNKNOWN = "0+source"  # it runs without being installed


def version() -> str:
    """The version of the installed package; ``0+source`` where it runs without being installed."""
    return _of("ringproof") or _UNKNOWN


def versions() -> list[str]:
    """A line each: ringproof, the solvers, Python.  Read from what is installed, nothing is loaded."""
    import platform

    lines = [f"ringproof {version()}"]
    lines += [f"{name} {_of(package) or 'not installed'}" for name, package in _SOLVERS.items()]
    return [*lines, f"python {platform.python_version()}"]


def kin() -> dict[str, str]:
    """The versions that must be the same wherever one check is shared, as a verdict may hang on them."""
    import platform

    python = ".".join(platform.python_version_tuple()[:2])
    return {"ringproof": version(), "z3": _of(_SOLVERS["z3"]) or "not installed", "python": python}


def _of(package: str) -> str:
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as of

    try:
        return of(package)
    except PackageNotFoundError:
        return ""
