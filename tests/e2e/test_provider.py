"""Signing in with an account kept elsewhere: a small OpenID Connect provider of our own, a real browser."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from playwright.sync_api import Browser, expect

from judgelab.accounts import global_roles, members
from judgelab.annotation.links import own_forms
from judgelab.store.models import Membership, Rating
from judgelab.store.people import people, sessions
from judgelab.store.projects.projects import create_project
from tests.annotation.conftest import make_project
from tests.databases import new_sqlite
from tests.e2e.conftest import App, settled

pytestmark = pytest.mark.browser
ADDRESS = "olga@example.org"


class Provider(ThreadingHTTPServer):
    """Vouches for one address to everybody who asks."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.issuer = f"http://127.0.0.1:{self.server_address[1]}"
        self.key = RSAKey.generate_key(2048, {"kid": "k"})
        self.nonce = ""


class _Answers(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path.endswith("/openid-configuration"):
            names = {"authorization": "authorize", "token": "token"}
            ends = {f"{name}_endpoint": f"{self.server.issuer}/{path}" for name, path in names.items()}
            self._json({"issuer": self.server.issuer, "jwks_uri": f"{self.server.issuer}/jwks", **ends})
        elif url.path == "/jwks":
            self._json({"keys": [self.server.key.as_dict(private=False)]})
        else:
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            self.server.nonce = query.get("nonce", "")
            back = urlencode({"code": "c", "state": query["state"]})
            self.send_response(302)
            self.send_header("Location", f"{query['redirect_uri']}?{back}")
            self.end_headers()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        at = int(time.time())
        claims = {
            "iss": self.server.issuer,
            "aud": "judgelab",
            "sub": "s-1",
            "iat": at,
            "exp": at + 600,
            "nonce": self.server.nonce,
            "email": ADDRESS,
            "email_verified": True,
        }
        token = jwt.encode({"alg": "RS256", "kid": "k"}, claims, self.server.key)
        self._json({"access_token": "a", "token_type": "Bearer", "expires_in": 600, "id_token": token})

    def log_message(self, *_: Any) -> None:
        return

    def _json(self, body: dict[str, Any]) -> None:
        payload = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


@pytest.fixture
def provider() -> Iterator[Provider]:
    running = Provider()
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def app(tmp_path: Path, provider: Provider) -> Iterator[App]:
    """The app with the provider in its secrets."""
    running = App(new_sqlite(tmp_path / "judgelab.db"), tmp_path)
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(
        f'[auth]\nredirect_uri = "{running.address}/oauth2callback"\n'
        'cookie_secret = "a secret of this test alone"\n'
        f'client_id = "judgelab"\nclient_secret = "s"\n'
        f'server_metadata_url = "{provider.issuer}/.well-known/openid-configuration"\n'
    )
    running.environment["STREAMLIT_SECRETS_FILES"] = str(secrets)
    running.start()
    yield running
    running.stop()


def test_whom_the_provider_vouches_for_is_the_person_an_owner_added_until_they_sign_out(
    app: App, browser: Browser
) -> None:
    window = browser.new_context(reduced_motion="reduce")
    tab = window.new_page()
    tab.goto(app.address)
    tab.get_by_role("button", name="Sign in with your organisation").click()
    expect(tab.get_by_text("no owner has added a person of that name here")).to_be_visible(timeout=40_000)

    person = global_roles.add(app.store, ADDRESS, "owner", "a long pass phrase")
    tab.goto(f"{app.address}/account")
    expect(tab.get_by_text(f"Signed in as {ADDRESS}")).to_be_visible(timeout=40_000)
    with app.store.reading() as session:
        assert people.find(session, ADDRESS) == person
        assert sessions.count_sessions(session) == {person.id: 1}

    # No cookie of ours stands for this sign-in: the page gives the rating screen a pass, also a second one.
    make_project(app.store)
    tab.goto(f"{app.address}/rate?project=soup-flasks&rater={person.id}")
    expect(tab.get_by_test_id("answer")).to_be_visible(timeout=40_000)
    for restarted in (False, True):
        if restarted:  # the pass is unknown then: the page comes back by itself and gives another
            app.kill()
            app.start()
        for key in ("2", "4", "Enter"):
            tab.keyboard.press(key)
        _until_stored(app, person.id, 4 if restarted else 2)
        expect(tab.get_by_test_id("saved")).to_contain_text("Saved", timeout=40_000)

    other_tab = window.new_page()
    other_tab.goto(f"{app.address}/account")
    expect(other_tab.get_by_text(f"Signed in as {ADDRESS}")).to_be_visible(timeout=40_000)
    tab.goto(f"{app.address}/account")
    tab.get_by_role("button", name="Sign out", exact=True).click()
    enter = tab.get_by_role("button", name="Sign in with your organisation")
    expect(enter).to_be_visible(timeout=40_000)
    with app.store.reading() as session:
        assert sessions.count_sessions(session) == {}
    # Nobody is signed in again behind their back, in no tab and by no reload.
    for open_tab in (tab, other_tab):
        settled(open_tab).reload()
        expect(open_tab.get_by_role("button", name="Sign in with your organisation")).to_be_visible(
            timeout=40_000
        )
        expect(open_tab.get_by_text("This sign-in was ended")).to_have_count(0)
    assert not [cooky for cooky in window.cookies() if "user" in cooky["name"] and cooky["value"]]
    other_tab.close()

    enter.click()
    expect(tab.get_by_role("button", name="Sign in with your organisation")).to_have_count(0, timeout=40_000)
    tab.wait_for_url(f"{app.address}/**")
    settled(tab).goto(f"{app.address}/account")
    expect(tab.get_by_text(f"Signed in as {ADDRESS}")).to_be_visible(timeout=40_000)

    with app.store.writing() as session:
        sessions.end_sessions_of_person(session, person.id)
    tab.reload()
    expect(tab.get_by_text("This sign-in was ended; sign in again")).to_be_visible(timeout=40_000)
    settled(tab)
    window.close()


def test_whom_the_provider_vouches_for_answers_before_and_after_the_ratings(
    app: App, browser: Browser
) -> None:
    forms = {name: own_forms.read_form("Age: number") for name in own_forms.SETTINGS}
    project = make_project(app.store, answers=1, **forms)
    rater = members.add(app.store, None, project, ADDRESS).id
    window = browser.new_context(reduced_motion="reduce")
    tab = window.new_page()
    tab.goto(f"{app.address}/rate?project=soup-flasks")
    tab.get_by_role("button", name="Sign in with your organisation").click()
    for age in ("31", "32"):
        tab.get_by_test_id("farewell").get_by_role("link").click(timeout=60_000)
        tab.get_by_label("Age").fill(age)
        tab.get_by_role("button", name="Submit answers").click()
        if age == "31":
            expect(tab.get_by_test_id("answer")).to_be_visible(timeout=60_000)
            settled(tab)
            for key in ("2", "4", "Enter"):
                tab.keyboard.press(key)
    expect(tab.get_by_text("Your answers are stored")).to_be_visible()
    with app.store.reading() as session:
        member = session.query(Membership).filter_by(person_id=rater).one()
    assert (member.background, member.exit_answers) == ({"Age": 31}, {"Age": 32})
    window.close()


def test_whom_the_provider_vouches_for_uploads_files_until_their_sign_in_ends(
    app: App, browser: Browser
) -> None:
    person = global_roles.add(app.store, ADDRESS, "owner", "a long pass phrase")
    with app.store.writing() as session:
        create_project(session, name="Soup flasks")
    window = browser.new_context(reduced_motion="reduce")
    tab = window.new_page()
    tab.goto(f"{app.address}/data?project=soup-flasks")
    tab.get_by_role("button", name="Sign in with your organisation").click()
    tab.wait_for_url(f"{app.address}/**")
    expect(tab.get_by_role("button", name="Sign in with your organisation")).to_have_count(0, timeout=40_000)
    settled(tab).goto(f"{app.address}/data?project=soup-flasks")
    settled(tab)
    file = {"name": "a.csv", "mimeType": "text/csv", "buffer": b"question,answer,system\nWhy?,So.,A\n"}
    with tab.expect_response(lambda answer: "/upload_file/" in answer.url) as reply:
        tab.locator("input[type=file]").first.set_input_files(file)
    assert reply.value.status == 204
    with app.store.writing() as session:
        sessions.end_sessions_of_person(session, person.id)
    send = "url => fetch(url, {method: 'PUT', body: 'x'}).then((reply) => reply.text())"
    assert tab.evaluate(send, reply.value.url) == "Only researchers and owners can upload files."
    window.close()


def _until_stored(app: App, person: int, ratings: int) -> None:
    # The screen may still say "Saved" of the answer before.
    end = time.monotonic() + 40
    while True:
        with app.store.reading() as session:
            stored = session.query(Rating).filter(Rating.person_id == person).count()
        if stored == ratings:
            return
        assert time.monotonic() < end, f"{stored} of {ratings} ratings are stored"
        time.sleep(0.1)
