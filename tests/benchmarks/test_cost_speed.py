"""How fast `ringproof cost` is: the whole library at 64 ranks, as a process of its own.

Not part of the default run: ``pytest tests/benchmarks --benchmark-only -n 0``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ringproof.cost.counts import count
from ringproof.events import expand
from ringproof.simulate import simulate
from ringproof.table.reader import read_schedule
from ringproof.table.source import read
from ringproof.verdict import Size

HOME = Path(__file__).parents[2]
COMMAND = "from ringproof.cost.command import cost; cost()"
LIMIT = 3.0  # seconds
ROUNDS = 5


def whole(*arguments: str) -> float:
    """The seconds of one `ringproof cost`, from the start of Python to its end."""
    began = perf_counter()
    command = [sys.executable, "-c", COMMAND, *arguments]
    subprocess.run(command, cwd=HOME, capture_output=True, check=True)
    return perf_counter() - began


def test_the_library_at_64_ranks(benchmark: BenchmarkFixture, capsys: pytest.CaptureFixture[str]) -> None:
    times: list[float] = []
    benchmark.pedantic(
        lambda: times.append(whole("schedules", "-N", "64")), rounds=ROUNDS, iterations=1, warmup_rounds=1
    )
    took, tables = median(times[1:]), len(list((HOME / "schedules").rglob("*.toml")))
    with capsys.disabled():
        print(f"\n  cost of {tables} tables at N = 64: {took:.2f} s (limit {LIMIT} s)", end="")
    assert took <= LIMIT


def test_counting_against_replaying(benchmark: BenchmarkFixture, capsys: pytest.CaptureFixture[str]) -> None:
    """Counting costs no more than the replay that comes before it."""
    events = expand(read_schedule(read(str(HOME / "schedules" / "ring.toml")).values), Size(64))
    times: list[tuple[float, float]] = []

    def in_turn() -> None:
        began = perf_counter()
        simulate(events)
        replayed = perf_counter()
        count(events)
        times.append((replayed - began, perf_counter() - replayed))

    benchmark.pedantic(in_turn, rounds=9, iterations=1, warmup_rounds=1)
    replays, counts = (median(column) for column in zip(*times, strict=True))
    with capsys.disabled():
        print(f"\n  ring, N = 64: replay {replays * 1e3:.2f} ms, counts {counts * 1e3:.2f} ms", end="")
    assert counts <= 2 * replays
