"""A file that is written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


class CannotWrite(Exception):
    """A file that cannot be written; the message says why."""


def writable(path: str, source: str) -> None:
    """Say before the work that a file could not, or should not, be written; errors: `CannotWrite`."""
    if os.path.realpath(path) == os.path.realpath(source):
        raise CannotWrite(f"the result would overwrite {path} itself")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise CannotWrite(f"cannot write {path}: there is no folder {folder}")
    if os.path.isdir(path):
        raise CannotWrite(f"cannot write {path}: it is a folder")
    there = os.path.exists(path)
    if (there and not os.access(path, os.W_OK)) or (_plain(path) and not os.access(folder, os.W_OK)):
        raise CannotWrite(f"cannot write {path}: you have no permission to")


def write(path: str, text: str) -> None:
    """Write a text beside its place and move it there; errors: `CannotWrite`."""
    waiting = ""
    try:
        if not _plain(path):  # a device or a pipe stays what it is
            Path(path).write_bytes(text.encode("utf-8"))
            return
        handle, waiting = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".ringproof-")
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
        os.chmod(waiting, 0o644)
        os.replace(waiting, path)
        waiting = ""
    except OSError as error:
        raise CannotWrite(f"cannot write {path}: {(error.strerror or '').lower()}") from None
    finally:
        if waiting:
            Path(waiting).unlink(missing_ok=True)


def _plain(path: str) -> bool:
    return not os.path.exists(path) or os.path.isfile(path)
