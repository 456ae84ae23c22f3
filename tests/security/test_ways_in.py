"""Every way in that is not the door: deep links, other origins, other people's ids, guessed links."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import streamlit as st
from sqlalchemy import delete, text, update
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from judgelab.accounts import link_rate_limit, signin
from judgelab.config import settings
from judgelab.crowd import links
from judgelab.package_files import package_path
from judgelab.store.models import Audit, Membership, now
from judgelab.store.people import invites, people
from judgelab.store.projects.projects import create_project
from judgelab.ui.server.routes import ROUTES
from judgelab.ui.session import navigation
from tests.crowd.conftest import OPTIONS
from tests.security.conftest import HERE, Site

Known = tuple[str, str, str]


def _known(value: object) -> set[Known]:
    """Return the pages in whatever stands in the module of navigation: pages, and lists of them."""
    if not isinstance(value, tuple):
        return set()
    if len(value) == 3 and str(value[0]).startswith("pages/"):
        return {value}
    return {page for member in value for page in _known(member)}


PAGES = _known(tuple(vars(navigation).values()))
OPEN_TO_RATERS = {*navigation.RATER, navigation.ACCOUNT}
RESEARCH = sorted(page[2] for page in PAGES - OPEN_TO_RATERS)
SECRETS = ("SecretSystem", "secret-0")
ELSEWHERE = ("https://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:9999", "http://[::1")


def test_every_page_there_is_is_tried_here() -> None:
    root = package_path("pages").parent
    scripts = {path.relative_to(root).as_posix() for path in package_path("pages").rglob("*.py")}
    assert scripts - {page[0] for page in PAGES} == {navigation.HOME}


@pytest.mark.parametrize("page", ["", "rate", "my-ratings", "account", *RESEARCH])
@pytest.mark.parametrize("cookie", ["", "x" * 43], ids=["nobody", "an invented cookie"])
def test_a_deep_link_shows_nothing_to_nobody(site: Site, page: str, cookie: str) -> None:
    page_text = " ".join(site.drawn(page, "project=soup-flasks", cookie))
    assert "You are not signed in on this browser" in page_text
    assert "Soup flasks" not in page_text and not any(secret in page_text for secret in SECRETS)


@pytest.mark.parametrize("path", navigation.ADDRESSES)
def test_every_page_has_its_address(site: Site, path: str) -> None:
    assert site.client.get(f"/{path}").status_code == 200


@pytest.mark.parametrize("path", ["/sign-in/", "/healthz/", "/readyz/", "/help", "/agree/", "/"])
def test_a_last_stroke_more_or_less_leads_there_too(site: Site, path: str) -> None:
    assert site.client.get(path).status_code == 200


def test_what_streamlit_answers_is_let_through(site: Site) -> None:
    for path in ("/_stcore/health", "/favicon.png", "/app/static/mark.svg", "/index.html"):
        assert site.client.get(path).status_code == 200
    below = site.client.get("/agree/_stcore/health")
    assert below.status_code == 404 and "has no page" not in below.text


def test_below_a_base_the_same_holds(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    # The server itself was started without one: what is let through comes to it as an unknown address.
    option = st.get_option("server.baseUrlPath")
    st._config.set_option("server.baseUrlPath", "lab")
    try:
        for path in ("/lab", "/lab/", "/lab/agree", "/lab/_stcore/health", "/elsewhere"):
            assert "has no page" not in site.client.get(path).text
        answer = site.client.get("/lab/nowhere")
        assert answer.status_code == 404 and 'href="/lab/"' in answer.text and "“nowhere”" in answer.text
    finally:
        st._config.set_option("server.baseUrlPath", option)


@pytest.mark.parametrize(
    "path",
    ["/nowhere", "/agreee/", "/agree/x", "/index.php", "/_foo", "/sign-out", "/<b onclick=alert(1)>", "/%00"],
)
def test_an_address_without_a_page_is_said_to_have_none(site: Site, path: str) -> None:
    answer = site.client.get(path, headers={"Accept-Language": "de"})
    assert answer.status_code == 404
    assert "Seite nicht gefunden" in answer.text and "<b onclick" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.fixture(scope="module")
def rater(site: Site) -> str:
    return site.member("Curious", "annotator")


@pytest.mark.parametrize("page", RESEARCH)
def test_a_rater_has_no_page_of_research_by_deep_link(site: Site, rater: str, page: str) -> None:
    page_text = " ".join(site.drawn(page, "project=soup-flasks&run=1&response=1&judge=x", rater))
    assert "No access to this page" in page_text
    assert not any(secret in page_text for secret in SECRETS)


def test_who_has_the_page_in_another_project_is_led_there_and_to_no_closed_one(site: Site) -> None:
    with site.store.writing() as session:
        for name in ("Own study", "Third study"):
            create_project(session, name=name)
    site.member("Both", "researcher", "own-study")
    site.member("Both", "annotator", "third-study")
    cookie = site.member("Both", "annotator")
    page_text = " ".join(site.drawn("data", "project=soup-flasks", cookie))
    assert (
        "No access to this page" in page_text
        and "Soup flasks" in page_text
        and "Go to your pages" in page_text
    )
    assert "gate_open_own-study" in page_text and "gate_open_third-study" not in page_text
    page_text = " ".join(site.drawn("endpoints", "project=own-study", cookie))
    assert "Only an owner of JudgeLab" in page_text and "gate_open_" not in page_text


def test_the_project_of_others_is_not_there(site: Site) -> None:
    stranger = signin.redeem(site.store, _link_of_a_stranger(site))
    for page in ("rate", "agree", "explain", "quality"):
        page_text = " ".join(site.drawn(page, "project=soup-flasks&run=1&response=1", stranger or ""))
        assert "Soup flasks" not in page_text and not any(secret in page_text for secret in SECRETS)


def test_what_a_rater_is_sent_names_no_system(site: Site, rater: str) -> None:
    page_text = " ".join(site.drawn("rate", "project=soup-flasks", rater))
    assert "question" in page_text and not any(secret in page_text for secret in SECRETS)
    page_text = " ".join(site.drawn("my-ratings", "project=soup-flasks", rater))
    assert "My ratings" in page_text and not any(secret in page_text for secret in SECRETS)
    body = {"project": "soup-flasks", "person": signin.whoami(site.store, rater).id, "ops": []}  # type: ignore[union-attr]
    headers = {"Origin": HERE, "Cookie": f"{signin.COOKIE}={rater}"}
    answer = site.client.post("/rate/work", json=body, headers=headers)
    assert answer.json()["queue"] and not any(secret in answer.text for secret in SECRETS)


@pytest.mark.parametrize("page", ["quality", "judge"])
def test_no_button_of_an_open_page_acts_once_the_right_is_taken_back(site: Site, page: str) -> None:
    name = f"Was owner on {page}"
    cookie = site.member(name, "owner")
    person = signin.whoami(site.store, cookie)
    assert person is not None
    with site.tab(cookie) as tab:
        buttons = _buttons(tab.open_whole(page, "project=soup-flasks"))
    assert buttons
    for button, fragment in buttons:
        with site.tab(cookie) as tab:
            tab.open_whole(page, "project=soup-flasks")
            _give(site, person.id, "annotator")
            before = _contents(site)
            tab.press(button, fragment)
            assert _contents(site) == before, button
            _give(site, person.id, "owner")


def test_those_buttons_do_act_while_the_right_is_there(site: Site) -> None:
    cookie = site.member("Still owner", "owner")
    with site.tab(cookie) as tab:
        buttons = _buttons(tab.open("quality", "project=soup-flasks"))
        before = _contents(site)
        for button, fragment in buttons:
            tab.press(button, fragment)
    assert _contents(site) != before


def _buttons(messages: list[ForwardMsg]) -> list[tuple[str, str]]:
    """Return the buttons of a page, each with the fragment that it stands in."""
    deltas = [message.delta for message in messages if message.WhichOneof("type") == "delta"]
    buttons = [(delta.new_element.button.id, delta.fragment_id) for delta in deltas]
    return list(dict.fromkeys(button for button in buttons if button[0]))


def _give(site: Site, person: int, role: str) -> None:
    with site.store.writing() as session:
        session.execute(update(Membership).where(Membership.person_id == person).values(role=role))


def _contents(site: Site) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of all tables but the browsers signed in and what whoever comes to *Rate* is lent."""
    with site.store.reading() as session:
        tables = session.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'")).all()
        return {
            name: [tuple(row) for row in session.execute(text(f'SELECT * FROM "{name}"'))]
            for name in tables
            if name not in ("session", "assignment")
        }


