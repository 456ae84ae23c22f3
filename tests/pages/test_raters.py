import random
import re
from datetime import UTC, datetime, timedelta

import pytest

from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.raters.rater_table import rater_table
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.domain import Criterion
from judgelab.imports.service import import_files
from judgelab.store.models import GoldScore, ItemRow, Rating, ResponseRow, now
from judgelab.store.people import memberships, people, recruitment_links
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.rating import units
from judgelab.store.rating.criteria import criterion_ids
from judgelab.ui.kit import text, viewport
from judgelab.ui.session import navigation
from tests.command import judgelab
from tests.pages.conftest import page_answer, screen_text
from tests.rated_units import unit_of

PAGE = "researcher/raters.py"
SCALE = {"kind": "ordinal", "low": 0, "high": 3, "labels": {"0": "no", "3": "yes"}}
HABITS = {"Ada": 0.1, "Bo": 0.2, "Chen": 0.2, "Hugo": None}  # share of other scores; None is reversed
START = datetime(2025, 5, 5, 9, tzinfo=UTC)


def rated(app_store, *, criteria=("answers",), items=24):
    chance = random.Random(5)
    with app_store.writing() as session:
        project = create_project(
            session, name="Pans", criteria=[Criterion(key, key.title(), SCALE) for key in criteria]
        )
        ids = criterion_ids(session, project.id)
        raters = {name: people.find_or_create(session, name) for name in HABITS}
        for n in range(items):
            item = ItemRow(project_id=project.id, external_id=f"q{n}", question="Does it fit?")
            session.add(item)
            session.flush()
            response = ResponseRow(
                project_id=project.id, item_id=item.id, external_id="a", system="alpha", text="It does. " * 9
            )
            session.add(response)
            session.flush()
            for name, person in raters.items():
                for key in criteria:
                    noise, truth = HABITS[name], n % 4
                    score = 3 - truth if noise is None else truth
                    if noise and chance.random() < noise:
                        score = (truth + 1) % 4
                    session.add(
                        Rating(
                            project_id=project.id,
                            response_id=response.id,
                            criterion_id=ids[key],
                            person_id=person,
                            score=score,
                            comment="*Not* at all." if score == 0 else "",
                            seconds=1 if name == "Hugo" else 40 + n % 5,
                            rated_at=START + timedelta(minutes=n + (120 if n > items // 2 else 0)),
                        )
                    )
        units.offer_units(session, project.id)
    return project.slug


@pytest.fixture
def slug(app_store):
    return rated(app_store)


def in_sight(at):
    return next(d.value for d in at.dataframe if "Worth a look" in d.value.columns)


def state(app_store, slug, name):
    with app_store.reading() as session:
        members = memberships.memberships(session, find_project(session, slug).id)
    return {m.name: m.state for m in members}.get(name)


def test_without_ratings_the_page_says_what_it_will_show(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="Pans")
    at = open_page(PAGE, project="pans")
    assert not at.exception
    assert "There are no ratings yet" in screen_text(at)


def test_the_answer_names_who_is_worth_a_look_and_why(open_page, slug):
    at = open_page(PAGE, project=slug)
    assert not at.exception
    assert "Check 1 of the 4 raters: **Hugo**" in page_answer(at)
    assert "perhaps reversed" in page_answer(at) and "too fast" in page_answer(at)


def test_a_phone_shows_each_r_beside_the_name(open_page, slug):
    at = open_page(PAGE, project=slug)
    wide = list(in_sight(at))
    at.session_state[viewport.MEASURED] = True
    narrow = list(in_sight(at.run()))
    assert narrow[:3] == ["Rater", "r", "Worth a look"] and sorted(narrow) == sorted(wide)
    assert wide.index("r") > wide.index("Worth a look")


def test_the_table_has_a_row_a_rater_with_the_words_of_each_flag(open_page, slug):
    frame = in_sight(open_page(PAGE, project=slug))
    assert frame["Rater"].tolist() == ["Hugo", "Ada", "Bo", "Chen"]
    assert frame.set_index("Rater").loc["Ada", "Worth a look"] == ""
    assert {"Gold", "Attention", "Repeats"}.isdisjoint(frame.columns)
    assert "The data have no known scores, attention checks or repeats yet" in screen_text(
        open_page(PAGE, project=slug)
    )


def test_gold_scores_stand_in_the_table(open_page, app_store, slug):
    with app_store.writing() as session:
        project = find_project(session, slug)
        criterion = criterion_ids(session, project.id)["answers"]
        for response in range(1, 9):
            unit = unit_of(session, response)
            session.add(GoldScore(unit_id=unit, criterion_id=criterion, score=(response - 1) % 4))
    at = open_page(PAGE, project=slug)
    frame = in_sight(at).set_index("Rater")
    assert frame.loc["Hugo", "Gold"] == 0 and frame.loc["Ada", "Gold"] > 0.5
    assert "known score missed" in frame.loc["Hugo", "Worth a look"]


def test_a_rater_can_be_opened_by_link_with_scores_pace_and_differences(open_page, slug):
    at = open_page(PAGE, project=slug, name="Hugo")
    assert not at.exception
    assert at.selectbox(key="raters_name").value == "Hugo"
    words = screen_text(at)
    assert "perhaps the scale was read the wrong way round" in words
    assert "in 2 sessions" in words and "implausibly fast" in words
    differences = next(d.value for d in at.dataframe if "Diff." in d.value.columns)
    assert differences["Diff."].iloc[0].startswith(("+", "−"))


def test_each_measure_can_be_drawn(open_page, slug):
    at = open_page(PAGE, project=slug)
    for measure in ("pairwise", "offset", "seconds", "modal", "loo"):
        at.selectbox(key="raters_measure").set_value(measure).run()
        assert not at.exception


def test_pause_release_and_active_again_are_kept_and_ratings_stay(open_page, app_store, slug):
    at = open_page(PAGE, project=slug, name="Hugo")
    at.button(key="raters_paused").click().run()
    assert not at.exception and state(app_store, slug, "Hugo") == "paused"
    assert "State: paused" in screen_text(at)
    at.button(key="raters_active").click().run()
    assert state(app_store, slug, "Hugo") == "active"
    at.button(key="raters_released").click().run()
    assert state(app_store, slug, "Hugo") == "released"
    assert re.search(r"State: released · \d\d:\d\d", screen_text(at))
    assert in_sight(at).set_index("Rater").loc["Hugo", "n"] == 24


def test_whose_time_is_over_has_timed_out_and_can_be_let_in_again(open_page, app_store, slug):
    due = now() - timedelta(days=2)
    with app_store.writing() as session:
        bo = (find_project(session, slug).id, people.find_or_create(session, "Bo"))
        memberships.join(session, *bo)
    at = open_page(PAGE, project=slug, name="Bo")
    assert "State: active" in screen_text(at)
    with app_store.writing() as session:
        recruitment_links.save_enrolment(session, *bo, due_at=due)
    at.run()  # nothing was decided about work meanwhile
    state = f"timed out · {text.day(due.astimezone())}"
    assert f"State: {state}" in screen_text(at)
    assert in_sight(at).set_index("Rater").loc["Bo", "State"] == state
    output = judgelab(app_store.url, "raters", slug).stdout
    assert f"Bo: timed out since {due.isoformat(timespec='seconds')}." in output
    raters = rater_table(app_store, slug, resamples=10).to_json()["raters"]
    assert [(rater["state"], rater["over_since"]) for rater in raters if rater["rater"] == "Bo"] == [
        ("timed_out", due.isoformat(timespec="seconds"))
    ]
    at.button(key="raters_active").click().run()
    assert not at.exception and "State: active" in screen_text(at)


def test_nothing_happens_to_a_flagged_rater_by_itself(open_page, app_store, slug):
    at = open_page(PAGE, project=slug)
    assert state(app_store, slug, "Hugo") in (None, "active")
    assert "They never remove a rater" in screen_text(at)
    assert not any(button.type == "primary" for button in at.button if hasattr(button, "type"))


def test_messages_hold_the_raters_own_numbers_and_can_be_changed(open_page, slug):
    at = open_page(PAGE, project=slug, name="Hugo")
    at.selectbox(key="raters_message").set_value("Question about the scale").run()
    (area,) = at.text_area
    assert (
        "Dear Hugo" in area.value and "lowest score is 0 (no)" in area.value and "24 responses" in area.value
    )
    at.selectbox(key="raters_message").set_value("Question about speed").run()
    assert "100 % of your 24 answers" in at.text_area[0].value
    at.text_area[0].set_value("Dear Hugo, hello.").run()
    assert not at.exception


def test_raters_are_compared_with_those_the_rule_keeps_or_with_all(open_page, app_store, slug):
    before = in_sight(open_page(PAGE, project=slug)).set_index("Rater")
    save_filter(app_store, slug, "main", FilterPolicy())
    at = open_page(PAGE, project=slug)
    table = in_sight(at).set_index("Rater")
    assert table.loc["Ada", "r"] > before.loc["Ada", "r"]
    assert table.loc["Hugo", "r"] < 0
    at.segmented_control(key="raters_beside").set_value("all").run()
    assert in_sight(at).set_index("Rater").loc["Ada", "r"] == pytest.approx(before.loc["Ada", "r"])


def test_several_criteria_are_shown_one_at_a_time(open_page, app_store):
    slug = rated(app_store, criteria=("answers", "style"))
    at = open_page(PAGE, project=slug, criterion="style")
    assert not at.exception
    assert at.segmented_control(key="raters_criterion").value == "style"
    at.segmented_control(key="raters_criterion").set_value("answers").run()
    assert not at.exception


def test_quality_and_the_steps_lead_to_the_raters(open_page, slug):
    for page in ("researcher/quality.py", "researcher/projects.py"):
        at = open_page(page, project=slug)
        assert not at.exception
        links = [link.proto.label for link in at.get("page_link")]
        assert "Raters one by one" in links
    assert "Invite raters" in links, "the step offers to invite, not only to rate"
    assert navigation.PEOPLE in navigation.RESEARCHER, "in the bar, not under one's own name"


def test_ratings_are_counted_under_the_criterion_shown(open_page, app_store):
    with app_store.writing() as session:
        slug = create_project(session, name="Lids").slug
    lines = ["item_id,question,response,rater,rater_kind,criterion,score"]
    for n in range(20):
        for place, rater in enumerate(("Ann", "Bob")):
            lines.append(f"q{n},What?,word {n},{rater},human,good,{1 + (n + place) % 5}")
            if n < 13:
                lines.append(f"q{n},What?,word {n},{rater},human,true,{(n + place) % 5 + 1}")
    import_files(app_store, slug, [("ratings.csv", "\n".join(lines).encode())])
    at = open_page(PAGE, project=slug, criterion="true", name="Ann")
    assert not at.exception
    assert any("13 rated" in element.value for element in (*at.markdown, *at.caption))
    assert at.dataframe[0].value["n"].tolist() == [13, 13]


def test_cohorts_have_a_column_once_somebody_has_one(open_page, app_store, slug):
    table = open_page(PAGE, project=slug).dataframe[0].value
    assert "Cohort" not in table
    name = table["Rater"].iloc[0]
    with app_store.writing() as session:
        person = people.find_or_create(session, name)
        memberships.join(session, find_project(session, slug).id, person, cohort="north")
    table = open_page(PAGE, project=slug).dataframe[0].value.set_index("Rater")
    assert table.loc[name, "Cohort"] == "north"
