"""The raters of a stored project, on both databases."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from judgelab.analysis.data import saved_filters
from judgelab.analysis.filters.project_preview import preview_filter
from judgelab.analysis.raters.check_table import check_table
from judgelab.analysis.raters.rater_profile import rater_profile
from judgelab.analysis.raters.rater_table import rater_table, rater_table_fingerprint, set_rater_state
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput, NotAllowed, NotFound
from judgelab.store.db import audit
from judgelab.store.frames import rater_work
from judgelab.store.models import (
    Assignment,
    GoldScore,
    ItemRow,
    Preference,
    Ranking,
    Rating,
    ResponseRow,
)
from judgelab.store.people import memberships, people
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.rating import units
from judgelab.store.rating.criteria import criterion_ids
from judgelab.ui.quality.rater_differences import counts_text
from tests.rated_units import unit_of

SCALE = {"kind": "ordinal", "low": 0, "high": 3}
START = datetime(2025, 5, 5, 10, tzinfo=UTC)
SCORES = {
    "Ada": [0, 1, 2, 3, 0, 1, 2, 3],
    "Bo": [0, 1, 2, 3, 1, 1, 2, 2],
    "Hugo": [3, 2, 1, 0, 3, 2, 1, 0],
}


def empty_project(store, *, systems=("one",), items=8, **settings):
    """A project without work; returns its slug."""
    with store.writing() as session:
        project = create_project(
            session, name="Pans", criteria=[Criterion("good", "Good", SCALE)], settings=settings
        )
        for n in range(items):
            item = ItemRow(project_id=project.id, external_id=f"q{n}", question="Does it fit?")
            session.add(item)
            session.flush()
            for system in systems:
                session.add(
                    ResponseRow(
                        project_id=project.id,
                        item_id=item.id,
                        external_id=system,
                        system=system,
                        text="It does." * 4,
                    )
                )
        session.flush()
        units.offer_units(session, project.id)
        return project.slug


def rated_project(store, scores=SCORES, **more):
    slug = empty_project(store, items=len(next(iter(scores.values()))))
    with store.writing() as session:
        project, responses = _project_and_responses(session, slug)
        for name, values in scores.items():
            person = people.find_or_create(session, name)
            for n, score in enumerate(values):
                session.add(
                    Rating(
                        project_id=project.id,
                        response_id=responses[n],
                        criterion_id=criterion_ids(session, project.id)["good"],
                        person_id=person,
                        score=score,
                        seconds=30 + n,
                        rated_at=START + timedelta(hours=n),
                        **more,
                    )
                )
    return slug


def _project_and_responses(session, slug):
    project = find_project(session, slug)
    rows = session.query(ResponseRow.id).where(ResponseRow.project_id == project.id).order_by(ResponseRow.id)
    return project, [row.id for row in rows]


def test_every_rater_has_a_line_with_state_work_and_flags(any_store):
    slug = rated_project(any_store)
    with any_store.writing() as session:
        project, responses = _project_and_responses(session, slug)
        unit = unit_of(session, responses[0])
        ada = people.find_or_create(session, "Ada")
        session.add(Assignment(project_id=project.id, unit_id=unit, person_id=ada, state="skipped", flag="?"))
        memberships.set_state(session, project.id, ada, "paused")
    saved_filters.save_filter(any_store, slug, "main", FilterPolicy())
    table = rater_table(any_store, slug, resamples=50)
    assert [row.rater for row in table.rows] == ["Hugo", "Ada", "Bo"]
    assert {flag.key for flag in table.row("Hugo").flags} == {"reversed"}
    row = table.row("Ada")
    assert row.state == "paused" and table.row("Bo").state == ""
    assert (row.assigned.skipped, row.assigned.flagged) == (1, 1)
    assert row.report.screens == 8 and row.report.pace.median.value == 33.5
    with pytest.raises(NotFound, match="Did you mean 'Hugo'"):
        table.row("Hugp")


def test_means_of_several_raters_are_no_raters(any_store):
    slug = rated_project(any_store, {"mean of 3": [0.5, 1.5, 2, 3]}, aggregate=True)
    table = rater_table(any_store, slug)
    assert table.rows == () and table.imported_means == ("mean of 3",)


def test_gold_scores_are_met_within_their_tolerance(any_store):
    slug = rated_project(any_store)
    with any_store.writing() as session:
        project, responses = _project_and_responses(session, slug)
        criterion = criterion_ids(session, project.id)["good"]
        for n, tolerance in ((1, 0), (2, 1), (3, 1)):
            unit = unit_of(session, responses[n])
            session.add(
                GoldScore(unit_id=unit, criterion_id=criterion, score=SCORES["Ada"][n], tolerance=tolerance)
            )
    with any_store.reading() as session:
        frame = check_table(session, project.id)
    passed = frame.groupby("rater")["passed"].agg(["sum", "size"])
    assert passed.loc["Ada"].tolist() == [3, 3]
    assert passed.loc["Hugo"].tolist() == [1, 3]  # 2 for 1, 1 for 2 within one point, 0 for 3
    assert rater_table(any_store, slug).row("Hugo").report.gold.value == pytest.approx(1 / 3)


def test_the_rule_in_use_says_who_the_others_are(any_store):
    slug = rated_project(any_store)
    assert rater_table(any_store, slug).filter_title is None
    saved_filters.save_filter(any_store, slug, "main", FilterPolicy())
    kept_raters = rater_table(any_store, slug, resamples=50)
    assert kept_raters.filter_title == "main, version 1" and kept_raters.compared_with == "kept"
    assert kept_raters.comparison_raters("good") == {"Ada", "Bo"}
    everybody = rater_table(any_store, slug, compared_with="all", resamples=50)
    assert everybody.filter_title is None and everybody.comparison_raters("good") == set(SCORES)
    ada = [table.row("Ada").report.criteria["good"].leave_one_out.value for table in (kept_raters, everybody)]
    assert ada[0] == pytest.approx(0.9037, abs=1e-4) and ada[1] < 0.5


@pytest.mark.parametrize(
    "options",
    [{}, {"method": "loo"}, {"weight": "overlap", "min_overlap": 3}, {"threshold": 0.85}],
    ids=str,
)
def test_a_rater_has_one_agreement_here_and_under_the_quality_rule(any_store, options):
    slug = rated_project(any_store, SCORES | {"Cy": [0, 1, 1, 3, 0, 2, 2, 3]})
    rule = FilterPolicy(**options)
    saved_filters.save_filter(any_store, slug, "main", rule)
    previews = {
        preview.rater: preview for preview in preview_filter(any_store, slug, rule, criterion="good").raters
    }
    for compared_with in ("all", "kept"):
        table = rater_table(any_store, slug, compared_with=compared_with)
        assert table.policy == (rule if compared_with == "kept" else replace(rule, method="loo"))
        for name, preview in previews.items():
            expected = preview.before if compared_with == "all" else preview.after
            if expected is not None:
                estimate = table.row(name).report.criteria["good"].agreement(rule)
                assert estimate.value == pytest.approx(expected.value, abs=1e-12), (compared_with, name)
                assert estimate.ci == (expected.ci and pytest.approx(expected.ci, abs=1e-12)), (
                    compared_with,
                    name,
                )


def test_low_agreement_is_what_the_rule_calls_low(any_store):
    slug = rated_project(any_store)
    # Ada and Hugo are each other's mirror, r -1; Ada and Bo have r .9037, Bo and Hugo -.9037.
    everybody = rater_table(any_store, slug, compared_with="all", resamples=50)
    values = [everybody.row(name).report.criteria["good"].pairwise.value for name in ("Ada", "Bo", "Hugo")]
    assert values == pytest.approx([(0.9037 - 1) / 2, 0.0, (-0.9037 - 1) / 2], abs=1e-4)
    saved_filters.save_filter(any_store, slug, "strict", FilterPolicy(threshold=0.95, unassessed="keep"))
    strict = rater_table(any_store, slug, resamples=50)
    reason = next(flag.reason for flag in strict.row("Hugo").flags if flag.key == "reversed")
    assert str(reason).startswith("mean r with 2 other raters \u22120.95 [")
    assert strict.to_json()["threshold"] == 0.95 and strict.to_json()["method"] == "pairwise"
    beside_all = rater_table(any_store, slug, compared_with="all", resamples=50).to_json()
    assert (beside_all["threshold"], beside_all["method"]) == (0.95, "loo")


def test_pausing_needs_the_right_and_is_recorded(any_store):
    slug = rated_project(any_store)
    with any_store.writing() as session:
        owner = people.find_or_create(session, "Olga", role="owner")
        hugo = people.find_or_create(session, "Hugo")
        project = find_project(session, slug).id
    before = rater_table_fingerprint(any_store, slug)
    set_rater_state(any_store, slug, hugo, "paused", by=owner)
    assert rater_table(any_store, slug).row("Hugo").state == "paused"
    assert rater_table_fingerprint(any_store, slug) != before
    with any_store.reading() as session:
        (event,) = audit.recent_events(session, project, limit=1)
    assert event.action == "set_rater_state" and event.detail == {"rater": "Hugo", "state": "paused"}
    with pytest.raises(NotAllowed):
        set_rater_state(any_store, slug, hugo, "active", by=hugo)
    with pytest.raises(InvalidInput):
        set_rater_state(any_store, slug, hugo, "gone", by=owner)
    assert rater_table(any_store, slug).row("Hugo").report.criteria["good"].ratings == 8


def test_a_choice_between_two_is_a_score_of_the_pair(any_store):
    slug = empty_project(any_store, systems=("one", "two"), form="pairwise")
    choices = {"Ada": "aabbtabb", "Bo": "aabbtabb", "Hugo": "bbaatbaa"}
    with any_store.writing() as session:
        project, responses = _project_and_responses(session, slug)
        items = [row.id for row in session.query(ItemRow.id).order_by(ItemRow.id)]
        for name, letters in choices.items():
            for n, letter in enumerate(letters):
                session.add(
                    Preference(
                        project_id=project.id,
                        item_id=items[n],
                        response_a=responses[2 * n],
                        response_b=responses[2 * n + 1],
                        criterion_id=criterion_ids(session, project.id)["good"],
                        person_id=people.find_or_create(session, name),
                        choice={"a": "a", "b": "b", "t": "tie"}[letter],
                        rated_at=START + timedelta(minutes=n),
                    )
                )
    table = rater_table(any_store, slug, resamples=50)
    ada = table.row("Ada").report.criteria["good"]
    assert ada.pairwise.value == pytest.approx(0)  # 1 with Bo, -1 with Hugo
    assert table.row("Hugo").report.criteria["good"].leave_one_out.value == pytest.approx(-1)
    profile = rater_profile(any_store, slug, "Hugo", criterion="good")
    assert profile.distribution.scores == ("-1", "0", "1")
    first = profile.differences.iloc[0]
    assert (first["system_first"], first["system_second"], profile.form) == ("one", "two", "pairwise")
    assert (first["score"], first["n_first"], first["n_tie"], first["n_second"]) in (
        (-1, 2, 0, 0),
        (1, 0, 0, 2),
    )
    assert table.removed_by_kappa == {"good": ("Hugo",)}


def test_places_of_a_ranking_are_scores_of_responses_on_one_screen(any_store):
    slug = empty_project(any_store, systems=("one", "two", "three"), form="ranking")
    with any_store.writing() as session:
        project, responses = _project_and_responses(session, slug)
        items = [row.id for row in session.query(ItemRow.id).order_by(ItemRow.id)]
        for name, ranks in (("Ada", (1, 2, 3)), ("Bo", (1, 3, 2))):
            for n, item in enumerate(items):
                response_ids = [str(row) for row in responses[3 * n : 3 * n + 3]]
                session.add(
                    Ranking(
                        project_id=project.id,
                        item_id=item,
                        criterion_id=criterion_ids(session, project.id)["good"],
                        person_id=people.find_or_create(session, name),
                        form="ranking",
                        places=dict(zip(response_ids, ranks, strict=True)),
                        seconds=20,
                        rated_at=START + timedelta(minutes=n),
                    )
                )
    ada = rater_table(any_store, slug, resamples=50).row("Ada").report
    assert ada.screens == 8 and ada.criteria["good"].ratings == 24
    assert ada.pace.median.value == 20
    assert ada.criteria["good"].pairwise.value == pytest.approx(0.5)


def test_a_profile_lists_the_largest_differences_with_the_text(any_store):
    slug = rated_project(any_store)
    profile = rater_profile(any_store, slug, "Hugo", criterion="good", others=["Ada", "Bo"], zone=UTC)
    first = profile.differences.iloc[0]
    assert abs(first["difference"]) == 3 and first["raters"] == 2 and first["text"].startswith("It does.")
    assert profile.n_compared == 8
    assert sum(profile.distribution.after) == pytest.approx(100)
    assert profile.screens["apart"].iloc[0] == pytest.approx(1)


def test_ratings_that_no_other_rater_can_be_compared_on_are_counted(any_store):
    slug = rated_project(any_store)
    whole = rater_profile(any_store, slug, "Hugo", criterion="good", zone=UTC)
    assert (whole.n_compared, whole.n_alone, whole.n_tied) == (8, 0, 0)
    assert "without" not in counts_text(whole, several_criteria=False)
    alone = rater_profile(any_store, slug, "Hugo", criterion="good", others=[], zone=UTC)
    assert (alone.n_compared, alone.n_alone) == (0, 8)
    assert counts_text(alone, several_criteria=True) == (
        "0 of 0 ratings differ, all criteria, without 8 of responses that none of the others rated"
    )


def test_parts_of_the_day_follow_the_clock_that_is_asked_for(any_store):
    slug = rated_project(any_store)
    parts = rater_profile(any_store, slug, "Ada", criterion="good", zone=UTC).parts_of_day
    assert [(part.name, part.screens) for part in parts] == [("morning", 2), ("afternoon", 6)]
    later = rater_profile(
        any_store, slug, "Ada", criterion="good", zone=timezone(timedelta(hours=6))
    ).parts_of_day
    assert [(part.name, part.screens) for part in later] == [("afternoon", 2), ("evening", 6)]


def test_a_score_changed_or_a_check_added_changes_the_stamp(any_store):
    slug = rated_project(any_store)
    with any_store.writing() as session:
        project, responses = _project_and_responses(session, slug)
        before = rater_work.work_fingerprints(session, project.id)
        unit = unit_of(session, responses[0])
        criterion = criterion_ids(session, project.id)["good"]
        session.add(GoldScore(unit_id=unit, criterion_id=criterion, score=1))
        session.flush()
        assert rater_work.work_fingerprints(session, project.id) != before


def test_the_table_is_plain_json(any_store):
    table_json = rater_table(any_store, rated_project(any_store), resamples=50).to_json()
    assert json.loads(json.dumps(table_json, allow_nan=False)) == table_json
    assert (
        table_json["raters"][0]["criteria"]["good"]["repeats"]["reason"]
        == "no response or pair was rated twice"
    )


def test_a_project_without_ratings_has_no_raters(any_store):
    assert rater_table(any_store, empty_project(any_store)).rows == ()
