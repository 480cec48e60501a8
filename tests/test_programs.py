"""Every program in tests/programs/ gets the verdict that its first line states, and the report beside it.

The first line of a file is a comment: the outcome, and the codes of all findings in any order.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ringproof.codes import CODES
from ringproof.verdict import Exit
from tests.conftest import HOME, Blessed, Run

FILES = sorted((HOME / "tests" / "programs").glob("*.xml"))
EXITS = {"proved": Exit.PROVED, "refuted": Exit.REFUTED, "cannot check": Exit.CANNOT_CHECK}

every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def stated(path: Path) -> tuple[Exit, set[str]]:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    found = re.fullmatch(r"<!-- (proved|refuted|cannot check):?((?: RP6\d\d)*) -->", first)
    assert found, first
    return EXITS[found[1]], set(found[2].split())


@every_file
def test_the_verdict_and_the_findings_are_as_stated(path: Path, run: Run) -> None:
    exit_code, codes = stated(path)
    code, text = run("check", "--format", "json", str(path.relative_to(HOME)))
    report = json.loads(text)["reports"][0]
    assert {finding["code"] for finding in report["findings"]} == codes
    assert code == exit_code == report["exit"]
    for finding in report["findings"]:
        if finding["severity"] == "error" and finding["code"] != "RP601":
            assert finding["primary"]["line"] > 1, finding


@every_file
def test_the_report_reads_as_blessed(path: Path, run: Run, blessed: Blessed) -> None:
    code, text = run("check", str(path.relative_to(HOME)))
    assert code == stated(path)[0]
    assert str(HOME) not in text
    blessed(path.with_suffix(".txt"), text)


def test_every_file_has_its_report_and_every_rule_a_file() -> None:
    folder = HOME / "tests" / "programs"
    assert {p.stem for p in folder.glob("*.txt")} == {p.stem for p in FILES}
    shown = {code for path in FILES for code in stated(path)[1]}
    only_asked = {"RP631"}  # by --runtime: see below
    assert shown | only_asked == {code for code in CODES if code.startswith("RP6")}
