"""Files whose check did not come to an end -> findings: who or what ended it, and what to do."""

from __future__ import annotations

import traceback
from pathlib import PurePath

from ringproof.verdict import Finding

_LONGEST = 300  # characters of what an exception says


def worker_died(how: str) -> Finding:
    """A file that nobody lived to check; ``how`` the last worker ended or why there was none, in words."""
    title = "not checked: no worker came to the end of this file, and it was tried twice"
    helps = ("allow less memory with --memory, narrow the sizes with -N, or check this file alone",)
    return Finding("RP506", title, notes=(how,), helps=helps)


def not_reached() -> Finding:
    """A file that an interruption left unchecked."""
    return Finding("RP507", "not checked to its end: interrupted", "warning")


def cluster_lost(why: str) -> Finding:
    """A file that a cluster left unchecked because it is gone."""
    helps = ("what is reported of other files stands; check this one again, without --executor if need be",)
    return Finding("RP509", f"not checked to its end: {why}", helps=helps)


def internal_error(error: Exception) -> Finding:
    """An exception that nobody expected: a bug in ringproof, told so that it can be found.

    The traceback names files from their packages on, so that it is the same on every machine.
    """
    frames = [f"{_below(frame.filename)}:{frame.lineno} in {frame.name}"
              for frame in traceback.extract_tb(error.__traceback__)]  # fmt: skip
    said = " ".join(str(error).split())[:_LONGEST]
    told = f"{type(error).__name__}: {said}" if said else type(error).__name__
    notes = (f"raised at {frames[-1]}",) if frames else ()
    helps = ("this is a bug in ringproof: please report it, with the file and `ringproof --version`",)
    details = {"exception": type(error).__name__, "traceback": frames}
    title = f"internal error, so nothing is claimed of this file: {told}"
    return Finding("RP508", title, notes=(*notes, *getattr(error, "__notes__", ())), helps=helps,
                   details=details)  # fmt: skip


def _below(path: str) -> str:
    """A file's path from the package on that it is in, or its name alone."""
    parts = PurePath(path).parts
    if "site-packages" in parts:
        return "/".join(parts[parts.index("site-packages") + 1 :])
    tops = [i for i, part in enumerate(parts) if part == "ringproof"]
    return "/".join(parts[tops[-1] if tops else -1 :])
