"""Programs on the command line: options, formats, folders, standard input, and whatever is no program."""

from __future__ import annotations

import io
import json
import random
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from ringproof import options
from ringproof.check_program import check_program
from ringproof.cli import cli
from ringproof.collective import COLLECTIVES
from ringproof.convert.xml import write_xml
from ringproof.program.asked import Asked
from ringproof.program.load import PROFILES, RUNTIMES
from ringproof.program.model import Gpu, Program, Step, Threadblock
from ringproof.report import concise, text
from ringproof.report import json as as_json
from ringproof.textfile import LARGEST_PROGRAM
from ringproof.verdict import Exit, Report
from tests.conftest import HOME, Run
from tests.ring_programs import chain_ring

PROGRAMS = "tests/programs"
RIGHT = f"{PROGRAMS}/ring_all_reduce.xml"
RIGHT_TEXT = (HOME / RIGHT).read_text(encoding="utf-8")
GATHERS = f"{PROGRAMS}/says_all_reduce_and_gathers.xml"
CUSTOM = f"{PROGRAMS}/custom.xml"


def json_of(run: Run, *arguments: str) -> tuple[int, dict[str, Any]]:
    code, printed = run("check", "--format", "json", *arguments)
    return code, json.loads(printed)["reports"][0]


def codes(report: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in report["findings"]]


# ---- what is asked ------------------------------------------------------------------------------


def test_a_lying_collective_is_overridden(run: Run) -> None:
    assert json_of(run, GATHERS)[0] == Exit.REFUTED
    code, report = json_of(run, "--collective", "all-gather", GATHERS)
    assert code == Exit.REFUTED  # its input is not where an all-gather has it
    assert "the file says allreduce" in report["claim"]
    code, report = json_of(run, "--collective", "custom", GATHERS)
    assert (code, codes(report)) == (Exit.PROVED, ["RP628"])


def test_a_right_program_is_wrong_for_another_collective(run: Run) -> None:
    for other in ("broadcast", "all-to-all", "reduce-scatter"):
        code, report = json_of(run, "--collective", other, RIGHT)
        wanted = Exit.PROVED if other == "reduce-scatter" else Exit.REFUTED
        assert code == wanted, other
        assert ("RP624" in codes(report)) == (wanted == Exit.REFUTED)


def test_a_wanted_result(run: Run, tmp_path: Path) -> None:
    post = tmp_path / "post.toml"
    post.write_text('ends = "r == 1"\npart = "k == r - 1"\n', encoding="utf-8")
    code, report = json_of(run, "--post", str(post), CUSTOM)
    assert (code, codes(report)) == (Exit.PROVED, [])
    assert {each["name"]: each["verdict"] for each in report["properties"]}["complete"] == "proved"
    post.write_text('ends = "r == 1"\npart = "k == r"\n', encoding="utf-8")
    code, report = json_of(run, "--post", str(post), CUSTOM)
    assert (code, codes(report)) == (Exit.REFUTED, ["RP624"])
    post.write_text('ends = "r == 0"\npart = "k == 1"\n', encoding="utf-8")
    code, report = json_of(run, "--post", str(post), CUSTOM)
    (wrong,) = report["findings"]
    assert (code, wrong["details"]["got"], wrong["details"]["expected"]) == (Exit.REFUTED, "unset", "x1[0]")


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ('ends = "r > 0"\n', "RP102"),
        ('part = "k = r"\n', "RP105"),
        ('part = "q == r"\n', "RP106"),
        ('part = "k + r"\n', "RP108"),
        ('part = "k == r"\nends = "k > 0"\n', "RP106"),
        ('part = "k == r"\nroot = 3\n', "RP101"),
        ("part = [", "RP003"),
    ],
)
def test_a_wanted_result_that_cannot_be_read(written: str, code: str, run: Run, tmp_path: Path) -> None:
    post = tmp_path / "post.toml"
    post.write_text(written, encoding="utf-8")
    exit_code, report = json_of(run, "--post", str(post), CUSTOM)
    assert (exit_code, report["path"]) == (Exit.CANNOT_CHECK, str(post))
    assert codes(report) == [code]


def test_a_wanted_result_that_is_not_there(run: Run, tmp_path: Path) -> None:
    code, report = json_of(run, "--post", str(tmp_path / "none.toml"), CUSTOM)
    assert (code, codes(report)) == (Exit.CANNOT_CHECK, ["RP001"])


def test_only_some_rank_counts(run: Run) -> None:
    assert run("check", "-N", "3", RIGHT)[0] == Exit.PROVED
    code, report = json_of(run, "-N", "4..8", RIGHT)
    assert (code, codes(report)) == (Exit.UNDECIDED, ["RP502"])


