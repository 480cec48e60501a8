"""Schedules in users' own tests: a table that is not proved fails a test, and says why.

    from ringproof.testing import assert_proved

    def test_our_schedule():
        assert_proved("schedules/ours.toml")
"""

from __future__ import annotations

from typing import Any

from ringproof.api import Ranks, check, render
from ringproof.arguments import PathLike
from ringproof.tables import Table
from ringproof.verdict import Exit, Report


def assert_proved(table: Table | PathLike, ranks: Ranks = None, **options: Any) -> Report:
    """The report of a table or program that is proved; ``ranks`` and ``options`` as of `ringproof.check`.

    Errors: `AssertionError` with the report as `ringproof check` prints it, for one that is refuted,
    undecided or cannot be checked.

        >>> assert_proved("schedules/ring.toml", ranks=range(2, 5)).exit
        <Exit.PROVED: 0>
        >>> assert_proved("tests/wrong/swing_six.toml")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        AssertionError: error[RP301]: all-reduce is wrong for N = 6
        ...
    """
    __tracebackhide__ = True
    report = check(table, ranks, **options)
    if report.exit is not Exit.PROVED:
        raise AssertionError(render(report))
    return report
