"""One human score per unit of a project, from the ratings that a filter keeps."""

from __future__ import annotations

import pandas as pd

from judgelab.analysis.data.gold_scores import gold_scores
from judgelab.analysis.data.scores import IN_USE, project_scores
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import response_frame


def gold_table(store: Store, slug: str, *, policy: str = IN_USE, decisions: bool = False) -> pd.DataFrame:
    """Return `gold_scores` of a project under a filter, with adjudicators' decisions if they are used."""
    data = project_scores(store, slug, policy=policy, decisions=decisions)
    with store.reading() as session:
        responses = response_frame(session, data.project.id, answers=False)
    return gold_scores(data, responses)
