"""The set-up of `ringproof lsp --help`, word for word, in the editors that are at hand.

Neovim is the `nvim` on the path or the one that ``RINGPROOF_NVIM`` names; Helix is `hx`, Emacs `emacs`.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import termios
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="pip install 'ringproof[lsp]'")

from tests.conftest import HOME, Run
from tests.lsp_session import ENV, children, until_gone

WRONG = (HOME / "tests" / "wrong" / "ring_reduce_scatter_plus_one.toml").read_text(encoding="utf-8")
PROGRAM = HOME / "tests" / "programs" / "all_gather_dependence_dropped.xml"
TABLE = "a b é.toml"
SECONDS = 40.0
_ESCAPES = re.compile(r"\x1b\[[0-9;:?<>=$]*[A-Za-z]")  # colours and places of a terminal


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A user's folder: a table, a program, and the command `ringproof`, which notes its process."""
    (tmp_path / TABLE).write_text(WRONG.replace("2..64", "2..6"), encoding="utf-8")
    shutil.copy(tmp_path / TABLE, tmp_path / "ring.toml")
    shutil.copy(PROGRAM, tmp_path / "program.xml")
    command = tmp_path / "bin" / "ringproof"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\necho $$ >>"{tmp_path}/pids"\nexec "{sys.executable}" -m ringproof "$@"\n')
    command.chmod(0o755)
    return tmp_path


@pytest.fixture
def lines(run: Run) -> Any:
    """The lines of the help below the one that begins with an editor's name."""
    code, said = run("lsp", "--help")
    assert code == 0

    def below(editor: str) -> str:
        found = re.search(rf"^  {editor}.*:\n((?:    .*\n)+)", said, re.MULTILINE)
        assert found, said
        return textwrap.dedent(found[1])

    return below


def env(home: Path) -> dict[str, str]:
    """The environment of a user with nothing set up but what is written to ``home``."""
    places = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "DATA", "CACHE")}
    return {**ENV, **places, "HOME": str(home), "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "TERM": "xterm", "LC_ALL": "C.UTF-8", "RINGPROOF_FOLDER": str(home),
            "RINGPROOF_OUT": str(home / "out")}  # fmt: skip


def editor(name: str, oldest: tuple[int, int], given: str = "") -> str:
    """The command of an editor that is at hand and new enough."""
    command = os.environ.get(given) or shutil.which(name)
    if not command:
        pytest.skip(f"{name} is not installed")
    said = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=20).stdout
    number = re.search(r"(\d+)\.(\d+)", said)
    assert number, said
    if (int(number[1]), int(number[2])) < oldest:
        pytest.skip(f"{name} {number[0]} is older than {oldest[0]}.{oldest[1]}")
    return command


def servers(home: Path) -> list[int]:
    """The servers that were begun, and what they have begun."""
    begun = [int(pid) for pid in (home / "pids").read_text().split()]
    return begun + [child for pid in begun for child in children(pid)]


