"""What *Trust* says of choices between two responses, worked by hand on small projects of pairs."""

from __future__ import annotations

from itertools import combinations

import pytest

from judgelab.analysis.comparison.choice_agreement import ACCURACY, choice_agreement
from judgelab.analysis.comparison.system_means import estimate_means
from judgelab.analysis.trust.answer import trust_statements
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.analysis.trust.repeats import without_repeats
from judgelab.analysis.trust.trust_table import trust_table
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from tests.compared import confident_project, pairs_project

SYSTEMS = ("gamma", "alpha", "zeta")  # the best one first; not in the order of their names


def ranked_project(store: Store, *, items: int = 40) -> str:
    """Forty items, every two of three systems compared by three raters and by two judges.

    The raters prefer the better system, but for Cid on every eighth item. `right` does too, but for every
    twentieth item, and sees either response first in turn. `first` always takes the response shown first:
    the worse system's, which is the longer one, but for every twentieth item.
    """
    with store.writing() as session:
        slug = create_project(session, name="Ranked").slug
    words = {name: place for place, name in enumerate(SYSTEMS, start=1)}
    texts = ["item_id,question,system,response"]
    texts += [f"q{n},Why?,{name},{'so ' * words[name]}" for n in range(items) for name in SYSTEMS]
    met = [(n, a, b) for n in range(items) for a, b in combinations(SYSTEMS, 2)]
    people = ["item_id,response_a,response_b,rater,choice"]
    for rater, every in (("Ann", items + 1), ("Bea", items + 1), ("Cid", 8)):
        people += [f"q{n},{a},{b},{rater},{b if n % every == every - 1 else a}" for n, a, b in met]
    judges = ["item_id,response_a,response_b,judge,choice,order"]
    judges += [
        f"q{n},{a},{b},right,{b if n % 20 == 19 else a},{a if (n % 2) == (n < 20) else b}" for n, a, b in met
    ]
    judges += [f"q{n},{a},{b},first,{c},{c}" for n, a, b in met for c in (a if n % 20 == 19 else b,)]
    for name, lines in (("texts", texts), ("people", people), ("judges", judges)):
        import_files(store, slug, [(f"{name}.csv", "\n".join(lines).encode())])
    return slug


def of(store: Store, slug: str, judge: str) -> JudgeTrust:
    return measure_trust(store, slug, judge, comparisons=True, resamples=200)


def marks(trust: JudgeTrust) -> dict[str, str]:
    (cells,) = trust_table(trust).values()
    return {question: cell.mark for question, cell in cells.items()}


def test_a_judge_that_chooses_as_the_raters_do_is_trusted(any_store: Store) -> None:
    trust = of(any_store, ranked_project(any_store), "right")
    assert marks(trust) == {
        "rater": "yes", "baseline": "yes", "systems": "yes", "biases": "yes", "data": "yes",
    }  # fmt: skip
    (measured,) = trust.criteria.values()
    assert measured.of_pairs is not None and measured.of_pairs.order is not None
    # Of 120 pairs, 60 show the better one first. It takes the other in 3 of these, and the one shown first
    # in 3 of the rest.
    assert measured.of_pairs.order.first_rate.value == pytest.approx((60 - 3 + 3) / 120)
    assert measured.of_pairs.order.winner_first.value == pytest.approx(57 / 60)
    assert measured.of_pairs.order.winner_second.value == pytest.approx(57 / 60)
    assert measured.of_pairs.order.consistency.value is None, "each pair was judged in one order"
    longer = measured.of_pairs.longer
    assert (longer.own.value, longer.raters.value) == (pytest.approx(6 / 120), 0.0)
    assert measured.systems is not None
    leads = {(pair.better, pair.worse): pair.human.value for pair in measured.systems.pairs}
    lead = (35 + 5 * 1 / 3) / 40  # 1 for three votes, 1/3 for two of three
    assert leads == {
        ("gamma", "alpha"): pytest.approx(lead),
        ("gamma", "zeta"): pytest.approx(lead),
        ("alpha", "zeta"): pytest.approx(lead),
    }
    assert {pair.human.n for pair in measured.systems.pairs} == {40}
    assert [pair.judge.value for pair in measured.systems.pairs] == 3 * [pytest.approx((38 - 2) / 40)]


def test_a_judge_of_length_and_place_is_told_so(store: Store) -> None:
    trust = of(store, ranked_project(store), "first")
    assert marks(trust) == {
        "rater": "no", "baseline": "no", "systems": "no", "biases": "no", "data": "yes",
    }  # fmt: skip
    texts = [str(statement.text) for statement in trust_statements(trust)]
    first = "On “Score”, it prefers the response shown first in 100 % [97, 100] of its choices with a winner."
    assert first in texts
    assert "It is significantly worse than always giving the same answer" in texts[0]
    longer = next(text for text in texts if "longer response more often" in text)
    assert longer.startswith(
        "On “Score”, it chooses the longer response more often than the raters do: in 95 %"
    )
    assert {statement.unit for statement in trust_statements(trust)} <= {"pair", "choice", "item"}


def test_trust_and_agree_give_the_same_figures(store: Store) -> None:
    slug = pairs_project(store)
    found = choice_agreement(store, slug)
    for judge in found.judges:
        if judge.kind == "judge" and judge.name != "lost-judge":
            (measured,) = measure_trust(store, slug, judge.name, comparisons=True).criteria.values()
            assert measured.beside is not None
            beside = judge.vs_raters[ACCURACY]
            assert measured.beside.estimate == beside.estimate and measured.beside.raters == beside.raters
            assert measured.alternative == judge.replacement
            assert measured.missing == 0


