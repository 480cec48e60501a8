"""`cost`: counts derived by hand, bounds derived anew, the model against sampling, units, formats, exits."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from ringproof.collective import COLLECTIVES
from ringproof.contract import Contract
from ringproof.cost import bounds as lower
from ringproof.cost import model, units
from ringproof.cost.command import cost, markdown_table
from ringproof.cost.counts import count
from ringproof.cost.sizes import Question
from ringproof.cost.survey import survey
from ringproof.cost.values import Counted, Link, Machine, Spread, Survey, ratios
from ringproof.events import expand
from ringproof.report.cost import cells
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import read
from ringproof.verdict import Exit, Size
from tests.conftest import HOME, sampled

TABLES = sorted((HOME / "schedules").rglob("*.toml"))
WRONG = sorted((HOME / "tests" / "wrong").glob("*.toml"))
MODEL = ("--alpha", "5us", "--beta", "25GB/s")

NOTHING = '[[phase]]\nname = "p"\nsteps = 0\n'

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `ringproof cost` at the root of the repository."""
    monkeypatch.chdir(HOME)
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return lambda *arguments: CliRunner().invoke(cost, list(arguments), catch_exceptions=False)


def schedule(path: Path) -> Schedule:
    return read_schedule(read(str(path)).values, str(path))


def counted(name: str, N: int, **params: int) -> Counted:
    """What is counted for a table of the library, or one at a path."""
    table = schedule(HOME / "schedules" / f"{name}.toml")
    size = next(s for s in table.at(N) if all(dict(s.params)[k] == v for k, v in params.items()))
    return count(expand(table, size))


def written(folder: Path, rows: str, **keys: Any) -> Counted:
    """What is counted for a table of these phases, written by hand, on its only number of ranks."""
    given = {"collective": "all-reduce", "ranks": 2, "chunks": 1, **keys}
    text = 'name = "by hand"\n' + "".join(f"{k} = {json.dumps(v)}\n" for k, v in given.items()) + rows
    path = folder / "table.toml"
    path.write_text(text, encoding="utf-8")
    table = schedule(path)
    return count(expand(table, next(iter(table.claimed()))))


def phase(*sends: str) -> str:
    return '[[phase]]\nname = "p"\nsteps = 1\n' + "".join(f"[[phase.send]]\n{send}\n" for send in sends)


# ---- counts, derived by hand --------------------------------------------------------------------


@pytest.mark.parametrize("N", [2, 3, 4, 5, 64])
def test_the_ring(N: int) -> None:
    """2(N - 1) steps, in each every rank sends one chunk to its neighbour; half of them are added."""
    each = 2 * (N - 1)
    busiest = Link(0, 1, each, N)
    assert counted("ring", N) == Counted(
        chunks=N, steps=each, messages=each * N, per_rank=each, sent=Spread(each, each),
        received=Spread(each, each), total=each * N, link=busiest, scratch=0, swapped=0, temporary=0,
        ports=(1, 1), partners=((1, each),), serial=each, added=N - 1,
    )  # fmt: skip


@pytest.mark.parametrize("N", [2, 4, 64])
def test_everyone_to_everyone(N: int) -> None:
    """One step, N - 1 whole buffers from each; what arrives waits until the buffer has been sent."""
    each = N - 1
    assert counted("naive", N) == Counted(
        chunks=1, steps=1, messages=N * each, per_rank=each, sent=Spread(each, each),
        received=Spread(each, each), total=N * each, link=Link(0, 1, 1, N * each), scratch=0,
        swapped=1, temporary=1, ports=(each, each), partners=((each, 1),), serial=each, added=each,
    )  # fmt: skip


def test_direct_all_to_all() -> None:
    """Three of four scratch slots are used, from each of the others one; local moves are no messages."""
    assert counted("direct_all_to_all", 4) == Counted(
        chunks=4, steps=1, messages=12, per_rank=3, sent=Spread(3, 3), received=Spread(3, 3), total=12,
        link=Link(0, 1, 1, 12), scratch=3, swapped=0, temporary=3, ports=(3, 3), partners=((3, 1),),
        serial=3, added=0,
    )  # fmt: skip


def test_halving_and_doubling() -> None:
    """On 4 ranks: messages of 2, 1, 1, 2 chunks, with the same partner in the first and last step."""
    assert counted("halving_doubling", 4) == Counted(
        chunks=4, steps=4, messages=16, per_rank=4, sent=Spread(6, 6), received=Spread(6, 6), total=24,
        link=Link(0, 2, 4, 4), scratch=0, swapped=0, temporary=0, ports=(1, 1), partners=((1, 4),),
        serial=6, added=3,
    )  # fmt: skip


def test_a_tree_whose_ranks_differ() -> None:
    """Rank 0 of 8 sends three times, half of the ranks never; each but the root receives once."""
    found = counted("binomial_broadcast", 8)
    assert (found.steps, found.messages, found.total, found.per_rank) == (3, 7, 7, 3)
    assert (found.sent, found.received) == (Spread(0, 3), Spread(0, 1))
    assert found.link == Link(0, 1, 1, 7)
    assert (found.serial, found.added, found.ports) == (3, 0, (1, 1))


def test_parameters_change_the_counts() -> None:
    """3 groups of 2 ranks: 2(3 - 1) + 2(2 - 1) steps; 4 of the chunk-sends are across the groups."""
    found = counted("hierarchical_ring", 6, L=2)
    assert (found.steps, found.total, found.buffers(found.sent.most)) == (6, 60, Fraction(5, 3))


