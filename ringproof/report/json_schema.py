"""What the JSON report looks like, as a JSON Schema: closed, so that a key that is not named is none."""

from __future__ import annotations

from typing import Any, get_args

from ringproof.codes import CODES
from ringproof.report.json import VERSION
from ringproof.verdict import Exit, Severity
from ringproof.wording import OUTCOMES

Schema = dict[str, Any]
WORDS = ("proved", "refuted", "undecided", "waived", "vacuous")
_TEXT: Schema = {"type": "string"}
_POLICY = "changes when a key comes, goes or changes its meaning; a code or an exit may come without"
_COUNT: Schema = {"type": "integer", "minimum": 0}
_FROM_ONE: Schema = {"type": "integer", "minimum": 1}


def schema() -> Schema:
    """The JSON Schema (2020-12) of the document that ``--format json`` writes."""
    exits: Schema = {"enum": sorted(map(int, Exit))}
    document = _object({
        "version": {"const": VERSION, "description": _POLICY},
        "tool": {"const": "ringproof"},
        "exit": {**exits, "description": "the worst of all reports"},
        "summary": {**_summary(), "description": "of all reports, be it one or many"},
        "reports": _list("report"),
    })  # fmt: skip
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "a report of ringproof check",
        "description": "Lines and columns count from 1, columns in characters; ends are half-open.",
        **document,
        "$defs": {
            "report": _report(exits), "property": _property(), "every_n": _every_n(),
            "finding": _finding(), "label": _label({}), "repair": _label({"replacement": _TEXT}),
            "sizes": _sizes(),
        },
    }  # fmt: skip


def _summary() -> Schema:
    codes = {"type": "object", "propertyNames": {"enum": list(CODES)}, "additionalProperties": _FROM_ONE}
    return _object({
        "files": _COUNT,
        "outcomes": _object(dict.fromkeys(OUTCOMES, _COUNT)),
        "codes": {**codes, "description": "how many files have a finding of a code"},
    })  # fmt: skip


def _report(exits: Schema) -> Schema:
    return _object({
        "path": _TEXT, "name": _TEXT, "claim": _TEXT, "exit": exits,
        "outcome": {"enum": list(OUTCOMES)},
        "sizes": _ref("sizes", "what was checked"),
        "properties": _list("property"),
        "findings": _list("finding", "in the order to read them, root cause first"),
        "facts": {"type": "array", "items": _TEXT},
        "every_n": {"oneOf": [{"type": "null"}, _ref("every_n")]},
    })  # fmt: skip


def _property() -> Schema:
    words = ("proved", "refuted", "undecided", "waived")
    return _object({
        "name": _TEXT, "statement": _TEXT,
        "verdict": {"enum": list(WORDS)},
        "reason": {"type": ["string", "null"], "description": "why it is undecided"},
        "counterexample": _index(),
        "engines": _TEXT, "remark": _TEXT,
        **{word: _ref("sizes") for word in words},
    })  # fmt: skip


def _every_n() -> Schema:
    reason = _object({"name": _TEXT, "reason": _TEXT})
    invariant = _object(dict.fromkeys(("phase", "step", "says", "condition"), _TEXT))
    return _object({
        "sizes": _TEXT,
        "verdict": {"enum": ["proved", "refuted", "undecided"]},
        "counterexample": _index(),
        "proved": {"type": "array", "items": _TEXT},
        "undecided": {"type": "array", "items": reason},
        "invariants": {"type": "array", "items": invariant},
    })  # fmt: skip


def _finding() -> Schema:
    return _object({
        "code": {"enum": list(CODES)},
        "name": {"enum": [code.name for code in CODES.values()]},
        "severity": {"enum": list(get_args(Severity))},
        "title": _TEXT,
        "primary": {"oneOf": [{"type": "null"}, _ref("label")]},
        "related": _list("label"),
        "notes": {"type": "array", "items": _TEXT},
        "helps": {"type": "array", "items": _TEXT},
        "repairs": _list("repair", "each has been proved for all that the table claims"),
        "details": {"type": "object", "description": "the same facts, as far as they have values"},
    })  # fmt: skip


def _label(more: Schema) -> Schema:
    step = {"oneOf": [_TEXT, {"type": "integer", "minimum": 0}]}
    return _object({
        "path": _TEXT,
        **dict.fromkeys(("line", "column", "end_line", "end_column"), _FROM_ONE),
        "route": {"type": "array", "items": step, "description": "keys and places in lists, from the top"},
        "text": _TEXT,
        **more,
    })  # fmt: skip


def _sizes() -> Schema:
    params = {"type": "object", "additionalProperties": {"type": "integer"}}
    run = _object({"first": _FROM_ONE, "last": _FROM_ONE, "params": params})
    return {"type": "array", "items": run, "description": "runs of N, both ends included"}


def _index() -> Schema:
    described = "the place among the findings of what refutes it"
    return {"type": ["integer", "null"], "minimum": 0, "description": described}


def _object(properties: Schema) -> Schema:
    required = list(properties)
    return {
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": False,
    }  # fmt: skip


def _list(name: str, description: str = "") -> Schema:
    found: Schema = {"type": "array", "items": _ref(name)}
    return {**found, "description": description} if description else found


def _ref(name: str, description: str = "") -> Schema:
    found: Schema = {"$ref": f"#/$defs/{name}"}
    return {**found, "description": description} if description else found
