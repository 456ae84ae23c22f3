"""Downloads of *Agree*: all numbers as CSV and JSON, and the answer as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from judgelab.analysis.agreement.agreement_numbers import agreement_numbers
from judgelab.analysis.agreement.agreement_table import AgreementTable
from judgelab.analysis.data.number_table import as_csv, number_rows
from judgelab.languages import _
from judgelab.metaeval.agreement.groups import GroupRow
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.runs.plan.code_version import code_version
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.agree.controls import AgreementRequest
from judgelab.ui.kit import widgets
from judgelab.ui.shared import downloads


def draw_agreement_download(
    project: ProjectInfo,
    table: AgreementTable,
    vs_ceiling: Sequence[VsCeilingRow],
    group_rows: Sequence[GroupRow],
    *,
    request: AgreementRequest,
    answer: str,
    recipe: str,
) -> None:
    """Offer the numbers of all criteria with the recipe as CSV and JSON, and the answer as text."""
    shared = {
        "level": request.level,
        "coefficient": request.coefficient,
        "constant_groups": request.constant_groups,
        "ratings": "all ratings" if table.policy is None else table.policy.words,
        "decided": "" if table.decided is None else table.decided,
        "version": code_version(),
    }

    def numbers() -> dict[str, Any]:
        return agreement_numbers(table, vs_ceiling, group_rows)

    plain_answer = answer.replace("**", "").replace("\\", "").replace(widgets.NO_BREAK, " ")
    files = [
        downloads.File(_("Every number (CSV)"), "csv", lambda: as_csv(number_rows(numbers()), **shared)),
        downloads.File(
            _("Every number (JSON)"), "json", lambda: json.dumps({**shared, **numbers()}, indent=1)
        ),
        downloads.File(_("The answer (text)"), "txt", lambda: f"{plain_answer}\n\n{recipe}\n"),
    ]
    downloads.draw_downloads(project, files, name="agreement", key="agree_export")