def test_a_receive_buffer_is_needed_where_a_slot_is_written_as_it_is_sent(tmp_path: Path) -> None:
    exchange = phase('to = "1 - r"\nchunk = "0"\nop = "reduce"')
    found = written(tmp_path, exchange)
    assert (found.scratch, found.swapped, found.temporary) == (0, 1, 1)


def test_scratch_instead_of_a_receive_buffer(tmp_path: Path) -> None:
    """Into a scratch slot, then added locally: no swap, one step of messages, one chunk added."""
    rows = phase('to = "1 - r"\nchunk = "0"\ninto = "1"\nop = "copy"')
    rows += phase('to = "r"\nchunk = "1"\ninto = "0"\nop = "reduce"')
    found = written(tmp_path, rows, scratch=5)
    assert (found.scratch, found.swapped, found.temporary) == (1, 0, 1)
    assert (found.steps, found.messages, found.serial, found.added) == (1, 2, 1, 1)


def test_a_slot_that_is_only_read_or_only_written_needs_nothing(tmp_path: Path) -> None:
    """Rank 0 sends slot 0 twice in a step, rank 1 and 2 receive: no slot is both read and written."""
    rows = phase('when = "r == 0"\nfor = { j = "1..2" }\nto = "j"\nchunk = "0"\nop = "copy"')
    found = written(tmp_path, rows, collective="broadcast", ranks=3)
    assert (found.temporary, found.ports, found.messages) == (0, (2, 1), 2)


def test_chunks_to_one_rank_in_one_step_are_one_message(tmp_path: Path) -> None:
    rows = phase('when = "r == 0"\nfor = { j = "0..3" }\nto = "1"\nchunk = "j"\nop = "copy"')
    found = written(tmp_path, rows, collective="broadcast", chunks=4)
    assert (found.messages, found.total, found.per_rank, found.serial) == (1, 4, 1, 4)
    assert found.link == Link(0, 1, 4, 1)
    assert found.partners == ((1, 1),)


def test_most_partners_out_and_in_and_a_step_of_either(tmp_path: Path) -> None:
    """Two ranks send to rank 0 in one step, then rank 0 sends to two: two partners in both steps."""
    rows = phase('when = "r > 0"\nto = "0"\nchunk = "0"\nop = "reduce"')
    rows += phase('when = "r == 0"\nfor = { j = "1..2" }\nto = "j"\nchunk = "0"\nop = "copy"')
    found = written(tmp_path, rows, ranks=3)
    assert (found.ports, found.partners, found.serial, found.added) == ((2, 2), ((2, 2),), 4, 2)


def test_nothing_moves_on_one_rank(tmp_path: Path) -> None:
    found = written(tmp_path, NOTHING, ranks=1)
    assert (found.steps, found.total, found.link, found.ports, found.partners) == (0, 0, None, (0, 0), ())
    assert (found.serial, found.added, found.temporary) == (0, 0, 0)


# ---- lower bounds -------------------------------------------------------------------------------


def needed(contract: Contract, part: int, rank: int) -> set[tuple[int, int]]:
    """Which chunks of rank ``part`` another rank needs in the end, each with its slot there."""
    return {
        (int(contract.chunk[rank, c]), c)
        for c in range(contract.ends.shape[1])
        if contract.ends[rank, c] and contract.part[part, c] and part != rank
    }


def derived(contract: Contract) -> tuple[int, int, Fraction, Fraction, Fraction]:
    """Reach, hear, sent, received and total, from the promise alone and slot by slot."""
    N, chunks = contract.starts.shape
    pairs = {(k, r): needed(contract, k, r) for k in range(N) for r in range(N)}
    leaves = [len({chunk for r in range(N) for chunk, _ in pairs[k, r]}) for k in range(N)]
    single = contract.part.sum(axis=0).max() <= 1
    comes = [
        len({(chunk, k if single else 0) for k in range(N) for chunk, _ in pairs[k, r]}) for r in range(N)
    ]
    total = max(sum(leaves), sum(comes))
    if contract.collective == "all-reduce":
        total = 2 * (N - 1) * chunks
    reach = max(len({r for r in range(N) if pairs[k, r]} | {k}) for k in range(N))
    hear = max(len({k for k in range(N) if pairs[k, r]} | {r}) for r in range(N))
    sent, received = (max(Fraction(max(most)), Fraction(total, N)) / chunks for most in (leaves, comes))
    return reach, hear, sent, received, Fraction(total, chunks)


def promised(folder: Path, collective: str, N: int, chunks: int, **keys: Any) -> Contract:
    given = {"name": "p", "collective": collective, "ranks": N, "chunks": chunks, **keys}
    text = "".join(f"{k} = {json.dumps(v)}\n" for k, v in given.items()) + NOTHING
    path = folder / "table.toml"
    path.write_text(text, encoding="utf-8")
    return expand(schedule(path), Size(N)).contract