def written(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


# ---- Neovim -------------------------------------------------------------------------------------


@contextmanager
def neovim(home: Path, lines: Any, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    command = editor("nvim", (0, 11), "RINGPROOF_NVIM")
    written(home / "config" / "nvim" / "init.lua", lines("Neovim"))
    script = str(HOME / "tests" / "neovim.lua")
    process = subprocess.Popen([command, "--headless", "-S", script], env={**env(home), **more},
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip
    with process:
        try:
            yield process
        finally:
            process.kill()


def seen(home: Path) -> list[list[Any]]:
    """What the script has seen so far."""
    text = (home / "out").read_text(encoding="utf-8") if (home / "out").exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def test_neovim_with_the_lines_of_the_help(home: Path, lines: Any) -> None:
    with neovim(home, lines) as process:
        errors = process.communicate(timeout=SECONDS)[1].decode()
    found = seen(home)
    assert (process.returncode, found[-1:]) == (0, [["end"]]), (found, errors)
    table, row, mended, slips, offered, program, log, messages, _ = found
    assert table == ["filetype", "toml", [["RP301", 15, '"(r - s + 1) % N"']]]
    assert row[1].startswith("`reduce-scatter` at N = 4: 12 sends in 3 steps, reduce\n")
    assert mended == ["mended", []]
    assert slips == ["slips", [["RP110", 17, '"ü𝔫"'], ["RP106", 17, "Q"]]]
    assert [word.rstrip(" =") for word in offered[1]] == ["when"]  # 0.11 leaves off what follows the key
    assert program[:2] == ["filetype", "xml"]
    assert ["RP621", 7, '"s"'] in program[2]
    assert (log[1], messages[1]) == ([], "")
    until_gone(*servers(home))


def test_neovim_that_is_killed_leaves_nothing_behind(home: Path, lines: Any) -> None:
    with neovim(home, lines, RINGPROOF_STAY="1") as process:
        ends = time.monotonic() + SECONDS
        while not seen(home):
            assert process.poll() is None, seen(home)
            assert time.monotonic() < ends, seen(home)
            time.sleep(0.05)
        left = servers(home)
        assert len(left) > 1  # it has a process that checks
        process.send_signal(signal.SIGKILL)
        until_gone(*left)


# ---- Helix --------------------------------------------------------------------------------------


def test_helix_knows_the_server_for_tables_and_programs(home: Path, lines: Any) -> None:
    command = editor("hx", (23, 5))
    written(home / "config" / "helix" / "languages.toml", lines("Helix"))
    for language in ("toml", "xml"):
        found = subprocess.run([command, "--health", language], env=env(home), capture_output=True,
                               text=True, timeout=20)  # fmt: skip
        said = _ESCAPES.sub("", found.stdout)
        assert f"✓ ringproof: {home / 'bin' / 'ringproof'}" in said, said + found.stderr


@pytest.mark.parametrize(("name", "line", "words"), [
    (TABLE, 16, "refuted for N = 3..6"), ("program.xml", 8, "data races"),
])  # fmt: skip
def test_helix_shows_what_is_wrong(home: Path, lines: Any, name: str, line: int, words: str) -> None:
    command = editor("hx", (25, 1))
    written(home / "config" / "helix" / "languages.toml", lines("Helix"))
    shown = on_screen([command, f"{name}:{line}"], home, words)
    assert words in shown, shown[-2000:]
    until_gone(*servers(home))


def on_screen(command: list[str], home: Path, words: str) -> str:
    """What a command writes to its terminal until it has written some words and was told to quit."""
    try:
        ours, theirs = os.openpty()
    except OSError as error:
        pytest.skip(f"there is no terminal to be had: {error}")
    termios.tcsetwinsize(theirs, (40, 150))
    process = subprocess.Popen(command, cwd=home, env=env(home), start_new_session=True, stdin=theirs,
                               stdout=theirs, stderr=theirs)  # fmt: skip
    os.close(theirs)
    shown, ends = "", time.monotonic() + SECONDS
    with process, suppress(OSError):  # it has closed its side
        try:
            while words not in _ESCAPES.sub("", shown) and time.monotonic() < ends:
                if select.select([ours], [], [], 0.2)[0]:
                    shown += os.read(ours, 1 << 16).decode("utf-8", "replace")
            os.write(ours, b":quit!\r")
            while select.select([ours], [], [], 5)[0] and os.read(ours, 1 << 16):
                pass
        finally:
            process.kill()
    os.close(ours)
    return _ESCAPES.sub("", shown)


# ---- Emacs --------------------------------------------------------------------------------------


def test_emacs_with_the_lines_of_the_help(home: Path, lines: Any) -> None:
    command = editor("emacs", (30, 1))
    written(home / "init.el", lines("Emacs"))
    found = subprocess.run(
        [command, "--batch", "-Q", "-l", str(home / "init.el"), "-l", str(HOME / "tests" / "eglot.el")],
        env=env(home), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    said = [line for line in found.stderr.split("\n") if line.startswith(("(", "nil", "silent"))]
    assert found.returncode == 0, found.stderr
    assert said == [
        '(conf-toml-mode ("RP301"))', '("`(r - s - 1) % N` here is proved for N = 2..6")', "nil",
        '(nxml-mode ("RP621" "RP623" "RP624" "RP622"))',
    ]  # fmt: skip
    until_gone(*servers(home))
