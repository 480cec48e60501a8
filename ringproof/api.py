"""What `import ringproof` offers beside tables and pictures: check, simulate, cost, and reports as text.

Every function takes a `Table`, or the path of one; `check` also the path of a program.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from ringproof.arguments import (
    MONTH,
    ArgumentError,
    ArgumentTypeError,
    PathLike,
    amount,
    one_of,
    path_of,
    ranks_of,
    whole,
    words_of,
)
from ringproof.tables import Table, size_of, table_of, unrolled
from ringproof.verdict import Report

if TYPE_CHECKING:
    from ringproof.assess import Options
    from ringproof.cost.values import Cost
    from ringproof.program.asked import Asked
    from ringproof.simulate import Outcome

Ranks = int | Iterable[int] | None
Further = Literal["used", "order", "no-swap"]
EveryN = Literal["auto", "never", "demanded"]
Format = Literal["text", "concise", "json", "sarif", "github", "junit"]
Runtime = Literal["msccl", "azure", "rccl"]
FURTHER = ("used", "order", "no-swap")


def check(
    table: Table | PathLike, ranks: Ranks = None, *, every_n: EveryN = "auto",
    also: Further | Sequence[Further] = (), ports: int = 0, timeout: float = 20.0, seconds: float = 10.0,
    memory: float = float(4 << 30), collective: str | None = None,
    post: PathLike | Mapping[str, Any] | None = None, runtime: Runtime | None = None,
) -> Report:  # fmt: skip
    """Prove a table or a program, or find where it is wrong: what `ringproof check` does with one file.

    ``ranks``: only these numbers of ranks of the claim, as ``8`` or ``range(2, 9)``.  ``every_n``:
    whether to go beyond the claim, "auto" where all of it is proved; "demanded" makes undecided
    count.  ``also``: further properties; ``ports``: at most so many partners a step (0: any number).
    ``timeout``: seconds for each query of Z3; ``seconds``: for every N; ``memory``: bytes for a replay.
    A path that ends with .xml is a program's.  Of a program, ``collective``: what it is for, whatever
    its file says; ``post``: the result that a custom one must end with, its keys or the path of its
    TOML; ``runtime``: also, that this one loads it.

    ``report.exit`` is 0 proved, 1 refuted, 2 cannot check, 3 undecided.  Whatever is wrong with the
    file is in the report, also that it is not there.  Errors: `ArgumentError` for a number of ranks
    below 1, an unknown word, an option of tables for a program; `ArgumentTypeError`; `TableError` for a
    ``post`` that cannot be read.

        >>> import ringproof
        >>> report = ringproof.check("schedules/ring.toml", range(2, 5))
        >>> report.exit, [result.name for result in report.results][:3]
        (<Exit.PROVED: 0>, ['in-range', 'conflict-free', 'defined'])
        >>> wrong = ringproof.check("tests/wrong/swing_six.toml")
        >>> print(ringproof.render(wrong, "concise").splitlines()[0])
        tests/wrong/swing_six.toml:15:11: error[RP301] all-reduce is wrong for N = 6
        >>> ringproof.check("tests/programs/ring_all_reduce.xml", runtime="msccl").exit
        <Exit.PROVED: 0>
    """
    from ringproof.check import check as check_source
    from ringproof.check import check_file
    from ringproof.inputs import check_item, is_program

    path = "" if isinstance(table, Table) else path_of(table)
    program = is_program(path)
    _fitting({"every_n": every_n == "demanded", "also": bool(also), "ports": bool(ports)} if program else
             {"collective": collective, "post": post, "runtime": runtime}, path, program)  # fmt: skip
    options = _options(ranks, every_n, also, ports, amount("timeout", timeout, 0.001, MONTH),
                       amount("seconds", seconds, 0.001, MONTH), amount("memory", memory, 1, 1 << 60),
                       _asked(collective, post, runtime, timeout))  # fmt: skip
    if isinstance(table, Table):
        return check_source(table.source, options)
    return check_item(path, options) if program else check_file(path, options)


def _fitting(given: Mapping[str, object], path: str, program: object) -> None:
    """Refuse options of the other kind of file; errors: `ArgumentError`."""
    for name, value in given.items():
        if value:
            kinds = ("tables", "program") if program else ("programs", "table")
            raise ArgumentError(f"{name} is for {kinds[0]}, and {path or 'this'} is a {kinds[1]}")


def _asked(
    collective: str | None, post: PathLike | Mapping[str, Any] | None, runtime: Runtime | None, timeout: float
) -> Asked:
    """What is asked of a program; errors: `ArgumentError`, `TableError` about ``post``."""
    from ringproof.collective import COLLECTIVES
    from ringproof.program.asked import Asked
    from ringproof.program.post import read_post
    from ringproof.table.source import read

    if collective is not None:
        one_of("collective", collective, (*COLLECTIVES, "custom"))
    if runtime is not None:
        one_of("runtime", runtime, get_args(Runtime))
    if post is None:
        return Asked(collective or "", runtime=runtime, timeout=timeout)
    if collective is not None:
        raise ArgumentError("collective and post exclude each other")
    values = post if isinstance(post, Mapping) else read(path_of(post)).values
    return Asked("", read_post(values), runtime, timeout=timeout)


def _options(
    ranks: Ranks, every_n: EveryN, also: Further | Sequence[Further], ports: int, timeout: float,
    seconds: float, memory: float, program: Asked,
) -> Options:  # fmt: skip
    from ringproof.assess import Options, Settings
    from ringproof.simulate import Optional

    one_of("every_n", every_n, get_args(EveryN))
    further = words_of("property", also, FURTHER)
    settings = Settings(Optional(further, whole("ports", ports, 0)), timeout, memory)
    return Options(settings, ranks_of(ranks), induction=every_n, seconds=seconds, program=program)


def simulate(table: Table | PathLike, N: int, *, memory: float = float(4 << 30), **params: int) -> Outcome:
    """Replay every send of a table at one size, and count how often every part is in every slot.

    ``params``: values of the table's own parameters; the first of each where it is not given.  The
    outcome has ``events``, the sends as int64 columns of one length in the order of steps (step,
    sender, receiver, chunk, into), ``counts`` (chunk-sends, and exact buffers), and ``violations``:
    for each property where it fails, empty where it holds.  Errors: `TableError` for a table that
    cannot be read or unrolled; `ArgumentError` for a size that it does not claim.

        >>> import ringproof
        >>> outcome = ringproof.simulate("schedules/ring.toml", 4)
        >>> outcome.counts.steps, outcome.counts.total_sends, str(outcome.counts.traffic)
        (6, 24, '3/2')
        >>> outcome.events.sender[:4].tolist(), outcome.events.chunk[:4].tolist()
        ([0, 1, 2, 3], [3, 0, 1, 2])
        >>> any(outcome.violations.values())
        False
    """
    from ringproof.events import expand
    from ringproof.problem import ExpansionError
    from ringproof.simulate import simulate as replayed

    found, most = table_of(table), amount("memory", memory, 1, 1 << 60)
    try:
        return replayed(expand(found.schedule, size_of(found, N, params), most), memory=most)
    except ExpansionError as error:
        raise unrolled(error, found) from None


def cost(table: Table | PathLike, N: int, **params: int) -> Cost:
    """Count what a table costs at one size, beside what no schedule can do better.

    ``counted``: steps, messages, chunk-sends, ports; ``counted.buffers(n)`` is n chunks in buffers (D),
    exact.  ``bounds``: the lower bounds in the same units (None: no bound is known).  Where replay
    finds the table wrong, ``outcome`` is "refuted", ``reason`` says why, and nothing is counted.
    Errors: as `simulate`.

        >>> import ringproof
        >>> found = ringproof.cost("schedules/ring.toml", 8)
        >>> found.counted.steps, found.bounds.steps
        (14, 3)
        >>> str(found.counted.buffers(found.counted.sent.most)), str(found.bounds.sent)
        ('7/4', '7/4')
    """
    from ringproof.cost.survey import Table as Costed
    from ringproof.cost.survey import cost_of
    from ringproof.problem import ExpansionError

    found = table_of(table)
    size = size_of(found, N, params)
    label = os.path.basename(found.path).removesuffix(".toml")
    try:
        return cost_of(Costed(found.path, label, found.source, found.schedule), size.N, dict(size.params))
    except ExpansionError as error:
        raise unrolled(error, found) from None


def render(reports: Report | Iterable[Report], form: Format = "text") -> str:
    """Reports as `ringproof check --format` writes them: text, concise, json, sarif, github or junit.

        >>> import json, ringproof
        >>> report = ringproof.check("schedules/ring.toml", 4)
        >>> told = json.loads(ringproof.render(report, "json"))
        >>> told["reports"][0]["exit"], len(told["reports"][0]["properties"])
        (0, 8)
    """
    from ringproof.report import renderer

    one_of("format", form, get_args(Format))
    listed = [reports] if isinstance(reports, Report) else list(reports) if _several(reports) else []
    if not _several(reports) or not all(isinstance(report, Report) for report in listed):
        raise ArgumentTypeError("render takes a report, or several: what ringproof.check returns")
    return renderer(form)(listed)


def _several(reports: object) -> bool:
    return isinstance(reports, Report | Iterable) and not isinstance(reports, str | bytes)
