"""Trust and Compare: the answer first, each figure with its n, and choices kept in the URL."""

from __future__ import annotations

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from judgelab.analysis.agreement.agreement_table import agreement_table
from judgelab.analysis.comparison.cost_front import on_pareto_front
from judgelab.analysis.data.number_table import number_rows
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.domain import Criterion
from judgelab.imports.service import import_files
from judgelab.metaeval.coefficients.left_out import units_of_n
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from judgelab.ui.kit import viewport
from tests.databases import load_demo
from tests.pages.conftest import OpenPage, captions, page_answer, screen_text, spaced


@pytest.mark.parametrize("slug", ["demo-news", "demo-pairs"])
def test_nothing_above_the_choice_of_the_judge_appears_or_changes(
    open_page: OpenPage, app_store: Store, slug: str
) -> None:
    load_demo(app_store, slug.removeprefix("demo-"))
    at = open_page("researcher/trust.py", project=slug)
    names = at.selectbox(key="trust_judge").options
    before = [_above_the_judge(at)]
    before.extend(_above_the_judge(at.selectbox(key="trust_judge").set_value(name).run()) for name in names)
    unknown = open_page("researcher/trust.py", project=slug, judge="nobody")
    assert "refers to “nobody”" in captions(unknown)
    assert all(texts == before[0] for texts in [*before, _above_the_judge(unknown)])
    assert page_answer(at) and "Can I trust this judge?" in before[0]


def _above_the_judge(at: AppTest) -> list[str]:
    elements = list(at.main)
    place = next(k for k, element in enumerate(elements) if element.key == "trust_judge")
    return [str(getattr(element, "value", element.type)) for element in elements[:place]]


def test_the_trust_page_answers_in_sentences_and_opens_what_they_stand_on(
    open_page: OpenPage, app_store: Store
) -> None:
    load_demo(app_store, "news")
    at = open_page("researcher/trust.py", project="demo-news", judge="Demo judge A", level="item")
    assert not at.exception and not at.error
    words = _plain(at)
    assert "on which both have a response with a rating and a score by the judge" in captions(at)
    assert "even the best trivial baseline agrees with the raters as well as they agree with one" in words
    assert "word count alone (0.84). Demo judge A does, too, but is not significantly better" in words
    glance = at.dataframe[0].value
    assert glance["As good as a rater?"].tolist() == ["no (34)", "no (35)", "unclear (35)", "unclear (35)"]
    assert glance["Better than a trivial baseline?"].tolist()[0] == "unclear (34)"
    assert glance["Systems in the right order?"].tolist()[1] == "yes (11 to 12)" and "Enough data?" in glance
    assert "**Coherence: As good as a rater?** no" in words, "the first answer against it is explained"
    first = at.dataframe[1].value
    assert first["Criterion"].tolist() == ["Coherence", "Consistency", "Fluency", "Relevance"]
    assert first["Reliability of the mean (Spearman–Brown)"].str.startswith("0.").all()
    assert "by the Spearman–Brown formula from the mean r between raters" in captions(at)
    assert "Intervals are not corrected for multiple tests." in captions(at), "beside corrected p-values"
    assert first["Verdict on agreement"].tolist()[:2] == [
        "not significantly better than a baseline",
        "worse than a rater",
    ]
    for judge, raters, difference in zip(
        first["Judge"], first["Raters"], first["Judge − raters"], strict=True
    ):
        assert _first(difference) == pytest.approx(_first(judge) - _first(raters), abs=1e-9), (
            "it adds up as printed"
        )
    assert "Demo judge A" in at.query_params["judge"]
    pairs = next(
        element.value for element in at.dataframe if "Pairs ordered as by raters" in element.value.columns
    )
    ties = (
        measure_trust(app_store, "demo-news", "Demo judge A", level="item", resamples=50)
        .criteria["coherence"]
        .ties
    )
    assert ties is not None and ties.uncalibrated.value is not None
    assert pairs["Pairs ordered as by raters"].iloc[0].startswith(f"{ties.uncalibrated.value:.2f} [")
    assert pairs["Best tie threshold"].tolist() == ["equal scores"] * 4
    learned = (
        measure_trust(app_store, "demo-news", "learned", level="item", resamples=50)
        .criteria["coherence"]
        .ties
    )
    assert learned is not None and learned.epsilon > 0, "its scores are fine-grained; the raters' often tie"
    assert learned.accuracy.value > learned.uncalibrated.value