def test_chunks_that_no_buffer_declares_are_promised_all_the_same() -> None:
    """The runtime cuts the data into nchunksperloop chunks, whatever i_chunks says."""
    report = reported(RIGHT_TEXT.replace('nchunksperloop="3"', 'nchunksperloop="4"'))
    (wrong,) = [finding for finding in report.findings if finding.code == "RP624"]
    assert (wrong.details["count"], wrong.details["promised"], wrong.details["chunk"]) == (3, 12, 3)


def test_a_result_and_a_collective_exclude_each_other(run: Run) -> None:
    assert run("check", "--post", "x.toml", "--collective", "custom", CUSTOM)[0] == Exit.CANNOT_CHECK


def test_the_words_of_the_command_line_are_those_of_the_catalogues() -> None:
    assert sorted(options.COLLECTIVES) == sorted([*COLLECTIVES, "custom"])
    given = next(p for p in cli.commands["check"].params if p.name == "runtime")
    assert tuple(given.type.choices) == RUNTIMES  # type: ignore[attr-defined]


def test_the_help_for_a_race_makes_the_program_right() -> None:
    """What the report proposes, done by hand to the file that it is about."""
    told = (HOME / PROGRAMS / "all_gather_dependence_dropped.xml").read_text(encoding="utf-8")
    (race,) = [f for f in reported(told).findings if f.code == "RP621"]
    assert race.helps == ('depid="0" deps="0" here, and hasdep="1" there, puts this step after the other',)
    lines = [line.replace('depid="-1" deps="-1"', 'depid="0" deps="0"') if 'type="s"' in line else line
             for line in told.splitlines()]  # fmt: skip
    left = reported("\n".join(lines))
    assert (left.exit, left.findings) == (Exit.PROVED, ())


def test_an_unknown_runtime_or_collective_is_a_usage_error(run: Run) -> None:
    assert run("check", "--runtime", "nccl", RIGHT)[0] == Exit.CANNOT_CHECK
    assert run("check", "--collective", "allreduce", RIGHT)[0] == Exit.CANNOT_CHECK


# ---- what a runtime loads -----------------------------------------------------------------------


def loadable(**changed: Any) -> Program:
    """A right program that every runtime loads, unless something is changed."""
    step = Step("s", "i", 0, "i", 0)
    steps = (Step("s", "i", 0, "i", 0), Step("rrc", "i", 0, "i", 0))
    gpus = tuple(Gpu(r, 1, 1, 1, (Threadblock(0, 1 - r, 1 - r, 0, steps),)) for r in range(2))
    given = {"inplace": True, "outofplace": False, "min_bytes": 0, "max_bytes": 1 << 20}
    assert step in steps
    return Program("pair", "allreduce", 1, gpus, **{**given, **changed})


def with_steps(*more: Step, tbs: int = 0, chan: int = 0) -> Program:
    """The same with more steps in GPU 0, more threadblocks, or another channel."""
    program = loadable()
    gpus = []
    for gpu in program.gpus:
        first = gpu.tbs[0]
        first = Threadblock(0, first.send, first.recv, chan, (*first.steps, *more))
        rest = tuple(Threadblock(t) for t in range(1, tbs))
        gpus.append(Gpu(gpu.id, gpu.i_chunks, gpu.o_chunks, gpu.s_chunks, (first, *rest)))
    return loadable(nchannels=1) if not gpus else Program(
        "pair", "allreduce", 1, tuple(gpus), outofplace=False, min_bytes=0, max_bytes=1)  # fmt: skip


COPY = Step("cpy", "i", 0, "s", 0)
NOP = Step("nop", cnt=0, hasdep=True)
RULES = {
    "steps": (lambda p: with_steps(*[COPY] * (p.steps - 2)), lambda p: with_steps(*[COPY] * (p.steps - 1))),
    "threadblocks": (lambda p: with_steps(tbs=p.tbs), lambda p: with_steps(tbs=p.tbs + 1)),
    "nchannels": (lambda p: loadable(nchannels=32), lambda p: loadable(nchannels=33)),
    "channel": (lambda p: with_steps(chan=31), lambda p: with_steps(chan=32)),
    "nops": (lambda p: with_steps(NOP, replace(COPY, depid=0, deps=2)), lambda p: with_steps(NOP, COPY)),
    "nop at the end": (lambda p: with_steps(), lambda p: with_steps(NOP)),
}  # fmt: skip


