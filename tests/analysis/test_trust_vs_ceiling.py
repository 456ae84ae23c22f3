"""Trust and Agree give one figure and one n; a sentence on length says whose doing it is."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from judgelab.analysis.agreement.agreement_table import agreement_and_ceiling
from judgelab.analysis.comparison.sample_size import sample_size_for_alternative_test
from judgelab.analysis.trust.answer import trust_statements
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.analysis.trust.trust_table import trust_table
from judgelab.domain import Criterion
from judgelab.imports.service import collect_files, import_files
from judgelab.languages import in_language
from judgelab.reporting.gathering import gather_facts, measure_judges
from judgelab.reporting.judge_biases import bias_sentences
from judgelab.reporting.pack import write_pack
from judgelab.reporting.results import results_page
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from judgelab.ui.agree.trust_notes import NOTES
from judgelab.ui.agree.trust_overview import answer_table
from tests.databases import load_demo

POINTS = {"kind": "ordinal", "low": 1, "high": 5}


def import_scores(
    store: Store, folder: Path, scale: dict[str, Any], rows: list[tuple[int, int, str, str, float]]
) -> None:
    """Make a project "p" of (item, words, rater, kind, score)."""
    with store.writing() as session:
        create_project(session, name="P", criteria=[Criterion("good", "Good", scale)])
    lines = ["item_id,question,response,rater,rater_kind,criterion,score"]
    lines += [
        f"q{item},What?,{' '.join(['word'] * words)} {item},{rater},{kind},good,{score:g}"
        for item, words, rater, kind, score in rows
    ]
    (folder / "ratings.csv").write_text("\n".join(lines) + "\n")
    import_files(store, "p", collect_files([folder / "ratings.csv"]))


def points(value: float) -> int:
    return min(5, max(1, round(value)))


def trust_with_length_bias(store: Store, folder: Path, judge: Any) -> JudgeTrust:
    """A hundred responses whose raters give more to longer ones; the judge scores what `judge` says."""
    draw, rows = random.Random(4), list[tuple[int, int, str, str, float]]()
    for item in range(100):
        words, quality = 5 + 4 * (item // 2), (-1.0) ** item
        for rater in ("Ada", "Bo", "Cy"):
            liked = 3 + (words - 100) / 60 + quality / 2 + draw.gauss(0, 0.4)
            rows.append((item, words, rater, "human", points(liked)))
        rows.append((item, words, "judge", "judge", judge(words, quality, draw)))
    import_scores(store, folder, POINTS, rows)
    return measure_trust(store, "p", "judge", resamples=200)


def test_length_that_does_not_move_the_judge_is_not_said_to_be_its_taste(
    store: Store, tmp_path: Path
) -> None:
    trust = trust_with_length_bias(
        store, tmp_path, lambda words, quality, draw: points(3 + quality + draw.gauss(0, 0.3))
    )
    verbosity = trust.criteria["good"].verbosity
    assert verbosity.own.ci is not None and verbosity.own.ci[0] < 0 < verbosity.own.ci[1]
    assert verbosity.raters.ci is not None and verbosity.raters.ci[0] > 0
    assert verbosity.slope.value == pytest.approx(verbosity.own.value - verbosity.raters.value)
    good_by_text = {
        statement.text: statement.good for statement in trust_statements(trust) if statement.about == "length"
    }
    assert good_by_text == {
        "Length does not affect its scores on “Good”; the raters prefer longer responses.": None
    }


def test_a_judge_that_rewards_brevity_is_said_to(store: Store, tmp_path: Path) -> None:
    trust = trust_with_length_bias(
        store, tmp_path, lambda words, quality, draw: points(4 - words / 60 + quality / 2)
    )
    good_by_text = {
        statement.text: statement.good for statement in trust_statements(trust) if statement.about == "length"
    }
    assert good_by_text == {"It prefers shorter responses on “Good”; the raters prefer longer ones.": False}


def test_a_higher_level_and_a_narrower_range_are_set_beside_the_raters(store: Store, tmp_path: Path) -> None:
    """The raters' mean is 3 and they use 1 to 5; the judge says 4, seldom 3 or 5."""
    trust = trust_with_length_bias(
        store, tmp_path, lambda words, quality, draw: points(4 + draw.gauss(0, 0.4))
    )
    criterion = trust.criteria["good"]
    leniency, spread = criterion.leniency, criterion.spread
    assert leniency.difference.value == pytest.approx(leniency.own.value - leniency.raters.value)
    assert leniency.raters.ci[1] < leniency.own.ci[0] and spread.own.ci[1] < spread.raters.ci[0]
    good_by_text = {
        statement.text: statement.good for statement in trust_statements(trust) if statement.about == "habits"
    }
    low, high = leniency.difference.ci
    (leniency_text,) = [
        text for text in good_by_text if text.startswith("It scores higher than the raters on “Good” (mean: ")
    ]
    assert (
        good_by_text[leniency_text] is False
        and f"{leniency.own.value:.2f} [{leniency.own.ci[0]:.2f}, " in leniency_text
    )
    assert (
        f"the raters {leniency.raters.value:.2f} [" in leniency_text
        and f"[{low:.2f}, {high:.2f}])." in leniency_text
    )
    (spread_text,) = [
        text
        for text in good_by_text
        if text.startswith("Its scores vary less than a single rater's on “Good”")
    ]
    assert good_by_text[spread_text] is None and len(good_by_text) == 2
    assert trust.to_json()["criteria"][0]["leniency"]["own"]["value"] == leniency.own.value


