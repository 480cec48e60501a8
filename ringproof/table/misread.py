"""What is wrong with text that is no expression, in words that do not depend on Python's version."""

from __future__ import annotations

import ast
import difflib
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

SHOWN = 40


class Slip(NamedTuple):
    """What to say about a half-open range of the text, and one thing to do about it."""

    title: str
    start: int
    end: int
    hint: str = ""


class _Token(NamedTuple):
    kind: str  # "value", "word", "operator", "open", "close", "other"
    text: str
    start: int
    end: int


_LETTERS = {
    "\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\N{EM DASH}": "-", "\N{MULTIPLICATION SIGN}": "*",
    "\N{MIDDLE DOT}": "*", "\N{DOT OPERATOR}": "*", "\N{ASTERISK OPERATOR}": "*",
    "\N{DIVISION SIGN}": "//", "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=", "\N{NOT EQUAL TO}": "!=", "\N{LOGICAL AND}": "and",
    "\N{LOGICAL OR}": "or", "\N{NOT SIGN}": "not", "\N{CIRCLED PLUS}": "^",
    "\N{HORIZONTAL ELLIPSIS}": "..", "\N{NO-BREAK SPACE}": "a plain blank",
    "?": "a if condition else b", "#": "a TOML comment outside the quotes",
}  # fmt: skip
_WORDS = {
    "mod": "`%` is the remainder", "rem": "`%` is the remainder", "div": "`//` divides and rounds down",
    "xor": "`^` is exclusive or", "AND": "conditions are joined with `and`", "shl": "`<<` shifts left",
    "OR": "conditions are joined with `or`", "NOT": "a condition is turned round with `not`",
    "then": "a choice is written `a if condition else b`", "shr": "`>>` shifts right",
}  # fmt: skip
_NOT_PYTHON = {
    "&&": "conditions are joined with `and`", "||": "conditions are joined with `or`",
    "=>": "greater or equal is written `>=`", "=<": "less or equal is written `<=`",
    "<>": "unequal is written `!=`",
}  # fmt: skip
USAGE = {
    "min": "min(x, y, ...)", "max": "max(x, y, ...)", "abs": "abs(x)", "log2": "log2(x)",
    "ceil_log2": "ceil_log2(x)", "log": "log(x, k)", "ceil_log": "ceil_log(x, k)",
    "is_pow2": "is_pow2(x)", "bit": "bit(x, i)", "flip": "flip(x, i)", "lowbit": "lowbit(x)",
    "reverse": "reverse(x, bits)", "divisors": "divisors(x)",
}  # fmt: skip
_TOKENS = re.compile(
    r"(?P<value>\d[\d_]*\.?[\d_]*|\.\d+)|(?P<word>[A-Za-z_]\w*)|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<operator>\*\*|//|<<|>>|[<>=!]=|[-+*/%&|^~<>@])|(?P<other>\S)",
    re.ASCII,
)
_CALLS = {
    "pow": "`**` is the power", "floor": "`//` divides and rounds down", "mod": "`%` is the remainder",
    "ceil": "`-(-a // b)` divides and rounds up", "xor": "`^` is exclusive or",
    "range": "a range is written `lo..hi`", "int": "every value is a whole number already",
}  # fmt: skip
_PREFIX = ("-", "+", "~")
_JOINING = ("and", "or", "if", "else", "in", "is")
_UNDERSTOOD = {*_JOINING, "not", "True", "False", "None", "lambda", "await"}
_DEEPEST = 150
_PAIRS = {"(": ")", "[": "]", "{": "}"}


def letters(text: str) -> Iterator[Slip]:
    """Every character that no expression has, each once, and what to write instead."""
    told: set[str] = set()
    for at, char in enumerate(text):
        plain = " " <= char <= "~" or char in "\t\n"
        if (plain and char not in "#$?`\\") or char in told:
            continue
        told.add(char)
        known = _LETTERS.get(char)
        hint = "" if known is None else f"write {known}" if "plain" in known else f"write `{known}`"
        if char.isalpha():
            hint = "names are written with a-z, A-Z, 0-9 and _"
        if char == "#":
            hint = "a comment stands outside the quotes"
        yield Slip(f"the character `{char}` does not belong in an expression", at, at + 1, hint)


def misread(text: str, offset: int) -> Slip:
    """The first slip in a text that cannot be read; ``offset`` is where reading stopped."""
    for digraph, hint in _NOT_PYTHON.items():
        if (at := text.find(digraph)) >= 0:
            return Slip(f"`{digraph}` is no operator", at, at + 2, hint)
    tokens = [_Token(str(m.lastgroup), m[0], *m.span()) for m in _TOKENS.finditer(text)]
    found = _unbalanced(tokens) or _out_of_turn(tokens)
    if found:
        return found
    for token in tokens:
        if token.text == "if" and not any(t.text == "else" for t in tokens):
            hint = "a choice is written `a if condition else b`"
            return Slip("`if` needs an `else`", token.start, token.end, hint)
    at = min(max(offset, 0), max(len(text) - 1, 0))
    return Slip("the expression cannot be read from here on", at, at + 1)