def test_the_limits_are_those_of_the_runtimes() -> None:
    told = {name: (p.steps, p.tbs, p.channels, p.ranged, p.scatter) for name, p in PROFILES.items()}
    assert told == {
        "msccl": (256, 216, 32, False, "reduce_scatter"),
        "azure": (256, 216, 32, True, "reducescatter"),
        "rccl": (64, 64, 32, True, "reducescatter"),
    }


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("rule", RULES)
def test_a_limit_is_kept_and_one_more_is_refused(rule: str, runtime: Any) -> None:
    for make, loads in zip(RULES[rule], (True, False), strict=True):
        report = check_program("x.xml", write_xml(make(PROFILES[runtime])), Asked(runtime=runtime))
        result = next(each for each in report.results if each.name == "loads")
        told = [f.title for f in report.findings if f.code == "RP631"]
        assert (bool(result.proved), len(told)) == (loads, 0 if loads else 1), told
        others = {each.name for each in report.results if each.refuted}
        assert others <= {"loads"}


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("attribute", ["minBytes", "maxBytes", "outofplace"])
def test_attributes_that_some_runtimes_require(attribute: str, runtime: Any) -> None:
    whole = write_xml(loadable())
    start = whole.index(f' {attribute}="')
    without = whole[:start] + whole[whole.index('"', start + len(attribute) + 3) + 1 :]
    report = check_program("x.xml", without, Asked(runtime=runtime))
    assert report.exit == (Exit.PROVED if runtime == "msccl" else Exit.REFUTED)
    assert check_program("x.xml", without, Asked()).exit == Exit.PROVED


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_reduce_scatter_is_spelled_as_the_runtime_does(runtime: Any) -> None:
    for file in ("reduce_scatter", "reduce_scatter_out_of_place"):
        told = (HOME / PROGRAMS / f"{file}.xml").read_text(encoding="utf-8")
        spelled = "reduce_scatter" if file == "reduce_scatter" else "reducescatter"
        findings = check_program("x.xml", told, Asked(runtime=runtime)).findings
        refused = any("is spelled" in finding.title for finding in findings)
        assert refused == (spelled != PROFILES[runtime].scatter)


def test_counts_beyond_71_chunks() -> None:
    for count, loads in ((71, True), (72, False)):
        steps = (Step("s", "i", 0, "i", 0, count), Step("rrc", "i", 0, "i", 0, count))
        gpus = tuple(Gpu(r, count, 0, 0, (Threadblock(0, 1 - r, 1 - r, 0, steps),)) for r in range(2))
        program = Program("x", "allreduce", count, gpus)
        report = check_program("x.xml", write_xml(program), Asked(runtime="msccl"))
        assert (report.exit == Exit.PROVED) == loads


# ---- where programs come from and how they are told ---------------------------------------------


def test_a_folder_of_tables_and_programs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(RIGHT_TEXT, encoding="utf-8")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "B.XML").write_text((HOME / GATHERS).read_text(encoding="utf-8"), encoding="utf-8")
    table = (HOME / "schedules" / "ring_all_gather.toml").read_text(encoding="utf-8")
    (tmp_path / "c.toml").write_text(table.replace("2..64", "2..3"), encoding="utf-8")
    code, printed = run("check", "--format", "json", "--bounded", str(tmp_path))
    reports = json.loads(printed)["reports"]
    assert [Path(each["path"]).name for each in reports] == ["a.xml", "c.toml", "B.XML"]
    assert [each["exit"] for each in reports] == [Exit.PROVED, Exit.PROVED, Exit.REFUTED]
    assert code == Exit.REFUTED
    assert run("check", "-q", "--bounded", str(tmp_path))[1].endswith("3 files: 2 proved, 1 refuted\n")
    assert run("check", "-q", str(tmp_path / "deep"), RIGHT)[1].endswith("2 programs: 1 proved, 1 refuted\n")


