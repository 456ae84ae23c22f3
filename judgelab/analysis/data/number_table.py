"""All numbers of a result as one flat table: name, value, interval, counts and settings."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from judgelab.escaping import escape_cell
from judgelab.metaeval.core.result import Estimate

COLUMNS = (
    *("criterion", "statistic", "value", "low", "high", "p", "p_adjusted", "n", "reason", "interval"),
    *("groups_used", "groups_undefined", "seed", "recipe"),
)
NAME_KEYS = ("rater", "name", "system", "votes", "size")  # keys that identify an element of a list
ESTIMATE_KEYS = frozenset(Estimate(None).to_json())
PATH_SEPARATOR = " / "
MISSING = "–"
SIGN = re.compile("−(\\d)")


def number_rows(result: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one row per number of a result in plain JSON values (`analysis.data.to_json`).

    An estimate or test becomes one row with all its values, a bare number a row with its value. A statistic
    is named by its path, elements of lists by their names. Numbers below "criteria" have their criterion.
    """
    for key, value in result.items():
        if key != "criteria":
            yield from _rows_below(value, (key,), "")
    for of_criterion in result.get("criteria", ()):
        criterion = str(of_criterion["criterion"])
        for key, value in of_criterion.items():
            if key not in ("criterion", "label"):
                yield from _rows_below(value, (key,), criterion)


def as_csv(rows: Iterator[dict[str, Any]], **shared: Any) -> str:
    """Return the rows as CSV; `shared` are columns with the same value in every row.

    Text that a spreadsheet would run as a formula is escaped.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, [*shared, *COLUMNS], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: escape_cell(value) for name, value in {**shared, **row}.items()})
    return out.getvalue()


def frame_csv(frame: pd.DataFrame, **shared: Any) -> str:
    """Return a table as a page shows it as CSV, with numbers that programs read.

    A minus sign becomes a hyphen and a dash for "missing" an empty cell; a header that occurs again is
    followed by the one before it in parentheses, such as `95 % interval (ρ − raters)`. `shared` are columns
    with the same value in every row. Text that a spreadsheet would run as a formula is escaped.
    """
    headers = [str(name) for name in frame.columns]
    table = frame.map(_plain_cell)
    table.columns = pd.Index(
        [
            name if name not in headers[:place] else f"{name} ({headers[place - 1]})"
            for place, name in enumerate(headers)
        ]
    )
    return str(table.assign(**shared).map(escape_cell).to_csv(index=False, lineterminator="\n"))


def _plain_cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return "" if value == MISSING else SIGN.sub(r"-\1", value)


def _rows_below(result: Any, path: tuple[str, ...], criterion: str) -> Iterator[dict[str, Any]]:
    if isinstance(result, Mapping) and "ci_method" in result and "value" in result:
        yield _estimate_row(result, path, criterion)
        yield from _rows_beside(result, path, criterion)
    elif isinstance(result, Mapping) and "statistic" in result and "p" in result:
        yield _test_row(result, path, criterion)
    elif isinstance(result, Mapping):
        for key, value in result.items():
            if key not in ("criterion", *NAME_KEYS):
                yield from _rows_below(value, (*path, str(key)), criterion)
    elif isinstance(result, (list, tuple)):
        for number, value in enumerate(result, 1):
            yield from _rows_below(value, (*path, _part_name(value, number)), criterion)
    elif isinstance(result, (int, float)) and not isinstance(result, bool):
        yield {"criterion": criterion, "statistic": PATH_SEPARATOR.join(path), "value": result}


def _rows_beside(
    estimate: Mapping[str, Any], path: tuple[str, ...], criterion: str
) -> Iterator[dict[str, Any]]:
    """Yield an estimate's further numbers (the raters' value beside a judge's) and their intervals."""
    for key, value in estimate.items():
        if key in ESTIMATE_KEYS or key.endswith("_ci") or isinstance(value, int):
            continue
        reason = estimate.get(f"{key}_reason")
        if isinstance(value, float) or reason is not None:
            low, high = estimate.get(f"{key.removesuffix('_value')}_ci") or (None, None)
            name = PATH_SEPARATOR.join((*path, key))
            row = {"criterion": criterion, "statistic": name, "value": value, "low": low, "high": high}
            yield {**row, "reason": reason}
        else:
            yield from _rows_below(value, (*path, key), criterion)


def _estimate_row(estimate: Mapping[str, Any], path: tuple[str, ...], criterion: str) -> dict[str, Any]:
    low, high = estimate["ci"] or (None, None)
    counts = {
        key: value for key, value in estimate.items() if isinstance(value, int) and key not in ESTIMATE_KEYS
    }
    return {
        "criterion": criterion,
        "statistic": PATH_SEPARATOR.join(path),
        "value": estimate["value"],
        "low": low,
        "high": high,
        "n": estimate["n"],
        "reason": estimate["reason"],
        "interval": estimate["ci_method"],
        "groups_used": estimate["groups_used"],
        "groups_undefined": _pairs_text(estimate["undefined_reasons"]),
        "seed": estimate["seed"],
        "recipe": _pairs_text({**counts, **estimate.get("params", {})}),
    }


def _test_row(test: Mapping[str, Any], path: tuple[str, ...], criterion: str) -> dict[str, Any]:
    settings = {"test": test["test"], "correction": test["correction"], **test["params"]}
    return {
        "criterion": criterion,
        "statistic": PATH_SEPARATOR.join(path),
        "value": test["statistic"],
        "p": test["p"],
        "p_adjusted": test["p_adjusted"],
        "n": test["n"],
        "reason": test["reason"],
        "seed": test["seed"],
        "recipe": _pairs_text({key: value for key, value in settings.items() if value is not None}),
    }


def _part_name(part: Any, number: int) -> str:
    if isinstance(part, Mapping):
        for first, second, sign in (("better", "worse", ">"), ("first", "second", "−")):
            if first in part and second in part:
                tied = first == "better" and (part.get("human") or {}).get("value") == 0
                return f"{part[first]} {'=' if tied else sign} {part[second]}"
        for key in NAME_KEYS:
            if key in part:
                return str(part[key])
    return str(number)


def _pairs_text(pairs: Mapping[str, Any]) -> str:
    return "; ".join(f"{key} {value}" for key, value in pairs.items())
