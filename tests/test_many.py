"""Many files on all cores: workers that are killed, bugs of ours, Ctrl-C, and what is said meanwhile."""

from __future__ import annotations

import json
import multiprocessing
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml

from ringproof.executors import pool, progress, task, worker
from ringproof.executors.worker import Worker
from ringproof.interrupt import PATIENCE
from ringproof.verdict import Exit, Report
from tests.conftest import HOME, Run
from tests.runs import (
    COMMAND,
    ENDS,
    SHORT,
    WAIT,
    Environment,
    Table,
    alive,
    begun,
    children,
    done,
    go_on,
    held_up,
    hooked,
    interrupt,
    needs_proc,
    reports,
    table,
    until,
)

__all__ = ["hooked", "table"]  # fixtures


# ---- all cores ----------------------------------------------------------------------------------


def test_a_summary_counts_verdicts_and_codes(run: Run) -> None:
    files = (*SHORT[:2], "tests/bad/keys_misspelt.toml", "tests/wrong/ring_reduce_scatter_plus_one.toml",
             "-N", "2..4")  # fmt: skip
    code, printed = run("check", *files)
    assert code == Exit.REFUTED
    assert printed.splitlines()[-1] == "4 tables: 1 proved, 2 refuted, 1 cannot check"
    told = {code: int(files) for code, files in
            re.findall(r"^(RP\d{3})  [\w-]+ +in (\d+) files?$", printed, re.MULTILINE)}  # fmt: skip
    document = json.loads(run("check", *files, "--format", "json")[1])
    found: dict[str, int] = {}
    for report in document["reports"]:
        for one in {finding["code"] for finding in report["findings"]}:
            found[one] = found.get(one, 0) + 1
    assert told == found == document["summary"]["codes"]
    codes = [finding["code"] for finding in document["reports"][2]["findings"]]
    assert max(map(codes.count, codes)) > 1  # and yet that is one file
    assert told["RP301"] == 2
    outcomes = [report["outcome"] for report in document["reports"]]
    assert document["summary"]["files"] == len(outcomes) == 4
    assert document["summary"]["outcomes"] == {
        word: outcomes.count(word) for word in document["summary"]["outcomes"]
    }


def test_one_file_has_no_summary(run: Run) -> None:
    assert not re.search(r"^RP104", run("check", "tests/bad/word_op.toml")[1], re.MULTILINE)


@needs_proc
def test_a_worker_that_dies_once_loses_no_file(table: Table, hooked: Environment) -> None:
    held = table("held")
    asked = (held, *SHORT, "-N", "2..5", "-j", "2", "--format", "json", "--bounded")
    process = begun(*asked, env=hooked)
    os.kill(held_up(held), signal.SIGKILL)
    held_up(held, before=1)
    go_on(held)
    printed, aside = process.communicate(timeout=WAIT)
    assert (process.returncode, aside) == (Exit.REFUTED, b"")
    assert {path: r["outcome"] for path, r in reports(printed).items()} == {
        held: "proved", **dict(zip(SHORT, ENDS, strict=True))
    }  # fmt: skip


@needs_proc
def test_a_file_that_ends_two_workers_is_named(table: Table, hooked: Environment) -> None:
    held = table("held")
    asked = (SHORT[0], held, "schedules/naive.toml", "-j", "2", "--format", "json", "-N", "2..4")
    process = begun(*asked, env=hooked)
    for before in range(2):
        os.kill(held_up(held, before), signal.SIGKILL)
    printed, _ = process.communicate(timeout=WAIT)
    assert process.returncode == Exit.CANNOT_CHECK
    found = reports(printed)
    assert list(found)[1] == held
    finding = found[held]["findings"][0]
    assert finding["code"] == "RP506"
    assert finding["notes"] == ["the process was ended by SIGKILL"]
    assert [r["outcome"] for r in found.values()] == ["proved", "cannot check", "proved"]


