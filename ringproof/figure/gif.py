"""The same scene as an animated GIF: what a step has not yet done is faint, and its sends move.

Every frame is cut from one picture by the renderer, so nothing is drawn that the picture does not show.
The extra `gif` brings Pillow.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ringproof.figure import render, timing
from ringproof.figure.facts import sealed
from ringproof.figure.render import Renderer, RenderError
from ringproof.figure.scene import Scene
from ringproof.figure.timing import Course, Field

if TYPE_CHECKING:
    from PIL import Image

WIDE = 960  # pixels, or 144 dots an inch where that is more
FAINT = 0.87  # the share of white in what is still to come
BETWEEN, MOST_FRAMES = 8, 400
FIRST, MOVING, DONE, LAST = 900, 50, 500, 3000  # milliseconds; a GIF counts in tens


def gif(scene: Scene, renderer: Renderer = "bundled") -> bytes:
    """The animation, with the scene's metadata as its comment; errors: `RenderError`.

    The bytes are the same on every run with the same Pillow.
    """
    if not find_spec("PIL"):
        raise RenderError("a GIF needs Pillow: pip install 'ringproof[gif]'")
    from PIL import Image

    dpi = max(144, round(WIDE * 72 / scene.width))
    picture = Image.open(io.BytesIO(render.png(scene, renderer, dpi))).convert("RGBA")
    page = Image.new("RGBA", picture.size, "white")
    page.alpha_composite(picture)
    whole = page.convert("RGB")
    frames, times = zip(*_frames(whole, timing.course(scene)), strict=True)
    buffer = io.BytesIO()
    ink = hashlib.sha256(b"".join(frame.tobytes() for frame in frames)).hexdigest()
    told = json.dumps(sealed({**scene.metadata, "ink": ink}), sort_keys=True, separators=(",", ":"))
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], duration=list(times), loop=0,
                   disposal=1, optimize=False, comment=told.encode("ascii"))  # fmt: skip
    return buffer.getvalue()


def _frames(whole: Image.Image, course: Course) -> Iterator[tuple[Image.Image, int]]:
    """Every frame in the palette that all share, and how long it stands."""
    from PIL import Image

    faint = whole.copy()
    scale = whole.width / course.width
    for field in course.fields:
        box = _pixels((field.left, field.top, field.right, field.bottom), scale)
        part = whole.crop(box)
        faint.paste(Image.blend(part, Image.new("RGB", part.size, "white"), FAINT), box[:2])
    both = Image.new("RGB", (whole.width, whole.height * 2))
    both.paste(whole, (0, 0))
    both.paste(faint, (0, whole.height))
    palette = _palette(both)

    def made(step: int, share: float) -> Image.Image:
        frame = _frame(whole, faint, course, scale, (step, share))
        return frame.quantize(palette=palette, dither=Image.Dither.NONE)

    yield made(0, 0.0), FIRST
    between = max(1, min(BETWEEN, MOST_FRAMES // max(course.steps, 1)))
    for step in range(course.steps):
        for number in range(1, between):
            yield made(step, number / between), MOVING
        yield made(step + 1, 0.0), LAST if step == course.steps - 1 else DONE


def _palette(both: Image.Image) -> Image.Image:
    """Colours for all frames: those that the picture has most of, and paper as white as it is."""
    from PIL import Image

    found = both.quantize(255, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    flat = (found.getpalette() or [])[: 255 * 3]
    colors = [flat[i : i + 3] for i in range(0, len(flat), 3)]
    # What is nearly white would win over white: Pillow looks up colours four at a time.
    clear = [color if min(color) < 248 else [255, 255, 255] for color in colors]
    made = Image.new("P", (1, 1))
    made.putpalette([value for color in [*clear, [255, 255, 255]] for value in color])
    return made


def _frame(
    whole: Image.Image, faint: Image.Image, course: Course, scale: float, when: tuple[int, float]
) -> Image.Image:
    """The picture up to a moment: faint behind it, and the boxes on their way over both."""
    frame = faint.copy()
    step, share = when
    for field in course.fields:
        until = field.left, field.top, field.front(step, share), field.bottom
        left, top, right, bottom = _pixels(until, scale)
        if right > left:
            frame.paste(whole.crop((left, top, right, bottom)), (left, top))
    ways = course.ways.get(step, ())
    if not share or not ways:
        return frame
    limits = _pixels(_limits(course.fields[0]), scale)
    for way in ways:
        x, y = way.at(share)
        left, top, right, bottom = _pixels(way.box, scale)
        margin = round(0.3 * scale)  # the edge of a box stands half its stroke outside
        sprite = whole.crop((left - margin, top - margin, right + margin, bottom + margin))
        corner = round(x * scale - sprite.width / 2), round(y * scale - sprite.height / 2)
        _clipped(frame, sprite, corner, limits)
    return frame


def _clipped(frame: Image.Image, sprite: Image.Image, corner: tuple[int, int], limits: Any) -> None:
    """Paste what of a sprite lies inside: a box leaves through one seam and re-enters through the other."""
    x, y = corner
    up, down = max(y, limits[1]), min(y + sprite.height, limits[3])
    if down > up:
        frame.paste(sprite.crop((0, up - y, sprite.width, down - y)), (x, up))


def _limits(field: Field) -> tuple[float, float, float, float]:
    return field.left, field.top, field.right, field.bottom


def _pixels(box: tuple[float, float, float, float], scale: float) -> tuple[int, int, int, int]:
    left, top, right, bottom = (round(value * scale) for value in box)
    return left, top, right, bottom
