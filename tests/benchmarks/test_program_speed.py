"""How long programs take: real files, and rings of growing size.

Not part of the default run: ``pytest tests/benchmarks --benchmark-only -n 0``.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ringproof.check_program import check_program
from ringproof.convert.xml import write_xml
from ringproof.program.asked import Asked
from ringproof.program.model import Program
from ringproof.verdict import Exit
from tests.benchmarks.test_speed import HOME, Say, python, say
from tests.ring_programs import chain_ring, split_ring
from tests.test_program_corpus import CORPUS, ROWS

__all__ = ["say"]  # a fixture
REAL, LARGE, LARGE_MEMORY = 2.0, 6.0, 1 << 30
GROWTH = 1.15  # the exponent of steps * log(steps) that a fit may show; noise and caches take some


@pytest.mark.skipif(not ROWS, reason="no corpus: RINGPROOF_CORPUS names its folder")
def test_no_real_file_takes_long(benchmark: BenchmarkFixture, say: Say) -> None:
    """Every real file of up to 12,000 steps, each in a process of its own."""
    rows = [row for row in ROWS if int(row["steps"]) <= 12_000]
    assert len(rows) == len(ROWS)

    def seconds(file: str) -> float:
        return min(python("-m", "ringproof", "check", "-q", str(CORPUS / file)) for _ in range(3))

    took = {row["file"]: seconds(row["file"]) for row in rows}
    slowest = max(took, key=lambda file: took[file])
    benchmark.pedantic(python, args=("-m", "ringproof", "check", "-q", str(CORPUS / slowest)), rounds=3)
    say(f"slowest of {len(rows)}: {slowest} {took[slowest]:.2f} s (limit {REAL} s)")
    assert took[slowest] <= REAL


def largest_child(path: Path) -> tuple[float, int]:
    """Seconds and the most bytes of memory of one check, measured around it in a process of its own."""
    code = (
        "import resource, subprocess, sys\n"
        f"done = subprocess.run([sys.executable, '-m', 'ringproof', 'check', '-q', {str(path)!r}])\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)\n"
        "sys.exit(done.returncode)\n"
    )
    began = perf_counter()
    done = subprocess.run([sys.executable, "-c", code], cwd=HOME, capture_output=True, text=True, check=False)
    took = perf_counter() - began
    assert done.returncode == Exit.PROVED, done.stdout + done.stderr
    unit = 1 if sys.platform == "darwin" else 1024
    return took, int(done.stderr.split()[-1]) * unit


@pytest.mark.parametrize(
    ("make", "chunks"), [(chain_ring, 11), (split_ring, 6)], ids=["one threadblock a channel", "two"]
)
def test_a_ring_of_64_gpus(
    make: Callable[[int, int, int], Program], chunks: int, tmp_path: Path,
    benchmark: BenchmarkFixture, say: Say,
) -> None:  # fmt: skip
    """64 GPUs, 24 channels, 32,000 steps and more: time and memory of the whole process."""
    program = make(64, 24, chunks)
    assert program.size >= 32_000
    path = tmp_path / "ring.xml"
    path.write_text(write_xml(program), encoding="utf-8")
    took, memory = benchmark.pedantic(largest_child, args=(path,), rounds=3)
    say(f"{program.size} steps: {took:.2f} s (limit {LARGE} s), {memory >> 20} MiB (limit 1024 MiB)")
    assert took <= LARGE
    assert memory <= LARGE_MEMORY


@pytest.mark.parametrize("make", [chain_ring, split_ring], ids=["one threadblock a channel", "two"])
def test_time_grows_as_steps_times_their_logarithm(
    make: Callable[[int, int, int], Program], benchmark: BenchmarkFixture, say: Say
) -> None:
    """Rings of growing size: seconds over steps * log(steps) stay flat, shown by a fit on logarithms."""
    sizes = (8, 12, 16, 24, 32, 48, 64)
    points: list[tuple[float, float]] = []

    def measure() -> None:
        points.clear()
        for N in sizes:
            program = make(N, 4, N)
            text = write_xml(program)
            took = []
            for _ in range(5):  # the least of some: others work on the machine too
                began = perf_counter()
                report = check_program("ring.xml", text, Asked(z3="never"))
                took.append(perf_counter() - began)
            assert report.exit == Exit.PROVED
            points.append((program.size * math.log(program.size), min(took)))

    benchmark.pedantic(measure, rounds=1)
    work, seconds = (np.log([point[i] for point in points]) for i in (0, 1))
    slope, _ = np.polyfit(work, seconds, 1)
    shown = ", ".join(f"{s * 1e3:.0f} ms" for _, s in points)
    said = f"seconds ~ (steps log steps)^{slope:.2f} (limit {GROWTH})"
    say(f"N = {', '.join(map(str, sizes))}: {shown}; {said}")
    assert slope <= GROWTH
