"""What a table looks like, as a JSON Schema: an editor completes keys by it and shows what they mean.

Draft 7, which editors of TOML read.  It knows keys, types and words; what an expression says is left
to `ringproof check` and `ringproof lsp`.

Its shape is one that taplo 0.9 (the server behind Even Better TOML) can follow.  That server runs out
of stack at ``allOf``, takes every branch of ``oneOf`` and ``anyOf`` for a key of its own, and goes one
item too deep into arrays; so kinds are written out where they stand, choices are ``if``, and an item
says of its own items, which a table or a word cannot have, that they are like itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ringproof.collective import COLLECTIVES
from ringproof.table.reader import OPTIMAL, WAIVABLE
from ringproof.table.scope import KEYS, REQUIRED

Schema = dict[str, Any]
_SAID: Mapping[str, Mapping[str, str]] = MappingProxyType({
    "table": {
        "name": "what the schedule is called",
        "collective": "which collective it claims to be",
        "ranks": 'for which numbers of ranks, both ends included: "2..64"',
        "chunks": 'into how many slots every buffer is cut: "N"',
        "where": 'which sizes of `ranks` it claims: "is_pow2(N)"',
        "root": "the root rank of a rooted collective (0)",
        "owner": 'which rank starts or ends with chunk c ("c * N // chunks")',
        "scratch": "slots beyond `chunks`, unset at the start (0)",
        "let": "names for expressions",
        "params": 'further sizes; every combination is checked: { L = "divisors(N)" }',
        "waive": "properties that it is known to break; the report counts them",
        "optimal": "what no schedule does better, against the closed-form lower bound",
        "reference": "where it comes from",
        "notes": "how it works",
        "claims": "counts that are compared with the executed sends, at every N",
        "phase": "consecutive steps, and the rows that send in them",
    },
    "phase": {
        "name": "what the phase is called",
        "steps": 'how many steps it has: "N - 1"',
        "let": "names for expressions over r and s",
        "ensures": "what must hold when the phase ends",
        "send": "a row, read for every rank r and every step s",
        "sends": "sends written out, for a table of one size",
    },
    "use": {
        "name": "what the phase is called",
        "use": "another table, whose sends this phase takes over: a path from here",
        "group": "number of the group that rank r is in",
        "rank": "number of rank r in its group",
        "when": "which ranks take part",
        "chunk": "which slots its slot c stands for",
        "for": "more variables for `chunk`",
        "params": "values for the parameters of the used table",
        "let": "names for expressions",
        "ensures": "what must hold when the phase ends",
    },
    "send": {
        "to": "the receiver: r sends to it",
        "from": "the sender: r receives from it",
        "chunk": "the slot read at the sender",
        "into": "the slot written at the receiver (`chunk`)",
        "op": "reduce: the receiver adds; copy: the receiver overwrites",
        "when": "the row sends only where this holds",
        "for": 'more variables: { j = "1..N - 1", k = [1, 2, 4] }',
        "let": "names for expressions in this row",
    },
    "sends": {
        "step": "in which step of the phase, from 0",
        "from": "the sender", "to": "the receiver",
        "chunk": "the slot read at the sender",
        "into": "the slot written at the receiver (`chunk`)",
        "op": "reduce: the receiver adds; copy: the receiver overwrites",
    },
    "ensures": {
        "collective": "which collective is done by then",
        "owner": "which rank has chunk c then",
        "root": "the root rank",
    },
    "claims": {
        "steps": "steps in which a message moves",
        "sends_per_rank": "chunk-sends of the busiest rank",
        "total_sends": "chunk-sends of all ranks",
        "traffic": "buffers (D) sent by the busiest rank",
        "received": "buffers (D) received by the busiest rank",
    },
})  # fmt: skip

_TEXT: Schema = {"type": "string"}
_EXPRESSION: Schema = {"type": ["string", "integer"]}
_CONDITION: Schema = {"type": ["string", "boolean", "integer"]}
_ITEMS: Schema = {"type": ["string", "integer", "array"], "items": _EXPRESSION}
_OP: Schema = {"enum": ["reduce", "copy"]}
_COLLECTIVE: Schema = {"enum": list(COLLECTIVES)}


def _words(known: Sequence[str]) -> Schema:
    words: Schema = {"type": "string", "enum": list(known)}
    return {"type": "array", "items": {**words, "items": words}}


def _named(kind: Schema, said: str) -> Schema:
    names = {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}
    return {"type": "object", "propertyNames": names, "additionalProperties": _described(kind, said)}


def _described(kind: Schema, said: str) -> Schema:
    """A kind and what it means; taplo asks the items what a list means."""
    items = kind.get("items", {"$ref": ""})
    return {"description": said, **kind, **({} if "$ref" in items else {"items": _described(items, said)})}


def _tables(of: str) -> Schema:
    return {"type": "array", "items": {"$ref": f"#/definitions/{of}"}}


_RANGES = _named(_ITEMS, "a variable and what it runs over: a range, a value or a list")
_KINDS: Mapping[str, Schema] = MappingProxyType({  # of a key; where it differs, see _OTHERWISE
    "name": _TEXT, "reference": _TEXT, "notes": _TEXT, "use": _TEXT,
    "collective": _COLLECTIVE, "op": _OP, "ranks": _EXPRESSION, "chunks": _EXPRESSION,
    "root": _EXPRESSION, "owner": _EXPRESSION, "scratch": _EXPRESSION, "steps": _EXPRESSION,
    "to": _EXPRESSION, "from": _EXPRESSION, "chunk": _EXPRESSION, "into": _EXPRESSION,
    "group": _EXPRESSION, "rank": _EXPRESSION, "where": _CONDITION, "when": _CONDITION,
    "let": _named(_CONDITION, "a name stands for its expression"), "for": _RANGES, "params": _RANGES,
    "waive": _words(WAIVABLE),
    "optimal": {**_words(OPTIMAL), "type": ["string", "array"],
                "if": _TEXT, "then": {"enum": list(OPTIMAL)}},
    "phase": {**_tables("phase"), "minItems": 1}, "send": _tables("send"), "sends": _tables("sends"),
    **dict.fromkeys(KEYS["claims"], _EXPRESSION),
})  # fmt: skip
_NUMBER: Schema = {"type": "integer"}
_OTHERWISE: Mapping[tuple[str, str], Schema] = MappingProxyType({
    ("sends", "step"): {"type": "integer", "minimum": 0},
    **{("sends", key): _NUMBER for key in ("from", "to", "chunk", "into")},
    ("use", "params"): _named(_EXPRESSION, "a parameter and its value"),
})  # fmt: skip
_EITHER: Schema = {  # a row pushes or pulls
    "if": {"required": ["to"]}, "then": {"properties": {"from": False}}, "else": {"required": ["from"]},
}  # fmt: skip


def schema() -> Schema:
    """The JSON Schema (draft 7) of a table; its keys are those that the reader knows."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "a schedule of ringproof",
        **_table("table"),
        "definitions": {
            "phase": _item("phase", "table", _phase()),
            "send": _item("send", "phase", {**_table("send"), **_EITHER}),
            "sends": _item("sends", "phase", _table("sends")),
        },
    }


