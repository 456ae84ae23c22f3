"""The rating route: who may use it, what it stores, and how it refuses everybody else."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from judgelab.accounts import members, signin
from judgelab.analysis.raters import work_list
from judgelab.annotation import service
from judgelab.crowd import joining
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Store
from judgelab.store.models import Assignment, Membership, Person, Rating, RatingEvent, now
from judgelab.store.projects.projects import create_project
from judgelab.store.rating import active_time
from judgelab.ui.rater.address import PATH
from judgelab.ui.server.rating_route import MOST_BYTES
from judgelab.ui.server.routes import ROUTES
from tests.annotation.conftest import given_ago, make_person, make_project
from tests.crowd.conftest import ANSWERS, make_study, query
from tests.databases import store_of_the_app

HERE = {"Origin": "http://testserver"}
GOOD = {"relevance": 2, "fluency": 4}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    with store_of_the_app(tmp_path, monkeypatch) as store:
        yield store


@pytest.fixture
def project(store: Store) -> int:
    return make_project(store)


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=ROUTES), headers=HERE)


def sign_in(client: TestClient, store: Store, project: int, name: str) -> int:
    person = members.add(store, None, project, name).id
    link = members.new_link(store, None, project, person).path
    assert client.post(link, follow_redirects=False).status_code == 303
    return person


def body(person: int, *ops: dict[str, Any]) -> dict[str, Any]:
    return {"project": "soup-flasks", "person": person, "ops": list(ops)}


def rate(item: int, **values: Any) -> dict[str, Any]:
    return {"uid": str(uuid.uuid4()), "kind": "rate", "item": item, "scores": GOOD, **values}


def count(store: Store, table: type[Any]) -> int:
    with store.reading() as session:
        return session.query(table).count()


def test_a_rating_is_stored_once_acknowledged_and_answered_with_what_comes_next(
    client: TestClient, store: Store, project: int
) -> None:
    ada = sign_in(client, store, project, "Ada")
    first = client.post(PATH, json=body(ada)).json()
    op = rate(first["queue"][0]["id"])
    for _ in range(2):
        answer = client.post(PATH, json=body(ada, op))
        assert answer.status_code == 200
        reply = answer.json()
        assert reply["stored"] == [op["uid"]] and reply["refusal"] == ""
        assert op["item"] not in [item["id"] for item in reply["queue"]]
        assert reply["progress"]["done"] == 1
    assert (count(store, Rating), count(store, RatingEvent)) == (2, 1)


def test_the_pace_is_that_of_the_last_answers_with_every_rating(
    client: TestClient, store: Store, project: int
) -> None:
    ada = sign_in(client, store, project, "Ada")
    joined_ago(store, ada, 10)
    item, reply = client.post(PATH, json=body(ada)).json()["queue"][0]["id"], []
    for seconds in (40, 2, 4):
        given_ago(store, ada, 1)
        answer = client.post(PATH, json=body(ada, rate(item, seconds=seconds))).json()
        item = answer["queue"][0]["id"]
        reply.append(answer["progress"]["seconds_per_answer"])
    assert reply == [40, 21, 4]


def test_a_look_takes_one_answer_and_the_first_sign_of_work_brings_the_next(
    client: TestClient, store: Store, project: int
) -> None:
    ada = sign_in(client, store, project, "Ada")
    queue = client.post(PATH, json=body(ada)).json()["queue"]
    renewed = client.post(PATH, json=body(ada, {"uid": str(uuid.uuid4()), "kind": "renew", "item": 0})).json()
    assert len(queue) == 1 and renewed["queue"][0]["id"] == queue[0]["id"] and len(renewed["queue"]) == 1
    draft = {"uid": str(uuid.uuid4()), "kind": "draft", "item": queue[0]["id"], "scores": {"relevance": 2}}
    at_work = client.post(PATH, json=body(ada, draft)).json()["queue"]
    assert at_work[0]["id"] == queue[0]["id"] and len(at_work) == 5


def test_a_score_off_the_scale_is_acknowledged_with_its_reason_and_not_stored(
    client: TestClient, store: Store, project: int
) -> None:
    ada = sign_in(client, store, project, "Ada")
    item = client.post(PATH, json=body(ada)).json()["queue"][0]["id"]
    reply = client.post(PATH, json=body(ada, rate(item, scores={"relevance": 99}))).json()
    assert "99" in reply["refusal"] and len(reply["stored"]) == 1
    assert count(store, Rating) == 0


def test_what_was_not_given_is_acknowledged_with_its_reason_and_not_stored(
    client: TestClient, store: Store, project: int
) -> None:
    ben = sign_in(client, store, project, "Ben")
    item_of_ben = client.post(PATH, json=body(ben)).json()["queue"][0]["id"]
    ada = sign_in(client, store, project, "Ada")
    for item in (item_of_ben, item_of_ben + 1_000):
        reply = client.post(PATH, json=body(ada, rate(item))).json()
        assert "no longer on your list" in reply["refusal"] and len(reply["stored"]) == 1
    assert count(store, Rating) == 0
    assert client.post(PATH, json=body(ada, rate(reply["queue"][0]["id"]))).json()["refusal"] == ""


def test_nobody_rates_without_a_sign_in(client: TestClient, project: int) -> None:
    answer = client.post(PATH, json=body(1))
    assert (answer.status_code, answer.json()["message"]) == (401, "you are not signed in on this browser.")


def test_nobody_rates_as_somebody_else(client: TestClient, store: Store, project: int) -> None:
    ben = members.add(store, None, project, "Ben").id
    sign_in(client, store, project, "Ada")
    assert client.post(PATH, json=body(ben)).status_code == 403


def test_the_owner_of_a_desk_rates_for_those_who_sit_at_it(
    client: TestClient, store: Store, project: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ben = make_person(store, "Ben")
    client.post(signin.new_owner_link(store), follow_redirects=False)
    monkeypatch.setattr("streamlit.get_option", {"server.address": "127.0.0.1"}.get)
    assert client.post(PATH, json=body(ben)).status_code == 200
    monkeypatch.setattr("streamlit.get_option", {"server.address": "0.0.0.0"}.get)
    assert client.post(PATH, json=body(ben)).status_code == 403


def test_whoever_was_taken_out_of_the_project_is_refused_at_once(
    client: TestClient, store: Store, project: int
) -> None:
    ada = sign_in(client, store, project, "Ada")
    assert client.post(PATH, json=body(ada)).status_code == 200
    members.remove(store, None, project, ada)
    assert client.post(PATH, json=body(ada)).status_code in (401, 403)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://elsewhere.example", "Content-Type": "application/json"},
        {"Origin": "null", "Content-Type": "application/json"},
        {"Content-Type": "text/plain"},  # what another site's form can send without being asked
    ],
)
def test_other_sites_are_refused(
    client: TestClient, store: Store, project: int, headers: dict[str, str]
) -> None:
    ada = sign_in(client, store, project, "Ada")
    payload = f'{{"project": "soup-flasks", "person": {ada}, "ops": []}}'
    assert client.post(PATH, content=payload, headers=headers).status_code == 403


@pytest.mark.parametrize("content", ["", "[]", "{", "[" * 100_000, "x" * (MOST_BYTES + 1)])
def test_what_is_no_request_of_ours_gets_a_sentence(
    client: TestClient, store: Store, project: int, content: str
) -> None:
    sign_in(client, store, project, "Ada")
    answer = client.post(PATH, content=content, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()) == (
        400,
        {"message": "The request is not a list of operations."},
    )


@pytest.mark.parametrize("ops", [None, 7, "x", [None, 3, {"uid": 4}], [{"uid": "short", "kind": "rate"}]])
def test_operations_without_form_store_nothing(
    client: TestClient, store: Store, project: int, ops: object
) -> None:
    ada = sign_in(client, store, project, "Ada")
    payload = {"project": "soup-flasks", "person": ada, "ops": ops}
    assert client.post(PATH, json=payload).status_code == 200
    assert count(store, RatingEvent) == 0


def test_projects_of_others_and_projects_that_are_not_there_are_refused_alike(
    client: TestClient, store: Store, project: int
) -> None:
    with store.writing() as session:
        create_project(session, name="Secret study")
    unknown = {"project": "nowhere", "person": 1, "ops": []}
    assert "soup" not in client.post(PATH, json=unknown).text  # nobody is signed in
    ada = sign_in(client, store, project, "Ada")
    answers = [
        client.post(PATH, json={"project": slug, "person": ada, "ops": []})
        for slug in ("secret-study", "nowhere")
    ]
    assert [answer.status_code for answer in answers] == [403, 403]
    assert answers[0].text == answers[1].text


def test_the_answer_speaks_the_language_of_the_screen_that_asks(
    client: TestClient, store: Store, project: int
) -> None:
    ada = sign_in(client, store, project, "Ada")
    refused = rate(client.post(PATH, json=body(ada)).json()["queue"][0]["id"], scores={"relevance": 9})
    reply = {}
    for language in ("de", "ar", "xx", 7):
        answer = client.post(
            PATH, json={**body(ada, {**refused, "uid": str(uuid.uuid4())}), "language": language}
        )
        reply[language] = answer.json()
    assert reply["de"]["refusal"] == "Relevance: 9 ist keiner der Werte 0, 1, 2, 3."
    assert reply["ar"]["refusal"] == "Relevance: 9 ليس من القيم 0, 1, 2, 3."
    assert reply["de"]["own"].startswith("0 s") and reply["ar"]["own"] != reply["de"]["own"]
    assert [reply[language]["address"]["language"] for language in reply] == ["de", "ar", "en", "en"]
    assert reply["xx"]["refusal"] == reply[7]["refusal"] == "Relevance: 9 is not one of 0, 1, 2, 3."
    assert "words" not in reply["de"]


def joined_ago(store: Store, person: int, minutes: float) -> None:
    """Set when the person joined the project to `minutes` ago."""
    with store.writing() as session:
        joined_at = now() - timedelta(minutes=minutes)
        session.execute(update(Membership).where(Membership.person_id == person).values(joined_at=joined_at))


def start_work(client: TestClient, person: int) -> list[dict[str, Any]]:
    """Return the queue of units given to a person who has started to work."""
    first = client.post(PATH, json=body(person)).json()["queue"][0]["id"]
    draft = {"uid": str(uuid.uuid4()), "kind": "draft", "item": first, "scores": {"relevance": 2}}
    queue: list[dict[str, Any]] = client.post(PATH, json=body(person, draft)).json()["queue"]
    return queue


def test_no_time_is_stored_that_had_not_passed_whatever_the_browser_says(
    client: TestClient, store: Store, project: int
) -> None:
    ada = sign_in(client, store, project, "Ada")
    joined_ago(store, ada, 5)
    units = start_work(client, ada)[:2]
    given_ago(store, ada, 5)
    for unit in units:
        client.post(PATH, json=body(ada, rate(unit["id"], seconds=1e7)))
    with store.reading() as session:
        first_seconds, second_seconds = (
            event.seconds for event in session.query(RatingEvent).order_by(RatingEvent.id)
        )
        assert 300 <= first_seconds < 310 and 0 <= second_seconds < 10
        assert {rating.seconds for rating in session.query(Rating)} == {first_seconds, second_seconds}
        assert active_time.active_seconds(session, project) == {ada: first_seconds + second_seconds}


def test_no_time_counts_from_before_the_answer_was_given_to_the_rater(
    client: TestClient, store: Store, project: int
) -> None:
    ada = sign_in(client, store, project, "Ada")
    joined_ago(store, ada, 30)
    units = start_work(client, ada)[:3]
    given_ago(store, ada, 2)
    for unit in units[:2]:
        client.post(PATH, json=body(ada, rate(unit["id"], seconds=1e7)))
    given_ago(store, ada, 10)  # the other two took 2 of these 10 minutes
    client.post(PATH, json=body(ada, rate(units[2]["id"], seconds=1e7)))
    with store.reading() as session:
        seconds = [event.seconds for event in session.query(RatingEvent).order_by(RatingEvent.id)]
    assert [round(n, -1) for n in seconds] == [120, 0, 480]


def test_answers_kept_while_offline_come_at_once_with_the_time_that_each_took(
    client: TestClient, store: Store, project: int
) -> None:
    ada = sign_in(client, store, project, "Ada")
    joined_ago(store, ada, 5)
    units = start_work(client, ada)[:3]
    given_ago(store, ada, 4)
    client.post(PATH, json=body(ada, *(rate(unit["id"], seconds=60) for unit in units)))
    with store.reading() as session:
        assert [event.seconds for event in session.query(RatingEvent)] == [60, 60, 60]


def crowd_worker(client: TestClient, store: Store) -> int:
    """Let a person join by a recruitment link and sign this browser in as them."""
    study = make_study(store)
    joined = joining.join(store, study.link.token, query("a"), ANSWERS)
    client.cookies.set(signin.COOKIE, joined.cookie)
    person = signin.whoami(store, joined.cookie)
    assert person is not None
    return person.id


def return_operation() -> dict[str, Any]:
    return {"uid": str(uuid.uuid4()), "kind": "return", "item": 0}


def scores(store: Store) -> dict[int, float | None]:
    with store.reading() as session:
        return {row.id: row.score for row in session.query(Rating)}


def test_of_a_return_and_a_rating_in_one_request_the_first_decides(client: TestClient, store: Store) -> None:
    ann = crowd_worker(client, store)
    first, second, *_ = start_work(client, ann)
    before_return, after_return = rate(first["id"]), rate(second["id"])
    change = rate(first["id"], scores={"relevance": 0, "fluency": 1})
    draft, flag = ({**rate(second["id"]), "kind": kind, "reason": "x"} for kind in ("draft", "flag"))
    reply = client.post(
        PATH, json=body(ann, before_return, return_operation(), after_return, change, draft, flag)
    ).json()
    assert len(reply["stored"]) == 6 and "already over" in reply["refusal"]
    assert (reply["queue"], reply["crowd"]["over"]) == ([], True)
    assert sorted(scores(store).values()) == sorted(
        map(float, GOOD.values())
    )  # the rating before it, as it was
    with store.reading() as session:
        assert session.query(Assignment).filter(Assignment.lease_until.is_not(None)).count() == 0
        assert {row.kind for row in session.query(RatingEvent)} == {"rate"}


def test_who_returned_in_one_tab_changes_nothing_in_another(client: TestClient, store: Store) -> None:
    ann = crowd_worker(client, store)
    first, second, *_ = start_work(client, ann)
    client.post(PATH, json=body(ann, rate(first["id"])))
    before = scores(store)
    client.post(PATH, json=body(ann, return_operation()))
    second_tab = TestClient(Starlette(routes=ROUTES), headers=HERE, cookies=dict(client.cookies))
    bad = {"relevance": 0, "fluency": 1}
    for op in (rate(second["id"]), rate(first["id"], scores=bad), {**rate(first["id"]), "kind": "undo"}):
        reply = second_tab.post(PATH, json=body(ann, op)).json()
        assert "already over" in reply["refusal"] and reply["queue"] == []
    with pytest.raises(InvalidInput, match="already over"):
        service.reopen(store, ann, 1, next(iter(own.unit_id for own in service.my_ratings(store, ann, 1))))
    assert scores(store) == before


def skip_all(client: TestClient, person: int) -> dict[str, Any]:
    """Skip every answer until none comes any more; returns the last reply."""
    reply: dict[str, Any] = client.post(PATH, json=body(person)).json()
    skipped = 0
    while reply["queue"]:
        assert reply["offer"] == "" and skipped < 50
        op = {"uid": str(uuid.uuid4()), "kind": "skip", "item": reply["queue"][0]["id"]}
        reply, skipped = client.post(PATH, json=body(person, op)).json(), skipped + 1
    return reply


def test_who_skipped_everything_twice_is_offered_it_in_the_same_reply(
    client: TestClient, store: Store, project: int
) -> None:
    ada = sign_in(client, store, project, "Ada")
    reply = skip_all(client, ada)
    assert reply["offer"] == "Show skipped answers again (6 answers)"
    assert reply["nothing"] == [
        "Nothing new is left. You skipped 6 answers twice.",
        "You can review them, or stop here and close the page.",
    ]
    offered = client.post(PATH, json=body(ada, {"uid": str(uuid.uuid4()), "kind": "offer"})).json()
    assert len(offered["queue"]) == 1 and offered["offer"] == ""
    assert client.post(PATH, json=body(ada, rate(offered["queue"][0]["id"]))).json()["refusal"] == ""
    assert count(store, Rating) == 2
    assert skip_all(client, ada)["offer"] == "Show skipped answers again (5 answers)"


def test_skipped_answers_are_not_offered_to_whom_nothing_is_given_any_more(
    client: TestClient, store: Store
) -> None:
    ann = crowd_worker(client, store)
    assert skip_all(client, ann)["offer"]  # who rated nothing has not finished
    offer = {"uid": str(uuid.uuid4()), "kind": "offer"}
    reply = client.post(PATH, json=body(ann, return_operation(), offer)).json()
    assert (reply["queue"], reply["offer"]) == ([], "") and "already over" in reply["refusal"]


def test_a_rater_reads_the_answers_to_their_own_messages_without_a_name(
    client: TestClient, store: Store, project: int
) -> None:
    ada, bob = sign_in(client, store, project, "Ada"), make_person(store, "Bob")
    item = client.post(PATH, json=body(ada)).json()["queue"][0]
    ask = {"uid": str(uuid.uuid4()), "kind": "ask", "item": item["id"], "text": "Which one?"}
    said = client.post(PATH, json=body(ada, ask)).json()
    assert said["stored"] == [ask["uid"]] and said["saved_at"]
    (thread,) = said["messages"]["threads"]
    assert (thread["item"], thread["label"]) == (item["id"], item["question"])
    (entry,) = work_list.work_list(store, "soup-flasks")
    work_list.answer(store, "soup-flasks", entry.id, "The first.", by=bob)
    again = client.post(PATH, json=body(ada)).json()["messages"]["threads"][0]["messages"]
    assert [(one["answer"], one["text"], one["read"]) for one in again] == [
        (False, "Which one?", False),
        (True, "The first.", False),
    ]
    assert all(one.keys() == {"id", "answer", "text", "at", "read"} for one in again)
    read = {"uid": str(uuid.uuid4()), "kind": "read", "item": 0, "last": again[-1]["id"]}
    after = client.post(PATH, json=body(ada, read)).json()["messages"]["threads"][0]["messages"]
    assert after[1]["read"]
    sign_in(client, store, project, "Cid")
    with store.reading() as session:
        cid = session.query(Person.id).filter_by(name="Cid").scalar()
    assert client.post(PATH, json=body(cid)).json()["messages"]["threads"] == []
    assert client.post(PATH, json=body(ada)).status_code == 403
