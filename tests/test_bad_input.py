"""Whatever a newcomer may hand over: every slip at once, under the very token, never a traceback.

One slip is one table in tests/bad with the report it gets beside it.  What is too large to keep in a
file, or has no blessed words, is made here.
"""

from __future__ import annotations

import json
import random
import re
import tracemalloc
from pathlib import Path

import pytest

from ringproof.assess import Settings
from ringproof.check import Options, check, check_file
from ringproof.codes import CODES
from ringproof.report import concise, text
from ringproof.report import json as as_json
from ringproof.table.source import SourceError, parse
from ringproof.verdict import Exit, Report
from tests.conftest import HOME, Blessed, Run

BAD = sorted((HOME / "tests" / "bad").glob("*.toml"))
WITHOUT_A_PLACE = {"empty"}  # there is no line to point at
TABLE = '''name       = "ring all-reduce"
collective = "all-reduce"
ranks      = "2..4"
chunks     = "N"
{top}
[[phase]]
name  = "reduce-scatter"
steps = "N - 1"

  [[phase.send]]
  to    = "(r + 1) % N"
  chunk = "{chunk}"
  op    = "reduce"
  {row}
'''


def table(top: str = "", chunk: str = "(r - s - 1) % N", row: str = "") -> str:
    return TABLE.format(top=top, chunk=chunk, row=row)


def reported(written: str | bytes, options: Options | None = None) -> Report:
    """The report on a text, written in every form on the way."""
    raw = written if isinstance(written, str) else written.decode()
    try:
        report = check(parse(raw, "t.toml"), options or Options(suggest=0))
    except SourceError as error:
        report = Report(error.path, "", error.text, "", findings=error.findings)
    json.loads(as_json.render([report]))
    assert concise.render([report])
    assert text.render([report]).endswith("\n")
    return report


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


# ---- one slip, one file -------------------------------------------------------------------------


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_the_report_reads_as_blessed(path: Path, run: Run, blessed: Blessed) -> None:
    code, printed = run("check", str(path.relative_to(HOME)))
    blessed(path.with_suffix(".txt"), printed)
    assert code == Exit.CANNOT_CHECK


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_every_error_has_a_code_and_a_place(path: Path) -> None:
    report = check_file(str(path), Options())
    assert report.exit is Exit.CANNOT_CHECK
    assert set(codes(report)) <= set(CODES)
    for finding in report.findings:
        assert finding.primary or path.stem in WITHOUT_A_PLACE
        assert "Error" not in finding.title
        assert not finding.title.endswith(".")


def test_every_report_has_its_table() -> None:
    assert {p.stem for p in (HOME / "tests" / "bad").glob("*.txt")} == {p.stem for p in BAD}


def test_errors_stand_in_the_order_of_the_file() -> None:
    for path in BAD:
        places = re.findall(rf"{path.name}:(\d+):(\d+)", path.with_suffix(".txt").read_text(encoding="utf-8"))
        mine = [(int(line), int(column)) for line, column in places]
        assert mine == sorted(mine), path.stem