@pytest.mark.parametrize("slug", ["demo-news", "demo-pairs"])
def test_no_reason_is_written_twice(open_page: OpenPage, app_store: Store, slug: str) -> None:
    load_demo(app_store, slug.removeprefix("demo-"))
    at = open_page("researcher/trust.py", project=slug)
    for name in at.selectbox(key="trust_judge").options:
        at.selectbox(key="trust_judge").set_value(name).run()
        bare = [
            re.sub(r"^(:orange\[)?(:material/\w+: |#+ )|\]$|\*\*", "", spaced(m.value)) for m in at.markdown
        ]
        reasons = [line for line in bare if "; n = " in line]
        assert reasons and len(reasons) == len(set(reasons)), name


def test_on_a_phone_every_answer_is_on_the_screen_and_opens_what_it_stands_on(
    open_page: OpenPage, app_store: Store
) -> None:
    load_demo(app_store, "news")
    at = open_page("researcher/trust.py", project="demo-news", judge="Demo judge A", level="item")
    wide = at.dataframe[0].value
    at.session_state[viewport.MEASURED] = True
    at.run()
    assert not at.exception
    upright = at.dataframe[0].value
    assert upright.iloc[:, 0].tolist() == list(wide.columns[1:])
    assert upright.iloc[:, 2].tolist() == wide.iloc[1, 1:].tolist()
    cell = {"selection": {"rows": [], "columns": [], "cells": [(2, upright.columns[2])]}}
    at.session_state["trust_table_Demo judge A_narrow"] = cell
    at.run()
    assert not at.exception
    assert "**Consistency: Systems in the right order?** yes" in _plain(at)


def test_level_and_use_of_the_scale_say_what_their_n_counts(open_page: OpenPage, app_store: Store) -> None:
    load_demo(app_store, "news")
    at = open_page("researcher/trust.py", project="demo-news", judge="Demo judge A", level="item")
    trust = measure_trust(app_store, "demo-news", "Demo judge A", resamples=0)
    coherence = trust.criteria["coherence"]
    level = next(frame.value for frame in at.dataframe if "Judge, SD" in frame.value.columns)
    assert level["n"].iloc[0] == str(coherence.leniency.own.n)
    use = next(frame.value for frame in at.dataframe if "Points used" in frame.value.columns)
    assert use["n"].tolist()[:2] == [str(coherence.leniency.own.n), str(coherence.human_use.mean.n)]
    assert coherence.human_use.mean.n > coherence.leniency.own.n, "single ratings, not responses"
    captions = [element.value for element in at.caption]
    assert any("every single rating (n)" in caption for caption in captions)


def _plain(at: AppTest) -> str:
    return spaced("\n".join(element.value for element in at.markdown)).replace("\\", "")


def _first(cell: str) -> float:
    return float(cell.split(" [")[0].replace("−", "-"))


