"""Means and More ratings: the question on sampling, and answers that the data allow."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import delete, select, update
from streamlit.testing.v1 import AppTest

from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.comparison.random_sampling import record_random_sampling
from judgelab.analysis.comparison.system_means import estimate_means
from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.scores import project_scores
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.domain import Criterion
from judgelab.imports.service import collect_files, import_files
from judgelab.reporting.gathering import gather_facts
from judgelab.reporting.tables import system_rows
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, JudgeRow, Judgment, MetricScore, Rating, ResponseRow, Run, Verdict
from judgelab.store.projects.projects import create_project
from judgelab.ui.kit import text
from tests.databases import load_demo
from tests.pages.conftest import OpenPage, captions, spaced

HEAD = "item_id,question,system,response,rater,rater_kind,criterion,score"
LEAD = {"judge": "rouge1", "criterion": "answers"}


def half_rated(store: Store) -> None:
    """Load the demo and delete the people's ratings of every second item."""
    load_demo(store, "kitchen")
    with store.writing() as session:
        items = [item.id for item in session.query(ItemRow).order_by(ItemRow.id)][::2]
        responses = [r.id for r in session.query(ResponseRow).filter(ResponseRow.item_id.in_(items))]
        session.query(Rating).filter(Rating.response_id.in_(responses)).delete()


def test_the_powered_mean_waits_for_the_answer_to_its_question(open_page: OpenPage, app_store: Store) -> None:
    half_rated(app_store)
    at = open_page("researcher/means.py", project="demo-kitchen", **LEAD)
    assert not at.exception and not at.error
    assert any("first say how the rated items were selected" in element.value for element in at.markdown)
    assert set(at.dataframe[0].value["Both"]) == {"–"}
    at.radio[0].set_value("yes").run()
    assert not at.exception
    powered_cells = at.dataframe[0].value["Both"].tolist()
    system_means = estimate_means(app_store, "demo-kitchen", "rouge1", criterion="answers")
    assert system_means.at_random is True
    record_random_sampling(app_store, "demo-kitchen", "answers", at_random=False)
    at.run()
    assert at.radio[0].value == "no", "what somebody else said meanwhile stays"
    at.radio[0].set_value("yes").run()
    value = system_means.systems[0].mean.powered.value
    assert value is not None and powered_cells[0].startswith(f"{value:.2f} [")
    saved_filters.save_filter(
        app_store, "demo-kitchen", "z", FilterPolicy(threshold=-1.0, aggregate="z_mean")
    )
    of_z = (
        estimate_means(app_store, "demo-kitchen", "Demo judge B", criterion="answers", policy="z")
        .systems[0]
        .mean
    )
    assert 1.0 < (of_z.human.value or 0.0) < 3.0, "points of the scale, which the judge gives too"


def test_a_claim_is_answered_in_a_sentence_and_a_chart(open_page: OpenPage, app_store: Store) -> None:
    load_demo(app_store, "news")
    query = {"claim": "judges", "criterion": "coherence", "first": "rouge1", "second": "rouge2"}
    at = open_page("researcher/more.py", project="demo-news", **query)
    assert not at.exception and not at.error
    words = "\n".join(element.value for element in at.markdown)
    assert (
        "12 items are too few to show whether rouge1 or rouge2 agrees better" in words
        and "Current difference in agreement" in words
    )
    at = open_page("researcher/more.py", project="demo-news", claim="systems", criterion="fluency")
    assert not at.exception and any("11 items" in element.value for element in at.markdown)
    assert any(
        "The page “Trust” corrects p jointly over all pairs of systems under all criteria" in element.value
        for element in at.caption
    )


def test_only_a_link_that_was_followed_is_said_to_lead_nowhere(open_page: OpenPage, app_store: Store) -> None:
    """The page's own link still names the judges when another claim is chosen."""
    load_demo(app_store, "news")
    at = open_page("researcher/more.py", project="demo-news")
    at.selectbox(key="more_claim").set_value("judges").run()
    at.selectbox(key="more_claim").set_value("systems").run()
    assert not at.exception and at.selectbox(key="more_claim").value == "systems"
    assert not any("The link refers to" in element.value for element in at.caption)
    at = open_page("researcher/more.py", project="demo-news", claim="judges", first="nobody")
    assert any("The link refers to “nobody”" in element.value for element in at.caption)


