"""Whatever is damaged in a file, the report says in which line: no exit code 2 without a place.

Files are cut at every byte, have lines lost, doubled and swapped, bytes flipped, and strange things put
in; what is still a table or a program afterwards may get any other verdict.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ringproof.assess import Options, Settings
from ringproof.certify import folder
from ringproof.check import prepare
from ringproof.executors.task import check_one
from ringproof.figure.verify import verify
from ringproof.program.msccl_xml import read_program
from ringproof.program.post import read_post
from ringproof.report import concise
from ringproof.table.source import Source, parse, read
from ringproof.textfile import LARGEST, LARGEST_PROGRAM, SourceError, read_text
from ringproof.verdict import Exit, Report, TableError
from tests.conftest import HOME, Run

CORPUS = Path(os.environ.get("RINGPROOF_CORPUS", HOME.parent / "shared" / "corpus"))
TABLES = sorted((HOME / "schedules").glob("*.toml"))
PROGRAMS = sorted((HOME / "tests" / "programs").glob("*.xml"))
REAL = sorted(CORPUS.glob("*/*.xml"))
POST = b'name = "r sends on"\nends  = "r > 0"   # all but the first\npart  = "k == r - 1"\nchunk = "c"\n'
PLACE = re.compile(r"(.+?):(\d+):(\d+): error\[(RP\d+)\] ")


def table(path: Path) -> Report:
    """As far as a table is read without running it."""
    try:
        found = prepare(read(str(path)), Options())
    except SourceError as error:
        return Report(error.path, "", error.text, "", findings=error.findings)
    return found if isinstance(found, Report) else found.report


def program(path: Path) -> Report:
    try:
        called, text = read_text(str(path), LARGEST_PROGRAM)
        read_program(called, text)
    except SourceError as error:
        return Report(error.path, "", error.text, "", findings=error.findings, kind="program")
    return Report(called, "", text, "", kind="program")


def post(path: Path) -> Report:
    source = Source(str(path), "")
    try:
        source = read(str(path))
        read_post(source.values)
    except TableError as error:
        return Report(source.path, "", getattr(error, "text", source.text), "", findings=error.findings)
    return Report(source.path, "", source.text, "")


READERS: dict[str, Callable[[Path], Report]] = {".toml": table, ".xml": program, ".post": post}


def unplaced(report: Report) -> list[str]:
    """Errors of a report that name no place in the file; what no file has is no place either."""
    if report.exit is not Exit.CANNOT_CHECK:
        return []
    lines = [line for line in concise.render([report]).splitlines() if ": error[" in line]
    count, wrong = report.text.count("\n") + 1, [] if lines else ["no error is told"]
    for line in lines:
        found = PLACE.match(line)
        if found is None or not (1 <= int(found[2]) <= count and 1 <= int(found[3])):
            wrong.append(line)
    return wrong


def look(raw: bytes, path: Path) -> Exit:
    path.write_bytes(raw)
    report = READERS[path.suffix](path)
    assert unplaced(report) == []
    return report.exit


def test_an_error_without_a_place_would_be_seen() -> None:
    from ringproof.verdict import Finding, Label, Spot

    def told(*findings: Finding) -> Report:
        return Report("t.toml", "", "one line", "", findings=findings)

    assert unplaced(told(Finding("RP003", "x")))
    assert unplaced(told(Finding("RP003", "x", primary=Label(Spot(1, 1))), Finding("RP101", "y")))
    assert unplaced(told(Finding("RP003", "x", primary=Label(Spot(2, 1)))))
    assert not unplaced(told(Finding("RP003", "x", primary=Label(Spot(1, 3)))))


# ---- cut off ------------------------------------------------------------------------------------


def small(paths: list[Path], most: int) -> list[Path]:
    by_size = sorted((path.stat().st_size, path) for path in paths)
    return [path for size, path in by_size if size < most]


FEW = [*small(TABLES, 10_000)[:2], *(path for path in PROGRAMS if path.stem == "reduce")]
MANY = [pytest.param(path, marks=pytest.mark.sweep) for path in small([*TABLES, *PROGRAMS], 1500)
        if path not in FEW]  # fmt: skip


@pytest.mark.parametrize("path", [*FEW, *MANY], ids=lambda path: path.name)
def test_a_file_cut_at_every_byte(path: Path, tmp_path: Path) -> None:
    raw = path.read_bytes()
    assert Exit.CANNOT_CHECK in {look(raw[:at], tmp_path / path.name) for at in range(len(raw))}


def test_a_wanted_result_cut_at_every_byte(tmp_path: Path) -> None:
    for at in range(len(POST)):
        look(POST[:at], tmp_path / "t.post")


@pytest.mark.parametrize("end", [b"\r", b"\r\r\n", b"\n\r"], ids=ascii)
def test_lines_count_the_same_whatever_ends_them(end: bytes, tmp_path: Path) -> None:
    for path in FEW:
        look(path.read_bytes()[:500].replace(b"\n", end), tmp_path / path.name)
    assert list(_unreadable_picture(SVG[:3000].replace("\n", end.decode())))


# ---- damaged ------------------------------------------------------------------------------------

ODD = (b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"(" * 3000, b"[" * 5000, b"{a=" * 200, b"<a>" * 3000,
       b"9" * 1_000_000, b"x" * 100_000, b'<!DOCTYPE a [<!ENTITY b "bb">]>', b"&#x41;", b"&b;",
       b"\xed\xa0\x80", b"-1", b"1e999", b"\r", b'"""', b"'''", b"\\", b"]]>", b"<![CDATA[", b"<!--",
       b"<?x?>", b"\n[a]\n[a]\n", b"\na = 1\na = 2\n", b"\xe2\x80\xa8", b"nan", b"1979-05-27")  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, raw: bytes) -> bytes:
    """A file with one thing, or two things, wrong with it."""
    for _ in range(draw(st.integers(1, 2))):
        kind = draw(st.sampled_from(["cut", "flip", "insert", "swap", "double", "lose", "windows", "utf-16"]))
        at = draw(st.integers(0, max(len(raw) - 1, 0)))
        lines = raw.split(b"\n")
        one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        if kind == "cut":
            raw = raw[:at]
        elif kind == "flip" and raw:
            raw = raw[:at] + bytes([raw[at] ^ (1 << draw(st.integers(0, 7)))]) + raw[at + 1 :]
        elif kind == "insert":
            raw = raw[:at] + draw(st.sampled_from(ODD)) + raw[at + draw(st.integers(0, 3)) :]
        elif kind == "swap":
            lines[one], lines[other] = lines[other], lines[one]
            raw = b"\n".join(lines)
        elif kind == "double":
            raw = b"\n".join([*lines[:one], lines[other], *lines[one:]])
        elif kind == "lose":
            raw = b"\n".join([*lines[:one], *lines[one + 1 :]])
        elif kind == "windows":
            raw = raw.replace(b"\n", b"\r\n")
        elif kind == "utf-16":
            raw = raw.decode("utf-8", "replace").encode("utf-16")
    return raw


