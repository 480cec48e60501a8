"""No option is silently without effect: it is refused, or a note says what is done without it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ringproof.applies import ONLY
from ringproof.cli import check, main
from ringproof.figure.targets import FORMATS, UNCHANGED_BY
from ringproof.verdict import Exit
from tests.conftest import HOME, Run

TABLE, PROGRAM = "schedules/chain_broadcast.toml", "tests/programs/ring_all_reduce.xml"
VALUES = {"ports": ["9"], "collective": ["all-reduce"], "runtime": ["msccl"]}
FOR_BOTH = {"paths", "ranks", "timeout", "jobs", "executor", "scheduler", "memory", "form", "output", "quiet",
            "verbose", "color", "bounded", "induction", "no_symmetry", "z3"}  # fmt: skip


def option(name: str) -> list[str]:
    return [f"--{name.replace('_', '-')}", *VALUES.get(name, [])]


def test_every_option_of_check_is_for_tables_or_programs_or_both() -> None:
    names = {parameter.name for parameter in check.params}
    assert names == FOR_BOTH | set(ONLY)


@pytest.mark.parametrize("name", ONLY)
def test_an_option_that_nothing_here_is_for_is_refused(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HOME)
    kind, other = ONLY[name], PROGRAM if ONLY[name] == "table" else TABLE
    if name == "post":
        pytest.skip("the file of the wanted result is read first")
    said = f"--{name.replace('_', '-')} is for {kind}s"
    assert main(["check", *option(name), other]) == Exit.CANNOT_CHECK
    told = capsys.readouterr()
    assert (told.out, f"{said}, and {other} is a " in told.err) == ("", True)
    several = [PROGRAM, "tests/programs/gather.xml"] if kind == "table" else [TABLE, "schedules/naive.toml"]
    assert main(["check", *option(name), *several]) == Exit.CANNOT_CHECK
    assert f"{said}, and all files here are " in capsys.readouterr().err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_in_a_mixed_run_a_note_is_told_once_and_fails_nothing(jobs: str, run: Run) -> None:
    line = ["check", "--format", "json", "-j", jobs, "-N", "2,3", "--used", "--ports", "1"]
    code, printed = run(*line, TABLE, PROGRAM)
    assert code == Exit.PROVED
    table, program = json.loads(printed)["reports"]
    assert [f["code"] for f in program["findings"]] == ["RP510"]
    assert program["findings"][0]["title"] == (
        "--used and --ports are for tables: this program is checked without"
    )
    assert "RP510" not in [f["code"] for f in table["findings"]]
    code, printed = run("check", "--format", "json", "-N", "2,3", "--runtime", "msccl", TABLE, PROGRAM)
    table, program = json.loads(printed)["reports"]
    assert [f["title"] for f in table["findings"] if f["code"] == "RP510"] == [
        "--runtime is for programs: this table is checked without"
    ]
    assert "RP510" not in [f["code"] for f in program["findings"]]


def test_what_is_for_both_and_defaults_are_not_told(run: Run) -> None:
    code, printed = run("check", "-N", "3", "--timeout", "9", "--memory", "1GiB", TABLE, PROGRAM)
    assert (code, "RP510" in printed) == (Exit.PROVED, False)


@pytest.mark.parametrize("path", [TABLE, PROGRAM])
def test_how_to_work_is_said_beside_any_file(run: Run, path: str) -> None:
    code, printed = run("check", "-N", "3", "--bounded", "--no-symmetry", "--induction", "1", "--z3", path)
    assert (code, "RP510" in printed) == (Exit.PROVED, False)


def test_a_file_that_cannot_be_checked_has_no_note_beside_its_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text("<algo", encoding="utf-8")
    code, printed = run("check", "--used", "-N", "2", TABLE, str(tmp_path / "x.xml"))
    assert (code, "RP601" in printed, "RP510" in printed) == (Exit.CANNOT_CHECK, True, False)


# ---- draw ---------------------------------------------------------------------------------------

DRAWN = {"layout": ["--layout", "vector"], "width": ["--width", "2col"], "chunk": ["--chunk", "0"],
         "legend": ["--no-legend"], "renderer": ["--renderer", "bundled"]}  # fmt: skip


@pytest.mark.parametrize(("form", "name"), [(form, n) for form, names in UNCHANGED_BY.items() for n in names])
def test_an_option_that_changes_nothing_in_a_format_is_refused(
    form: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HOME)
    path = tmp_path / f"x.{form}"
    line = ["draw", "schedules/ring.toml", "-N", "4", *DRAWN[name], "-o", str(path)]
    assert main(line) == Exit.CANNOT_CHECK
    assert f"changes nothing in {form}" in capsys.readouterr().err
    assert not path.exists()


def test_an_option_for_one_of_two_formats_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HOME)
    line = ["draw", "schedules/ring.toml", "-N", "4", "--no-legend", "-o", str(tmp_path / "x.html")]
    assert main([*line, "-o", str(tmp_path / "x.dot")]) == Exit.PROVED
    assert capsys.readouterr().err.count("note: --legend/--no-legend changes nothing in html") == 1
    assert (tmp_path / "x.dot").exists()


def test_what_is_said_to_change_nothing_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list is right: with the option taken off it, the bytes are the same."""
    monkeypatch.chdir(HOME)
    monkeypatch.setattr("ringproof.figure.targets.UNCHANGED_BY", {})
    assert set(UNCHANGED_BY) <= set(FORMATS)
    plain, other = (tmp_path / name for name in ("a.html", "b.html"))
    for path, more in ((plain, []), (other, [word for name in UNCHANGED_BY["html"] for word in DRAWN[name]
                                             if name != "chunk"])):  # fmt: skip
        assert main(["draw", "schedules/ring.toml", "-N", "3", *more, "-o", str(path)]) == Exit.PROVED
    assert plain.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("layout", ["token", "vector", "matrix"])
def test_a_chunk_is_for_a_life(
    layout: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HOME)
    line = ["draw", "schedules/ring.toml", "-N", "4", "--chunk", "1", "--format", "dot"]
    assert main([*line, "--layout", layout]) == Exit.CANNOT_CHECK
    assert f"--layout {layout} draws none" in capsys.readouterr().err
    assert main(line) == Exit.PROVED
    assert "note: --chunk says whose life is drawn, and token draws none" in capsys.readouterr().err
    assert main([*line, "--layout", "life"]) == Exit.PROVED
    assert "note" not in capsys.readouterr().err
