"""How fast `ringproof draw` is, as a process of its own, against what it cannot do without.

Not part of the default run: ``pytest tests/benchmarks --benchmark-only -n 0``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

HOME = Path(__file__).parents[2]
IMPORTS = "import z3, numpy, graphviz"
TIMES, LIMIT, ALL, ROUNDS = 3.0, 2.0, 20.0, 7


def seconds(cache: Path, *command: str) -> float:
    """One process from start to end, its bytecode kept as an installed package's is."""
    kept = {**os.environ, "PYTHONPYCACHEPREFIX": str(cache)}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    began = perf_counter()
    subprocess.run([sys.executable, *command], cwd=HOME, env=kept, capture_output=True, check=True)
    return perf_counter() - began


def test_the_ring_at_8_against_imports(
    benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = ("-m", "ringproof", "draw", "schedules/ring.toml", "-N", "8", "--width", "2col",
            "-o", str(tmp_path / "x.svg"))  # fmt: skip
    pairs: list[tuple[float, float]] = []
    benchmark.pedantic(
        lambda: pairs.append((seconds(tmp_path, *draw), seconds(tmp_path, "-c", IMPORTS))),
        rounds=ROUNDS, iterations=1, warmup_rounds=1,
    )  # fmt: skip
    ratio = median(drawn / imported for drawn, imported in pairs[1:])
    with capsys.disabled():
        print(f"\n  ring at N = 8: {ratio:.2f} times the imports (limit {TIMES})", end="")
    assert ratio <= TIMES


def least(benchmark: BenchmarkFixture, cache: Path, *command: str) -> float:
    """The least time of a command: other work on the machine only adds to it."""
    times: list[float] = []
    benchmark.pedantic(
        lambda: times.append(seconds(cache, *command)), rounds=ROUNDS, iterations=1, warmup_rounds=1
    )
    return min(times[1:])


def test_the_pair_at_64(
    benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = ("-m", "ringproof", "draw", "schedules/ring.toml", "-N", "64", "--width", "2col",
            "-o", str(tmp_path / "x.svg"))  # fmt: skip
    took = least(benchmark, tmp_path, *draw)
    with capsys.disabled():
        print(f"\n  matrix and life at N = 64: {took:.2f} s (limit {LIMIT} s)", end="")
    assert took <= LIMIT


@pytest.mark.skipif(not find_spec("matplotlib"), reason="the extra charts is not installed")
def test_all_figures(
    benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    took = least(benchmark, tmp_path, "-m", "ringproof", "figures", "-o", str(tmp_path))
    with capsys.disabled():
        print(f"\n  all figures: {took:.2f} s (limit {ALL} s)", end="")
    assert took <= ALL
