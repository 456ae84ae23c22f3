"""A panel asked in several wordings: each wording a run of its own, as DRPE's five runs are.

The verdict that a panel gives is the mean over its wordings. The paper compares each run with the people by
itself and averages the results, so the scores of the single wordings are put together again from the replies.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from judgelab.domain import SCORE_COLUMNS, Reading
from judgelab.protocols.core.base import Call, Heard
from judgelab.protocols.panel.votes import complete_sittings, wording_scores
from judgelab.replication.material import Material
from judgelab.store.frames.sample_frames import JudgmentReplies, replies_by_judgment

PANEL = "role_panel"


def scores_by_wording(material: Material) -> pd.DataFrame:
    """Return the people's ratings with the panels' scores under each wording, told apart by `sample`.

    Only responses under criteria for which the panel's score counts in the material.
    """
    own = material.scores
    people = own[own["rater_kind"] == "human"]
    counted = own[own["rater_kind"] == "judge"][["rater", "response", "criterion"]].drop_duplicates()
    rows: list[tuple[Any, ...]] = []
    with material.store.reading() as session:
        for judged in replies_by_judgment(session, material.project.id, PANEL):
            rows += _rows(judged)
    panels = pd.DataFrame(rows, columns=list(SCORE_COLUMNS))
    panels = panels.merge(counted, on=["rater", "response", "criterion"])
    return pd.concat([people, panels.astype({name: people[name].dtype for name in ("run", "sample")})])


def _rows(judged: JudgmentReplies) -> list[tuple[Any, ...]]:
    panel = judged.detail.get("panel")
    if not panel:
        return []
    heard = [
        Heard(
            Call((), data=data),
            Reading(said.get("scores") or {}, reason=said.get("reason"), detail=said.get("detail") or {}),
        )
        for data, said in judged.calls
    ]
    whole, _broken = complete_sittings(heard, seats=len(panel["roles"]))
    criteria = dict.fromkeys(key for one in heard for key in one.reading.scores)
    shared = (judged.item, judged.response, judged.system, judged.group)
    return [
        (*shared, criterion, judged.judge, "judge", score, 0, wording, judged.judged_at)
        for wording, score in wording_scores(whole, weighed=panel["weighed"]).items()
        for criterion in criteria
    ]
