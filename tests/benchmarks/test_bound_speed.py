"""How large the questions are that `ringproof bound` decides within a minute.

Not part of the default run: ``pytest tests/benchmarks/test_bound_speed.py --benchmark-only -n 0``.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ringproof.bound.table import answer
from ringproof.bound.values import question
from ringproof.verdict import Exit

HOME = Path(__file__).parents[2]
MINUTE = 60.0
COMMAND = "from ringproof.bound.command import bound; bound(['--collective', 'all-gather', '-N', '5'])"

Say = Callable[[str], None]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], benchmark: BenchmarkFixture) -> Say:
    """Print a measurement past pytest's capture, and keep it with the benchmark."""

    def measured(line: str) -> None:
        benchmark.extra_info.setdefault("measured", []).append(line)
        with capsys.disabled():
            print(f"\n  {line}", end="")

    return measured


@pytest.mark.parametrize(
    ("collective", "N", "chunks", "ports", "message", "least"),
    [
        ("broadcast", 32, 1, 1, 1, 5),
        ("broadcast", 48, 1, 1, 1, 6),
        ("broadcast", 8, 4, 1, 1, 6),
        ("broadcast", 16, 4, 1, 1, 7),
        ("reduce", 32, 1, 1, 1, 5),
        ("broadcast", 27, 1, 2, 1, 3),
        ("all-gather", 8, 8, 1, 1, 7),
        ("all-gather", 16, 16, 1, 1, 15),
        ("all-gather", 32, 32, 1, 1, 31),
        ("all-gather", 32, 32, 1, None, 5),
        ("all-gather", 9, 9, 2, 1, 4),
        ("reduce-scatter", 24, 24, 1, 1, 23),
        ("scatter", 20, 20, 1, 1, 19),
        ("gather", 20, 20, 1, 1, 19),
        ("gather", 32, 32, 1, None, 5),
        ("all-to-all", 8, 8, 1, 1, 7),
        ("all-to-all", 16, 16, 1, 1, 15),
        ("all-to-all", 24, 24, 1, None, 5),
        ("all-reduce", 8, 1, 1, 1, 3),
        ("all-reduce", 16, 1, 1, 1, 4),
        ("all-reduce", 4, 4, 1, 1, 6),
        ("all-reduce", 8, 8, 1, 1, 14),
        ("all-reduce", 24, 24, 1, 1, 46),
        ("all-reduce", 3, 2, 1, 1, 4),
        ("all-reduce", 5, 4, 1, 1, 7),
    ],
)
def test_within_a_minute(
    collective: str, N: int, chunks: int, ports: int, message: int | None, least: int,
    benchmark: BenchmarkFixture, say: Say,
) -> None:  # fmt: skip
    asked = question(collective, N, chunks, ports, message)
    times: list[float] = []

    def decide() -> None:
        began = perf_counter()
        found = answer(asked, MINUTE)
        times.append(perf_counter() - began)
        assert (found.exit, found.at_least) == (Exit.PROVED, least), found.reason

    benchmark.pedantic(decide, rounds=1, iterations=1)
    size = "any size" if message is None else f"{message} chunk"
    say(f"{asked}, ports {ports}, messages of {size}: {least} steps in {times[0]:.2f} s (limit 60 s)")
    assert times[0] <= MINUTE


def test_a_small_question_against_its_imports(benchmark: BenchmarkFixture, say: Say) -> None:
    times: list[tuple[float, float]] = []

    def python(code: str) -> float:
        began = perf_counter()
        subprocess.run([sys.executable, "-c", code], cwd=HOME, capture_output=True, check=True)
        return perf_counter() - began

    benchmark.pedantic(
        lambda: times.append((python(COMMAND), python("import z3, numpy"))),
        rounds=5, iterations=1, warmup_rounds=1,
    )  # fmt: skip
    whole, imports = (median(side) for side in zip(*times, strict=True))
    ratio = f"{whole:.3f} s, import z3, numpy {imports:.3f} s: {whole / imports:.2f}x (limit 4x)"
    say(f"all-gather, N = 5: {ratio}")
    assert whole <= 4 * imports
