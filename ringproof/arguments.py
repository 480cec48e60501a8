"""What is handed over from Python, looked at before anything is computed."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ringproof.errors import RingproofError
from ringproof.wording import runs

PathLike = str | bytes | os.PathLike[str] | os.PathLike[bytes]
MONTH = 30 * 86400.0


class ArgumentError(RingproofError, ValueError):
    """An argument of a value that cannot be: a rank count below 1, an unknown word, a size not claimed."""


class ArgumentTypeError(RingproofError, TypeError):
    """An argument of a type that cannot be."""


def path_of(given: Any) -> str:
    """A path as text; errors: `ArgumentTypeError` for what is none, `ArgumentError` for a table's text."""
    if isinstance(given, Mapping):
        raise ArgumentTypeError("a dict is no table yet: ringproof.build(values) makes one")
    if not isinstance(given, str | bytes | os.PathLike):
        raise ArgumentTypeError(f"give a table or the path of a file, not {_kind(given)}")
    path = os.fsdecode(given)
    if "\n" in path:
        raise ArgumentError("this is text and no path: ringproof.parse(text) reads the text of a table")
    return path


def text_of(given: Any) -> str:
    """Text that UTF-8 can write; errors: `ArgumentTypeError`, `ArgumentError`."""
    if isinstance(given, bytes | bytearray):
        raise ArgumentTypeError("the text of a table is str, not bytes: decode it as UTF-8")
    if not isinstance(given, str):
        raise ArgumentTypeError(f"the text of a table is str, not {_kind(given)}")
    try:
        given.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ArgumentError(f"the text is no Unicode: a lone surrogate stands at {error.start}") from None
    return given


def whole(name: str, given: Any, least: int) -> int:
    """A whole number, also one of numpy's; errors: `ArgumentTypeError`, `ArgumentError`."""
    number = _index(given)
    if number is None:
        raise ArgumentTypeError(f"{name} is a whole number, not {_shown(given)}")
    if number < least:
        told = f"{name} is at least {least}, not {number}"
        raise ArgumentError(f"a schedule has at least 1 rank: {told}" if name == "N" else told)
    return number


def ranks_of(given: Any) -> tuple[tuple[int, int], ...]:
    """Ranges of N, both ends included, of one number or several; None is the whole claim, so none.

    Errors: `ArgumentTypeError`, `ArgumentError`.
    """
    if given is None:
        return ()
    if isinstance(given, range) and given.step == 1 and len(given):
        return ((whole("N", given.start, 1), given.stop - 1),)
    one, several = _index(given) is not None, isinstance(given, Iterable)
    if not one and (isinstance(given, str | bytes | Mapping) or not several):
        told = "give one number of ranks or several, as 8 or range(2, 9)"
        raise ArgumentTypeError(f"{told}, not {_shown(given)}")
    numbers = sorted({whole("N", number, 1) for number in ([given] if one else given)})
    if not numbers:
        raise ArgumentError("a schedule has at least 1 rank: give None for all that it claims")
    return tuple(runs(numbers))


def amount(name: str, given: Any, least: float, most: float) -> float:
    """A number between two others; errors: `ArgumentTypeError`, `ArgumentError`."""
    if isinstance(given, bool | str | bytes) or not hasattr(given, "__float__"):
        raise ArgumentTypeError(f"{name} is a number, not {_shown(given)}")
    number = float(given)
    if math.isnan(number) or not least <= number <= most:
        raise ArgumentError(f"{name} is between {least:g} and {most:.20g}, not {number:g}")
    return number


def one_of(what: str, word: Any, known: Sequence[str]) -> None:
    """Refuse a word that is not known; errors: `ArgumentError`."""
    if word not in known:
        raise ArgumentError(f"unknown {what} {word!r}; there are: {', '.join(known)}")


def words_of(what: str, given: Any, known: Sequence[str]) -> tuple[str, ...]:
    """Several known words, or one; errors: `ArgumentError`, `ArgumentTypeError`."""
    if not isinstance(given, Iterable):
        raise ArgumentTypeError(f"give a list of words such as {known[0]!r}, not {_shown(given)}")
    words = (given,) if isinstance(given, str) else tuple(given)
    for word in words:
        one_of(what, word, known)
    return words


def _index(given: Any) -> int | None:
    if isinstance(given, bool) or type(given).__name__ in ("bool_", "bool"):
        return None
    try:
        return operator.index(given)
    except TypeError:
        return None


def _kind(given: Any) -> str:
    return "None" if given is None else type(given).__name__


def _shown(given: Any) -> str:
    shown = repr(given)
    return shown if len(shown) <= 40 else f"{type(given).__name__} {shown[:37]}..."
