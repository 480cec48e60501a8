"""How long hundreds of files take on two cores.

Not part of the default run: ``pytest tests/benchmarks --benchmark-only -n 0``.
"""

from __future__ import annotations

from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

from ringproof.convert.xml import write_xml
from tests.benchmarks.test_speed import Say, python, say
from tests.ring_programs import chain_ring

__all__ = ["say"]  # a fixture
FILES, STEPS, SECONDS = 300, 1000, 60.0


def ring(N: int, which: int) -> str:
    """A ring all-reduce: 2 N (N - 1) sends."""
    return (
        f'name = "ring {which}"\ncollective = "all-reduce"\nranks = "{N}"\nchunks = "N"\n'
        f'[claims]\ntotal_sends = "2*N*(N - 1)"\n'
        + "".join(
            f'[[phase]]\nname = "{name}"\nsteps = "N - 1"\n[[phase.send]]\nto = "(r + 1) % N"\n'
            f'chunk = "(r - s{shift}) % N"\nop = "{op}"\n'
            for name, shift, op in (("reduce-scatter", " - 1", "reduce"), ("all-gather", "", "copy"))
        )
    )


def chain(N: int, which: int) -> str:
    """A chain broadcast: one message a step, so N - 1 steps."""
    return (
        f'name = "chain {which}"\ncollective = "broadcast"\nranks = "{N}"\nchunks = "1"\n'
        '[[phase]]\nname = "chain"\nsteps = "N - 1"\n[[phase.send]]\nto = "r + 1"\nchunk = "0"\n'
        'op = "copy"\nwhen = "r == s and r + 1 < N"\n'
    )


def folder(path: Path) -> None:
    """100 programs of about ``STEPS`` steps, 100 tables of about as many sends, 100 of as many steps."""
    for i in range(FILES // 3):
        program = write_xml(chain_ring(8, 1 + i % 4, 8))
        (path / f"program{i:03}.xml").write_text(program, encoding="utf-8")
        (path / f"ring{i:03}.toml").write_text(ring(22 + i % 3, i), encoding="utf-8")
        (path / f"chain{i:03}.toml").write_text(chain(STEPS + i % 7, i), encoding="utf-8")


def test_hundreds_of_files_on_two_cores(tmp_path: Path, benchmark: BenchmarkFixture, say: Say) -> None:
    folder(tmp_path)
    files = sorted(tmp_path.iterdir())
    assert len(files) == FILES
    took = benchmark.pedantic(
        python, args=("-m", "ringproof", "check", str(tmp_path), "-q", "-j", "2"), rounds=1
    )
    say(f"{FILES} files of about {STEPS} steps on two cores: {took:.1f} s (limit {SECONDS:.0f} s)")
    assert took <= SECONDS
