"""`ringproof draw`: options -> pictures -> an exit code."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ringproof.figure.upkeep import not_drawn
from ringproof.options import TABLE, ParameterType, written_out
from ringproof.output import aside, reader_may_leave, say
from ringproof.verdict import Exit

if TYPE_CHECKING:
    from ringproof.figure.making import Made
    from ringproof.figure.targets import Target

_OPTION = {"layout": "--layout", "width": "--width", "chunk": "--chunk", "legend": "--legend/--no-legend",
           "renderer": "--renderer"}  # fmt: skip
LEAST_WIDTH, MOST_WIDTH = 120.0, 1440.0


class WidthType(click.ParamType[float]):
    """``1col``, ``2col`` or a number of points."""

    name = "1col|2col|PT"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        if isinstance(value, float):
            return value
        text = str(value).strip()
        if text in ("1col", "2col"):
            return {"1col": 240.0, "2col": 504.0}[text]
        if not re.fullmatch(r"[0-9]+(\.[0-9]+)?(pt)?", text):
            self.fail(f"{text!r} is not 1col, 2col or a number of points", param, ctx)
        points = float(text.removesuffix("pt"))
        if not LEAST_WIDTH <= points <= MOST_WIDTH:
            self.fail(f"{text!r} is not between {LEAST_WIDTH:g} and {MOST_WIDTH:g} points", param, ctx)
        return points


@click.command()
@click.argument("paths", type=TABLE, nargs=-1, required=True, metavar="FILE")
@click.option("-N", "ranks", type=click.IntRange(1), default=None, metavar="N", help="Rank count.")
@click.option("-p", "--param", "params", type=ParameterType(), multiple=True, metavar="NAME=VALUE",
              help="Value of a parameter (default: its first).")  # fmt: skip
@click.option("-o", "--output", "outputs", multiple=True, metavar="FILE",
              help="Write it here; the suffix is the format. May be given several times. A .gif moves; an "
                   ".html plays the steps (up to 16 ranks; no layout or width changes it).")  # fmt: skip
@click.option("--format", "form", default=None,
              type=click.Choice(["svg", "pdf", "png", "dot", "tikz", "gif", "html"]),
              help="For standard output, or whatever the suffix (default: svg).")  # fmt: skip
@click.option("--layout", type=click.Choice(["auto", "token", "vector", "matrix", "life"]), default="auto",
              help="What to draw; what does not fit gives way to the next (default: auto).")  # fmt: skip
@click.option("--width", type=WidthType(), default="1col", help="Of the page (default: 1col, 240 pt).")
@click.option("--chunk", type=click.IntRange(0), default=None, metavar="C", help="Whose life is drawn.")
@click.option("--legend/--no-legend", default=True, help="Say what the ink means (default: yes).")
@click.option("--counterexample", is_flag=True, help="Draw a refuted table, at the smallest wrong N.")
@click.option("--compare", is_flag=True, help="Two FILEs side by side: as circles, and unrolled in time.")
@click.option("--renderer", type=click.Choice(["bundled", "system"]), default="bundled",
              help="Graphviz of the package, or of the system (default: bundled).")  # fmt: skip
def draw(paths: tuple[str, ...], **given: Any) -> None:
    """Draw a schedule over time, once it is proved at that N.

    Exit code 1: the table is refuted, so nothing is drawn and the finding is printed.
    """
    raise click.exceptions.Exit(run_draw(paths, {**given, "given": written_out(given)}))


def run_draw(paths: Sequence[str], given: Mapping[str, Any]) -> Exit:
    """Draw and write everything that is asked, or nothing."""
    from importlib.metadata import version

    from ringproof.figure.grid import NotLegibleError
    from ringproof.figure.making import make
    from ringproof.figure.prepare import CannotDrawError, NotProvedError
    from ringproof.figure.render import RenderError
    from ringproof.figure.story import NotPlayableError
    from ringproof.figure.timing import TimelessError
    from ringproof.outfile import TargetError

    _consistent(paths, given)
    try:
        targets = _targets(paths, given)
        notes = _without_effect(targets, given)
        made = make(paths, given, {target.form for target in targets}, version("ringproof"))
        for note in (*notes, *_no_life(made, given)):
            aside(f"note: {note}")
        return _delivered(made, targets, given)
    except NotProvedError as error:
        return not_drawn(error)
    except NotLegibleError as error:
        told = f"no layout fits {given['width']:g} pt ({error}); try --width 2col or a smaller -N"
        raise click.UsageError(told) from None
    except (CannotDrawError, TargetError, RenderError, TimelessError, NotPlayableError) as error:
        raise click.UsageError(str(error)) from None


def _consistent(paths: Sequence[str], given: Mapping[str, Any]) -> None:
    if len(paths) != (2 if given["compare"] else 1):
        raise click.UsageError("--compare takes two FILEs; without it, draw takes one")
    if given["ranks"] is None and not given["counterexample"]:
        raise click.UsageError("give -N: a picture shows one rank count")
    if given["compare"] and given["counterexample"]:
        raise click.UsageError("--compare draws a wrong table as it is: leave out --counterexample")


def _without_effect(targets: Sequence[Target], given: Mapping[str, Any]) -> list[str]:
    """Options that change nothing in a format; errors: `UsageError` where it is so in all of them."""
    from ringproof.figure.targets import UNCHANGED_BY

    notes = []
    for name in given["given"]:
        there = list(dict.fromkeys(t.form for t in targets if name in UNCHANGED_BY.get(t.form, ())))
        if there:
            told = f"{_OPTION[name]} changes nothing in {' or '.join(there)}"
            if all(target.form in there for target in targets):
                raise click.UsageError(told)
            notes.append(told)
    if "chunk" in given["given"] and given["layout"] in ("token", "vector", "matrix"):
        raise click.UsageError(f"--chunk says whose life is drawn, and --layout {given['layout']} draws none")
    return notes


def _no_life(made: Made, given: Mapping[str, Any]) -> list[str]:
    """Whether a chunk is asked for whose life the picture does not show."""
    if "chunk" not in given["given"] or made.picture is None or "life" in made.picture.layout:
        return []
    return [f"--chunk says whose life is drawn, and {made.picture.layout} draws none"]


def _targets(paths: Sequence[str], given: Mapping[str, Any]) -> list[Target]:
    """Where to write, checked before anything is computed; - is standard output."""
    from ringproof.figure.targets import BINARY, UNFOLDING, target
    from ringproof.outfile import writable

    if given["form"] and len(given["outputs"]) > 1:
        raise click.UsageError("--format is for one -o; with several the suffixes say it")
    form = given["form"]
    targets = [target(path, form or ("svg" if path == "-" else None)) for path in given["outputs"] or ("-",)]
    for found in targets:
        if given["compare"] and found.form in UNFOLDING:
            raise click.UsageError(f"--compare is a still picture: an .svg, not .{found.form}")
        if found.path != "-":
            writable(found.path, paths, f"the picture would overwrite the table {found.path}")
        elif found.form in BINARY and sys.stdout.isatty():
            raise click.UsageError(f"{found.form} is not for a terminal: add -o FILE.{found.form}")
    return targets


def _delivered(made: Made, targets: Sequence[Target], given: Mapping[str, Any]) -> Exit:
    from ringproof.figure.targets import rendered
    from ringproof.outfile import write

    files, said = {}, {}
    for target in targets:
        if target.form == "html":
            files[target.path] = made.page
            said[target.path] = f"{made.title}, step by step"
        elif made.picture:
            scene = made.picture.scene
            files[target.path] = rendered(scene, target.form, given["renderer"])
            said[target.path] = f"{scene.title}, {made.picture.layout}, {scene.width:g} x {scene.height:g} pt"
    printed = files.pop("-", None)
    write(files)
    if made.picture:
        for name, why in made.picture.passed:
            aside(f"note: {name} does not fit, {made.picture.layout} is drawn: {why}")
    if printed is not None:
        with reader_may_leave():
            click.echo(printed, nl=False)
    for path in files:
        say(f"{path}: {said[path]}")
    return Exit.PROVED
