"""Files that are written whole or not at all, and those that can only be written in place."""

from __future__ import annotations

import errno
import os
import re
import shlex
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ringproof import outfile
from ringproof.outfile import TargetError, writable, write
from ringproof.verdict import Exit
from tests.conftest import HOME, Run

RING = ("check", "schedules/ring_all_gather.toml", "-N", "2..3", "--format", "concise")


def refusing(monkeypatch: pytest.MonkeyPatch, name: str, number: int) -> list[str]:
    """Have a function of `os` fail in a folder; whoever is root is refused nothing otherwise."""
    refused: list[str] = []
    as_it_is = getattr(os, name)

    def refuse(path: str, *others: object, **more: object) -> object:
        if isinstance(path, str) and ".ringproof-" in path:
            refused.append(path)
            raise OSError(number, os.strerror(number))
        return as_it_is(path, *others, **more)

    monkeypatch.setattr(outfile.os, name, refuse)
    return refused


def test_a_report_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.txt"
    target.write_text("old")
    refused = refusing(monkeypatch, "open", errno.ENOSPC)
    assert run(*RING, "-o", str(target))[0] == Exit.CANNOT_CHECK
    assert refused
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_an_end_while_it_is_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the new content is in the file before all of it is."""
    target = tmp_path / "report.txt"
    target.write_text("old")
    seen = []

    def replace(name: str, place: str) -> None:
        seen.append((Path(name).read_bytes(), target.read_text()))
        as_it_is(name, place)

    as_it_is = os.replace
    monkeypatch.setattr(outfile.os, "replace", replace)
    write({str(target): b"new"})
    assert seen == [(b"new", "old")]
    assert target.read_text() == "new"


@pytest.mark.parametrize(("what", "number"), [
    ("open", errno.EACCES), ("open", errno.EROFS),  # the folder takes no new file
    ("replace", errno.EBUSY), ("replace", errno.EPERM),  # a file that is mounted; somebody else's, in /tmp
])  # fmt: skip
def test_a_file_that_nothing_can_be_moved_into_is_written_in_place(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, what: str, number: int
) -> None:
    target = tmp_path / "report.txt"
    target.write_text("old, and much longer than what is new" * 20)
    before = target.stat().st_ino
    refused = refusing(monkeypatch, what, number)
    assert run(*RING, "-o", str(target))[0] == Exit.PROVED
    assert refused
    assert target.read_text().splitlines()[-1].startswith("schedules/ring_all_gather.toml: proved")
    assert "old" not in target.read_text()
    assert target.stat().st_ino == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_where_none_can_be_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing(monkeypatch, "open", errno.EACCES)
    with pytest.raises(TargetError, match=r"cannot write .*report\.txt: permission denied"):
        write({str(tmp_path / "report.txt"): b"new"})
    assert list(tmp_path.iterdir()) == []


def test_a_file_keeps_its_mode_and_a_new_one_gets_the_usual(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(0o604)
    mask = os.umask(0o027)
    try:
        write({str(tmp_path / "old"): b"a", str(tmp_path / "new"): b"b"})
    finally:
        os.umask(mask)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("old", "new")] == [0o604, 0o640]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name")
def test_a_report_goes_through_a_pipe(tmp_path: Path, run: Run) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    code, printed = run(*RING, "-o", str(pipe))
    reader.join(timeout=60)
    assert (code, printed) == (Exit.PROVED, "")
    assert read == [run(*RING)[1]]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout")
@pytest.mark.parametrize("into", [">> out.txt", "| cat >> out.txt"])
def test_dev_stdout_is_standard_output(tmp_path: Path, into: str) -> None:
    command = [sys.executable, "-m", "ringproof", "check", str(HOME / RING[1]), *RING[2:]]
    (tmp_path / "out.txt").write_text("first\n")
    line = f"{shlex.join(command)} -o /dev/stdout {into}"
    ran = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=60,
                         env={**os.environ, "PYTHONPATH": str(HOME)})  # fmt: skip
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert re.match("first\n.*proved", (tmp_path / "out.txt").read_text(), re.DOTALL)
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_what_could_not_be_written_is_said_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "table.toml").write_text("x")
    denied = [str(tmp_path / "closed"), str(tmp_path / "locked.txt")]
    monkeypatch.setattr(outfile.os, "access", lambda path, mode: path not in denied)
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "there.txt").write_text("old")
    (tmp_path / "locked.txt").write_text("old")
    writable(str(tmp_path / "closed" / "there.txt"), [], "")  # in place
    for path, told in (("closed/new.txt", "no permission"), ("locked.txt", "no permission"),
                       ("nowhere/new.txt", "there is no folder"), ("closed", "it is a folder"),
                       ("table.toml", "over it")):  # fmt: skip
        with pytest.raises(TargetError, match=told):
            writable(str(tmp_path / path), [str(tmp_path / "table.toml")], "over it")
