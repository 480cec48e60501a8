"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path


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
    there, plain = os.path.exists(path), not os.path.exists(path) or os.path.isfile(path)
    if (there and not os.access(path, os.W_OK)) or (plain and not os.access(folder, os.W_OK)):
        raise TargetError(f"cannot write {path}: you have no permission to")


def write(files: Mapping[str, bytes]) -> None:
    """Write all files or none, each moved into place whole; errors: `TargetError`.

    A link stays a link.  A device or a pipe is written to, once all else is ready: it cannot be moved into.
    """
    waiting: dict[str, str] = {}
    places = {path: os.path.realpath(path) for path in files}
    special = [path for path, place in places.items() if os.path.exists(place) and not os.path.isfile(place)]
    at = ""
    try:
        for path, content in files.items():
            at = path
            if path not in special:
                handle, name = tempfile.mkstemp(dir=os.path.dirname(places[path]), prefix=".ringproof-")
                waiting[path] = name
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.chmod(name, 0o644)
        for at in special:
            with open(at, "wb") as file:
                file.write(files[at])
        for at in list(waiting):
            os.replace(waiting[at], places[at])
            del waiting[at]
    except OSError as error:
        raise TargetError(f"cannot write {at}: {(error.strerror or str(error)).lower()}") from None
    finally:
        for name in waiting.values():
            Path(name).unlink(missing_ok=True)