ROOTED = ("broadcast", "reduce", "scatter", "gather")
OWNERS = (None, "0", "N - 1", "c % N", "c * c % N", "min(c, N - 1)", "(c + 1) % N")


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_the_closed_forms_are_what_the_promise_needs(collective: str, tmp_path: Path) -> None:
    owned = COLLECTIVES[collective].takes_owner
    for N in (1, 2, 3, 5):
        for chunks in (N, 2 * N, *(() if collective == "all-to-all" else (1, N + 1))):
            for owner in OWNERS if owned else (None,):
                for root in (0, N - 1) if collective in ROOTED else (0,):
                    keys = {"root": root, **({"owner": owner} if owner else {})}
                    contract = promised(tmp_path, collective, N, chunks, **keys)
                    needs = lower.NEEDS[collective](lower.shares(contract))
                    reach, hear, *traffic = derived(contract)
                    assert [needs.sent, needs.received, needs.total] == traffic, (N, chunks, keys)
                    assert max(needs.reach, needs.hear) == max(reach, hear), (N, chunks, keys)


@pytest.mark.parametrize(
    ("collective", "sent", "received"),
    [
        ("all-reduce", Fraction(14, 8), Fraction(14, 8)), ("reduce-scatter", Fraction(7, 8), Fraction(7, 8)),
        ("all-gather", Fraction(7, 8), Fraction(7, 8)), ("broadcast", 1, 1), ("reduce", 1, 1),
        ("scatter", Fraction(7, 8), Fraction(1, 8)), ("gather", Fraction(1, 8), Fraction(7, 8)),
        ("all-to-all", Fraction(7, 8), Fraction(7, 8)),
    ],
)  # fmt: skip
def test_the_bounds_of_the_books(collective: str, sent: Fraction, received: Fraction, tmp_path: Path) -> None:
    found = lower.bounds(promised(tmp_path, collective, 8, 8), (1, 1))
    assert found is not None
    assert (found.steps, found.one_port, found.sent, found.received) == (3, 3, sent, received)


@pytest.mark.parametrize(
    ("ports", "steps"),
    [((1, 1), 6), ((2, 2), 4), ((3, 3), 3), ((7, 7), 2), ((63, 63), 1), ((62, 62), 2), ((1, 63), 6),
     ((63, 1), 6)],
)  # fmt: skip
def test_steps_are_bounded_by_the_ports(ports: tuple[int, int], steps: int, tmp_path: Path) -> None:
    found = lower.bounds(promised(tmp_path, "all-reduce", 64, 1), ports)
    assert found is not None
    assert (found.steps, found.one_port) == (steps, 6)


def test_a_collective_without_a_known_bound_has_none(tmp_path: Path) -> None:
    contract = promised(tmp_path, "all-reduce", 4, 4)
    other = Contract("barrier", contract.starts, contract.ends, contract.part, contract.chunk)
    assert lower.bounds(other, (1, 1)) is None
    assert set(ratios(counted("ring", 4), None).values()) == {None}
    assert cells.ratio(None) == "-"
    assert set(lower.NEEDS) == set(COLLECTIVES)


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_no_right_table_beats_a_bound(path: Path) -> None:
    """Every table of the library is right, so a count below its bound is a wrong bound."""
    table = schedule(path)
    for size in table.claimed():
        if size.N <= 9 or size.N == 16:
            events = expand(table, size)
            found = count(events)
            known = lower.bounds(events.contract, found.ports)
            assert known is not None
            assert known.steps <= found.steps, size
            assert all(times is None or times >= 1 for times in ratios(found, known).values()), size


# ---- the model ----------------------------------------------------------------------------------

SIMPLE = Machine(Fraction(1), Fraction(1))


def test_the_time_of_the_ring() -> None:
    """On 4 ranks 6 steps of a quarter of the buffer each; three of them add it."""
    ring = counted("ring", 4)
    assert model.seconds(ring, SIMPLE, 400) == 6 + 600
    assert model.seconds(ring, Machine(Fraction(1), Fraction(2), Fraction(10)), 400) == 6 + 300 + 30
    assert model.seconds(ring, Machine(Fraction(0), Fraction(1), ports=1), 400) == 600


@pytest.mark.parametrize(("ports", "starts"), [(None, 1), (1, 3), (2, 2), (3, 1), (100, 1)])
def test_a_machine_begins_so_many_messages_at_once(ports: int | None, starts: int) -> None:
    naive = counted("naive", 4)
    assert model.seconds(naive, Machine(Fraction(7), Fraction(1), ports=ports), 1) == 7 * starts + 3


def test_local_adding_takes_time_and_a_local_move_none(tmp_path: Path) -> None:
    rows = phase('to = "1 - r"\nchunk = "0"\ninto = "1"\nop = "copy"')
    rows += phase('to = "r"\nchunk = "1"\ninto = "0"\nop = "reduce"')
    rows += phase('to = "r"\nchunk = "0"\ninto = "1"\nop = "copy"')
    found = written(tmp_path, rows, scratch=1)
    assert model.seconds(found, Machine(Fraction(1), Fraction(1), Fraction(2)), 10) == 1 + 10 + 5


def test_a_crossover_by_hand() -> None:
    """1 + 3x and 4 + x meet at 3/2; 2 + 2x only touches them from above at 3/2 ... and is never alone."""
    lines = [(Fraction(1), Fraction(3)), (Fraction(4), Fraction(1)), (Fraction(5, 2), Fraction(2))]
    middle = Fraction(3, 2)
    assert model.envelope(lines, Fraction(1), Fraction(10)) == [
        (Fraction(1), middle, lines[0]), (middle, Fraction(10), lines[1]),
    ]  # fmt: skip
    assert model.envelope(lines, Fraction(2), Fraction(10)) == [(Fraction(2), Fraction(10), lines[1])]
    assert model.envelope(lines, middle, Fraction(10)) == [(middle, Fraction(10), lines[1])]
    assert model.envelope(lines, Fraction(1), middle) == [(Fraction(1), middle, lines[0])]


