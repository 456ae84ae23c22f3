"""The quality filter of raters and ratings."""

from __future__ import annotations

from typing import Any

from judgelab.analysis.filters.filter_preview import preview_on_ratings
from judgelab.annotation.filters.policy import FilterPolicy as Filter
from judgelab.api.arguments import whole_numbers
from judgelab.api.filter_result import FilterResult
from judgelab.api.scores import filtered, scores_of
from judgelab.errors import InvalidInput

__all__ = ["Filter", "filter_raters"]


def filter_raters(
    data: Any, /, filter: Filter | None = None, *, n_resamples: int = 1000, seed: int = 0, **options: Any
) -> FilterResult:
    """Return which raters, responses and ratings a quality filter keeps and removes, and why.

    Raters who agree too little with the others are removed, then responses with too few ratings left, then
    responses whose ratings conflict.

    Args:
        data: the scores, or a frame that `judgelab.scores` understands. A filter that was applied to them
            before no longer counts.
        filter: the filter, `judgelab.Filter()` if not given: threshold 0.4, at least 5 shared responses,
            worst rater first.
        n_resamples: resamples of the items for the 95 % intervals; 0 for none.
        seed: seed of the resampling.
        **options: options of `judgelab.Filter`, such as threshold=0.3, instead of `filter`.

    Returns:
        `kept`, the scores left, for any other function; `raters`, `responses` and `ratings`, frames of what
        is removed and why; `agreement` before and after; `explain()`, `plot()` and `to_dict()`. Agreement of
        a rater is the mean of Pearson's r with the others, or r with their mean, from -1 to 1; of labels
        without an order, and of comparisons, Cohen's kappa. A rater who gives one score everywhere has 0.
        Raters who share too few responses with anyone cannot be assessed: they stay, unless the filter drops
        them.

    Raises:
        InvalidInput: there is no human rating, the filter needs degraded copies of responses, or an option is
            unknown or stands beside `filter`.
        NotFound: the filter names a criterion without ratings.

    Source: the filter of the ELECT study, section 3.3.

    Example:
        >>> import judgelab as jl
        >>> truth = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]
        >>> raters = {"ann": truth, "bob": [*truth[:9], 4], "eve": [3, 5, 1, 4, 1, 5, 5, 2, 2, 3]}
        >>> result = jl.filter_raters(jl.scores(human=raters), filter=jl.Filter(min_overlap=5))
        >>> result.raters[["rater", "kept"]].to_dict("list")
        {'rater': ['ann', 'bob', 'eve'], 'kept': [True, True, False]}
        >>> result.kept.humans
        ('ann', 'bob')
    """
    whole_numbers(n_resamples=n_resamples, seed=seed)
    if options and filter is not None:
        first = next(iter(options))
        raise InvalidInput(f"{first} does not go with filter; write jl.Filter({first}=…) for the filter.")
    given, policy = scores_of(data), Filter(**options) if filter is None else filter
    if not given._data.humans["score"].notna().any():
        raise InvalidInput('there is no human rating; name the raters: jl.scores(df, humans=["…", "…"]).')
    kept = filtered(given, policy)
    outcome = kept._data.outcome
    previews = {
        key: preview_on_ratings(
            given._data.humans,
            policy,
            criterion=key,
            scales=given.scales,
            resamples=n_resamples,
            seed=seed,
            compared=given._data.compared is not None,
        )
        for key in (outcome.coefficients if outcome is not None else ())
    }
    return FilterResult(kept, policy, previews)
