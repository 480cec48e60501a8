"""At home in other tools: shells that complete, pre-commit, versions, ``python -m``."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from importlib.metadata import version as installed
from pathlib import Path

import click
import pytest
import yaml

from ringproof.cli import cli
from ringproof.verdict import Exit
from ringproof.version import versions
from tests.conftest import HOME, Run

RING = "schedules/ring.toml"
WRONG = "tests/wrong/ring_reduce_scatter_plus_one.toml"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which ``ringproof`` is a command, and nobody's shell is set up in any way."""
    folder = tmp_path_factory.mktemp("bin")
    command = folder / "ringproof"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ringproof "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    scratch = tmp_path_factory.mktemp("home")
    kept = {k: v for k, v in os.environ.items() if k in ("LANG", "LC_ALL", "TMPDIR")}
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return {**kept, "PATH": path, "HOME": str(scratch), "PYTHONPATH": str(HOME), "TERM": "dumb"}


def needs(name: str) -> str:
    found = shutil.which(name)
    if not found:
        pytest.skip(f"{name} is not installed")
    return found


# ---- shells -------------------------------------------------------------------------------------

ASKED = [
    ("ringproof che", {"check"}),
    ("ringproof check --for", {"--format"}),
    ("ringproof check --format sa", {"sarif"}),
    ("ringproof explain incom", {"incomplete"}),
    ("ringproof completion ", {"bash", "fish", "zsh"}),
    ("ringproof bound --collective all-", {"all-gather", "all-reduce", "all-to-all"}),
    ("ringproof check schedules/ring.t", {RING}),
    ("ringproof draw -N 4 schedules/ring.t", {RING}),
]


@pytest.mark.parametrize(("line", "words"), ASKED)
def test_bash_completes(environment: dict[str, str], line: str, words: set[str]) -> None:
    bash = needs("bash")
    asked = line.split(" ")
    script = (
        'eval "$(ringproof completion bash)"; compopt() { echo "compopt" "$@"; }; '
        f"COMP_WORDS=({' '.join(repr(word) for word in asked)}); COMP_CWORD={len(asked) - 1}; "
        f"_ringproof_completion ringproof {asked[-1]!r} {asked[-2]!r}; "
        'printf "%s\\n" "${COMPREPLY[@]}"; complete -p ringproof'
    )
    command = [bash, "--norc", "--noprofile", "-c", script]
    done = subprocess.run(command, cwd=HOME, env=environment, capture_output=True, text=True, timeout=60)
    *found, registered = done.stdout.splitlines()
    assert done.stderr == ""
    assert "-F _ringproof_completion" in registered
    if words == {RING}:  # to complete a file, the script hands the word back to bash
        assert "compopt -o default" in found
    else:
        assert set(found) == words


@pytest.mark.parametrize(("line", "words"), ASKED)
def test_fish_completes(environment: dict[str, str], line: str, words: set[str]) -> None:
    fish = needs("fish")
    script = f"ringproof completion fish | source; complete -C '{line}'"
    command = [fish, "--no-config", "-c", script]
    done = subprocess.run(command, cwd=HOME, env=environment, capture_output=True, text=True, timeout=60)
    found = {row.split("\t")[0] for row in done.stdout.splitlines()}
    assert done.stderr == ""
    assert found == words


@pytest.mark.parametrize(("line", "words"), ASKED)
def test_zsh_completes(environment: dict[str, str], line: str, words: set[str]) -> None:
    zsh = needs("zsh")
    shell, theirs = pty.openpty()
    env = {**environment, "COLUMNS": "200", "LINES": "50"}
    begun = subprocess.Popen([zsh, "-f", "-i"], cwd=HOME, env=env, start_new_session=True,
                             stdin=theirs, stdout=theirs, stderr=theirs)  # fmt: skip
    os.close(theirs)
    try:
        setup = "autoload -Uz compinit; compinit -u -D; eval \"$(ringproof completion zsh)\"; echo rea''dy\n"
        assert "ready" in told(shell, setup, "ready")
        shown = told(shell, f"{line}\t", *words)
        for word in words:
            assert word in shown
        assert "command not found" not in shown
    finally:
        begun.kill()
        begun.wait()
        os.close(shell)


def told(shell: int, typed: str, *until: str) -> str:
    """What a terminal shows after something is typed, until it shows some words."""
    os.write(shell, typed.encode())
    shown, ends = "", time.monotonic() + 20
    while time.monotonic() < ends:
        if select.select([shell], [], [], 0.1)[0]:
            shown += os.read(shell, 1 << 16).decode("utf-8", "replace")
        if all(word in shown for word in until):
            return shown
    return shown


def test_every_file_that_a_command_takes_is_completed() -> None:
    """An argument that is a path says so to the shell."""
    for name, command in cli.commands.items():
        for argument in command.params:
            if isinstance(argument, click.Argument) and argument.name in ("path", "paths"):
                items = argument.type.shell_complete(click.Context(command), argument, "x")
                assert [item.type for item in items] == ["file"], name


