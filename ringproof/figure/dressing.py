"""Graphviz's SVG as it is kept: what it says of itself goes in, what says nothing goes out, no ink changes.

Out: prolog, comments, titles, groups round a single shape, names that no one gave, attributes that
repeat what would be drawn anyhow.  It halves a file.
"""

from __future__ import annotations

import hashlib
import html
import json
import re

from ringproof.figure.facts import sealed
from ringproof.figure.scene import Scene

FONTS = "Arial, Arimo, 'Liberation Sans', Helvetica, sans-serif"
_NOISE = re.compile(r"<!--.*?-->\n?|<title>[^<]*</title>\n|<path [^>]*stroke-width=\"0\"[^>]*/>\n", re.DOTALL)
_SINGLE = re.compile(
    r'<g id="([^"]*)" class="(?:node|edge)(?: ([^"]*))?">\n'
    r"<(polygon|path|ellipse|text)( [^>]*?)(/>|>[^<]*</text>)\n</g>\n"
)
_CLOSED = re.compile(r' points="(\S+)( [^"]*) \1"')
_THIN = re.compile(r' stroke="[^"]*" stroke-width="0"')
_BARE = (' stroke="transparent"', ' stroke="none"', ' xml:space="preserve"',
         ' font-family="Arial"')  # fmt: skip
_XLINK = ' xmlns:xlink="http://www.w3.org/1999/xlink"'


def dressed(text: str, scene: Scene) -> str:
    """The file as it is kept: title, description, sealed metadata, role and fonts, then the same ink."""
    body = _THIN.sub("", _NOISE.sub("", text[text.index("<svg") :]))
    for bare in _BARE:
        body = body.replace(bare, "")
    body = _CLOSED.sub(r' points="\1\2"', _SINGLE.sub(_alone, body))
    body = body.replace(' class="graph"', f' class="graph" font-family="{FONTS}"', 1)
    head, _, rest = body.replace(_XLINK, "", 1).partition(">\n")
    metadata = sealed({**scene.metadata, "ink": hashlib.sha256(rest.encode("utf-8")).hexdigest()})
    facts = html.escape(
        json.dumps(metadata, sort_keys=True, separators=(",", ":"), ensure_ascii=True), quote=False
    )
    title, description = (html.escape(text, quote=False) for text in (scene.title, scene.description))
    told = f"<title>{title}</title>\n<desc>{description}</desc>\n"
    return f'{head} role="img">\n{told}<metadata>{facts}</metadata>\n{rest}'


def _alone(group: re.Match[str]) -> str:
    """A shape with the name and the class of the group that it had to itself; without, if nobody named it."""
    name, kind, tag, attributes, end = group.groups()
    named = "" if re.fullmatch(r"i\d+", name) else f' id="{name}"' + (f' class="{kind}"' if kind else "")
    return f"<{tag}{named}{attributes}{end}\n"
