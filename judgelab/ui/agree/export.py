"""Taking the figures of agreement along: a table, JSON, and the answer in words."""

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
    found: AgreementTable,
    beside: Sequence[VsCeilingRow],
    in_groups: Sequence[GroupRow],
    *,
    asked: AgreementRequest,
    answer: str,
    recipe: str,
) -> None:
    """Offer every number of all criteria with its recipe as a table, all as JSON, and the answer as text."""
    shared = {
        "level": asked.level,
        "coefficient": asked.coefficient,
        "constant_groups": asked.constant_groups,
        "ratings": "all ratings" if found.policy is None else found.policy.words,
        "decided": "" if found.decided is None else found.decided,
        "version": code_version(),
    }

    def whole() -> dict[str, Any]:
        return agreement_numbers(found, beside, in_groups)

    said = answer.replace("**", "").replace("\\", "").replace(widgets.NO_BREAK, " ")
    files = [
        downloads.File(_("Every number (CSV)"), "csv", lambda: as_csv(number_rows(whole()), **shared)),
        downloads.File(_("Every number (JSON)"), "json", lambda: json.dumps({**shared, **whole()}, indent=1)),
        downloads.File(_("The answer (text)"), "txt", lambda: f"{said}\n\n{recipe}\n"),
    ]
    downloads.draw_downloads(project, files, name="agreement", key="agree_export")
