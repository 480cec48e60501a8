"""How long the whole library takes, on one core and on two.

Not part of the default run: ``pytest tests/benchmarks --benchmark-only -n 0``.
"""

from __future__ import annotations

from time import perf_counter

from pytest_benchmark.fixture import BenchmarkFixture

from ringproof.assess import Options
from ringproof.check import check_file
from tests.benchmarks.test_speed import HOME, Say, python, say
from tests.conftest import HOME as ROOT

__all__ = ["say"]  # a fixture
SECONDS, ONE_TABLE = 60.0, 8.0
HALF = 1.1


def test_the_library_on_one_core_and_on_two(benchmark: BenchmarkFixture, say: Say) -> None:
    """Every table at every size in at most 60 s on two cores, and nearly twice as fast as on one."""
    one = python("-m", "ringproof", "check", "schedules", "-q", "-j", "1")
    two = benchmark.pedantic(
        python, args=("-m", "ringproof", "check", "schedules", "-q", "-j", "2"), rounds=1
    )
    say(f"one core {one:.1f} s, two cores {two:.1f} s: {two / (one / 2):.2f} of half")
    assert two <= SECONDS
    assert two <= HALF * one / 2


def test_no_table_takes_long(benchmark: BenchmarkFixture, say: Say) -> None:
    """The slowest single table, proved over its whole claim."""
    took = {}
    for path in sorted((ROOT / "schedules").glob("*.toml")):
        began = perf_counter()
        check_file(str(path), Options())
        took[path.stem] = perf_counter() - began
    slowest = max(took, key=lambda name: took[name])
    benchmark.pedantic(check_file, args=(str(HOME / f"schedules/{slowest}.toml"), Options()), rounds=1)
    say(f"slowest {slowest}: {took[slowest]:.1f} s of {sum(took.values()):.1f} s in all")
    assert took[slowest] <= ONE_TABLE
