"""MACE against crowd-kit's, simulated truth, and what must not depend on names and order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.errors import InvalidInput
from judgelab.metaeval.core.aggregation import Aggregation, aggregate
from judgelab.metaeval.core.mace import Mace, Start, mace
from judgelab.metaeval.core.ratings import Rated

CROWD_KIT = json.loads(Path(__file__).with_name("crowd_kit_mace.json").read_text(encoding="utf-8"))
SIMULATED = [name for name in CROWD_KIT if name != "patients"]


CROWD_KITS_STEPS = ((10, 50),)
# What holds for any table holds after any number of steps; starts are chosen between twice, as by default.
FEW_STEPS = ((10, 10), (3, 30), (1, 60))


def of(table: np.ndarray, starts: tuple[Start, ...] = (), **how: Any) -> Mace:
    """The estimate for a table with units in rows, raters in columns and -1 where there is no label."""
    unit, rater = np.nonzero(table >= 0)
    units, raters = table.shape
    labels = table[unit, rater].astype(float)
    return mace(unit, rater, labels, units=units, raters=raters, starts=starts, **how)


def crowd_kit(name: str) -> tuple[tuple[Start, ...], np.ndarray]:
    peer = CROWD_KIT[name]
    start = Start(np.array(peer["spamming"]), np.array(peer["habits"]))
    return (start,), np.array(peer["posterior"])


def simulated_table(name: str) -> np.ndarray:
    rows = CROWD_KIT[name]["labels"]
    return np.array([[-1 if letter == "." else int(letter) for letter in row] for row in rows])


@pytest.mark.parametrize("name", SIMULATED)
def test_posteriors_are_crowd_kits_from_its_starting_values(name: str) -> None:
    table = simulated_table(name)
    starts, posterior = crowd_kit(name)
    model = of(table, starts, rounds=CROWD_KITS_STEPS)
    labelled = (table >= 0).any(axis=1)
    assert model.posterior[labelled] == pytest.approx(posterior, abs=1e-7)
    assert np.isnan(model.posterior[~labelled]).all()


@pytest.mark.parametrize("name", SIMULATED)
def test_starts_of_its_own_give_crowd_kits_labels_and_no_lower_likelihood(name: str) -> None:
    table = simulated_table(name)
    starts, posterior = crowd_kit(name)
    own, peer = of(table), of(table, starts, rounds=CROWD_KITS_STEPS)
    labelled = (table >= 0).any(axis=1)
    assert (own.labels()[labelled] == posterior.argmax(axis=1)).mean() >= 0.99
    assert own.log_likelihood > peer.log_likelihood - 0.01


def test_patients_of_dawid_and_skene_have_crowd_kits_posteriors(golden: Any) -> None:
    """One of the observers saw every patient three times."""
    rows = np.array(golden("dawid_skene_1979")["rows_patient_observer_label"])
    starts, posterior = crowd_kit("patients")
    unit, rater, label = rows[:, 0] - 1, rows[:, 1] - 1, rows[:, 2].astype(float)
    model = mace(unit, rater, label, units=45, raters=5, starts=starts, rounds=CROWD_KITS_STEPS)
    assert model.posterior == pytest.approx(posterior, abs=1e-7)


def labels_of(competence: list[float], *, units: int = 400, classes: int = 3, seed: int = 7) -> Any:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, units)
    shape = (units, len(competence))
    labels = np.where(rng.uniform(size=shape) < competence, truth[:, None], rng.integers(0, classes, shape))
    return labels, truth


def test_weak_raters_are_estimated_to_convergence_whatever_the_starts() -> None:
    """Yes or no: after 50 steps a rater's P(spam) is off by 0.7, and many labels are others."""
    table, _ = labels_of([0.3, 0.3, 0.1, 0.1, 0.1], units=60, classes=2, seed=1)
    model = of(table)
    assert model.converged and model.steps > 500
    for seed in range(1, 5):
        other = of(table, seed=seed)
        assert other.spamming == pytest.approx(model.spamming, abs=0.01)
        assert other.labels() == pytest.approx(model.labels(), nan_ok=True)
    stopped = of(table, rounds=CROWD_KITS_STEPS)
    assert not stopped.converged and np.abs(stopped.spamming - model.spamming).max() > 0.7
    assert (stopped.labels() != model.labels()).sum() > 20
    once_more = of(table, (Start(np.stack([model.spamming, 1 - model.spamming], axis=1), model.habits),))
    assert once_more.spamming == pytest.approx(model.spamming, abs=1e-5)


def test_units_with_equal_labels_count_as_often_as_there_are() -> None:
    """Ten copies of a table are ten times as much evidence, and each copy has the same labels."""
    table, _ = labels_of([0.8, 0.6, 0.2], units=60, classes=2, seed=3)
    once, ten_times = of(table), of(np.tile(table, (10, 1)))
    assert ten_times.posterior == pytest.approx(np.tile(ten_times.posterior[:60], (10, 1)))
    # Without a prior they would be equal.
    assert ten_times.spamming == pytest.approx(once.spamming, abs=0.15)
    assert ten_times.log_likelihood < 9 * once.log_likelihood


