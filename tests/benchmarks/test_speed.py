"""How fast, as ratios: two things run in turn, A B A B, and their medians are compared.

Not part of the default run: ``pytest tests/benchmarks --benchmark-only -n 0``.  Absolute times depend on
the machine; what is asserted is a ratio wherever one makes sense.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ringproof.assess import Options
from ringproof.check import check_file
from ringproof.events import expand
from ringproof.simulate import simulate
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import read

HOME = Path(__file__).parents[2]
RING = str(HOME / "schedules" / "ring.toml")
WRONG = ("ring_flipped_sign", "ring_one_rotation_shifted", "ring_reduce_scatter_step_too_many",
         "ring_all_gather_step_too_many", "ring_send_to_rank_n")  # fmt: skip
ROUNDS = 9
SAME = 1.1  # two equal times differ by a few percent from run to run

Say = Callable[[str], None]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], benchmark: BenchmarkFixture) -> Say:
    """Print a measurement past pytest's capture, and keep it with the benchmark."""

    def measured(line: str) -> None:
        benchmark.extra_info.setdefault("measured", []).append(line)
        with capsys.disabled():
            print(f"\n  {line}", end="")

    return measured


def python(*arguments: str) -> float:
    """The seconds that a Python process of its own takes."""
    began = perf_counter()
    done = subprocess.run([sys.executable, *arguments], cwd=HOME, capture_output=True, check=False)
    took = perf_counter() - began
    if done.returncode not in (0, 1) or b"Traceback" in done.stderr:
        pytest.fail(done.stderr.decode())
    return took


def in_turn(
    benchmark: BenchmarkFixture, one: Callable[[], float], other: Callable[[], float],
) -> tuple[float, float]:  # fmt: skip
    """Median seconds of two things that take turns; the first is what the benchmark shows."""
    times: list[tuple[float, float]] = []
    one(), other()  # warm the caches of the disk
    benchmark.pedantic(lambda: times.append((one(), other())), rounds=ROUNDS, iterations=1)
    first, second = zip(*times, strict=True)
    return median(first), median(second)


def ring() -> Schedule:
    source = read(RING)
    return read_schedule(source.values, source.path)


def timed(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began


def test_a_whole_check_against_its_imports(benchmark: BenchmarkFixture, say: Say) -> None:
    check, imports = in_turn(
        benchmark,
        lambda: python("-m", "ringproof", "check", RING),
        lambda: python("-c", "import z3, numpy"),
    )
    say(f"check ring.toml {check:.3f} s, import z3, numpy {imports:.3f} s: {check / imports:.2f}x (limit 6x)")
    assert check <= 6 * imports


def test_help_against_bare_python(benchmark: BenchmarkFixture, say: Say) -> None:
    shown, bare = in_turn(
        benchmark,
        lambda: python("-m", "ringproof", "--help"),
        lambda: python("-c", "pass"),
    )
    say(f"--help {shown:.3f} s, bare Python {bare:.3f} s: {shown - bare:.3f} s more (limit 0.1 s)")
    assert shown - bare <= 0.1


def test_replay_of_the_ring(benchmark: BenchmarkFixture, say: Say) -> None:
    schedule = ring()
    sizes = list(schedule.claimed())
    times: list[float] = []

    def sweep() -> None:
        times.append(timed(lambda: [simulate(expand(schedule, size)) for size in sizes]))

    benchmark.pedantic(sweep, rounds=ROUNDS, iterations=1, warmup_rounds=1)
    took = median(times)
    say(f"replay of the ring, N = {sizes[0].N}..{sizes[-1].N}: {took:.3f} s (limit 0.25 s)")
    assert took <= 0.25


BIG = """
import json, resource, sys, time
from ringproof.events import expand
from ringproof.simulate import simulate
from ringproof.table.reader import read_schedule
from ringproof.table.source import read
from ringproof.verdict import Size
schedule = read_schedule(read(sys.argv[1]).values)
began = time.perf_counter()
outcome = simulate(expand(schedule, Size(1024)))
took = time.perf_counter() - began
unit = 1 if sys.platform == "darwin" else 1024
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
print(json.dumps([took, peak, not any(outcome.violations.values())]))
"""


def test_replay_at_1024_ranks(benchmark: BenchmarkFixture, say: Say) -> None:
    found: list[tuple[float, float, bool]] = []

    def replay() -> None:
        command = [sys.executable, "-c", BIG, RING]
        told = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=True)
        found.append(tuple(json.loads(told.stdout)))

    benchmark.pedantic(replay, rounds=3, iterations=1)
    seconds, peaks, right = zip(*found, strict=True)
    took, peak = median(seconds), max(peaks)
    say(f"replay at N = 1024: {took:.2f} s, {peak / 1e9:.2f} GB at its peak (limits 3 s, 1 GB)")
    assert all(right)
    assert took <= 3
    assert peak <= 1e9


@pytest.mark.parametrize("name", WRONG)
def test_refuting_is_as_fast_as_proving(name: str, benchmark: BenchmarkFixture, say: Say) -> None:
    """A wrong table is reported at least as fast as the right one is proved; whole processes."""
    wrong = str(HOME / "tests" / "wrong" / f"{name}.toml")
    refuted, proved = in_turn(
        benchmark,
        lambda: python("-m", "ringproof", "check", wrong),
        lambda: python("-m", "ringproof", "check", RING),
    )
    say(f"{name} {refuted:.3f} s, ring.toml {proved:.3f} s: {refuted / proved:.2f}x (limit 1x)")
    assert refuted <= proved * SAME


def test_refuting_without_a_repair(benchmark: BenchmarkFixture, say: Say) -> None:
    """The verdict alone, in one process: what is left when no "did you mean" has to be proved."""
    wrong, options = str(HOME / "tests" / "wrong" / f"{WRONG[0]}.toml"), Options(suggest=0)
    refuted, proved = in_turn(
        benchmark,
        lambda: timed(lambda: check_file(wrong, options)),
        lambda: timed(lambda: check_file(RING, options)),
    )
    say(f"{WRONG[0]} without repairs {refuted:.3f} s, ring.toml {proved:.3f} s: {refuted / proved:.2f}x")
    assert refuted <= proved * SAME