def test_the_pack_and_the_share_page_have_the_habits_of_trust(store: Store, tmp_path: Path) -> None:
    trust_with_length_bias(store, tmp_path, lambda words, quality, draw: points(4 + draw.gauss(0, 0.4)))
    assert "tables/habits.csv" in write_pack(store, "p", tmp_path / "pack")
    rows = pd.read_csv(tmp_path / "pack" / "tables" / "habits.csv").set_index("habit")
    criterion = measure_trust(store, "p", "judge").criteria["good"]
    for name, bias in (("leniency", criterion.leniency), ("spread", criterion.spread)):
        row = rows.loc[name]
        assert (row["own"], row["raters"], row["difference"]) == pytest.approx(
            (bias.own.value, bias.raters.value, bias.difference.value)
        )
        assert row["difference_ci_low"] == pytest.approx(bias.difference.ci[0])
        assert row["p_corrected"] == pytest.approx(bias.test.adjusted)
    assert rows.loc["length", "own"] == pytest.approx(criterion.verbosity.own.value)
    facts = gather_facts(store, "p")
    measured = measure_judges(store, facts)
    overview = pd.read_csv(tmp_path / "pack" / "tables" / "trust.csv")
    cells = trust_table(measured[0])["good"]
    assert overview["mark"].tolist() == [cell.mark for cell in cells.values()]
    assert overview["n"].tolist() == [cell.n for cell in cells.values()] and overview["why"].all()
    page = results_page(facts, measured, version="1")
    assert "Can judge be trusted?" in page and f"<td>no ({cells['biases'].n})</td>" in page
    assert "judge: It scores higher than the raters on “Good”" in page
    with in_language("de"):
        answers = answer_table(measured[0], trust_table(measured[0])).iloc[0]
    assert answers["Besteht die Tests auf Verzerrung?"] == f"nein ({cells['biases'].n})"
    assert answers["Kriterium"] == "Good"
    assert f"{criterion.leniency.own.value:.2f} [{criterion.leniency.own.ci[0]:.2f}, " in page


def test_a_correction_that_mean_and_sd_share_is_said_once(store: Store, tmp_path: Path) -> None:
    trust = trust_with_length_bias(store, tmp_path, lambda words, quality, draw: points(3 + quality))
    note = NOTES["habits"](trust)
    assert note.count("there is only one test, so p is not corrected") == 1
    assert "p: t test" in note and "p, SD: paired bootstrap test" in note
    (of_biases,) = [each for each in bias_sentences(gather_facts(store, "p")) if each.startswith("p: ")]
    assert of_biases.count("there is only one test") == 1 and "paired bootstrap test" in of_biases


def test_a_level_and_a_range_that_could_be_chance_are_not_claimed(store: Store, tmp_path: Path) -> None:
    def rater(words: int, quality: float, draw: random.Random) -> int:
        return points(3 + (words - 100) / 60 + quality / 2 + draw.gauss(0, 0.4))

    trust = trust_with_length_bias(store, tmp_path, rater)
    assert [statement for statement in trust_statements(trust) if statement.about == "habits"] == []


def test_a_judge_of_one_score_is_said_to_give_one(store: Store, tmp_path: Path) -> None:
    trust = trust_with_length_bias(store, tmp_path, lambda words, quality, draw: 3)
    texts = [
        statement.text for statement in trust_statements(trust) if statement.about in ("habits", "length")
    ]
    assert "It gives every response the same score on “Good”." in texts
    assert "Length does not affect its scores on “Good”; the raters prefer longer responses." in texts
    assert trust.criteria["good"].spread.own.ci is None


