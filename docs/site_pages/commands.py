"""Reference of the command line, read off the commands themselves."""

from __future__ import annotations

from typing import Any

import typer

from docs.site_pages.markdown import code, page, table
from judgelab.cli import build


def commands_page() -> str:
    """Return every command with its arguments, options and defaults."""
    root = typer.main.get_command(build([]))
    found = sorted(_leaves(root.commands, ""))
    head = table(
        ["command", "what it does"],
        ((f"[`judgelab {name}`](#{_anchor(name)})", _first(command.help)) for name, command in found),
    )
    return page(
        "# Command line",
        "`python -m judgelab` is the same. Exit codes: 0 done, 1 your mistake (one sentence on stderr), "
        "2 something was left unscored or failed, 3 ours.",
        head,
        *(_command(name, command) for name, command in found),
    )


def _leaves(commands: dict[str, Any], before: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, command in commands.items():
        whole = f"{before} {name}".strip()
        inner = getattr(command, "commands", None)
        found += _leaves(inner, whole) if inner else [(whole, command)]
    return found


def _anchor(name: str) -> str:
    return f"judgelab-{name.replace(' ', '-')}"


def _first(text: str | None) -> str:
    return (text or "").strip().split("\n\n")[0]


def _command(name: str, command: Any) -> str:
    arguments = [one for one in command.params if not one.opts[0].startswith("-")]
    options = [one for one in command.params if one.opts[0].startswith("-") and not one.hidden]
    words = " ".join(one.name.upper() if one.required else f"[{one.name.upper()}]" for one in arguments)
    return page(
        f"## judgelab {name} {{ #{_anchor(name)} }}",
        f"    judgelab {name} {words}".rstrip(),
        (command.help or "").strip(),
        table(
            ["argument", "meaning"],
            ((code(one.name.upper()), one.help or "") for one in arguments if one.help),
        ),
        table(
            ["option", "default", "meaning"],
            ((_words(one), _default(one), one.help or "") for one in options),
        ),
    )


def _words(option: Any) -> str:
    return " ".join(code(word) for word in [*option.opts, *option.secondary_opts])


def _default(option: Any) -> str:
    value = option.default
    if isinstance(value, bool):
        return "yes" if value else ""
    return "" if value in (None, "", 0) or callable(value) or value == [] else code(value)
