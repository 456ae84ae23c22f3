"""The documentation in the app: every link of it leads somewhere, and the wheel carries it."""

from __future__ import annotations

import re
from html import unescape
from posixpath import dirname, join, normpath

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from hatch_build import BESIDE
from judgelab.ui.kit import help_link
from judgelab.ui.server import handbook
from judgelab.ui.server.routes import ROUTES

PAGES = sorted(name for name in handbook.files() if not name.endswith(".svg"))
LEADS = re.compile(r'(?:href|src)="([^"]+)"')


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(Starlette(routes=ROUTES))


def test_the_wheel_carries_what_the_app_shows() -> None:
    bundled = {name.removeprefix("docs/").removesuffix(".md") for name in BESIDE if name.startswith("docs/")}
    assert handbook.files() == bundled


@pytest.mark.parametrize("page", help_link.PAGES, ids=lambda page: page.name)
def test_a_link_of_the_app_leads_to_a_page_and_its_heading(client: TestClient, page: help_link.Page) -> None:
    answer = client.get(help_link.address(page))
    assert answer.status_code == 200 and answer.text.count("<h1") == 1
    assert not page.anchor or f'id="{page.anchor}"' in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_from_every_page_all_others_can_be_reached(client: TestClient) -> None:
    assert "<nav" in client.get("/help/").text
    assert client.get("/help").url.path == "/help/"
    for name in PAGES:
        linked_pages = {
            normpath(join(dirname(name), unescape(address)))
            for address in LEADS.findall(handbook.contents(name))
        }
        assert linked_pages == {*PAGES} - {name}


def test_every_link_and_drawing_of_every_page_is_there(client: TestClient) -> None:
    links = 0
    for name in PAGES:
        for target in map(unescape, LEADS.findall(handbook.handbook_page(name).html)):
            path, _mark, anchor = target.partition("#")
            if "://" in target:
                continue
            linked_page = normpath(join(dirname(name), path)) if path else name
            assert linked_page in handbook.files(), (name, target)
            if anchor:
                assert f'id="{anchor}"' in handbook.handbook_page(linked_page).html or linked_page == name, (
                    name,
                    target,
                )
            links += 1
    assert links > 50
    drawing = next(name for name in handbook.files() if name.endswith(".svg"))
    assert client.get(f"/help/{drawing}").headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize("name", ["nowhere", "../judgelab/config", "%2e%2e/README", "explained/draw.py"])
def test_nothing_else_is_served(client: TestClient, name: str) -> None:
    assert client.get(f"/help/{name}").status_code == 404