def test_a_folder_with_neither(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("x", encoding="utf-8")
    code, report = json_of(run, str(tmp_path))
    assert (code, codes(report)) == (Exit.CANNOT_CHECK, ["RP004"])
    assert "*.xml" in report["findings"][0]["title"]


class Bytes(io.TextIOWrapper):
    def __init__(self, raw: bytes) -> None:
        super().__init__(io.BytesIO(raw), encoding="utf-8")


def test_standard_input_may_be_a_program(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Bytes(RIGHT_TEXT.encode()))
    code, printed = run("check", "-")
    assert code == Exit.PROVED
    assert printed.startswith("<stdin>: ring of 3")


def test_every_format_tells_the_same(run: Run) -> None:
    wrong = f"{PROGRAMS}/scratch_without_flag.xml"
    code, report = json_of(run, wrong)
    told = [f"error[{each['code']}]" for each in report["findings"]]
    for form in ("text", "concise"):
        exit_code, printed = run("check", "--format", form, wrong)
        assert exit_code == code
        assert [line for line in told if line in printed] == told
    place = report["findings"][0]["primary"]
    line = (HOME / wrong).read_text(encoding="utf-8").splitlines()[place["line"] - 1]
    assert f"type={line[place['column'] - 1 : place['end_column'] - 1]} " in line


def test_the_same_bytes_on_every_run(run: Run) -> None:
    files = [str(path.relative_to(HOME)) for path in sorted((HOME / PROGRAMS).glob("*.xml"))]
    first = run("check", *files)
    assert run("check", "-j", "1", *files) == first


def test_a_report_goes_to_a_file_but_not_over_the_program(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_text(RIGHT_TEXT, encoding="utf-8")
    assert run("check", str(path), "-o", str(path))[0] == Exit.CANNOT_CHECK
    assert path.read_text(encoding="utf-8") == RIGHT_TEXT
    assert run("check", str(path), "-o", str(tmp_path / "report.txt"))[0] == Exit.PROVED
    assert "proved  8 of 8" in (tmp_path / "report.txt").read_text(encoding="utf-8")
    assert run("check", str(path), "-o", str(tmp_path / "no" / "report.txt"))[0] == Exit.CANNOT_CHECK


# ---- whatever is no program ---------------------------------------------------------------------


def reported(told: str) -> Report:
    """The report on a text, written in every form on the way."""
    report = check_program("bad.xml", told, Asked())
    for written_as in (text.render([report]), concise.render([report]), as_json.render([report])):
        assert written_as
    return report


def test_an_empty_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "empty.xml"
    for written_bytes in (b"", b"  \n\n"):
        path.write_bytes(written_bytes)
        code, report = json_of(run, str(path))
        assert (code, codes(report)) == (Exit.CANNOT_CHECK, ["RP601"])


def test_bytes_that_are_no_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_bytes(b"<algo name='\xff\xfe'/>")
    assert codes(json_of(run, str(path))[1]) == ["RP002"]
    path.write_bytes(RIGHT_TEXT.encode("utf-16"))
    assert codes(json_of(run, str(path))[1]) == ["RP002"]
    path.write_bytes(b"\xef\xbb\xbf" + RIGHT_TEXT.replace("\n", "\r\n").encode())
    assert json_of(run, str(path))[0] == Exit.PROVED
    path.write_bytes(RIGHT_TEXT.replace("<algo", "<?xml version='1.0' encoding='latin-1'?>\n<algo").encode())
    assert codes(json_of(run, str(path))[1]) == ["RP601"]  # a declaration comes first in a file


def test_a_file_that_is_not_there_or_too_large(run: Run, tmp_path: Path) -> None:
    assert codes(json_of(run, str(tmp_path / "no.xml"))[1]) == ["RP001"]
    path = tmp_path / "large.xml"
    with path.open("wb") as file:
        file.truncate(LARGEST_PROGRAM + 1)
    code, report = json_of(run, str(path))
    assert (code, codes(report)) == (Exit.CANNOT_CHECK, ["RP005"])


def test_a_program_where_a_table_belongs(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(f"\n {RIGHT_TEXT}", encoding="utf-8")
    code, report = json_of(run, str(path))
    (finding,) = report["findings"]
    assert (code, finding["code"], finding["title"]) == (
        Exit.CANNOT_CHECK, "RP003", "the file is XML; a table is TOML")  # fmt: skip
    assert (finding["primary"]["line"], finding["primary"]["column"]) == (2, 2)


def test_entities_are_refused_before_they_unfold() -> None:
    """Thirty levels of ten each would be 10**30 letters; nothing of it is expanded or kept."""
    levels = '<!ENTITY e0 "lol">\n'
    levels += "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">\n' for i in range(1, 30))
    bomb = f"<!DOCTYPE algo [\n{levels}]>\n<algo name='&e29;'/>"
    outside = '<!DOCTYPE algo SYSTEM "file:///etc/passwd">\n<algo/>'
    for told in (bomb, outside):
        tracemalloc.start()
        report = reported(told)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert [finding.code for finding in report.findings] == ["RP602"]
        assert most < 4 << 20
    assert [f.code for f in reported(RIGHT_TEXT.replace('name="', 'name="&lol;')).findings] == ["RP601"]


@pytest.mark.parametrize("ending", ["", "</a>"])
def test_nesting_without_end_takes_bounded_memory(ending: str) -> None:
    deep = "<algo>" + "<a>" * 200_000 + ending * 200_000
    tracemalloc.start()
    report = reported(deep)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.exit == Exit.CANNOT_CHECK
    assert "RP603" in [finding.code for finding in report.findings]
    assert most < 16 << 20


def test_one_line_without_end_takes_bounded_memory() -> None:
    long = RIGHT_TEXT.replace("\n", " ").replace("<!-- proved -->", " " * 4_000_000).replace("rrs", "rsr", 1)
    tracemalloc.start()
    report = check_program("long.xml", long, Asked())
    shown = text.render([report])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [finding.code for finding in report.findings] == ["RP605"]
    assert '"rsr"' in shown
    assert most < 48 << 20


def test_more_mistakes_than_anybody_reads() -> None:
    report = reported(RIGHT_TEXT.replace('cnt="1"', 'cnt="x"').replace('hasdep="0"', 'hasdep="?"'))
    found = [finding.code for finding in report.findings]
    assert found == ["RP605"] * 20 + ["RP006"]
    assert "10 more errors" in report.findings[-1].title


def test_a_program_too_large_to_hold(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_text(RIGHT_TEXT.replace('i_chunks="3"', 'i_chunks="2000000000"', 1), encoding="utf-8")
    code, report = json_of(run, str(path))
    assert (code, codes(report)) == (Exit.CANNOT_CHECK, ["RP205"])
    assert report["findings"][0]["title"].startswith("it needs about ")  # not: the machine ran out of it
    code, report = json_of(run, "--memory", "10KiB", RIGHT)
    assert (code, codes(report)) == (Exit.CANNOT_CHECK, ["RP205"])


def test_more_races_than_anybody_reads() -> None:
    """Sixty threadblocks that all write one chunk: told in short, and in a time that can be waited for."""
    tbs = tuple(Threadblock(t, steps=(Step("re", "i", 0, "o", 0),) * 30) for t in range(60))
    program = Program("crowd", "allreduce", 1, (Gpu(0, 1, 1, 0, tbs),), inplace=False, outofplace=True)
    began = perf_counter()
    report = reported(write_xml(program))
    assert perf_counter() - began < 30
    (race,) = [finding for finding in report.findings if finding.code == "RP621"]
    assert race.title == "at least 10000 data races"
    assert report.exit == Exit.REFUTED
    undecided = {result.name for result in report.results if result.undecided}
    assert "complete" in undecided


def test_a_long_chain_on_one_chunk_with_one_race() -> None:
    """Accesses in order cost little, however many there are."""
    long = Threadblock(0, steps=(Step("cpy", "i", 0, "o", 0),) * 4000)
    other = Threadblock(1, steps=(Step("cpy", "i", 0, "o", 0, 1, 0, 3998),))
    steps = (*long.steps[:-2], replace(long.steps[0], hasdep=True), long.steps[0])
    tbs = (replace(long, steps=steps), other)
    program = Program("chain", "allreduce", 1, (Gpu(0, 1, 1, 0, tbs),), inplace=False, outofplace=True)
    began = perf_counter()
    report = reported(write_xml(program))
    assert perf_counter() - began < 10
    (race,) = [finding for finding in report.findings if finding.code == "RP622"]
    assert (race.details["count"], report.exit) == (1, Exit.PROVED)


def test_a_gpu_without_threadblocks_and_a_program_without_steps() -> None:
    empty = Program("nothing", "allreduce", 1, tuple(Gpu(r, 1) for r in range(2)))
    report = reported(write_xml(empty))
    assert report.exit == Exit.REFUTED
    assert [finding.code for finding in report.findings] == ["RP624"]
    alone = Program("alone", "allreduce", 1, (Gpu(0, 1),))
    assert reported(write_xml(alone)).exit == Exit.PROVED


def test_no_text_makes_it_fail() -> None:
    """Letters of a right program deleted, doubled and changed: always a report, never an exception."""
    dice = random.Random(0)
    base = write_xml(chain_ring(2, 1, 2))
    exits = set()
    for _ in range(600):
        told = base
        for _ in range(dice.randint(1, 2)):
            at = dice.randrange(len(told))
            what = dice.choice(["", told[at] * 2, dice.choice('<>&"=09-az/ \u00e9\x01')])
            what = str(dice.randrange(3)) if told[at].isdigit() else what
            told = told[:at] + what + told[at + 1 :]
        exits.add(reported(told).exit)
    assert exits >= {Exit.PROVED, Exit.REFUTED, Exit.CANNOT_CHECK}
