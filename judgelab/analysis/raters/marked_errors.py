"""Agreement of a project's raters about the errors they marked."""

from __future__ import annotations

from judgelab.analysis.data.scores import IN_USE, project_scores
from judgelab.annotation.filters.intervals import RESAMPLES
from judgelab.metaeval.raters.marked_errors import ErrorAgreement, MarkedText, error_agreement
from judgelab.scales.error_spans import ErrorSpans
from judgelab.store.db.engine import Store
from judgelab.store.frames.marked_errors import marked_errors


def agreement_on_errors(
    store: Store, slug: str, *, policy: str = IN_USE, seed: int = 0
) -> dict[str, ErrorAgreement]:
    """Return, for each criterion with marked errors, the agreement in the ratings that the filter keeps.

    Ratings from files have a score but no marked errors, and do not count.

    Raises:
        NotFound: no such project or filter.
    """
    scores = project_scores(store, slug, policy=policy)
    found = {}
    for key, scale in scores.project.scales.items():
        if not isinstance(scale, ErrorSpans):
            continue
        with store.reading() as session:
            marked = marked_errors(session, scores.project.id, key)
        kept = scores.kept_ratings
        kept = kept[kept["criterion"] == key]
        texts = [
            MarkedText(item, response, rater, marked[response, rater], system)
            for item, response, rater, system in zip(
                kept["item"], kept["response"], kept["rater"], kept["system"], strict=True
            )
            if (response, rater) in marked
        ]
        found[key] = error_agreement(texts, resamples=RESAMPLES, seed=seed)
    return found
