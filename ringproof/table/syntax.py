"""What is wrong with text that is not TOML, or that no table would be: clean words, and the spot."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ringproof.textfile import Offsets
from ringproof.verdict import Finding, Label, Spot

MOST_PARTS, DEEPEST = 16, 32

_QUOTE = 'an expression is text and stands in quotes: `steps = "N - 1"`'
_ESCAPES = "write `\\\\` for a backslash, or put the text in single quotes"
_MESSAGES = {
    "Invalid value": ("no value of TOML begins here", _QUOTE),
    "Cannot overwrite a value": ("this name already stands for something else", ""),
    "Invalid statement": (
        "a line begins with a key, a `[table]` or a `#` comment",
        "a key of other characters than A-Z, a-z, 0-9, `_` and `-` stands in quotes",
    ),
    "Invalid initial character for a key part": ("a key is missing here", ""),
    "Expected newline or end of document after a statement": ("the line should end here", _QUOTE),
    "Expected '=' after a key in a key/value pair": (
        "`=` is missing after the key",
        "a line reads `key = value`",
    ),
    "Unescaped '\\' in a string": ("a backslash in a string begins no known escape", _ESCAPES),
    "Illegal character '\\n'": ("the string is not closed on its line", "close it with `\"`"),
    "Unterminated string": ("a string is never closed", ""),
    "Unclosed array": ("the list goes wrong here: `,` or `]` expected", ""),
    "Unclosed inline table": (
        "the inline table goes wrong here: `,` or `}` expected",
        "an inline table stands on one line, with no comma after its last value",
    ),
}
_LOCATION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_LONG_INTEGER = re.compile(r"[0-9][0-9_]{4299,}")
# What a table is made of, as far as nesting goes: strings and comments are passed over whole.
_BARE, _BASIC, _LITERAL = r"[A-Za-z0-9_-]++", r'"(?!"")(?:[^"\\\n]|\\.)*+"', r"'(?!'')[^'\n]*+'"
_LONG = r'"{3}(?s:[^\\]|\\.)*?"{3}' + r"|'{3}(?s:.)*?'{3}"
_PART = f"(?:{_BARE}|{_BASIC}|{_LITERAL})"
_PIECES = re.compile(
    rf"(?P<key>{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MOST_PARTS},}}+)|{_LONG}|{_PART}|#[^\n]*+"
    r"|(?P<open>[\[{])|(?P<close>[\]}])"
)


def too_deep(text: str) -> Finding | None:
    """A key of many parts, or lists in lists in lists: no table has them, and reading them is slow."""
    depth = 0
    for piece in _PIECES.finditer(text):
        if piece["key"]:
            parts = piece["key"].count(".") + 1
            title = f"a key of about {parts} parts; a table nests at most {MOST_PARTS} deep"
            return Finding("RP005", title, primary=Label(_spot(text, *piece.span())))
        depth = max(0, depth + bool(piece["open"]) - bool(piece["close"]))
        if depth > DEEPEST:
            title = "arrays or inline tables are nested too deeply to read"
            return Finding("RP003", title, primary=Label(_spot(text, *piece.span())))
    return None


def syntax_error(text: str, message: str) -> Finding:
    """What tomllib says, as a finding: clean words, and the spot in the text."""
    located = _LOCATION.search(message)
    if located is None:
        digits = _LONG_INTEGER.search(text)
        spot = _spot(text, *digits.span()) if digits else Spot(1, 1)
        return Finding("RP003", "a number has too many digits", primary=Label(spot))
    message = message[: located.start()]
    if located[1]:
        spot = Spot(int(located[1]), int(located[2]))
    else:
        end = len(text.rstrip())
        spot = _spot(text, end, end)
    title, hint = _unseen(text, spot) or _MESSAGES.get(message, ("", ""))
    title = title or message[:1].lower() + message[1:]
    related = tuple(_opening(text, spot)) if message.startswith("Unclosed") else ()
    return Finding("RP003", title, primary=Label(spot), related=related, helps=(hint,) if hint else ())


def _opening(text: str, spot: Spot) -> Iterator[Label]:
    """Where the list or table begins that is still open at a spot."""
    lines = text.split("\n")
    end = sum(len(line) + 1 for line in lines[: spot.line - 1]) + spot.column - 1
    waiting: list[int] = []
    for piece in _PIECES.finditer(text, 0, end):
        if piece["open"]:
            waiting.append(piece.start())
        elif piece["close"] and waiting:
            waiting.pop()
    if waiting:
        yield Label(_spot(text, waiting[-1], waiting[-1] + 1), "it begins here")


def _unseen(text: str, spot: Spot) -> tuple[str, str] | None:
    """Words for a character that an editor does not show."""
    line = text.split("\n")[spot.line - 1]
    char = line[spot.column - 1 : spot.column]
    if char == "\r":
        return "a lone carriage return is no line end", "save the file with the line ends of Unix or Windows"
    if char and (char < " " or char == "\x7f") and char != "\t":
        return f"the control character U+{ord(char):04X} does not belong in a table", "take it out"
    return None


def _spot(text: str, start: int, end: int) -> Spot:
    span = Offsets(text).span(start, end)
    return Spot(span.line, span.column, max(1, end - start))
