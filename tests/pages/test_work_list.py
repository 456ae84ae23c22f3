"""*Work list*: one entry after another is read, marked done with a note, and reopened."""

from __future__ import annotations

import json
import uuid
from urllib.parse import parse_qs

from judgelab.analysis.disagreement.conflicts import decide_conflict, find_conflicts
from judgelab.analysis.disagreement.pair_conflicts import find_pair_conflicts
from judgelab.analysis.raters import work_list
from judgelab.annotation import service
from tests.annotation.conftest import make_person, make_project
from tests.command import judgelab
from tests.compared import pairs_project
from tests.pages import kitchen
from tests.pages.conftest import screen_text

PAGE, SLUG = "researcher/work_list.py", "soup-flasks"
CONFLICTS = "researcher/adjudicate.py"


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


def links(at):
    return {link.proto.label: link.proto for link in at.get("page_link")}


def parameters(link):
    return {name: values[0] for name, values in parse_qs(link.query_string).items()}


def test_a_conflict_is_listed_linked_and_done_once_it_is_decided(open_page, app_store):
    slug = kitchen.rated(app_store)
    found = find_conflicts(app_store, slug, criterion="answers")
    at = open_page(PAGE, project=slug)
    assert not at.exception
    assert f"Open: {len(found)} conflicts. Done: 0." in screen_text(at)
    assert at.selectbox(key="work_rater").options == ["all raters"]  # conflicts have no single one
    at.pills(key="work_kinds").set_value(["conflict"]).run()
    table = at.dataframe[0].value
    assert set(table["Rater"]) == {"3 raters"} and len(table) == len(found)
    second = found[1]
    at.session_state["work_entry"] = f"conflict-{second.response}-answers"
    at.run()
    scores = ", ".join(f"{score:g}" for score in second.scores)
    assert f"rated {scores}" in screen_text(at)
    named = f"{second.item} · {second.system}"
    assert named not in screen_text(at) and "System" not in table
    assert not [button for button in at.button if button.key in ("work_done", "work_all_done")]
    link = links(at)["Decide on Conflicts"]
    assert parameters(link) == {
        "project": slug,
        "form": "responses",
        "criterion": "answers",
        "response": str(second.response),
    }
    at.button(key="work_next").click().run()
    assert at.session_state["work_entry"] == f"conflict-{found[2].response}-answers"

    there = open_page(CONFLICTS, **parameters(link))
    assert not there.exception
    there.text_input(key=f"adjudicate_reason_answers_{second.response}").set_value("the lid is glass").run()
    there.button(key="adjudicate_point_1").click().run()
    assert there.query_params["response"] != [str(second.response)]  # the next one is shown
    at.segmented_control(key="work_state").set_value("done").run()
    shown = screen_text(at)
    assert f"Open: {len(found) - 1} conflicts. Done: 1." in shown
    assert "Decided by Owner" in shown and ": 1" in shown and "the lid is glass" in shown
    assert named in shown and "Decide on Conflicts" not in links(at)

    there = open_page(CONFLICTS, **parameters(links(at)["Open on Conflicts"]))
    there.button(key="adjudicate_back").click().run()
    at.run()
    assert f"Open: {len(found)} conflicts. Done: 0." in screen_text(at)


def test_a_rater_who_is_chosen_leaves_conflicts_out_and_they_are_not_marked_together(open_page, app_store):
    project, raters = (
        make_project(app_store, answers=4),
        [make_person(app_store, name) for name in ("Ann", "Bob")],
    )
    for person, score in zip(raters, (0, 3), strict=True):
        first, *others = sorted(
            service.next_items(app_store, person, project), key=lambda unit: unit.question
        )
        scores = {"relevance": score, "fluency": 4}
        rated = {"uid": str(uuid.uuid4()), "kind": "rate", "item": first.id, "scores": scores}
        assert service.apply(app_store, person, project, rated).state == "stored"
        for unit in others[:2]:
            flag = {"uid": str(uuid.uuid4()), "kind": "flag", "item": unit.id, "reason": "odd"}
            assert service.apply(app_store, person, project, flag).state == "stored"
    at = open_page(PAGE, project=SLUG)
    assert "Open: 4 flags, 1 conflict. Done: 0." in screen_text(at)
    assert "Relevance: rated 0, 3" in at.dataframe[0].value["Text"].tolist()
    assert "except conflicts" in screen_text(at)
    at.selectbox(key="work_rater").set_value("Ann").run()
    assert at.dataframe[0].value["Kind"].tolist() == ["Flagged", "Flagged"]
    assert "except conflicts" not in screen_text(at)
    at.selectbox(key="work_rater").set_value("").run()
    at.button(key="work_all_done").click().run()
    assert "Open: 1 conflict. Done: 4." in screen_text(at)


