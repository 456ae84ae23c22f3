"""An open demo: a guest has their own copy and nothing else, by whatever way they try."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from sqlalchemy import delete

from judgelab.accounts import members, sandboxes, sharing, signin
from judgelab.annotation import service as rating
from judgelab.backends.sample_replies import SAMPLE_DATA
from judgelab.cli import demo
from judgelab.config import settings
from judgelab.crowd import links
from judgelab.crowd.links import LinkOptions
from judgelab.errors import NotAllowed
from judgelab.imports.service import import_files
from judgelab.runs import guided
from judgelab.store.models import Person
from judgelab.store.people import people, sessions
from judgelab.store.projects import sandboxes as copies
from judgelab.store.projects.deletion import delete_project
from judgelab.store.projects.projects import find_project
from judgelab.store.projects.sandboxes import SANDBOX
from judgelab.ui.server import guest_route
from tests.security.conftest import Site

CLOSED = ("project", "data", "judge", "raters", "adjudicate", "report", "people", "endpoints")
SEEN = ("visit", "rate", "my-ratings", "quality", "runs", "agree", "explain", "you", "trust", "more")


@pytest.fixture(scope="module")
def opened(site: Site) -> Iterator[Site]:
    """The site as an open demo, as it was before afterwards."""
    patch = pytest.MonkeyPatch()
    patch.setenv("JUDGELAB_PUBLIC_DEMO", "1")
    settings.cache_clear()
    with site.store.reading() as session:
        before = {person.id for person in people.list_people(session)}
    folder = SAMPLE_DATA / "kitchen"
    demo.ensure_project(site.store, folder)
    for name, kind, _mapping in demo.sample_files(folder):
        import_files(site.store, sandboxes.TEMPLATE, [(name, folder / name)], kind=kind)
    yield site
    with site.store.writing() as session:
        for slug in copies.sandboxes_before(session, datetime(9999, 1, 1, tzinfo=UTC)):
            copies.delete_sandbox(session, slug)
        delete_project(session, sandboxes.TEMPLATE)
        session.execute(delete(Person).where(Person.id.not_in(before)))
    patch.undo()
    settings.cache_clear()


@pytest.fixture(scope="module")
def guest(opened: Site) -> sandboxes.Sandbox:
    return sandboxes.open_sandbox(opened.store)


@pytest.fixture(scope="module")
def another(opened: Site) -> sandboxes.Sandbox:
    return sandboxes.open_sandbox(opened.store)


def guest_id(site: Site, sandbox: sandboxes.Sandbox) -> int:
    person = signin.whoami(site.store, sandbox.cookie)
    assert person is not None
    return person.id


def project_id(site: Site, slug: str) -> int:
    with site.store.reading() as session:
        return find_project(session, slug).id


def test_the_first_page_leads_nobody_to_the_door_and_a_look_opens_nothing(opened: Site) -> None:
    opened.client.cookies.clear()
    at = opened.client.get("/", follow_redirects=False)
    assert (at.status_code, at.headers["location"]) == (303, guest_route.PATH)
    with opened.store.reading() as session:
        before = copies.count_guests(session)
        assert "Start the tour" in opened.client.get(guest_route.PATH).text
        assert copies.count_guests(session) == before


def test_the_door_gives_a_cookie_and_a_copy_until_an_address_had_enough(
    opened: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guest_route, "ADMISSION", sandboxes.GuestAdmission(most=1))
    opened.client.cookies.clear()
    admit = opened.client.post(guest_route.PATH, follow_redirects=False)
    assert admit.status_code == 303 and admit.headers["location"].startswith("/?project=visit-")
    assert "httponly" in admit.headers["set-cookie"].lower()
    second = opened.client.post(guest_route.PATH, follow_redirects=False)  # with the cookie: the same place
    assert second.headers["location"] == "/"
    opened.client.cookies.clear()
    refused = opened.client.post(guest_route.PATH, follow_redirects=False)
    assert refused.status_code == 429 and "set-cookie" not in refused.headers


def test_another_site_cannot_open_a_sandbox(opened: Site) -> None:
    opened.client.cookies.clear()
    answer = opened.client.post(guest_route.PATH, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403


def test_without_the_open_demo_there_is_no_door(opened: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "public_demo", False)
    assert opened.client.post(guest_route.PATH).status_code == 404
    assert opened.client.get("/", follow_redirects=False).status_code == 200


def test_no_file_is_taken(opened: Site, guest: sandboxes.Sandbox) -> None:
    cookie = {"Cookie": f"{signin.COOKIE}={guest.cookie}"}
    for method in ("PUT", "POST", "DELETE"):
        answer = opened.client.request(method, "/_stcore/upload_file/a/b", content=b"x", headers=cookie)
        assert answer.status_code == 403


@pytest.mark.parametrize("page", SEEN)
def test_a_guest_sees_the_pages_of_the_visit(opened: Site, guest: sandboxes.Sandbox, page: str) -> None:
    page_text = " ".join(opened.drawn(page, f"project={guest.project}", guest.cookie))
    assert "page_not_found" not in page_text and "No access to this page" not in page_text
    assert "Something went wrong" not in page_text


@pytest.mark.parametrize("page", CLOSED)
def test_a_guest_has_no_page_that_changes_or_lets_out(
    opened: Site, guest: sandboxes.Sandbox, page: str
) -> None:
    page_text = " ".join(opened.drawn(page, f"project={guest.project}&run=1", guest.cookie))
    assert "This page is not part of the open demo." in page_text


def test_a_page_that_is_closed_to_a_guest_counts_for_no_step(opened: Site) -> None:
    sandbox = sandboxes.open_sandbox(opened.store)
    for page in ("raters", "quality"):
        opened.drawn(page, f"project={sandbox.project}", sandbox.cookie)
        with opened.store.reading() as session:
            project, person = (
                find_project(session, sandbox.project),
                sessions.find_person(session, sandbox.cookie),
            )
        assert person is not None
        step_done = "raters" in guided.guided_path(opened.store, project, person.id).finished_steps
        assert step_done == (page == "quality")


@pytest.mark.parametrize("page", ["rate", "runs", "explain", "you"])
def test_the_copy_of_another_guest_and_other_projects_are_not_there(
    opened: Site, guest: sandboxes.Sandbox, another: sandboxes.Sandbox, page: str
) -> None:
    for slug in (another.project, "soup-flasks", sandboxes.TEMPLATE):
        page_text = " ".join(opened.drawn(page, f"project={slug}&run=1&response=1", guest.cookie))
        assert "Choose a project" in page_text
        assert "SecretSystem" not in page_text and "wholemeal" not in page_text


def test_services_give_a_guest_no_people_links_or_shares(opened: Site, guest: sandboxes.Sandbox) -> None:
    me, project = guest_id(opened, guest), project_id(opened, guest.project)
    with pytest.raises(NotAllowed):
        members.add(opened.store, me, project, "Friend")
    with pytest.raises(NotAllowed):
        members.new_link(opened.store, me, project, me)
    with pytest.raises(NotAllowed):
        sharing.create(opened.store, me, guest.project)
    with pytest.raises(NotAllowed):
        links.create(opened.store, me, project, "Crowd", LinkOptions(consent="I agree."))


def test_a_guest_is_given_only_so_many_responses(opened: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandboxes, "MAX_RATED", 2)
    sandbox = sandboxes.open_sandbox(opened.store)
    me, project = guest_id(opened, sandbox), project_id(opened, sandbox.project)
    assert 0 < len(rating.next_items(opened.store, me, project, count=5)) <= 2
    with opened.store.reading() as session:
        assert find_project(session, sandbox.project).settings[SANDBOX] is True
