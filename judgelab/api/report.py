"""`jl.report`: the files that a paper needs of raters and judges, in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from judgelab.analysis.data.gold_scores import gold_scores
from judgelab.analysis.trust.measured_trust import trust_in_scores
from judgelab.api.arguments import names_listed, whole_numbers
from judgelab.api.long_rows import all_in_rows, response_ids, write_rows
from judgelab.api.scores import Scores, scores, words_of
from judgelab.errors import InvalidInput
from judgelab.reporting.facts import ReportFacts, ReportRecipe, facts_of_scores, suited_coefficients
from judgelab.reporting.pack_files import PackParts, pseudonyms_of, write_files
from judgelab.reporting.scripts import script_of_project, script_of_scores
from judgelab.store.people.pseudonyms import ANONYMOUS, ANONYMOUS_SLOT
from judgelab.store.rating.numbered_raters import numbered_raters

APP_RESAMPLES, APP_SEED = 1000, 0  # of `judgelab report`


def report(
    data: Any,
    folder: str | Path,
    /,
    *,
    level: str | None = None,
    coefficient: str | Sequence[str] | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    overwrite: bool = False,
) -> list[Path]:
    """Write what a paper reports of raters and judges into a folder: methods, tables, figures, data.

    The files are those of the app's page *Report*. `index.html` shows everything and opens offline;
    `methods.md` is the methods section; `tables` has every figure with interval, n and reason as CSV, and
    the tables to print as LaTeX and Markdown; `figures` has the forest plots; `data` has the scores, and
    `recompute.py` (or `commands.sh`, as the app writes it) writes the report again. No file names a rater:
    they are numbered.

    Args:
        data: the scores, or a frame that `judgelab.scores` understands. Of scores that a project of
            `judgelab.open` gave, the report also says who the raters were and how judges were asked.
        folder: where to write; it is made if it is not there.
        level: of agreement, as in `judgelab.agreement`.
        coefficient: one or more, as in `judgelab.agreement`; the first one is drawn. The default is what the
            app reports for these scales.
        n_resamples: resamples of the items for the 95 % intervals, at least 1.
        seed: seed of everything drawn.
        overwrite: whether a report that is already in the folder is replaced. A folder with other files is
            always refused.

    Returns:
        The paths of the files, sorted.

    Raises:
        InvalidInput: there are no ratings by people, or the folder is not empty.
        NotFound: there is no such coefficient or level.

    Example:
        >>> import judgelab as jl, tempfile
        >>> from pathlib import Path
        >>> s = jl.scores(human={"ann": [1, 2, 5, 4, 3], "bob": [2, 2, 5, 4, 3]}, judge=[1, 3, 5, 5, 2])
        >>> with tempfile.TemporaryDirectory() as place:
        ...     files = jl.report(s, f"{place}/pack", n_resamples=50)
        ...     text = Path(place, "pack", "methods.md").read_text()
        >>> sorted(path.name for path in files if path.suffix == ".tex")
        ['agreement-score.tex', 'beside-score.tex']
        >>> "2 human raters" in text
        True
    """
    if not isinstance(folder, str | Path) or not str(folder):
        raise InvalidInput(f'{folder!r} names no folder; call jl.report(s, "pack").')
    whole_numbers(n_resamples=n_resamples, seed=seed)
    given, place = scores(data), Path(folder).expanduser()
    _check(given, place, n_resamples, overwrite)
    chosen = tuple(names_listed(coefficient, "coefficient", "spearman"))
    recipe = ReportRecipe(
        level or given._data.level,
        chosen or suited_coefficients(given._data.defaults),
        "none" if given._data.policy is None else given._data.policy.name,
        resamples=n_resamples,
        seed=seed,
        decisions=given._data.n_decided is not None,
    )
    write = _write_of_scores if given._project is None else _write_of_project
    return [place / name for name in write(given, recipe, place)]


def _write_of_scores(given: Scores, recipe: ReportRecipe, folder: Path) -> list[str]:
    data, words = given._data, words_of(given)
    facts = facts_of_scores(data, recipe, tables=given._unit_tables(), words=words)
    trust = [
        trust_in_scores(
            data,
            judge.name,
            make_tables=given._unit_tables,
            words=words,
            level=recipe.level,
            coefficient=facts.first_coefficient,
            constant_groups=recipe.constant_groups,
            resamples=recipe.resamples,
            seed=recipe.seed,
        )
        for judge in facts.judges
    ]
    pseudonyms = _people(facts)
    parts = PackParts(
        trust,
        gold_scores(data, _responses(given)),
        ("recompute.py", script_of_scores(facts, all_in_rows=all_in_rows(given))),
        partial(write_rows, given, pseudonyms),
    )
    return write_files(facts, parts, folder)


def _write_of_project(given: Scores, recipe: ReportRecipe, folder: Path) -> list[str]:
    from judgelab.analysis.data.saved_filters import list_filters
    from judgelab.reporting.gathering import facts_of_project
    from judgelab.reporting.pack import write_pack_of

    project, policy = given._project, given._data.policy
    assert project is not None, "only for scores of a project"
    saved = policy is None or policy in list_filters(project._store, project.slug)
    facts = facts_of_project(project._store, given._data, recipe, saved_filter=saved)
    as_command = saved and (recipe.resamples, recipe.seed) == (APP_RESAMPLES, APP_SEED)
    script = None if as_command else script_of_project(facts)
    return write_pack_of(project._store, facts, folder, script=script)


def _responses(given: Scores) -> pd.DataFrame:
    """Return response, response_id, item and system of each response."""
    columns = ["response", "item", "system"]
    everything = pd.concat([given._data.humans[columns], given._data.scores[columns]])
    found = everything.drop_duplicates("response")
    return found.assign(response_id=response_ids(given).reindex(found["response"]).to_numpy())


def _people(facts: ReportFacts) -> dict[str, str]:
    """Return the name of each rater in the data: numbered as in the tables, which are read back alike."""
    numbers = pseudonyms_of(facts.scores.humans["rater"].unique().tolist())
    slots = numbered_raters(numbers)
    return {
        name: f"{ANONYMOUS_SLOT if name in slots else ANONYMOUS} {number.rpartition(' ')[2]}"
        for name, number in numbers.items()
    }


def _check(given: Scores, folder: Path, n_resamples: int, overwrite: bool) -> None:
    if given._data.humans.empty:
        raise InvalidInput(
            'there is no human rater to report; name them: jl.report(jl.scores(df, humans=["…"]), "pack").'
        )
    if n_resamples < 1:
        raise InvalidInput(f"n_resamples is {n_resamples}, but a report needs intervals; write 1000.")
    if not overwrite and folder.is_dir() and any(folder.iterdir()):
        raise InvalidInput(
            f"{folder} is not empty; name another folder, or replace the report in it: "
            f'jl.report(s, "{folder}", overwrite=True).'
        )
