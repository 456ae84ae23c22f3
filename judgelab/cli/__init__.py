"""The command line, on the same services as the pages (`design/architecture.md`)."""

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

# The commands of each module. Only the one needed is imported: statistics alone take a second to load.
COMMANDS_BY_MODULE = {
    "data": ("import", "export", "project"),
    "analysis": ("agreement",),
    "comparing": ("compare", "means"),
    "planning": ("more",),
    "conflicts": ("conflicts",),
    "work_list": ("work-list", "work-done", "work-answer", "work-reopen"),
    "trusting": ("trust", "choices", "strengths"),
    "study": ("study",),
    "study_figures": ("spread", "case"),
    "grids": ("grid",),
    "patterns": ("patterns",),
    "raters": ("raters",),
    "answers": ("answers",),
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
    "demo": ("demo",),
    "people": ("user", "invite"),
    "inviting": ("invite-all", "remind"),
    "study_links": ("study-link",),
    "selftest": ("selftest",),
    "system": ("up", "worker", "migrate", "doctor"),
    "backups": ("backup", "restore"),
}


def _print_version(requested: bool) -> None:
    if requested:
        from judgelab.runs.plan.code_version import code_version

        print(f"judgelab {code_version()}")
        raise typer.Exit


def _root_options(
    _version: Annotated[
        bool,
        typer.Option(VERSION, help="Print the version and exit.", is_eager=True, callback=_print_version),
    ] = False,
) -> None:
    """Before any command."""


def build(words: Sequence[str]) -> typer.Typer:
    """Return the command line for `words`: with the one command they name, or with all of them."""
    app = typer.Typer(
        name="judgelab",
        help="Can this LLM judge be trusted in place of my human raters?",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    app.callback()(_root_options)  # without a callback Typer makes a lone command the whole program
    if words and words[0] == VERSION:
        return app
    modules = [name for name, commands in COMMANDS_BY_MODULE.items() if words and words[0] in commands]
    with startup.without_gc():
        for name in modules or COMMANDS_BY_MODULE:
            importlib.import_module(f"judgelab.cli.{name}").register(app)
    return app


def _report_error(message: str) -> int:
    """Print why nothing was done, also as JSON if the command was asked for it; return the exit code."""
    if JSON in sys.argv[1:]:
        shared.emit({"error": message}, as_json=True, text="")
    shared.say(message)
    return shared.USER_MISTAKE


def main() -> None:
    """Run one command and exit: 0 done, 1 the user's mistake, 2 incomplete, 3 an error of JudgeLab."""
    try:
        logs.set_up()
        code = build(sys.argv[1:])(standalone_mode=False)
    except UserError as error:
        code = _report_error(str(error))
    except typer.TyperException as error:
        code = _report_error(error.format_message())
    except (typer.Abort, KeyboardInterrupt):
        print("Stopped.", file=sys.stderr)
        code = 1
    except Exception:
        error_id = logs.new_error_id()
        log.exception("error %s", error_id, extra={"error_id": error_id})
        print(
            f"Internal error in JudgeLab; see the log above (error {error_id}).",
            file=sys.stderr,
        )
        code = 3
    raise SystemExit(code if isinstance(code, int) else 0)
