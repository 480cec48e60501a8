"""Real schedule files, read from a folder beside the repository, get the verdicts they deserve.

What they deserve was found by two interpreters that share no code with ringproof (expected.tsv).
"""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ringproof.verdict import Exit
from tests.conftest import HOME, Run

CORPUS = Path(os.environ.get("RINGPROOF_CORPUS", HOME.parent / "shared" / "corpus"))
TABLE = CORPUS / "expected.tsv"
ROWS: list[dict[str, str]] = (
    list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines(), delimiter="\t"))
    if TABLE.exists() else []
)  # fmt: skip
pytestmark = pytest.mark.skipif(not ROWS, reason="no corpus: RINGPROOF_CORPUS names its folder")
every_file = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["file"])

# What an expected verdict says -> the finding that says so.
SAYS = {
    "result wrong": "RP624", "two threadblocks on one connection": "RP612", "deadlock": "RP618",
    "reads of unset memory": "RP623", "reads unset memory": "RP623",
}  # fmt: skip


def checked(run: Run, file: str) -> tuple[int, dict[str, Any]]:
    code, text = run("check", "--format", "json", str(CORPUS / file))
    return code, json.loads(text)["reports"][0]


def found(report: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [finding for finding in report["findings"] if finding["code"] == code]


def test_the_whole_corpus_is_there() -> None:
    assert len(ROWS) == 25
    assert {row["file"] for row in ROWS} == {
        str(path.relative_to(CORPUS)) for path in CORPUS.rglob("*.xml")
    }  # fmt: skip


@every_file
def test_the_verdict_is_the_expected_one(row: dict[str, str], run: Run) -> None:
    code, report = checked(run, row["file"])
    verdict, codes = row["verdict"], {finding["code"] for finding in report["findings"]}
    errors = {f["code"] for f in report["findings"] if f["severity"] == "error"}
    if verdict == "ok":
        assert (code, errors) == (Exit.PROVED, set())
        return
    wanted = {SAYS[words] for words in SAYS if words in verdict}
    if "RP612" in wanted:  # what a shared connection leads to is not determined, so it may hang or not
        wanted.discard("RP618")
    if races := re.search(r"(\d+) data races", verdict):
        kind = "RP622" if "benign" in verdict else "RP621"
        assert [f["details"]["count"] for f in found(report, kind)] == [int(races[1])]
        wanted.add(kind)
    assert wanted <= codes
    assert errors == wanted - {"RP622"}
    assert code == (Exit.REFUTED if errors else Exit.PROVED)


@every_file
def test_the_smallest_window_is_the_expected_one(row: dict[str, str], run: Run) -> None:
    _, report = checked(run, row["file"])
    told = [re.search(r"room for (\d+) messages? or more", fact) for fact in report["facts"]]
    windows = [int(match[1]) for match in told if match]
    if row["min_in_flight"] == ">2":
        assert windows[0] > 2
        assert found(report, "RP619")
    elif row["min_in_flight"] != "-":
        assert windows == [int(row["min_in_flight"])]
        assert not found(report, "RP619")


def test_only_one_chunk_of_eight_is_reduced(run: Run) -> None:
    _, report = checked(run, "wrong/c93b52ad_ar_ll.xml")
    (wrong,) = found(report, "RP624")
    assert (wrong["details"]["count"], wrong["details"]["promised"]) == (7 * 8, 8 * 8)


def test_the_races_of_an_all_to_all_do_not_reach_its_output(run: Run) -> None:
    _, report = checked(run, "wrong/Alltoall.n8-DGX1-steps2.rounds8.chunks3.sccl.xml")
    verdicts = {each["name"]: each["verdict"] for each in report["properties"]}
    assert (verdicts["race-free"], verdicts["complete"]) == ("refuted", "proved")


def test_an_order_that_shows_a_race(run: Run) -> None:
    _, report = checked(run, "wrong/57832b6f_alltonext_2in.xml")
    (race,) = found(report, "RP621")
    assert race["details"]["count"] == 30
    assert any("in another order it" in note for note in race["notes"])


@pytest.mark.parametrize("runtime", ["msccl", "azure", "rccl"])
def test_who_loads_a_file(runtime: str, run: Run) -> None:
    """LL files of RCCL: more steps a threadblock than RCCL takes, and microsoft/msccl takes them."""
    steps = {"right/60e78dbf_ring_1_24.xml": False, "right/alltoall-8n-0-9kb.xml": True}
    for file, ranged in steps.items():
        code, text = run("check", "--format", "json", "--runtime", runtime, str(CORPUS / file))
        report = json.loads(text)["reports"][0]
        loads = next(each for each in report["properties"] if each["name"] == "loads")
        expected = "proved" if ranged or runtime == "msccl" else "refuted"
        assert loads["verdict"] == expected
        assert code == (Exit.PROVED if expected == "proved" else Exit.REFUTED)


def test_a_folder_of_real_files(run: Run) -> None:
    code, text = run("check", "--format", "concise", str(CORPUS))
    assert code == Exit.REFUTED
    assert text
