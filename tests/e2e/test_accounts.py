"""Getting in and being shown the door: over real HTTP, and in a real browser in the middle of a rating."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from judgelab.accounts import global_roles, members, password_sign_in, signin
from judgelab.domain import Criterion
from judgelab.store.models import ItemRow, Rating, ResponseRow, now
from judgelab.store.people import people, sessions
from judgelab.store.projects.projects import create_project, get_project
from judgelab.store.rating import units
from tests.e2e.conftest import App, settled

pytestmark = pytest.mark.browser
SCALE = {"kind": "ordinal", "low": 0, "high": 3}
PASSWORD = "a long pass phrase"


class Answer:
    """What the server said to one request, without following it anywhere."""

    def __init__(
        self, app: App, method: str, path: str, *, form: dict[str, str] | None = None, **headers: str
    ):
        connection = http.client.HTTPConnection("127.0.0.1", app.port, timeout=60)
        body = urlencode(form or {})
        request_headers = {"content-type": "application/x-www-form-urlencoded"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        connection.request(method, path, body if method == "POST" else None, request_headers)
        response = connection.getresponse()
        self.status = response.status
        self.headers = response.headers
        self.text = response.read().decode()
        self.cookie = response.headers.get("set-cookie") or ""
        connection.close()

    @property
    def session(self) -> str:
        """The value of the cookie that was set."""
        return self.cookie.partition(f"{signin.COOKIE}=")[2].partition(";")[0]


@pytest.fixture(scope="module")
def app(own_app: App) -> App:
    return own_app


@pytest.fixture
def project(app: App, request: pytest.FixtureRequest) -> int:
    """A project of its own with responses to rate."""
    with app.store.writing() as session:
        name = f"Project {request.node.name}"[:80]
        created = create_project(session, name=name, criteria=[Criterion("good", "Good", SCALE)])
        for n in range(8):
            item = ItemRow(project_id=created.id, external_id=f"q{n}", question=f"Question {n}?")
            session.add(item)
            session.flush()
            session.add(
                ResponseRow(project_id=created.id, item_id=item.id, external_id=f"r{n}", text=f"Answer {n}.")
            )
        session.flush()
        units.offer_units(session, created.id)
        return created.id


def _invited(app: App, project: int, name: str) -> tuple[int, str]:
    person = members.add(app.store, None, project, name)
    return person.id, members.new_link(app.store, None, project, person.id).path


def test_looking_at_a_link_uses_nothing_up_and_posting_signs_in(app: App) -> None:
    path = signin.new_owner_link(app.store)
    for _ in range(3):
        answer = Answer(app, "GET", path)
        assert answer.status == 200 and not answer.cookie
    posted = Answer(app, "POST", path)
    assert posted.status == 303 and posted.headers["location"] == "/"
    person = signin.whoami(app.store, posted.session)
    assert person is not None and person.role == "owner"
    second_post = Answer(app, "POST", path)
    assert second_post.status == 403 and "has been used" in second_post.text and not second_post.cookie


def test_the_cookie_is_out_of_reach_of_scripts_and_secure_under_https(app: App, project: int) -> None:
    _, path = _invited(app, project, "Cookie <b>rater</b>")
    page = Answer(app, "GET", path)
    assert "Cookie &lt;b&gt;rater&lt;/b&gt;" in page.text
    plain = Answer(app, "POST", path).cookie.lower()
    assert "httponly" in plain and "samesite=lax" in plain and "secure" not in plain
    assert "secure" in Answer(app, "POST", path, x_forwarded_proto="https").cookie.lower()


def test_a_form_on_another_site_signs_nobody_in_or_out(app: App, project: int) -> None:
    rater, path = _invited(app, project, "Crossed rater")
    for origin in ("https://evil.example", "null"):
        for address in (path, "/sign-in", "/sign-out"):
            refused = Answer(app, "POST", address, origin=origin)
            assert refused.status == 403 and "another site" in refused.text and not refused.cookie
    assert Answer(app, "POST", path, origin=app.address).session


def test_signing_in_as_another_ends_the_sign_in_before(app: App, project: int) -> None:
    _, first = _invited(app, project, "First rater")
    _, second = _invited(app, project, "Second rater")
    cookie = Answer(app, "POST", first).session
    warned = Answer(app, "GET", second, cookie=f"{signin.COOKIE}={cookie}")
    assert "signed in as First rater" in warned.text
    Answer(app, "POST", second, cookie=f"{signin.COOKIE}={cookie}")
    assert signin.whoami(app.store, cookie) is None


def test_a_link_taken_back_says_so(app: App, project: int) -> None:
    rater, path = _invited(app, project, "Revoked rater")
    cookie = Answer(app, "POST", path).session
    members.revoke_link(app.store, None, project, rater)
    for method in ("GET", "POST"):
        answer = Answer(app, method, path)
        assert answer.status == 403 and "was revoked" in answer.text
    assert signin.whoami(app.store, cookie) is None


def test_signing_in_by_name_over_http(app: App) -> None:
    global_roles.add(app.store, "Olga", "owner", PASSWORD)
    assert "autocomplete" in Answer(app, "GET", "/sign-in").text
    wrong = Answer(app, "POST", "/sign-in", form={"name": 'Olga"><i>', "password": "no"})
    assert wrong.status == 403 and "Wrong name or password" in wrong.text and "<i>" not in wrong.text
    right = Answer(app, "POST", "/sign-in", form={"name": "Olga", "password": PASSWORD})
    assert right.status == 303
    Answer(app, "GET", "/sign-out", cookie=f"{signin.COOKIE}={right.session}")  # a picture on another site
    assert signin.whoami(app.store, right.session) is not None
    out = Answer(app, "POST", "/sign-out", cookie=f"{signin.COOKIE}={right.session}")
    assert out.status == 303 and signin.whoami(app.store, right.session) is None


def test_too_many_tries_over_http_are_held_up_with_a_sentence(app: App) -> None:
    global_roles.add(app.store, "Held up", "owner", PASSWORD)
    for _ in range(password_sign_in.MAX_TRIES_PER_NAME):
        Answer(app, "POST", "/sign-in", form={"name": "Held up", "password": "no"})
    refused = Answer(app, "POST", "/sign-in", form={"name": "Held up", "password": PASSWORD})
    assert (
        refused.status == 403
        and "Too many attempts for this name: wait" in refused.text
        and not refused.cookie
    )


@pytest.fixture
def visitors(browser: Browser) -> Iterator[BrowserContext]:
    """A browser in which nobody is signed in."""
    fresh = browser.new_context(viewport={"width": 1366, "height": 900}, reduced_motion="reduce")
    yield fresh
    fresh.close()


def _join(app: App, visitors: BrowserContext, path: str) -> Page:
    tab = visitors.new_page()
    tab.goto(app.address + path)
    tab.get_by_role("button", name="Open JudgeLab").click()
    expect(tab.get_by_test_id("answer")).to_be_visible(timeout=40_000)
    return settled(tab)


def _rate(tab: Page) -> None:
    tab.keyboard.press("2")
    tab.keyboard.press("Enter")


def _rated(app: App, person: int) -> int:
    with app.store.reading() as session:
        return session.query(Rating).filter_by(person_id=person).count()


def test_invited_in_the_app_a_rater_rates_until_the_link_is_revoked_between_two_keys(
    app: App, project: int, page: Page, visitors: BrowserContext
) -> None:
    with app.store.reading() as session:
        slug = get_project(session, project).slug
    page.goto(f"{app.address}/people?project={slug}")
    settled(page)
    page.get_by_role("textbox", name="Name").fill("Invited rater")
    page.get_by_role("button", name="Add and create a link").click()
    expect(page.get_by_text("It is shown only once")).to_be_visible()
    link = page.get_by_test_id("stCode").inner_text().strip()
    assert link.startswith(f"{app.address}/invite/")

    tab = _join(app, visitors, urlsplit(link).path)
    assert urlsplit(tab.url).path == "/rate"
    with app.store.reading() as session:
        rater = people.find(session, "Invited rater")
    assert rater is not None
    _rate(tab)
    expect(tab.get_by_test_id("saved")).to_contain_text("Saved")
    assert _rated(app, rater.id) == 1
    tab.reload()
    expect(tab.get_by_test_id("answer")).to_be_visible(timeout=40_000)  # the sign-in survives a reload
    settled(tab)

    members.revoke_link(app.store, None, project, rater.id)
    _rate(tab)  # reruns the fragment of the desk alone, which must look again who is here
    expect(tab.get_by_text("Not signed in", exact=False).first).to_be_visible(timeout=40_000)
    assert _rated(app, rater.id) == 1
    expect(tab.get_by_test_id("answer")).to_have_count(0)


def test_who_is_taken_out_of_their_only_project_rates_no_more_and_is_signed_out(
    app: App, project: int, visitors: BrowserContext
) -> None:
    rater = members.add(app.store, None, project, "Removed rater").id
    with app.store.writing() as session:
        cookie = sessions.start_session(session, rater, until=now() + timedelta(hours=1))
    visitors.add_cookies([{"name": signin.COOKIE, "value": cookie, "url": app.address}])
    tab = visitors.new_page()
    tab.goto(f"{app.address}/rate")  # the only project they have
    expect(tab.get_by_test_id("answer")).to_be_visible(timeout=40_000)
    settled(tab)
    members.remove(app.store, None, project, rater)
    _rate(tab)
    expect(tab.get_by_test_id("answer")).to_have_count(0, timeout=40_000)
    expect(tab.get_by_text("Not signed in", exact=False).first).to_be_visible(timeout=40_000)
    assert _rated(app, rater) == 0
    assert signin.whoami(app.store, cookie) is None
