"""Downloads of *Agree*: all numbers as CSV and JSON, and the answer as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from judgelab.analysis.agreement.agreement_numbers import agreement_numbers
from judgelab.analysis.agreement.measured_agreement import AgreementTable
from judgelab.analysis.data.number_table import as_csv, frame_csv, number_rows
from judgelab.languages import _
from judgelab.metaeval.agreement.groups import GroupRow
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.runs.plan.code_version import code_version
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.agree.controls import CONSTANT, AgreementRequest
from judgelab.ui.kit import text
from judgelab.ui.shared import downloads


def draw_agreement_download(
    project: ProjectInfo,
    table: AgreementTable,
    vs_ceiling: Sequence[VsCeilingRow],
    group_rows: Sequence[GroupRow],
    *,
    shown: pd.DataFrame,
    title: str,
    request: AgreementRequest,
    answer: str,
    recipe: str,
) -> None:
    """Offer the shown table, the numbers of all criteria with the recipe, and the answer as text.

    `title` is the name of the criterion shown, or of the mean over several.
    """
    shared = {
        "level": request.level,
        "coefficient": request.coefficient,
        "constant_groups": request.constant_groups,
        "ratings": "all ratings" if table.policy is None else table.policy.description,
        "decided": "" if table.n_decided is None else table.n_decided,
        "version": code_version(),
    }

    files = number_files(
        lambda: agreement_numbers(table, vs_ceiling, group_rows),
        shared,
        answer=f"{without_markup(answer).replace(text.NO_BREAK, ' ')}\n\n{recipe}\n",
        shared_in_json=True,
        shown=shown,
        criterion=(request.criterion, title),
    )
    downloads.draw_downloads(project, files, name="agreement", key="agree_export")


def number_files(
    numbers: Callable[[], dict[str, Any]],
    shared: Mapping[str, Any],
    *,
    answer: str,
    shared_in_json: bool = False,
    shown: pd.DataFrame | None = None,
    criterion: tuple[str, str] = ("", ""),
) -> list[downloads.File]:
    """Return the downloads of an analysis: every number as CSV and as JSON, and the answer as text.

    The table as the page shows it comes first, if there is one.

    Args:
        numbers: computes the numbers once a download is asked for.
        shared: the recipe, as columns of the CSV with the same value in every row.
        answer: the text file.
        shared_in_json: whether the JSON has the recipe, too; the numbers of most analyses contain it.
        shown: the table as shown.
        criterion: key and name of the only criterion that the answer and the table are about.
    """
    key, title = criterion

    def as_json() -> str:
        return json.dumps({**shared, **numbers()} if shared_in_json else numbers(), indent=1)

    table = (
        []
        if shown is None
        else [
            downloads.File(
                _("Main table (CSV)"),
                "table.csv",
                lambda: frame_csv(shown, criterion=title, **_as_shown(shared)),
                key,
            )
        ]
    )
    summary = f"{title}\n\n{answer}" if title else answer
    return [
        *table,
        downloads.File(_("Every number (CSV)"), "csv", lambda: as_csv(number_rows(numbers()), **shared)),
        downloads.File(_("Every number (JSON)"), "json", as_json),
        downloads.File(_("Summary (text)"), "txt", lambda: summary, key),
    ]


def _as_shown(shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the recipe in the words of the page, for the file that has the table as the page shows it."""
    words: dict[str, Callable[[str], str]] = {
        "level": text.level,
        "coefficient": text.coefficient,
        "constant_groups": lambda choice: _(CONSTANT[choice]),
        "ratings": _,
    }
    return {key: words[key](value) if key in words else value for key, value in shared.items()}


def without_markup(answer: str) -> str:
    """Return an answer without bold and escapes, as plain text."""
    return answer.replace("**", "").replace("\\", "")
