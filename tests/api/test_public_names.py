"""What `import judgelab` promises: the names, their signatures, and what their docstrings say."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from pathlib import Path

import pytest

import judgelab as jl
from docs.site_pages.public_names import classes, members, public
from tests.api_names import STORED, listed

SOURCE = ast.parse(Path(jl.__file__).read_text(encoding="utf-8"))
FUNCTIONS = [name for name, one in public().items() if inspect.isfunction(one)]
PARTS = ("Args", "Returns", "Raises", "Example")


def test_names_and_signatures_change_only_on_purpose() -> None:
    assert listed() == STORED.read_text(encoding="utf-8"), (
        "the public API is no longer as stored; if that is meant, run: python -m tests.api_names, "
        "and name the change in CHANGELOG.md (what users may rely on: docs/api/stable.md)"
    )


def test_names_that_are_loaded_lazily_are_those_that_type_checkers_see() -> None:
    [block] = [node for node in SOURCE.body if isinstance(node, ast.If)]
    seen = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name  # "as name" makes it public for type checkers
    }
    assert seen == {name: f"judgelab.api.{module}" for name, module in jl._MODULES.items()}
    assert jl.__all__ == ["__version__", *jl._MODULES]
    assert list(jl._MODULES) == sorted(jl._MODULES, key=str.casefold), "in alphabetical order, please"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_says_what_it_takes_returns_and_raises(name: str) -> None:
    text = inspect.getdoc(public()[name]) or ""
    assert [part for part in PARTS if not re.search(rf"^{part}:$", text, re.MULTILINE)] == []
    taken = inspect.signature(public()[name]).parameters
    assert [word for word in taken if not re.search(rf"^    \*{{0,2}}{word}:", text, re.MULTILINE)] == []


def test_a_class_says_what_it_is_and_what_its_members_return() -> None:
    silent = [
        f"{name}.{member}"
        for name, of in classes().items()
        for member, one in [("", of), *members(of)]
        if not one.__doc__ or one.__doc__.startswith(f"{of.__name__}(")
    ]
    assert silent == []


@pytest.mark.parametrize("name", public())
def test_examples_run_as_a_reader_runs_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an empty namespace; `tests/documentation/test_docstrings.py` runs them with the module's names."""
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(public()[name]) or ""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test, out=report.append).failed == 0, "".join(report)
    assert test.examples[0].source.startswith("import judgelab as jl")
