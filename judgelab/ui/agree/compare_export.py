"""The recipe of *Compare* and its downloads: the shown table, every number, and the answer as text."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.comparison.learning_curves import LearningCurve
from judgelab.analysis.comparison.measured_comparison import Comparison
from judgelab.analysis.data.to_json import json_values
from judgelab.languages import _
from judgelab.runs.plan.code_version import code_version
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.agree import decided
from judgelab.ui.agree.export import number_files, without_markup
from judgelab.ui.kit import text
from judgelab.ui.shared import downloads, filter_note


def write_comparison_recipe(project: ProjectInfo, version: str, comparison: Comparison) -> None:
    """Write how many decisions are used, then the recipe: coefficient, level, ratings and seed."""
    decided.write_note(project, version, comparison.n_decided, comparisons=comparison.of_pairs)
    st.caption(text.plain(_recipe_text(comparison)))


def _recipe_text(comparison: Comparison) -> str:
    counted = filter_note.counted_ratings(comparison.policy, comparisons=comparison.of_pairs)
    if comparison.of_pairs:
        return _(
            "{coefficient} of choices; a tie counts as a third choice. {counted} Intervals by "
            "paired resampling of items, seed {seed}.",
            coefficient=text.coefficient(comparison.coefficient),
            counted=counted,
            seed=comparison.seed,
        )
    return _(
        "{coefficient}, {level}. {counted} Intervals by paired resampling of items, seed {seed}.",
        coefficient=text.coefficient(comparison.coefficient),
        level=text.level(comparison.level),
        counted=counted,
        seed=comparison.seed,
    )


def draw_comparison_download(
    project: ProjectInfo,
    comparison: Comparison,
    curves: Mapping[str, Sequence[LearningCurve]],
    answer: str,
    *,
    shown: pd.DataFrame,
    criterion: tuple[str, str],
) -> None:
    """Offer the shown table, every number with the recipe, and the answer as text.

    `curves` are the learning curves, keyed by what their sizes count: replies or examples; `criterion` is the
    key and the name of the criterion shown.
    """
    shared = {
        "level": comparison.level,
        "coefficient": comparison.coefficient,
        "ratings": "all ratings" if comparison.policy is None else comparison.policy.description,
        "decided": "" if comparison.n_decided is None else comparison.n_decided,
        "version": code_version(),
    }

    def numbers() -> dict[str, Any]:
        return {**comparison.to_json(), "learning_curves": json_values(curves)}

    options = f"--level {comparison.level} --coefficient {comparison.coefficient} --test {comparison.test}"
    if comparison.of_pairs:
        options = f"--comparisons --coefficient {comparison.coefficient}"
    if comparison.n_decided is not None:
        options += " --decisions"
    names = shlex.join(comparison.raters)
    command = f"judgelab compare {comparison.project} {names} {options} --correction {comparison.correction}"
    decisions = decided.in_recipe(comparison.n_decided, comparisons=comparison.of_pairs)
    recipe = " ".join(filter(None, [decisions, _recipe_text(comparison)]))
    sentence = without_markup(answer).replace(text.NO_BREAK, " ")
    answer_file = f"{sentence}\n\n{recipe}\n\n{command}  # JudgeLab {code_version()}\n"
    files = number_files(numbers, shared, answer=answer_file, shown=shown, criterion=criterion)
    downloads.draw_downloads(project, files, name="compare", key="compare_export")
