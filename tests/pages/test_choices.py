"""*Agree* and *Project* of a project with comparisons."""

from __future__ import annotations

import pytest

from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.disagreement.choice_differences import choice_differences
from judgelab.analysis.raters.rater_table import rater_table
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from judgelab.ui.shared.compared import pair_word
from tests.compared import (
    confident_project,
    decide,
    judges_csv,
    margin_project,
    pairs_project,
    people_csv,
    rate_responses,
    texts_csv,
)
from tests.pages.conftest import OpenPage, captions, page_answer, screen_text

AGREE = "researcher/agreement.py"


def test_comparisons_alone_are_what_agree_shows(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store, points=False)
    at = open_page(AGREE, project=slug)
    assert not at.exception
    answer = page_answer(at)
    assert "agrees with the majority of the other raters in" in answer
    assert "the rater left out, in 76 %" in answer
    assert (
        "The best trivial baseline, “longer response”, makes the raters' majority choice in 43 % [15, 77]"
        in answer
    )
    table = next(frame.value for frame in at.dataframe if "Exact agreement" in frame.value)
    assert table["Rater"].tolist()[0] == "Raters (leave one out)"
    row = table[table["Rater"] == "j-judge"].iloc[0]
    assert (row["Same in both orders"], row["First response preferred"]) == ("80 %", "61 %")
    shown = [int(row[name].rstrip(" %")) for name in ("Exact agreement", "The one")]
    assert row["Difference"].replace("−", "-") == f"{shown[0] - shown[1]:+d}"
    assert "leaves out 2 pairs without a majority" in screen_text(at)
    assert "A baseline's row gives the interval of that baseline" in captions(at)
    assert "lost\\-judge" in screen_text(at), "with the reason why it has no figure"


MARGIN = "“fine”: a difference of at most 0.5 points counts as a tie (chosen on 5 example pairs)."
LEFT_OUT = (
    "5 pairs of the group “examples” are left out of the agreement, because a margin was chosen on them."
)


@pytest.mark.parametrize(
    "page", [AGREE, *(f"researcher/{name}.py" for name in ("trust", "compare", "means"))]
)
def test_pages_of_comparisons_name_the_margin_for_a_tie(
    open_page: OpenPage, app_store: Store, page: str
) -> None:
    slug = margin_project(app_store)
    at = open_page(page, project=slug, form="pairs", judge="fine")
    assert not at.exception
    assert MARGIN in captions(at) and LEFT_OUT in captions(at)


def test_explain_says_that_two_close_scores_are_a_tie(open_page: OpenPage, app_store: Store) -> None:
    slug = margin_project(app_store)
    rows = choice_differences(app_store, slug, criterion="score", judge="newer").set_index("item")
    for item, words in (("q7", "3.2 and 3, so close that they count as a tie"), ("q6", "2 and 3")):
        pair = pair_word(rows.loc[item, "first"], rows.loc[item, "second"])
        at = open_page("researcher/disagreements.py", project=slug, form="pairs", judge="newer", pair=pair)
        assert not at.exception
        choices = next(frame.value for frame in at.dataframe if "Reason" in frame.value)
        shown = choices.set_index(choices.columns[0]).loc["fine", "Reason"]
        assert shown == f"from its scores: {words}"


def test_agree_says_why_only_equal_scores_are_a_tie(open_page: OpenPage, app_store: Store) -> None:
    at = open_page(AGREE, project=pairs_project(app_store))
    assert (
        "A judge's scores count as a tie only if they are equal: a wider margin could be "
        "chosen only from compared pairs in a group" in captions(at)
    )


def test_a_project_with_both_lets_one_choose(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store)
    rate_responses(app_store, slug)
    at = open_page(AGREE, project=slug)
    assert not at.exception and "ρ" in screen_text(at)
    at.segmented_control(key="agree_form").set_value("pairs").run()
    assert not at.exception
    assert "agrees with the majority of the other raters" in page_answer(at)
    table = next(frame.value for frame in at.dataframe if "Exact agreement" in frame.value)
    assert table.set_index("Rater").loc["points-judge", "Kind"] == "judge, by its scores"
    assert at.query_params["form"] == "pairs"
    at.segmented_control(key="agree_form").set_value("responses").run()
    at.run()
    assert not at.exception and "ρ" in screen_text(at), "the link does not bring the comparisons back"
    linked = open_page(AGREE, project=slug, form="pairs")
    assert "agrees with the majority of the other raters" in page_answer(linked)