fractions = st.fractions(min_value=0, max_value=20, max_denominator=12)


lines_drawn = st.lists(st.tuples(fractions, fractions), min_size=1, max_size=8)


@given(lines_drawn, st.integers(1, 9), st.integers(1, 30))
def test_crossovers_against_sampling(lines: list[model.Line], first: int, length: int) -> None:
    ends = Fraction(first), Fraction(first + length)
    pieces = model.envelope(lines, *ends)
    assert (pieces[0][0], pieces[-1][1]) == ends
    for (_, end, before), (start, _, after) in pairwise(pieces):
        assert end == start
        assert before != after
        assert before[0] + before[1] * end == after[0] + after[1] * end
    for start, end, (fixed, each) in pieces:
        assert start < end
        for i in range(11):
            at = start + (end - start) * i / 10
            assert fixed + each * at == min(a + b * at for a, b in lines)


def test_crossovers_of_the_library_against_sampling() -> None:
    machine = Machine(Fraction(5, 10**6), Fraction(25 * 10**9), Fraction(10**10), ports=1)
    found = survey([str(path) for path in TABLES], Question(((8, 8), (64, 64))))
    crossovers = model.crossovers(found.costs, machine, (1, 2**30))
    assert any(len(crossover.intervals) > 1 for crossover in crossovers)
    for crossover in crossovers:
        rivals = [c for c in found.costs if (c.collective, c.size.N) == (crossover.collective, crossover.N)]
        lines = {c.path: model.line(c.counted, machine) for c in rivals if c.counted}
        for piece in crossover.intervals:
            for i in range(5):
                at = piece.first + (piece.last - piece.first) * i / 4
                times = {path: fixed + each * at for path, (fixed, each) in lines.items()}
                best = {path for path, time in times.items() if time == min(times.values())}
                named = {c.path for c in piece.fastest}
                assert named == best if 0 < i < 4 else named <= best


# ---- units --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [("64MiB", 64 << 20), ("64MB", 64 * 10**6), ("1e6", 10**6), ("1", 1), ("1.5kB", 1500), ("512 B", 512),
     ("0.5KiB", 512), (" 2TiB ", 2 << 40), ("1E3", 1000)],
)  # fmt: skip
def test_sizes(text: str, value: int) -> None:
    assert units.size(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("5us", Fraction(5, 10**6)), ("2.5ms", Fraction(25, 10**4)), ("0s", Fraction(0)),
     ("3 ns", Fraction(3, 10**9)), ("5µs", Fraction(5, 10**6)), ("5μs", Fraction(5, 10**6)),
     ("1e-3s", Fraction(1, 1000))],
)  # fmt: skip
def test_durations(text: str, value: Fraction) -> None:
    assert units.duration(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("25GB/s", 25 * 10**9), ("200Gbit/s", 25 * 10**9), ("1bit/s", Fraction(1, 8)), ("2GiB/s", 2 << 30),
     ("0.1kB/s", 100)],
)  # fmt: skip
def test_rates(text: str, value: Fraction) -> None:
    assert units.rate(text) == value


@pytest.mark.parametrize(
    ("reads", "text", "says"),
    [
        (units.size, "64MIB", "did you mean MB or MiB?"),
        (units.size, "64KB", "did you mean kB or KiB?"),
        (units.size, "64M", "did you mean MB or MiB?"),
        (units.size, "64 bananas", "unknown unit 'bananas'"),
        (units.size, "64MiB/s", "unknown unit"),
        (units.size, "1_000", "unknown unit"),
        (units.size, "1e6e3", "unknown unit"),
        (units.size, "1.5B", "1.5 bytes; a size is a whole number"),
        (units.size, "0.3", "a whole number"),
        (units.size, "0", "too small"),
        (units.size, "9e99", "too large"),
        (units.size, "1e999", "unknown unit"),
        (units.size, "1" * 30, "unknown unit"),
        (units.size, "", "is not a size"),
        (units.size, "MiB", "is not a size such as 64MiB"),
        (units.size, "-1MiB", "is not a size"),
        (units.size, "nan", "is not a size"),
        (units.size, "1\n", "is not a size"),
        (units.size, "١B", "is not a size"),
        (units.duration, "5", "no unit; write a duration such as 5us"),
        (units.duration, "5m", "did you mean ms?"),
        (units.duration, "5 min", "unknown unit"),
        (units.duration, "-5us", "is not a duration"),
        (units.rate, "25GB", "did you mean GB/s, GiB/s or Gbit/s?"),
        (units.rate, "25Gb/s", "did you mean GB/s, GiB/s or Gbit/s?"),
        (units.rate, "200Gbps", "did you mean GB/s, GiB/s or Gbit/s?"),
        (units.rate, "0GB/s", "nothing would ever move"),
        (units.rate, "1e9", "no unit"),
        (units.size_range, "1KiB", "is not a range"),
        (units.size_range, "1MiB..1KiB", "is an empty range"),
        (units.size_range, "1..1", "is an empty range"),
        (units.size_range, "1..x", "'x' is not a size"),
    ],
)  # fmt: skip
def test_what_is_no_number_with_a_unit(reads: Callable[[str], object], text: str, says: str) -> None:
    with pytest.raises(units.UnitError, match=re.escape(says)):
        reads(text)


