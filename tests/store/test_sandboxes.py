"""A copy of a project holds the same scores and nothing of its guest; it ends without a trace."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.accounts import sandboxes as guests
from judgelab.accounts import signin
from judgelab.analysis.comparison.choice_agreement import choice_agreement
from judgelab.backends.sample_replies import SAMPLE_DATA
from judgelab.cli import demo
from judgelab.errors import NotAllowed
from judgelab.imports.service import import_files
from judgelab.runs import guided, service
from judgelab.store.db.engine import Store
from judgelab.store.frames.preference_frames import place_frame
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.models import Base, CriterionRow, ItemRow, Ranking, ResponseRow, Unit
from judgelab.store.people import memberships, people
from judgelab.store.projects import sandboxes
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import units

SLUG = guests.TEMPLATE
PAIRS = "demo-pairs"


def loaded(store: Store, name: str = "kitchen") -> Store:
    """Return the store with a project of the demo, its people and judges."""
    folder = SAMPLE_DATA / name
    slug = demo.ensure_project(store, folder)["slug"]
    for file, kind, mapping in demo.sample_files(folder):
        import_files(store, slug, [(file, folder / file)], kind=kind, mapping=mapping)
    return store


@pytest.fixture
def kitchen(store: Store) -> Store:
    return loaded(store)


def scores(store: Store, slug: str) -> pd.DataFrame:
    with store.reading() as session:
        frame = score_frame(session, find_project(session, slug).id)
    columns = ["item", "system", "group", "criterion", "rater", "rater_kind", "score"]
    return frame[columns].sort_values(columns).reset_index(drop=True)


def counted(store: Store) -> dict[str, int]:
    with store.reading() as session:
        return {
            table.name: session.scalar(select(func.count()).select_from(table)) or 0
            for table in Base.metadata.sorted_tables
        }


def add_ranking(session: Session, project_id: int, person_id: int) -> None:
    """Let a person rank the three responses of the first item."""
    criterion = session.scalars(select(CriterionRow).where(CriterionRow.project_id == project_id)).one()
    item = session.scalars(select(ItemRow).where(ItemRow.project_id == project_id)).first()
    assert item is not None
    shown = list(session.scalars(select(ResponseRow.id).where(ResponseRow.item_id == item.id)))
    keys = {"project_id": project_id, "item_id": item.id, "criterion_id": criterion.id}
    places = {str(response): place for place, response in enumerate(shown, start=1)}
    session.add(Ranking(**keys, person_id=person_id, form="ranking", places=places, shown=shown))


def places(store: Store, slug: str) -> list[tuple[str, str, int]]:
    with store.reading() as session:
        project_id = find_project(session, slug).id
        frame = place_frame(session, project_id)
        ranking = session.scalars(select(Ranking).where(Ranking.project_id == project_id)).one()
    assert [str(response) for response in ranking.shown] == list(ranking.places)
    return list(frame[["item", "system", "place"]].itertuples(index=False, name=None))


def offered(session: Session, project_id: int) -> list[tuple[int | None, int | None]]:
    """Return the two responses of each pair that is offered to raters."""
    query = select(Unit.response_id, Unit.other_id).where(Unit.project_id == project_id, Unit.offered)
    return [(first, other) for first, other in session.execute(query.order_by(Unit.id))]


def test_the_copy_has_the_scores_of_its_template_and_its_end_leaves_nothing(any_store: Store) -> None:
    kitchen = loaded(any_store)
    before = counted(kitchen)
    first, second = guests.open_sandbox(kitchen), guests.open_sandbox(kitchen)
    assert first.project != second.project
    pd.testing.assert_frame_equal(scores(kitchen, first.project), scores(kitchen, SLUG))
    assert guests.delete_expired(kitchen) == 0
    assert guests.delete_expired(kitchen, lifetime=timedelta(seconds=-1)) == 2
    assert counted(kitchen) == before
    assert signin.whoami(kitchen, first.cookie) is None


def test_a_copy_of_pairs_has_the_figures_and_screens_of_its_template(any_store: Store) -> None:
    store = loaded(any_store, "pairs")
    with store.writing() as session:
        template = find_project(session, PAIRS).id
        add_ranking(session, template, people.find_or_create(session, "Nele"))
        copy = sandboxes.copy_project(session, template, slug="copy")
    before, after = (choice_agreement(store, slug).to_json() for slug in (PAIRS, "copy"))
    assert before.pop("project") == PAIRS and after.pop("project") == "copy"
    assert before == after and len(after["judges"]) == 3
    assert places(store, PAIRS) == places(store, "copy") != []
    with store.writing() as session:
        shown = offered(session, copy)
        units.offer_units(session, copy)
        assert offered(session, copy) == shown and len(shown) == 72
        keys = session.scalars(select(Unit.key).where(Unit.project_id == copy))
        assert set(keys) == {f"p{first}-{second}" for first, second in shown}


def test_a_guest_has_a_role_in_their_own_copy_and_nowhere_else(kitchen: Store) -> None:
    first, second = guests.open_sandbox(kitchen), guests.open_sandbox(kitchen)
    guest = signin.whoami(kitchen, first.cookie)
    assert guest is not None and guest.role == ""
    with kitchen.reading() as session:
        own_project, other_project, template = (
            find_project(session, s).id for s in (first.project, second.project, SLUG)
        )
        assert set(memberships.roles_by_project(session, guest.id)) == {own_project}
        for role in ("annotator", "reader", "guest"):
            assert memberships.has_role(session, guest.id, own_project, role)
            assert not memberships.has_role(session, guest.id, other_project, role)
            assert not memberships.has_role(session, guest.id, template, role)
        for role in ("owner", "researcher"):
            assert not memberships.has_role(session, guest.id, own_project, role)


def test_there_are_only_so_many_sandboxes(kitchen: Store) -> None:
    guests.open_sandbox(kitchen, most=1)
    with pytest.raises(NotAllowed, match="the demo is full"):
        guests.open_sandbox(kitchen, most=1)
    with kitchen.reading() as session:
        assert sandboxes.count_guests(session) == 1


def test_an_address_opens_so_many_and_then_waits() -> None:
    doorman = guests.GuestAdmission(most=2, window=60)
    doorman.admit("192.0.2.1", at=0)
    doorman.admit("192.0.2.1", at=1)
    with pytest.raises(NotAllowed, match="try again in an hour"):
        doorman.admit("192.0.2.1", at=2)
    doorman.admit("192.0.2.2", at=2)
    doorman.admit("192.0.2.1", at=61)


def test_a_replay_started_in_the_template_is_not_in_the_copies(kitchen: Store) -> None:
    with kitchen.writing() as session:
        me = people.find_or_create(session, "Operator", role="owner")
    guided.start_replay(kitchen, SLUG, me)
    sandbox = guests.open_sandbox(kitchen)
    assert {run.judge for run in service.list_runs(kitchen, sandbox.project)} == {
        "Demo judge A",
        "Demo judge B",
    }