@pytest.mark.parametrize("origin", ELSEWHERE)
def test_another_origin_opens_no_page_not_even_from_another_port_of_this_machine(
    site: Site, origin: str
) -> None:
    headers = {"Origin": origin, "Cookie": f"{signin.COOKIE}={site.owner()}"}
    with (
        pytest.raises(WebSocketDisconnect),
        site.client.websocket_connect("/_stcore/stream", ["streamlit"], headers=headers),
    ):
        pass


@pytest.fixture(scope="module")
def study_link(site: Site) -> str:
    return (
        links.create(site.store, None, site.project, "Platform", OPTIONS).path + "?PROLIFIC_PID=p&STUDY_ID=s"
    )


POSTS = sorted(
    {
        (route.path, method)
        for route in ROUTES
        for method in route.methods or ()
        if method not in ("GET", "HEAD")
    }
)


@pytest.mark.parametrize("origin", ELSEWHERE)
@pytest.mark.parametrize(("path", "method"), POSTS)
def test_no_route_takes_what_another_site_sends(
    site: Site, study_link: str, path: str, method: str, origin: str
) -> None:
    token = signin.new_owner_token(site.store)
    address = study_link if path.startswith("/study") else path.replace("{token}", token)
    headers = {"Origin": origin, "Content-Type": "application/json" if "work" in path else "text/plain"}
    before = site.owner()
    answer = site.client.request(
        method, address, headers={**headers, "Cookie": f"{signin.COOKIE}={before}"}, follow_redirects=False
    )
    assert answer.status_code == 403 and "set-cookie" not in answer.headers
    assert signin.whoami(site.store, before) is not None  # nobody was signed out
    assert signin.redeem(site.store, token) is not None  # and the link was not used up


