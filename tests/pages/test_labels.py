"""Pages of a project whose labels have no order: labels in place of numbers, and no word about distance."""

from __future__ import annotations

import re

import pytest

from judgelab.analysis.data.saved_filters import save_filter
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.store.db.engine import Store
from tests.labelled import claims
from tests.pages.conftest import OpenPage, page_answer, screen_text

FORBIDDEN = re.compile(
    r"\b(?:worst|within one point|points? apart|points? or more apart|mean of|rounded mean|opposite)\b"
)


@pytest.fixture
def slug(app_store: Store) -> str:
    return claims(app_store)


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("researcher/agreement.py", {}),
        ("researcher/compare.py", {}),
        ("researcher/trust.py", {"judge": "strict-judge"}),
        ("researcher/disagreements.py", {"judge": "strict-judge"}),
        ("researcher/patterns.py", {"judge": "strict-judge"}),
        ("researcher/adjudicate.py", {}),
        ("researcher/means.py", {}),
        ("researcher/more.py", {}),
        ("researcher/raters.py", {}),
        ("researcher/quality.py", {}),
        ("researcher/data.py", {}),
    ],
)
def test_no_page_fails_or_speaks_of_distance(
    open_page: OpenPage, slug: str, page: str, query: dict[str, str]
) -> None:
    at = open_page(page, project=slug, **query)
    assert not at.exception
    assert not FORBIDDEN.search(screen_text(at)), FORBIDDEN.findall(screen_text(at))


def test_agreement_shows_kappa_with_the_majority(open_page: OpenPage, slug: str) -> None:
    at = open_page("researcher/agreement.py", project=slug)
    assert not at.exception
    text = screen_text(at)
    assert "κ" in text and "the label of most" in text
    table = next(f.value for f in at.dataframe if "Kind" in f.value.columns).set_index("Rater")
    assert {"strict-judge", "mild-judge"} <= set(table.index)
    assert "with the raters: κ" in page_answer(at)


@pytest.mark.parametrize("page", ["agreement", "compare", "trust"])
def test_labels_by_a_model_of_raters_are_not_called_those_of_most(
    open_page: OpenPage, app_store: Store, slug: str, page: str
) -> None:
    save_filter(app_store, slug, "classes", FilterPolicy(threshold=-1.0, aggregate="mace"))
    query = {"judge": "strict-judge"} if page == "trust" else {}
    at = open_page(f"researcher/{page}.py", project=slug, **query)
    assert not at.exception
    text = screen_text(at)
    assert "MACE labels" in text and "label of most" not in text


def test_disagreements_and_conflicts_show_labels(open_page: OpenPage, slug: str) -> None:
    at = open_page("researcher/disagreements.py", project=slug, judge="strict-judge")
    assert "give different labels on 3 of 11 responses that both scored" in screen_text(at)
    shown = next(f.value for f in at.dataframe if "Judge" in f.value.columns)
    assert "Diff." not in shown.columns
    ratings = " ".join(str(table.value.to_dict()) for table in at.table)
    assert "contradicted" in ratings or "supported" in ratings

    at = open_page("researcher/adjudicate.py", project=slug)
    assert "A conflict is a response that raters gave different labels." in screen_text(at)
    assert {"supported", "contradicted", "unclear"} <= {button.label for button in at.button}


def test_raters_choose_a_label_by_its_digit_key(open_page: OpenPage, slug: str) -> None:
    from judgelab.domain import Criterion
    from judgelab.ui.rater.criteria import criterion_data

    scale = {"kind": "categorical", "labels": ["supported", "contradicted", "unclear"]}
    data = criterion_data(Criterion("verdict", "Verdict", scale))
    assert data["widget"] == "points"
    assert [(point["value"], point["label"]) for point in data["points"]] == [
        (1, "supported"),
        (2, "contradicted"),
        (3, "unclear"),
    ]


