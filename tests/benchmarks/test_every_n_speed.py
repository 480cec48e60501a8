"""How fast proofs for every N and their certificates are, as ratios within one run.

Not part of the default run: ``pytest tests/benchmarks --benchmark-only -n 0``.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ringproof.__main__ import MANY
from ringproof.assess import Settings, assess, symmetry_of
from ringproof.proof.certificate import at_hand, certificate, compare, discharge
from ringproof.proof.every_n import Proved, Undecided, prove_every_n
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import read

HOME = Path(__file__).parents[2]
SWEEPS, IMPORTS, ROUNDS = 2.0, 6.0, 7
SECONDS = {"z3": 10.0, "cvc5": 1.0, "python": 10.0}
# Seconds that a prototype took, learning and sweep included, where it proved a table at all.
PROTOTYPE = {
    "ring": 1.4, "ring_shifted": 1.4, "ring_reduce_scatter": 1.3, "ring_all_gather": 1.3,
    "direct_all_gather": 1.0, "direct_reduce_scatter": 1.0, "naive": 1.0, "two_shot_all_reduce": 1.4,
    "bidirectional_ring_all_gather": 1.4, "bidirectional_ring_reduce_scatter": 1.4,
    "bidirectional_ring_all_reduce": 2.6, "binomial_broadcast": 0.3, "binomial_reduce": 1.8,
    "binomial_gather": 1.8, "binomial_scatter": 1.8, "binomial_all_reduce": 1.8,
    "bruck_all_gather": 1.4, "chain_broadcast": 0.7, "chain_reduce": 0.7,
    "pipelined_chain_broadcast": 2.1, "pipelined_chain_reduce": 2.1, "circulant_all_gather": 1.4,
    "circulant_reduce_scatter": 1.4, "circulant_all_reduce": 1.8, "neighbour_exchange": 5.3,
    "pairwise_all_to_all": 1.1, "pairwise_all_to_all_xor": 1.1, "pairwise_all_to_all_in_place": 1.1,
    "pairwise_reduce_scatter": 1.1, "pairwise_reduce_scatter_xor": 1.1, "pat_all_gather": 2.4,
    "pat_reduce_scatter": 2.4, "recursive_doubling": 0.9, "recursive_doubling_all_gather": 0.9,
    "recursive_halving_reduce_scatter": 0.9, "dissemination": 0.3, "direct_all_to_all": 1.7,
}
HOPELESS = ("bcube", "double_binary_tree_all_reduce", "halving_doubling_any", "swing", "ring4_sends")
HEAVY = ("ring", "hierarchical_ring", "knomial_all_reduce", "binomial_gather", "neighbour_exchange")


def table(name: str) -> Schedule:
    path = str(HOME / "schedules" / f"{name}.toml")
    return read_schedule(read(path).values, path)


def test_the_ring_for_every_n_against_its_sweep(
    benchmark: BenchmarkFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    ring, settings = table("ring"), Settings()

    def pair() -> float:
        began = process_time()
        symmetry = symmetry_of(ring, settings)
        for size in ring.claimed():
            assess(ring, size, settings, symmetry)
        swept = process_time() - began
        assert prove_every_n(ring).verdict == Proved()
        return (process_time() - began - swept) / swept

    ratios: list[float] = []
    benchmark.pedantic(lambda: ratios.append(pair()), rounds=ROUNDS, iterations=1, warmup_rounds=1)
    with capsys.disabled():
        print(f"\n  every N: {median(ratios):.2f} times the sweep (limit {SWEEPS})", end="")
    assert median(ratios) <= SWEEPS


def seconds(cache: Path, *command: str) -> float:
    """One process from start to end, its bytecode kept as an installed package's is."""
    kept = {**os.environ, "PYTHONPYCACHEPREFIX": str(cache)}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    began = perf_counter()
    subprocess.run([sys.executable, *command], cwd=HOME, env=kept, capture_output=True, check=True)
    return perf_counter() - began


def test_check_of_the_ring_against_imports(
    benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check, bare = ("-m", "ringproof", "check", "schedules/ring.toml"), ("-c", "import z3, numpy")
    ratios: list[float] = []
    benchmark.pedantic(
        lambda: ratios.append(seconds(tmp_path, *check) / seconds(tmp_path, *bare)),
        rounds=ROUNDS, iterations=1, warmup_rounds=1,
    )  # fmt: skip
    with capsys.disabled():
        print(f"\n  check: {median(ratios[1:]):.2f} times the imports (limit {IMPORTS})", end="")
    assert median(ratios[1:]) <= IMPORTS


@pytest.fixture(autouse=True)
def collected_as_in_the_command() -> Iterator[None]:
    """What a proof makes holds no cycles: the command looks for some less often than Python does."""
    usual = gc.get_threshold()
    gc.set_threshold(MANY, 20, 20)
    yield
    gc.set_threshold(*usual)


@pytest.mark.parametrize("name", HEAVY)
def test_verifying_a_certificate(
    benchmark: BenchmarkFixture, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    schedule = table(name)
    made = certificate(schedule, prove_every_n(schedule, 60.0))
    took: dict[str, float] = {}

    def verify() -> None:
        for solver in at_hand():
            began = process_time()
            compare(schedule, made.data, made.questions)
            assert set(discharge(made.questions, solver)) == {"proved"}
            took[solver] = process_time() - began

    benchmark.pedantic(verify, rounds=1, iterations=1)
    with capsys.disabled():
        told = ", ".join(f"{solver} {s:.2f} s" for solver, s in took.items())
        print(f"\n  {name}: {len(made.questions)} questions, {told}", end="")
    assert all(s <= SECONDS[solver] for solver, s in took.items())


@pytest.mark.parametrize("name", PROTOTYPE)
def test_no_table_takes_twice_what_the_prototype_took(benchmark: BenchmarkFixture, name: str) -> None:
    schedule, took = table(name), []

    def prove() -> None:
        began = process_time()
        assert prove_every_n(schedule, 60.0).verdict == Proved()
        took.append(process_time() - began)

    benchmark.pedantic(prove, rounds=3, iterations=1)
    assert min(took) <= 2 * PROTOTYPE[name]


@pytest.mark.parametrize("name", HOPELESS)
def test_a_table_out_of_reach_costs_ten_seconds_at_most(benchmark: BenchmarkFixture, name: str) -> None:
    schedule, took = table(name), []

    def give_up() -> None:
        began = process_time()
        assert isinstance(prove_every_n(schedule).verdict, Undecided)
        took.append(process_time() - began)

    benchmark.pedantic(give_up, rounds=1, iterations=1)
    assert took[0] <= 10.5
