"""QA-eval: the votes of several replies, in one turn and in two."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from judgelab.domain import Criterion, Reading, Reference, Task
from judgelab.protocols import Call, Heard, protocols
from judgelab.protocols.core.base import continue_conversation
from judgelab.protocols.qa_eval import judged_answers

TASK = Task(
    "who wrote faust",
    "goethe",
    [Criterion("correct", "Correct", {"kind": "binary"})],
    references=[Reference("Johann Wolfgang von Goethe"), Reference("J. W. Goethe")],
)
QA = protocols.get("qa_eval")


def judged(replies: list[str], **options: object) -> Reading:
    calls = QA.calls(TASK, options)
    heard = [
        Heard(calls[n % len(calls)], QA.hear_call(calls[n % len(calls)], reply, (), TASK, options))
        for n, reply in enumerate(replies)
    ]
    return QA.combine(heard, TASK, options, "majority")


def test_a_strict_majority_of_readable_votes_decides() -> None:
    combined = judged(["Same man.\nyes", "Other man.\nno", "Surname only.\nyes"])
    assert (combined.scores, combined.rationale) == ({"correct": 1.0}, "Same man.")
    # The authors' program counts the unreadable one as a no.
    assert judged(["Same man.\nyes", "I cannot tell."]).scores == {"correct": 1.0}


@pytest.mark.parametrize(("tie", "score"), [("unscored", None), ("no", 0.0), ("yes", 1.0)])
def test_as_many_yes_as_no_are_no_majority(tie: str, score: float | None) -> None:
    combined = judged(["Same man.\nyes", "Other man.\nno"], tie=tie)
    assert combined.scores.get("correct") == score
    assert (combined.reason is None) == (score is not None)


def test_the_second_turn_alone_gives_the_verdict_and_the_first_its_reasons() -> None:
    first, second = QA.calls(TASK, {"turns": "two"})
    assert second.after == first.key == "reasons"
    talk = continue_conversation(first, "He is the same man, so yes.", second).messages
    assert [message.role for message in talk] == ["user", "assistant", "user"]
    combined = judged(
        ["Same man, so: yes", "No.", "The surname suffices.", "Yes.", "Right.", "yes"], turns="two"
    )
    assert (combined.scores, combined.rationale) == ({"correct": 1.0}, "The surname suffices.")


def test_zero_shot_shows_no_example_and_few_shot_all_of_ours() -> None:
    few, none = (QA.calls(TASK, options)[0].messages[0].content for options in ({}, {"shots": 0}))
    assert (few.count("<example>"), none.count("<example>")) == (9, 0)
    assert all(text.count("Johann Wolfgang von Goethe") == 1 for text in (few, none))
    assert {judged_answer.score for judged_answer in judged_answers("3")} == {0, 1}
    assert QA.calls(TASK, {"explain": "false", "turns": "two"}) == QA.calls(TASK, {"explain": "false"})
    bare = QA.build(TASK, {"explain": "false"})[0].content
    assert "<reasoning>" not in bare and "new line" not in bare


def test_a_call_stands_alone_unless_it_follows_another() -> None:
    assert QA.calls(TASK, {}) == [Call(QA.build(TASK, {}))]


def test_replies_of_real_judges_are_read(datasets: Path) -> None:
    """Vicuna's are asked for reasons first; GPT-4's and davinci's open with their verdict."""
    folder = datasets / "qa-eval-nq301"
    vicuna = pd.read_csv(folder / "vicuna_raw_replies.csv")
    scores = pd.Series([QA.parse(reply, TASK, {}).scores.get("correct") for reply in vicuna.reply])
    differing = vicuna[scores.notna() & (scores != vicuna.parsed_verdict)]
    assert (len(vicuna), int(scores.notna().sum()), len(differing)) == (2107, 2100, 31)
    # The authors' parser looked for its label only and took these for a no.
    assert differing.reply.str.startswith("Yes, ").all()
    for model, read, wrong in (("gpt-4", 1473, 1), ("text-davinci-003", 1490, 0)):
        frame = pd.read_csv(folder / f"NQ301_{model}.tsv", sep="\t")
        verdicts = pd.Series([QA.parse(str(r), TASK, {}).scores.get("correct") for r in frame[model]])
        # Two of GPT-4's open with "No, the candidate is correct.": they say both.
        stored = frame["Acceptable?"].map({"Yes": 1.0, "No": 0.0})
        assert (int(verdicts.notna().sum()), int((verdicts.notna() & (verdicts != stored)).sum())) == (
            read,
            wrong,
        )