def test_decisions_replace_the_majority_on_request(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store, points=False)
    assert not [box for box in open_page(AGREE, project=slug).selectbox if box.label == "Raters' choice"]
    for item, system in (("q8", "new"), ("q2", "old"), ("q9", "")):
        decide(app_store, slug, item, system)
    at = open_page(AGREE, project=slug)
    assert "the rater left out, in 76 %" in page_answer(at) and "adjudicated" not in screen_text(at)
    at.selectbox(key="agree_winner").set_value("decided").run()
    assert not at.exception
    assert "the rater left out, in 67 %" in page_answer(at)
    text = screen_text(at)
    assert "2 adjudicated pairs have their decision in place of the raters' majority" in text
    assert "adjudicated pairs first" in text and "knew judges" not in text
    assert at.query_params["winner"] == "decided"
    linked = open_page(AGREE, project=slug, winner="decided")
    assert "the rater left out, in 67 %" in page_answer(linked)


@pytest.mark.parametrize("points", [True, False])
def test_the_steps_count_comparisons(open_page: OpenPage, app_store: Store, points: bool) -> None:
    slug = pairs_project(app_store, points=points)
    at = open_page("researcher/projects.py", project=slug)
    assert not at.exception
    text = screen_text(at)
    assert "30 comparisons by 3 raters" in text and "No ratings yet" not in text
    assert "judge agrees with the majority of the other raters in" in text
    assert "all comparisons came from a file" in text and "needs ratings" not in text
    assert "All comparisons count; no quality filter is in use" in text


def test_quality_filters_comparisons_by_kappa(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store, points=False)
    at = open_page("researcher/quality.py", project=slug)
    assert not at.exception
    assert at.slider(key="quality_rule_threshold").label == "Remove raters with κ below"
    at.slider(key="quality_rule_threshold").set_value(0.3).run()
    answer = page_answer(at)
    assert "would remove **1 of 3 raters and 0 of 10 pairs**" in answer and "agree at κ **0.35**" in answer
    table = next(f.value for f in at.dataframe if "State" in f.value.columns)
    assert table.set_index("Rater")["State"].to_dict() == {
        "Ann": "kept",
        "Bea": "kept",
        "Cid": "removed 1st",
    }
    assert "Mean offset" not in table.columns
    words = screen_text(at)
    assert (
        "○ all raters  ● kept raters  ✕ would be removed" in words and "would remove the same rater" in words
    )
    losses = next(f.value for f in at.dataframe if "" in f.value.columns)
    assert losses[""].tolist() == ["Raters below 0.30", "Too few comparisons", "Kept"]
    assert " r " not in screen_text(at).replace("**", " ")
    reasons = [str(value) for frame in at.dataframe for value in frame.value.iloc[:, 0]]
    assert any("Cid: mean κ with the other raters 0.26 is below 0.30" in reason for reason in reasons)
    at.text_input(key="quality_name").set_value("main").run()
    at.button(key="quality_save").click().run()
    assert not at.exception
    assert "✕ removed" in screen_text(at)
    saved = next(f.value for f in at.dataframe if "In short" in f.value.columns)
    assert saved["In short"].tolist() == [
        "removes raters with mean κ below 0.30 (worst first, minimum overlap 5) and pairs with fewer than 2 "
        "comparisons"
    ]
    agree = open_page(AGREE, project=slug)
    assert "2 raters, after filter “main”, version 1" in screen_text(agree)
    explain = open_page("researcher/disagreements.py", project=slug, judge="j-judge")
    assert "after filter “main”, version 1" in screen_text(explain)


def test_quality_shows_circular_choices(open_page: OpenPage, app_store: Store) -> None:
    with app_store.writing() as session:
        slug = create_project(session, name="Three").slug
    texts = "".join(f"q{n},Why?,{s},{s} says {n}\n" for n in range(6) for s in "xyz")
    import_files(app_store, slug, [("t.csv", f"item_id,question,system,response\n{texts}".encode())])
    winners = {"Ann": "xyx", "Bea": "xyx", "Bob": "xyz"}  # of x and y, y and z, x and z; Bob's go round
    rows = "".join(
        f"q{n},{a},{b},{rater},{chosen}\n"
        for n in range(6)
        for rater, choices in winners.items()
        for (a, b), chosen in zip(("xy", "yz", "xz"), choices, strict=True)
    )
    people = f"item_id,response_a,response_b,rater,choice\n{rows}"
    import_files(app_store, slug, [("p.csv", people.encode())])
    at = open_page("researcher/quality.py", project=slug)
    assert not at.exception
    table = next(f.value for f in at.dataframe if "Circular" in f.value.columns).set_index("Rater")
    assert table["Circular"].to_dict() == {
        name: f"{share} % (n = 6)" for name, share in {"Ann": 0, "Bea": 0, "Bob": 100}.items()
    }
    assert (
        "First response preferred" not in table.columns
        and "Choosing winners at random gives 25 %" in screen_text(at)
    )


