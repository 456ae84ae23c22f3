"""Reference of the statistics: coefficients by name, and every public function with what it returns."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import judgelab.metaeval
from docs.site_pages.markdown import code, page, table
from judgelab.metaeval.coefficients.between_raters import INTER_RATER_COEFFICIENTS
from judgelab.metaeval.coefficients.registry import COEFFICIENTS

NEEDS = {
    "order": "any numbers",
    "scale": "numbers on the people's scale",
    "points": "points of the scale",
    "alpha": "points or numbers, by the scale's level",
}


def statistics_page() -> str:
    """Return the coefficients, then what each module of `metaeval` computes."""
    return page(
        "# Statistics",
        "In words and pictures: [Explained](../explained/index.md). How each is computed, where it is "
        "undefined and where it comes from: [What the numbers mean](../statistics.md).",
        "## A judge beside the people",
        table(
            ["`--coefficient`", "name", "takes"],
            ((code(one.name), one.title, NEEDS.get(one.needs, one.needs)) for one in COEFFICIENTS.values()),
        ),
        "## People among themselves",
        table(
            ["`judgelab raters --coefficient`", "name"],
            ((code(one.name), one.title) for one in INTER_RATER_COEFFICIENTS.values()),
        ),
        "## In Python",
        "`judgelab.metaeval` is pure: arrays and frames in, estimates with n, interval and signature out.",
        *_modules(),
    )


def _modules() -> list[str]:
    parts = []
    for found in pkgutil.iter_modules(judgelab.metaeval.__path__):
        module = importlib.import_module(f"judgelab.metaeval.{found.name}")
        rows = [
            (code(name), (one.__doc__ or "").split("\n")[0])
            for name, one in vars(module).items()
            if inspect.isfunction(one) and one.__module__ == module.__name__ and not name.startswith("_")
        ]
        said = " ".join((module.__doc__ or "").split("\n\n")[0].split())
        if rows:
            parts += [f"### metaeval.{found.name}", said, table(["function", "returns"], rows)]
    return parts
