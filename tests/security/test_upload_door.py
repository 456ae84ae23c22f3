"""Files are taken from who may bring them in, and no more than the process can hold."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient

from judgelab.accounts import signin
from judgelab.ui.server.upload_limits import MEGABYTE, UploadLimits
from tests.security.conftest import HERE, Site

XSRF = "_streamlit_xsrf"


@contextmanager
def page_of(site: Site, cookie: str) -> Iterator[str]:
    """Open a page; returns where its files go."""
    with site.tab(cookie) as tab:
        new_session = next(
            message.new_session for message in tab.open("", "") if message.WhichOneof("type") == "new_session"
        )
        yield f"/_stcore/upload_file/{new_session.initialize.session_id}"


def put(client: TestClient, folder: str, cookie: str, size: int) -> tuple[int, str]:
    """Send a file as a browser does; returns how that was answered."""
    client.cookies.clear()
    word = client.get("/_stcore/health").cookies[XSRF]
    client.cookies.clear()
    headers = {"Origin": HERE, "X-Xsrftoken": word, "Cookie": f"{XSRF}={word}; {signin.COOKIE}={cookie}"}
    files = {"file": ("a.csv", b"x" * size)}
    answer = client.put(f"{folder}/{secrets.token_hex(4)}", files=files, headers=headers)
    return answer.status_code, answer.text


def test_a_file_is_taken_from_researchers_and_owners_alone(site: Site) -> None:
    rater = site.member("Sender", "annotator")
    for cookie in ("", "x" * 43, rater):
        with page_of(site, cookie) as folder:
            status, reply = put(site.client, folder, cookie, 10)
            assert status == 403 and "Only researchers and owners" in reply
    for cookie in (site.owner(), site.member("Bringer", "researcher")):
        with page_of(site, cookie) as folder:
            assert put(site.client, folder, cookie, 10)[0] == 204


def test_a_page_holds_so_much_and_the_process_so_much(site: Site) -> None:
    door = UploadLimits(site.client.app, a_page=3 * MEGABYTE, in_all=4 * MEGABYTE)
    client, owner = TestClient(door), site.owner()
    with page_of(site, owner) as first, page_of(site, owner) as second:
        assert put(client, first, owner, 2 * MEGABYTE)[0] == 204
        status, reply = put(client, first, owner, 2 * MEGABYTE)
        assert status == 413 and "at most 3 MB in total" in reply
        assert put(client, second, owner, MEGABYTE)[0] == 204
        status, reply = put(client, second, owner, MEGABYTE + MEGABYTE // 2)
        assert status == 503 and "cannot take more files" in reply


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_no_other_site_sends_a_file(site: Site, origin: str) -> None:
    headers = {"Origin": origin, "Cookie": f"{signin.COOKIE}={site.owner()}"}
    assert site.client.put("/_stcore/upload_file/a/b", content=b"x", headers=headers).status_code == 403
