"""Files in the shapes of tools in which people rate: who gave which score to which response."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import select

from judgelab.imports.core.records import derived_id
from judgelab.store.db.engine import Store
from judgelab.store.frames.preference_frames import preference_frame
from judgelab.store.models import ItemRow, ResponseRow
from judgelab.store.projects.projects import find_project
from tests.imports.result_files import imported

WORDS = {"bad": 1.0, "ok": 2.0, "good": 3.0}


class Set(NamedTuple):
    """Files to import together; `share` is the only rater whose scores they hold."""

    folder: str
    files: tuple[str, ...]
    share: str = ""


SETS = (
    Set("pearmut", ("village_open.jsonl",)),
    Set("pearmut", ("village_open.campaign.json", "village_open.jsonl")),
    Set("mturk", ("Batch_4711_batch_results.csv",)),
    Set("qualtrics", ("qualtrics_values.csv",)),
    Set("qualtrics", ("qualtrics_choice_text.csv", "qualtrics_values.csv")),
    Set("google_forms", ("Village questions (Responses) - Form responses 1.csv",)),
    Set("doccano", ("ines.jsonl", "joergen.jsonl")),
    Set("doccano", ("ines.jsonl",), share="ines"),
    Set("prodigy", ("village.jsonl",)),
)


@pytest.mark.datasets
@pytest.mark.parametrize("files", SETS, ids=lambda files: f"{files.folder} {' '.join(files.files)}")
def test_each_score_is_the_persons_who_gave_it(files: Set, formats: Path, store: Store) -> None:
    folder = formats / files.folder
    expected = json.loads((folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = imported(store, {name: (folder / name).read_bytes() for name in files.files})
    assert (held.items, held.responses) == (set(expected["item_ids"]), expected["responses"])
    assert set(held.scores["rater_kind"]) == {"human"}
    found = sorted(held.scores[["item", "system", "rater", "score"]].itertuples(index=False, name=None))
    wanted = [
        (one["item"], one["system"], one["rater"], _points(one["value"])) for one in expected["human_ratings"]
    ]
    assert found == sorted(one for one in wanted if files.share in ("", one[2]))


@pytest.mark.datasets
def test_degrees_in_words_are_points_in_their_order(formats: Path, store: Store) -> None:
    folder = formats / "qualtrics"
    expected = json.loads((folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = imported(store, {"words.csv": (folder / "qualtrics_choice_text.csv").read_bytes()})
    numbers = {1: 1.0, 3: 2.0, 4: 3.0, 5: 4.0}
    assert sorted(held.scores["score"]) == sorted(numbers[one["value"]] for one in expected["human_ratings"])


@pytest.mark.datasets
def test_labels_without_texts_are_of_people_and_judges(formats: Path, store: Store) -> None:
    folder = formats / "alttest"
    expected = json.loads((folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = imported(store, {"alttest": folder})
    assert (held.items, held.responses) == (set(expected["item_ids"]), expected["responses"])
    for kind, key, who in (("human", "human_ratings", "rater"), ("judge", "judge_scores", "judge")):
        found = held.scores[held.scores["rater_kind"] == kind][["item", "system", "rater", "score"]]
        said = [one for one in expected[key] if one["value"] is not None]
        wanted = [(one["item"], one["system"], one[who], float(one["value"])) for one in said]
        assert sorted(found.itertuples(index=False, name=None)) == sorted(wanted)


@pytest.mark.datasets
def test_a_folder_of_segments_has_people_judges_and_no_means(formats: Path, store: Store) -> None:
    folder = formats / "wmt_mtme"
    expected = json.loads((folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = imported(store, {"wmt_mtme": folder})
    assert (len(held.items), held.responses) == (expected["items"], expected["responses"])
    # Nothing in the files names the items, so their texts tell which of them is which.
    sources = (folder / "sources" / "en-de.txt").read_text(encoding="utf-8").splitlines()
    order = {
        derived_id("i", "en-de", source, f"doc{place // 3}"): place for place, source in enumerate(sources)
    }
    named = held.scores.assign(item=[expected["item_order"][order[item]] for item in held.scores["item"]])
    for kind, key, who in (("human", "human_ratings", "rater"), ("judge", "judge_scores", "judge")):
        found = named[named["rater_kind"] == kind][["item", "system", "rater", "score"]]
        wanted = [(one["item"], one["system"], one[who], one["value"]) for one in expected[key]]
        assert sorted(found.itertuples(index=False, name=None)) == sorted(wanted)


def _winners(store: Store) -> list[tuple[str, str, str]]:
    """Return the item, the system that was chosen or "tie", and the kind of rater of each choice."""
    with store.reading() as session:
        frame = preference_frame(session, find_project(session, "p").id)
        systems = {row.id: row.system for row in session.scalars(select(ResponseRow))}
    sides = {"a": frame["response_a"].map(systems), "b": frame["response_b"].map(systems)}
    won = [sides[choice][place] if choice in sides else "tie" for place, choice in frame["choice"].items()]
    return list(zip(frame["item"], won, frame["rater_kind"], strict=True))


def _points(value: Any) -> float:
    first = value[0] if isinstance(value, list) else value
    return WORDS[first] if first in WORDS else float(first)


@pytest.mark.datasets
@pytest.mark.parametrize("files", [("annotations.json",), ("annotations.json", "leaderboard.csv")])
def test_preferences_of_a_judge_are_choices_and_a_failure_is_unscored(
    files: tuple[str, ...], formats: Path, store: Store
) -> None:
    folder = formats / "alpaca_eval"
    expected = json.loads((folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = imported(store, {name: (folder / name).read_bytes() for name in files})
    assert (len(held.items), held.responses) == (expected["items"], expected["responses"])
    assert held.scores.empty
    with store.reading() as session:
        asked = {row.external_id: row.question for row in session.scalars(select(ItemRow))}
    wanted = [
        (one["instruction"], one["winner"]) for one in expected["judge_scores"] if one["value"] is not None
    ]
    assert sorted((asked[item], won) for item, won, _ in _winners(store)) == sorted(wanted)
    assert {kind for *_, kind in _winners(store)} == {"judge"}


@pytest.mark.datasets
def test_a_folder_of_mt_bench_has_scores_and_choices_in_both_orders(formats: Path, store: Store) -> None:
    folder = formats / "mt_bench"
    expected = json.loads((folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = imported(store, {"mt_bench": folder})
    named = {f"{question}-1": item for question, item in expected["id_of"].items()}
    assert ({named[item] for item in held.items}, held.responses) == (
        set(expected["item_ids"]),
        expected["responses"],
    )
    single = [one for one in expected["judge_scores"] if one["criterion"] == "single-v1"]
    wanted = [(one["item"], one["system"], one["value"]) for one in single if one["value"] is not None]
    found = held.scores.assign(item=held.scores["item"].map(named))[["item", "system", "score"]]
    assert sorted(found.itertuples(index=False, name=None)) == sorted(wanted)
    winners = _winners(store)
    pairs = [one for one in expected["judge_scores"] if one["criterion"].startswith("pair")]
    for kind, said in (("human", expected["human_ratings"]), ("judge", pairs)):
        chosen = [
            (one["item"], one["winner"] or "tie") for one in said if one["value"] not in (None, "error")
        ]
        assert sorted((named[item], won) for item, won, by in winners if by == kind) == sorted(chosen)


@pytest.mark.datasets
def test_battles_are_peoples_choices_about_each_question_once(formats: Path, store: Store) -> None:
    folder = formats / "chatbot_arena"
    expected = json.loads((folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = imported(store, {"battles.json": (folder / "battles.json").read_bytes()})
    assert (len(held.items), held.responses) == (expected["items"], expected["responses"])
    winners = _winners(store)
    assert sorted(won for _, won, _ in winners) == sorted(
        one["winner"] or "tie" for one in expected["human_ratings"]
    )
    assert {kind for *_, kind in winners} == {"human"}


@pytest.mark.datasets
@pytest.mark.parametrize(
    "files",
    [
        ("records.json",),
        ("records_flat.jsonl",),
        ("records_flat.csv",),
        ("records_flat.csv", "records_flat.jsonl"),
    ],
)
def test_records_of_argilla_have_people_and_suggestions(
    files: tuple[str, ...], formats: Path, store: Store
) -> None:
    folder = formats / "argilla"
    expected = json.loads((folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = imported(store, {name: (folder / name).read_bytes() for name in files})
    assert (held.items, held.responses) == (set(expected["item_ids"]), expected["responses"])
    # Only rows say which answers are drafts.
    drafts = () if files == ("records.json",) else ("draft", "discarded")
    for kind, key, who in (("human", "human_ratings", "rater"), ("judge", "judge_scores", "judge")):
        found = held.scores[held.scores["rater_kind"] == kind][["item", "system", "rater", "score"]]
        said = [one for one in expected[key] if one["value"] is not None and one.get("status") not in drafts]
        wanted = [(one["item"], one["system"], one[who], float(one["value"])) for one in said]
        assert sorted(found.itertuples(index=False, name=None)) == sorted(wanted)
