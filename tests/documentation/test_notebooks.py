"""The notebooks run from top to bottom, and print what is stored in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.site_pages.notebooks import NOTEBOOKS, ran, read, written


@pytest.mark.timeout(300)  # one of them sets up the demo
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_is_stored_in_it(path: Path) -> None:
    now, stored = (written(one).splitlines() for one in (ran(path), read(path)))
    assert now == stored, "if that is meant, store it anew: python -m docs.site_pages.notebooks"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_as_the_script_writes_it(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == written(read(path))


def test_cells_run_as_in_jupyter(tmp_path: Path) -> None:
    """The last line is shown, what is printed too, `await` works, and names live on in the next cell."""
    sources = ["import asyncio\nx = 1\nprint('hello')", "await asyncio.sleep(0)\nx + 1", "x = 2"]
    cells = [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in sources]
    path = tmp_path / "small.ipynb"
    path.write_text(written({"cells": cells}), encoding="utf-8")
    first, second, third = [cell["outputs"] for cell in ran(path)["cells"]]
    assert first == [{"name": "stdout", "output_type": "stream", "text": ["hello\n"]}]
    assert [(output["execution_count"], output["data"]) for output in second] == [(2, {"text/plain": ["2"]})]
    assert third == []