def _unbalanced(tokens: Sequence[_Token]) -> Slip | None:
    """A parenthesis without its partner."""
    waiting: list[_Token] = []
    for token in tokens:
        if token.kind == "open":
            waiting.append(token)
            if len(waiting) > _DEEPEST:
                return Slip("parentheses are nested too deeply", token.start, token.end)
        elif token.kind == "close":
            if not waiting:
                return Slip(f"`{token.text}` closes nothing", token.start, token.end)
            if _PAIRS[waiting.pop().text] != token.text:
                title = f"`{token.text}` closes a parenthesis of another kind"
                return Slip(title, token.start, token.end)
    if waiting:
        return Slip(f"`{waiting[0].text}` is never closed", waiting[0].start, waiting[0].end)
    return None


def _out_of_turn(tokens: Sequence[_Token]) -> Slip | None:
    """The first value where an operator belongs, or the other way round."""
    before: _Token | None = None
    for token in tokens:
        if slip := _pair(before, token):
            return slip
        before = token
    if before is not None and _joins(before):
        return Slip(f"a value is missing after `{before.text}`", before.start, before.end)
    return None


def _pair(before: _Token | None, token: _Token) -> Slip | None:
    """What is wrong with two tokens that follow each other, if anything is."""
    here = token.start, token.end
    if token.text in ("=", "!", ":", ":=", ";"):
        hints = {"=": "`==` compares", "!": "a condition is turned round with `not`"}
        return Slip(f"`{token.text}` does not belong here", *here, hints.get(token.text, ""))
    if keyword.iskeyword(token.text) and token.text not in _UNDERSTOOD:
        return Slip(f"`{token.text}` is not part of the table language", *here)
    if token.kind == "value" and re.match(r"0[\d_]", token.text):
        return Slip(f"the number `{cut(token.text)}` begins with 0", *here)
    if before is None or _joins(before) or before.kind == "open" or before.text in ("not", ","):
        wanting = _joins(token) and token.text not in _PREFIX
        if not wanting or (token.text == "*" and before is not None and before.kind == "open"):
            return None
        return Slip(f"a value is missing before `{token.text}`", *here)
    if token.kind in ("value", "word") and not _joins(token) and token.text != "not":
        hint = _WORDS.get(token.text) or _WORDS.get(before.text, "")
        if before.kind == "value" and before.end == token.start and before.text.isdigit():
            hint = f"a product is written `{cut(before.text)}*{cut(token.text)}`"
        return Slip(f"an operator is missing before `{cut(token.text)}`", *here, hint)
    return None


def _joins(token: _Token) -> bool:
    """Whether a value must follow it."""
    return token.kind == "operator" or token.text in _JOINING


def foreign(node: ast.expr, text: str) -> tuple[str, str]:
    """What part of Python this is that the table language leaves out, and what to write instead."""
    names: dict[type[ast.expr], str] = {
        ast.Attribute: "a dot", ast.Subscript: "an index", ast.Lambda: "a lambda",
        ast.List: "a list", ast.Tuple: "a comma", ast.Dict: "a dict", ast.Set: "a set",
        ast.JoinedStr: "text in quotes", ast.NamedExpr: "an assignment", ast.Starred: "a star",
        ast.ListComp: "a list", ast.GeneratorExp: "a list", ast.SetComp: "a set",
        ast.DictComp: "a dict",
    }  # fmt: skip
    what, hint = names.get(type(node), f"`{cut(text)}`"), ""
    if isinstance(node, ast.Constant):
        what = "text in quotes" if isinstance(node.value, str | bytes) else f"`{cut(text)}`"
        if isinstance(node.value, float):
            hint = "numbers are whole; in a claim a fraction is written `3/2`"
    elif isinstance(node, ast.Tuple) and not node.elts:
        return "a value is missing between the brackets", ""
    elif isinstance(node, ast.BinOp):
        what, hint = "the operator `@`", "a product is written with `*`"
    return f"{what} is not part of the table language", hint


def not_a_helper(node: ast.Call, name: str, helpers: Sequence[str]) -> tuple[str, str]:
    """Why this cannot be called, and what to write instead."""
    if not name.isidentifier() or len(name) == 1:
        hint = "a product is written with `*`"
        if isinstance(node.func, ast.Attribute | ast.Call):
            hint = f"helpers: {', '.join(sorted(helpers))}"
    else:
        hint = _CALLS.get(name) or closest(name, helpers) or f"helpers: {', '.join(sorted(helpers))}"
    return f"`{cut(name)}` is not a helper", hint


def wrong_arguments(node: ast.Call, name: str, wanted: int | None) -> tuple[str, str] | None:
    """What is wrong with the arguments of a helper that takes ``wanted``, None for one or more."""
    hint = f"as in `{USAGE[name]}`"
    if node.keywords:
        return f"the arguments of `{name}` have no names", hint
    got = len(node.args)
    if got < 1 if wanted is None else got != wanted:
        count = "at least 1 argument" if wanted is None else f"{wanted} argument{'s' * (wanted > 1)}"
        return f"`{name}` takes {count}, not {got}", hint
    return None


def nearest(word: str, words: Iterable[str]) -> str:
    """The word that was probably meant, or nothing."""
    known, short = list(words), word[:SHOWN]
    folded = [w for w in known if w.lower() == short.lower() and w != word]
    near = folded or difflib.get_close_matches(short, known, n=1, cutoff=0.7)
    return near[0] if near and near[0] != word else ""


def closest(word: str, words: Iterable[str]) -> str:
    """A "did you mean" line for a misspelt word, or nothing."""
    near = nearest(word, words)
    return f"did you mean `{near}`?" if near else ""


def cut(text: str) -> str:
    """A word of the table as a message shows it: whole, or its beginning."""
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