def damage(paths: list[Path], examples: int, tmp_path: Path, whole: Options | None = None) -> None:
    """Damage files, and read them; ``whole``: and check them."""

    @settings(max_examples=examples,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(st.sampled_from(paths).flatmap(lambda path: st.tuples(st.just(path), damaged(path.read_bytes()))))
    def placed(drawn: tuple[Path, bytes]) -> None:
        path, raw = drawn
        look(raw, tmp_path / path.name)
        if whole:
            report = check_one(str(tmp_path / path.name), whole)
            assert unplaced(report) == []
            assert report.exit is not Exit.INTERNAL

    placed()


@pytest.mark.parametrize("paths", [TABLES, PROGRAMS], ids=["tables", "programs"])
def test_a_damaged_file_says_where(paths: list[Path], tmp_path: Path) -> None:
    damage(paths, 200, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("paths", [TABLES, PROGRAMS], ids=["tables", "programs"])
def test_files_damaged_in_many_ways_say_where(paths: list[Path], tmp_path: Path) -> None:
    damage(paths, 5000, tmp_path)


FEW_RANKS = Options(Settings(memory=float(64 << 20)), ((2, 4),), suggest=0, induction="never")


@pytest.mark.parametrize("count", [25, pytest.param(1500, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("paths", [TABLES, PROGRAMS], ids=["tables", "programs"])
def test_what_shows_only_when_it_is_run_says_where_too(paths: list[Path], count: int, tmp_path: Path) -> None:
    damage(paths, count, tmp_path, FEW_RANKS)


@pytest.mark.parametrize("outside", ["file:///etc/hostname", "http://127.0.0.1:9/x"])
def test_nothing_outside_a_file_is_read(outside: str, tmp_path: Path, run: Run) -> None:
    whole = FEW[-1].read_text(encoding="utf-8")
    for name, command, text in (("t.xml", "check", whole), ("t.svg", "verify-figure", SVG)):
        start = f'<!DOCTYPE x [\n<!ENTITY e SYSTEM "{outside}">]>\n' if name == "t.xml" else ""
        inside = text.replace("<title>", f'<!DOCTYPE x [<!ENTITY e SYSTEM "{outside}">]><title>&e;', 1)
        (tmp_path / name).write_text(start + inside, encoding="utf-8")
        code, printed = run(command, str(tmp_path / name))
        assert code == Exit.CANNOT_CHECK
        assert "document type" in printed
        assert re.search(rf"{name}:\d+:\d+", printed)


@pytest.mark.skipif(not REAL, reason="no corpus: RINGPROOF_CORPUS names its folder")
def test_a_damaged_real_program_says_where(tmp_path: Path) -> None:
    damage(small(REAL, 20_000), 40, tmp_path)


@pytest.mark.sweep
@pytest.mark.skipif(not REAL, reason="no corpus: RINGPROOF_CORPUS names its folder")
def test_real_programs_damaged_in_many_ways_say_where(tmp_path: Path) -> None:
    damage(REAL, 1000, tmp_path)


def test_a_damaged_wanted_result_says_where(tmp_path: Path) -> None:
    (tmp_path / "whole.post").write_bytes(POST)
    (tmp_path / "damaged").mkdir()
    damage([tmp_path / "whole.post"], 100, tmp_path / "damaged")


@pytest.mark.parametrize("command", ["check", "draw", "convert", "cost"])
@pytest.mark.parametrize("name", ["t.toml", "t.xml"])
def test_every_command_says_where(command: str, name: str, tmp_path: Path, run: Run) -> None:
    if command in ("draw", "cost") and name == "t.xml":
        pytest.skip("it takes tables")
    path, out = tmp_path / name, tmp_path / ("o.xml" if name == "t.toml" else "o.toml")
    path.write_bytes((TABLES if name == "t.toml" else PROGRAMS)[0].read_bytes()[:300])
    more = {"draw": ("-N", "3"), "cost": ("-N", "3"), "check": ()}.get(command, ("-o", str(out)))
    if command == "convert" and name == "t.toml":
        more = (*more, "-N", "3")
    code, printed = run(command, str(path), *more)
    assert code == Exit.CANNOT_CHECK
    assert re.search(rf"{re.escape(str(path))}:\d+:\d+", printed)


# ---- pictures and certificates ------------------------------------------------------------------

SVG = (HOME / "figures" / "ring4.svg").read_text(encoding="utf-8")


def _unreadable_picture(text: str) -> Iterator[tuple[int, int]]:
    """Line and column of a picture that is none."""
    found = verify(text)
    if found.foreign:
        line, column = found.place
        assert 1 <= line <= text.count("\n") + 1
        assert 1 <= column <= len(text.split("\n")[line - 1]) + 1
        yield found.place


@pytest.mark.parametrize("stride", [499, pytest.param(7, marks=pytest.mark.sweep)])
def test_a_cut_picture_says_where(stride: int) -> None:
    places = [place for at in range(0, len(SVG), stride) for place in _unreadable_picture(SVG[:at])]
    assert len(places) == len(range(0, len(SVG), stride))
    assert len(set(places)) > 20


def test_a_picture_says_where_on_the_command_line(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "x.svg"
    for written, place in ((SVG[:3000].encode(), "24:"), (SVG[:3000].encode() + b"\xff", "24:"),
                           (SVG.replace("<title>", "<!DOCTYPE x><title>").encode(), "3:1"),
                           (SVG.replace('{"N":4', '{"N":').encode(), "5:1"), (b"", "1:1")):  # fmt: skip
        path.write_bytes(written)
        code, printed = run("verify-figure", str(path))
        assert code == Exit.CANNOT_CHECK
        assert printed.startswith(f"{path}:{place}"), printed


QUESTION = "(set-logic QF_LIA)\n(assert false)\n(check-sat)\n"


def certificate(home: Path) -> Path:
    """A folder that reads as a certificate, whatever it certifies."""
    data = {"table": "x", "questions": [{"file": "0001.smt2", "about": "x", "premises": []}]}
    folder.write(str(home / "c"), folder.Folder(data, {"t.toml": "name = 1\n"}, (QUESTION,)))
    folder.read(str(home / "c"))
    return home / "c"


def test_a_certificate_cut_at_every_byte_says_where(tmp_path: Path) -> None:
    home = certificate(tmp_path)
    raw = (home / "certificate.json").read_bytes()
    for at in range(len(raw.rstrip())):
        (home / "certificate.json").write_bytes(raw[:at])
        with pytest.raises(folder.Unreadable, match=r"certificate\.json:\d+"):
            folder.read(str(home))


BROKEN_CERTIFICATES = {
    b"[1]": 1, b'{\n"a": 1}': 1, b'{\n"tables": []}': 2, b'{"tables": {"t.toml": ""},\n"questions": 1}': 2,
    b'{"a":\n' + b"9" * 1_000_000 + b"}": 2, b"[" * 100_000: 1, b'{\n\n"\xff"}': 3,
}  # fmt: skip


@pytest.mark.parametrize("raw", BROKEN_CERTIFICATES, ids=lambda raw: ascii(raw[:20]))
def test_a_broken_certificate_says_in_which_line(
    raw: bytes, tmp_path: Path, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    home = certificate(tmp_path)
    if b"t.toml" in raw:
        digest = json.loads((home / "certificate.json").read_text(encoding="utf-8"))["tables"]["t.toml"]
        raw, line = raw.replace(b'""', f'"{digest}"'.encode()), BROKEN_CERTIFICATES[raw]
    else:
        line = BROKEN_CERTIFICATES[raw]
    (home / "certificate.json").write_bytes(raw)
    with pytest.raises(folder.Unreadable, match=rf"certificate\.json:{line}:"):
        folder.read(str(home))
    assert run("verify", str(home))[0] == Exit.CANNOT_CHECK


def test_a_question_that_is_no_text_says_in_which_line(tmp_path: Path) -> None:
    home = certificate(tmp_path)
    (home / "questions" / "0001.smt2").write_bytes(QUESTION.encode() + b"\xff")
    with pytest.raises(folder.Unreadable, match=r"0001\.smt2:4: not UTF-8"):
        folder.read(str(home))


# ---- too large to be read -----------------------------------------------------------------------

OVERSIZED = {"t.toml": ("check", LARGEST), "t.xml": ("check", LARGEST_PROGRAM),
             "t.svg": ("verify-figure", 32 << 20), "c": ("verify", folder.LARGEST)}  # fmt: skip


@pytest.mark.parametrize("name", OVERSIZED)
def test_a_file_of_100_megabytes_is_refused_unread(
    name: str, tmp_path: Path, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    import tracemalloc

    command, limit = OVERSIZED[name]
    path = certificate(tmp_path) if name == "c" else tmp_path / name
    with (path / "certificate.json" if name == "c" else path).open("wb") as file:
        file.truncate(100_000_000)
    tracemalloc.start()
    try:
        capsys.readouterr()
        from ringproof.cli import main

        assert main([command, str(path)]) == Exit.CANNOT_CHECK
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()
    told = capsys.readouterr()
    assert f"larger than {limit >> 20} MiB" in told.out + told.err


def test_standard_input_without_end_is_refused_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/zero", encoding="latin-1") as zeros:
        monkeypatch.setattr("sys.stdin", zeros)
        with pytest.raises(SourceError, match="larger than 4 MiB"):
            read_text("-")


def test_what_is_just_small_enough_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_bytes(b"#" * LARGEST)
    assert parse(read_text(str(path))[1], "t").values == {}
