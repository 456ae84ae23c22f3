"""What stands on every answer, also on Streamlit's own, on refusals and on errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from judgelab.accounts import signin
from judgelab.config import settings
from judgelab.ui.server.headers import HEADERS, SecurityHeaders
from tests.security.conftest import HERE, Site

PATHS = {
    "/": 200,
    "/rate": 200,
    "/sign-in": 200,
    "/healthz": 200,
    "/invite/none": 403,
    "/study/none": 404,
    "/results/none": 404,
    "/help/guide": 200,
    "/help/none": 404,
    "/_stcore/health": 200,
    "/_stcore/host-config": 200,
    "/_stcore/metrics": 404,
    "/app/static/mark.svg": 200,
    "/app/static/none.svg": 404,
    "/media/none.png": 404,
    "/component/none/x": 404,
    "/_stcore/bidi-components/none/x": 404,
    "/app/static/%2e%2e/app.py": 400,
    "/nothing/at/all": 404,
}


@pytest.mark.parametrize(("path", "status"), PATHS.items())
def test_every_answer_has_each_header_once(site: Site, path: str, status: int) -> None:
    answer = site.client.get(path)
    assert answer.status_code == status
    for name, value in HEADERS:
        values = answer.headers.get_list(name.decode())
        assert values[-1] == value.decode()
        assert len(values) == 1 or name == b"content-security-policy"  # our own pages have a narrower one too
    assert "strict-transport-security" not in answer.headers


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS"])
def test_uploads_have_them_too_and_need_the_token(site: Site, method: str) -> None:
    answer = site.client.request(method, "/_stcore/upload_file/session/file")
    assert answer.status_code == (204 if method == "OPTIONS" else 403)
    assert answer.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("path", ["/sign-in", "/invite/none", "/study/none", "/results/none", "/help/guide"])
def test_on_pages_of_our_own_no_script_may_run(site: Site, path: str) -> None:
    policies = site.client.get(path).headers.get_list("content-security-policy")
    assert any("default-src 'none'" in policy and "script-src" not in policy for policy in policies)


def test_what_one_person_is_shown_is_kept_nowhere(site: Site) -> None:
    for answer in (
        site.client.get("/sign-in"),
        site.client.get("/media/none.png"),
        site.client.post("/rate/work", json={}, headers={"Origin": HERE}),
    ):
        assert "no-store" in answer.headers["cache-control"]
    assert "no-store" not in site.client.get("/app/static/mark.svg").headers.get("cache-control", "")


@pytest.fixture
def behind_https(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("JUDGELAB_PUBLIC_URL", "https://rate.example")
    settings.cache_clear()
    yield
    monkeypatch.undo()
    settings.cache_clear()


def test_under_https_browsers_stay_there_and_every_cookie_too(site: Site, behind_https: None) -> None:
    answer = site.client.get("/_stcore/health")
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    cookies = answer.headers.get_list("set-cookie")
    assert cookies and all("; Secure" in cookie for cookie in cookies)
    link = signin.new_owner_link(site.store)
    response = site.client.post(link, headers={"Origin": "https://rate.example"}, follow_redirects=False)
    cookie = response.headers["set-cookie"].lower()
    assert response.status_code == 303 and cookie.count("secure") == 1
    assert "httponly" in cookie and "samesite=lax" in cookie
    site.client.cookies.clear()


def test_an_error_of_ours_is_a_sentence_with_headers_and_an_id_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fails(request: Request) -> Response:
        raise ValueError("postgresql://me:hunter2@db/judgelab")

    app = Starlette(routes=[Route("/fails", fails)], middleware=[Middleware(SecurityHeaders)])
    answer = TestClient(app, raise_server_exceptions=False).get("/fails")
    assert answer.status_code == 500 and answer.headers["x-frame-options"] == "DENY"
    assert "Something went wrong inside JudgeLab" in answer.text
    assert "hunter2" not in answer.text and "Traceback" not in answer.text
    error_id = caplog.records[-1].args[0]  # type: ignore[index]
    assert str(error_id) in answer.text


def test_streamlit_shows_no_details_of_errors_and_listens_to_no_other_window(site: Site) -> None:
    import streamlit as st

    assert st.get_option("client.showErrorDetails") == "none"
    assert site.client.get("/_stcore/host-config").json()["allowedOrigins"] == []
