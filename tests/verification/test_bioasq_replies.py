"""What GPT-3.5 and GPT-4 once said of SummEval's summaries, put into BioASQ's JSON and read again."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pandas as pd
import pytest

from judgelab.domain import Task
from judgelab.protocols import protocols
from judgelab.protocols.reading.grammars import read
from judgelab.scales import scale_from_json
from judgelab.studies import studies

pytestmark = pytest.mark.datasets

STANDS_FOR = {
    "relevance": "recall",
    "consistency": "precision",
    "coherence": "repetition",
    "fluency": "readability",
}
HALVES = scale_from_json({"kind": "numeric", "low": 1, "high": 5})
TASK = Task("", "A summary.", studies.get("bioasq").criteria, kind="summarisation")
WRAPPED = ("{}", "```json\n{}\n```", "Here is my judgment.\n{}\nI hope this helps.")


@pytest.mark.parametrize(("model", "unscored"), [("gpt-3.5-turbo-0301", 157), ("gpt-4-0314", 47)])
def test_reasons_and_scores_come_back_and_half_points_are_no_scores(
    datasets: Path, model: str, unscored: int
) -> None:
    frame = pd.read_csv(datasets / "summeval" / "judge_raw_replies_rts_mcq.csv")
    mine = frame[(frame["model"] == model) & (frame["protocol"] == "rts")]
    answers: dict[tuple[str, str], dict[str, dict[str, object]]] = defaultdict(dict)
    for row in mine.itertuples():
        score = read("digit", row.reply, HALVES, explain=True).score
        answers[row.doc_id, row.system][STANDS_FOR[row.criterion]] = {
            "explanation": row.reply,
            "score": score,
        }
    assert len(answers) == 1200
    unscored_replies = 0
    for n, reply in enumerate(answers.values()):
        reading = protocols.get("rts").parse(WRAPPED[n % 3].format(json.dumps(reply)), TASK, {})
        expected = {key: answer["score"] for key, answer in reply.items()}
        if reading.scored:
            assert reading.scores == expected
            assert all(str(answer["explanation"]) in reading.rationale for answer in reply.values())
        else:
            unscored_replies += 1
            assert any(score is None or score % 1 for score in expected.values()), reading.reason
    assert unscored_replies == unscored
