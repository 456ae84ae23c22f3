"""A rule locked before data are seen: what is fixed, what is shown, and what it takes to leave it."""

import json
from hashlib import sha256

import pytest
from sqlalchemy import select, update

from judgelab.analysis.data import saved_filters
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.imports.exports import export_project
from judgelab.store.models import Audit, FilterPolicyRow, Project
from judgelab.store.projects.projects import create_project
from tests.runs.projects import flasks, rate

SCALE = {"kind": "ordinal", "low": 0, "high": 3}


@pytest.fixture
def slug(store):
    with store.writing() as session:
        return create_project(session, name="Pans", criteria=[Criterion("answers", "Answers", SCALE)]).slug


def test_a_rule_can_be_locked_before_anything_is_there(store, slug):
    rule = saved_filters.save_filter(store, slug, "main", FilterPolicy(threshold=0.5), lock=True)
    assert rule.locked_at is not None and rule.locked_ratings == 0 and rule.intact
    assert "before the first rating" in rule.description
    assert saved_filters.lock_note(store, slug) == rule.description


def test_the_sha256_is_that_of_the_canonical_json(store, slug):
    rule = saved_filters.save_filter(store, slug, "main", FilterPolicy(), lock=True)
    with store.reading() as session:
        lock = session.scalars(select(FilterPolicyRow)).one().lock
    content = lock["content"]
    assert content["options"]["threshold"] == 0.4 and content["raters_per_response"] == 3
    assert [criterion["key"] for criterion in content["criteria"]] == ["answers"] and content[
        "project"
    ] == "Pans"
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert rule.sha256 == sha256(text.encode()).hexdigest()


def test_ratings_seen_before_the_lock_are_said(store):
    slug = flasks(store, 4)
    rate(store, slug, {n: float(n % 4) for n in range(1, 5)})
    rule = saved_filters.save_filter(store, slug, "main", FilterPolicy(), lock=True)
    assert rule.locked_ratings > 0
    assert f"after {rule.locked_ratings} ratings" in rule.lock_text


def test_another_rule_needs_a_reason_which_is_recorded_and_shown(store, slug):
    saved_filters.save_filter(store, slug, "main", FilterPolicy(), lock=True)
    for change in (
        lambda **options: saved_filters.save_filter(
            store, slug, "loose", FilterPolicy(threshold=0.2), **options
        ),
        lambda **options: saved_filters.use_filter(store, slug, None, **options),
    ):
        with pytest.raises(InvalidInput, match="has been locked since"):
            change()
        with pytest.raises(InvalidInput, match="give a reason"):
            change(reason="  ")
    assert saved_filters.filter_in_use(store, slug).name == "main"
    saved_filters.use_filter(store, slug, None, reason="the scale was wrong")
    assert saved_filters.filter_in_use(store, slug) is None
    note = saved_filters.lock_note(store, slug)
    assert "“main”, version 1" in note and "was replaced on" in note and "the scale was wrong" in note
    with store.reading() as session:
        recorded = session.scalars(select(Audit).where(Audit.action == "chose_quality_rule")).one()
    assert recorded.detail["reason"] == "the scale was wrong"
    saved_filters.use_filter(store, slug, "main", 1)
    assert "was replaced on" not in saved_filters.lock_note(store, slug)
    (replacement,) = saved_filters.filter_in_use(store, slug).replacements
    assert replacement.to is None


def test_a_rule_changed_behind_our_back_is_no_longer_called_locked(store, slug):
    saved_filters.save_filter(store, slug, "main", FilterPolicy(), lock=True)
    with store.writing() as session:
        row = session.scalars(select(FilterPolicyRow)).one()
        session.execute(update(FilterPolicyRow).values(options={**row.options, "threshold": 0.1}))
    assert not saved_filters.filter_in_use(store, slug).intact
    assert "does not match" in saved_filters.lock_note(store, slug)


def test_a_project_changed_after_the_lock_is_said(store, slug):
    saved_filters.save_filter(store, slug, "main", FilterPolicy(), lock=True)
    with store.writing() as session:
        project = session.scalars(select(Project)).one()
        project.settings = {**project.settings, "raters_per_response": 1}
    assert saved_filters.lock_note(store, slug).endswith("the raters per response changed since")


def test_an_export_carries_the_lock(store, slug, tmp_path):
    rule = saved_filters.save_filter(store, slug, "main", FilterPolicy(), lock=True)
    export_project(store, slug, tmp_path / "out", file_format="csv")
    (exported,) = json.loads((tmp_path / "out" / "project.json").read_text())["policies"]
    assert exported["sha256"] == rule.sha256 and exported["lock"]["ratings"] == 0
    assert exported["lock"]["content"]["options"] == exported["options"]


@pytest.mark.parametrize(
    ("aggregate", "method"), [("dawid_skene", "Dawid and Skene's method"), ("mace", "MACE")]
)
def test_labels_by_a_model_of_raters_need_a_scale_with_points(store, aggregate, method):
    with store.writing() as session:
        slider = Criterion("quality", "Quality", {"kind": "numeric", "low": 0, "high": 100})
        slug = create_project(session, name="Sliders", criteria=[slider]).slug
    refusal = f"{method} needs a scale with at most 32 points, and 'quality' has none"
    with pytest.raises(InvalidInput, match=refusal):
        saved_filters.save_filter(store, slug, "main", FilterPolicy(aggregate=aggregate))