def test_the_longer_response_is_the_best_baseline_where_it_is(store: Store) -> None:
    (measured,) = measure_trust(store, pairs_project(store), "k-judge", comparisons=True).criteria.values()
    assert measured.beside is not None and measured.beside.baseline is not None
    assert measured.beside.baseline.name == "longer"
    # Ann's 5 pairs: N N O O O by the other two, and the new response is always the longer one.
    by_hand = (2 / 5 + 2 / 5 + 3 / 6) / 3
    assert measured.beside.baseline.estimate.value == pytest.approx(by_hand)


def test_the_command_measures_choices_where_there_are_no_scores(store: Store) -> None:
    slug = pairs_project(store, points=False)
    trust = measure_trust(store, slug, "j-judge", comparisons=None)
    assert trust.of_pairs and trust.coefficient == ACCURACY
    lost = measure_trust(store, slug, "k-judge", comparisons=None)
    assert lost.unscored.total == 0


def test_win_rates_by_people_by_a_judge_and_by_both(store: Store) -> None:
    slug = ranked_project(store)
    means = estimate_means(store, slug, "right", comparisons=True, at_random=True)
    rates = {row.system: row for row in means.systems}
    kept = (35 * 1 + 5 * 2 / 3) / 40  # by three votes, or by two of three
    assert list(rates) == ["gamma", "alpha", "zeta"]
    assert rates["gamma"].people.value == pytest.approx(kept)
    assert rates["alpha"].people.value == pytest.approx(0.5)
    assert rates["zeta"].people.value == pytest.approx(1 - kept)
    assert {row.rated_responses for row in means.systems} == {80}, "pairs"
    mean = rates["gamma"].mean
    assert mean is not None and mean.judge.value == pytest.approx(38 / 40)
    differences = {(row.first, row.second): row for row in means.differences}
    trust = of(store, slug, "right").criteria["score"].systems
    assert trust is not None
    for pair in trust.pairs:
        difference = differences[pair.better, pair.worse]
        assert difference.people.value == pytest.approx(pair.human.value)
        assert difference.people.ci == pytest.approx(pair.human.ci), "one interval on Means and Trust"
        assert difference.people.n == pair.human.n


def test_confidence_of_choices_is_compared_with_the_majority(any_store: Store) -> None:
    trust = of(any_store, confident_project(any_store, items=160), "sure")
    (measured,) = trust.criteria.values()
    assert measured.calibration is not None
    wrong = 32  # of 40 pairs: items 19, 39, … have no majority, and neither have eight others
    low, high = measured.calibration.bins
    assert (low.confidence, low.right.value, low.right.n) == (pytest.approx(0.6), 0.0, 2 * wrong)
    assert (high.confidence, high.right.value) == (pytest.approx(0.9), 1.0)
    n = 2 * 144
    error = (2 * wrong * 0.6 + (n - 2 * wrong) * 0.1) / n
    assert (measured.calibration.ece.value, measured.calibration.ece.n) == (pytest.approx(error), n)
    assert measured.calibration.brier.value == pytest.approx((2 * wrong * 0.36 + (n - 2 * wrong) * 0.01) / n)
    assert marks(trust)["confidence"] == "no"
    (statement,) = [each for each in trust_statements(trust) if each.about == "confidence"]
    assert str(statement.text).endswith("its confidence is not calibrated.")
    assert statement.count_text == f"n = {n} choices"
    (cells,) = trust_table(trust).values()
    assert cells["confidence"].count_text == f"n = {n} choices"


def test_few_confidences_are_not_measured_and_say_why(store: Store) -> None:
    trust = of(store, confident_project(store, items=20), "sure")
    (cells,) = trust_table(trust).values()
    assert cells["confidence"].mark == "not measured"
    (why,) = cells["confidence"].statements
    assert str(why.text).endswith(
        "the calibration of its confidence is not measured: 36 judgments; 200 are needed."
    )
    (measured,) = trust.criteria.values()
    assert measured.calibration is not None and measured.calibration.brier.value is not None


def test_without_confidences_there_is_no_question_of_calibration(store: Store) -> None:
    trust = of(store, confident_project(store, items=20), "mute")
    (measured,) = trust.criteria.values()
    assert measured.calibration is None and "confidence" not in marks(trust)


def test_later_sentences_repeat_neither_criterion_nor_n(any_store: Store) -> None:
    trust = of(any_store, ranked_project(any_store), "right")
    (cells,) = trust_table(trust).values()
    statements = cells["rater"].statements
    first, second, test = without_repeats(statements)
    assert first == statements[0] and first.text.startswith("On “") and first.count_text == "n = 120 pairs"
    assert second.text.startswith("Leaving out one rater at a time, it agrees") and not second.count_text
    assert test.text == "It passes the alternative annotator test (ε = 0.2)." and not test.count_text
    (under_a_heading,) = without_repeats([statements[1]], named=first.criteria)
    assert under_a_heading.text == second.text and under_a_heading.count_text == "n = 120 pairs"
    (alone,) = without_repeats([statements[1]])
    assert alone == statements[1]