def part_of(keys: Sequence[str]) -> Schema | None:
    """What the schema says of the value that these keys lead to, or of its items; None where none is ours."""
    whole = part = schema()
    for key in keys:
        found = item_of(whole, part)
        inner = found.get("properties", {}).get(key, found.get("additionalProperties"))
        if not isinstance(inner, dict):
            return None
        part = inner
    return part


def item_of(whole: Schema, part: Schema) -> Schema:
    """The item of an array of tables, else the part itself."""
    reference = part.get("items", {}).get("$ref", "")
    found: Schema = whole["definitions"][reference.rpartition("/")[2]] if reference else part
    return found


def _item(of: str, within: str, table: Schema) -> Schema:
    """One table of an array of tables, described as the array is."""
    return {"description": _SAID[within][of], **table, "items": {"$ref": f"#/definitions/{of}"}}


def _table(of: str) -> Schema:
    found: Schema = {
        "type": "object", "additionalProperties": False, "properties": _properties(of, KEYS[of]),
    }  # fmt: skip
    return {**found, "required": list(REQUIRED[of])} if REQUIRED[of] else found


def _phase() -> Schema:
    """A phase has rows or uses another table; which keys it may have depends on that."""
    rows = {"required": REQUIRED["phase"], "propertyNames": {"enum": KEYS["phase"]},
            "dependencies": {"send": {"if": _some("send"), "then": {"required": ["steps"]}}}}  # fmt: skip
    uses = {"required": REQUIRED["use"], "propertyNames": {"enum": KEYS["use"]}}
    either = {**_properties("use", KEYS["use"]), **_properties("phase", KEYS["phase"])}
    return {
        "type": "object", "additionalProperties": False, "properties": either,
        "if": {"required": ["use"]}, "then": uses, "else": rows,
    }  # fmt: skip


def _some(key: str) -> Schema:
    return {"properties": {key: {"type": "array", "minItems": 1}}}


def _properties(of: str, keys: Sequence[str]) -> Schema:
    return {key: _described(_kind(of, key), _SAID[of][key]) for key in keys}


def _kind(of: str, key: str) -> Schema:
    return _table(key) if key in ("ensures", "claims") else _OTHERWISE.get((of, key)) or _KINDS[key]
