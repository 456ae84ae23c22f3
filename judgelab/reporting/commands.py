"""The shell commands that recompute every number of a report from its data."""

from __future__ import annotations

import shlex

from judgelab.reporting.facts import ReportFacts
from judgelab.runs.plan.code_version import code_version

ENDPOINTS_LEFT_OUT = (
    "# The data leave out the addresses of endpoints, so the sentences on where a judge was asked differ",
    "# (methods.md, and the column recipe of tables/judges.csv).",
)


def recompute_commands(slug: str, facts: ReportFacts, *, data: bool = True) -> str:
    """Return the shell commands that recompute every number of the pack from its data."""
    recipe, project = facts.recipe, shlex.quote(f"{slug}-again" if data else slug)
    rule = shlex.quote(recipe.policy)
    lines = []
    if data:
        lines += [
            f"# Needs JudgeLab {code_version().partition('+')[0]} on the PATH. Runs in this folder with a",
            "# database of its own and writes the report files again: compare tables/ with again/tables/.",
            *(ENDPOINTS_LEFT_OUT if any(use.address for use in facts.uses.values()) else ()),
            "set -e",
            'cd "$(dirname "$0")"',
            "export JUDGELAB_DATABASE_URL=sqlite:///recomputed.db",
        ]
        lines.append(f"judgelab import {project} data")
    decisions = " --decisions" if recipe.decisions else ""
    coefficients = " ".join(f"--coefficient {name}" for name in recipe.coefficients)
    if facts.scores.compared is not None:
        lines += [
            f"judgelab choices {project}{decisions} --json" + (" > choices.json" if data else ""),
            f"judgelab report {project} again --comparisons{decisions} {coefficients}",
        ]
        return "\n".join(lines) + "\n"
    lines += [
        f"judgelab agreement {project} --policy {rule} --level {recipe.level} --constant-groups "
        f"{recipe.constant_groups} --coefficient {' '.join(recipe.coefficients)}{decisions} --beside --json"
        + (" > agreement.json" if data else ""),
        f"judgelab report {project} again --policy {rule} --level {recipe.level}{decisions} {coefficients}",
    ]
    return "\n".join(lines) + "\n"