def test_quality_chooses_scores_or_comparisons(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store)
    scores = "item_id,system,rater,criterion,score\n" + "".join(
        f"q{n},{system},{rater},score,{2 + (n + k) % 3}\n"
        for n in range(10)
        for k, system in enumerate(("new", "old"))
        for rater in ("Ann", "Bea")
    )
    import_files(app_store, slug, [("ratings.csv", scores.encode())])
    at = open_page("researcher/quality.py", project=slug)
    assert not at.exception and at.slider(key="quality_rule_threshold").label == "Remove raters with r below"
    at.slider(key="quality_rule_threshold").set_value(0.3).run()
    at.segmented_control(key="agree_form").set_value("pairs").run()
    assert not at.exception
    slider = at.slider(key="quality_rule_threshold")
    assert slider.label == "Remove raters with κ below" and slider.value == 0.3
    assert "1 of 3 raters and 0 of 10 pairs" in page_answer(at) and at.query_params["form"] == "pairs"


def test_explain_shows_two_responses_with_everybodys_choice(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store, points=False)
    at = open_page("researcher/disagreements.py", project=slug, judge="j-judge")
    assert not at.exception and at.selectbox(key="pairs_judge").value == "j-judge"
    at.toggle(key="pairs_differing").set_value(True).run()
    assert not at.exception
    text = screen_text(at)
    assert "j\\-judge disagrees with the raters' majority in 2 of the 8 pairs that have one" in text
    pairs, choices = (frame.value for frame in at.dataframe)
    assert pairs["Raters"].tolist() == ["3 : 0 : 0", "1 : 0 : 2"] or len(pairs) == 2
    assert set(choices["Choice"]) == {"new", "old"} and "reason 1" in choices["Reason"].tolist()
    assert {"because it is so 1", "so 1"} <= {element.value for element in at.text}
    at.toggle(key="pairs_marked").set_value(True).run()
    assert not at.exception
    bodies = [element.proto.body for element in at.get("html")]
    assert any("<mark>because it is </mark>so 1" in body for body in bodies), bodies
    assert "Adjudicated" not in screen_text(at)


def test_explain_shows_the_choice_that_scores_imply(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store)
    at = open_page("researcher/disagreements.py", project=slug, judge="points-judge")
    assert not at.exception
    pairs, choices = (frame.value for frame in at.dataframe)
    assert "Pair" not in pairs, "all pairs are of the same two systems"
    row = choices.set_index("Name").loc["points-judge"]
    assert (row["Kind"], row["Choice"]) == ("judge", {"first": "new", "second": "old"}[pairs["Judge"][0]])
    assert row["Reason"].startswith("from its scores: ")
    assert set(choices["Kind"]) == {"rater", "judge"}


def test_explain_shows_the_decision_on_a_pair(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store, points=False)
    at = open_page("researcher/disagreements.py", project=slug, judge="k-judge")
    (first, *_) = at.dataframe[0].value["Question"]
    item = first.split()[0]
    decide(app_store, slug, item, "old")
    assert "Adjudicated: **old**. Olga" in screen_text(at.run())


def test_trust_says_whether_a_judge_of_pairs_can_be_trusted(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store, points=False)
    at = open_page("researcher/trust.py", project=slug, judge="j-judge")
    assert not at.exception
    text = screen_text(at).replace("\\", "")
    assert "there are too few data to tell whether j-judge agrees" in text
    assert "in 74 % [36, 94] of pairs; the rater left out, in 76 %" in text
    glance = at.dataframe[0].value
    assert glance["As good as a rater?"].tolist() == ["unclear (8)"]
    assert "Confidence calibrated?" not in glance
    order = next(frame.value for frame in at.dataframe if "First response preferred" in frame.value)
    assert order["Same choice in both orders"].tolist() == ["80 % [49, 94]"]
    agreement = next(frame.value for frame in at.dataframe if "Verdict on agreement" in frame.value)
    assert "Highest r possible" not in agreement, "a choice has no r"
    assert agreement["Missing"].tolist() == ["0"]
    assert "response" not in glance.to_string()


def test_trust_shows_the_calibration_of_choices_and_its_bins(open_page: OpenPage, app_store: Store) -> None:
    slug = confident_project(app_store, items=160)
    at = open_page("researcher/trust.py", project=slug, judge="sure")
    assert not at.exception
    assert at.dataframe[0].value["Confidence calibrated?"].tolist() == ["no (288)"]
    calibration = next(frame.value for frame in at.dataframe if "Calibration error" in frame.value)
    assert calibration[["Calibration error", "n"]].to_numpy().tolist() == [["0.21", "288"]]
    bins = next(frame.value for frame in at.dataframe if "Mean confidence" in frame.value)
    assert bins["Confidence from"].tolist() == bins["Mean confidence"].tolist() == ["0.60", "0.90"]
    assert [cell[:4] for cell in bins["Share that match the raters"]] == ["0.00", "1.00"]
    assert bins["n"].tolist() == ["64", "224"]
    assert "pairs without a majority, are left out" in captions(at)