def test_a_taste_for_its_own_family_is_the_judges_only_where_its_own_scores_show_it(
    store: Store, tmp_path: Path
) -> None:
    draw, lines = random.Random(3), ["item_id,system,rater,rater_kind,criterion,score"]
    for item in range(60):
        for system, judged in (("kin", 4.0), ("other", 3.0), ("far", 3.0)):
            for rater, kind, level in (("Ada", "human", 3.0), ("Bo", "human", 3.0), ("j", "judge", judged)):
                lines.append(f"q{item},{system},{rater},{kind},good,{points(level + draw.gauss(0, 0.6))}")
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n")
    with store.writing() as session:
        create_project(session, name="P", criteria=[Criterion("good", "Good", POINTS)])
    import_files(store, "p", collect_files([tmp_path / "ratings.csv"]), create_missing=True)
    trust = measure_trust(store, "p", "j", resamples=100, own_systems=["kin"])
    family = trust.criteria["good"].family
    assert family is not None and family.difference == family.favour.difference
    assert family.favour.raters.ci[0] < 0 < family.favour.raters.ci[1] and family.favour.own.ci[0] > 0
    assert family.difference.value == pytest.approx(family.own.value - family.others.value)
    (statement,) = [
        family_statement for family_statement in trust_statements(trust) if family_statement.about == "family"
    ]
    assert statement.good is False and statement.text.startswith(
        "It scores responses of its own model family higher than the others, more so than "
        "the raters, on “Good”"
    )
    far_trust = measure_trust(store, "p", "j", resamples=100, own_systems=["far"])
    assert [
        family_statement
        for family_statement in trust_statements(far_trust)
        if family_statement.about == "family"
    ] == []


def test_a_judge_that_counts_words_is_never_praised(store: Store, tmp_path: Path) -> None:
    trust = trust_with_length_bias(store, tmp_path, lambda words, quality, draw: points(1 + words / 45))
    first_statement = trust_statements(trust)[0]
    assert trust.criteria["good"].verdict == "no_better"
    assert trust.criteria["good"].baseline_as_good and first_statement.good is False
    assert first_statement.text.startswith("On “Good”, even the best trivial baseline agrees")
    assert "word count alone (0." in first_statement.text
    assert not [
        statement for statement in trust_statements(trust) if statement.about == "stand_in" and statement.good
    ]


def test_more_names_the_baseline_that_a_judge_does_not_beat(store: Store, tmp_path: Path) -> None:
    counter = trust_with_length_bias(store, tmp_path, lambda words, quality, draw: points(1 + words / 45))
    ceiling_row = counter.criteria["good"].beside
    assert (
        ceiling_row is not None
        and ceiling_row.baseline is not None
        and ceiling_row.baseline.estimate.value is not None
    )
    answer = sample_size_for_alternative_test(store, "p", "judge", resamples=50, most=100).answer
    value = f"{ceiling_row.baseline.estimate.value:.2f}"
    assert f"judge is not significantly better than word count alone ({value})" in answer


def test_more_says_nothing_of_baselines_that_a_judge_beats(store: Store, tmp_path: Path) -> None:
    trust_with_length_bias(
        store, tmp_path, lambda words, quality, draw: points(3 + (words - 100) / 60 + quality / 2)
    )
    assert "alone" not in sample_size_for_alternative_test(store, "p", "judge", resamples=50, most=100).answer


def test_trust_and_agree_give_one_figure_on_one_n_that_adds_up(store: Store, tmp_path: Path) -> None:
    """Of 87 judged responses 50 have two raters; 40 more have two raters and no verdict."""
    draw, rows = random.Random(1), list[tuple[int, int, str, str, float]]()
    for item in range(127):
        correct = draw.random() < 0.6
        for rater in ("Ada", "Bo") if item < 90 else ("Ada",):
            rows.append((item, 9, rater, "human", float(correct != (draw.random() < 0.15))))
        if not 50 <= item < 90:
            rows.append((item, 9, "judge", "judge", float(correct == (draw.random() < 0.35))))
    import_scores(store, tmp_path, {"kind": "binary"}, rows)
    criterion = measure_trust(store, "p", "judge", resamples=200).criteria["good"]
    options = {
        "level": "none",
        "coefficients": [criterion.beside.coefficient if criterion.beside else ""],
    }
    row = next(
        row
        for row in agreement_and_ceiling(store, "p", resamples=200, **options).vs_ceiling
        if row.rater == "judge"
    )
    assert criterion.beside == row and row.estimate.n == row.raters.n == 50 and criterion.n == 87
    assert row.difference.value == pytest.approx(row.estimate.value - row.raters.value)
    statements = [
        statement
        for statement in trust_statements(measure_trust(store, "p", "judge", resamples=200))
        if statement.about == "agreement"
    ]
    assert statements[0].n == 50 and "always giving the same answer (0.00)" in statements[0].text