def test_a_file_that_is_not_utf_8_is_shown_where_it_stops_to_be(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes('name = "anneau pour réduire"\n'.encode("latin-1"))
    printed = text.render([check_file(str(path), Options())])
    assert printed.splitlines()[3:] == [
        '1 | name = "anneau pour r\ufffdduire"',
        "  |                      ^ the byte 0xe9 begins no UTF-8 character",
        "  |",
        "  = help: save the file as UTF-8",
        "",
        f"cannot check  1 error in {path}",
    ]
    path.write_bytes(table().encode("utf-16"))
    assert "it as UTF-8" in text.render([check_file(str(path), Options())])


# ---- too large for a file -----------------------------------------------------------------------

LARGE = {
    "an expression of 100 kB": (table(chunk="r + " * 25_000 + "r"), "RP113"),
    "a tower of powers": (table(chunk="**".join(["2"] * 50)), "RP113"),
    "1000 parentheses": (table(chunk="(" * 900 + "r" + ")" * 900), "RP105"),
    "1000 calls": (table(chunk="r" + "()" * 900), "RP107"),
    "a number of 1900 digits": (table(chunk="9" * 1900), "RP113"),
    "a TOML number of 5000 digits": (table(row="into = " + "9" * 5000), "RP003"),
    "a key of 40000 parts": ("a" + ".a" * 40_000 + " = 1\n", "RP005"),
    "a quoted key of 40000 parts": ('"a"' + ' . "a"' * 40_000 + " = 1\n", "RP005"),
    "a header of 40000 parts": ("[a" + ".a" * 40_000 + "]\n", "RP005"),
    "an inline key of 40000 parts": ("x = {a" + ".a" * 40_000 + " = 1}\n", "RP005"),
    "20000 keys of 60 parts": ("".join(f"a{i}{'.a' * 60} = 1\n" for i in range(20_000)), "RP005"),
    "40000 lists in each other": ("x = " + "[" * 40_000, "RP003"),
    "40000 tables in each other": ("x = " + "{a=" * 40_000, "RP003"),
    "a name of 100 kB": (table(top=f"{'k' * 100_000} = 1"), "RP101"),
    "a collective of 100 kB": (table().replace("all-reduce", "x" * 100_000), "RP104"),
    "10000 unknown keys": (table(top="".join(f"k{i} = 1\n" for i in range(10_000))), "RP101"),
    "5000 names in a row": (
        table(top="[let]\n" + "".join(f'a{i} = "a{i + 1}"\n' for i in range(5000)) + 'a5000 = "N"'), "RP113"),
    "names that double 40 times": (
        table(top="[let]\n" + "".join(f'a{i} = "a{i + 1} + a{i + 1}"\n' for i in range(40)) + 'a40 = "N"'),
        "RP113"),
    "names that use all names before them": (
        table(top="[let]\n" + "".join(
            f'a{i} = "{" + ".join(f"a{j}" for j in range(i)) or 1}"\n' for i in range(60))), "RP113"),
    "150 names in one cycle": (
        table(top="[let]\n" + "".join(f'a{i} = "a{(i + 1) % 150}"\n' for i in range(150))), "RP109"),
    "60 params of two values": (
        table(top="params = { " + ", ".join(f"p{i} = [1, 2]" for i in range(60)) + " }"), "RP113"),
    "more combinations than one N may have, at every N": (
        table(top='params = { A = "1..100", B = "1..100" }').replace("2..4", "2..5000"), "RP113"),
    "N beyond every machine": (table().replace("2..4", "4611686018427387903"), "RP205"),
    "params beyond every machine": (table(top='params = { L = "-2**61..2**61" }'), "RP113"),
    "a variable beyond every machine": (table(row='for = { j = "-2**61..2**61" }'), "RP205"),
    "scratch beyond every machine": (table(top='scratch = "2**61"'), "RP205"),
}  # fmt: skip


@pytest.mark.parametrize("what", LARGE)
def test_what_is_far_too_large_is_refused(what: str) -> None:
    written, code = LARGE[what]
    report = reported(written)
    assert report.exit is Exit.CANNOT_CHECK
    assert codes(report)[0] == code
    assert len(text.render([report])) < 100_000


GREEDY = {
    "ranks to 100000": table().replace("2..4", "2..100000"),
    "ranks to a billion": table().replace("2..4", "2..1000000000"),
    "a billion ranks to pick from": table(top='where = "N == 3"').replace("2..4", "2..1000000000"),
    "a billion ranks": table().replace('"2..4"', "1000000000"),
    "chunks": table().replace('"N"', '"2**40"', 1),
    "steps": table().replace('"N - 1"', '"2**40"'),
    "scratch": table(top='scratch = "2**40"'),
    "a variable": table(row='for = { j = "0..1000000000" }'),
    "two variables": table(row='for = { j = "0..100000", k = "0..100000" }'),
    "params": table(top='params = { L = "1..1000000000" }'),
    "three params": table(top='params = { A = "1..1000", B = "1..1000", C = "1..1000" }'),
    "a send far away": TABLE[: TABLE.index("steps")].replace('"2..4"', "2").format(top="") + (
        'sends = [{ step = 2000000000, from = 0, to = 1, chunk = 0, op = "copy" }]\n'),
}  # fmt: skip


@pytest.mark.parametrize("what", GREEDY)
def test_what_would_not_fit_is_refused_before_it_is_allocated(what: str) -> None:
    reported(table())  # whatever is imported on the way is no part of it
    tracemalloc.start()
    report = reported(GREEDY[what])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.exit is Exit.CANNOT_CHECK
    assert peak < 60 * 10**6  # a list of 100 000 sizes is the largest thing here
    said = text.render([report])
    assert "of memory" in said or "too many" in said or "must be below" in said


def test_a_limit_on_memory_names_what_is_needed() -> None:
    report = reported(table(), Options(Settings(memory=1000.0)))
    (only,) = report.findings
    said = r"replay at N = 4 needs about \d\.\d KiB of memory; the limit is 1000 B"
    assert re.fullmatch(said, only.title)


def test_a_hundred_errors_are_listed_and_the_others_counted() -> None:
    row = '  { step = 0, from = 0, to = 1, chunk = 0, op = "cpy" },\n'
    written = table().partition("steps")[0].replace('"2..4"', "2") + f"sends = [\n{row * 1500}]\n"
    report = reported(written)
    assert codes(report) == ["RP104"] * 100 + ["RP006"]
    assert report.findings[-1].title == "1400 more errors are not listed"


# ---- what is right after all --------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        table().replace('"2..4"', "1"),
        table().replace('"2..4"', '"1..3"'),
        table(row='let = { k = "0" }').replace("% N", "\\n %\\tN"),
        "\ufeff" + table().replace("\n", "\r\n"),
        table(chunk="((((r - s - 1)))) % N"),
        table().replace('"ring', '"\\u001b[31mred'),
        table(top="# " + "." * 10_000),
    ],
)
def test_odd_tables_that_are_tables(written: str) -> None:
    assert reported(written).exit in (Exit.PROVED, Exit.REFUTED)


