"""Plain values -> the text of a table: what is written so reads back as the same values."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Keys = tuple[str, ...]
_DELETE = "\x7f"  # the one control character that JSON leaves as it is and TOML does not
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LISTED = "sends"  # its tables are lines of a list, as a person writes them
_AT_ONCE = 8  # words of a list that go on one line


def written(values: Mapping[str, Any]) -> str:
    """A table as TOML: single values first, then ``[tables]``, then ``[[phase]]`` and its rows.

    ``values`` hold text, whole numbers, booleans, lists, tuples and mappings, as TOML does; read back
    they are equal, tuples as lists.  Errors: `TypeError` for anything else, `ValueError` for text
    that is no Unicode.
    """
    return "\n".join(_table(values, (), "")).lstrip("\n") + "\n" if values else ""


def literal(value: str | int) -> str:
    """A string, a boolean or a whole number as TOML writes it, on one line."""
    text = json.dumps(value, ensure_ascii=False).replace(_DELETE, "\\u007f")
    text.encode("utf-8")  # a lone surrogate is no text: UnicodeEncodeError is a ValueError
    return text


def plain(value: Any) -> Any:
    """Values as TOML reads them: tuples become lists, mappings dicts, members of an enum what they stand for.

    Errors: `TypeError`.
    """
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return value if isinstance(value, bool) else int(value)
    if isinstance(value, Mapping):
        wrong = [key for key in value if not isinstance(key, str)]
        if wrong:
            raise TypeError(f"a key of a table is text, not {type(wrong[0]).__name__}")
        return {str.__str__(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if hasattr(value, "__index__"):  # a whole number of numpy
        return operator.index(value)
    raise TypeError(
        f"a table holds text, whole numbers, booleans, lists and tables, not {type(value).__name__}"
    )


def _table(values: Mapping[str, Any], path: Keys, margin: str) -> Iterator[str]:
    """The lines of a table: what has no header of its own comes first."""
    simple = {k: v for k, v in values.items() if not (_section(v, path) or _sections(k, v))}
    wide = max((len(_key(key)) for key in simple), default=0)
    for key, value in simple.items():
        yield f"{margin}{_key(key):<{wide}} = {_value(value, key, margin)}"
    for key, value in values.items():
        here = (*path, key)
        name = ".".join(map(_key, here))
        if _section(value, path):
            yield from ("", f"{margin}[{name}]")
            yield from _table(value, here, margin)
        for item in value if _sections(key, value) else ():
            inner = margin + "  " if path else margin
            yield from ("", f"{inner}[[{name}]]")
            yield from _table(item, here, inner)


def _section(value: Any, path: Keys) -> bool:
    """Whether a value gets a ``[header]``: only at the top, deeper it stands in its line."""
    return isinstance(value, Mapping) and not path


def _sections(key: str, value: Any) -> bool:
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    return listed and bool(value) and key != _LISTED and all(isinstance(v, Mapping) for v in value)


def _value(value: Any, key: str, margin: str) -> str:
    if isinstance(value, str) and "\n" in value:
        return _paragraph(value)
    long = isinstance(value, list | tuple) and (key == _LISTED or len(value) > _AT_ONCE)
    if not long or not value:
        return _inline(value)
    lines = (f"{margin}  {_inline(item)},\n" for item in value)
    return f"[\n{''.join(lines)}{margin}]"


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{_key(key)} = {_inline(inner)}" for key, inner in value.items())
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inline, value))}]"
    if not isinstance(value, str | int):
        plain(value)
    return literal(value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else literal(key)


def _paragraph(text: str) -> str:
    """Text of several lines as such; quotes that would end it are escaped."""
    lines = (literal(line)[1:-1].replace('\\"', '"') for line in text.split("\n"))
    body = re.sub(r'"(?="|$)', '\\\\"', "\n".join(lines))
    return f'"""\n{body}"""'