@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="needs a fork")
@pytest.mark.parametrize("most", [2, 1, 0])
def test_a_machine_may_begin_no_more_processes(run: Run, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """With as many as there are it goes on, and without any by itself."""
    running: list[Worker] = []

    class Limited(Worker):
        def __init__(self, *given: Any) -> None:
            if len(running) >= most:
                raise OSError(24, "Too many open files")
            super().__init__(*given)
            running.append(self)

        def end(self) -> None:
            running.remove(self)
            super().end()

    monkeypatch.setattr(pool, "Worker", Limited)
    asked = (*SHORT[:3], "-j", "20", "-N", "2..3", "--format", "json")
    code, printed = run("check", *asked)
    outcomes = [r["outcome"] for r in reports(printed.encode()).values()]
    assert (code, outcomes) == (Exit.REFUTED, ENDS[:3])


@needs_proc
def test_no_worker_outlives_a_killed_parent(table: Table, hooked: Environment) -> None:
    held = table("held")
    process = begun(held, table("nowhere"), "-j", "2", env=hooked)
    pid = held_up(held)
    assert alive(pid)
    process.kill()
    process.communicate(timeout=WAIT)
    until(lambda: not alive(pid))


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd")
@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.sweep), "2"])
def test_a_pipe_is_read_once_whoever_checks(jobs: str) -> None:
    line = (f"{sys.executable} -m ringproof check {SHORT[0]} <(cat schedules/naive.toml) "
            f"<(cat {SHORT[-1]}) -N 2..4 -j {jobs} --format concise")  # fmt: skip
    ran = subprocess.run(["bash", "-c", line], cwd=HOME, capture_output=True, text=True, timeout=WAIT)
    assert (ran.returncode, ran.stderr) == (Exit.PROVED, "")
    assert len(re.findall(r"proved \d of \d propert", ran.stdout)) == 3


# ---- a bug of ours ------------------------------------------------------------------------------

FORMS = ("text", "concise", "json", "sarif", "github", "junit")


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("form", FORMS)
def test_every_format_tells_a_bug_and_all_other_files(
    run: Run, table: Table, monkeypatch: pytest.MonkeyPatch, form: str, jobs: str
) -> None:
    def check_file(path: str, *others: Any) -> Report:
        if "buggy" in path:
            raise ZeroDivisionError("of ours")
        return as_it_is(path, *others)

    as_it_is = task.check_file
    monkeypatch.setattr(task, "check_file", check_file)
    buggy = table("buggy")
    files = (SHORT[0], buggy, SHORT[2])
    code, printed = run("check", *files, "-N", "2..3", "-j", jobs, "--format", form)
    assert code == Exit.INTERNAL
    told = "internal error, so nothing is claimed of this file: ZeroDivisionError: of ours"
    assert told in printed
    assert [name for name in re.findall("ring_all_gather|buggy|word_op", printed)
            if name == "word_op"]  # fmt: skip
    places = [printed.index(Path(file).name) for file in files]
    assert places == sorted(places)
    assert "please report it" in printed or form == "concise"
    if form == "json":
        document = json.loads(printed)
        assert [r["outcome"] for r in document["reports"]] == ["proved", "internal error", "cannot check"]
        assert document["summary"]["outcomes"]["internal error"] == 1
        (finding,) = document["reports"][1]["findings"]
        assert (finding["code"], document["reports"][1]["exit"]) == ("RP508", Exit.INTERNAL)
        assert re.fullmatch(r"test_many\.py:\d+ in check_file", finding["details"]["traceback"][-1])
        assert str(HOME) not in printed
    if form == "text":
        assert printed.splitlines()[-1] == "3 tables: 1 proved, 1 cannot check, 1 internal error"
        assert re.search("^RP508  internal-error  in 1 file$", printed, re.MULTILINE)
    if form == "sarif":
        run_of = json.loads(printed)["runs"][0]
        assert [r["kind"] for r in run_of["results"] if r["ruleId"] == "RP508"] == ["fail"]
        assert run_of["invocations"] == [{"executionSuccessful": False, "exitCode": 101}]
    if form == "junit":
        suites = {Path(s.name or "").stem: s for s in JUnitXml.fromstring(printed.encode())}
        assert {name: suite.errors for name, suite in suites.items()} == {
            "ring_all_gather": 0, "buggy": 1, "word_op": 1,
        }  # fmt: skip
    if form == "github":
        assert re.search(r"^::error file=.*buggy\.toml,title=RP508 internal-error::internal", printed, re.M)