@given(st.integers(1, 2**60))
def test_a_size_written_is_read_back(value: int) -> None:
    assert units.size(units.size_text(value)) == value


number = st.from_regex(r"\A[0-9]{1,6}(\.[0-9]{1,6})?(e-?[0-9])?\Z")


@given(number, st.sampled_from(sorted(units.DURATIONS)))
def test_a_duration_read_is_written_and_read_back(digits: str, unit: str) -> None:
    value = Fraction(digits) * units.DURATIONS[unit]
    assert units.duration(f"{digits}{unit}") == value
    assert units.duration(units.duration_text(value)) == value


@given(number.filter(lambda digits: Fraction(digits) > 0), st.sampled_from(sorted(units.RATES)))
def test_a_rate_read_is_written_and_read_back(digits: str, unit: str) -> None:
    value = Fraction(digits) * units.RATES[unit]
    if value <= units.MOST:
        assert units.rate(f"{digits}{unit}") == value
        assert units.rate(units.rate_text(value)) == value


@given(st.text(max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    for reads in (units.size, units.duration, units.rate, units.size_range):
        with suppress(units.UnitError):
            assert reads(text) is not None


def test_what_is_written_is_short() -> None:
    assert units.size_text(64 << 20) == "64 MiB"
    assert units.size_text(10**6) == "1 MB"
    assert units.size_text(67108865) == "67108865 B"
    assert units.duration_text(Fraction(5, 10**6)) == "5 us"
    assert units.duration_text(Fraction(0)) == "0 s"
    assert units.rate_text(Fraction(25 * 10**9)) == "25 GB/s"


# ---- the command --------------------------------------------------------------------------------

SEED = """\
all-reduce, N = 4
  at least 2 steps with one port; 1.50D sent and received by the busiest rank

  schedule  steps  min     x  traffic     x  received     x
  ring          6    2 3.00x    1.50D    1x     1.50D    1x
  naive         1    1    1x    3.00D 2.00x     3.00D 2.00x

  schedule  messages  sends  a rank  link  load  temp  in D  ports
  ring            24     24       6  0->1 1.50D     0 0.00D      1
  naive           12     12       3  0->1 1.00D     1 1.00D      3

all-reduce, N = 64
  at least 6 steps with one port; 1.97D sent and received by the busiest rank

  schedule  steps  min      x  traffic      x  received      x
  ring        126    6 21.00x    1.97D     1x     1.97D     1x
  naive         1    1     1x   63.00D 32.00x    63.00D 32.00x

  schedule  messages  sends  a rank  link  load  temp  in D  ports
  ring          8064   8064     126  0->1 1.97D     0 0.00D      1
  naive         4032   4032      63  0->1 1.00D     1 1.00D     63

  = note: traffic: buffers (D) that a rank sends, least..most; received: by the busiest rank; x:
          times the lower bound; min: the fewest steps with as many ports as the table uses
  = note: sends: chunks, in all and by a rank; link, load: the busiest; temp: chunks of scratch and
          receive buffer; ports: most partners in a step

2 tables at N = 4, 64: 4 costed
"""


def test_the_table_that_the_project_began_with(run: Run) -> None:
    told = run("schedules/ring.toml", "schedules/naive.toml", "-N", "4,64")
    assert told.exit_code == Exit.PROVED
    assert told.stdout == SEED


def documents(told: Result) -> dict[tuple[str, int], dict[str, Any]]:
    return {(Path(t["path"]).stem, t["N"]): t for t in json.loads(told.stdout)["tables"]}


def test_without_n_each_table_has_its_usual_sizes(run: Run) -> None:
    found = documents(run("schedules/ring.toml", "schedules/ring4_sends.toml", "--format", "json"))
    assert set(found) == {("ring", 8), ("ring", 64), ("ring4_sends", 4)}


def test_a_table_that_does_not_claim_an_n_says_so(run: Run) -> None:
    told = run("schedules/ring4_sends.toml", "schedules/halving_doubling.toml", "-N", "4,6")
    assert told.exit_code == Exit.PROVED
    assert re.search(r"^  ring4_sends +-( +-)+$", told.stdout, re.MULTILINE)
    assert "ring4_sends at N = 6: not costed: the claim is N = 4" in told.stdout
    assert "not costed: the claim is N = 2..64 where is_pow2(N)" in told.stdout
    assert "2 costed, 2 not claimed" in told.stdout


def test_nothing_costed_is_not_green(run: Run) -> None:
    told = run("schedules/ring.toml", "-N", "100..200")
    assert told.exit_code == Exit.UNDECIDED
    assert "no table claims more than N = 64" in told.stdout


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown"])
def test_a_refuted_table_has_no_cost(form: str, run: Run) -> None:
    told = run("tests/wrong/ring_flipped_sign.toml", "schedules/ring.toml", "-N", "4", "--format", form)
    assert told.exit_code == Exit.REFUTED
    line = next(line for line in told.stdout.splitlines() if "ring_flipped_sign" in line)
    if form != "json":
        assert "refuted" in line
        assert not re.search(r"\d", line.replace("all-reduce,4", "").replace("N = 4", ""))
        return
    wrong = documents(told)["ring_flipped_sign", 4]
    assert wrong["outcome"] == "refuted"
    assert not any(wrong[key] for key in ("counts", "bounds", "ratios", "seconds"))
    assert "complete" in wrong["reason"]


def test_it_is_costed_where_it_is_right(run: Run) -> None:
    """One flipped sign is right at N = 2 only."""
    told = run("tests/wrong/ring_flipped_sign.toml", "-N", "2,3", "--format", "json")
    found = documents(told)
    assert told.exit_code == Exit.REFUTED
    assert found["ring_flipped_sign", 2]["outcome"] == "costed"
    assert found["ring_flipped_sign", 3]["outcome"] == "refuted"


def test_a_false_claim_is_a_refutation(run: Run) -> None:
    told = run("tests/wrong/ring_claimed_steps_off_by_one.toml", "-N", "4", "--format", "json")
    found = documents(told)["ring_claimed_steps_off_by_one", 4]
    assert (told.exit_code, found["outcome"]) == (Exit.REFUTED, "refuted")
    assert "steps" in found["reason"]
    assert "counted 6" in found["reason"]


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_no_wrong_table_is_ever_costed_at_every_size(path: Path) -> None:
    found = survey([str(path)], Question(((1, 64),)))
    assert found.exit in (Exit.REFUTED, Exit.CANNOT_CHECK)
    assert all((cost.counted is None) == (cost.outcome != "costed") for cost in found.costs)


def test_a_waived_property_is_never_silent(run: Run, tmp_path: Path) -> None:
    """An all-gather that runs a step too long is right: its last N sends bring nothing new."""
    text = (HOME / "tests" / "wrong" / "ring_all_gather_step_too_many.toml").read_text(encoding="utf-8")
    path = tmp_path / "waived.toml"
    path.write_text(f'waive = ["no-resend"]\n{text}', encoding="utf-8")
    told = run(str(path), "-N", "4")
    assert told.exit_code == Exit.PROVED
    assert "waived at N = 4: no-resend is waived: 4 of 28 sends" in told.stdout
    assert re.search("^  waived +28 +28 +7 ", told.stdout, re.MULTILINE)


def test_a_file_that_is_no_table_is_shown_and_counts(run: Run) -> None:
    told = run("schedules/ring.toml", "nothing.toml", "-N", "4")
    assert told.exit_code == Exit.CANNOT_CHECK
    assert "error[RP001]" in told.stdout
    assert "1 costed, 1 cannot check" in told.stdout
    told = run("schedules/ring.toml", "nothing.toml", "-N", "4", "--format", "json")
    assert told.exit_code == Exit.CANNOT_CHECK
    assert "error[RP001]" in told.stderr
    assert json.loads(told.stdout)["broken"][0]["path"] == "nothing.toml"
    assert run("nothing.toml", "tests/wrong/ring_flipped_sign.toml", "-N", "4").exit_code == Exit.REFUTED


def test_a_size_without_a_value_is_shown_with_its_place(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "undefined.toml"
    text = (HOME / "schedules" / "ring.toml").read_text(encoding="utf-8")
    path.write_text(text.replace('"(r + 1) % N"', '"(r + 1) % (N - 3)"'), encoding="utf-8")
    told = run(str(path), "-N", "3,4")
    assert told.exit_code == Exit.CANNOT_CHECK
    assert "modulo by zero" in told.stdout
    assert "^" in told.stdout


def test_parameters(run: Run) -> None:
    tables = ("schedules/hierarchical_ring.toml", "schedules/ring.toml")
    first = documents(run(*tables, "-N", "12", "--format", "json"))["hierarchical_ring", 12]
    assert first["params"] == {"L": 1}
    assert first["counts"]["steps"] == 22
    told = run(*tables, "-N", "12", "-p", "L=3")
    assert re.search(r"^  hierarchical_ring L=3 ", told.stdout, re.MULTILINE)
    assert "first value" not in told.stdout
    assert "parameters have the first value that their table lists" in run(*tables, "-N", "12").stdout
    told = run(*tables, "-N", "10,12", "-p", "L=3")
    assert told.exit_code == Exit.PROVED
    assert "hierarchical_ring at N = 10: not costed: L = 3 is not among the parameters there" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--bytes", "64MiB"), "--bytes needs --alpha and --beta"),
        (("--bytes", "64MiB", "--beta", "1GB/s"), "--bytes needs --alpha,"),
        (("--crossover",), "--crossover needs --alpha and --beta"),
        (("--alpha", "5us"), "add --bytes or --crossover"),
        (("--gamma", "1GB/s"), "add --bytes or --crossover"),
        (("--ports", "1"), "add --bytes or --crossover"),
        (("--bytes", "64Mib", *MODEL), "did you mean MB or MiB?"),
        (("--bytes", "63", *MODEL), "63 bytes do not divide into the 8 chunks of ring at N = 8; 56 or 64"),
        (("--bytes", "3", *MODEL), "; 8 bytes divide"),
        (("--bytes", "64MiB", "--alpha", "5", "--beta", "1GB/s"), "no unit"),
        (("--crossover", "--bytes-range", "2..1", *MODEL), "empty range"),
        (("--bytes-range", "1..2",), "--bytes-range is for --crossover"),
        (("--sort", "time"), "--sort time needs --bytes"),
        (("-p", "L"), "is not NAME=VALUE"), (("-p", "L=x"), "is not NAME=VALUE"),
        (("-p", "Q=1"), "no table has a parameter Q; there are: L"),
        (("-p", "L=3"), "3 is not a value of L at any size asked"),
        (("-p", "L=1", "-p", "L=2"), "-p L is given twice"),
        (("-N", "8..2"), "is empty"), (("-N", "many"), "is not a number"),
        (("-o", "no/such/folder/x"), "cannot write no/such/folder/x: there is no folder no/such/folder"),
    ],
)  # fmt: skip
def test_questions_without_an_answer(arguments: tuple[str, ...], says: str, run: Run) -> None:
    sizes = () if "-N" in arguments else ("-N", "8")
    told = run("schedules/ring.toml", "schedules/hierarchical_ring.toml", *sizes, *arguments)
    assert told.exit_code == Exit.CANNOT_CHECK
    assert says in " ".join(told.stderr.split())
    assert told.stdout == ""


def test_times_and_their_order(run: Run) -> None:
    tables = ("schedules/ring.toml", "schedules/naive.toml", "schedules/recursive_doubling.toml")
    told = run(*tables, "-N", "4", "--bytes", "4MB", *MODEL, "--sort", "time", "--format", "json")
    found = json.loads(told.stdout)
    assert [Path(t["path"]).stem for t in found["tables"]] == ["ring", "recursive_doubling", "naive"]
    step = Fraction(5, 10**6) + Fraction(10**6, 25 * 10**9)
    assert found["tables"][0]["seconds"]["exact"] == str(6 * step)
    assert found["machine"]["bytes"] == 4 * 10**6
    small = run(*tables, "-N", "4", "--bytes", "4B", *MODEL, "--sort", "time", "--format", "csv")
    assert [row.split(",")[0] for row in small.stdout.splitlines()[1:]] == [
        "schedules/naive.toml", "schedules/recursive_doubling.toml", "schedules/ring.toml",
    ]  # fmt: skip
    told = run(*tables, "-N", "4", "--bytes", "4MB", *MODEL)
    assert "270.0 us" in told.stdout
    assert "time for a buffer (D) of 4 MB: a step takes alpha + " in told.stdout
    assert "alpha 5 us, beta 25 GB/s" in " ".join(told.stdout.split())


@pytest.mark.parametrize(
    ("sort", "order"),
    [("steps", ["naive", "recursive_doubling", "ring"]), ("traffic", ["ring", "recursive_doubling", "naive"]),
     ("name", ["naive", "recursive_doubling", "ring"])],
)  # fmt: skip
def test_sorting(sort: str, order: list[str], run: Run) -> None:
    names = ("ring4_sends", "ring", "naive", "recursive_doubling")
    told = run(*(f"schedules/{name}.toml" for name in names), "-N", "8", "--sort", sort, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(told.stdout)))
    assert [Path(row["path"]).stem for row in rows] == [*order, "ring4_sends"]