def test_the_compare_page_ranks_by_value_and_says_what_could_be_chance(
    open_page: OpenPage, app_store: Store
) -> None:
    load_demo(app_store, "news")
    judges = "Demo judge A|Demo judge B|learned|length|rouge1|rouge2|rougeL|token_f1"
    query = {"criterion": "consistency", "level": "item", "judges": judges}
    at = open_page("researcher/compare.py", project="demo-news", **query)
    assert not at.exception and not at.error
    ranking, pairs = at.dataframe[0].value, at.dataframe[1].value
    assert ranking["Rater"].iloc[0] == "Demo judge B" and "Cluster" not in ranking, "all in one"
    values = [float(value.replace("−", "-")) for value in ranking["ρ"]]
    assert values == sorted(values, reverse=True)
    shown = dict(zip(ranking["Rater"], ranking["ρ"], strict=True))
    for pair in pairs.to_dict("records"):
        first, second, gap = (
            float(cell.replace("−", "-"))
            for cell in (shown[pair["First"]], shown[pair["Second"]], pair["Difference"])
        )
        assert round(first - second, 2) == gap
    assert "Differences are between the rounded numbers shown" in captions(at)
    assert len(pairs) == 28 and "not tested" not in set(pairs["Finding"])
    assert (pairs["p"].str.replace("–", "nan").str.removeprefix("< ").astype(float) <= 1).all()
    link = at.query_params
    two_judges = {
        "judges": "Demo judge B|rouge1",
        "test": "williams",
        "level": "none",
        "coefficient": "pearson",
    }
    at = open_page("researcher/compare.py", project="demo-news", **two_judges)
    assert at.multiselect(key="compare_judges").value == ["Demo judge B", "rouge1"]
    assert at.dataframe[1].value["Finding"].tolist() == ["“Demo judge B” is better"]
    assert at.dataframe[0].value["Cluster"].tolist() == ["1", "2"]
    assert "williams" in at.query_params["test"] and "consistency" in link["criterion"]
    at = open_page("researcher/compare.py", project="demo-news", level="system", coefficient="pearson")
    assert "n (systems)" in json.loads(at.dataframe[0].proto.columns)["n"]["label"]
    assert re.search(r"n = \d+ systems\)", page_answer(at))


def test_learning_curves_stand_on_replies_and_say_what_is_missing(
    open_page: OpenPage, app_store: Store
) -> None:
    load_demo(app_store, "kitchen")
    at = open_page("researcher/compare.py", project="demo-kitchen", coefficient="spearman", level="none")
    assert not at.exception and not at.error
    words = screen_text(at)
    assert "Demo judge B: ρ 0.77" in words and "with 1 reply, 0.79" in words and "n = 78" in words
    assert "No two judges differ only in their number of examples" in words
    table = next(element.value for element in at.dataframe if "Size" in element.value.columns)
    assert table["Size"].tolist() == ["1", "2", "3"] and set(table["Judge"]) == {"Demo judge B"}
    query = {"judges": "Demo judge A|rouge1", "coefficient": "spearman"}
    at = open_page("researcher/compare.py", project="demo-kitchen", **query)
    assert any("No judge was asked more than once" in element.value for element in at.caption)


@pytest.mark.parametrize("page", ["trust", "compare"])
def test_numbers_and_answer_can_be_taken_along(open_page: OpenPage, app_store: Store, page: str) -> None:
    load_demo(app_store, "kitchen")
    at = open_page(f"researcher/{page}.py", project="demo-kitchen")
    assert not at.exception
    labels = [element.label for element in at.get("download_button")]
    table = ["Main table (CSV)"] if page == "compare" else []
    assert labels == [*table, "Every number (CSV)", "Every number (JSON)", "Summary (text)"]


@pytest.mark.parametrize("page", ["trust", "compare"])
def test_without_ratings_a_page_says_what_it_needs(open_page: OpenPage, app_store: Store, page: str) -> None:
    with app_store.writing() as session:
        create_project(session, name="Empty", criteria=())
    at = open_page(f"researcher/{page}.py", project="empty")
    assert not at.exception and any("It needs ratings" in element.value for element in at.markdown)


def test_the_front_holds_who_is_beaten_by_nobody_on_both() -> None:
    assert on_pareto_front([(0.0, 0.3), (1.0, 0.6), (2.0, 0.5), (None, 0.9), (3.0, None)]) == [
        *(True, True, False, False, False)
    ]
    assert on_pareto_front([(1.0, 0.2), (1.0, 0.4)], lower=True) == [True, False]