class Unsendable:
    """What a worker cannot send."""

    def __reduce__(self) -> Any:
        raise ZeroDivisionError("of ours")


class Unreadable:
    """What can be sent and not be read."""

    def __reduce__(self) -> Any:
        return int, ("of ours",)


@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="needs a fork")
@pytest.mark.parametrize("answer", [Unsendable, Unreadable])
def test_an_answer_that_does_not_arrive_is_a_bug_in_one_file(
    run: Run, table: Table, monkeypatch: pytest.MonkeyPatch, answer: type
) -> None:
    as_it_is = worker.check_one_of_many
    monkeypatch.setattr(worker, "check_one_of_many", lambda item, options: (
        answer() if "buggy" in item else as_it_is(item, options)))  # fmt: skip
    asked = (SHORT[0], table("buggy"), SHORT[2], "-j", "2", "-N", "2..3", "--format", "json")
    code, printed = run("check", *asked)
    assert code == Exit.INTERNAL
    assert [r["outcome"] for r in reports(printed.encode()).values()] == [
        "proved", "internal error", "cannot check",
    ]  # fmt: skip
    assert "of ours" in printed


def test_a_bug_in_the_guess_how_long_a_file_takes_is_none(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def weight(*given: object) -> float:
        asked.append(given)
        raise ZeroDivisionError

    monkeypatch.setattr(task, "weight", weight)
    assert run("check", SHORT[0], "schedules/naive.toml", "-j", "2", "-N", "2..3", "-q")[0] == Exit.PROVED
    assert len(asked) == 2


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.sweep), "2"])
def test_a_bug_is_one_files_wherever_it_is(table: Table, hooked: Environment, jobs: str) -> None:
    files = (SHORT[0], table("buggy"), table("unprintable"), *SHORT[1:])
    asked = (*files, "-N", "2..4", "-j", jobs)
    code, printed, aside = done(*asked, "--format", "json", env=hooked)
    assert (code, aside) == (Exit.INTERNAL, b"")
    found = list(reports(printed).values())
    assert [r["path"] for r in found] == list(files)
    assert [r["outcome"] for r in found] == [ENDS[0], "internal error", "internal error", *ENDS[1:]]
    for report, last in ((found[1], "assess_size"), (found[2], "stands_of")):
        (finding,) = report["findings"]
        assert finding["code"] == "RP508"
        assert finding["details"]["traceback"][-1].startswith("sitecustomize.py:")
        assert finding["details"]["traceback"][-1].endswith(last)
        assert any(call.startswith("ringproof/") for call in finding["details"]["traceback"])
    text = done(*asked, "-v", env={**hooked, "RINGPROOF_DEBUG": "1"})
    assert text[0] == Exit.INTERNAL
    assert text[2].count(b"Traceback (most recent call last)") == 2
    assert b"called from" in text[1]
    assert text[1].splitlines()[-1] == b"7 files: 3 proved, 1 refuted, 1 cannot check, 2 internal error"


def test_a_bug_in_the_only_file_is_told_as_ever(table: Table, hooked: Environment) -> None:
    code, printed, aside = done(table("buggy"), "--format", "json", env=hooked)
    assert (code, printed) == (Exit.INTERNAL, b"")
    assert aside.startswith(b"internal error: ZeroDivisionError: of ours (sitecustomize.py:")
    code, printed, aside = done(table("unprintable"), "-N", "4", env=hooked)
    assert (code, printed) == (Exit.INTERNAL, b"")
    assert aside.startswith(b"internal error: IndexError: of ours (sitecustomize.py:")


# ---- while it runs ------------------------------------------------------------------------------


