"""What may be typed where a cursor stands in a table, and what the key under a pointer means.

Keys, words and what they mean are those of the JSON Schema; names are those that the reader knows there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from lsprotocol import types

from ringproof.table.cursor import Cursor, cursor_at
from ringproof.table.json_schema import Schema, item_of, part_of, schema
from ringproof.table.sight import functions, names_at

Kind = types.CompletionItemKind
MOST_TEXT = 1 << 19  # characters of a table that is read while somebody waits


@dataclass(frozen=True, slots=True)
class Offer:
    """``label`` is shown with what it means; ``text`` replaces the word before the cursor.

    ``sought`` is what that word is the beginning of, where it is not the label.
    """

    label: str
    text: str
    kind: Kind
    says: str = ""
    detail: str = ""
    sought: str = ""


@dataclass(frozen=True, slots=True)
class Offers:
    """What may stand in the place of ``width`` characters before the cursor."""

    width: int
    found: tuple[Offer, ...] = ()


def offers(text: str, path: str, at: int) -> Offers:
    """What may be typed ``at`` characters from the beginning of a table."""
    if len(text) > MOST_TEXT:
        return Offers(0)
    cursor = cursor_at(text, at)
    line = text[at : (text + "\n").index("\n", at)]
    found: Iterable[Offer] = ()
    match cursor.what:
        case "key":
            found = _keys(cursor, assigned="=" in line.partition("#")[0])
        case "header":
            there = len(line) - len(line.lstrip("]"))
            if text[cursor.start : at].startswith("[["):
                return Offers(len(cursor.word), tuple(_named(there)))
            found = _closed(there)
        case "value":
            found = _words(cursor, '"')
        case "text":
            found = [*_words(cursor, ""), *_names(text, path, cursor)]
        case _:
            return Offers(0)
    return Offers(at - cursor.start, tuple(found))


def _keys(cursor: Cursor, *, assigned: bool) -> Iterator[Offer]:
    part = part_of(cursor.keys())
    if part is None:
        return
    table = item_of(schema(), part)
    for key, inner in table.get("properties", {}).items():
        if key in cursor.siblings or not _fits(key, table, cursor.siblings):
            continue
        header = ".".join((*cursor.keys(), key))
        if "$ref" in inner.get("items", {}) and not assigned and not cursor.braces:
            whole = f"[[{header}]]"
            yield Offer(whole, whole, Kind.Struct, inner["description"], sought=key)
        yield Offer(key, key if assigned else f"{key} = ", Kind.Property, inner["description"])


def _fits(key: str, table: Schema, siblings: frozenset[str]) -> bool:
    """Whether a key may stand beside those that are there: rows or a used table, `to` or `from`."""
    (wanted,) = table.get("if", {"required": [key]})["required"]
    then, other = table.get("then", {}), table.get("else", {})
    not_beside = {name for name, inner in then.get("properties", {}).items() if inner is False}
    if (wanted in siblings and key in not_beside) or (key == wanted and siblings & not_beside):
        return False
    used, rows = (set(one.get("propertyNames", {}).get("enum", ())) for one in (then, other))
    if siblings & (used - rows):
        return key in used
    return not siblings & (rows - used) or key in rows


def _closed(there: int) -> Iterator[Offer]:
    """The headers, less the closing brackets that are ``there`` already.

    Behind the cursor nothing is replaced: Neovim leaves it as it is, Helix would lose its place.
    """
    for offer in _headers():
        if offer.label.count("]") >= there:
            sought = f"[{offer.label.strip('[]')}]"  # one bracket is typed before there are two
            yield replace(offer, text=offer.text[: len(offer.text) - there], sought=sought)


def _named(there: int) -> Iterator[Offer]:
    """The names of the headers in double brackets: Emacs would write the opening ones again."""
    for offer in _closed(there):
        if offer.label.startswith("[["):
            yield replace(offer, label=offer.label.strip("[]"), text=offer.text[2:], sought="")


def _headers() -> Iterator[Offer]:
    """Every header that a table may have."""
    whole = schema()

    def within(table: Schema, above: Sequence[str]) -> Iterator[Offer]:
        for key, inner in table["properties"].items():
            route = (*above, key)
            name = ".".join(route)
            if "$ref" in inner.get("items", {}):
                yield Offer(f"[[{name}]]", f"[[{name}]]", Kind.Struct, inner["description"])
                yield from within(item_of(whole, inner), route)
            elif inner.get("type") == "object":
                yield Offer(f"[{name}]", f"[{name}]", Kind.Struct, inner["description"])

    return within(whole, ())


def _words(cursor: Cursor, quote: str) -> Iterator[Offer]:
    """The words that a key knows, or that a list of it knows."""
    part = part_of(cursor.keys()) or {}
    if cursor.route and isinstance(cursor.route[-1], int):
        known = part.get("items", {})
    else:
        known = part if "enum" in part else part.get("then", {})
    for word in known.get("enum", ()):
        yield Offer(word, f"{quote}{word}{quote}", Kind.EnumMember, str(part["description"]))


def _names(text: str, path: str, cursor: Cursor) -> Iterator[Offer]:
    """The names and functions that an expression may use, where an expression stands."""
    names = names_at(text, path, cursor)
    if names is None:
        return
    for name, says in names.items():
        yield Offer(name, name, Kind.Variable, detail=says)
    for name, usage in functions(cursor.route).items():
        yield Offer(name, f"{name}(", Kind.Function, detail=usage)


def meaning(text: str, at: int) -> str:
    """What the key means that stands ``at`` a place, in Markdown; empty where no key of ours does."""
    if len(text) > MOST_TEXT:
        return ""
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
        end += 1
    cursor = cursor_at(text, end)
    if cursor.what == "header":
        keys = tuple(part.strip() for part in cursor.word.split("."))
    elif cursor.what == "key" and cursor.word:
        keys = (*cursor.keys(), cursor.word)
    else:
        return ""
    part = part_of(keys)
    return f"`{keys[-1]}`: {part['description']}" if part and "description" in part else ""
