"""The pages of the API stand for what the package offers."""

from __future__ import annotations

from docs.site_pages.api import GROUPS, group_page, names_page, results_page
from docs.site_pages.public_names import classes, public


def test_every_public_name_is_in_one_group() -> None:
    named = [name for group in GROUPS.values() for name in group.names]
    assert sorted(set(public()) - set(named)) == [], "put them into a group of docs/site_pages/api.py"
    assert len(named) == len(set(named))


def test_a_group_shows_arguments_results_errors_and_examples() -> None:
    page = group_page("agreement")
    assert "## jl.agreement { #agreement }" in page and "jl.agreement(data=None, /, *, human=None" in page
    assert "| `n_resamples` | `int` = `1000` | resamples of the items" in page
    assert "**Raises** `InvalidInput` if there is no judge or no rater" in page
    assert "```pycon\n>>> import judgelab as jl\n" in page
    assert "[`agreement`](agreement.md#agreement)" in names_page()


def test_classes_that_functions_return_are_among_the_results() -> None:
    page = results_page()
    assert [name for name in classes() if name not in public() and f"## {name} {{" not in page] == []
    assert "| `to_frame()` | `pd.DataFrame` | one row an estimate" in page
    assert "| `low` | `float \\| None` | the lower end of the interval" in page
