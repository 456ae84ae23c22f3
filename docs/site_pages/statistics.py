"""Reference of the statistics: coefficients by name."""

from __future__ import annotations

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
    """Return the coefficients."""
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
        "`import judgelab as jl`: [In a notebook](../api/index.md), [all names](../api/names.md).",
    )
