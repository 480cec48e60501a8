"""Reading a wanted result: which contributions a custom program must end with, in the table language.

    ends  = "r > 0"        # which slots c of rank r's output are promised (default: all)
    part  = "k == r - 1"   # whose contributions such a slot ends with, each once
    chunk = "c"            # which chunk of their input that is (default: c)

`N` and `chunks` (of the output) may be used everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringproof.program.promise import Post
from ringproof.table.expr import Expr, Kind, constant, parse
from ringproof.table.fields import Fields
from ringproof.table.findings import Findings
from ringproof.table.naming import Naming
from ringproof.table.scope import Scope
from ringproof.verdict import TableError

_KEYS = ("name", "notes", "ends", "part", "chunk")


def read_post(values: Mapping[str, Any]) -> Post:
    """The result that these values state; errors: `TableError` with all findings."""
    report = Findings()
    at = Fields((), values, report)
    at.only(_KEYS, required=("part",), what="this result")
    for key in ("name", "notes"):
        at.text(key)
    given: dict[str, Kind] = dict.fromkeys(("N", "chunks", "r", "c"), "integer")
    naming = Naming(report)
    scope, parts = Scope(given, {}), Scope({**given, "k": "integer"}, {})

    def read(key: str, scope: Scope, kind: Kind, default: Expr) -> Expr:
        return naming.expr(at, key, scope, kind, default)

    post = Post(
        read("ends", scope, "condition", constant(True)),
        read("part", parts, "condition", constant(False)),
        read("chunk", parts, "integer", parse("c")),
    )  # fmt: skip
    if report.findings:
        raise TableError(report.told(values))
    return post
