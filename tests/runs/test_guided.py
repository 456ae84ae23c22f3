"""The guided path: what is done is read from what happened, and the judge says what was written for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from judgelab.analysis.data.scores import project_scores
from judgelab.backends.sample_replies import SAMPLE_DATA
from judgelab.cli import demo
from judgelab.errors import InvalidInput
from judgelab.imports.service import import_files
from judgelab.runs import guided, service
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db.engine import Store
from judgelab.store.judging.judges import list_judges
from judgelab.store.judging.runs import candidates
from judgelab.store.people import people
from judgelab.store.projects import tour_progress
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import create_project, find_project
from tests.pages.kitchen import work

SLUG = "demo-kitchen"


@pytest.fixture
def kitchen(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The demo's project with its people and judges; nothing is learned or measured."""
    monkeypatch.setattr(guided, "UNEVEN", 0.0)
    monkeypatch.setattr(guided, "LATENCY", 0.0)
    folder = SAMPLE_DATA / "kitchen"
    demo.ensure_project(store, folder)
    for name, kind, _mapping in demo.sample_files(folder):
        import_files(store, SLUG, [(name, folder / name)], kind=kind)
    yield store


def project(store: Store) -> ProjectInfo:
    with store.reading() as session:
        return find_project(session, SLUG)


def visitor(store: Store) -> int:
    with store.writing() as session:
        return people.find_or_create(session, "Visitor", role="owner")


def rate(store: Store, count: int) -> None:
    items = [("garden-01", "writer"), ("garden-02", "writer"), ("travel-01", "writer")][:count]
    rows = "".join(f"{item},{system},Visitor,answers,2\n" for item, system in items)
    table = f"item_id,system,rater,criterion,score\n{rows}".encode()
    import_files(store, SLUG, [("mine.csv", table)], kind="ratings")


def test_steps_are_done_by_what_happened_in_whatever_order(kitchen: Store) -> None:
    me, demo = visitor(kitchen), project(kitchen)
    assert guided.guided_path(kitchen, demo, me).next == "rate"
    rate(kitchen, 2)
    assert guided.guided_path(kitchen, demo, me).rated == 2
    guided.record_action(kitchen, demo.id, me, tour_progress.SAW_RATERS)
    assert guided.guided_path(kitchen, demo, me).finished_steps == {"raters"}
    rate(kitchen, 3)
    assert guided.guided_path(kitchen, demo, me).next == "run"
    run = guided.start_replay(kitchen, SLUG, me)
    assert "run" not in guided.guided_path(kitchen, demo, me).finished_steps
    work(kitchen, run)
    guided.record_action(kitchen, demo.id, me, tour_progress.SAW_STANDING)
    path = guided.guided_path(kitchen, demo, me)
    assert path.next is None and not path.going_on


def test_what_one_visitor_did_another_has_not_done(kitchen: Store) -> None:
    rate(kitchen, 3)
    with kitchen.writing() as session:
        other_user = people.find_or_create(session, "Other", role="owner")
    assert guided.guided_path(kitchen, project(kitchen), other_user).finished_steps == frozenset()


def test_put_away_it_is_not_offered_until_it_is_taken_up(kitchen: Store) -> None:
    me, demo = visitor(kitchen), project(kitchen)
    for action, offered in (
        (tour_progress.LEFT_TOUR, False),
        (tour_progress.RESUMED_TOUR, True),
        (tour_progress.LEFT_TOUR, False),
    ):
        guided.record_action(kitchen, demo.id, me, action)
        guided.record_action(kitchen, demo.id, me, action)  # a second click changes nothing
        assert guided.guided_path(kitchen, demo, me).going_on is offered


def test_the_replayed_judge_gives_every_score_of_its_file_and_no_other(kitchen: Store) -> None:
    run = guided.start_replay(kitchen, SLUG, visitor(kitchen))
    assert guided.start_replay(kitchen, SLUG, visitor(kitchen)) == run  # a second click starts no second run
    work(kitchen, run)
    status = service.run_status(kitchen, run)
    assert (status.scored, status.unscored, status.failed) == (86, 2, 0)
    assert status.origin == "scripted" and not status.cost
    scores = project_scores(kitchen, SLUG, policy="none").scores
    by_judge = {
        name: scores[scores["rater"] == name].set_index("response")["score"].to_dict()
        for name in ("Demo judge A", guided.JUDGE)
    }
    assert by_judge["Demo judge A"] == by_judge[guided.JUDGE]


def test_only_a_demo_has_a_path(store: Store) -> None:
    with store.writing() as session:
        created = create_project(session, name="Own", settings={guided.SETTING: "demo:kitchen/Demo judge A"})
    assert not guided.has_guided_path(created)
    with pytest.raises(InvalidInput, match="this project has no tour"):
        guided.start_replay(store, "own", visitor(store))


@pytest.mark.parametrize("model", ["demo:../kitchen/Demo judge A", "demo:kitchen/Nobody", "demo:"])
def test_a_script_that_is_not_in_the_sample_data_is_refused(kitchen: Store, model: str) -> None:
    with pytest.raises(InvalidInput, match="the sample data have no"):
        service.create_run(kitchen, SLUG, JudgeSpec("direct", model, backend="scripted"))
    with kitchen.reading() as session:
        names = {judge.name for judge in list_judges(session, project(kitchen).id)}
        assert names == {"Demo judge A", "Demo judge B"} and candidates(session, project(kitchen).id)


def test_a_demo_loaded_by_an_older_version_gets_its_path(kitchen: Store) -> None:
    with kitchen.writing() as session:
        from judgelab.store.models import Project

        row = session.get_one(Project, project(kitchen).id)
        row.settings = {k: v for k, v in row.settings.items() if k != guided.SETTING} | {
            "show_context": False
        }
    demo.ensure_project(kitchen, SAMPLE_DATA / "kitchen")
    assert guided.has_guided_path(project(kitchen))
    assert project(kitchen).settings["show_context"] is False