def test_the_page_does_not_open_on_a_judge_that_gave_one_score(open_page: OpenPage, app_store: Store) -> None:
    load_demo(app_store, "kitchen")
    with app_store.writing() as session:
        of_first = select(Judgment.id).join(Run).join(JudgeRow).where(JudgeRow.name == "Demo judge A")
        session.execute(update(Verdict).where(Verdict.judgment_id.in_(of_first)).values(score=2))
    at = open_page("researcher/more.py", project="demo-kitchen", claim="judges", criterion="answers")
    assert not at.exception
    first = next(element for element in at.selectbox if element.label == "Judge")
    assert first.value == "Demo judge B" and first.options[-1] == "Demo judge A"


def test_two_judges_are_compared_where_agreement_can_be_read(open_page: OpenPage, app_store: Store) -> None:
    """Within an item of two responses every coefficient is -1, 0 or 1, so they are pooled."""
    load_demo(app_store, "kitchen")
    judges = ("Demo judge A", "Demo judge B")
    query = {"claim": "judges", "criterion": "answers", "first": judges[0], "second": judges[1]}
    at = open_page("researcher/more.py", project="demo-kitchen", **query)
    assert not at.exception
    compared = compare_judges(
        app_store, "demo-kitchen", criterion="answers", level="none", coefficient="spearman", raters=judges
    ).criteria["answers"]
    contrast = compared.between(*judges)
    assert contrast is not None and contrast.first == judges[0]
    difference = text.signed(compared.printed_difference(contrast, 2), 2)
    expected = f", Demo judge A − Demo judge B (Spearman's ρ, pooled): **{difference}**"
    assert any(expected in element.value for element in at.markdown)
    corrected = "The page “Compare” corrects p jointly over all its tests, one for each pair of judges or"
    assert any(corrected in element.value for element in at.caption)


def test_raters_alone_are_all_their_ratings_as_the_pack_has_them(
    open_page: OpenPage, app_store: Store
) -> None:
    """Rated responses that the judge left unscored count for the raters."""
    load_demo(app_store, "kitchen")
    with_judge = estimate_means(app_store, "demo-kitchen", "Demo judge A", criterion="answers")
    raters_only = estimate_means(app_store, "demo-kitchen", criterion="answers")
    scores = project_scores(app_store, "demo-kitchen").scores
    people = scores[(scores["rater_kind"] == "human") & (scores["criterion"] == "answers")]
    of_response = people.groupby(["system", "item", "response"])["score"].mean()
    by_hand = of_response.groupby(["system", "item"]).mean().groupby("system").mean()
    for system_means in (with_judge, raters_only):
        assert {row.system: row.people.value for row in system_means.systems} == pytest.approx(
            by_hand.to_dict()
        )
        assert sum(row.rated_responses for row in system_means.systems) == people["response"].nunique()
    assert all(row.mean is None for row in raters_only.systems) and raters_only.share is None
    comparisons = [row.mean for row in with_judge.systems if row.mean is not None]
    assert sum(row.scored_by_both for row in with_judge.systems) < sum(
        row.rated_responses for row in with_judge.systems
    )
    assert any(
        mean.human.value != row.people.value
        for mean, row in zip(comparisons, with_judge.systems, strict=True)
    )
    pack_rows = system_rows(gather_facts(app_store, "demo-kitchen")).set_index(["criterion", "system"])
    for row in with_judge.systems:
        packed_row = pack_rows.loc[("answers", row.system)]
        assert (row.people.value, row.people.ci, row.rated_responses) == (
            pytest.approx(packed_row["mean"]), pytest.approx((packed_row["ci_low"], packed_row["ci_high"])),
            packed_row["responses"],
        )  # fmt: skip
    at = open_page("researcher/means.py", project="demo-kitchen", judge="Demo judge A", criterion="answers")
    table = at.dataframe[0].value
    assert table["Rated"].tolist() == [str(row.rated_responses) for row in with_judge.systems]
    assert table["Both rated"].tolist() == [str(row.scored_by_both) for row in with_judge.systems]
    with app_store.writing() as session:
        session.execute(delete(Verdict))
        session.execute(delete(MetricScore))
    at = open_page("researcher/means.py", project="demo-kitchen", criterion="answers")
    assert not at.exception and "Raters, judged responses" not in at.dataframe[0].value.columns


@pytest.mark.parametrize("page", ["means", "more", "patterns", "disagreements", "trust", "compare"])
def test_a_page_of_results_names_the_filter_in_use(page: str, open_page: OpenPage, app_store: Store) -> None:
    load_demo(app_store, "news")
    saved_filters.save_filter(app_store, "demo-news", "usual", FilterPolicy(threshold=-1.0))
    at = open_page(f"researcher/{page}.py", project="demo-news")
    assert not at.exception
    assert "ilter “usual”, version 1" in captions(at)


