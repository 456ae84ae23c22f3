"""Conflicts among the raters that count, and decisions that stand beside the ratings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgelab.analysis import quality
from judgelab.analysis.conflicts import Conflict, conflicts, decide, default_distance, take_back, voices
from judgelab.analysis.disagreements import response_detail
from judgelab.analysis.scores import project_scores
from judgelab.annotation.quality import FilterPolicy
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.imports.service import import_files
from judgelab.scales import scale_from_json
from judgelab.store import people
from judgelab.store.engine import Store
from judgelab.store.projects import create_project, find_project
from judgelab.store.schema import open_store

SCALE = {"kind": "ordinal", "low": 0, "high": 3}
# Three honest raters who agree but for q0 and q1, and one who turns the scale round.
HONEST = {
    "q0": (0, 2, 3),
    "q1": (1, 3, 3),
    "q2": (2, 2, 3),
    "q3": (0, 0, 1),
    "q4": (3, 3, 3),
    "q5": (1, 1, 1),
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    opened = open_store(f"sqlite:///{tmp_path / 'test.db'}")
    with opened.writing() as session:
        create_project(session, name="p", criteria=[Criterion("good", "Good", SCALE)])
    rows = [
        {
            "item_id": item,
            "question": "?",
            "responses": [
                {
                    "system": "s",
                    "text": "x",
                    "ratings": [
                        {"rater": name, "criterion": "good", "score": score, "comment": f"{name} says so"}
                        for name, score in zip(
                            "Ann Ben Cleo Rev".split(), (*scores, 3 - scores[1]), strict=True
                        )
                    ],
                }
            ],
        }
        for item, scores in HONEST.items()
    ]
    import_files(opened, "p", [("f.jsonl", "\n".join(map(json.dumps, rows)).encode())], kind="ratings")
    return opened


def of_item(found: list[Conflict], item: str) -> Conflict:
    return next(one for one in found if one.item == item)


def owner(store: Store) -> int:
    with store.writing() as session:
        return people.find_or_create(session, "Olga", role="owner")


def test_raters_whom_the_rule_takes_out_are_not_argued_with(store: Store) -> None:
    everybody = conflicts(store, "p", criterion="good", policy="none")
    quality.save(store, "p", "strict", FilterPolicy(threshold=0.4, min_overlap=5, conflict_scope="off"))
    found = conflicts(store, "p", criterion="good")
    assert [(one.item, one.scores) for one in found] == [("q0", (0, 2, 3)), ("q1", (1, 3, 3))]
    assert len(everybody) > len(found)
    assert all("Rev" not in one.raters for one in found)


def test_the_distance_is_chosen_and_starts_at_half_the_scale(store: Store) -> None:
    assert default_distance(scale_from_json(SCALE)) == 2
    assert default_distance(scale_from_json({"kind": "numeric", "low": 0, "high": 100})) == 50
    wide = conflicts(store, "p", criterion="good", distance=3, policy="none")
    assert wide and all(one.spread >= 3 for one in wide)
    with pytest.raises(InvalidInput, match="above 0"):
        conflicts(store, "p", criterion="good", distance=0)


def test_a_decision_stands_beside_the_ratings_and_can_be_changed_and_taken_back(store: Store) -> None:
    olga = owner(store)
    before = project_scores(store, "p", policy="none").scores
    conflict = of_item(conflicts(store, "p", criterion="good", policy="none"), "q0")
    decide(store, "p", response=conflict.response, criterion="good", score=2, person_id=olga, reason=" seen ")
    made = of_item(conflicts(store, "p", criterion="good", policy="none"), "q0").decision
    assert made is not None and (made.score, made.reason, made.person) == (2, "seen", "Olga")
    decide(store, "p", response=conflict.response, criterion="good", score=None, person_id=olga)
    made = of_item(conflicts(store, "p", criterion="good", policy="none"), "q0").decision
    assert made is not None and made.score is None
    take_back(store, "p", response=conflict.response, criterion="good", person_id=olga)
    assert of_item(conflicts(store, "p", criterion="good", policy="none"), "q0").decision is None
    assert project_scores(store, "p", policy="none").scores.equals(before)
    with store.reading() as session:
        log = people.recent_events(session, find_project(session, "p").id)
    assert [e.detail["after"] for e in log if e.action == "decided_conflict"] == [
        None,
        {"score": None, "reason": ""},
        {"score": 2, "reason": "seen"},
    ]


def test_a_score_off_the_scale_is_refused(store: Store) -> None:
    conflict = conflicts(store, "p", criterion="good", policy="none")[0]
    with pytest.raises(InvalidInput, match="Good: 7 is not one of 0, 1, 2, 3"):
        decide(store, "p", response=conflict.response, criterion="good", score=7, person_id=owner(store))


def test_hidden_raters_go_by_letters_and_only_their_place_by_score_is_told(store: Store) -> None:
    conflict = of_item(conflicts(store, "p", criterion="good", policy="none"), "q0")
    said = response_detail(store, "p", conflict.response).ratings
    hidden, open_ = (voices(said, conflict, hidden=hide) for hide in (True, False))
    assert sorted(voice.name for voice in hidden) == ["Rater A", "Rater B", "Rater C", "Rater D"]
    assert [voice.score for voice in hidden] == [0, 1, 2, 3]
    assert {voice.name: voice.score for voice in open_} == {"Ann": 0, "Rev": 1, "Ben": 2, "Cleo": 3}
    assert [voice.comment for voice in hidden] == [voice.comment for voice in open_]