def test_a_shell_that_is_not_known(run: Run) -> None:
    assert run("completion", "tcsh")[0] == Exit.CANNOT_CHECK
    assert run("completion")[0] == Exit.CANNOT_CHECK


# ---- versions -----------------------------------------------------------------------------------


def test_the_version_names_the_solvers(run: Run) -> None:
    code, printed = run("--version")
    assert code == Exit.PROVED
    assert printed.splitlines() == versions()
    assert f"z3 {installed('z3-solver')}" in printed.splitlines()
    assert [line.split(" ")[0] for line in printed.splitlines()] == ["ringproof", "z3", "cvc5", "python"]


def test_a_solver_that_is_not_there_is_told() -> None:
    script = (
        "import sys, importlib.metadata as m\n"
        "def of(name): raise m.PackageNotFoundError(name)\n"
        "m.version = of\n"
        "from ringproof.version import versions\n"
        "print(versions()[:3], 'z3' in sys.modules)"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=60)
    assert done.stdout == "['ringproof 0+source', 'z3 not installed', 'cvc5 not installed'] False\n"


def test_the_module_is_the_command() -> None:
    def process(*command: str) -> tuple[int, bytes]:
        done = subprocess.run([sys.executable, *command], cwd=HOME, capture_output=True, timeout=60)
        return done.returncode, done.stdout

    assert process("-m", "ringproof", "explain", "RP301")[0] == Exit.PROVED
    assert process("-m", "ringproof", "check", "nowhere.toml")[0] == Exit.CANNOT_CHECK
    usage = process("-m", "ringproof", "--help")
    assert usage[1].startswith(b"Usage: ringproof ")


# ---- a workflow ---------------------------------------------------------------------------------


def test_the_workflow_annotates_what_is_wrong(run: Run) -> None:
    text = (HOME / "README.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    workflow = yaml.safe_load(told)
    assert set(workflow) == {True, "permissions", "jobs"}  # YAML 1.1 reads `on` as a truth value
    assert workflow["permissions"] == {"contents": "read"}  # annotations are printed, not written
    (job,) = workflow["jobs"].values()
    commands = [step["run"].split() for step in job["steps"] if "run" in step]
    assert [command[0] for command in commands] == ["pip", "ringproof"]
    assert commands[1][-1] == "schedules"
    code, output = run(*commands[1][1:-1], WRONG, "--bounded")
    assert code == Exit.REFUTED
    assert f"::error file={WRONG},line=16," in output


# ---- pre-commit ---------------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)


def hook() -> str:
    """Our hook as a local one that runs the ringproof of this clone: all else as it is published."""
    published = (HOME / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    local = re.sub(r"language: python", "language: system", published)
    assert local != published
    return "repos:\n- repo: local\n  hooks:\n" + "".join(f"  {line}\n" for line in local.splitlines())


def test_the_published_hooks_are_valid() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_pre_commit_stops_a_wrong_table_and_no_other(environment: dict[str, str], tmp_path: Path) -> None:
    def commits(message: str) -> tuple[int, str]:
        git(tmp_path, "add", "-A")
        command = [sys.executable, "-m", "pre_commit", "run", "--color", "never"]
        env = {**environment, "PRE_COMMIT_HOME": str(tmp_path / ".git" / "pre-commit")}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=100)
        if done.returncode == 0:
            git(tmp_path, "commit", "-q", "-m", message)
        return done.returncode, done.stdout + done.stderr

    needs("git")
    git(tmp_path, "init", "-q")
    (tmp_path / ".pre-commit-config.yaml").write_text(hook(), encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n", encoding="utf-8")
    code, shown = commits("no table")
    assert code == 0
    assert "Skipped" in shown
    small = (HOME / RING).read_text(encoding="utf-8").replace("2..64", "2..5")
    (tmp_path / "schedules").mkdir()
    (tmp_path / "schedules" / "ring.toml").write_text(small, encoding="utf-8")
    code, shown = commits("a right table")
    assert code == 0
    assert "Passed" in shown
    wrong = small.replace("(r - s - 1)", "(r - s + 1)")
    (tmp_path / "schedules" / "ring.toml").write_text(wrong, encoding="utf-8")
    code, shown = commits("a wrong one")
    assert code == 1
    assert "error[RP301]" in shown
    assert re.search(r"schedules/ring.toml:\d+:\d+\n", shown)
    (tmp_path / "schedules" / "ring.toml").write_text(small, encoding="utf-8")
    race = HOME / "tests" / "programs" / "all_gather_dependence_dropped.xml"
    (tmp_path / "schedules" / "race.xml").write_bytes(race.read_bytes())
    code, shown = commits("a wrong program")
    assert code == 1
    assert "error[RP621]" in shown
