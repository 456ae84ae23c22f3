"""The route of images: who is given one, how browsers are told to treat it, and what the screen is told."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from judgelab.accounts import members
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, now
from judgelab.store.people import sessions
from judgelab.store.projects.projects import create_project, find_project, set_text_formats
from judgelab.ui.rater.address import PATH
from judgelab.ui.server.headers import SecurityHeaders
from judgelab.ui.server.routes import ROUTES
from judgelab.ui.session import tokens
from tests.annotation.conftest import make_project
from tests.databases import store_of_the_app
from tests.imports.pictures import png

IMAGE = png()
ADDRESS = f"/images/soup-flasks/{hashlib.sha256(IMAGE).hexdigest()}"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    with store_of_the_app(tmp_path, monkeypatch) as store:
        yield store


@pytest.fixture
def project(store: Store) -> int:
    project = make_project(store)
    import_files(store, "soup-flasks", [("img/a.png", IMAGE)])
    with store.writing() as session:
        create_project(session, name="Other")
    return project


@pytest.fixture
def client() -> TestClient:
    app = Starlette(routes=ROUTES, middleware=[Middleware(SecurityHeaders)])
    return TestClient(app, headers={"Origin": "http://testserver"})


def sign_in(client: TestClient, store: Store, project: int, name: str, **role: str) -> int:
    person = members.add(store, None, project, name, **role).id  # type: ignore[arg-type]
    link = members.new_link(store, None, project, person).path
    assert client.post(link, follow_redirects=False).status_code == 303
    return person


@pytest.mark.parametrize("role", ["researcher", "annotator", "reader"])
def test_who_is_in_the_project_is_given_its_images(
    client: TestClient, store: Store, project: int, role: str
) -> None:
    sign_in(client, store, project, "Ada", role=role)
    answer = client.get(ADDRESS)
    assert (answer.status_code, answer.content) == (200, IMAGE)
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["cache-control"] == "private, max-age=86400, immutable"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert "default-src 'self'" in answer.headers["content-security-policy"]


def test_nobody_else_learns_whether_there_is_one(client: TestClient, store: Store, project: int) -> None:
    unknown = client.get("/images/none/0")
    assert (unknown.status_code, unknown.text) == (404, "Not Found")
    assert client.get(ADDRESS).status_code == 404
    with store.reading() as session:
        other = find_project(session, "other").id
    sign_in(client, store, other, "Eve", role="researcher")
    assert client.get(ADDRESS).status_code == 404
    assert client.get(ADDRESS.replace("soup-flasks", "other")).status_code == 404


def test_who_is_no_longer_in_the_project_is_given_none(
    client: TestClient, store: Store, project: int
) -> None:
    ada = sign_in(client, store, project, "Ada")
    assert client.get(ADDRESS).status_code == 200
    members.remove(store, None, project, ada)
    assert client.get(ADDRESS).status_code == 404


def test_a_browser_without_our_cookie_is_known_by_the_address(
    client: TestClient, store: Store, project: int
) -> None:
    person = members.add(store, None, project, "Ada").id
    with store.writing() as session:
        name = sessions.start_session(session, person, until=now() + timedelta(hours=1))
    token = tokens.issue(name, use=tokens.IMAGES)
    assert client.get(ADDRESS, params={tokens.PARAMETER: token}).status_code == 200
    assert client.get(ADDRESS, params={tokens.PARAMETER: tokens.issue(name)}).status_code == 404
    refused = client.post(
        PATH, json={"project": "soup-flasks", "person": person, "ops": []}, headers={tokens.HEADER: token}
    )
    assert refused.status_code == 401


def test_the_screen_is_told_where_the_images_of_its_texts_are(
    client: TestClient, store: Store, project: int
) -> None:
    with store.writing() as session:
        session.execute(update(ItemRow).values(question="See ![chart](img/a.png) and ![gone](img/b.png)"))
        set_text_formats(session, project, {"question": "markdown"})
    ada = sign_in(client, store, project, "Ada")
    reply = client.post(PATH, json={"project": "soup-flasks", "person": ada, "ops": []}).json()
    (paragraph,) = reply["queue"][0]["rendered"]["question"]
    image = next(node for node in paragraph["children"] if isinstance(node, dict) and node["tag"] == "img")
    assert image["attributes"] == {"class": "image", "src": ADDRESS, "alt": "chart"}
    assert image["place"] == [4, 23]
    assert "Image not uploaded: img/b.png" in str(paragraph)
