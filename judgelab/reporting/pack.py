"""The paper pack: a folder with what a paper reports of raters and judges, and the data to recompute it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from judgelab.analysis.data.gold_scores import gold_scores
from judgelab.analysis.data.scores import IN_USE
from judgelab.reporting.anonymous import export_anonymised
from judgelab.reporting.commands import recompute_commands
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.gathering import gather_facts, measure_judges
from judgelab.reporting.pack_files import PackParts, write_files
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import response_frame


def write_pack(
    store: Store,
    slug: str,
    folder: Path,
    *,
    policy: str = IN_USE,
    level: str | None = None,
    coefficients: Sequence[str] = (),
    comparisons: bool | None = None,
    decisions: bool = False,
    data: bool = True,
) -> list[str]:
    """Write the pack into a folder and return the names of its files.

    It has no names of raters: tables have numbered pseudonyms, and the data are an anonymised export that
    `judgelab import` reads back.

    Args:
        store: the database.
        slug: the project.
        folder: a new or empty folder, or one of an earlier pack, which is replaced.
        policy: the filter: "in use", "none" or a name.
        level: of agreement.
        coefficients: of agreement.
        comparisons: as in `gather_facts`.
        decisions: as in `gather_facts`.
        data: whether to write the anonymised data.

    Raises:
        NotFound: there is no such project or filter.
        InvalidInput: the folder has other files, or there is nothing to report.
    """
    facts = gather_facts(
        store, slug, policy=policy, level=level, coefficients=coefficients, comparisons=comparisons,
        decisions=decisions,
    )  # fmt: skip
    return write_pack_of(store, facts, folder, data=data)


def write_pack_of(
    store: Store, facts: ReportFacts, folder: Path, *, data: bool = True, script: str | None = None
) -> list[str]:
    """Write the pack of a project's facts; `script` is Python that recomputes them instead of commands.

    Raises:
        InvalidInput: the folder has other files.
    """
    project = facts.scores.project
    with store.reading() as session:
        responses = response_frame(session, project.id, answers=False)
    parts = PackParts(
        measure_judges(store, facts),
        gold_scores(facts.scores, responses) if facts.scores.compared is None else pd.DataFrame(),
        ("commands.sh", recompute_commands(project.slug, facts, data=data))
        if script is None
        else ("recompute.py", script),
        partial(export_anonymised, store, project.slug) if data else None,
    )
    return write_files(facts, parts, folder)