def test_crossovers_on_the_command_line(run: Run) -> None:
    """alpha + 3D/beta against 6 alpha + 1.5D/beta: they meet at 10/3 * alpha * beta bytes."""
    tables = ("schedules/ring.toml", "schedules/naive.toml")
    meet = Fraction(10, 3) * Fraction(5, 10**6) * 25 * 10**9
    found = json.loads(run(*tables, "-N", "4", "--crossover", *MODEL, "--format", "json").stdout)
    first, last = found["crossovers"][0]["intervals"]
    ends = [end["exact"] for end in (first["from"], first["to"], last["from"], last["to"])]
    assert ends == ["1024", str(meet), str(meet), str(2**30)]
    assert [Path(i["fastest"][0]["path"]).stem for i in (first, last)] == ["naive", "ring"]
    told = run(*tables, "-N", "4", "--crossover", *MODEL).stdout
    assert re.search(r"^      1 KiB +406.9 KiB +naive$", told, re.MULTILINE)
    assert re.search(r"^  406.9 KiB +1 GiB +ring$", told, re.MULTILINE)
    lines = run(*tables, "-N", "4", "--crossover", *MODEL, "--format", "csv").stdout.splitlines()
    assert lines[0] == "collective,N,from_bytes,to_bytes,fastest"
    assert lines[1] == f"all-reduce,4,1024,{float(meet)!r},naive"
    short = ("--bytes-range", "1B..1kB")
    lines = run(*tables, "-N", "4", "--crossover", *MODEL, *short, "--format", "csv").stdout.splitlines()
    assert lines[1:] == ["all-reduce,4,1,1000,naive"]
    assert "| all-reduce | 4 | 1 KiB | 406.9 KiB | naive |" in (
        run(*tables, "-N", "4", "--crossover", *MODEL, "--format", "markdown").stdout)  # fmt: skip


