"""Colours and the sizes of type and strokes, all of them in one place."""

from __future__ import annotations

from math import floor

WHITE, BLACK = "#FFFFFF", "#000000"
# The first four keep apart under deutan, protan and tritan simulation, and in grey.
CHUNKS = ("#2776B1", "#C48927", "#9D1462", "#273B00", "#4E9D76", "#003B9D", "#006214", "#62003B")
SEVERAL = "#4A4A4A"
BAND = "#F1F1F1"
GREY, GREY_TEXT, GREY_MORE = "#B4B4B4", "#666666", "#5A5A5A"
HISTORY = "#0B3C7D"
VIOLATION, MISSING = "#C8102E", "#F6C8D0"
QUIET = "#555555"  # step numbers and axes
RULE = "#CFCFCF"  # the lane of a rank
SEAM = "#969696"
LIFE = ("#E8F0F8", "#2776B1", "#17304A")  # fewest parts, most parts, all of them
VIRIDIS = (
    (68, 1, 84), (72, 40, 120), (62, 74, 137), (49, 104, 142), (38, 130, 142),
    (31, 158, 137), (53, 183, 121), (110, 206, 88), (181, 222, 43), (253, 231, 37),
)  # fmt: skip
VIRIDIS_END = 0.92
LABEL, SMALL, FLOOR = 7.0, 6.5, 6.0


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _color(channels: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{max(0, min(255, floor(value + 0.5))):02X}" for value in channels)


def mixed(color: str, other: str, share: float) -> str:
    """``color`` with ``share`` of another in it."""
    a, b = _channels(color), _channels(other)
    r, g, b_ = (x + (y - x) * share for x, y in zip(a, b, strict=True))
    return _color((r, g, b_))


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2 defines it, 0 to 1."""
    linear = [
        v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4
        for v in (c / 255 for c in _channels(color))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    """Contrast of two colours as WCAG 2 defines it, 1 to 21."""
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def ink_on(color: str) -> str:
    """Black or white, whichever contrasts more."""
    return max((BLACK, WHITE), key=lambda ink: contrast(ink, color))


def chunk_color(chunk: int) -> str:
    """The colour of a chunk; its printed label says what the colour repeats."""
    return CHUNKS[chunk % len(CHUNKS)]


def viridis(share: float) -> str:
    """A colour of the map, for a share of 0 to 1 of the part of it that is used."""
    at = share * VIRIDIS_END * (len(VIRIDIS) - 1)
    low = min(int(at), len(VIRIDIS) - 2)
    r, g, b = (x + (y - x) * (at - low) for x, y in zip(VIRIDIS[low], VIRIDIS[low + 1], strict=True))
    return _color((r, g, b))
