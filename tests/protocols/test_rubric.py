"""BioASQ's prompts: the order of the JSON, what is shown, what is read."""

from __future__ import annotations

import json
import re

import pytest

from judgelab.domain import Criterion, Demonstration, Evidence, Reference, Task
from judgelab.errors import InvalidInput, NotPromptable
from judgelab.protocols import protocols
from judgelab.protocols.percentiles import choose_by_percentile, shown_criteria
from judgelab.studies.base import studies

CRITERIA = studies.get("bioasq").criteria
TASK = Task(
    "What causes it?",
    "A virus.",
    CRITERIA,
    references=[Reference("A virus does."), Reference("Viruses.")],
    evidence=[Evidence("repscore", 0.81234), Evidence("smog", 11.5)],
)
REASONED = (
    '{"recall": {"explanation": "Most of it.", "score": 4}, "precision": {"explanation": "", "score": 5}, '
    '"repetition": {"explanation": "None.", "score": 5}, "readability": {"explanation": "Dry.", "score": 3}}'
)


def order(name: str, task: Task = TASK, **options: object) -> list[str]:
    prompt = protocols.get(name).build(task, options)[-1].content
    form = re.search(r"in exactly this format.*?(\{.*\})", prompt)
    assert form
    return re.findall(r'"(\w+)": \{', form[1])


def test_the_json_names_the_criteria_in_the_papers_order() -> None:
    assert order("otb") == ["readability", "recall", "precision", "repetition"]
    assert order("rts") == order("meta", form="rts") == ["recall", "precision", "repetition", "readability"]
    own = [Criterion(key, key.title(), {"kind": "ordinal", "low": 1, "high": 5}) for key in ("wit", "tone")]
    assert order("rts", Task("q", "a", own)) == ["wit", "tone"]
    for name in ("otb", "rts"):
        schema = protocols.get(name).reply_schema(TASK, {})
        assert schema and list(schema["properties"]) == order(name)
    assert schema and list(schema["properties"]["recall"]["properties"]) == ["explanation", "score"]


def test_system_turn_sampling_and_known_answers_are_the_papers() -> None:
    protocol = protocols.get("otb")
    system, user = protocol.build(TASK, {})
    assert (system.role, "biomedical" in system.content) == ("system", True)
    assert "biomedical" not in protocol.build(TASK, {"field": "none"})[0].content
    assert user.content.count("<reference>") == 2
    assert (protocol.samples, protocol.parameters) == (3, {"temperature": 0.0, "top_p": 0.6})


def test_all_scores_and_reasons_are_read_and_none_is_made_up() -> None:
    rts = protocols.get("rts")
    reading = rts.parse(REASONED, TASK, {})
    assert reading.scores == {"recall": 4, "precision": 5, "repetition": 5, "readability": 3}
    assert reading.rationale == "recall: Most of it.\nrepetition: None.\nreadability: Dry."
    lacking = json.loads(REASONED)
    del lacking["precision"]
    assert rts.parse(json.dumps(lacking), TASK, {}).reason == "no score for precision"
    lacking["precision"] = {"score": 6}
    assert rts.parse(json.dumps(lacking), TASK, {}).reason == "precision: 6 is not one of 1, 2, 3, 4, 5"


def test_the_papers_template_lacks_commas_and_is_read_all_the_same() -> None:
    as_printed = REASONED.replace("}, ", "}\n")[:-1]
    assert protocols.get("rts").parse(as_printed, TASK, {}).scores["readability"] == 3


def test_examples_are_the_15th_and_80th_percentile_of_three_criteria() -> None:
    rated = [
        Demonstration(f"q{n}", f"r{n}", 0, scores={"recall": n, "precision": 20 - n, "readability": n % 5})
        for n in range(1, 21)
    ]
    keys = shown_criteria([criterion.key for criterion in CRITERIA])
    chosen = choose_by_percentile(rated, keys, seed=3)
    assert keys == ("recall", "precision", "readability")
    # Nearest rank of twenty: the 3rd and the 16th.
    assert [example.scores["recall"] for example in chosen[:2]] == [3, 16]
    assert [example.scores["precision"] for example in chosen[2:4]] == [2, 15]
    assert [example.scores["readability"] for example in chosen[4:]] == [0, 3]
    assert len({example.question for example in chosen}) == 6
    assert choose_by_percentile(rated[::-1], keys, seed=3) == chosen
    with pytest.raises(
        InvalidInput, match="responses rated under recall, precision, readability needed as examples: 6"
    ):
        choose_by_percentile(rated[:5], keys)


def test_examples_stand_with_known_answers_and_scores_in_otbs_form() -> None:
    scores = {"recall": 4.5, "precision": 2, "repetition": 3, "readability": 1}
    example = Demonstration("Why?", "So.", 3, scores=scores, references=["Because."])
    prompt = (
        protocols.get("few_shot").build(Task(**{**vars(TASK), "demonstrations": [example]}), {})[-1].content
    )
    assert "Because." in prompt
    assert (
        '{"readability": {"score": 1}, "recall": {"score": 5}, "precision": {"score": 2}, '
        '"repetition": {"score": 3}}' in prompt
    )


def test_other_evaluators_are_shown_with_what_they_measure() -> None:
    evidence = [*TASK.evidence, Evidence("otb tuned", 4, "recall"), Evidence("otb tuned", 2, "precision")]
    prompt = protocols.get("meta").build(Task(**{**vars(TASK), "evidence": evidence}), {})[-1].content
    lines = re.findall(r"^- (\w+).* for (\w+): ([\d.]+)$", prompt, re.MULTILINE)
    assert lines == [
        ("repscore", "repetition", "0.812"),
        ("smog", "readability", "11.5"),
        ("otb", "recall", "4"),
        ("otb", "precision", "2"),
    ]


def test_a_judge_that_is_to_be_told_of_a_score_is_not_asked_without_it() -> None:
    meta, bare = protocols.get("meta"), Task(**{**vars(TASK), "evidence": TASK.evidence[:1]})
    bare = Task(**{**vars(bare), "item": "q7", "response_name": "system A"})
    with pytest.raises(NotPromptable) as lacking:
        meta.build(bare, {"evidence": "repscore, smog,otb tuned,smog"})
    assert lacking.value.cause == "score_missing"
    assert "score from 'smog', 'otb tuned' is missing for response 'system A' of item 'q7'" in str(
        lacking.value
    )
    none = Task(**{**vars(bare), "evidence": [*bare.evidence, Evidence("smog", None, reason="no sentence")]})
    with pytest.raises(NotPromptable, match="'smog' has no value for .* 'q7' .no sentence., and"):
        meta.build(none, {"evidence": "repscore,smog"})
    assert "otb tuned" not in meta.build(bare, {"evidence": "repscore"})[-1].content
    assert (
        "<evaluators>" not in meta.build(Task(**{**vars(TASK), "evidence": ()}), {"evidence": ""})[-1].content
    )
