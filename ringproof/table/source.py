"""The text of a table: its plain values, and where in the text each of them stands.

The only module that knows TOML.  Values come from ``tomllib``, which forgets positions; positions
come from tree-sitter, which is imported by ``locate``, so only when something is printed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ringproof.table.syntax import syntax_error, too_deep
from ringproof.textfile import Offsets, SourceError, Span, read_text
from ringproof.verdict import Finding, Label, Place, Route, Spot

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Source", "SourceError", "Span", "locate", "parse", "read"]


@dataclass(frozen=True)
class Source:
    """A table as written: ``text`` has ``\\n`` line ends and no byte order mark."""

    path: str
    text: str
    values: dict[str, Any] = field(default_factory=dict)


def read(path: str) -> Source:
    """Read a table from a file, or from standard input when the path is ``-``.

    Raises ``SourceError`` with RP001 (cannot be read), RP002 (not UTF-8), RP003 (not TOML) or RP005
    (larger than 4 MiB).
    """
    called, text = read_text(path)
    return parse(text, called)


def parse(text: str, path: str) -> Source:
    """Read a table from its text; ``path`` only names it.

    Raises ``SourceError`` with RP003 when the text is not TOML.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    finding = too_deep(text)
    if finding is None:
        try:
            return Source(path, text, tomllib.loads(text))
        except RecursionError:
            finding = Finding("RP003", "arrays or inline tables are nested too deeply to read")
        except ValueError as error:
            if text.lstrip().startswith("<"):
                raise SourceError(path, _xml(text), text) from None
            twice = _defined_twice(text) if str(error).startswith(_TWICE) else None
            finding = twice or syntax_error(text, str(error))
    raise SourceError(path, finding, text)


def _xml(text: str) -> Finding:
    """A program where a table belongs."""
    at = len(text) - len(text.lstrip())
    label = Label(Spot(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)))
    hint = "`ringproof check` reads a program of threadblocks from a file whose name ends with .xml"
    return Finding("RP003", "the file is XML; a table is TOML", primary=label, helps=(hint,))


# ---- syntax errors ------------------------------------------------------------------------------

_TWICE = ("Cannot declare", "Cannot overwrite", "Cannot redefine", "Cannot mutate", "Duplicate")


def _defined_twice(text: str) -> Finding | None:
    """Find the first key that the text gives a second time.

    A longer key may only add to what a ``[table]`` or a longer key stands for, not to a value.
    """
    offset = Offsets(text)
    first: dict[Route, _Entry] = {}
    for route, entry in _entries(_tree(text)):
        before = first.setdefault(route, entry)
        pair, older = (one.explicit and one.value > one.key for one in (entry, before))
        if before is not entry and ((entry.explicit and before.explicit) or pair or older):
            again = Label(offset.spot(*entry.key), "given again here")
            related = Label(offset.spot(*before.key), "first given here")
            title = f"`{route[-1]}` is given twice"
            return Finding("RP003", title, primary=again, related=(related,))
        if entry.explicit:
            first[route] = entry
    return None


# ---- positions ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Entry:
    """Half-open byte ranges of a key and of its value; the value of a ``[table]`` is its header.

    ``explicit`` is false for a table that only a longer key implies, as ``claims.steps`` does.
    """

    key: tuple[int, int]
    value: tuple[int, int]
    explicit: bool = True


def locate(source: Source, places: Iterable[Place]) -> dict[Place, Span]:
    """Find where places stand in the text of a table.

    A place that does not exist, such as a missing key, stands where its nearest ancestor does.
    """
    offsets, wanted = Offsets(source.text), tuple(places)
    near = {place.route[:depth] for place in wanted for depth in range(len(place.route) + 1)}
    entries: dict[Route, _Entry] = {}
    for route, entry in _entries(_tree(source.text)):
        if route in near and (entry.explicit or route not in entries):
            entries[route] = entry
    return {place: offsets.span(*_range(place, entries, offsets)) for place in wanted}


def _range(place: Place, entries: dict[Route, _Entry], offsets: Offsets) -> tuple[int, int]:
    """Find the half-open character range of a place in the text."""
    route = place.route
    while route and route not in entries:
        route = route[:-1]
    if not route:
        return 0, 0
    entry = entries[route]
    first, last = offsets.characters(*entry.value)
    missing = route != place.route
    if place.on == "key" and not missing:
        return offsets.characters(*entry.key)
    literal = offsets.text[first:last]
    if missing:
        return offsets.characters(*entry.key) if "\n" in literal else (first, last)
    if place.start is None or literal[0] not in "\"'":
        return first, last
    spots = _character_spots(literal)
    start = min(max(place.start, 0), len(spots) - 1)
    end = len(spots) - 1 if place.end is None else min(max(place.end, start), len(spots) - 1)
    begin = first + spots[start][0]
    return begin, begin if end == start else first + spots[end - 1][1]


