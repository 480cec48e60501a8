"""SARIF, JUnit, GitHub and JSON, read by those who know these formats and not by us."""

from __future__ import annotations

import json as stdlib_json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from junitparser import Error as JunitError
from junitparser import Failure as JunitFailure
from junitparser import JUnitXml
from junitparser import Skipped as JunitSkipped
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as SarifModel

from ringproof.assess import Options
from ringproof.check import check_file
from ringproof.codes import CODES, PROGRAM_PROPERTIES, PROPERTIES
from ringproof.inputs import check_item
from ringproof.program.asked import Asked
from ringproof.report import concise, github, json, junit, sarif, text
from ringproof.report.json_schema import WORDS, schema
from ringproof.results import STATEMENTS
from ringproof.table.source import parse
from ringproof.table.written import literal
from ringproof.verdict import Beyond, Exit, Finding, Label, Place, Refuted, Report, Spot, Undecided, Used
from ringproof.wording import OUTCOMES, every_finding
from tests.conftest import HOME, Run
from tests.official import sarif_schema
from tests.test_report import ALL, BROKEN, OPEN, RIGHT, UNREADABLE, VACUOUS, WRONG

REAL = (
    "schedules/ring.toml", "schedules/van_de_geijn_broadcast.toml", "schedules/hierarchical_composed.toml",
    "tests/wrong/ring_reduce_scatter_plus_one.toml", "tests/wrong/swing_six.toml",
    "tests/bad/keys_misspelt.toml", "tests/bad/empty.toml", "tests/bad/not_toml_key_twice.toml",
    "nowhere.toml",
)  # fmt: skip
FIRST = Finding("RP505", "right for all it claims; wrong at N = 65", "note", Label(Place(("ranks",))),
                details={"size": "N = 65"})  # fmt: skip
LEARNED = Beyond(Undecided("two reasons"), "every N >= 2", False, ("in-range",), (("once", "no time"),))
FOUND = Beyond(Refuted(FIRST), "every N >= 2", True)
WAIVED = replace(
    RIGHT, results=(replace(RIGHT.results[2], name="no-resend", proved=RIGHT.sizes[:5],
                            waived=RIGHT.sizes[5:], remark="waived: 3 of 9 sends at N = 64"),),
)  # fmt: skip
WASTED = replace(
    RIGHT, results=(replace(RIGHT.results[2], proved=(), waived=RIGHT.sizes, remark="waived: all"),),
)  # fmt: skip
BUG = Report("a.toml", "a", "", "", RIGHT.sizes, RIGHT.results, (Finding("RP503", "engines disagree"),))
LEFT = Report("b.toml", "", "", "", findings=(Finding("RP507", "interrupted", "warning"),))
HAND_MADE = (
    *ALL, WAIVED, WASTED, BUG, LEFT, replace(RIGHT, every_n=LEARNED),
    replace(RIGHT, every_n=FOUND, findings=(FIRST,)),
)  # fmt: skip


