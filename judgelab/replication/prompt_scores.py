"""A panel asked in several wordings: each wording counts as a run, like DRPE's five runs.

A panel's verdict is the mean over its wordings. The paper compares each run with the people separately and
averages the results, so the scores of the single wordings are rebuilt from the replies.
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
    """Return the people's ratings with the panels' scores under each wording, distinguished by `sample`.

    Only responses under criteria for which the panel's score counts in the material.
    """
    scores = material.scores
    people = scores[scores["rater_kind"] == "human"]
    counted = scores[scores["rater_kind"] == "judge"][["rater", "response", "criterion"]].drop_duplicates()
    rows: list[tuple[Any, ...]] = []
    with material.store.reading() as session:
        for judgment in replies_by_judgment(session, material.project.id, PANEL):
            rows += _rows(judgment)
    panels = pd.DataFrame(rows, columns=list(SCORE_COLUMNS))
    panels = panels.merge(counted, on=["rater", "response", "criterion"])
    return pd.concat([people, panels.astype({name: people[name].dtype for name in ("run", "sample")})])


def _rows(judgment: JudgmentReplies) -> list[tuple[Any, ...]]:
    panel = judgment.detail.get("panel")
    if not panel:
        return []
    heard = [
        Heard(
            Call((), data=data),
            Reading(reply.get("scores") or {}, reason=reply.get("reason"), detail=reply.get("detail") or {}),
        )
        for data, reply in judgment.calls
    ]
    sittings, _broken = complete_sittings(heard, seats=len(panel["roles"]))
    criteria = dict.fromkeys(key for call in heard for key in call.reading.scores)
    shared = (judgment.item, judgment.response, judgment.system, judgment.group)
    return [
        (*shared, criterion, judgment.judge, "judge", score, 0, wording, judgment.judged_at)
        for wording, score in wording_scores(sittings, weighed=panel["weighed"]).items()
        for criterion in criteria
    ]
