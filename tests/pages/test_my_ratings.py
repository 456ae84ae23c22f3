"""My ratings: a person's ratings in words, for every form."""

from __future__ import annotations

import json
import uuid

import pytest

from judgelab.accounts import signin
from judgelab.analysis.raters import work_list
from judgelab.annotation import service
from judgelab.store.people import people
from tests.annotation.conftest import make_person, make_project
from tests.annotation.test_forms import FORMS, SAID, TWO

PAGE = "annotator/my_ratings.py"
SHOWN = {
    "pointwise": ("1 answer", ["Answer"], ["1 Yes", "0 No"]),
    "pairwise": ("1 pair", ["Answers"], ["A much better", "no difference"]),
    "ranking": ("1 question", ["Answers"], ["B > A = C", "A = B = C"]),
    "best_worst": ("1 question", ["Answers"], ["best B, worst A", "best A, worst C"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_own_judgments_are_listed_in_words(open_page, app_store, form):
    systems = {"pointwise": 1, "pairwise": 2}.get(form, 3)
    project = make_project(app_store, answers=1, systems=systems, criteria=TWO, form=form)
    ada = make_person(app_store, "Ada")
    (item,) = service.next_items(app_store, ada, project)
    op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id, **SAID[form][0]}
    assert service.apply(app_store, ada, project, op).state == "stored"
    at = open_page(PAGE, project="soup-flasks", rater=str(ada))
    assert not at.exception
    count, heads, cells = SHOWN[form]
    assert count in " ".join(caption.value for caption in at.caption)
    frame = at.dataframe[0].value
    assert [name for name in frame if name.startswith("Answer")] == heads
    assert [frame[name][0] for name in ("Overall", "Clear")] == cells
    assert "SecretSystem" not in frame.to_string()


def test_own_judgments_are_listed_in_the_language_of_their_reader(open_page, app_store):
    project = make_project(app_store, answers=1, systems=2, criteria=TWO, form="pairwise")
    ada = make_person(app_store, "Ada")
    (item,) = service.next_items(app_store, ada, project)
    op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id, **SAID["pairwise"][0]}
    assert service.apply(app_store, ada, project, op).state == "stored"
    signin.new_owner_token(app_store)
    with app_store.writing() as session:
        (owner,) = people.list_people(session, role="owner")
        people.set_language(session, owner.id, "de")
    at = open_page(PAGE, project="soup-flasks", rater=str(ada))
    assert not at.exception
    assert [title.value for title in at.title] == ["Meine Bewertungen"]
    assert "1 Paar" in " ".join(caption.value for caption in at.caption)
    table = at.dataframe[0]
    assert [table.value[name][0] for name in ("Overall", "Clear")] == ["A viel besser", "gleich"]
    heads = {name: column.get("label") for name, column in json.loads(table.proto.columns).items()}
    assert (heads["Question"], heads["Answers"], heads["Rated"]) == ("Frage", "Antworten", "Bewertet")


def test_own_messages_are_shown_with_the_answers_and_no_name(open_page, app_store):
    project, ada, bob = make_project(app_store), make_person(app_store, "Ada"), make_person(app_store, "Bob")
    for person, words in ((ada, "Is *this* right?"), (bob, "Nobody else reads this")):
        unit = service.next_items(app_store, person, project)[0]
        op = {"uid": str(uuid.uuid4()), "kind": "ask", "item": unit.id, "text": words}
        assert service.apply(app_store, person, project, op).state == "stored"
    owner = people_named(app_store, "Olga")
    entry = next(e for e in work_list.work_list(app_store, "soup-flasks") if e.key.person == ada)
    work_list.answer(app_store, "soup-flasks", entry.id, "It is.", by=owner)
    shown = " ".join(m.value for m in open_page(PAGE, project="soup-flasks", rater=str(ada)).markdown)
    assert "Is \\*this\\* right?" in shown and "It is\\." in shown
    assert "Olga" not in shown and "Nobody else" not in shown


def people_named(store, name):
    with store.writing() as session:
        return people.find_or_create(session, name, role="")