@pytest.mark.parametrize(("value", "told"), [("nan", "not a number"), ("-inf", "infinite")])
def test_numbers_that_are_none(value: str, told: str) -> None:
    (only,) = reported(table(top=f"scratch = {value}")).findings
    assert told in only.title


def test_nothing_to_prove_is_not_green() -> None:
    for top in ('where = "N > 9"', "where = false", "params = { L = [] }", 'params = { L = "2..1" }'):
        assert reported(table(top=top)).exit is Exit.UNDECIDED


def test_tables_that_use_each_other_without_end(tmp_path: Path) -> None:
    phase = '\n[[phase]]\nname = "x"\nuse = "{}.toml"\ngroup = "0"\nrank = "r"\nchunk = "c"\n'
    head = table().partition("[[phase]]")[0]
    for i in range(30):
        (tmp_path / f"t{i}.toml").write_text(head + phase.format(f"t{i + 1}") * 2, encoding="utf-8")
    (tmp_path / "t30.toml").write_text(table(), encoding="utf-8")
    report = check_file(str(tmp_path / "t0.toml"), Options())
    assert codes(report) == ["RP116"]
    assert "16 deep" in report.findings[0].title


# ---- anything at all ----------------------------------------------------------------------------

WORDS = (
    '" [ ] { } = .. ... ( ) , # \\ é \x00 N r s c root chunks 0 1 -1 2**40 9**9**9 // % true nan 1.5 '
    "2020-01-01 min max( divisors( log2(0) and or not if else == <= to from chunk into op when for let "
    'steps ranks ensures owner waive params sends copy reduce broadcast "" [] {} "2..3" 1000000000 '
    "[[phase]] [[phase.send]] [claims] [let]"
).split(" ")
SOUND = [p.read_text(encoding="utf-8") for p in sorted((HOME / "schedules").glob("*.toml"))]


def garbled(written: str, chance: random.Random) -> str:
    """One slip of the pen: a word elsewhere, a word for another, a line gone or twice."""
    kind = chance.randrange(4)
    if kind == 0:
        at = chance.randrange(len(written) + 1)
        return written[:at] + chance.choice(WORDS) + written[at + chance.randrange(4) :]
    if kind == 1:
        lines = written.split("\n")
        at = chance.randrange(len(lines))
        lines[at : at + 1] = chance.choice([[], [lines[at]] * 2, [chance.choice(lines)]])
        return "\n".join(lines)
    found = list(re.finditer(r'"[^"\n]*"' if kind == 2 else r"\b\w+\b|[%+*-]", written))
    here, there = chance.choice(found), chance.choice(found)
    new = chance.choice([there[0], chance.choice(WORDS), f'"{chance.choice(WORDS)}"'])
    return written[: here.start()] + new + written[here.end() :]


@pytest.mark.parametrize("seed", range(120))
def test_a_garbled_table_gets_a_report(seed: int) -> None:
    chance = random.Random(seed)
    written = chance.choice(SOUND)
    for _ in range(chance.choice([1, 1, 2])):
        written = garbled(written, chance)
    report = reported(written, Options(Settings(memory=1e6), ranks=((2, 3),), suggest=0))
    assert report.exit in (Exit.PROVED, Exit.REFUTED, Exit.CANNOT_CHECK, Exit.UNDECIDED)
    if report.exit is Exit.CANNOT_CHECK:
        assert any(finding.severity == "error" for finding in report.findings)