def caption_on_share(at: AppTest) -> str:
    found = next(element.value for element in at.caption if "Rogan and Gladen" in element.value)
    return spaced(found).replace("\\", "")


def binary_study(store: Store, tmp_path: Path, *, unrated: int, at_random: bool | None = True) -> None:
    """Two raters on 60 answers of one system, one in six a tie; a judge on all and on some unrated ones."""
    with store.writing() as session:
        create_project(session, name="QA", criteria=[Criterion("right", "Right", {"kind": "binary"})])
    lines = [HEAD]
    for n in range(60 + unrated):
        start = f"q{n},What?,s,word {n}"
        first = n % 3 > 0
        if n < 60:
            second = 0 if n % 6 == 1 else int(first)
            lines += [f"{start},Ada,human,right,{int(first)}", f"{start},Bo,human,right,{second}"]
        lines.append(f"{start},judge,judge,right,{int(first if n % 10 else not first)}")
    (tmp_path / "qa.csv").write_text("\n".join(lines) + "\n")
    import_files(store, "qa", collect_files([tmp_path / "qa.csv"]))
    if at_random is not None:
        record_random_sampling(store, "qa", "right", at_random=at_random)


def test_the_share_of_right_answers_is_that_of_the_unrated_ones_and_says_so(
    open_page: OpenPage, app_store: Store, tmp_path: Path
) -> None:
    binary_study(app_store, tmp_path, unrated=40)
    share = estimate_means(app_store, "qa", "judge").share
    assert share is not None and share.n == share.params["unlabelled"] == 40
    rated = [
        (0.5 if n % 6 == 1 else float(n % 3 > 0), float((n % 3 > 0) if n % 10 else n % 3 == 0))
        for n in range(60)
    ]
    tpr = sum(h * j for h, j in rated) / sum(h for h, _ in rated)
    assert share.params["tpr"] == pytest.approx(tpr), "a tie is half right, as in the means"
    at = open_page("researcher/means.py", project="qa")
    assert not at.exception
    text_of_share = caption_on_share(at)
    assert "among the 40 responses that only the judge scored" in text_of_share
    assert "from 60 rated responses" in text_of_share and f"{share.value:.2f}" in text_of_share


def test_one_unrated_response_gives_no_share_and_no_difference_of_the_judge(
    open_page: OpenPage, app_store: Store, tmp_path: Path
) -> None:
    binary_study(app_store, tmp_path, unrated=1)
    at = open_page("researcher/means.py", project="qa")
    assert not at.exception
    text_of_share = caption_on_share(at)
    assert "(n = 1; Rogan and Gladen) is not given: only 1 unrated; at least 30" in text_of_share
    assert at.dataframe[0].value["Shift"].tolist() == ["–"]
    why = ": only 1 item is judged but not rated; 2 are needed"
    captions = [caption.value.replace("\xa0", " ") for caption in at.caption]
    (note,) = [caption for caption in captions if why in caption]
    assert note.startswith("No “Judge, rated − judged only” for ")
    assert not any("normal and unpaired" in caption.value for caption in at.caption)


def test_systems_without_a_combined_mean_say_why_beside_those_with_one(
    open_page: OpenPage, app_store: Store, tmp_path: Path
) -> None:
    binary_study(app_store, tmp_path, unrated=40, at_random=None)
    rows = [
        f"q{n},What?,whole,text {n},{rater},{kind},right,{n % 2}"
        for n in range(60)
        for rater, kind in (("Ada", "human"), ("Bo", "human"), ("judge", "judge"))
    ]
    (tmp_path / "whole.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    import_files(app_store, "qa", collect_files([tmp_path / "whole.csv"]))
    at = open_page("researcher/means.py", project="qa")
    cells = dict(zip(at.dataframe[0].value["System"], at.dataframe[0].value["Both"], strict=True))
    assert cells["s"] == "–" and "[" in cells["whole"]
    assert "[" in at.dataframe[0].value["Shift"].tolist()[0]
    assert any(
        "use the normal approximation for two independent samples" in caption.value for caption in at.caption
    )
    assert any(
        "To get “raters and judge” for systems with responses that are only judged, first say"
        in element.value
        for element in at.markdown
    )
    assert "is not given: first say how the rated items were selected." in caption_on_share(at)