def test_labels_without_texts_are_not_praised_for_beating_their_length(store: Store, tmp_path: Path) -> None:
    draw, lines = random.Random(4), ["item_id,rater,rater_kind,criterion,score"]
    for item in range(60):
        for rater, kind in (("Ada", "human"), ("Bo", "human"), ("Cy", "human"), ("judge", "judge")):
            lines.append(f"q{item},{rater},{kind},good,{points(1 + item % 5 + draw.gauss(0, 0.4))}")
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n")
    with store.writing() as session:
        create_project(session, name="P", criteria=[Criterion("good", "Good", POINTS)])
    import_files(store, "p", collect_files([tmp_path / "ratings.csv"]), create_missing=True)
    good_by_text = {
        statement.text: statement.good
        for statement in trust_statements(measure_trust(store, "p", "judge", resamples=200))
    }
    assert good_by_text == {
        "On “Good”, judge agrees with the raters as well as they agree with one another, but could not be "
        "compared with a trivial baseline.": None,
        "It passes the alternative annotator test (ε = 0.2) on “Good”, but could not be compared with a "
        "trivial baseline there.": None,
    }


def test_sure_pairs_and_parts_are_corrected_over_all_criteria(store: Store) -> None:
    load_demo(store, "news")
    trust = measure_trust(store, "demo-news", "Demo judge A", resamples=100)
    trust_json = trust.to_json()
    for name, tests in (
        (
            "systems",
            [pair.human_test for criterion in trust.criteria.values() for pair in criterion.systems.pairs],
        ),
        (
            "parts",
            [
                part.test
                for criterion in trust.criteria.values()
                for by_slice in criterion.parts.values()
                for part in by_slice.slices
            ],
        ),
        ("length", [criterion.verbosity.test for criterion in trust.criteria.values()]),
    ):
        with_p = [test for test in tests if test.p is not None]
        family = trust_json["families"][name]
        assert family["corrected_over"] == {"tests": len(with_p), "criteria": list(trust.criteria)}
        assert family["correction"] == "holm" and "corrected jointly" in family["p_values"]
        smallest = min(with_p, key=lambda test: test.p)
        assert smallest.adjusted == pytest.approx(min(1.0, smallest.p * len(with_p)))
    assert trust_json["families"]["systems"]["p_floor"] is None, "all permutations of 12 items were tried"
    assert "exact permutation test, systems swapped" in trust_json["families"]["systems"]["p_values"]
    assert trust_json["families"]["parts"]["p_floor"] is None, "a t test has no floor"


def test_pairs_that_the_judge_calls_level_and_those_left_out_are_told_of(
    store: Store, tmp_path: Path
) -> None:
    """Raters: a before b before c; the judge calls a and b level and puts c first. d is in one item alone."""
    with store.writing() as session:
        create_project(session, name="P", criteria=[Criterion("good", "Good", POINTS)])
    scores = {"a": (5, 3), "b": (4, 3), "c": (2, 4), "d": (3, 3)}
    lines = ["item_id,question,system,response,rater,rater_kind,criterion,score"]
    for item in range(6):
        for system, (people, judge) in scores.items():
            if system == "d" and item:
                continue
            start = f"q{item},What?,{system},{system} says {item}"
            lines += [f"{start},{rater},human,good,{people - item % 2}" for rater in ("Ada", "Bo")]
            lines.append(f"{start},judge,judge,good,{judge - item % 2}")
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n")
    import_files(store, "p", collect_files([tmp_path / "ratings.csv"]))
    trust = measure_trust(store, "p", "judge", resamples=50)
    ordered, left_out = [
        statement.text for statement in trust_statements(trust) if statement.about == "systems"
    ]
    assert ordered.startswith(
        "On “Good”, it orders 2 of 3 pairs of systems differently from the raters and ties 1 that they "
        "do not; "
    )
    assert left_out == "On “Good”, 3 pairs of systems with fewer than two shared items are excluded."
