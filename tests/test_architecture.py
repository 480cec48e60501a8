"""The house rules that a machine can hold: which way imports point, and what code may not do.

Every rule is a function from source text to complaints, so that each is also shown to complain.
"""

from __future__ import annotations

import ast
import fnmatch
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import HOME

PACKAGE = HOME / "ringproof"
if not PACKAGE.is_dir():
    pytest.skip("reads the sources, and only the installed package is here", allow_module_level=True)
MODULES = {
    ".".join(path.relative_to(HOME).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def broken(rule: Callable[[str, str], list[str]]) -> dict[str, list[str]]:
    """What breaks a rule in every module: one test for a rule, since a test for each module took longer."""
    return {module: found for module in MODULES if (found := rule(module, text_of(module)))}


def text_of(module: str) -> str:
    return MODULES[module].read_text(encoding="utf-8")


# ---- imports ------------------------------------------------------------------------------------

# From what everyone may use to what nobody may use.  A module imports from its own line or a line
# above it.  Rooms that a line names together are apart: the two engines do not know each other.
LAYERS = (
    ("ringproof.errors",),
    ("ringproof.turn",),
    ("ringproof.verdict", "ringproof.codes", "ringproof.version"),
    ("ringproof.wording", "ringproof.textfile", "ringproof.outfile"),
    ("ringproof.arguments",),
    ("ringproof.table.tree", "ringproof.table.misread", "ringproof.table.syntax",
     "ringproof.table.written"),
    ("ringproof.table.expr", "ringproof.table.source"),
    ("ringproof.collective",),
    ("ringproof.table",),
    ("ringproof.problem",),
    ("ringproof.contract", "ringproof.cells"),
    ("ringproof.compose",),
    ("ringproof.events",),
    ("ringproof.simulate", "ringproof.proof", "ringproof.program"),
    ("ringproof.cost.values", "ringproof.cost.best"),
    ("ringproof.cost.bounds", "ringproof.cost.counts"),
    ("ringproof.cost.optimal",),
    ("ringproof.assess",),
    ("ringproof.diagnose",),
    ("ringproof.figure",),
    ("ringproof.counted",),
    ("ringproof.results", "ringproof.cost", "ringproof.beyond", "ringproof.program_results"),
    ("ringproof.check", "ringproof.check_program"),
    ("ringproof.weigh", "ringproof.bound.values", "ringproof.bound"),
    ("ringproof.bound.table",),
    ("ringproof.bound.report",),
    ("ringproof.report",),
    ("ringproof.options", "ringproof.output", "ringproof.interrupt"),
    ("ringproof.inputs",),
    ("ringproof.applies",),
    ("ringproof.executors.task", "ringproof.executors.progress"),
    ("ringproof.executors.shares", "ringproof.executors.worker"),
    ("ringproof.executors.connection",),
    ("ringproof.executors",),
    ("ringproof.tell",),
    ("ringproof.run", "ringproof.trace", "ringproof.fuzz", "ringproof.published"),
    ("ringproof.certify.folder", "ringproof.tables"),
    ("ringproof.figure.prepare",),
    ("ringproof.figure.compare", "ringproof.figure.chart", "ringproof.figure.film",
     "ringproof.figure.origin"),
    ("ringproof.figure.gallery", "ringproof.figure.making"),
    ("ringproof.figure.upkeep",),
    ("ringproof.cost.command", "ringproof.bound.command", "ringproof.certify", "ringproof.figure.command",
     "ringproof.convert"),
    ("ringproof.api", "ringproof.pictures", "ringproof.strategies", "ringproof.lsp"),
    ("ringproof.testing",),
    ("ringproof.cli",),
    ("ringproof.__main__", "ringproof"),
)
# Where a library may be imported; what is not listed may be imported anywhere.
ONLY_IN = {
    "z3": ("ringproof.proof",),
    "tomllib": ("ringproof.table.source",),
    "tree_sitter": ("ringproof.table.source",),
    "tree_sitter_toml": ("ringproof.table.source",),
    "graphviz": ("ringproof.figure",),
    "hypothesis": ("ringproof.strategies",),
    "reportlab": ("ringproof.figure.pdf",),
    "fontTools": ("ringproof.figure.pdf",),
    "fontpkg_arimo": ("ringproof.figure.pdf",),
    "matplotlib": ("ringproof.figure.chart",),
    "PIL": ("ringproof.figure.gif",),
    "click": ("ringproof.cli", "ringproof.options", "ringproof.output", "ringproof.inputs",
              "ringproof.applies", "ringproof.run", "ringproof.tell",
              "ringproof.trace", "ringproof.fuzz", "ringproof.published", "ringproof.cost.command",
              "ringproof.bound.command", "ringproof.certify.command", "ringproof.figure.command",
              "ringproof.figure.upkeep", "ringproof.convert.command", "ringproof.lsp.command",
              "ringproof.report.text"),
    "distributed": ("ringproof.executors.cluster", "ringproof.executors.connection",
                    "ringproof.executors.shares"),
    "dask": ("ringproof.executors.connection",),
    "pygls": ("ringproof.lsp",),
    "lsprotocol": ("ringproof.lsp",),
}  # fmt: skip
# Where it may not, because these speak about values, start fast, or wait for what is slow.
NOT_IN = {
    "numpy": ("ringproof.cli", "ringproof.verdict", "ringproof.wording", "ringproof.codes",
              "ringproof.textfile", "ringproof.table.source", "ringproof.check", "ringproof.report",
              "ringproof.run"),
}  # fmt: skip
REPORT_MAY_USE = ("ringproof.verdict", "ringproof.wording", "ringproof.codes", "ringproof.report",
                  "ringproof.table.source", "ringproof.table.written", "ringproof.version",
                  "ringproof.cost.values", "ringproof.cost.units")  # fmt: skip
# Two places turn back: a table that is used by another is unrolled as any table is, and a size at which
# an induction fails is replayed before it is believed.
TURNS_BACK = {
    ("ringproof.compose", "ringproof.events"),
    ("ringproof.proof.every_n.replay", "ringproof.simulate"),
    ("ringproof.proof.every_n.replay", "ringproof.assess"),
}


class Import(NamedTuple):
    """``module`` as it is named in full; ``typing``: only under TYPE_CHECKING."""

    module: str
    typing: bool


def inside(module: str, room: str) -> bool:
    return module == room or module.startswith(room + ".")


def imports(text: str, known: Iterable[str] = ()) -> Iterator[Import]:
    """Every import of a source text, lazy ones too; ``from a import b`` of a known a.b is a.b."""

    def visit(node: ast.AST, typing: bool) -> Iterator[Import]:
        typing = typing or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        if isinstance(node, ast.Import):
            yield from (Import(name.name, typing) for name in node.names)
        if isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for name in node.names:
                whole = f"{base}.{name.name}"
                yield Import(whole if whole in known else base, typing)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, typing)

    yield from visit(ast.parse(text), False)


def layer(module: str) -> tuple[int, str]:
    """The line a module is on, and the longest room there that it belongs to."""
    rooms = [(i, room) for i, line in enumerate(LAYERS) for room in line
             if (inside(module, room) if room != "ringproof" else module == room)]  # fmt: skip
    if not rooms:
        raise LookupError(f"{module} has no place in LAYERS")
    return max(rooms, key=lambda found: len(found[1]))


def upward(module: str, text: str) -> list[str]:
    """Imports that point against the flow of data, or from one engine to the other."""
    here, room = layer(module)
    found = []
    for target, typing in imports(text, MODULES):
        if not inside(target, "ringproof") or typing or (module, target) in TURNS_BACK:
            continue
        there, other = layer(target)
        if there > here or (there == here and other != room):
            found.append(f"{module} imports {target}")
    return found


def out_of_place(module: str, text: str) -> list[str]:
    """Imports of a library outside the rooms it belongs in."""
    found = []
    for target, typing in imports(text):
        library = target.partition(".")[0]
        allowed, refused = ONLY_IN.get(library, ("ringproof",)), NOT_IN.get(library, ())
        stays = any(inside(module, room) for room in allowed)
        if not typing and (not stays or any(inside(module, room) for room in refused)):
            found.append(f"{module} imports {target}")
    return found


def test_imports_point_one_way() -> None:
    assert broken(upward) == {}


def test_libraries_stay_in_their_rooms() -> None:
    assert broken(out_of_place) == {}


@pytest.mark.parametrize("module", [m for m in MODULES if inside(m, "ringproof.report")])
def test_a_report_is_made_from_values_alone(module: str) -> None:
    for target, _ in imports(text_of(module), MODULES):
        if inside(target, "ringproof"):
            assert any(inside(target, room) for room in REPORT_MAY_USE), target


def test_what_the_import_rules_refuse() -> None:
    assert upward("ringproof.events", "from ringproof import check")
    assert upward("ringproof.events", "def f():\n    from ringproof.simulate import simulate")
    assert upward("ringproof.simulate.state", "import ringproof.proof.units")
    assert upward("ringproof.proof.units", "from ringproof.simulate.state import replay")
    assert upward("ringproof.table.expr", "from ringproof.table.schedule import Row")
    assert upward("ringproof.diagnose.meaning", "from ringproof.report import text")
    assert not upward("ringproof.proof.smt", "from ringproof.proof.units import Unit")
    assert not upward("ringproof.results", "if TYPE_CHECKING:\n    from ringproof.check import Options")
    assert not upward("ringproof.table.reader", "from ringproof.table import fields\nimport ast")
    assert out_of_place("ringproof.assess", "def f():\n    import z3")
    assert out_of_place("ringproof.table.reader", "from tomllib import loads")
    assert out_of_place("ringproof.report.snippet", "import click")
    assert out_of_place("ringproof.verdict", "import numpy as np")
    assert not out_of_place("ringproof.proof.bounded", "import z3, numpy.linalg")
    with pytest.raises(LookupError):
        upward("ringproof.invented", "")


# ---- what code may not do -----------------------------------------------------------------------

LONGEST_FUNCTION = 50
LONGEST_MODULE = 260
LONGER = {"ringproof.codes": 2000, "ringproof.table.source": 300}  # a flat catalogue; one grammar
_CHANGING = {"append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "clear",
             "remove", "discard", "sort", "reverse", "appendleft"}  # fmt: skip
_KEEPING = {"cache", "lru_cache", "cached_property"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def forbidden(text: str) -> list[str]:
    """Statements that the house rules exclude, as ``line: what``."""
    found = []
    for node in ast.walk(ast.parse(text)):
        what = ""
        match node:
            case ast.ImportFrom(names=[ast.alias(name="*")]):
                what = "import *"
            case ast.ImportFrom(level=level) if level:
                what = "a relative import"
            case ast.ExceptHandler(type=None):
                what = "a bare except"
            case ast.ExceptHandler(type=ast.Name(id="BaseException")):
                what = "a bare except by another name"
            case ast.Assert():
                what = "assert"
            case ast.Global():
                what = "global"
            case ast.With() if "reader_may_leave()" in map(ast.unparse, node.items):
                if any(isinstance(inner, ast.Return) for inner in ast.walk(node)):
                    what = "a verdict that hangs on who reads"
        if what:
            found.append(f"{getattr(node, 'lineno', 0)}: {what}")
    return found


def functions(text: str) -> Iterator[tuple[str, Function]]:
    """Every function with its dotted name."""

    def visit(node: ast.AST, name: str) -> Iterator[tuple[str, Function]]:
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, Function | ast.ClassDef):
                inner = f"{name}.{child.name}".lstrip(".")
            if isinstance(child, Function):
                yield inner, child
            yield from visit(child, inner)

    yield from visit(ast.parse(text), "")


def too_long(text: str) -> list[str]:
    """Functions that do not fit on one screen."""
    return [
        f"{name}: {lines} lines" for name, node in functions(text)
        if (lines := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION
    ]  # fmt: skip


def long_module(module: str, text: str) -> list[str]:
    """A module that does not fit in one sitting."""
    lines, most = len(text.splitlines()), LONGER.get(module, LONGEST_MODULE)
    return [f"{module}: {lines} lines, {most} at most"] if lines > most else []


def _is_boolean(argument: ast.arg, default: ast.expr | None) -> bool:
    kind = ast.unparse(argument.annotation) if argument.annotation else ""
    says_so = re.sub(r"[ '\"]|None|Optional|[|\[\]]", "", kind) == "bool"
    return says_so or (isinstance(default, ast.Constant) and isinstance(default.value, bool))


def boolean_parameters(text: str) -> list[str]:
    """Boolean parameters of public functions; of a command line, click passes them on."""
    found = []
    for name, node in functions(text):
        public = not any(part.startswith("_") for part in name.split("."))
        command = any("command" in ast.unparse(mark) for mark in node.decorator_list)
        a = node.args
        positional = [*a.posonlyargs, *a.args]
        defaults = [*[None] * (len(positional) - len(a.defaults)), *a.defaults]
        pairs = [*zip(positional, defaults, strict=True), *zip(a.kwonlyargs, a.kw_defaults, strict=True)]
        if public and not command:
            found += [f"{name}({arg.arg})" for arg, default in pairs if _is_boolean(arg, default)]
    return found


def changed_state(text: str) -> list[str]:
    """Module-level names that something changes later, and functions that remember."""
    tree = ast.parse(text)
    names = {
        target.id
        for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }  # fmt: skip
    found = [f"{name} remembers" for name, node in functions(text) for mark in node.decorator_list
             if ast.unparse(mark).partition("(")[0].rpartition(".")[2] in _KEEPING]  # fmt: skip
    for name, function in functions(text):
        local = {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}
        local |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and _stores(n)}
        for node in ast.walk(function):
            if (changed := _changed(node)) in names - local:
                found.append(f"{name} changes {changed}")
    return found


def _stores(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _changed(node: ast.AST) -> str:
    """The name whose value a statement changes in place, if it does."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name
        case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in _CHANGING:
            return name
    return ""


def undocumented(text: str) -> list[str]:
    """A module that does not say what it is for."""
    return [] if not text or ast.get_docstring(ast.parse(text)) else ["no docstring"]


def test_nothing_forbidden_stands_in_the_code() -> None:
    assert broken(lambda _, text: forbidden(text)) == {}


def test_a_module_fits_in_one_sitting() -> None:
    assert broken(long_module) == {}


def test_a_function_fits_on_one_screen() -> None:
    assert broken(lambda _, text: too_long(text)) == {}


def test_no_public_function_takes_a_boolean() -> None:
    assert broken(lambda _, text: boolean_parameters(text)) == {}


def test_nothing_at_module_level_changes() -> None:
    assert broken(lambda _, text: changed_state(text)) == {}


def test_a_module_says_what_it_is_for() -> None:
    assert broken(lambda _, text: undocumented(text)) == {}


def test_what_the_code_rules_refuse() -> None:
    assert forbidden("from os import *") == ["1: import *"]
    assert forbidden("from . import check") == ["1: a relative import"]
    assert forbidden("try:\n    f()\nexcept:\n    pass") == ["3: a bare except"]
    assert forbidden("try:\n    f()\nexcept BaseException:\n    pass")
    assert forbidden("assert x") == ["1: assert"]
    assert forbidden("def f():\n    global x") == ["2: global"]
    assert forbidden("def f():\n    with a, reader_may_leave():\n        return 1") != []
    assert forbidden("def f():\n    with reader_may_leave():\n        g()\n    return 1") == []
    assert forbidden("try:\n    f()\nexcept (OSError, KeyError):\n    raise") == []
    assert too_long("def f():\n" + "    x = 1\n" * 50) == ["f: 51 lines"]
    assert too_long("class A:\n  def f(self):\n" + "    x = 1\n" * 50) == ["A.f: 51 lines"]
    assert too_long("def f():\n" + "    x = 1\n" * 49) == []
    assert long_module("ringproof.events", "x = 1\n" * 261)
    assert long_module("ringproof.table.source", "x = 1\n" * 301)
    assert not long_module("ringproof.events", "x = 1\n" * 260)
    assert undocumented("x = 1")
    assert not undocumented('"""Does this."""\nx = 1')


def test_what_the_boolean_rule_refuses() -> None:
    assert boolean_parameters("def f(a: bool): ...") == ["f(a)"]
    assert boolean_parameters("def f(a: 'bool | None' = None): ...") == ["f(a)"]
    assert boolean_parameters("def f(*, a=False): ...") == ["f(a)"]
    assert boolean_parameters("class A:\n  def f(self, b, a: Optional[bool] = None): ...") == ["A.f(a)"]
    assert boolean_parameters("def _f(a: bool): ...\nclass _A:\n  def f(self, a=True): ...") == []
    assert boolean_parameters("def f(a: int | bool, b: int = 0) -> bool: ...") == []
    assert boolean_parameters("@cli.command()\ndef f(a: bool): ...") == []


def test_what_the_state_rule_refuses() -> None:
    assert changed_state("K = {}\ndef f():\n    K[1] = 2") == ["f changes K"]
    assert changed_state("K: list[int] = []\ndef f():\n    K.append(2)") == ["f changes K"]
    assert changed_state("K = A()\ndef f():\n    K.x = 2") == ["f changes K"]
    assert changed_state("@functools.lru_cache(maxsize=None)\ndef f(): ...") == ["f remembers"]
    assert changed_state("K = {}\ndef f():\n    K = []\n    K.append(1)\n    return K") == []
    assert changed_state("K = {1: 2}\ndef f():\n    return K[1], K.get(2)") == []


# ---- what lies where ----------------------------------------------------------------------------

TOP = {"CHANGELOG.md", "LICENSE", "README.md", "figures", "pyproject.toml", "ringproof", "schedules", "tests"}
_ABSOLUTE = re.compile(r"(?<![\w.:/-])/(?:home|Users|root|work|tmp|mnt|opt)/\w|\b[A-Z]:\\+Users")
_BINARY = {".pdf", ".png", ".gz", ".ico"}


def committed() -> list[Path]:
    """The files of the repository: those git knows or would add, else all that .gitignore leaves."""
    if (HOME / ".git").exists():
        command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"]
        told = subprocess.run(command, cwd=HOME, capture_output=True, check=False)
        if told.returncode == 0:
            names = [name for name in told.stdout.decode().split("\0") if name]
            return [HOME / name for name in names if (HOME / name).is_file()]
    ignored = [line.rstrip("/") for line in (HOME / ".gitignore").read_text().split()]
    return [
        path for path in sorted(HOME.rglob("*")) if path.is_file() and not any(
            fnmatch.fnmatch(part, pattern) for part in path.relative_to(HOME).parts for pattern in ignored
        )
    ]  # fmt: skip


def absolute_paths(text: str) -> list[str]:
    """Lines that name a place on one machine."""
    return [line.strip() for line in text.splitlines() if _ABSOLUTE.search(line)]


def strangers(names: Iterable[str]) -> set[str]:
    """What does not belong at the top of the repository."""
    return {name for name in names if name not in TOP and not name.startswith(".")}


def test_the_top_level_is_as_agreed() -> None:
    names = {path.relative_to(HOME).parts[0] for path in committed()}
    assert strangers(names) == set()
    assert names >= TOP


def test_no_file_names_a_place_on_one_machine() -> None:
    for path in committed():
        if path.suffix not in _BINARY:
            assert absolute_paths(path.read_text(encoding="utf-8")) == [], path


def test_every_wrong_table_has_its_report_beside_it() -> None:
    folder = HOME / "tests" / "wrong"
    assert {p.stem for p in folder.glob("*.toml")} == {p.stem for p in folder.glob("*.txt")}


def test_what_the_place_rules_refuse() -> None:
    assert absolute_paths("path = '" + "/home" + "/me/ring.toml'")
    assert absolute_paths("see " + "/work" + "/main")
    assert absolute_paths("C:" + "\\Users")
    assert not absolute_paths("#!/usr/bin/env bash\nhttps://x.org/home/a\n../work/a /dev/null")
    assert strangers(["setup.py", "README.md", ".ci", "tests"]) == {"setup.py"}


# ---- what starts fast ---------------------------------------------------------------------------


def imported_by(*arguments: str) -> set[str]:
    """Every module that a command line imports, in a process of its own."""
    command = [sys.executable, "-X", "importtime", "-m", "ringproof", *arguments]
    told = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=False)
    lines = [line for line in told.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


def test_help_imports_nothing_heavy() -> None:
    modules = imported_by("--help")
    assert "ringproof.cli" in modules
    heavy = {"z3", "numpy", "rich", "graphviz", "tree_sitter", "tomllib", "hypothesis",
             "pygls", "distributed", "logging", "asyncio"}
    assert modules & heavy == set()


def test_a_table_that_is_proved_is_never_asked_for_positions() -> None:
    modules = imported_by("check", "-N", "2", "schedules/ring.toml")
    assert {"z3", "numpy"} <= modules
    assert modules & {"tree_sitter", "tree_sitter_toml", "rich", "graphviz"} == set()