def test_the_report_of_comparisons_stands_on_the_page(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store, points=False)
    at = open_page("researcher/report.py", project=slug)
    assert not at.exception and not at.error
    code = "\n".join(element.value for element in at.code)
    assert "10 pairs of responses by 2 systems to 10 items were compared on one criterion" in code
    assert "judgelab report pairs-again again --comparisons" in code
    assert at.dataframe[0].value["Judge or metric"].iloc[-1] == "raters (leave one out)"
    assert not at.selectbox, "pairs have one level"
    notes = screen_text(at)
    assert (
        "the raters' choice for each pair" in notes
        and "on the pairs that the judge or metric judged" in notes
    )
    assert "responses that" not in notes


def test_compare_ranks_judges_of_pairs(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store)
    at = open_page("researcher/compare.py", project=slug)
    assert not at.exception and not at.error
    text = screen_text(at).replace("\\", "")
    assert "on the 8 pairs with a majority and a choice by each judge" in text and "response" not in text
    ranks = at.dataframe[0].value
    assert set(ranks["Rater"]) == {"j-judge", "k-judge", "points-judge"}
    assert set(ranks["n"]) == {"8"}
    found = compare_judges(app_store, slug, comparisons=True)
    (contrasts,) = found.criteria.values()
    values = [row.estimate.value for row in contrasts.placed]
    assert values == 3 * [pytest.approx(6 / 8)], "as in test_choice_agreement"


def test_means_are_win_rates(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store)
    at = open_page("researcher/means.py", project=slug, judge="k-judge")
    assert not at.exception and not at.error
    text = screen_text(at).replace("\\", "").replace("\u00a0", " ")
    assert "According to the raters, new and old share the highest win rate: 50 %." in text
    assert "According to k-judge, **new** has the highest win rate: 55 %" in text
    rates = at.dataframe[0].value.set_index("System")
    assert rates.loc["new", "Raters"].startswith("50 % ["), "12 wins, 6 ties, 12 losses"
    assert rates.loc["new", "Judge"].startswith("55 % ["), "5 wins, 1 tie, 4 losses"
    assert rates.loc["old", "Rated"] == "10"
    assert "response" not in text.lower().replace("comparisons of two responses", "")


def test_you_leads_to_comparisons_where_there_are_only_these(open_page: OpenPage, app_store: Store) -> None:
    at = open_page("researcher/you.py", project=pairs_project(app_store, points=False))
    assert not at.exception
    assert "You have no ratings" not in screen_text(at)
    assert any("See the comparisons" in button.label for button in at.button)


def test_raters_say_that_r_is_not_the_kappa_of_the_filter(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store, points=False)
    at = open_page("researcher/raters.py", project=slug)
    assert not at.exception
    text = screen_text(at)
    assert "so r is not the κ that the quality filter uses" in text and "Run:" not in text
    assert "self-agreement: no repeats yet" in text and "read the two responses" in text
    rows = next(frame.value for frame in at.dataframe if "Others" in frame.value)
    assert set(rows["Score"]) <= {"new", "old", "tie"} and set(rows["System"]) == {"new – old"}


def test_with_a_filter_raters_are_compared_with_those_it_keeps(store: Store) -> None:
    slug = pairs_project(store, points=False)
    save_filter(store, slug, "main", FilterPolicy(threshold=0.4, min_overlap=2))
    table = rater_table(store, slug, resamples=20)
    assert table.panel == {"score": frozenset({"Ann", "Bea"})}
    assert table.comparison_raters("score") == {"Ann", "Bea"}


@pytest.mark.parametrize(
    "page", ["trust", "compare", "means", "more", "report", "agreement", "disagreements", "patterns"]
)
@pytest.mark.parametrize("who", ["people", "judges"])
def test_pages_of_pairs_open_without_judges_or_without_raters(
    open_page: OpenPage, app_store: Store, page: str, who: str
) -> None:
    with app_store.writing() as session:
        slug = create_project(session, name="Half").slug
    for name, content in (("texts", texts_csv()), (who, people_csv() if who == "people" else judges_csv())):
        import_files(app_store, slug, [(f"{name}.csv", content.encode())])
    at = open_page(f"researcher/{page}.py", project=slug)
    assert not at.exception and not at.error
