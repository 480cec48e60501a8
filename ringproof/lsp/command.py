"""`ringproof lsp`: a language server over standard input and output."""

from __future__ import annotations

import os
import sys

import click

from ringproof.output import aside
from ringproof.verdict import Exit


@click.command()
@click.option("-N", "ranks", type=click.IntRange(1), default=4, metavar="N",
              help="Ranks that hovers show (default: 4; an editor may set ringproof.N).")  # fmt: skip
def lsp(ranks: int) -> None:
    """Serve an editor: findings as you type, completion, what a key means and a row sends, proved repairs.

    The editor begins it and speaks LSP over standard input and output.  Tables (TOML) and programs (MSCCL
    XML) get the findings of `ringproof check`, with their places; other files are left alone.

    \b
    Neovim 0.11 or later, in init.lua:
      vim.lsp.config("ringproof", { cmd = { "ringproof", "lsp" }, filetypes = { "toml", "xml" },
                                    settings = { ringproof = { N = 4 } } })
      vim.lsp.enable("ringproof")

    \b
    Helix, in languages.toml:
      [language-server.ringproof]
      command = "ringproof"
      args = ["lsp"]
      config = { N = 4 }
      [[language]]
      name = "toml"
      language-servers = ["ringproof", "taplo"]
      [[language]]
      name = "xml"
      language-servers = ["ringproof"]

    \b
    Emacs 30, in init.el, then M-x eglot:
      (with-eval-after-load 'eglot
        (add-to-list 'eglot-server-programs
                     '((conf-toml-mode toml-ts-mode nxml-mode) "ringproof" "lsp")))

    VS Code: an extension that begins any language server, told to run `ringproof lsp` for toml and xml.
    An editor that does not know the virtual environment of ringproof needs the whole path of the command.

    Without this server an editor with taplo (in VS Code: Even Better TOML) completes and explains keys by
    `ringproof schema > schema.json` and a first line `#:schema schema.json`.  On an empty line and in a value
    below `[[phase.send]]` taplo 0.9 fails by any schema: type a letter of the key there.
    """
    raise click.exceptions.Exit(run_lsp(ranks))


def run_lsp(ranks: int) -> int:
    """Serve until the client leaves: 0 after a shutdown, 1 without one, 2 when it speaks no LSP."""
    import logging
    from importlib.util import find_spec

    if find_spec("pygls") is None:
        raise click.UsageError("the language server needs an extra: pip install 'ringproof[lsp]'")
    if sys.stdin is None or sys.stdin.isatty():
        raise click.UsageError("an editor begins this and speaks LSP with it; there is nobody to type it")
    from ringproof.lsp.features import made
    from ringproof.lsp.server import serve
    from ringproof.lsp.wire import Wire

    if not os.environ.get("RINGPROOF_DEBUG"):
        logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
    server, wire = made(ranks), Wire(sys.stdin.buffer)
    serve(server, wire)
    if wire.refused:
        aside(f"the client speaks no LSP: {wire.refused}")
        return Exit.CANNOT_CHECK
    return 0 if server.farewell else 1  # as LSP has it, whatever was found in tables
