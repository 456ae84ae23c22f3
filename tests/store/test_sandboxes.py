"""A copy of a project holds the same scores and nothing of its guest; it ends without a trace."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pytest
from sqlalchemy import func, select

from judgelab.accounts import sandboxes as guests
from judgelab.accounts import signin
from judgelab.backends.sample_replies import SAMPLE_DATA
from judgelab.cli import demo
from judgelab.errors import NotAllowed
from judgelab.imports.service import import_files
from judgelab.runs import guided, service
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.models import Base
from judgelab.store.people import memberships, people
from judgelab.store.projects import sandboxes
from judgelab.store.projects.projects import find_project

SLUG = guests.TEMPLATE


def loaded(store: Store) -> Store:
    """Return the store with the demo's project, its people and judges."""
    folder = SAMPLE_DATA / "kitchen"
    demo.ensure_project(store, folder)
    for name, kind in demo.SAMPLE_FILES:
        import_files(store, SLUG, [(name, folder / name)], kind=kind)
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
