"""Code in the documentation runs, and says what stands below it.

Blocks of `pycon` are doctests. Blocks of `console` are commands: each line below `$ judgelab …` must be found
in what the command prints. They run in a folder that holds the files given in blocks of `csv` with a title;
those marked `demo` run where the demo is loaded, in tests/test_wheel.py.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from tests.databases import new_sqlite
from tests.documentation.pages import PAGES, blocks, name_of, run


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")], ids=name_of)
def test_python_says_what_stands_below_it(page: Path) -> None:
    text = "\n".join(text for _, _, text in blocks(page, "pycon"))
    [test] = [doctest.DocTestParser().get_doctest(text, {}, name_of(page), str(page), 0)]
    report: list[str] = []
    assert doctest.DocTestRunner(verbose=False).run(test, out=report.append).failed == 0, "".join(report)
    assert test.examples


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "csv")], ids=name_of)
def test_commands_say_what_stands_below_them(page: Path, tmp_path: Path) -> None:
    url = new_sqlite(tmp_path / "docs.db")
    for language, info, text in blocks(page, "csv", "console"):
        if language == "csv":
            [title] = re.findall(r'title="([\w.]+)"', info)
            (tmp_path / title).write_text(text, encoding="utf-8")
            continue
        if "demo" not in info:
            run(text, url, tmp_path)


def test_there_are_examples_to_run() -> None:
    assert len([page for page in PAGES if blocks(page, "pycon")]) >= 9
    assert len([page for page in PAGES if blocks(page, "console")]) >= 2