def test_of_many_different_labels_the_last_round_has_fewer_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judgelab.metaeval.core.mace.MOST_WORK", 700 * 200 * 12)
    table, _ = labels_of([0.02] * 12, units=200, classes=3, seed=3)  # no two units are alike
    assert len(np.unique(table, axis=0)) == 200
    model = of(table)
    assert (model.converged, model.steps) == (False, 700)
    alike = of(np.tile(table[:50], (40, 1)))  # forty times as many labels, but of fifty units that differ
    assert alike.steps > 700


def test_spammers_are_found_and_outvoting_does_not_help_them() -> None:
    competence = [0.9, 0.8, 0.7, 0.0, 0.0, 0.0]
    table, truth = labels_of(competence)
    table[:, 4:] = 0  # two who always say the same
    model = of(table)
    assert model.spamming == pytest.approx(1 - np.array(competence), abs=0.08)
    assert model.habits[4, 0] > 0.9
    unit, rater = np.divmod(np.arange(table.size), table.shape[1])
    rated = Rated(unit, rater, table.ravel().astype(float))
    majority = aggregate(rated, units=len(truth), raters=6, aggregation=Aggregation("majority"))
    by_mace = aggregate(rated, units=len(truth), raters=6, aggregation=Aggregation("mace"))
    assert (by_mace == truth).mean() > 0.93 > (majority == truth).mean() + 0.1


def test_a_rater_without_labels_has_no_probability_of_spamming() -> None:
    table = np.array([[0, 0, -1], [1, 1, -1], [-1, -1, -1]])
    model = of(table)
    assert np.isnan(model.spamming).tolist() == [False, False, True]
    assert model.labels() == pytest.approx([0, 1, np.nan], nan_ok=True)


def test_no_labels_at_all_are_no_error() -> None:
    model = of(np.full((2, 3), -1))
    assert np.isnan(model.labels()).all() and np.isnan(model.spamming).all()


def test_many_labels_of_one_unit_do_not_underflow() -> None:
    table = np.tile(np.arange(5)[:, None], (1, 3000))
    model = of(table)
    assert model.labels().tolist() == [0, 1, 2, 3, 4] and np.isfinite(model.log_likelihood)


@pytest.mark.parametrize("how", ["dawid_skene", "mace"])
def test_equally_probable_classes_leave_the_unit_out(how: str) -> None:
    """Two raters who disagree in a balanced way cannot be told apart."""
    labels = np.array([[0, 1], [1, 0], [0, 0], [1, 1]])
    unit, rater = np.divmod(np.arange(8), 2)
    rated = Rated(unit, rater, labels.ravel().astype(float))
    scores = aggregate(rated, units=4, raters=2, aggregation=Aggregation(how))
    assert scores == pytest.approx([np.nan, np.nan, 0, 1], nan_ok=True)


def test_a_slider_has_no_classes() -> None:
    with pytest.raises(InvalidInput, match="MACE allows at most 32 different scores, .* have 40"):
        of(np.arange(40)[:, None])


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    units, raters = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    row = st.lists(st.integers(-1, 3), min_size=raters, max_size=raters)
    return np.array(draw(st.lists(row, min_size=units, max_size=units)))


@given(tables(), st.randoms(use_true_random=False))
def test_neither_the_order_of_units_nor_that_of_raters_matters(table: np.ndarray, chance: Any) -> None:
    units, raters = (chance.sample(range(n), n) for n in table.shape)
    model = of(table, rounds=FEW_STEPS)
    mixed = of(table[np.ix_(units, raters)], rounds=FEW_STEPS)
    assert mixed.posterior == pytest.approx(model.posterior[units], abs=1e-6, nan_ok=True)
    assert mixed.spamming == pytest.approx(model.spamming[raters], abs=1e-6, nan_ok=True)
    assert mixed.labels() == pytest.approx(model.labels()[units], nan_ok=True)


@given(tables(), st.permutations(range(4)))
def test_renamed_labels_give_the_same_classes_renamed(table: np.ndarray, names: list[int]) -> None:
    model = of(table, rounds=FEW_STEPS)
    renamed = of(np.where(table < 0, -1, np.array(names)[table]), rounds=FEW_STEPS)
    expected = [names[int(label)] if np.isfinite(label) else np.nan for label in model.labels()]
    assert renamed.labels() == pytest.approx(expected, nan_ok=True)
    assert renamed.spamming == pytest.approx(model.spamming, abs=1e-6, nan_ok=True)


@given(tables())
def test_posteriors_are_probabilities(table: np.ndarray) -> None:
    model = of(table, rounds=FEW_STEPS)
    labelled = (table >= 0).any(axis=1)
    assert model.posterior[labelled].sum(axis=1) == pytest.approx(np.ones(labelled.sum()))
    known = model.spamming[np.isfinite(model.spamming)]
    assert ((known > 0) & (known < 1)).all()
