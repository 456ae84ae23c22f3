"""The paper pack: a folder with what a paper reports of raters and judges, and the data to recompute it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from judgelab.analysis.data.gold_table import gold_table
from judgelab.analysis.data.scores import IN_USE
from judgelab.reporting.anonymous import export_anonymised
from judgelab.reporting.commands import recompute_commands
from judgelab.reporting.gathering import gather_facts, measure_judges
from judgelab.reporting.pack_files import PackParts, write_files
from judgelab.store.db.engine import Store


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
    parts = PackParts(
        measure_judges(store, facts),
        pd.DataFrame()
        if facts.scores.compared is not None
        else gold_table(store, slug, policy=facts.recipe.policy, decisions=facts.recipe.decisions),
        ("commands.sh", recompute_commands(slug, facts, data=data)),
        partial(export_anonymised, store, slug) if data else None,
    )
    return write_files(facts, parts, folder)
