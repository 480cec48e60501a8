"""Nobody reads what is printed, it cannot be written, or somebody interrupts: the exit code stays true."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from ringproof.verdict import Exit
from tests.conftest import HOME, sampled
from tests.runs import (
    WAIT,
    Environment,
    Table,
    alive,
    begun,
    children,
    held_up,
    hooked,
    interrupt,
    needs_proc,
    table,
    until,
)

__all__ = ["hooked", "table"]  # fixtures
ENDS = {
    ("verify-figure", "README.md"): 2, ("trace", "tests/wrong/ring_flipped_sign.toml", "-N", "3"): 1,
    ("explain", "--all"): 0, ("fuzz", "schedules/ring_all_gather.toml", "--mutants", "2"): 0,
    ("--help",): 0, ("--version",): 0, ("check", "-h"): 0, ("nonsense",): 2, ("explain", "RP301"): 0,
    ("check", "-N", "3", "tests/wrong/ring_flipped_sign.toml"): 1,
    ("certify", "tests/wrong/ring_flipped_sign.toml", "-o", "nowhere"): 1,
    ("bound", "--collective", "all-gather", "-N", "2"): 0, ("verify", "nowhere"): 2,
    ("convert", "tests/wrong/ring_flipped_sign.toml", "-N", "3", "-o", "-"): 1,
    ("fuzz", "tests/wrong/ring_flipped_sign.toml"): 1,
}  # fmt: skip


def ended(line: tuple[str, ...], out: int, aside: int) -> int:
    command = [sys.executable, "-m", "ringproof", *line]
    return subprocess.run(command, cwd=HOME, stdin=subprocess.DEVNULL, stdout=out, stderr=aside,
                          timeout=WAIT).returncode  # fmt: skip


@pytest.mark.parametrize("line", sampled(ENDS, 3), ids=" ".join)
def test_a_reader_who_left_changes_no_verdict(line: tuple[str, ...]) -> None:
    assert ended(line, subprocess.DEVNULL, subprocess.DEVNULL) == ENDS[line]
    read, unread = os.pipe()
    os.close(read)
    try:
        assert ended(line, unread, subprocess.DEVNULL) == ENDS[line]
        assert ended(line, subprocess.DEVNULL, unread) == ENDS[line]
        assert ended(line, unread, unread) == ENDS[line]
    finally:
        os.close(unread)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")
@pytest.mark.parametrize("line", sampled(ENDS, 3, 1), ids=" ".join)
def test_what_cannot_be_printed_is_no_verdict(line: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        assert ended(line, full.fileno(), full.fileno()) == Exit.CANNOT_CHECK
        assert ended(line, subprocess.DEVNULL, full.fileno()) == ENDS[line]


def test_a_closed_stderr_is_no_terminal() -> None:
    line = [sys.executable, "-m", "ringproof", "bound", "--collective", "all-gather", "-N", "2"]
    done = subprocess.run(["sh", "-c", '"$@" 2>&-', "sh", *line], cwd=HOME, capture_output=True, timeout=WAIT)
    assert done.returncode == Exit.PROVED


# ---- Ctrl-C -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_an_interruption_while_the_report_is_printed_leaves_it_whole(form: str) -> None:
    """The report is longer than a pipe holds, and of it one byte is read before the interruption."""
    process = begun("schedules", "-N", "2..3", "--bounded", "-j", "1", "--format", form)
    assert process.stdout
    first = os.read(process.stdout.fileno(), 1)
    time.sleep(0.1)
    interrupt(process)
    printed, aside = process.communicate(timeout=WAIT)
    printed = first + printed
    assert (process.returncode, aside) == (Exit.INTERRUPTED, b"interrupted\n")
    assert len(printed) > 1 << 16
    json.loads(printed)


BEGINNING = """
import os, signal, sys, types
from pathlib import Path
import ringproof.__main__ as main

class Finder:
    def find_spec(name, *others):
        if name == {at!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
sys.argv = ["ringproof", "check", "schedules/ring.toml", "-N", "2"]
sys.exit(main.main())
"""


@pytest.mark.parametrize("at", ["ringproof.interrupt", "ringproof.cli", "multiprocessing"])
def test_an_interruption_at_the_beginning_has_no_traceback(at: str) -> None:
    done = subprocess.run([sys.executable, "-c", BEGINNING.format(at=at)], cwd=HOME, capture_output=True,
                          timeout=WAIT)  # fmt: skip
    assert (done.returncode, done.stderr) == (Exit.INTERRUPTED, b"interrupted\n")


def test_an_interruption_is_heard_while_modules_are_half_imported() -> None:
    script = (
        "import os, signal, sys, time, types\n"
        "sys.modules['multiprocessing'] = types.ModuleType('multiprocessing')\n"
        "from ringproof.interrupt import leave_at_once\n"
        "leave_at_once()\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "time.sleep(20)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=HOME, capture_output=True, timeout=WAIT)
    assert (done.returncode, done.stderr) == (Exit.INTERRUPTED, b"interrupted\n")


@needs_proc
def test_a_hangup_ends_a_check_and_its_processes(table: Table, hooked: Environment) -> None:
    held = table("held")
    process = begun("schedules/ring.toml", held, "-j", "2", "-N", "2..3", env=hooked)
    workers = {held_up(held)} | children(process.pid)
    process.send_signal(signal.SIGHUP)
    printed, aside = process.communicate(timeout=WAIT)
    assert (process.returncode, aside) == (-signal.SIGHUP, b"")
    assert b"internal error" not in printed
    until(lambda: not any(map(alive, workers)))
