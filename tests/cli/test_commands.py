"""The commands of the command line: pinned, each in the module that the table names."""

from __future__ import annotations

import pkgutil
from pathlib import Path

import pytest
import typer.main

import judgelab.cli
from judgelab.cli import COMMANDS_BY_MODULE, build
from judgelab.runs.plan.code_version import code_version
from tests.command import judgelab_process


def _commands(words: list[str]) -> set[str]:
    return set(typer.main.get_command(build(words)).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("module", COMMANDS_BY_MODULE)
def test_a_module_adds_exactly_the_commands_of_the_table(module: str) -> None:
    for command in COMMANDS_BY_MODULE[module]:
        assert _commands([command]) == set(COMMANDS_BY_MODULE[module])


def test_every_module_is_in_the_table() -> None:
    modules = {m.name for m in pkgutil.iter_modules(judgelab.cli.__path__)}
    parts = {"criteria", "images", "quality_text", "run_text", "spending", "unscored", "work"}
    assert modules - {"shared", *parts} == set(COMMANDS_BY_MODULE)


def test_without_a_known_word_all_commands_are_listed() -> None:
    assert _commands([]) == {command for commands in COMMANDS_BY_MODULE.values() for command in commands}


def test_an_unknown_command_is_the_users_mistake(tmp_path: Path) -> None:
    result = judgelab_process(f"sqlite:///{tmp_path / 'a.db'}", "agreemnt")
    assert result.returncode == 1 and "No such command 'agreemnt'" in result.stderr


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    result = judgelab_process(f"sqlite:///{tmp_path / 'a.db'}", "--version")
    assert (result.returncode, result.stdout) == (0, f"judgelab {code_version()}\n")
    assert not list(tmp_path.iterdir())