def test_a_conflict_of_comparisons_leads_to_its_pair(open_page, app_store):
    slug = pairs_project(app_store, points=False)
    pair = find_pair_conflicts(app_store, slug)[2]
    at = open_page(PAGE, project=slug)
    at.session_state["work_entry"] = f"conflict-{pair.pair[0]}-{pair.pair[1]}-{pair.criterion}"
    at.run()
    assert "2 for one response, 1 for the other" in screen_text(at)
    there = open_page(CONFLICTS, **parameters(links(at)["Decide on Conflicts"]))
    assert not there.exception
    (field,) = [box.key for box in there.text_input if box.key.startswith("adjudicate_pair_reason_")]
    assert field.endswith(f"_{pair.pair[0]}_{pair.pair[1]}")
    there.button(key="adjudicate_pair_tie").click().run()
    at.segmented_control(key="work_state").set_value("done").run()
    assert "Open: 4 conflicts. Done: 1." in screen_text(at) and ": tie" in screen_text(at)


def test_a_link_to_a_conflict_shows_it_whatever_was_chosen_before(open_page, app_store):
    slug = kitchen.rated(app_store)
    found = find_conflicts(app_store, slug, criterion="answers")
    last, owner = found[-1], make_person(app_store, "Olga", role="owner")
    decide_conflict(app_store, slug, response=last.response, criterion="answers", score=2, person_id=owner)
    at = open_page(CONFLICTS, project=slug)
    at.selectbox(key="adjudicate_distance_answers").set_value(3.0).run()
    at.toggle(key="adjudicate_open_only").set_value(True).run()
    at.query_params["response"] = str(last.response)
    at.run()
    assert not at.exception
    assert [box.key for box in at.text_input] == [f"adjudicate_reason_answers_{last.response}"]
    assert at.selectbox(key="adjudicate_distance_answers").value == 2
    at.query_params["response"] = "999"
    at.run()
    assert "The link refers to “conflict 999”" in screen_text(at)


def test_the_command_lists_conflicts_and_refuses_to_mark_them(app_store):
    slug, url = kitchen.rated(app_store), app_store.url
    found = find_conflicts(app_store, slug, criterion="answers")
    first, owner = found[0], make_person(app_store, "Olga", role="owner")
    listed = judgelab(url, "work-list", slug, "--kind", "conflict").stdout.splitlines()
    scores = ", ".join(f"{score:g}" for score in first.scores)
    entry = f"conflict-{first.response}-answers"
    assert listed[0].split() == (
        f"{entry} open 3 raters on {first.item} {first.system}: answers: {scores}".split()
    )
    assert listed[-1] == f"{len(found)} open, 0 done"
    refused = judgelab(url, "work-done", slug, entry)
    assert refused.returncode == 1 and "decided on Conflicts" in refused.stderr
    assert judgelab(url, "work-list", slug, "--rater", "Amara").stdout == listed[-1] + "\n"
    decide_conflict(
        app_store,
        slug,
        response=first.response,
        criterion="answers",
        score=2,
        person_id=owner,
        reason="glass",
    )
    data = json.loads(judgelab(url, "work-list", slug, "--all", "--json").stdout)
    (done,) = [each for each in data["entries"] if each["done"]]
    assert (done["id"], done["rater"], done["raters"], done["done_by"], done["note"]) == (
        *(entry, None, 3),
        *("Olga", "glass"),
    )
    assert (data["open"], data["done"]) == (len(found) - 1, 1)