def test_equally_fast_tables_are_all_named(run: Run) -> None:
    tables = ("schedules/ring.toml", "schedules/ring_shifted.toml", "schedules/hierarchical_ring.toml")
    told = run(*tables, "-N", "4", "--crossover", *MODEL).stdout
    assert "ring, ring_shifted, hierarchical_ring (L=1)\n" in told


# ---- formats ------------------------------------------------------------------------------------


def test_json_and_csv_say_the_same(run: Run) -> None:
    told = json.loads(run("schedules", "-N", "8", "--format", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(run("schedules", "-N", "8", "--format", "csv").stdout)))
    assert (told["version"], told["exit"], len(rows)) == (1, 0, len(TABLES))
    for table, row in zip(told["tables"], rows, strict=True):
        assert (table["path"], table["outcome"], str(table["N"])) == (row["path"], row["outcome"], row["N"])
        if table["counts"] is None:
            assert row["steps"] == row["traffic_most"] == row["steps_ratio"] == ""
            continue
        counts = table["counts"]
        assert row["steps"] == str(counts["steps"])
        assert float(row["traffic_most"]) == counts["traffic"]["most"]["value"]
        assert float(row["traffic_ratio"]) == table["ratios"]["traffic"]["value"]
        assert float(Fraction(counts["traffic"]["most"]["exact"])) == counts["traffic"]["most"]["value"]


