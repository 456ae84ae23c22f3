"""*Project* shows a study while people rate, and what it is drawn from."""

from __future__ import annotations

import uuid

from judgelab.annotation import service
from judgelab.store.people import memberships
from tests.annotation.conftest import make_person, make_project
from tests.pages.conftest import screen_text

PAGE, SLUG = "researcher/projects.py", "soup-flasks"


def send(store, person, project, kind, **values):
    item = service.next_items(store, person, project)[0].id
    operation = {"uid": str(uuid.uuid4()), "kind": kind, "item": item, **values}
    assert service.apply(store, person, project, operation).state == "stored"


def test_a_running_study_is_shown_with_its_raters(open_page, app_store):
    project = make_project(app_store, answers=5, raters_per_response=2)
    assert "Rating now" not in screen_text(open_page(PAGE, project=SLUG))
    ann, bob = (make_person(app_store, name, role="") for name in ("[Ann](x)", "Bob"))
    with app_store.writing() as session:
        memberships.ensure_rater(session, project, ann)
        memberships.ensure_rater(session, project, bob)
    send(app_store, ann, project, "rate", scores={"relevance": 1, "fluency": 2})
    (link,) = [
        link.label for link in open_page(PAGE, project=SLUG).get("page_link") if "Work list" in link.label
    ]
    assert link == "Work list: no messages, flags or skips open"
    send(app_store, ann, project, "ask", text="Why?")
    at = open_page(PAGE, project=SLUG)
    assert not at.exception
    shown = screen_text(at).replace("\u200b", "").replace("\\", "")
    assert "1 of 2 raters are at work: [Ann](x). In the last hour: 1 response rated." in shown
    # One rating in ten minutes, the least that a pace is of: 6 an hour, so 9 more take one and a half.
    assert "With 2 raters each, 1 of 10 are done (10 %)." in shown
    assert "At the pace of the last 10 minutes, the rest takes about 2 hours." in shown
    assert "refreshed every 20 seconds" in shown
    table = next(frame.value for frame in at.dataframe if "Last hour" in frame.value)
    assert table["Rater"].tolist() == ["[Ann](x)", "Bob"]
    assert table["Rated"].tolist() == ["1", "0"] and "Checks" not in table
    links = [link.label for link in at.get("page_link")]
    assert "Work list: 1 message open" in links
