"""The command line: what it is given, what it prints where, and with which exit code it ends."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ringproof import cli
from ringproof.assess import Options
from ringproof.cli import main
from ringproof.executors import task
from ringproof.verdict import Exit
from tests.conftest import HOME, Run

RING = "schedules/ring_all_gather.toml"
WRONG = "tests/wrong/ring_flipped_sign.toml"
BAD = "tests/bad/word_op.toml"
EMPTY = "tests/bad/empty.toml"
COMMAND = (sys.executable, "-m", "ringproof")
Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def said(run: Run, capsys: pytest.CaptureFixture[str]) -> Said:
    """Run a command line: its exit code, what it prints, and what it says beside."""

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = int(main(list(arguments)))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return command


def process(*arguments: str, **more: object) -> subprocess.CompletedProcess[bytes]:
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    given = {"cwd": HOME, "capture_output": True, "timeout": 60, "env": clean, **more}
    return subprocess.run([*COMMAND, *arguments], **given)  # type: ignore[call-overload, no-any-return]


@pytest.fixture
def vacuous(tmp_path: Path) -> str:
    path = tmp_path / "vacuous.toml"
    written = (HOME / RING).read_text(encoding="utf-8").replace("2..64", "2..4")
    path.write_text(written.replace("\n", '\nwhere = "N > 9"\n', 1), encoding="utf-8")
    return str(path)


# ---- exit codes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ((RING,), Exit.PROVED),
        ((WRONG,), Exit.REFUTED),
        ((BAD,), Exit.CANNOT_CHECK),
        (("nowhere.toml",), Exit.CANNOT_CHECK),
        ((RING, BAD), Exit.CANNOT_CHECK),
        ((BAD, WRONG, RING), Exit.REFUTED),
        ((RING, "nowhere.toml"), Exit.CANNOT_CHECK),
    ],
)
def test_the_worst_of_many_files_wins(said: Said, files: tuple[str, ...], code: Exit) -> None:
    ended, printed, aside = said("check", *files, "-N", "2..4")
    assert ended == code
    assert aside == ""
    if len(files) > 1:
        assert f"{len(files)} tables: " in printed.splitlines()[-1]


def test_nothing_to_prove_is_worse_than_proved(said: Said, vacuous: str) -> None:
    assert said("check", vacuous)[0] == Exit.UNDECIDED
    assert said("check", vacuous, RING, "-N", "2..4")[0] == Exit.UNDECIDED
    assert said("check", vacuous, BAD, "-N", "2..4")[0] == Exit.CANNOT_CHECK


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "Usage: ringproof"),
        ("prove x", "No such command 'prove'"),
        ("check --nope", "No such option"),
        (f"check {RING} -N 0", "at least 1 rank"),
        (f"check {RING} -N 5..2", "did you mean 2..5?"),
        (f"check {RING} -N x", "is not a number of ranks or a range such as 2..8"),
        (f"check {RING} -N 2...5", "is not a number of ranks or a range such as 2..8"),
        (f"check {RING} -N 4,", "is not a number of ranks or a range such as 2..8"),
        (f"check {RING} -N {'9' * 30}", "is not a number of ranks"),
        (f"check {RING} --timeout 0", "is not between 0.001 and"),
        (f"check {RING} --timeout nan", "is not between 0.001 and"),
        (f"check {RING} --timeout inf", "is not between 0.001 and"),
        (f"check {RING} --timeout soon", "is not a number of seconds"),
        (f"check {RING} --memory 0", "is out of range"),
        (f"check {RING} --memory much", "is not a size such as 4GiB"),
        (f"check {RING} -j 0", "'-j'"),
        (f"check {RING} --ports 0", "'--ports'"),
        (f"check {RING} --format xml", "'--format'"),
        (f"check {RING} --color pink", "'--color'"),
        (f"check {RING} -q -v", "exclude each other"),
        (f"check {RING} -o no/such/folder/report.txt", "there is no folder no/such/folder"),
        (f"check {RING} -o schedules", "is a directory"),
        (f"check schedules -o {RING}", "would overwrite the table"),
        ("trace", "Missing argument"),
        (f"trace {RING}", "Missing option '-N'"),
        (f"trace {RING} -N 0", "'-N'"),
        (f"trace {RING} -N 1000", "the table claims N = 2..64, not N = 1000"),
        ("trace schedules/halving_doubling.toml -N 6", "leave it out"),
        (f"trace {RING} -N 3 --chunk 3", "there is no chunk 3; slots are 0..2"),
        (f"trace {RING} -N 3 --rank 99999999999999999999", "ranks are 0..2"),
        (f"trace {RING} -N 3 -p L=1", "no parameter L; its parameters: none"),
        ("trace schedules/hierarchical_ring.toml -N 4 -p L=3", "it is one of 1, 2, 4"),
        ("trace schedules/hierarchical_ring.toml -N 4 -p L=--1", "is not NAME=VALUE"),
        ("trace schedules/hierarchical_ring.toml -N 4 -p L", "is not NAME=VALUE"),
        ("fuzz", "Missing argument"),
        (f"fuzz {RING} --mutants 0", "'--mutants'"),
        (f"fuzz {RING} --seed x", "'--seed'"),
        (f"fuzz {BAD}", "a table is fuzzed only once it is proved"),
        ("explain", "give one CODE, or --all"),
        ("explain RP301 --all", "give one CODE, or --all"),
        ("explain RP999", "`ringproof explain --all` lists them"),
        ("explain incomplet", "did you mean `incomplete`?"),
    ],
)
def test_a_wrong_command_line_says_what_is_wrong(said: Said, line: str, told: str) -> None:
    code, _, aside = said(*line.split())
    assert code == Exit.CANNOT_CHECK
    assert told in aside
    assert "Traceback" not in aside


def test_an_empty_path_is_no_file(said: Said) -> None:
    code, _, aside = said("check", "")
    assert code == Exit.CANNOT_CHECK
    assert "a path is empty" in aside


@pytest.mark.parametrize("command", ["check", "fuzz"])
@pytest.mark.parametrize("path", [BAD, EMPTY, "tests/bad/not_toml_key_twice.toml", "nowhere.toml", "a\0b"])
def test_every_command_reports_a_bad_table_alike(said: Said, command: str, path: str) -> None:
    code, printed, _ = said(command, path)
    assert code == Exit.CANNOT_CHECK
    assert printed == said("check", path)[1]
    assert printed == said("trace", path, "-N", "3")[1]


def test_a_trace_of_what_cannot_be_unrolled_is_a_report(said: Said) -> None:
    for stem in ("memory_for", "value_division_by_zero", "size_no_chunks"):
        code, printed, _ = said("trace", f"tests/bad/{stem}.toml", "-N", "3")
        assert code == Exit.CANNOT_CHECK
        assert printed.startswith("error[RP20")


def test_a_bug_of_ours_is_told_from_a_refutation(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> None:
        raise ZeroDivisionError("of ours\nand so on")

    monkeypatch.setattr(task, "check_file", broken)
    code, printed, aside = said("check", RING)
    assert (code, printed) == (Exit.INTERNAL, "")
    assert aside.startswith("internal error: ZeroDivisionError: of ours and so on (test_cli.py:")
    assert f"while checking {RING}" in aside
    assert "Traceback" not in aside
    assert code != Exit.REFUTED
    monkeypatch.setenv("RINGPROOF_DEBUG", "1")
    assert "Traceback" in said("check", RING)[2]


def test_a_small_machine_is_no_bug(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*given: object, **more: object) -> None:
        raise MemoryError

    monkeypatch.setattr(task, "check_file", greedy)
    code, printed, _ = said("check", RING)
    assert code == Exit.CANNOT_CHECK
    assert "ran out of memory" in printed
    monkeypatch.setattr(task, "check_item", greedy)
    program = task.check_one("tests/programs/all_to_all.xml", Options())
    assert program.kind == "program"
    assert "ran out of memory" in program.findings[0].title
    monkeypatch.setattr(cli.cli, "main", greedy)
    assert said("check", RING)[0] == Exit.CANNOT_CHECK


def test_an_interruption_within_python_is_130(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(task, "check_file", stopped)
    code, printed, aside = said("check", RING)
    assert (code, printed, aside.strip()) == (Exit.INTERRUPTED, "", "interrupted")


# ---- files and folders --------------------------------------------------------------------------


def test_without_a_file_there_must_be_schedules(
    said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, aside = said("check")
    assert code == Exit.CANNOT_CHECK
    assert "there is no folder schedules/ here" in aside
    (tmp_path / "schedules").mkdir()
    code, printed, _ = said("check")
    assert code == Exit.CANNOT_CHECK
    assert printed.startswith("error[RP004]: the folder has no tables")


def test_a_file_is_checked_once(said: Said) -> None:
    code, printed, _ = said("check", RING, f"./{RING}", f"schedules/../{RING}", "-N", "2")
    assert code == Exit.PROVED
    assert printed == said("check", RING, "-N", "2")[1]


def test_a_file_that_may_not_be_read(said: Said, tmp_path: Path) -> None:
    path = tmp_path / "closed.toml"
    path.write_text("x = 1", encoding="utf-8")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("nothing is closed to this user")
    code, printed, _ = said("check", str(path))
    assert code == Exit.CANNOT_CHECK
    assert "no permission" in printed


@pytest.mark.parametrize("command", ["check -", "trace - -N 3", "fuzz - --mutants 3"])
def test_standard_input(command: str) -> None:
    good = process(*command.split(), input=(HOME / RING).read_bytes().replace(b"2..64", b"2..4"))
    assert (good.returncode, good.stderr) == (Exit.PROVED, b"")
    assert b"<stdin>" in good.stdout
    empty = process(*command.split(), input=b"")
    assert empty.returncode == Exit.CANNOT_CHECK
    assert empty.stdout.startswith(b"error[RP102]")


def test_standard_input_is_read_once_and_by_the_parent() -> None:
    twice = process("check", "-", "-", WRONG, "-j", "2", "-N", "2..3", input=(HOME / RING).read_bytes())
    assert twice.returncode == Exit.REFUTED
    assert b"2 tables: 1 proved, 1 refuted" in twice.stdout


def test_a_closed_standard_input_or_output() -> None:
    for redirection, code in (("<&-", 2), (">&-", 2), ("2>&-", 2), (">/dev/full", 2)):
        line = f'{sys.executable} -m ringproof check {"-" if "<" in redirection else EMPTY} {redirection}'
        done = subprocess.run(["sh", "-c", line], cwd=HOME, capture_output=True, timeout=60)
        assert done.returncode == code, (redirection, done.stderr)
        assert b"Traceback" not in done.stderr


def test_the_report_in_a_file(said: Said, tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    assert said("check", BAD, "-o", str(path)) == (2, "", "")
    assert path.read_text(encoding="utf-8") == said("check", BAD)[1]
    assert said("check", BAD, "-o", "-") == said("check", BAD)


# ---- what is printed ----------------------------------------------------------------------------


def test_the_same_bytes_on_every_run_and_on_any_number_of_processes() -> None:
    files = (RING, WRONG, BAD, "nowhere.toml", "schedules/naive.toml")
    alone = process("check", *files, "-N", "2..6", "-j", "1")
    again = process("check", *files, "-N", "2..6", "-j", "1", env={**os.environ, "PYTHONHASHSEED": "7"})
    many = process("check", *files, "-N", "2..6", "-j", "2")
    assert alone.stdout == again.stdout == many.stdout
    assert {alone.returncode, again.returncode, many.returncode} == {Exit.REFUTED}
    assert alone.stderr == many.stderr == b""


def test_json_is_json(said: Said, vacuous: str) -> None:
    code, printed, _ = said("check", RING, WRONG, BAD, EMPTY, vacuous, "-N", "2..4", "--format", "json")
    document = json.loads(printed)
    assert document["exit"] == code == Exit.REFUTED
    assert [r["exit"] for r in document["reports"]] == [0, 1, 2, 2, 3]
    for report in document["reports"]:
        for finding in report["findings"]:
            assert finding["code"].startswith("RP")


def test_concise_is_a_line_each(said: Said) -> None:
    _, printed, _ = said("check", BAD, "tests/bad/keys_missing.toml", "--format", "concise")
    assert printed.splitlines()[0] == f"{BAD}:13:11: error[RP104] unknown op `add`"
    assert len(printed.splitlines()) == 5


def test_quiet_and_verbose(said: Said) -> None:
    assert said("check", "schedules/ring4_sends.toml", "-q")[:2] == (Exit.PROVED, "")
    assert said("check", BAD, "-q")[1] == said("check", BAD)[1]
    assert "ringproof explain RP104" in said("check", BAD, "-v")[1]


def test_colour(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    def colored(*options: str) -> bool:
        return "\x1b[" in said("check", BAD, *options)[1]

    assert not colored()
    assert colored("--color", "always")
    assert not colored("--color", "never")
    monkeypatch.setenv("FORCE_COLOR", "0")
    assert not colored()
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert colored()
    assert not colored("--color", "never")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colored()
    assert colored("--color", "always")


def test_a_terminal_gets_colour_unless_it_is_dumb() -> None:
    for term, colored in (("xterm", True), ("dumb", False)):
        ours, theirs = pty.openpty()
        env = {**os.environ, "TERM": term}
        env.pop("NO_COLOR", None)
        env.pop("FORCE_COLOR", None)
        done = process("check", BAD, capture_output=False, stdout=theirs, env=env)
        os.close(theirs)
        assert done.returncode == Exit.CANNOT_CHECK
        assert (b"\x1b[" in os.read(ours, 1 << 16)) is colored
        os.close(ours)


def test_a_reader_that_leaves_changes_no_verdict() -> None:
    for line, code in ((f"check {RING} {WRONG}", 1), ("explain --all", 0), (f"trace {RING} -N 16", 0)):
        shell = f"{sys.executable} -m ringproof {line} | head -1; echo ${{PIPESTATUS[0]}} >&2"
        done = subprocess.run(["bash", "-c", shell], cwd=HOME, capture_output=True, timeout=60)
        assert done.stderr.decode().split() == [str(code)]
        assert done.stdout.count(b"\n") == 1


def test_names_that_are_not_ascii_are_printed_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "ünïcode\udcff.toml"
    path.write_bytes((HOME / BAD).read_bytes().replace(b'"add"', '"añadir"'.encode()))
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    for form in ("text", "concise", "json"):
        done = process("check", str(path), "--format", form, env=env)
        assert done.returncode == Exit.CANNOT_CHECK
        assert done.stdout.decode()
        assert done.stderr == b""


# ---- Ctrl-C -------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("reach", ["group", "process"])
def test_an_interruption_ends_everything_at_once(jobs: str, reach: str) -> None:
    """Z3 swallows a KeyboardInterrupt: the process must end all the same, and its children with it."""
    begun = subprocess.Popen(
        [*COMMAND, "check", "schedules", "--no-symmetry", "-j", jobs], cwd=HOME, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    time.sleep(1.2)
    began = time.monotonic()
    (os.killpg if reach == "group" else os.kill)(begun.pid, signal.SIGINT)
    printed, aside = begun.communicate(timeout=20)
    aside = re.sub(rb"^after \d+ s: .*\n", b"", aside)  # where the machine stood still before
    assert (begun.returncode, aside) == (Exit.INTERRUPTED, b"interrupted\n")
    assert printed == b"" or b" interrupted" in printed.splitlines()[-1]  # as far as any table was done
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("name", ["a b.toml", "-x.toml", "it's $HOME; é.toml", "plain.toml", "-"])
def test_a_command_that_a_help_offers_can_be_copied(
    name: str, said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = (HOME / WRONG).read_text(encoding="utf-8")
    if name != "-":
        Path(name).write_text(wrong, encoding="utf-8")

    def given() -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(wrong.encode())))

    given()
    _, printed, _ = said("check", "-q", "-N", "3", "--", name)
    offered = re.findall(r"help: (ringproof trace .*?)   shows", printed)
    assert offered
    for line in offered:
        given()
        code, printed, _ = said(*shlex.split(line)[1:])
        assert (code, "end\n  rank 0" in printed) == (Exit.REFUTED, True)
    given()
    _, printed, _ = said("cost", "-N", "3", "--", name)
    (offer,) = re.findall(r"`ringproof (check .*)` shows why", printed)
    given()
    assert said(*shlex.split(offer))[0] == Exit.REFUTED


def test_cost_of_nothing_says_no_more_than_that(said: Said, tmp_path: Path) -> None:
    code, printed, _ = said("cost", "-N", "4", str(tmp_path))
    assert (code, "RP004" in printed, "N = 0" in printed) == (Exit.CANNOT_CHECK, True, False)