def test_the_markdown_table(run: Run) -> None:
    told = run("schedules", "tests/wrong/ring_flipped_sign.toml", "-N", "8,64", "--format", "markdown").stdout
    table, _, notes = told.partition("\n\n")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert {len(row) for row in rows} == {10}
    assert set(rows[1][1:]) == {"--:"}
    by_name = {row[0]: row for row in rows}
    ring = ["14 / 126", "4.67x / 21.00x", "1.75D / 1.97D", "1x"]
    assert by_name["[ring](schedules/ring.toml)"][1:5] == ring
    assert by_name["**all-reduce**, at least"][1:4] == ["3 / 6", "", "1.75D / 1.97D"]
    assert by_name["[ring4_sends](schedules/ring4_sends.toml)"][1:] == ["-"] * 9
    assert by_name["[ring_flipped_sign](tests/wrong/ring_flipped_sign.toml)"][1:3] == ["refuted", "-"]
    assert by_name["[hierarchical_ring](schedules/hierarchical_ring.toml) L=1"]
    assert all(note.startswith("- ") for note in notes.splitlines())


def test_the_markdown_table_for_the_readme(run: Run) -> None:
    made = run("schedules", "-N", "8,64", "--format", "markdown").stdout
    assert markdown_table(["schedules"], [8, 64]) == made
    assert "cannot read" in markdown_table(["nothing.toml"], [8])


@pytest.mark.parametrize("form", sampled(["text", "json", "csv", "markdown"], 2))
def test_the_same_bytes_on_every_run_and_in_a_file(form: str, run: Run, tmp_path: Path) -> None:
    arguments = ("schedules", "-N", "4,6", "--bytes", "3MiB", *MODEL, "--crossover", "--format", form)
    first = run(*arguments).stdout
    assert run(*arguments).stdout == first
    path = tmp_path / "report"
    told = run(*arguments, "-o", str(path))
    assert (told.stdout, path.read_text(encoding="utf-8")) == ("", first)


def test_a_report_that_cannot_be_written_is_refused_before_the_work(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*given: object) -> None:
        raise AssertionError("in vain")

    monkeypatch.setattr(import_module("ringproof.cost.survey"), "survey", work)
    told = run("schedules", "-o", str(tmp_path / "none" / "report"))
    assert told.exit_code == Exit.CANNOT_CHECK
    assert "there is no folder" in told.stderr
    table = tmp_path / "ring.toml"
    table.write_text("left alone", encoding="utf-8")
    told = run(str(table), "-o", str(table))
    assert told.exit_code == Exit.CANNOT_CHECK
    assert "the report would overwrite the table" in " ".join(told.stderr.split())
    assert table.read_text(encoding="utf-8") == "left alone"


def test_lines_fit_on_a_screen(run: Run) -> None:
    told = run("schedules", "-N", "8,64", "--bytes", "64MiB", *MODEL, "--crossover").stdout
    assert max(map(len, told.splitlines())) <= 100
    assert not any(line.endswith(" ") for line in told.splitlines())


def test_colour_only_when_it_is_asked_for(run: Run) -> None:
    arguments = ("schedules/ring.toml", "tests/wrong/ring_flipped_sign.toml", "-N", "4")
    plain, painted = run(*arguments).stdout, run(*arguments, "--color", "always").stdout
    assert "\x1b" not in plain
    assert re.sub("\x1b\\[[0-9;]*m", "", painted) == plain
    assert painted != plain


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(0), "0.00D"), (Fraction(63, 32), "1.97D"), (Fraction(1, 64), "0.016D"),
     (Fraction(1, 8), "0.12D"), (Fraction(63), "63.00D")],
)  # fmt: skip
def test_buffers_in_words(value: Fraction, text: str) -> None:
    assert cells.buffers(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(0), "0 s"), (Fraction(1, 10**9), "1.000 ns"), (Fraction(123456, 10**7), "12.35 ms"),
     (Fraction(90), "90.00 s"), (Fraction(12345), "12345 s"), (Fraction(1, 10**12), "0.001 ns")],
)  # fmt: skip
def test_times_in_words(value: Fraction, text: str) -> None:
    assert cells.seconds(value) == text


def test_two_files_of_one_name_go_by_their_paths(tmp_path: Path) -> None:
    text = (HOME / "schedules" / "ring.toml").read_text(encoding="utf-8")
    paths = [tmp_path / folder / "ring.toml" for folder in ("a", "b")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
    found: Survey = survey([str(path) for path in (*paths, paths[0])], Question(((4, 4),)))
    assert [cost.label for cost in found.costs] == list(map(str, paths))
