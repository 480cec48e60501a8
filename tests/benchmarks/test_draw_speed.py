"""How fast `ringproof draw` is, as a process of its own, against what it cannot do without.

Not part of the default run: ``pytest tests/benchmarks --benchmark-only -n 0``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

HOME = Path(__file__).parents[2]
IMPORTS = "import z3, numpy, graphviz"
TIMES, LIMIT, ROUNDS = 3.0, 2.0, 7


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


def test_the_pair_at_64(
    benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = ("-m", "ringproof", "draw", "schedules/ring.toml", "-N", "64", "--width", "2col",
            "-o", str(tmp_path / "x.svg"))  # fmt: skip
    times: list[float] = []
    benchmark.pedantic(
        lambda: times.append(seconds(tmp_path, *draw)), rounds=3, iterations=1, warmup_rounds=1
    )
    with capsys.disabled():
        print(f"\n  matrix and life at N = 64: {median(times[1:]):.2f} s (limit {LIMIT} s)", end="")
    assert median(times[1:]) <= LIMIT
