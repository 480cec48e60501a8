"""How wide text is, in Helvetica's metrics, which Arial, Arimo and Liberation Sans share."""

from __future__ import annotations

from typing import Literal

# Thousandths of an em for the characters from blank to tilde (Adobe's Helvetica and Helvetica-Bold AFM).
_REGULAR = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 "
    "556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 "
    "1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 "
    "667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 "
    "333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 "
    "556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
_BOLD = (
    "278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 "
    "556 556 556 556 556 556 556 556 556 556 333 333 584 584 584 611 "
    "975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 "
    "667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556 "
    "333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 "
    "611 611 389 556 333 611 556 778 556 556 500 389 280 389 584"
)
_WIDTHS = {face: tuple(map(int, table.split())) for face, table in (("regular", _REGULAR), ("bold", _BOLD))}


def width_of(text: str, face: Literal["regular", "bold"], size: float) -> float:
    """Width of one run in points; errors: `ValueError` for what is not ASCII."""
    table = _WIDTHS[face]
    if not all(" " <= character <= "~" for character in text):
        raise ValueError(f"not ASCII: {text!r}")
    return sum(table[ord(character) - 32] for character in text) * size / 1000


def ascii_of(text: str) -> str:
    """A name as the figures can print it: what is not ASCII becomes a question mark."""
    return "".join(character if " " <= character <= "~" else "?" for character in text)


def wrapped(text: str, size: float, width: float) -> list[str]:
    """Words on lines of at most ``width`` points; a word too long for a line has one of its own."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, "regular", size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
