"""The sample projects hold together: complete texts, scores on the scale, raters with their stated habits."""

import json
import runpy
from collections import Counter
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest

from judgelab.scales import Scale, scale_from_json

SAMPLE = Path(__file__).resolve().parents[1] / "sample_data"
FOLDERS = ("kitchen", "news")
PAIRS = SAMPLE / "pairs"
SIDES = ["item_id", "response_a", "response_b"]
UNIT = ["item_id", "system", "criterion"]


def items(folder: str) -> list[dict]:
    lines = (SAMPLE / folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def judgments(folder: str) -> pd.DataFrame:
    return pd.read_json(SAMPLE / folder / "judgments.jsonl", lines=True)


def ratings(folder: str) -> pd.DataFrame:
    return pd.read_csv(SAMPLE / folder / "ratings.csv")


def scales(folder: str) -> dict[str, Scale]:
    project = json.loads((SAMPLE / folder / "project.json").read_text(encoding="utf-8"))
    return {c["key"]: scale_from_json(c["scale"]) for c in project["criteria"]}


def units(folder: str) -> set[tuple[str, str, str]]:
    return {
        (item["item_id"], response["system"], criterion)
        for item in items(folder)
        for response in item["responses"]
        for criterion in scales(folder)
    }


def mean_agreement(table: pd.DataFrame) -> pd.Series:
    """Mean pairwise r of each rater over partners with five shared units."""
    correlations: dict[str, list[float]] = {rater: [] for rater in table}
    for first, second in combinations(table, 2):
        shared = table[[first, second]].dropna()
        if len(shared) >= 5 and (shared.nunique() > 1).all():
            r = shared[first].corr(shared[second])
            correlations[first].append(r)
            correlations[second].append(r)
    return pd.Series({rater: sum(rs) / len(rs) for rater, rs in correlations.items()}).sort_values()


def test_there_are_44_product_questions_by_two_systems_in_four_categories():
    kitchen = items("kitchen")
    assert len({item["item_id"] for item in kitchen}) == 44
    assert {item["group"] for item in kitchen} == {"kitchen", "garden", "travel", "electronics"}
    assert all({r["system"] for r in item["responses"]} == {"extractor", "writer"} for item in kitchen)


def test_there_are_twelve_reports_by_three_systems():
    news = items("news")
    assert len({item["item_id"] for item in news}) == 12
    assert all([r["system"] for r in item["responses"]] == ["lead", "abstract", "telegraph"] for item in news)
    assert all(150 <= len(item["context"].split()) <= 250 for item in news)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_item_is_complete(folder: str):
    for item in items(folder):
        assert item["question"] and item["context"] and item["group"]
        assert len(item["references"]) == 2 and all(item["references"])
        assert all(response["response"].strip() for response in item["responses"])


@pytest.mark.parametrize("folder", (*FOLDERS, "pairs"))
def test_texts_are_utf8_and_hold_no_control_characters(folder: str):
    for path in (SAMPLE / folder).iterdir():
        text = path.read_bytes().decode("utf-8")
        assert not [c for c in text if not c.isprintable() and c != "\n"], path.name


@pytest.mark.parametrize("folder", FOLDERS)
def test_quality_and_ratings_cover_every_unit(folder: str):
    for name in ("quality.csv", "ratings.csv"):
        table = pd.read_csv(SAMPLE / folder / name)
        assert set(table[UNIT].itertuples(index=False, name=None)) == units(folder)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_rating_is_on_the_scale_and_given_once(folder: str):
    table, allowed = ratings(folder), scales(folder)
    assert not [row for row in table.itertuples() if allowed[row.criterion].reject(row.score)]
    assert not table.duplicated([*UNIT, "rater"]).any()
    assert table.groupby(UNIT).size().between(3, 5).all()


@pytest.mark.parametrize("folder", FOLDERS)
def test_random_and_reversed_rater_agree_least_and_alone_fall_below_the_threshold(folder: str):
    for _, rows in ratings(folder).groupby("criterion"):
        table = rows.pivot(index=["item_id", "system"], columns="rater", values="score")
        assert set(mean_agreement(table).index[:2]) == {"Jory", "Mirren"}
        assert mean_agreement(table.drop(columns="Mirren"))["Jory"] < 0.4
        assert mean_agreement(table.drop(columns=["Jory", "Mirren"])).min() >= 0.4


def test_honest_raters_leave_conflicts_and_single_ratings_to_find():
    rows = ratings("kitchen")
    unit_scores = rows[~rows["rater"].isin(["Jory", "Mirren"])].groupby(UNIT)["score"]
    assert (unit_scores.size() < 2).sum() >= 2
    assert (unit_scores.max() - unit_scores.min() == 3).sum() >= 2


def test_about_ninety_comments_are_given():
    comments = pd.concat([ratings(folder)["comment"].dropna() for folder in FOLDERS])
    assert len(comments) >= 80
    assert comments.is_unique


def test_the_script_writes_the_ratings_again_to_the_byte(tmp_path: Path):
    runpy.run_path(str(SAMPLE / "simulate_raters.py"))["main"](tmp_path)
    for folder in FOLDERS:
        written_again = (tmp_path / folder / "ratings.csv").read_bytes()
        assert written_again == (SAMPLE / folder / "ratings.csv").read_bytes()


@pytest.mark.parametrize("folder", FOLDERS)
def test_two_judges_rate_every_unit_and_call_themselves_written(folder: str):
    table = judgments(folder)
    assert table["rater"].unique().tolist() == [f"Demo judge {x}" for x in "AB"]
    for _, rows in table.groupby("rater"):
        assert len(rows) == len(units(folder))
        assert set(rows[UNIT].itertuples(index=False, name=None)) == units(folder)


@pytest.mark.parametrize("folder", FOLDERS)
def test_judgments_are_scored_with_a_reason_or_left_unscored(folder: str):
    table, allowed = judgments(folder), scales(folder)
    scored_rows = table[table["score"].notna()]
    assert not [row for row in scored_rows.itertuples() if allowed[row.criterion].reject_mean(row.score)]
    assert (scored_rows["rationale"].str.len() > 0).all()
    assert 2 <= table["score"].isna().sum() <= 5
    assert table["samples"].map(lambda replies: len(replies) > 0 and all(replies)).all()


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_score_is_the_mean_of_the_usable_replies(folder: str):
    for row in judgments(folder).itertuples():
        stated_scores = [reply.removeprefix(f"{row.rationale} [RESULT] ") for reply in row.samples]
        usable = [int(reply) for reply in stated_scores if reply.isdigit()]
        expected = sum(usable) / len(usable) if usable else float("nan")
        assert row.score == pytest.approx(expected, abs=1e-4, nan_ok=True)


def choices() -> pd.DataFrame:
    return pd.read_csv(PAIRS / "choices.csv", keep_default_na=False)


def judged_pairs() -> pd.DataFrame:
    return pd.read_csv(PAIRS / "judged_pairs.csv", keep_default_na=False)


def test_there_are_72_pairs_of_answers_to_40_requests():
    requests = items("pairs")
    assert Counter(item["group"] for item in requests) == dict.fromkeys(
        ("notes", "explain", "plan", "numbers"), 10
    )
    pairs = [
        (item["item_id"], first["system"], second["system"])
        for item in requests
        for first, second in combinations(item["responses"], 2)
    ]
    assert len(pairs) == 72
    assert list(choices()[SIDES].itertuples(index=False, name=None)) == pairs
    for (_judge, _order), rows in judged_pairs().groupby(["judge", "order"]):
        assert list(rows[SIDES].itertuples(index=False, name=None)) == pairs


def test_every_choice_is_one_of_three_and_a_reason_names_the_answers_as_shown():
    raters = choices()
    assert raters.columns[-3:].tolist() == ["Nele", "Oskar", "Pia"]
    assert set(raters[["Nele", "Oskar", "Pia"]].to_numpy().ravel()) == {"a", "b", "tie", ""}
    judged = judged_pairs()
    assert set(judged["choice"]) == {"a", "b", "tie", ""} and (judged["choice"] == "").sum() == 2
    chosen = judged[judged["choice"].isin(["a", "b"])]
    quality = pd.read_csv(PAIRS / "quality.csv").set_index(["item_id", "system"])
    for row in chosen.itertuples():
        winner = row.response_a if row.choice == "a" else row.response_b
        place = "first" if row.choice == row.order else "second"
        good = quality.loc[(row.item_id, winner), "good"]
        assert row.rationale.index(place) < row.rationale.index(good)


def test_the_raters_and_judges_of_pairs_have_their_stated_habits():
    table = choices().merge(judged_pairs(), on=SIDES)
    one_judge = table[(table["judge"] == "Demo judge C") & (table["order"] == "a")]
    asked = one_judge[one_judge["Nele"].isin(["a", "b"])]
    same = {rater: (asked[rater] == asked["Nele"]).mean() for rater in ("Oskar", "Pia")}
    assert same["Oskar"] > same["Pia"] + 0.1
    first = {}
    for rater, rows in [("Nele", choices()), ("Pia", choices())]:
        decided = rows[rows[rater].isin(["a", "b"])]
        first[rater] = (decided[rater] == decided["first"]).mean()
    for judge, rows in judged_pairs().groupby("judge"):
        decided = rows[rows["choice"].isin(["a", "b"])]
        first[judge] = (decided["choice"] == decided["order"]).mean()
    assert first["Demo judge C"] > 0.65 > first["Demo judge D"] and first["Pia"] > first["Nele"]


def test_the_script_writes_the_choices_again_to_the_byte(tmp_path: Path):
    runpy.run_path(str(SAMPLE / "simulate_choices.py"))["main"](tmp_path)
    for name in ("choices.csv", "judged_pairs.csv", "judgments.jsonl"):
        assert (tmp_path / "pairs" / name).read_bytes() == (PAIRS / name).read_bytes()
