"""A certificate as a folder: the table, the guesses, and one file for every question.

    certificate.json   what is proved, the guesses, the hashes of the tables, the list of questions
    ring.toml          the table, with the tables it uses
    questions/0001.smt2 ...
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import Any

DATA, QUESTIONS = "certificate.json", "questions"
LARGEST = 64 << 20  # bytes of one file


class Unreadable(Exception):
    """A folder that cannot be read or written as a certificate: why, and in which line of which file."""


@dataclass(frozen=True, slots=True)
class Folder:
    """``tables``: name within the folder -> text, the table itself first; ``questions`` in order."""

    data: Mapping[str, Any]
    tables: Mapping[str, str]
    questions: tuple[str, ...]


def names(table: str, used: Sequence[str]) -> list[str]:
    """What the table and those it uses are called within the folder; errors: `Unreadable`."""
    home = os.path.dirname(table)
    found = [os.path.basename(table)]
    for path in dict.fromkeys(used):
        name = PurePosixPath(Path(os.path.relpath(path, home or ".")))
        if ".." in name.parts:
            raise Unreadable(f"{path} is not below the folder of the table that uses it")
        found.append(str(name))
    return list(dict.fromkeys(found))


def write(path: str, folder: Folder) -> None:
    """Write a whole certificate or nothing; one that is there already is replaced.

    Errors: `Unreadable`, also where the folder holds anything else.
    """
    home = Path(path)
    if home.exists() and not (home / DATA).is_file() and (not home.is_dir() or any(home.iterdir())):
        raise Unreadable(f"{path} is there already and holds no certificate")
    data = {**folder.data, "tables": {name: _digest(text) for name, text in folder.tables.items()}}
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        made = Path(mkdtemp(prefix=f".{home.name}-", dir=home.parent))
        try:
            made.chmod(0o755)
            (made / QUESTIONS).mkdir()
            for name, text in folder.tables.items():
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                (made / name).write_bytes(text.encode())
            for entry, text in zip(data["questions"], folder.questions, strict=True):
                (made / QUESTIONS / entry["file"]).write_bytes(text.encode())
            (made / DATA).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
            if home.exists():
                shutil.rmtree(home)
            made.rename(home)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        raise Unreadable(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read(path: str) -> Folder:
    """Read a certificate; errors: `Unreadable` where it is none, `Changed` where a hash differs."""
    home = Path(path)
    if not (home / DATA).is_file():
        raise Unreadable(f"{path} holds no {DATA}")
    text = _text(home / DATA)
    data = _json(text, home / DATA)
    if not isinstance(data, dict) or not isinstance(data.get("tables"), dict) or not data["tables"]:
        raise Unreadable(f"{home / DATA}:{_line(text, 'tables')}: it names no table")
    tables = {name: _table(home, str(name), digest) for name, digest in data["tables"].items()}
    asked = data.get("questions")
    if not isinstance(asked, list) or not all(isinstance(q, dict) for q in asked):
        raise Unreadable(f"{home / DATA}:{_line(text, 'questions')}: it lists no questions")
    listed = [f"{number:04}.smt2" for number in range(1, len(asked) + 1)]
    there = sorted(p.name for p in (home / QUESTIONS).glob("*"))
    if [q.get("file") for q in asked] != listed or there != listed:
        odd = sorted({*there} ^ {*listed}) or ["their order"]
        raise Changed(f"the files in {QUESTIONS}/ are not those that {DATA} lists: {odd[0]}")
    files = [home / QUESTIONS / name for name in listed]
    if sum(file.stat().st_size for file in files if file.is_file()) > LARGEST:
        raise Unreadable(f"{home / QUESTIONS} holds more than {LARGEST >> 20} MiB")
    questions = tuple(map(_text, files))
    return Folder({k: v for k, v in data.items() if k != "tables"}, tables, questions)


def _json(text: str, path: Path) -> Any:
    """What a text of JSON says; errors: `Unreadable` with the line and the column."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg.lower()}") from None
    except RecursionError:
        raise Unreadable(f"{path}:1: lists in lists, too deep to read") from None
    except ValueError:  # of an int
        number = re.search(r"[0-9]{1000,}", text)
        line = text.count("\n", 0, number.start() if number else 0) + 1
        raise Unreadable(f"{path}:{line}: a number has too many digits") from None


def _line(text: str, key: str) -> int:
    """The line from 1 that gives a key, or else the first."""
    return text.count("\n", 0, max(text.find(f'"{key}"'), 0)) + 1


class Changed(Exception):
    """A file of a certificate is not the one that was certified, and what differs."""


def _table(home: Path, name: str, digest: Any) -> str:
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or PurePosixPath(name).is_absolute():
        raise Unreadable(f"{name!r} is no name within the folder")
    text = _text(home / name)
    if _digest(text) != digest:
        raise Changed(f"{name} is not the table that was certified: its SHA-256 is {_digest(text)}, "
                      f"the certificate says {digest}")  # fmt: skip
    return text


def _text(path: Path) -> str:
    """A file as text, its line ends as they are."""
    try:
        if path.exists() and not path.is_file():
            raise Unreadable(f"cannot read {path}: it is no file")
        if path.stat().st_size > LARGEST:  # it is not read at all
            raise Unreadable(f"{path} is larger than {LARGEST >> 20} MiB")
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise Unreadable(f"cannot read {path}: {reason}") from None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise Unreadable(f"{path}:{line}: not UTF-8: the byte 0x{raw[error.start]:02x}") from None
