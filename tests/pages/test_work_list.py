"""*Work list*: one entry after another is read, marked done with a note, and reopened."""

from __future__ import annotations

import json
import uuid

from judgelab.analysis.raters import work_list
from judgelab.annotation import service
from tests.annotation.conftest import make_person, make_project
from tests.command import judgelab
from tests.pages.conftest import screen_text

PAGE, SLUG = "researcher/work_list.py", "soup-flasks"


def flagged(store, *reasons: str) -> None:
    project, ann = make_project(store, answers=4), make_person(store, "Ann")
    for unit, reason in zip(service.next_items(store, ann, project), reasons, strict=False):
        operation = {"uid": str(uuid.uuid4()), "kind": "flag", "item": unit.id, "reason": reason}
        assert service.apply(store, ann, project, operation).state == "stored"


def test_an_entry_is_marked_done_and_the_next_one_opens(open_page, app_store):
    flagged(app_store, "=cut off", "two *questions*")
    at = open_page(PAGE, project=SLUG)
    assert "Open: 2 flags. Done: 0." in screen_text(at)
    first = at.session_state["work_link"]["entry"]
    at.text_input(key=f"work_note_{first}").input("imported again").run()
    at.button(key="work_done").click().run()
    entries = work_list.work_list(app_store, SLUG)
    assert [(entry.id == first, entry.done) for entry in entries] == [(False, False), (True, True)]
    mark = entries[1].mark
    assert mark is not None and (mark.note, mark.by) == ("imported again", "Owner")
    assert "Open: 1 flag. Done: 1." in screen_text(at)
    assert at.session_state["work_link"]["entry"] == entries[0].id
    at.segmented_control(key="work_state").set_value("done").run()
    assert "imported again" in screen_text(at)
    at.button(key="work_reopen").click().run()
    assert not any(entry.done for entry in work_list.work_list(app_store, SLUG))


def test_without_entries_the_page_says_what_will_be_there(open_page, app_store):
    make_project(app_store, answers=1)
    assert "There are no entries yet." in screen_text(open_page(PAGE, project=SLUG))


def test_the_command_lists_marks_and_reopens(app_store):
    flagged(app_store, "cut\noff")
    url = app_store.url
    listed = json.loads(judgelab(url, "work-list", SLUG, "--kind", "flag", "--json").stdout)
    (entry,) = listed["entries"]
    assert (listed["open"], entry["rater"], entry["notes"][0]["text"]) == (1, "Ann", "cut\noff")
    assert "Ann on" in (shown := judgelab(url, "work-list", SLUG).stdout) and "cut off" in shown
    assert judgelab(url, "work-done", SLUG, entry["id"], "--note", "ok").stdout == "1 entry marked as done\n"
    assert judgelab(url, "work-list", SLUG).stdout == "0 open, 1 done\n"
    assert "ok" in judgelab(url, "work-list", SLUG, "--all", "--json").stdout
    assert judgelab(url, "work-reopen", SLUG, entry["id"]).stdout == "1 entry reopened\n"
    for words, said in (
        (("work-list", SLUG, "--kind", "x"), "'x' is not a kind of entry"),
        (("work-done", SLUG, "flag-0-0"), "flag-0-0"),
    ):
        refused = judgelab(url, *words)
        assert refused.returncode == 1 and said in refused.stderr


def test_a_message_is_answered_beside_its_response_and_is_done(open_page, app_store):
    project, ann = make_project(app_store, answers=4), make_person(app_store, "Ann")
    unit = service.next_items(app_store, ann, project)[0]
    asked = {"uid": str(uuid.uuid4()), "kind": "ask", "item": unit.id, "text": "Is *B* <b>right</b>?"}
    assert service.apply(app_store, ann, project, asked).state == "stored"
    at = open_page(PAGE, project=SLUG)
    shown = screen_text(at)
    assert "Open: 1 message. Done: 0." in shown and unit.question in shown
    assert r"Is \*B\* \<b\>right\</b\>?" in shown.replace("\u200b", "")
    entry = at.session_state["work_link"]["entry"]
    at.button(key="work_send").click().run()
    assert "the answer is empty" in screen_text(at).lower()
    at.text_area(key=f"work_answer_{entry}_1").input("Yes, =it* is").run()
    at.button(key="work_send").click().run()
    assert "Everything is done: 1 entry." in screen_text(at)
    (thread,) = service.own_messages(app_store, ann, project)
    assert [one.text for one in thread.messages] == ["Is *B* <b>right</b>?", "Yes, =it* is"]
    at.segmented_control(key="work_state").set_value("done").run()
    assert "Answer by Owner" in screen_text(at)
    at.text_area(key=f"work_answer_{entry}_2").input("See page 2").run()  # more can be said
    at.button(key="work_send").click().run()
    assert len(service.own_messages(app_store, ann, project)[0].messages) == 3


def test_the_command_answers_a_message(app_store):
    project, ann = make_project(app_store, answers=1), make_person(app_store, "Ann")
    unit = service.next_items(app_store, ann, project)[0]
    asked = {"uid": str(uuid.uuid4()), "kind": "ask", "item": unit.id, "text": "Why\nso?"}
    service.apply(app_store, ann, project, asked)
    url = app_store.url
    (entry,) = json.loads(judgelab(url, "work-list", SLUG, "--kind", "message", "--json").stdout)["entries"]
    assert "Ann on q0 SecretSystem: Why so?" in judgelab(url, "work-list", SLUG).stdout
    answered = judgelab(url, "work-answer", SLUG, entry["id"], "--text", "Because")
    assert answered.stdout == f"{entry['id']} answered\n"
    assert "Why so?; answer: Because" in judgelab(url, "work-list", SLUG, "--all").stdout
    refused = judgelab(url, "work-answer", SLUG, entry["id"], "--text", " ")
    assert refused.returncode == 1 and "empty" in refused.stderr
