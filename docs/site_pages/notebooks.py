"""The notebooks: run, stored with what they print, and shown as pages.

A notebook keeps its outputs, so that it can be read without being run. After a change of a notebook, or of
what it prints, store them anew:

    python -m docs.site_pages.notebooks
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from docs.site_pages.markdown import page

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = tuple(sorted(FOLDER.glob("*.ipynb")))


def read(path: Path) -> dict[str, Any]:
    """Return a notebook as it is stored."""
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return stored


def written(notebook: dict[str, Any]) -> str:
    """Return a notebook as the text of its file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def ran(path: Path) -> dict[str, Any]:
    """Return a notebook with the outputs that its cells give now, run in order in the notebook's folder.

    An event loop runs meanwhile, as in Jupyter, so that cells may say `await`.
    """
    notebook = read(path)
    with contextlib.chdir(path.parent):
        asyncio.run(_run(notebook["cells"]))
    return notebook


async def _run(cells: Sequence[dict[str, Any]]) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    code_cells = [cell for cell in cells if cell["cell_type"] == "code"]
    for number, cell in enumerate(code_cells, start=1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            value = await _value("".join(cell["source"]), f"cell {number}", names)
        cell |= {"execution_count": number, "outputs": []}
        if text := printed.getvalue():
            cell["outputs"].append({"name": "stdout", "output_type": "stream", "text": _lines(text)})
        if value is not None:
            result = {"data": _shown(value), "execution_count": number, "metadata": {}}
            cell["outputs"].append(result | {"output_type": "execute_result"})


async def _value(source: str, name: str, names: dict[str, Any]) -> Any:
    """Run a cell and return the value of its last line if that is an expression, as Jupyter does."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    parts = [(tree, "exec")] + ([(ast.Expression(last.value), "eval")] if isinstance(last, ast.Expr) else [])
    value = None
    for part, mode in parts:
        value = eval(compile(part, name, mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        if inspect.iscoroutine(value):
            value = await value
    return value


def _shown(value: Any) -> dict[str, list[str]]:
    """Return what is stored of a value: its text, and its table; of a figure its axis, as it is large."""
    if hasattr(value, "to_plotly_json"):
        return {"text/plain": [f"Figure: {value.layout.xaxis.title.text or value.layout.yaxis.title.text}"]}
    with pd.option_context("display.width", 160, "display.max_columns", 20, "display.max_colwidth", 80):
        data = {"text/plain": _lines(repr(value))}
    if hasattr(value, "_repr_html_"):
        data = {"text/html": _lines(value._repr_html_())} | data
    return data


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def notebook_page(path: Path) -> str:
    """Return a notebook as a page, its outputs as text, with the file to download."""
    parts = []
    for cell in read(path)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            text = "".join(output.get("text") or output["data"]["text/plain"])
            parts.append(f"```text\n{text.rstrip()}\n```")
    title, _, opening = parts[0].partition("\n")
    return page(title, opening, f"[Download this notebook]({path.name}) and run it.", *parts[1:])


if __name__ == "__main__":
    for one in NOTEBOOKS:
        one.write_text(written(ran(one)), encoding="utf-8")
