"""What `import ringproof` offers beside tables: check, simulate, cost, draw, and reports as text.

Every function takes a `Table`, or the path of one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from ringproof.tables import PathLike, Table, load
from ringproof.verdict import Report, Size, TableError
from ringproof.wording import runs

if TYPE_CHECKING:
    from ringproof.assess import Options
    from ringproof.cost.values import Cost
    from ringproof.figure.layout import Layout
    from ringproof.simulate import Outcome

Ranks = int | Iterable[int] | None
Further = Literal["used", "order", "no-swap"]
EveryN = Literal["auto", "never", "demanded"]
Format = Literal["text", "concise", "json", "sarif", "github", "junit"]
Picture = Literal["svg", "pdf", "png", "dot", "tikz", "gif"]
FURTHER = ("used", "order", "no-swap")
LAYOUTS = ("auto", "token", "vector", "matrix", "life")


def check(
    table: Table | PathLike, ranks: Ranks = None, *, every_n: EveryN = "auto",
    also: Sequence[Further] = (), ports: int = 0, timeout: float = 20.0, seconds: float = 10.0,
    memory: float = float(4 << 30),
) -> Report:  # fmt: skip
    """Prove a table, or find where it is wrong: what `ringproof check` does with one file.

    ``ranks``: only these numbers of ranks of the claim, as ``8`` or ``range(2, 9)``.  ``every_n``:
    whether to go beyond the claim, "auto" where all of it is proved; "demanded" makes undecided
    count.  ``also``: further properties; ``ports``: at most so many partners a step (0: any number).
    ``timeout``: seconds for each query of Z3; ``seconds``: for every N; ``memory``: bytes for a replay.

    ``report.exit`` is 0 proved, 1 refuted, 2 cannot check, 3 undecided.  Whatever is wrong with the
    file is in the report.  Errors: `ValueError` for a number of ranks below 1 or an unknown property.

        >>> import ringproof
        >>> report = ringproof.check("schedules/ring.toml", range(2, 5))
        >>> report.exit, [result.name for result in report.results][:3]
        (<Exit.PROVED: 0>, ['in-range', 'conflict-free', 'defined'])
        >>> wrong = ringproof.check("tests/wrong/swing_six.toml")
        >>> print(ringproof.render(wrong, "concise").splitlines()[0])
        tests/wrong/swing_six.toml:15:11: error[RP301] all-reduce is wrong for N = 6
    """
    from ringproof.check import check as check_source
    from ringproof.check import check_file

    options = _options(ranks, every_n, also, ports, timeout, seconds, memory)
    if isinstance(table, Table):
        return check_source(table.source, options)
    return check_file(os.fspath(table), options)


def _options(
    ranks: Ranks, every_n: EveryN, also: Sequence[Further], ports: int, timeout: float, seconds: float,
    memory: float,
) -> Options:  # fmt: skip
    from ringproof.assess import Options, Settings
    from ringproof.simulate import Optional

    for name in also:
        _one_of("property", name, FURTHER)
    _one_of("every_n", every_n, get_args(EveryN))
    numbers = sorted({ranks} if isinstance(ranks, int) else set(ranks or ()))
    if (numbers and numbers[0] < 1) or (ranks is not None and not numbers):
        raise ValueError("a schedule has at least 1 rank")
    settings = Settings(Optional(tuple(also), ports), timeout, memory)
    return Options(settings, tuple(runs(numbers)), induction=every_n, seconds=seconds)


def simulate(table: Table | PathLike, N: int, *, memory: float = float(4 << 30), **params: int) -> Outcome:
    """Replay every send of a table at one size, and count how often every part is in every slot.

    ``params``: values of the table's own parameters; the first of each where it is not given.  The
    outcome has ``events``, the sends as int64 columns of one length in the order of steps (step,
    sender, receiver, chunk, into), ``counts`` (chunk-sends, and exact buffers), and ``violations``:
    for each property where it fails, empty where it holds.  Errors: `TableError` for a table that
    cannot be read or unrolled; `ValueError` for a size that it does not claim.

        >>> import ringproof
        >>> outcome = ringproof.simulate("schedules/ring.toml", 4)
        >>> outcome.counts.steps, outcome.counts.total_sends, str(outcome.counts.traffic)
        (6, 24, '3/2')
        >>> outcome.events.sender[:4].tolist(), outcome.events.chunk[:4].tolist()
        ([0, 1, 2, 3], [3, 0, 1, 2])
        >>> any(outcome.violations.values())
        False
    """
    from ringproof.diagnose.problems import problem
    from ringproof.events import expand
    from ringproof.problem import ExpansionError
    from ringproof.simulate import simulate as replayed

    found = _table(table)
    try:
        return replayed(expand(found.schedule, _size(found, N, params), memory), memory=memory)
    except ExpansionError as error:
        findings = tuple(map(problem, error.problems))
        raise TableError(findings, found.schedule.used) from None


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
    from ringproof.diagnose.problems import problem
    from ringproof.problem import ExpansionError

    found = _table(table)
    size = _size(found, N, params)
    label = os.path.basename(found.path).removesuffix(".toml")
    try:
        return cost_of(Costed(found.path, label, found.source, found.schedule), N, dict(size.params))
    except ExpansionError as error:
        raise TableError(tuple(map(problem, error.problems)), found.schedule.used) from None


def draw(
    table: Table | PathLike, N: int, *, layout: Layout = "auto", width: float = 240.0, chunk: int = 0,
    form: Picture = "svg", **params: int,
) -> bytes:  # fmt: skip
    """Draw a proved table at one size: the bytes of a file.

    ``layout``: auto, token, vector, matrix or life; ``width`` in points (240 is one column of a
    paper, 504 two); ``chunk``: the one that life follows.  Errors: `ValueError` for a size that it
    does not claim or a picture that does not fit, `NotProvedError`, whose ``report`` says why, for a
    table that is not proved there.

        >>> import ringproof
        >>> b"<svg" in ringproof.draw("schedules/ring.toml", 4)
        True
    """
    from ringproof.figure.grid import NotLegibleError
    from ringproof.figure.layout import Wanted
    from ringproof.figure.picture import picture
    from ringproof.figure.prepare import CannotDrawError, proved
    from ringproof.figure.render import RenderError
    from ringproof.figure.targets import rendered
    from ringproof.version import version

    _one_of("layout", layout, LAYOUTS)
    _one_of("form", form, get_args(Picture))
    if not 120 <= width <= 1440:
        raise ValueError(f"a picture is 120 to 1440 points wide, not {width:g}")
    found = _table(table)
    size = _size(found, N, params)
    try:
        made = proved(found.source, N, size.params)
        if not 0 <= chunk < made.story.slots:
            raise ValueError(f"there is no chunk {chunk}; slots are 0..{made.story.slots - 1}")
        scene = picture(made.story, Wanted(layout, width, chunk), made.texts, version(), None).scene
        return rendered(scene, form, "bundled")
    except (CannotDrawError, NotLegibleError, RenderError) as error:
        raise ValueError(str(error)) from None


def render(reports: Report | Sequence[Report], form: Format = "text") -> str:
    """Reports as `ringproof check --format` writes them."""
    from ringproof.report import renderer

    return renderer(form)([reports] if isinstance(reports, Report) else list(reports))


def _one_of(what: str, word: str, known: Sequence[str]) -> None:
    if word not in known:
        raise ValueError(f"unknown {what} {word!r}; there are: {', '.join(known)}")


def _table(table: Table | PathLike) -> Table:
    return table if isinstance(table, Table) else load(table)


def _size(table: Table, N: int, params: Mapping[str, int]) -> Size:
    """The first claimed size with N ranks and these parameters; errors: `ValueError`, `TableError`."""
    from ringproof.cost.sizes import sizes_at, unclaimed
    from ringproof.diagnose.problems import problem
    from ringproof.problem import ExpansionError

    known = [loop.name for loop in table.schedule.params]
    for name in params:
        if name not in known:
            raise ValueError(f"the table has no parameter {name}; it has: {', '.join(known) or 'none'}")
    try:
        sizes = sizes_at(table.schedule, N, params)
        if not sizes:
            raise ValueError(f"the table does not claim that size: {unclaimed(table.schedule, N, params)}")
    except ExpansionError as error:
        raise TableError(tuple(map(problem, error.problems)), table.schedule.used) from None
    return sizes[0]