@pytest.mark.parametrize("site_header", ["cross-site", "same-site"])
def test_a_request_without_origin_that_a_browser_calls_foreign_is_refused(
    site: Site, site_header: str
) -> None:
    link = signin.new_owner_link(site.store)
    answer = site.client.post(link, headers={"Sec-Fetch-Site": site_header}, follow_redirects=False)
    assert answer.status_code == 403


def test_plain_http_of_the_same_name_is_another_origin(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGELAB_PUBLIC_URL", "https://rate.example")
    settings.cache_clear()
    link = signin.new_owner_link(site.store)
    headers = {"Origin": "http://rate.example", "Host": "rate.example"}
    assert site.client.post(link, headers=headers, follow_redirects=False).status_code == 403
    monkeypatch.undo()
    settings.cache_clear()


def test_signing_in_gives_a_fresh_cookie_and_ends_the_one_that_was_there(site: Site) -> None:
    planted_cookie = site.owner()
    link = signin.new_owner_link(site.store)
    headers = {"Origin": HERE, "Cookie": f"{signin.COOKIE}={planted_cookie}"}
    answer = site.client.post(link, headers=headers, follow_redirects=False)
    new_cookie = answer.cookies[signin.COOKIE]
    site.client.cookies.clear()
    assert new_cookie != planted_cookie and signin.whoami(site.store, planted_cookie) is None


@pytest.fixture
def guesser(site: Site) -> Iterator[TestClient]:
    """A browser at an address of its own, from which nobody guessed yet."""
    yield TestClient(site.client.app, client=("203.0.113.9", 1), raise_server_exceptions=False)
    _no_tries(site)


def test_whoever_tries_links_has_to_wait_and_locks_out_nobody_with_a_right_one(
    site: Site, guesser: TestClient
) -> None:
    for number in range(link_rate_limit.MAX_TRIES_PER_ADDRESS):
        path = ("invite", "results", "study")[number % 3]
        assert guesser.get(f"/{path}/{number:048x}").status_code in (403, 404)
    wrong_link = f"/invite/{0:048x}"
    refused = guesser.post(wrong_link, headers={"Origin": HERE}, follow_redirects=False)
    assert refused.status_code == 429 and "Wait 15 minutes" in refused.text
    assert 0 < int(refused.headers["retry-after"]) <= link_rate_limit.WINDOW.total_seconds()
    right = signin.new_owner_link(site.store)
    assert guesser.post(right, headers={"Origin": HERE}, follow_redirects=False).status_code == 303
    assert site.client.get(wrong_link).status_code == 403  # from elsewhere there was no try before
    with site.store.writing() as session:
        session.execute(update(Audit).values(at=now() - timedelta(minutes=16)))
    assert guesser.get(wrong_link).status_code == 403


def test_the_address_of_who_tried_is_not_stored_in_clear(site: Site, guesser: TestClient) -> None:
    guesser.get("/invite/none")
    with site.store.reading() as session:
        details = [str(row.detail) for row in session.query(Audit).filter(Audit.action == "tried_link")]
    assert details and not any("203.0.113.9" in detail for detail in details)


def test_of_ipv6_the_first_half_counts(site: Site) -> None:
    for number in range(link_rate_limit.MAX_TRIES_PER_ADDRESS):
        client = TestClient(site.client.app, client=(f"2001:db8::{number:x}", 1))
        assert client.get("/invite/none").status_code == 403
    assert client.get("/invite/none").status_code == 429
    _no_tries(site)


def _no_tries(site: Site) -> None:
    with site.store.writing() as session:
        session.execute(delete(Audit).where(Audit.action == "tried_link"))


def _link_of_a_stranger(site: Site) -> str:
    with site.store.writing() as session:
        person = people.find_or_create(session, "Stranger", role="")
        return invites.new_invite(session, person, lifetime=timedelta(hours=1))
