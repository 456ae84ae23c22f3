"""Links to results: who may make them, what they show, and that revoking one acts at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from judgelab.accounts import members, sharing
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db.engine import Store
from judgelab.store.models import ShareLink
from judgelab.store.people.people import list_people
from judgelab.store.projects.projects import create_project, find_project
from judgelab.ui.server.routes import ROUTES
from tests.command import judgelab
from tests.databases import load_demo, store_of_the_app

NEWS = "demo-news"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    with store_of_the_app(tmp_path, monkeypatch) as store:
        yield store


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=ROUTES))


def test_a_link_shows_results_without_texts_and_names_until_it_is_taken_back(
    store: Store, client: TestClient
) -> None:
    load_demo(store, "news")
    path = sharing.create(store, None, NEWS, note="reviewers").path
    page = client.get(path)
    assert page.status_code == 200 and "Demo judge A" in page.text and "Demo content" in page.text
    with store.reading() as session:
        people = [person.name for person in list_people(session)]
        token_hash = session.query(ShareLink).one().token_hash
    assert people and not [name for name in people if name in page.text]
    assert "ferry" not in page.text and "<script" not in page.text
    assert token_hash not in path and path.rpartition("/")[2] not in token_hash
    assert page.headers["cache-control"] == "private, no-store"
    link = sharing.list_shares(store, None, NEWS)[0]
    assert (link.note, link.works) == ("reviewers", True)
    assert sharing.revoke(store, None, NEWS, link.id) and not sharing.revoke(store, None, NEWS, link.id)
    revoked, never_issued = client.get(path), client.get("/results/0000")
    assert revoked.status_code == never_issued.status_code == 404 and revoked.text == never_issued.text


def test_only_researchers_share_and_only_their_own_project(store: Store) -> None:
    load_demo(store, "news")
    with store.writing() as session:
        project = find_project(session, NEWS).id
        other_project = create_project(session, name="Other", criteria=()).id
    rater = members.add(store, None, project, "Ada").id
    researcher = members.add(store, None, other_project, "Ben", role="researcher").id
    for actor in (rater, researcher):
        with pytest.raises(NotAllowed):
            sharing.create(store, actor, NEWS)
    sharing.create(store, None, NEWS)
    (link,) = sharing.list_shares(store, None, NEWS)
    assert not sharing.revoke(store, researcher, "other", link.id)
    assert sharing.list_shares(store, None, NEWS)[0].works
    with pytest.raises(InvalidInput, match="1 to 365"):
        sharing.create(store, None, NEWS, days=0)


def test_the_command_line_makes_lists_and_ends_links(store: Store) -> None:
    load_demo(store, "news")
    assert "/results/" in judgelab(store.url, "share", NEWS, "--note", "for B").stdout
    assert "1  works" in judgelab(store.url, "share", NEWS, "--list").stdout
    assert judgelab(store.url, "share", NEWS, "--revoke", "1").returncode == 0
    assert judgelab(store.url, "share", NEWS, "--revoke", "1").returncode == 1