@needs_proc
@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.sweep), "2"])
def test_a_report_is_told_when_all_before_it_are(table: Table, hooked: Environment, jobs: str) -> None:
    held = table("held")
    asked = (SHORT[0], SHORT[1], held, SHORT[2], "-N", "2..4", "-j", jobs)
    process = begun(*asked, env=hooked)
    held_up(held)
    assert process.stdout
    os.set_blocking(process.stdout.fileno(), False)
    early = b""

    def second() -> bool:
        nonlocal early
        early += (process.stdout and process.stdout.read()) or b""
        return b"\nrefuted  " in early

    until(second)
    assert b"word_op" not in early
    assert b"held" not in early
    os.set_blocking(process.stdout.fileno(), True)
    go_on(held)
    late, aside = process.communicate(timeout=WAIT)
    assert (process.returncode, early + late, aside) == done(*asked, "-o", "-")
    assert (late.count(b"held.toml"), late.splitlines()[-1]) == (
        2, b"4 tables: 2 proved, 1 refuted, 1 cannot check",
    )  # fmt: skip


@pytest.mark.parametrize("form", [
    "text", *(pytest.param(form, marks=pytest.mark.sweep) for form in ("concise", "github", "json")),
])  # fmt: skip
def test_told_one_by_one_is_told_at_once(run: Run, form: str, tmp_path: Path) -> None:
    """The order in which files are done, and whether each is told then, changes no byte."""
    files = (*SHORT, "nowhere.toml", "-N", "2..4", "--format", form)
    printed = run("check", *files, "-j", "2")[1]
    run("check", *files, "-j", "1", "-o", str(tmp_path / "report"))
    assert (tmp_path / "report").read_text(encoding="utf-8") == printed


