"""Every way in that is not the door: deep links, other origins, other people's ids, guessed links."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import delete, update
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from judgelab.accounts import guessing, signin
from judgelab.config import settings
from judgelab.crowd import links
from judgelab.store import invites, people
from judgelab.store.models import Audit, now
from judgelab.ui.routes import ROUTES
from tests.crowd.conftest import OPTIONS
from tests.security.conftest import HERE, Site

RESEARCH = (
    *("projects", "data", "quality", "raters", "judge", "runs", "agree", "explain", "adjudicate", "patterns"),
    *("trust", "compare", "means", "studies", "report", "more", "preparation", "people", "endpoints"),
)
SECRETS = ("SecretSystem", "secret-0")
ELSEWHERE = ("https://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:9999", "http://[::1")


@pytest.mark.parametrize("page", ["", "rate", "my-ratings", "account", *RESEARCH])
@pytest.mark.parametrize("cookie", ["", "x" * 43], ids=["nobody", "an invented cookie"])
def test_a_deep_link_shows_nothing_to_nobody(site: Site, page: str, cookie: str) -> None:
    said = " ".join(site.drawn(page, "project=soup-flasks", cookie))
    assert "Nobody is signed in on this browser" in said
    assert "Soup flasks" not in said and not any(secret in said for secret in SECRETS)


@pytest.fixture(scope="module")
def rater(site: Site) -> str:
    return site.member("Curious", "annotator")


@pytest.mark.parametrize("page", RESEARCH)
def test_a_rater_has_no_page_of_research_by_deep_link(site: Site, rater: str, page: str) -> None:
    said = " ".join(site.drawn(page, "project=soup-flasks&run=1&response=1&judge=x", rater))
    assert "page_not_found" in said
    assert not any(secret in said for secret in SECRETS)


def test_the_project_of_others_is_not_there(site: Site) -> None:
    stranger = signin.redeem(site.store, _link_of_a_stranger(site))
    for page in ("rate", "agree", "explain", "quality"):
        said = " ".join(site.drawn(page, "project=soup-flasks&run=1&response=1", stranger or ""))
        assert "Soup flasks" not in said and not any(secret in said for secret in SECRETS)


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
    return links.make(site.store, None, site.project, "Platform", OPTIONS).path + "?PROLIFIC_PID=p&STUDY_ID=s"


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


@pytest.mark.parametrize("said", ["cross-site", "same-site"])
def test_a_request_without_origin_that_a_browser_calls_foreign_is_refused(site: Site, said: str) -> None:
    link = signin.new_owner_link(site.store)
    answer = site.client.post(link, headers={"Sec-Fetch-Site": said}, follow_redirects=False)
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
    planted = site.owner()
    link = signin.new_owner_link(site.store)
    headers = {"Origin": HERE, "Cookie": f"{signin.COOKIE}={planted}"}
    answer = site.client.post(link, headers=headers, follow_redirects=False)
    given = answer.cookies[signin.COOKIE]
    site.client.cookies.clear()
    assert given != planted and signin.whoami(site.store, planted) is None


@pytest.fixture
def guesser(site: Site) -> Iterator[TestClient]:
    """A browser at an address of its own, from which nobody guessed yet."""
    yield TestClient(site.client.app, client=("203.0.113.9", 1), raise_server_exceptions=False)
    _no_tries(site)


@pytest.mark.parametrize("path", ["/invite/{}", "/results/{}", "/study/{}"])
def test_whoever_tries_links_has_to_wait_also_with_one_that_is_right(
    site: Site, guesser: TestClient, path: str
) -> None:
    for number in range(guessing.TRIES_AN_ADDRESS):
        assert guesser.get(path.format(f"{number:048x}")).status_code in (403, 404)
    right = signin.new_owner_link(site.store)
    refused = guesser.post(right, headers={"Origin": HERE}, follow_redirects=False)
    assert refused.status_code == 429 and "Wait 15 minutes" in refused.text
    assert 0 < int(refused.headers["retry-after"]) <= guessing.WINDOW.total_seconds()
    assert site.client.get(right).status_code == 200  # from elsewhere it works
    with site.store.writing() as session:
        session.execute(update(Audit).values(at=now() - timedelta(minutes=16)))
    assert guesser.get(right).status_code == 200


def test_the_address_of_who_tried_is_not_stored_in_clear(site: Site, guesser: TestClient) -> None:
    guesser.get("/invite/none")
    with site.store.reading() as session:
        kept = [str(row.detail) for row in session.query(Audit).filter(Audit.action == "tried_link")]
    assert kept and not any("203.0.113.9" in one for one in kept)


def test_of_ipv6_the_first_half_counts(site: Site) -> None:
    for number in range(guessing.TRIES_AN_ADDRESS):
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
