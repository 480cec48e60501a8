"""Where in a table a cursor stands, however broken the text is: it is read from its beginning up to there.

A line that begins like a header or like ``key =`` ends whatever was left open above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ringproof.verdict import Route

What = Literal["key", "header", "value", "text", "none"]
_TOKENS = re.compile(
    r'(?P<blank>[ \t]+)|(?P<comment>#[^\n]*)|(?P<long>"""(?:\\.|[^\\])*?(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z))'
    r'|(?P<text>"(?:\\.|[^"\\\n])*(?:"|(?=\n)|\Z)|\'[^\'\n]*(?:\'|(?=\n)|\Z))'
    r"|(?P<word>[A-Za-z0-9_-]+)|(?P<line>\n)|(?P<mark>[\[\]{}=,.])|(?P<other>.)",
    re.DOTALL,
)
_BEGINS = re.compile(r"[ \t]*(?:\[\[?[ \t]*[A-Za-z_]|[A-Za-z_][\w-]*[ \t]*=)")
_HEADER = re.compile(r"[ \t]*(\[\[?)([^\]\n]*)")
_KEY = re.compile(r"[ \t]*([A-Za-z_][\w-]*)[ \t.]*[=.]")
DEEPEST = 16  # brackets or keys within each other; a table of ours has 4
_ENDS = {"[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Cursor:
    """``route``: the table whose key is typed, or the value; ``word``: what is typed of it already, ``start``
    where that begins in the text.  ``siblings``: other keys of that table.  A text begins with its quotation
    mark at ``opening``; ``closing`` are the brackets that are open around a value.
    """

    what: What
    route: Route = ()
    word: str = ""
    start: int = 0
    siblings: frozenset[str] = frozenset()
    opening: int = 0
    closing: str = ""
    braces: bool = False  # the table stands in braces

    def keys(self) -> tuple[str, ...]:
        """The route without the numbers of its items."""
        return tuple(step for step in self.route if isinstance(step, str))


@dataclass(slots=True)
class _Level:
    """A table or array that is open: its route, the key whose value comes or is ``given``, and the number of
    the item that an array is at.
    """

    route: Route
    mark: str = ""
    key: list[str] = field(default_factory=list)
    siblings: set[str] = field(default_factory=set)
    valued: bool = False
    given: bool = False
    item: int = 0

    def value(self) -> Route:
        return (*self.route, self.item) if self.mark == "[" else (*self.route, *self.key)


def cursor_at(text: str, at: int) -> Cursor:
    """The place ``at`` characters from the beginning of a table."""
    begin = text.rfind("\n", 0, at) + 1
    return _Reading(text, at, begin).cursor()


class _Reading:
    """One pass over the text before a cursor, which stands in the line that begins at ``begin``."""

    def __init__(self, text: str, at: int, begin: int) -> None:
        self.text, self.at, self.begin = text, at, begin
        self.lengths: dict[Route, int] = {}
        self.levels = [_Level(())]
        self.section = 0  # where the header of this table ends
        self.last: tuple[str, str, int] = ("line", "", 0)

    def cursor(self) -> Cursor:
        place = self._line(0)
        while place < self.at:
            found = _TOKENS.match(self.text, place, self.at)
            if found is None:
                break
            self.last = (found.lastgroup or "other", found[0], place)
            place = found.end()
            self._token(*self.last[:2])
            if self.last[0] == "line":
                place = self._line(place)
        return self._header() if place > self.at else self._here()

    def _line(self, place: int) -> int:
        """Begin a line: read its header whole, close what a broken line left open."""
        if not self._continued() or _BEGINS.match(self.text, place):
            self.levels = [_Level(self.levels[0].route, siblings=self.levels[0].siblings)]
            if header := _HEADER.match(self.text, place):
                self._table(header[1], header[2].replace("[", ""))
                self.section = header.end()
                end = self.text.find("\n", place)
                return len(self.text) + 1 if end < 0 or end >= self.at else end
        return place

    def _continued(self) -> bool:
        return any(level.mark == "[" for level in self.levels)

    def _table(self, mark: str, name: str) -> None:
        parts = [part.strip().strip("\"'") for part in name.split(".", DEEPEST)]
        route: Route = ()
        for i, part in enumerate(parts):
            route = (*route, part)
            if i == len(parts) - 1 and mark == "[[":
                self.lengths[route] = self.lengths.get(route, 0) + 1
            if route in self.lengths:
                route = (*route, self.lengths[route] - 1)
        self.levels = [_Level(route)]

    def _token(self, kind: str, token: str) -> None:
        level = self.levels[-1]
        if kind in ("word", "text", "long") and not level.valued:
            level.key.append(token.strip("\"'"))
        elif kind in ("word", "text", "long", "other"):
            level.given = True
        elif token == "=" and level.mark != "[" and level.key:
            level.valued = True
            level.siblings.add(level.key[0])
        elif token in _ENDS and kind == "mark" and level.valued and len(self.levels) <= DEEPEST:
            inner = _Level(level.value(), token, valued=token == "[")
            level.given = True
            self.levels.append(inner)
        elif token in ("]", "}") and kind == "mark" and len(self.levels) > 1:
            self.levels.pop()
        elif token == "," and kind == "mark":
            level.item += 1
            level.given = False
            if level.mark == "{":
                level.key, level.valued = [], False

    def _header(self) -> Cursor:
        start = self.text.find("[", self.begin)
        if not start < self.at or "#" in self.text[start : self.at] or "]" in self.text[start : self.at]:
            return Cursor("none")
        return Cursor("header", (), self.text[start : self.at].lstrip("[ \t"), start)

    def _here(self) -> Cursor:
        kind, token, start = self.last
        level = self.levels[-1]
        if kind in ("comment", "other", "long"):
            return Cursor("none")
        closing = "".join(_ENDS[one.mark] for one in reversed(self.levels) if one.mark)
        if kind == "text" and (len(token) == 1 or token[-1] != token[0]) and level.valued:
            typed = re.search(r"[\w-]*\Z", token)
            word = typed[0] if typed else ""
            return Cursor("text", level.value(), word, self.at - len(word), opening=start, closing=closing)
        if level.valued:
            word = token if kind == "word" else ""
            what: What = "value" if word or not level.given else "none"
            return Cursor(what, level.value(), word, self.at - len(word))
        if kind == "text" or (kind == "blank" and level.key):
            return Cursor("none")
        word = token if kind == "word" else ""
        siblings = level.siblings | (set(self._below()) if len(self.levels) == 1 else set())
        route = (*level.route, *(level.key[:-1] if word else level.key))
        braces = level.mark == "{"
        return Cursor("key", route, word, self.at - len(word), frozenset(siblings), braces=braces)

    def _below(self) -> Iterator[str]:
        """The keys of this table in the lines below the cursor."""
        for line in self.text[self.at :].split("\n")[1:]:
            if line.lstrip().startswith("["):
                return
            if key := _KEY.match(line):
                yield key[1]
