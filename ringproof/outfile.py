"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

_CLOSED = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY}


class TargetError(Exception):
    """A file that cannot be written; the message says why and what to do."""


def writable(path: str, sources: Sequence[str], overwriting: str) -> None:
    """Say before the work that a file could not, or should not, be written; errors: `TargetError`.

    ``overwriting`` is what to say where it is one of the ``sources``.
    """
    if any(os.path.realpath(path) == os.path.realpath(source) for source in sources):
        raise TargetError(overwriting)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise TargetError(f"cannot write {path}: there is no folder {folder}")
    if os.path.isdir(path):
        raise TargetError(f"cannot write {path}: it is a folder")
    there = os.path.exists(path)
    if not os.access(path if there else folder, os.W_OK):
        raise TargetError(f"cannot write {path}: you have no permission to")


def write(files: Mapping[str, bytes]) -> None:
    """Write all files or none, each moved into place whole; errors: `TargetError`.

    A link stays a link, and a file keeps its mode.  What nothing can be moved into is written in
    place, once all else is ready: a device, a pipe, and a file in a folder that takes no new one.
    """
    waiting: dict[str, str] = {}
    in_place: list[str] = []
    at = ""
    try:
        for at, content in files.items():
            name = "" if _special(at) else _beside(os.path.realpath(at), content)
            if name:
                waiting[at] = name
            else:
                in_place.append(at)
        for at in in_place:
            _into(at, files[at])
        for at in list(waiting):
            _move(waiting[at], os.path.realpath(at), files[at])
            del waiting[at]
    except OSError as error:
        raise TargetError(f"cannot write {at}: {(error.strerror or str(error)).lower()}") from None
    finally:
        for name in waiting.values():
            Path(name).unlink(missing_ok=True)


def _special(path: str) -> bool:
    """Whether a path is no file; /dev/stdout is none even where it leads to one, which others hold open."""
    there = os.path.exists(path)
    return there and (not os.path.isfile(path) or os.path.abspath(path).startswith(("/dev/", "/proc/")))


def _beside(place: str, content: bytes) -> str:
    """A new file in the same folder; none where the folder takes no new file and there is one already."""
    name = os.path.join(os.path.dirname(place), f".ringproof-{secrets.token_hex(8)}")
    try:
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        if error.errno in _CLOSED and os.path.isfile(place):
            return ""
        raise
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if os.path.exists(place):
            shutil.copymode(place, name)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return name


def _move(name: str, place: str, content: bytes) -> None:
    try:
        os.replace(name, place)
    except OSError as error:
        if error.errno not in _CLOSED:
            raise
        _into(place, content)  # it is mounted by itself, or somebody else's in a folder like /tmp
        Path(name).unlink()


def _into(path: str, content: bytes) -> None:
    """Write in place, which an end of the process can leave half done: there is no other way in."""
    with open(path, "ab" if _special(path) else "wb") as file:  # standard output may go to the end of a log
        file.write(content)
