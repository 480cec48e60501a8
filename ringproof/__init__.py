"""ringproof proves schedules of collective communication right, or shows where they are wrong.

    >>> import ringproof
    >>> report = ringproof.check("schedules/ring.toml", range(2, 9))
    >>> report.exit
    <Exit.PROVED: 0>
    >>> ringproof.cost("schedules/ring.toml", 8).counted.steps
    14

A table is read by `load` and `parse`, or built by `build`.  `check`, `simulate`, `cost` and `draw`
take one, or its path; `check` also the path of a program, and `render` writes its report as text, JSON,
SARIF and more.  `ringproof.testing` is for tests of your own, and `ringproof.strategies` draws tables
for Hypothesis.  Whatever is raised on purpose is a `RingproofError`.

Nothing is imported before it is used, neither numpy nor Z3.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ringproof.api import check as check
    from ringproof.api import cost as cost
    from ringproof.api import render as render
    from ringproof.api import simulate as simulate
    from ringproof.arguments import ArgumentError as ArgumentError
    from ringproof.arguments import ArgumentTypeError as ArgumentTypeError
    from ringproof.errors import RingproofError as RingproofError
    from ringproof.figure.prepare import NotProvedError as NotProvedError
    from ringproof.figure.render import RenderError as RenderError
    from ringproof.pictures import draw as draw
    from ringproof.tables import Table as Table
    from ringproof.tables import build as build
    from ringproof.tables import load as load
    from ringproof.tables import parse as parse
    from ringproof.turn import ForkedError as ForkedError
    from ringproof.verdict import Exit as Exit
    from ringproof.verdict import Report as Report
    from ringproof.verdict import TableError as TableError

_HOMES = {
    "check": "api", "cost": "api", "draw": "pictures", "render": "api", "simulate": "api",
    "Table": "tables", "build": "tables", "load": "tables", "parse": "tables",
    "Exit": "verdict", "Report": "verdict", "TableError": "verdict", "NotProvedError": "figure.prepare",
    "RingproofError": "errors", "ArgumentError": "arguments", "ArgumentTypeError": "arguments",
    "RenderError": "figure.render", "ForkedError": "turn",
}  # fmt: skip
__all__ = [
    "ArgumentError", "ArgumentTypeError", "Exit", "ForkedError", "NotProvedError", "RenderError", "Report",
    "RingproofError", "Table", "TableError", "build", "check", "cost", "draw", "load", "parse", "render",
    "simulate",
]  # fmt: skip


class _Package(ModuleType):
    """Three public names are also names of modules within: here they stand for what is public.

    Python sets a module as an attribute of its package when it is first imported, and that would
    hide the function of the same name.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> object:
        from importlib import import_module

        if name not in _HOMES:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{self.__name__}.{_HOMES[name]}"), name)

    def __dir__(self) -> list[str]:
        return sorted({name for name in super().__dir__() if name.startswith("__")} | {*_HOMES})


sys.modules[__name__].__class__ = _Package