@pytest.fixture(scope="module")
def reports() -> tuple[Report, ...]:
    """Hand-made reports with everything there is, and reports of real files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(HOME)
        real = [check_file(path, Options(ranks=((2, 5),))) for path in REAL[:3]]
        real += [check_file(path, Options()) for path in REAL[3:]]
        programs = sorted(Path("tests/programs").glob("*.xml"))
        real += [check_item(str(path), Options()) for path in programs]
    assert {r.kind for r in real} == {"table", "program"}
    return (*HAND_MADE, *real)


def test_every_property_has_the_code_of_what_refutes_it(reports: tuple[Report, ...]) -> None:
    programs = {result.name for report in reports if report.kind == "program" for result in report.results}
    assert programs <= set(PROGRAM_PROPERTIES) <= programs | {"loads"}
    assert set(PROGRAM_PROPERTIES.values()) <= set(CODES)
    assert set(PROPERTIES) == set(STATEMENTS)
    assert set(PROPERTIES.values()) <= set(CODES)
    assert len(set(PROPERTIES.values())) == len(PROPERTIES)


# ---- SARIF --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return sarif_schema(tmp_path_factory.mktemp("sarif"))


def run_of(*given: Report, **options: Any) -> dict[str, Any]:
    run: dict[str, Any] = stdlib_json.loads(sarif.render(given, **options))["runs"][0]
    return run


def test_sarif_is_valid_by_its_official_schema(
    reports: tuple[Report, ...], official: dict[str, Any]
) -> None:
    validator = jsonschema.Draft4Validator(official)
    for chosen in (reports, (), *((one,) for one in reports)):
        document = stdlib_json.loads(sarif.render(chosen))
        assert [e.message for e in validator.iter_errors(document)] == []
    broken = stdlib_json.loads(sarif.render(reports))
    broken["runs"][0]["results"][0]["kind"] = "proved"
    assert not validator.is_valid(broken)


def test_sarif_is_what_a_model_of_the_standard_reads(reports: tuple[Report, ...]) -> None:
    read = SarifModel.model_validate_json(sarif.render(reports))
    assert len(read.runs[0].results or ()) == len(run_of(*reports)["results"])
    with pytest.raises(ValueError, match="kind"):
        SarifModel.model_validate_json(sarif.render(reports).replace('"kind": "open"', '"kind": "perhaps"'))


def test_sarif_says_fail_pass_and_open_and_nothing_undecided_passes(reports: tuple[Report, ...]) -> None:
    def kinds(report: Report, **options: Any) -> list[str]:
        return [result["kind"] for result in run_of(report, **options)["results"]]

    assert kinds(RIGHT) == ["pass"] * 3
    assert kinds(RIGHT, detail="quiet") == []
    assert kinds(BROKEN) == ["fail", "pass", "pass"]
    assert kinds(OPEN) == ["pass", "pass", "open"]
    assert kinds(VACUOUS) == ["open"]
    assert kinds(UNREADABLE) == ["fail"]
    assert kinds(WAIVED) == ["fail", "pass"]
    assert kinds(HAND_MADE[-1]) == ["fail", "pass", "pass", "pass"]
    for report in reports:
        found = kinds(report)
        assert (report.exit is Exit.PROVED) == (
            not {"open"} & set(found) and not [r for r in run_of(report)["results"]
                                               if r["level"] == "error"]
        ), report.path  # fmt: skip
        for result in run_of(report)["results"]:
            assert (result["level"] == "none") == (result["kind"] != "fail")
            assert result["message"]["text"]


def test_sarif_of_a_refutation() -> None:
    run = run_of(BROKEN)
    found = run["results"][0]
    rules = run["tool"]["driver"]["rules"]
    assert rules[found["ruleIndex"]]["id"] == found["ruleId"] == "RP301"
    assert rules[found["ruleIndex"]]["help"]["text"].startswith("A collective promises")
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "schedules/ring.toml"}
    assert place["region"] == {"startLine": 21, "startColumn": 11, "endLine": 21, "endColumn": 24}
    (related,) = found["relatedLocations"]
    assert related["physicalLocation"]["region"]["startLine"] == 12
    assert related["message"]["text"] == WRONG.related[0].text
    assert found["properties"]["counterexample"]["N"] == 3
    assert (run["invocations"][0]["exitCode"], run["columnKind"]) == (1, "unicodeCodePoints")


def test_sarif_offers_the_repair_that_is_proved(reports: tuple[Report, ...]) -> None:
    report = next(r for r in reports if r.path.endswith("ring_reduce_scatter_plus_one.toml"))
    (fix,) = run_of(report)["results"][0]["fixes"]
    (change,) = fix["artifactChanges"][0]["replacements"]
    assert change["insertedContent"]["text"] == '"(r - s - 1) % N"'
    assert mended(report.text, change["deletedRegion"], change["insertedContent"]["text"]) == (
        report.text.replace("(r - s + 1)", "(r - s - 1)", 1)
    )


def mended(source: str, region: dict[str, int], new: str) -> str:
    """A text with one region of one line replaced."""
    assert region["startLine"] == region["endLine"]
    lines = source.split("\n")
    at = region["startLine"] - 1
    lines[at] = lines[at][: region["startColumn"] - 1] + new + lines[at][region["endColumn"] - 1 :]
    return "\n".join(lines)


def test_sarif_tells_what_is_waived_and_where() -> None:
    source = 'waive = ["no-resend"]\n'
    waived = run_of(replace(WAIVED, text=source))["results"][0]
    assert waived["suppressions"] == [
        {"kind": "inSource", "justification": "waived: 3 of 9 sends at N = 64"}
    ]
    assert waived["locations"][0]["physicalLocation"]["region"]["startColumn"] == source.index("[") + 1


def test_sarif_paths_are_uri_references() -> None:
    def uri(path: str) -> str:
        (result,) = run_of(replace(UNREADABLE, path=path))["results"]
        found: str = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        return found

    assert uri("a b/c#d?.toml") == "a%20b/c%23d%3F.toml"
    assert uri("x:y.toml") == "x%3Ay.toml"
    assert uri("ü\udcff.toml") == "%C3%BC%FF.toml"
    assert uri(str(Path("/") / "a b.toml")) == "file:///a%20b.toml"


def test_sarif_lists_a_file_once_however_it_is_named(official: dict[str, Any]) -> None:
    """The standard wants artifacts without a repetition."""
    used = replace(RIGHT, used=tuple(Used(("phase", i), "sub/a b.toml", "") for i in range(2)))
    given = used, replace(RIGHT, path="./sub/a b.toml"), replace(RIGHT, path="sub//a b.toml")
    uris = [artifact["location"]["uri"] for artifact in run_of(*given)["artifacts"]]
    assert uris == [RIGHT.path, "sub/a%20b.toml"]
    assert jsonschema.Draft4Validator(official).is_valid(stdlib_json.loads(sarif.render(given)))


def test_sarif_messages_hold_no_placeholders() -> None:
    finding = Finding("RP101", "write `for = { j = 1 }` or {0}")
    (result,) = run_of(replace(UNREADABLE, findings=(finding,)))["results"]
    assert result["message"]["text"] == "write `for = {{ j = 1 }}` or {{0}}."


# ---- JUnit --------------------------------------------------------------------------------------


def cases(*given: Report) -> dict[str, list[str]]:
    """What a JUnit reader makes of reports: for each case, how it ended."""
    read = JUnitXml.fromstring(junit.render(given).encode())
    found: dict[str, list[str]] = {}
    for suite in read:
        for case in suite:
            ended = [type(result).__name__ for result in case.result] or ["passed"]
            found.setdefault(f"{suite.name}:{case.name}", []).extend(ended)
    return found


def test_junit_is_read_by_a_junit_reader(reports: tuple[Report, ...]) -> None:
    read = JUnitXml.fromstring(junit.render(reports).encode())
    assert [suite.name for suite in read] == [report.path for report in reports]
    for suite, report in zip(read, reports, strict=True):
        kinds = [type(result) for case in suite for result in case.result]
        assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (
            len(list(suite)), kinds.count(JunitFailure), kinds.count(JunitError), kinds.count(JunitSkipped),
        )  # fmt: skip
        green = suite.tests > 0 and not suite.failures and not suite.errors
        assert green == (report.exit is Exit.PROVED), report.path
    assert read.tests == sum(suite.tests for suite in read)
    assert junit.render(reports) == junit.render(reports)


def test_junit_tells_refuted_from_undecided_from_waived() -> None:
    path = RIGHT.path
    assert cases(BROKEN)[f"{path}:complete"] == ["Failure"]
    assert cases(OPEN)[f"{path}:once"] == ["Error"]
    assert cases(WASTED)[f"{path}:once"] == ["Skipped"]
    assert cases(VACUOUS) == {f"{path}:table": ["Error"]}
    assert cases(BUG)["a.toml:table"] == ["Error"]
    assert cases(replace(RIGHT, every_n=LEARNED))[f"{path}:every N"] == ["Skipped"]
    demanded = replace(LEARNED, demanded=True)
    assert cases(replace(RIGHT, every_n=demanded))[f"{path}:every N"] == ["Error"]
    assert cases(replace(RIGHT, every_n=FOUND))[f"{path}:every N"] == ["Failure"]


def test_a_failure_in_junit_tells_all_that_refutes_its_property(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOME)
    report = check_item("tests/programs/ring_all_reduce.xml", Options(program=Asked(runtime="rccl")))
    titles = [finding.title for finding in report.findings if finding.code == "RP631"]
    assert len(titles) > 1
    failed = [case.text for case in ElementTree.fromstring(junit.render([report])).iter("failure")]
    assert [all(title in (told or "") for title in titles) for told in failed] == [True]


def test_junit_is_the_same_in_every_encoding_of_a_terminal() -> None:
    written = junit.render([replace(RIGHT, path="größe 😀.toml")])
    assert written.isascii()
    assert ElementTree.fromstring(written.encode("latin-1"))[0].get("name") == "größe 😀.toml"


def test_a_failure_in_junit_is_the_finding_as_text_shows_it() -> None:
    read = JUnitXml.fromstring(junit.render([BROKEN]).encode())
    (failure,) = [result for suite in read for case in suite for result in case.result]
    assert failure.message == WRONG.title
    assert failure.text == text.render([BROKEN]).split("\n\n")[0]


# ---- GitHub -------------------------------------------------------------------------------------

_COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


def annotations(*given: Report) -> Iterator[tuple[str, dict[str, str], str]]:
    """What a runner takes out of the log: level, properties and message of each command."""

    def plain(text: str) -> str:
        for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            text = text.replace(code, sign)
        return text

    for line in github.render(given).splitlines():
        if line.lstrip().startswith("::") or "##[" in line:
            match = _COMMAND.fullmatch(line)
            assert match, line
            pairs = [pair.partition("=") for pair in match[2].split(",")]
            yield match[1], {key: plain(value) for key, _, value in pairs}, plain(match[3])


def test_github_gets_an_annotation_for_each_finding(reports: tuple[Report, ...]) -> None:
    for report in reports:
        found = list(annotations(report))
        levels = [level for level, _, _ in found]
        assert len(found) >= len(every_finding(report))
        assert (report.exit is Exit.PROVED) or {"error", "warning"} & set(levels)
    (level, where, message) = next(annotations(BROKEN))
    assert level == "error"
    assert where == {"file": RIGHT.path, "line": "21", "endLine": "21", "col": "11", "endColumn": "24",
                     "title": "RP301 incomplete"}  # fmt: skip
    assert message.splitlines()[0].endswith(": rank 2 sends chunk 1 in step 1 before it is complete")
    assert "help: `(r - s) % N` here is proved for N = 2..64" in message


@pytest.mark.parametrize("report", [BROKEN, OPEN])
def test_github_names_files_as_the_repository_does(report: Report) -> None:
    first = github.render([replace(report, path="./schedules//a,b.toml")]).splitlines()[0]
    assert "file=schedules/a%2Cb.toml," in first


def test_github_says_of_every_table_how_it_ended() -> None:
    told = "proved 3 of 3 properties for N = 2..64 (63 sizes)"
    assert github.render([RIGHT]) == f"ringproof: {RIGHT.path}: {told}\n"
    undecided = replace(RIGHT, every_n=replace(LEARNED, demanded=True))
    assert next(annotations(undecided))[0] == "error"


@given(st.text(), st.text(), st.text())
def test_no_text_begins_a_command_of_its_own(path: str, title: str, note: str) -> None:
    finding = Finding("RP101", title, "error", Label(Spot(1, 1), note), notes=(note,))
    report = Report(path, title, "", "", findings=(finding,))
    (only,) = annotations(report)
    assert only[0] == "error"
    assert set(only[1]) == {"file", "line", "endLine", "col", "endColumn", "title"}
    rendered = github.render([report])
    assert len(rendered.splitlines()) == 2


def test_an_old_command_within_a_line_is_broken() -> None:
    report = replace(RIGHT, path="##[add-path]x")
    assert "##[" not in github.render([report])


# ---- JSON ---------------------------------------------------------------------------------------


def test_json_is_valid_by_its_published_schema(reports: tuple[Report, ...]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    validator = jsonschema.Draft202012Validator(schema())
    for chosen in (reports, (), *((one,) for one in reports)):
        assert [e.message for e in validator.iter_errors(stdlib_json.loads(json.render(chosen)))] == []


def test_the_published_schema_names_nothing_that_is_never_written(reports: tuple[Report, ...]) -> None:
    """Every key and every word of the schema occurs in some report: none is stale."""
    written: set[str] = set()

    def visit(value: Any) -> None:
        if isinstance(value, dict):
            written.update(value)
            for inner in value.values():
                visit(inner)
        elif isinstance(value, list):
            for inner in value:
                visit(inner)
        elif isinstance(value, str):
            written.add(value)

    visit(stdlib_json.loads(json.render(reports)))
    found = schema()
    keys = set(found["properties"])
    for part in found["$defs"].values():
        keys |= set(part.get("properties", ()))
    assert keys - written == set()
    assert set(WORDS) - written == {"vacuous"}
    assert set(OUTCOMES) - written == set()


@pytest.mark.parametrize("change", [
    lambda d: d.update(version=1),
    lambda d: d.update(more=1),
    lambda d: d["summary"]["outcomes"].pop("refuted"),
    lambda d: d["summary"]["codes"].update(RP999=1),
    lambda d: d["summary"].update(files=-1),
    lambda d: d["reports"][0].pop("facts"),
    lambda d: d["reports"][0]["findings"][0]["primary"].update(column=0),
    lambda d: d["reports"][0]["properties"][0].update(verdict="fine"),
])  # fmt: skip
def test_what_the_published_schema_refuses(change: Any) -> None:
    document = stdlib_json.loads(json.render([BROKEN]))
    change(document)
    assert not jsonschema.Draft202012Validator(schema()).is_valid(document)


def test_the_schema_is_printed(run: Run) -> None:
    code, printed = run("schema", "--report")
    assert code == Exit.PROVED
    assert stdlib_json.loads(printed) == schema()


_LETTERS = st.characters(codec="utf-8", exclude_characters="\r")


@given(st.text(_LETTERS, max_size=12), st.text(_LETTERS, max_size=12))
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_spans_count_characters_from_one_and_end_after_the_last(before: str, inside: str) -> None:
    first, second = literal(before), literal(inside)
    source = f"a = {first}\nb = [{first}, {second}] # more\n"
    assert parse(source, "t").values["b"] == [before, inside]
    finding = Finding("RP101", "t", primary=Label(Place(("b", 1))))
    (report,) = stdlib_json.loads(json.render([Report("t", "", source, "", findings=(finding,))]))["reports"]
    span = report["findings"][0]["primary"]
    assert span["line"] == span["end_line"] == 2
    line = source.split("\n")[1]
    assert line[span["column"] - 1 : span["end_column"] - 1] == second


# ---- the command line ---------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["sarif", "github", "junit", "json"])
def test_every_format_changes_no_verdict_and_no_byte(run: Run, tmp_path: Path, form: str) -> None:
    files = ("tests/wrong/ring_reduce_scatter_plus_one.toml", "tests/bad/empty.toml", "schedules/ring.toml")
    asked = ("check", *files, "-N", "2..8", "--bounded", "--format", form)
    code, printed = run(*asked)
    assert code == Exit.REFUTED
    assert run(*asked, "-o", str(tmp_path / "r")) == (code, "")
    assert (tmp_path / "r").read_text(encoding="utf-8") == printed
    assert "\x1b" not in printed


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_text_can_be_written_in_every_format(path: str, title: str) -> None:
    finding = Finding("RP101", title, "error", notes=(title,))
    report = Report(path, title, "", "", findings=(finding,))
    assert JUnitXml.fromstring(junit.render([report]).encode("utf-8"))
    assert SarifModel.model_validate_json(sarif.render([report]))
    assert stdlib_json.loads(json.render([report]))
    assert concise.render([report])
