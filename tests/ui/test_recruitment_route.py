"""The route of study links over HTTP: looking, agreeing, declining, coming back, and every closed door."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from judgelab.accounts import members, signin
from judgelab.annotation.links import own_forms
from judgelab.annotation.links.questions import FormQuestion
from judgelab.config import settings
from judgelab.crowd import links
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import shared_store
from judgelab.store.models import Membership, Person, SignIn, now
from judgelab.store.people import sessions
from judgelab.store.projects.projects import update_project
from judgelab.ui.kit import safe_markdown
from judgelab.ui.rater.address import PATH as WORK_PATH
from judgelab.ui.server.routes import ROUTES
from judgelab.ui.session import tokens
from tests.crowd.conftest import Study, counts, make_study
from tests.databases import new_sqlite

AGREES = {"consent": "yes", "field_0": "31", "field_1": "left", "field_2": ""}


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Study]:
    monkeypatch.setenv("JUDGELAB_DATABASE_URL", new_sqlite(tmp_path / "app.db"))
    settings.cache_clear()
    yield make_study(shared_store(settings().database_url), pay_per_hour=12, currency="GBP")
    shared_store.cache_clear()
    settings.cache_clear()


def browser() -> TestClient:
    """Return a browser in which nobody is signed in."""
    return TestClient(
        Starlette(routes=ROUTES), headers={"Origin": "http://testserver"}, follow_redirects=False
    )


def address(study: Study, person: str = "p1", **others: str) -> str:
    return f"{study.link.path}?{urlencode({'PROLIFIC_PID': person, 'STUDY_ID': 's1', **others})}"


def stored(store: Store) -> tuple[int, int, int]:
    with store.reading() as session:
        return tuple(session.query(table).count() for table in (Person, Membership, SignIn))  # type: ignore[return-value]


def test_looking_shows_the_study_and_stores_nothing(study: Study) -> None:
    study.set(about_minutes=20, minutes=60, most=4)
    answer = browser().get(address(study))
    assert answer.status_code == 200 and not answer.cookies
    assert "<h1" in answer.text and "Soup flasks" in answer.text
    assert "<strong>Nothing</strong> else" in answer.text
    for sentence in (
        "About 20 minutes",
        "Pay: GBP 12.00 per hour",
        "you have 60 minutes",
        "4 answers to rate",
    ):
        assert sentence in answer.text
    assert 'type="number"' in answer.text and answer.text.count('type="radio"') == 2
    assert "p1" not in answer.text
    assert stored(study.store) == (0, 0, 0)


def test_pay_by_submission_is_told_in_place_of_the_hourly_rate(study: Study) -> None:
    study.set(pay="2,5")
    text = browser().get(address(study)).text
    assert "Pay: GBP 2.50 for finishing" in text and "per hour" not in text


def test_agreeing_signs_in_and_leads_to_rate(study: Study) -> None:
    client = browser()
    answer = client.post(address(study), data=AGREES)
    assert (answer.status_code, answer.headers["location"]) == (303, "/rate?project=soup-flasks")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie
    person = signin.whoami(study.store, client.cookies[signin.COOKIE])
    assert person is not None and person.role == ""
    elsewhere = browser()
    assert "Continue where you left off" in elsewhere.get(address(study)).text
    return_visit = elsewhere.post(address(study))
    assert return_visit.status_code == 303
    assert signin.whoami(study.store, elsewhere.cookies[signin.COOKIE]) == person
    assert stored(study.store)[0] == 1


def test_declining_stores_nothing_and_shows_the_way_back(study: Study) -> None:
    answer = browser().post(address(study), data={"consent": "no"})
    assert answer.status_code == 200 and "nothing was stored about you" in answer.text
    assert ">NO1<" in answer.text
    assert 'href="https://platform.example/no" rel="noopener noreferrer"' in answer.text
    assert stored(study.store) == (0, 0, 0)


def test_what_is_missing_is_said_and_what_was_typed_stays(study: Study) -> None:
    answer = browser().post(address(study), data={**AGREES, "field_0": "old", "field_2": '"><b>me</b>'})
    assert answer.status_code == 422 and "Enter a number." in answer.text
    assert 'value="&quot;&gt;&lt;b&gt;me&lt;/b&gt;"' in answer.text and "<b>me" not in answer.text
    assert 'value="left" checked' in answer.text
    assert stored(study.store) == (0, 0, 0)


def test_a_form_on_another_site_lets_nobody_in(study: Study) -> None:
    for origin in ("https://evil.example", "null"):
        answer = browser().post(address(study), data=AGREES, headers={"Origin": origin})
        assert answer.status_code == 403 and "another site" in answer.text
    assert stored(study.store) == (0, 0, 0)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("STUDY_ID=s1", "parameter PROLIFIC_PID is missing"),
        ("PROLIFIC_PID=&STUDY_ID=s1", "PROLIFIC_PID of the address is empty"),
        ("PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D&STUDY_ID=s1", "still has the placeholder"),
        ("PROLIFIC_PID=p1", "parameter STUDY_ID is missing"),
        ("PROLIFIC_PID=p1&PROLIFIC_PID=p2&STUDY_ID=s1", "more than once"),
        ("PROLIFIC_PID=" + "x" * 300 + "&STUDY_ID=s1", "too long"),
    ],
)
def test_an_address_that_names_nobody_says_what_is_wrong(study: Study, query: str, message: str) -> None:
    for answer in (
        browser().get(f"{study.link.path}?{query}"),
        browser().post(f"{study.link.path}?{query}", data=AGREES),
    ):
        assert answer.status_code == 403 and message in answer.text
        assert "tell the researchers" in answer.text
    assert stored(study.store) == (0, 0, 0)


def test_closed_full_and_unknown_links_say_so_before_consent(study: Study) -> None:
    study.set(places=1)
    browser().post(address(study), data=AGREES)
    full_page = browser().get(address(study, "p2"))
    assert full_page.status_code == 403 and "All places in this study are currently taken" in full_page.text
    links.close(study.store, None, study.project, study.link.id)
    closed_page = browser().get(address(study, "p2"))
    assert closed_page.status_code == 403 and "accepts no new participants" in closed_page.text
    assert browser().get("/study/nothing?PROLIFIC_PID=p1").status_code == 404
    assert counts(study).joined == 1


def test_who_is_signed_in_is_told_that_they_will_be_signed_out(study: Study) -> None:
    owner = browser()
    person = members.add(study.store, None, study.project, "Rosa", role="researcher")
    owner.post(members.new_link(study.store, None, study.project, person.id).path)
    cookie = owner.cookies[signin.COOKIE]
    assert "signed in as Rosa. Continuing signs Rosa out" in owner.get(address(study)).text
    assert owner.post(address(study), data=AGREES).status_code == 303
    assert signin.whoami(study.store, cookie) is None


def test_the_pages_say_which_language_they_speak(study: Study) -> None:
    answer = browser().get(address(study), headers={"Accept-Language": "xx;q=0.9, en;q=0.8"})
    assert '<html lang="en" dir="ltr">' in answer.text
    assert answer.headers["content-language"] == "en"


@pytest.mark.parametrize(
    ("markdown", "expected", "forbidden"),
    [
        ("<script>x</script>", "&lt;script&gt;", "<script"),
        ("a <b onclick=x>b</b>", "&lt;b onclick", "<b"),
        ("![track](https://evil.example/p.png)", "track", "<img"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))", "href"),
        ("[x](data:text/html,hi)", "[x]", "href"),
        ("[us](https://lab.example)", 'rel="noopener noreferrer"', "<img"),
        ("# Big", "<h2>Big</h2>", "<h1"),
    ],
)
def test_consent_texts_hold_no_html_no_pictures_and_web_links_only(
    markdown: str, expected: str, forbidden: str
) -> None:
    html = safe_markdown.to_html(markdown)
    assert expected in html and forbidden not in html


EXIT = (
    FormQuestion("How was it?", "paragraph"),
    FormQuestion("Tools", "choices", ("none", "search")),
)
EXIT_PATH = "/exit-questions/soup-flasks"


def test_the_exit_questions_are_asked_before_the_code(study: Study) -> None:
    study.set(exit_fields=EXIT)
    client = browser()
    client.post(address(study), data=AGREES)
    person = signin.whoami(study.store, client.cookies[signin.COOKIE])
    assert person is not None
    early = client.get(EXIT_PATH)
    assert early.status_code == 403 and "DONE1" not in early.text
    study.rate(person.id)
    asked = client.get(EXIT_PATH)
    assert asked.status_code == 200 and "DONE1" not in asked.text
    assert "<textarea" in asked.text and asked.text.count('type="checkbox"') == 2
    incomplete = client.post(EXIT_PATH, data={"field_0": "<b>Long</b>\nbut fine", "field_1": "all"})
    assert incomplete.status_code == 422 and "Choose one of the listed answers." in incomplete.text
    assert (
        "&lt;b&gt;Long&lt;/b&gt;\nbut fine</textarea>" in incomplete.text and "DONE1" not in incomplete.text
    )
    foreign = client.post(EXIT_PATH, data={"field_0": "x"}, headers={"Origin": "https://evil.example"})
    assert foreign.status_code == 403
    sent = client.post(EXIT_PATH, data={"field_0": "Fine.", "field_1": ["search", "none"]})
    assert sent.status_code == 303
    assert ">DONE1<" in client.get(sent.headers["location"]).text
    with study.store.reading() as session:
        row = session.query(Membership).filter_by(person_id=person.id).one()
    assert row.exit_answers == {"How was it?": "Fine.", "Tools": ["none", "search"]}


def test_the_exit_questions_are_for_those_who_are_signed_in_to_the_study(study: Study) -> None:
    study.set(exit_fields=EXIT)
    for path in (EXIT_PATH, "/exit-questions/nothing"):
        answer = browser().get(path)
        assert answer.status_code == 403 and "Open the study again by the link that you got" in answer.text
        assert "Soup" not in answer.text


def test_the_exit_questions_are_in_the_studys_language(study: Study) -> None:
    study.set(exit_fields=EXIT)
    client = browser()
    client.post(address(study), data=AGREES)
    person = signin.whoami(study.store, client.cookies[signin.COOKIE])
    assert person is not None
    study.rate(person.id)
    for language, direction in (("de", "ltr"), ("ar", "rtl")):
        answer = client.get(EXIT_PATH, headers={"Accept-Language": language})
        assert f'<html lang="{language}" dir="{direction}">' in answer.text
        assert "Please answer" not in answer.text and "Submit answers" not in answer.text


def test_who_is_invited_by_name_answers_the_projects_forms(study: Study) -> None:
    forms = {name: own_forms.read_form("Age: number") for name in own_forms.SETTINGS}
    with study.store.writing() as session:
        update_project(session, study.project, settings=forms)
    ada, ben = (members.add(study.store, None, study.project, name) for name in ("Ada", "Ben"))
    client = browser()
    path = members.new_link(study.store, None, study.project, ada.id).path
    cookie = signin.redeem(study.store, path.removeprefix("/invite/"))
    assert cookie is not None
    client.cookies[signin.COOKIE] = cookie
    entry, leave = (f"/{when}-questions/soup-flasks?rater={ada.id}" for when in ("entry", "exit"))
    assert "Before you start" in client.get(entry).text
    assert client.post(entry, data={"field_0": "old"}).status_code == 422
    foreign = client.post(entry, data={"field_0": "3"}, headers={"Origin": "https://evil.example"})
    others = client.post(entry.replace(str(ada.id), str(ben.id)), data={"field_0": "3"})
    assert (foreign.status_code, others.status_code) == (403, 403)
    sent = client.post(entry, data={"field_0": "31"})
    assert sent.headers["location"] == f"/rate?project=soup-flasks&rater={ada.id}"
    assert client.get(entry).status_code == 303
    assert client.get(leave).status_code == 403
    study.rate(ada.id)
    assert "last questions" in client.get(leave).text
    done = client.post(leave, data={"field_0": "32"})
    thanks = client.get(done.headers["location"])
    assert "Your answers are stored" in thanks.text and "/rate?project=soup-flasks" in thanks.text
    with study.store.reading() as session:
        rows = {row.person_id: row for row in session.query(Membership)}
    assert (rows[ada.id].background, rows[ada.id].exit_answers) == ({"Age": 31}, {"Age": 32})
    assert (rows[ben.id].background, rows[ben.id].exit_answers) == ({}, None)


def test_a_browser_without_our_cookie_is_known_by_the_address_of_the_forms(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    forms = {name: own_forms.read_form("Age: number") for name in own_forms.SETTINGS}
    with study.store.writing() as session:
        update_project(session, study.project, settings=forms)
    ada, ben = (members.add(study.store, None, study.project, name).id for name in ("Ada", "Ben"))
    with study.store.writing() as session:
        name = sessions.start_session(session, ada, until=now() + timedelta(hours=9))
    token = tokens.issue(name, use=tokens.QUESTIONS)
    client = browser()

    def path(when: str, person: int = ada, given: str = token) -> str:
        return f"/{when}-questions/soup-flasks?rater={person}&{tokens.PARAMETER}={given}"

    for given in ("", tokens.issue(name), tokens.issue(name, use=tokens.IMAGES)):
        assert client.get(path("entry", given=given)).status_code == 403
    assert client.get(path("entry", ben)).status_code == 403
    rating = {"project": "soup-flasks", "person": ada, "ops": []}
    assert client.post(WORK_PATH, json=rating, headers={tokens.HEADER: token}).status_code == 401
    clock = tokens.time.monotonic
    for later in (2000, 4000):  # seconds: whoever has just opened a form has an hour for it
        monkeypatch.setattr(tokens.time, "monotonic", lambda later=later: clock() + later)
        assert "Before you start" in client.get(path("entry")).text
    sent = client.post(path("entry"), data={"field_0": "31"})
    assert sent.headers["location"] == f"/rate?project=soup-flasks&rater={ada}"
    study.rate(ada)
    assert client.post(path("exit"), data={"field_0": "old"}).status_code == 422
    done = client.post(path("exit"), data={"field_0": "32"})
    assert "Your answers are stored" in client.get(done.headers["location"]).text
    with study.store.reading() as session:
        row = session.query(Membership).filter_by(person_id=ada).one()
    assert (row.background, row.exit_answers) == ({"Age": 31}, {"Age": 32})
    with study.store.writing() as session:
        sessions.end_sessions_of_person(session, ada)
    assert client.get(path("exit")).status_code == 403
