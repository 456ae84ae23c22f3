"""Every number of a result as one flat table: what it is, its interval, its counts, how it was made."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from judgelab.escaping import escape_cell
from judgelab.metaeval.core.result import Estimate

COLUMNS = (
    *("criterion", "statistic", "value", "low", "high", "p", "p_adjusted", "n", "reason", "interval"),
    *("groups_used", "groups_undefined", "seed", "recipe"),
)
NAMES = ("rater", "name", "system", "votes", "size")  # what tells the parts of a list apart
ESTIMATE = frozenset(Estimate(None).to_json())
BETWEEN = " / "


def number_rows(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one row a number of a result in plain JSON values (`analysis.data.to_json`), in its own order.

    Estimates and tests become one row with all that belongs to them, a bare number a row with its value. A
    statistic is named by the way to it, parts of lists by their names; what stands under "criteria" has its
    criterion.
    """
    for key, value in found.items():
        if key != "criteria":
            yield from _rows(value, (key,), "")
    for one in found.get("criteria", ()):
        name = str(one["criterion"])
        for key, value in one.items():
            if key not in ("criterion", "label"):
                yield from _rows(value, (key,), name)


def as_csv(rows: Iterator[dict[str, Any]], **shared: Any) -> str:
    """Return the rows as CSV; `shared` are columns that say the same in every row, such as the coefficient.

    Text that a spreadsheet would run as a formula is neutralised.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, [*shared, *COLUMNS], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: escape_cell(value) for name, value in {**shared, **row}.items()})
    return out.getvalue()


def _rows(found: Any, way: tuple[str, ...], criterion: str) -> Iterator[dict[str, Any]]:
    if isinstance(found, Mapping) and "ci_method" in found and "value" in found:
        yield _estimate(found, way, criterion)
    elif isinstance(found, Mapping) and "statistic" in found and "p" in found:
        yield _test(found, way, criterion)
    elif isinstance(found, Mapping):
        for key, value in found.items():
            if key not in ("criterion", *NAMES):
                yield from _rows(value, (*way, str(key)), criterion)
    elif isinstance(found, (list, tuple)):
        for number, value in enumerate(found, 1):
            yield from _rows(value, (*way, _name(value, number)), criterion)
    elif isinstance(found, (int, float)) and not isinstance(found, bool):
        yield {"criterion": criterion, "statistic": BETWEEN.join(way), "value": found}


def _estimate(found: Mapping[str, Any], way: tuple[str, ...], criterion: str) -> dict[str, Any]:
    low, high = found["ci"] or (None, None)
    further = {k: v for k, v in found.items() if isinstance(v, int) and k not in ESTIMATE}
    return {
        "criterion": criterion,
        "statistic": BETWEEN.join(way),
        "value": found["value"],
        "low": low,
        "high": high,
        "n": found["n"],
        "reason": found["reason"],
        "interval": found["ci_method"],
        "groups_used": found["groups_used"],
        "groups_undefined": _pairs(found["groups_undefined"]),
        "seed": found["seed"],
        "recipe": _pairs({**further, **found["params"]}),
    }


def _test(found: Mapping[str, Any], way: tuple[str, ...], criterion: str) -> dict[str, Any]:
    made = {"test": found["test"], "correction": found["correction"], **found["params"]}
    return {
        "criterion": criterion,
        "statistic": BETWEEN.join(way),
        "value": found["statistic"],
        "p": found["p"],
        "p_adjusted": found["p_adjusted"],
        "n": found["n"],
        "reason": found["reason"],
        "seed": found["seed"],
        "recipe": _pairs({key: value for key, value in made.items() if value is not None}),
    }


def _name(part: Any, number: int) -> str:
    if isinstance(part, Mapping):
        for one, other, between in (("better", "worse", ">"), ("first", "second", "−")):
            if one in part and other in part:
                return f"{part[one]} {between} {part[other]}"
        for key in NAMES:
            if key in part:
                return str(part[key])
    return str(number)


def _pairs(found: Mapping[str, Any]) -> str:
    return "; ".join(f"{key} {value}" for key, value in found.items())
