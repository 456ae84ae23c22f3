"""Every command that the documentation names exists: its words, its options and their fixed values.

Blocks of `console` are run (`test_examples.py`); these are only read, since most of them need a model, a
server or a study. Read are lines of code, in a fence or indented, and code within a sentence. A word in
capitals stands for one of the reader's own; `a | b` are two commands, `x|y` two words to choose from, and
what stands in `[...]` may be left out.
"""

from __future__ import annotations

import enum
import re
import shlex
import typing
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from judgelab.cli import build
from tests.documentation.pages import DOCS, PAGES, name_of

TOLD = [*PAGES, *sorted((DOCS / "replays").glob("*.md"))]
LINE = re.compile(r"^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\S*/)?(?:python -m )?judgelab +(?=[a-zA-Z])(.*)")
INDENTED = re.compile(r"^ {4,}(\S.*)$", flags=re.MULTILINE)
SPAN = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```\w*[^\n]*\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
# What is said beside a command: after a #, or after a gap.
BESIDE = re.compile(r"(?: {2,}| +#).*$")
PLACEHOLDER = re.compile(r"[A-Z][A-Z_./=,-]*|\.\.\.|…")


def told(text: str) -> list[str]:
    """Return the commands of a page, each without the word `judgelab`."""
    joined = re.sub(r" *\\\n *", " ", text)
    fenced = "\n".join(FENCE.findall(joined)).splitlines()
    prose = FENCE.sub("", joined)
    spans = SPAN.findall(INDENTED.sub("", prose))
    matches = (LINE.match(line) for line in [*fenced, *INDENTED.findall(prose), *spans])
    return [BESIDE.sub("", match[1]) for match in matches if match]


def parts(command: str) -> list[list[str]]:
    """Return the words of each of the commands that a line writes with ` | ` between them."""
    first, *piped = (
        [_bare(word) for word in shlex.split(command_text)] for command_text in command.split(" | ")
    )
    return [first, *([first[0], *words] for words in piped)]


def _bare(word: str) -> str:
    """Return a word without the brackets that say that it may be left out, or may be given again."""
    word = word.removesuffix("...") if word.startswith("[") or word.endswith("]...") else word
    inner = word.removeprefix("[")
    return inner.removesuffix("]") if "[" not in inner else inner


@cache
def _root() -> Any:
    return typer.main.get_command(build([]))


def faults(words: list[str]) -> list[str]:
    """Return what is wrong with a command."""
    command, remaining = _root(), list(words)
    while hasattr(command, "commands"):
        if not remaining or PLACEHOLDER.fullmatch(remaining[0]):
            return []  # `judgelab endpoint` alone, or `judgelab COMMAND --help`
        if remaining[0] not in command.commands:
            return [f"no command {remaining[0]}"]
        command = command.commands[remaining.pop(0)]
    options = {word: param for param in command.params for word in (*param.opts, *param.secondary_opts)}
    problems, values = [], [param for param in command.params if not param.opts[0].startswith("-")]
    free, more = 0, any(value.nargs != 1 for value in values)
    choices: set[str] = set()
    while remaining:
        word = remaining.pop(0)
        if not word.startswith("--"):
            # `--coefficient pearson spearman` gives one option two words.
            free += word not in choices
            continue
        choices = set()
        for name in word.split("|"):
            option = options.get(name)
            if name == "--help":
                continue
            if option is None:
                problems.append(f"no option {name}")
            elif not option.is_flag:
                choices = _choices(option)
                choices_given = remaining.pop(0).split("|") if remaining else []
                problems += [
                    f"{name} cannot be {value}"
                    for value in choices_given
                    if choices and value not in choices and not PLACEHOLDER.fullmatch(value)
                ]
    if free > len(values) and not more and not problems:
        problems.append(f"{free} words where {len(values)} are taken")
    return problems


def _choices(option: Any) -> set[str]:
    kind = option.type_descriptor.annotation
    kinds = [member for member in (*typing.get_args(kind), kind) if isinstance(member, enum.EnumType)]
    words = [word for kind in kinds for word in typing.cast("Any", kind)]
    return {str(word.value) for word in words}


@pytest.mark.parametrize("page", [page for page in TOLD if told(page.read_text("utf-8"))], ids=name_of)
def test_every_command_that_is_named_exists(page: Path) -> None:
    commands = told(page.read_text(encoding="utf-8"))
    assert [
        (line, problems) for line in commands for words in parts(line) if (problems := faults(words))
    ] == []


def test_commands_are_found_wherever_they_stand() -> None:
    page = (
        "Say `judgelab up` first.\n\n    A=b .venv/bin/judgelab agreement x --level item   # so\n"
        "    judgelab project list | show x\n\n"
        '```console\n$ judgelab user add "A B" \\\n    --role owner\n```\n'
        "`judgelab.db` and `judgelab` are no commands.\n"
    )
    assert told(page) == [
        'user add "A B" --role owner',
        "agreement x --level item",
        "project list | show x",
        "up",
    ]
    assert sum(len(told(page.read_text(encoding="utf-8"))) for page in TOLD) > 250


@pytest.mark.parametrize(
    ("line", "problems"),
    [
        ("agrement x", ["no command agrement"]),
        ("project make x", ["no command make"]),
        ("project list | make x", ["no command make"]),
        ("agreement x --levle item", ["no option --levle"]),
        ("agreement x --level items", ["--level cannot be items"]),
        ("agreement x y", ["2 words where 1 are taken"]),
        ("agreement x --coefficient spearman qwk --level LEVEL", []),
        ("means PROJECT JUDGE [--random|--not-random]", []),
        ("means PROJECT JUDGE [--random|--never-random]", ["no option --never-random"]),
        ("more PROJECT A [B] [--claim judges|nobody]", ["--claim cannot be nobody"]),
        ('import x wide.csv --map "score[coherence]=COH"', []),
        ("judge ... --estimate", []),
        ("COMMAND --help", []),
    ],
)
def test_a_wrong_word_is_found(line: str, problems: list[str]) -> None:
    assert [fault for words in parts(line) for fault in faults(words)] == problems