def test_raters_and_quality_leave_out_what_needs_an_order(open_page: OpenPage, slug: str) -> None:
    at = open_page("researcher/raters.py", project=slug)
    assert "Offset" not in screen_text(at)
    table = next(f.value for f in at.dataframe if "Modal" in f.value.columns)
    assert not {"r", "Offset"} & set(table.columns)

    at = open_page("researcher/quality.py", project=slug)
    assert (
        "1 of 3 raters and 0 of 12 responses**; the remaining raters would agree at κ **0.74**"
        in page_answer(at)
    )
    assert at.slider(key="quality_rule_threshold").label == "Remove raters with κ below"
    table = next(f.value for f in at.dataframe if "Modal share" in f.value.columns)
    measures = ["r, all raters", "r, after rule", "95 % interval"]  # column names; the screen shows κ
    assert list(table.columns) == ["Rater", "Ratings", *measures, "Modal share", "State"]


def test_trust_shows_how_often_each_label_is_used(open_page: OpenPage, slug: str) -> None:
    at = open_page("researcher/trust.py", project=slug, judge="strict-judge")
    table = next(f.value for f in at.dataframe if "Modal label" in f.value.columns)
    assert not {"Mean", "Spread", "At the ends"} & set(table.columns)
    assert list(table["Modal label"]) == ["contradicted", "supported"]


def test_patterns_speak_of_different_labels(open_page: OpenPage, slug: str) -> None:
    text = screen_text(open_page("researcher/patterns.py", project=slug, judge="strict-judge"))
    assert "Where the labels differ" in text
    assert "most judges give it one label and most raters another" in text
    assert "large" not in text and "agree closely" not in text


def test_means_say_only_that_there_are_none(open_page: OpenPage, slug: str) -> None:
    at = open_page("researcher/means.py", project=slug)
    assert "so systems have no means" in page_answer(at)
    assert not at.dataframe and "averaged" not in screen_text(at)


def test_a_person_is_compared_with_judges_by_equal_labels(open_page: OpenPage, slug: str) -> None:
    at = open_page("researcher/you.py", project=slug).selectbox(key="you_whose").select("Cid").run()
    assert not at.exception
    assert "Cid gave the label of most other raters on a share of **0.50**" in page_answer(at)
    text = screen_text(at)
    assert "2 answers are excluded because several labels" in text
    assert not FORBIDDEN.search(text) and "mean" not in text
    everybody = next(f.value for f in at.dataframe if "Value" in f.value.columns).set_index("Rater")
    assert everybody.loc["strict-judge", "Value"] == "0.70"
    answers = next(f.value for f in at.dataframe if "Crowd" in f.value.columns)
    assert set(answers["Crowd"]) == {"supported", "contradicted", "unclear"}


def test_agreement_counts_the_answer_cannot_judge(open_page: OpenPage, app_store: Store) -> None:
    from judgelab.imports.service import import_files
    from judgelab.store.projects.projects import create_project
    from tests.labelled import claims_csv

    words = claims_csv().splitlines()
    for place, line in enumerate(words):
        if (",Cid," in line and "q0" in line) or (",mild-judge," in line and "q1," in line):
            words[place] = f"{line.rpartition(',')[0]},cannot judge"
    with app_store.writing() as session:
        slug = create_project(session, name="Passing").slug
    import_files(app_store, slug, [("claims.csv", "\n".join(words).encode())])
    at = open_page("researcher/agreement.py", project=slug)
    assert not at.exception
    assert "Raters said “cannot judge” instead of giving a score: verdict 2." in screen_text(at)
    table = next(f.value for f in at.dataframe if "Kind" in f.value.columns).set_index("Rater")
    assert table.loc["mild-judge", ["Unscored", "Cannot judge"]].tolist() == ["0", "2"]
    trust = screen_text(open_page("researcher/trust.py", project=slug, judge="mild-judge"))
    assert "2 judgments are unscored: cannot judge." in trust.replace("\\", "")
