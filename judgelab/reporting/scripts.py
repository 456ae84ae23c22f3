"""The Python that recomputes every number of a report, for a report that was written from Python."""

from __future__ import annotations

from typing import Any

from judgelab.annotation.filters.policy import DEFAULT_POLICY, FilterPolicy
from judgelab.reporting.facts import ReportFacts
from judgelab.runs.plan.code_version import code_version

KEPT = (
    "# data/scores.json does not hold all that is known of these scores, such as why a judgment has none, so",
    '# keep them beside this file: Path("scores.pickle").write_bytes(pickle.dumps(s)).',
)


def script_of_scores(facts: ReportFacts, *, all_in_rows: bool) -> str:
    """Return the script for scores alone, which are in `data/scores.json`; `all_in_rows`: completely."""
    if not all_in_rows:
        loading = [*KEPT, 's = pickle.loads(Path("scores.pickle").read_bytes())']
        return _script(["import pickle", "from pathlib import Path"], loading, facts)
    scales = {key: scale.to_json() for key, scale in facts.scores.project.scales.items()}
    policy = facts.scores.policy
    given = "" if facts.scores.compared is not None else f", scale={scales!r}"
    return _script(
        ["import json", "from pathlib import Path"],
        [
            'rows = json.loads(Path("data/scores.json").read_text(encoding="utf-8"))',
            f"s = jl.scores(rows{given})",
            *([] if policy is None else [f"s = s.filter({_filter(policy.policy)})"]),
        ],
        facts,
    )


def script_of_project(facts: ReportFacts) -> str:
    """Return the script for a project whose export is in `data`, under a filter that it does not name."""
    again, scores = f"{facts.scores.project.slug}-again", facts.scores
    policy = "none" if scores.policy is None else scores.policy.name
    chosen = repr(policy) if facts.saved_filter or scores.policy is None else _filter(scores.policy.policy)
    decisions, pairs = scores.n_decided is not None, scores.compared is not None
    return _script(
        ["import os", "import subprocess", "import sys"],
        [
            'place = {**os.environ, "JUDGELAB_DATABASE_URL": "sqlite:///recomputed.db"}',
            f'subprocess.run([sys.executable, "-m", "judgelab", "import", {again!r}, "data"], env=place, '
            "check=True)",
            f'project = jl.open("recomputed.db").project({again!r})',
            f"s = project.scores({chosen}, decisions={decisions}, comparisons={pairs})",
        ],
        facts,
    )


def _script(imports: list[str], loading: list[str], facts: ReportFacts) -> str:
    recipe = facts.recipe
    options: dict[str, Any] = {
        "level": recipe.level,
        "coefficient": list(recipe.coefficients),
        "n_resamples": recipe.resamples,
        "seed": recipe.seed,
    }
    arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
    lines = [
        f"# Needs JudgeLab {code_version().partition('+')[0]}. Run it in this folder: it writes the report",
        "# files again; compare tables/ with again/tables/.",
        *imports,
        "",
        "import judgelab as jl",
        "",
        *loading,
        f'jl.report(s, "again", {arguments})',
    ]
    return "\n".join(lines) + "\n"


def _filter(policy: FilterPolicy) -> str:
    """Return the call that makes a filter; options with their default are left out."""
    default = DEFAULT_POLICY.to_json()
    changed = {name: value for name, value in policy.to_json().items() if value != default[name]}
    return f"jl.Filter({', '.join(f'{name}={value!r}' for name, value in changed.items())})"