_CHARACTER = re.compile(r"\\x.{2}|\\u.{4}|\\U.{8}|(\\[ \t]*\n[ \t\n]*)|\\.|.", re.DOTALL)


def _character_spots(literal: str) -> list[tuple[int, int]]:
    """Find where in its literal each character of a decoded string stands, then the closing quotes.

    Half-open character ranges, counted from the opening quote.
    """
    quotes = 3 if literal.startswith(('"""', "'''")) else 1
    first, last = quotes, len(literal) - quotes
    if quotes == 3 and literal[first : first + 1] == "\n":
        first += 1
    if literal[0] == "'":
        spots = [(at, at + 1) for at in range(first, last)]
    else:
        matches = _CHARACTER.finditer(literal, first, last)
        spots = [match.span() for match in matches if not match[1]]
    return [*spots, (last, len(literal))]


def _tree(text: str) -> Node:
    import tree_sitter_toml
    from tree_sitter import Language, Parser

    raw = text.encode("utf-8", "surrogatepass")
    # The grammar refuses blanks between a line-ending backslash and its line end; TOML allows them.
    raw = re.sub(rb"\\[ \t](?=[ \t]*\n)", rb"\\n", raw)
    return Parser(Language(tree_sitter_toml.language())).parse(raw).root_node


def _entries(root: Node) -> Iterator[tuple[Route, _Entry]]:
    """List everything that a text defines, in its order; what is broken is left out."""
    lengths: dict[Route, int] = {}
    for node in root.children:
        if node.type == "pair":
            yield from _pair((), node)
        elif node.type in ("table", "table_array_element"):
            route: Route = ()
            for route, entry in _header(node, lengths):
                yield route, entry
            for child in node.children:
                if child.type == "pair":
                    yield from _pair(route, child)


def _header(node: Node, lengths: dict[Route, int]) -> Iterator[tuple[Route, _Entry]]:
    """Define what ``[a.b]`` or ``[[a.b]]`` does; ``lengths`` counts arrays of tables so far."""
    if len(node.children) < 3:
        return
    opening, key, closing = node.children[:3]
    header = (opening.start_byte, closing.end_byte)
    parts = _parts(key)
    route: Route = ()
    for part in parts:
        last = part is parts[-1]
        appends = last and node.type == "table_array_element"
        route = (*route, _name(part))
        here = (part.start_byte, part.end_byte)
        yield route, _Entry(here, header, explicit=last and not appends)
        if appends:
            lengths[route] = lengths.get(route, 0) + 1
        if route in lengths and (appends or not last):
            route = (*route, lengths[route] - 1)
            if appends:
                yield route, _Entry(here, header)


def _pair(route: Route, node: Node) -> Iterator[tuple[Route, _Entry]]:
    children = [child for child in node.named_children if child.type != "comment"]
    if len(children) != 2:
        return
    key, value = children
    for part in _parts(key):
        route = (*route, _name(part))
        here = (part.start_byte, part.end_byte)
        if part.end_byte == key.end_byte:
            yield route, _Entry(here, (value.start_byte, value.end_byte))
        else:
            yield route, _Entry(here, here, explicit=False)
    yield from _inside(route, value)


def _inside(route: Route, value: Node) -> Iterator[tuple[Route, _Entry]]:
    if value.type == "array":
        items = [item for item in value.named_children if item.type != "comment"]
        for position, item in enumerate(items):
            here = (item.start_byte, item.end_byte)
            yield (*route, position), _Entry(here, here)
            yield from _inside((*route, position), item)
    elif value.type == "inline_table":
        for pair in value.named_children:
            if pair.type == "pair":
                yield from _pair(route, pair)


def _parts(key: Node) -> list[Node]:
    parts: list[Node] = []
    while key.type == "dotted_key":
        parts.append(key.named_children[-1])
        key = key.named_children[0]
    return [*parts, key][::-1]


def _name(part: Node) -> str:
    text = (part.text or b"").decode("utf-8", "surrogatepass")
    if part.type != "quoted_key":
        return text
    try:
        return next(iter(tomllib.loads(f"{text} = 0")))
    except tomllib.TOMLDecodeError:
        return text