def test_the_patterns_page_says_where_disagreements_gather(open_page: OpenPage, app_store: Store) -> None:
    load_demo(app_store, "kitchen")
    at = open_page("researcher/patterns.py", project="demo-kitchen", judge="Demo judge A")
    assert not at.exception and not at.error
    words = "\n".join(element.value for element in at.markdown)
    assert "significantly more often for responses by “writer”" in words and "**8** of 78 responses" in words
    at.text_input(key="patterns_words").set_value("water sound").run()
    assert not at.exception and at.dataframe[-1].value["Who"].tolist() == ["Demo judge A"]


def test_a_link_to_a_judge_that_is_not_there_says_so(open_page: OpenPage, app_store: Store) -> None:
    load_demo(app_store, "news")
    at = open_page("researcher/trust.py", project="demo-news", judge="Gone judge")
    assert not at.exception
    for _look in range(2):
        assert [
            "“Gone judge”" in element.value for element in at.caption if "The link refers" in element.value
        ] == [True]
        at.run()
    existing_judge = open_page("researcher/trust.py", project="demo-news", judge="Demo judge A")
    assert not [element for element in existing_judge.caption if "The link refers" in element.value]


def test_compare_says_why_no_judge_has_a_coefficient_at_this_level(
    open_page: OpenPage, app_store: Store
) -> None:
    with app_store.writing() as session:
        create_project(session, name="Soup", criteria=[Criterion("right", "Right", {"kind": "binary"})])
    rows = [
        f"q{n},Why?,{system},So {n} {system},{rater},{kind},right,{(n + shift) % 2}"
        for n in range(6)
        for system in "abc"
        for rater, kind, shift in (
            ("Ann", "human", 0),
            ("Ben", "human", 0),
            ("j", "judge", 0),
            ("k", "judge", 1),
        )
    ]
    head = "item_id,question,system,response,rater,rater_kind,criterion,score"
    import_files(app_store, "soup", [("f.csv", "\n".join([head, *rows]).encode())])
    at = open_page("researcher/compare.py", project="soup", level="system", coefficient="kappa")
    assert not at.exception and not at.error
    assert "can't be compared: kappa compares single scores" in spaced(screen_text(at))
    (row, *_) = agreement_table(app_store, "soup", level="system", coefficients=["kappa"]).rows
    assert units_of_n("system", row.estimate) == "18 responses"


def test_an_order_of_systems_that_the_raters_tie_is_no_order(open_page: OpenPage, app_store: Store) -> None:
    with app_store.writing() as session:
        create_project(session, name="Soup", criteria=[Criterion("right", "Right", {"kind": "binary"})])
    rows = [
        f"q{n},Why?,{system},So {n} {system},{rater},{kind},right,{score}"
        for n in range(6)
        for system, judged in (("a", 1), ("b", n % 2))
        for rater, kind, score in (("Ann", "human", n % 2), ("Ben", "human", n % 2), ("j", "judge", judged))
    ]
    head = "item_id,question,system,response,rater,rater_kind,criterion,score"
    import_files(app_store, "soup", [("f.csv", "\n".join([head, *rows]).encode())])
    at = open_page("researcher/trust.py", project="soup", judge="j")
    assert not at.exception
    pairs = next(element.value for element in at.dataframe if "Raters' order" in element.value.columns)
    assert pairs["Raters' order"].tolist() == ["a = b"] and pairs["Judge"].tolist() == ["the raters tie them"]
    assert pairs["Raters' difference"].iloc[0].startswith("0.00 (no interval: there is no variation")
    rows_of_numbers = number_rows(measure_trust(app_store, "soup", "j").to_json())
    assert any("a = b" in str(row) for row in rows_of_numbers)
