"""The command line: the same services as the pages (`design/architecture.md`)."""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from judgelab import logs, startup
from judgelab.cli import shared
from judgelab.errors import UserError

log = logging.getLogger("judgelab.cli")
VERSION, JSON = "--version", "--json"

# Which module holds a command: only that one is imported, because statistics alone take a second to load.
MODULES = {
    "data": ("import", "export", "project"),
    "analysis": ("agreement",),
    "comparing": ("compare", "means", "more"),
    "trusting": ("trust", "strengths"),
    "study": ("study",),
    "study_figures": ("spread", "case"),
    "grids": ("grid",),
    "patterns": ("patterns",),
    "raters": ("raters",),
    "report": ("report", "share"),
    "quality": ("quality", "degrade"),
    "scoring": ("score",),
    "learning": ("learn", "propose"),
    "endpoints": ("endpoint",),
    "judging": ("judge", "runs", "run"),
    "juries": ("jury",),
    "preparing": ("prepare",),
    "judgments": ("judgment",),
    "templates": ("template",),
    "evaluate": ("eval",),
    "injection": ("injection",),
    "tags": ("tags", "tag"),
    "reply_cache": ("cache",),
    "serving": ("up", "worker"),
    "demo": ("demo",),
    "people": ("user", "invite"),
    "study_links": ("study-link",),
    "selftest": ("selftest",),
    "system": ("migrate", "doctor"),
    "backups": ("backup", "restore"),
}


def _say_version(asked: bool) -> None:
    if asked:
        from judgelab.runs.plan.code_version import code_version

        print(f"judgelab {code_version()}")
        raise typer.Exit


def _whole(
    _version: Annotated[
        bool, typer.Option(VERSION, help="Print the version and exit.", is_eager=True, callback=_say_version)
    ] = False,
) -> None:
    """Before any command."""


def build(words: Sequence[str]) -> typer.Typer:
    """Return the command line that understands `words`: with one command, or with all to list them."""
    app = typer.Typer(
        name="judgelab",
        help="Can this LLM judge be trusted in place of my human raters?",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    app.callback()(_whole)  # without it Typer takes a lone command for the whole program
    if words and words[0] == VERSION:
        return app
    owner = [name for name, commands in MODULES.items() if words and words[0] in commands]
    with startup.without_gc():
        for name in owner or MODULES:
            importlib.import_module(f"judgelab.cli.{name}").register(app)
    return app


def _refused(why: str) -> int:
    """Say why nothing was done, also as JSON where the command was to print that; return the exit code."""
    if JSON in sys.argv[1:]:
        shared.emit({"error": why}, as_json=True, text="")
    shared.say(why)
    return 1


def main() -> None:
    """Run one command; exit 0 done, 1 the user's mistake, 2 something left unscored or failed, 3 ours."""
    try:
        logs.set_up()
        code = build(sys.argv[1:])(standalone_mode=False)
    except UserError as error:
        code = _refused(str(error))
    except typer.TyperException as error:
        code = _refused(error.format_message())
    except (typer.Abort, KeyboardInterrupt):
        print("Stopped.", file=sys.stderr)
        code = 1
    except Exception:
        error_id = logs.new_error_id()
        log.exception("error %s", error_id, extra={"error_id": error_id})
        print(
            f"Something went wrong inside JudgeLab; the log above says what (error {error_id}).",
            file=sys.stderr,
        )
        code = 3
    raise SystemExit(code if isinstance(code, int) else 0)
