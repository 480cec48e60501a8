"""Hostile files take bounded memory: measured in a process of their own, as the system counts it."""

from __future__ import annotations

import html
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ringproof.figure.facts import sealed
from ringproof.figure.ink import metadata_of
from ringproof.textfile import LARGEST, LARGEST_PROGRAM
from ringproof.verdict import Exit
from tests.conftest import HOME

STATUS = Path("/proc/self/status")  # not ru_maxrss, which a child inherits from whoever starts it
pytestmark = pytest.mark.skipif(not STATUS.exists(), reason="no /proc says how much memory was used")
MEASURED = """
import sys
from ringproof.cli import main
code = main(sys.argv[1:])
sys.stdout.flush()
print(*[line.split()[1] for line in open("/proc/self/status") if "VmHWM" in line], file=sys.stderr)
sys.exit(code)
"""
TABLE = (HOME / "schedules" / "ring.toml").read_text(encoding="utf-8")
PROGRAM = (HOME / "tests" / "programs" / "ring_all_reduce.xml").read_text(encoding="utf-8")
HEAT = (HOME / "figures" / "ring64.svg").read_text(encoding="utf-8")
DOUBLING = (HOME / "tests" / "bad" / "memory_of_counts_that_double.toml").read_text(encoding="utf-8")
M, P = LARGEST, LARGEST_PROGRAM


class Case(NamedTuple):
    """A hostile file, and the MiB that it may take: twice what was measured when this was written."""

    make: Callable[[], str]
    most: int
    name: str = "t.toml"
    code: Exit = Exit.CANNOT_CHECK


def sealed_picture(**changes: Any) -> str:
    """A picture of cells whose metadata somebody changed who knows how to seal them."""
    found: dict[str, Any] = {**json.loads(metadata_of(HEAT)), **changes}
    start, end = HEAT.index(">", HEAT.index("<metadata")) + 1, HEAT.index("</metadata>")
    return HEAT[:start] + html.escape(json.dumps(sealed(found)), quote=False) + HEAT[end:]


def log(*words: str) -> Callable[[], str]:
    return lambda: sealed_picture(sends=" ".join(words))


def with_metadata(text: str) -> str:
    start, end = HEAT.index(">", HEAT.index("<metadata")) + 1, HEAT.index("</metadata>")
    return HEAT[:start] + text + HEAT[end:]


NINES = "9" * (30 << 20)
GATHERED = " ".join(f"{sends} 63@1" for sends in ["0,0,1,1,1,0"] * 63)
QUICK = {
    "a send log of 33 million": Case(log("0,1,0,0,0,1", "33000000@1"), 500, "t.svg"),
    "a send log of sums of everything": Case(
        log("0,1,0,0,0,1 0,0,1,0,0,0 62@1", GATHERED, *["1,0,1,1,1,0 4095@1"] * 100), 500, "t.svg"),
    "counts that double in every step": Case(lambda: DOUBLING, 300),
    "a name of 30 million letters": Case(lambda: f"<{'x' * (30 << 20)}/>", 600, "t.xml"),
}  # fmt: skip
SLOW = {
    "a number of 30 million digits": Case(
        lambda: PROGRAM.replace('cnt="1"', f'cnt="{NINES}"', 1), 500, "t.xml"),
    "a number of 4 million digits": Case(lambda: "ranks = " + "9" * (M - 9), 1100),
    "a bracket 4 million times": Case(lambda: "[" * M, 150),
    "8 million elements": Case(lambda: f"<svg {'<g/>' * (P // 4 - 4)}</svg>", 350, "t.svg"),
    "a send log of a million": Case(log("0,1,0,0,1,1", "1000000@1"), 600, "t.svg", Exit.REFUTED),
    "as many slots as there may be": Case(
        lambda: sealed_picture(slots=4000, chunks=4000), 1200, "t.svg", Exit.REFUTED),
    "a million tags in a picture": Case(
        lambda: HEAT.replace("</svg>", "<g></g>" * 200_000 + "</svg>"), 1000, "t.svg", Exit.REFUTED),
    "metadata of lists": Case(lambda: with_metadata("[" + "{}," * (10 << 20) + "1]"), 700, "t.svg"),
    "a list of 1.4 million lists": Case(lambda: "x = [" + "[]," * (M // 3 - 10) + "]", 1900),
    "a list of 2 million numbers": Case(lambda: "waive = [" + "1," * (M // 2 - 10) + "]", 1900),
    "300000 keys": Case(lambda: "".join(f"k{i}=1\n" for i in range(M // 12)), 1300),
    "400000 phases": Case(lambda: "[[phase]]\n" * (M // 10), 1200),
    "4 million empty lines": Case(lambda: "\n" * M, 1900),
    "2 million attributes": Case(
        lambda: "<algo " + " ".join(f"a{k}='1'" for k in range(2_000_000)) + "/>", 1200, "t.xml"),
    "8 million elements of a program": Case(lambda: f"<algo>{'<a/>' * (P // 4 - 4)}</algo>", 300, "t.xml"),
    "600000 threadblocks": Case(lambda: threadblocks(P // 56), 600, "t.xml"),
    "32 million empty lines of a program": Case(lambda: "\n" * P, 700, "t.xml"),
}  # fmt: skip


def threadblocks(count: int) -> str:
    blocks = "".join(f'<tb id="{k}" send="-1" recv="-1" chan="0"/>' for k in range(count))
    start = '<algo name="a" proto="Simple" nchannels="1" ngpus="1" coll="allreduce">'
    return f'{start}<gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0">{blocks}</gpu></algo>'


def measured(case: Case, folder: Path) -> None:
    path = folder / case.name
    path.write_text(case.make(), encoding="utf-8")
    command = ["verify-figure"] if case.name == "t.svg" else ["check", "-N", "2,8"]
    command += ["--bounded"] if case.name == "t.toml" else []
    done = subprocess.run([sys.executable, "-c", MEASURED, *command, str(path)], cwd=HOME, text=True,
                          capture_output=True, timeout=120)  # fmt: skip
    assert done.returncode == case.code, (done.stdout[-500:], done.stderr[-500:])
    assert "Traceback" not in done.stderr
    assert str(path) in done.stdout
    used = int(done.stderr.split()[-1]) >> 10
    print(case.name, used, "MiB of", case.most)
    assert used <= case.most, f"{used} MiB"


@pytest.mark.parametrize("what", QUICK)
def test_a_hostile_file_takes_bounded_memory(what: str, tmp_path: Path) -> None:
    measured(QUICK[what], tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("what", SLOW)
def test_a_large_hostile_file_takes_bounded_memory(what: str, tmp_path: Path) -> None:
    measured(SLOW[what], tmp_path)