@needs_proc
def test_without_a_terminal_a_line_a_while_says_how_far_it_is(table: Table, hooked: Environment) -> None:
    held = table("held")
    asked = (SHORT[0], held, "-j", "2", "-N", "2..3", "--format", "json")
    both = [begun(*asked, *more, env={**hooked, "EVERY": "0.1"}) for more in ((), ("-q",))]
    held_up(held, before=1)
    for process in both:
        until(lambda process=process: len(children(process.pid)) == 1)
    time.sleep(0.7)
    go_on(held)
    (printed, said), (same, nothing) = (process.communicate(timeout=WAIT) for process in both)
    assert [r["outcome"] for r in reports(printed).values()] == ["proved", "proved"]
    assert re.fullmatch(rb"(after \d+ s: [0-2] of 2 files checked\n)+", said)
    assert said.count(b"1 of 2") >= 2
    assert (same, nothing) == (printed, b"")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time as progress has it, in seconds; it looks at it when a test asks, and never by itself."""
    time_is = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: time_is[0])
    monkeypatch.setattr(progress, "TICK", 1000.0)
    return time_is


def test_the_sizes_of_an_only_file_are_said(capsys: pytest.CaptureFixture[str], clock: list[float]) -> None:
    said = progress.Progress(1, "lines")
    said.size("a.toml", 3, 8)
    for clock[0] in (9.9, 10.1, 20.0, 20.2):
        said._show()
    said.close()
    told = "after 10 s: a.toml: 3 of 8 sizes checked\nafter 20 s: a.toml: 3 of 8 sizes checked\n"
    assert capsys.readouterr().err == told
    clock[0] = 99.0
    said._show()
    assert capsys.readouterr().err == ""


def test_a_line_of_progress_waits_for_silence(capsys: pytest.CaptureFixture[str], clock: list[float]) -> None:
    """A report that is printed shows that something happens."""
    said = progress.Progress(9, "lines")
    for clock[0] in (4.0, 8.0, 12.0, 16.0):
        said._show()
        with said.aside():
            pass
    for clock[0] in (20.0, 25.9):
        said._show()
    assert capsys.readouterr().err == ""
    clock[0] = 26.0
    said._show()
    assert capsys.readouterr().err == "after 26 s: 0 of 9 files checked\n"
    said.close()


class Terminal:
    """A terminal on which a process has its stderr."""

    def __init__(self, *arguments: str, env: Environment) -> None:
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen([*COMMAND, *arguments], cwd=HOME, env=env, start_new_session=True,
                                        stdout=subprocess.PIPE, stderr=theirs)  # fmt: skip
        os.close(theirs)
        self.shown = ""

    def look(self) -> str:
        """All that has been shown; does not wait."""
        while select.select([self.ours], [], [], 0)[0]:
            try:
                self.shown += os.read(self.ours, 1 << 16).decode()
            except OSError:  # the other side is closed
                break
        return self.shown

    def end(self) -> tuple[bytes, str]:
        """What was printed on stdout, and shown here."""
        printed = self.process.communicate(timeout=WAIT)[0]
        shown = self.look()
        os.close(self.ours)
        return printed, shown


def test_on_a_terminal_a_bar_says_how_far_it_is(table: Table, hooked: Environment) -> None:
    held = table("held")
    terminal = Terminal(held, SHORT[0], "-j", "2", "-N", "2..3", env=hooked)
    until(lambda: re.search(r"ring_all_gather\.toml  #{12}\.{12}  1/2", terminal.look()))
    go_on(held)
    printed, shown = terminal.end()
    assert shown.endswith("\r\x1b[K")
    assert b"2 tables: 2 proved" in printed


# ---- Ctrl-C -------------------------------------------------------------------------------------


@needs_proc
@pytest.mark.parametrize(("jobs", "form"), [
    ("1", "json"), ("2", "text"),
    *(pytest.param(*pair, marks=pytest.mark.sweep) for pair in (("1", "text"), ("2", "json"))),
])  # fmt: skip
def test_an_interruption_tells_what_is_done(table: Table, hooked: Environment, jobs: str, form: str) -> None:
    held = table("held")
    process = begun(*SHORT, held, table("later"), "-j", jobs, "--format", form, "-N", "2..4", env=hooked)
    workers = {held_up(held)} | children(process.pid)
    if jobs == "2":
        until(lambda: len(children(process.pid)) == 1)
    interrupt(process)
    printed, aside = process.communicate(timeout=WAIT)
    assert (process.returncode, aside) == (Exit.INTERRUPTED, b"interrupted\n")
    until(lambda: not any(map(alive, workers)))
    late = ["proved"] if jobs == "2" else ["interrupted"]
    if form == "text":
        left = 2 - late.count("proved")
        last = f"7 files: {4 - left + 1} proved, 1 refuted, 1 cannot check, {left} interrupted"
        assert printed.decode().splitlines()[-1] == last
        assert printed.count(b"ring_all_gather.toml:") == 1
    else:
        found = reports(printed)
        assert json.loads(printed)["exit"] == Exit.INTERRUPTED
        assert [r["outcome"] for r in found.values()] == [*ENDS, "interrupted", *late]


@needs_proc
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_second_interruption_ends_at_once(table: Table, hooked: Environment, jobs: str) -> None:
    """The first one has the report written, to a pipe that nobody reads."""
    held = table("held")
    pipe = Path(held).with_name("pipe")
    os.mkfifo(pipe)
    process = begun(SHORT[0], held, "-j", jobs, "-N", "2..3", "-o", str(pipe), env=hooked)
    workers = {held_up(held)} | children(process.pid)
    interrupt(process)
    time.sleep(0.3)
    assert process.poll() is None
    began = time.monotonic()
    interrupt(process)
    _, aside = process.communicate(timeout=WAIT)
    assert (process.returncode, aside) == (Exit.INTERRUPTED, b"interrupted\n")
    assert time.monotonic() - began < PATIENCE / 2
    until(lambda: not any(map(alive, workers)))


@needs_proc
def test_an_interruption_leaves_a_clean_terminal(table: Table, hooked: Environment) -> None:
    held = table("held")
    pipe = Path(held).with_name("pipe")
    os.mkfifo(pipe)
    terminal = Terminal(SHORT[0], held, "-j", "2", "-N", "2..3", "-o", str(pipe), env=hooked)
    until(lambda: "1/2" in terminal.look())
    interrupt(terminal.process)
    time.sleep(0.6)  # the report waits for somebody to read the pipe, and the bar would have moved on
    printed = pipe.read_bytes()
    _, shown = terminal.end()
    assert terminal.process.returncode == Exit.INTERRUPTED
    seen = [line.rpartition("\r\x1b[K")[2] for line in shown.split("\r\n")]
    assert seen == ["interrupted", ""]
    assert printed.splitlines()[-1] == b"2 tables: 1 proved, 1 interrupted"
