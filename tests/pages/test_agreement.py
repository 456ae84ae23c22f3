import json
import re
from dataclasses import replace

import pytest
from sqlalchemy import delete, func, select, update

from judgelab.analysis.agreement.agreement_numbers import agreement_numbers
from judgelab.analysis.agreement.agreement_table import agreement_table, paired_scores
from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.scores import project_scores
from judgelab.analysis.disagreement.conflicts import decide_conflict
from judgelab.analysis.trust.answer import trust_statements
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.agreement.baselines import OWN_INTERVAL
from judgelab.reporting.gathering import gather_facts
from judgelab.reporting.methods import methods
from judgelab.reporting.paper_tables import NAME_COLUMN, paper_tables
from judgelab.reporting.tables import agreement_rows, vs_ceiling_rows
from judgelab.runs import service
from judgelab.runs.execute import manual_scores, review
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.store.db import audit
from judgelab.store.judging.unscored_counts import UnscoredCounts
from judgelab.store.models import Judgment, Verdict
from judgelab.store.people import people
from judgelab.store.projects.projects import find_project
from judgelab.ui.agree.trust_tables import vs_raters_table
from judgelab.ui.kit import text
from tests.command import judgelab
from tests.databases import load_demo
from tests.pages import kitchen
from tests.pages.conftest import captions, page_answer, screen_text
from tests.runs.judging import judge
from tests.runs.projects import flasks, rate

PAGE = "researcher/agreement.py"


@pytest.fixture
def slug(app_store):
    return kitchen.with_judges(app_store, strict=1, lenient=0)


def table(at):
    return next(f.value for f in at.dataframe if "Kind" in f.value.columns).set_index("Rater")


def test_without_judges_and_metrics_the_page_leads_on(open_page, app_store):
    from judgelab.store.projects.projects import create_project

    with app_store.writing() as session:
        create_project(session, name="Empty")
    at = open_page(PAGE, project="empty")
    assert not at.exception
    assert "No judge or metric has scored" in screen_text(at)


def number(cell: str) -> float:
    return float(cell.replace("−", "-"))


def test_the_answer_stands_first_with_intervals_and_n(open_page, slug):
    at = open_page(PAGE, project=slug)
    assert not at.exception
    answer = page_answer(at)
    assert (
        "(scripted)" in answer
        and "agrees best with the raters: ρ" in answer
        and "The raters agree with one another" in answer
    )
    assert answer.count("[") == 4 and "n = " in answer
    assert "lenient is significantly better than word count alone (0.00) on the same responses, by " in answer


def test_the_table_holds_everybody_with_unscored_and_the_distance_from_the_ceiling(open_page, slug):
    rows = table(open_page(PAGE, project=slug))
    length = "baseline: word count"
    assert set(rows.index) == {"Raters (leave one out)", "strict", "lenient", "rougeL", length}
    assert (rows.loc[length, "Kind"], rows.loc[length, "Beside the ceiling"]) == (
        "baseline",
        "–",
    )
    assert rows.loc["strict", "Unscored"] == "1"
    assert rows.loc["strict", "n"] == "23"
    assert rows.loc["strict", "Kind"] == "judge, scripted"
    verdicts = {
        "below",
        "above",
        "no significant difference",
        "not significantly better than a baseline",
        "–",
    }
    assert set(rows["Beside the ceiling"]) <= {*verdicts, "3 raters"}
    ceiling = number(rows.loc["Raters (leave one out)", "ρ"])
    for rater in ("strict", "lenient", "rougeL", length):
        raters = number(rows.loc[rater, "Raters there"]) if "Raters there" in rows.columns else ceiling
        difference = number(rows.loc[rater, "ρ"]) - raters
        assert number(rows.loc[rater, "ρ − ceiling"]) == pytest.approx(difference, abs=1e-9), "as printed"


def test_unscored_is_counted_under_the_criterion_that_is_shown(app_store):
    slug = kitchen.with_judges(app_store, strict=1)
    table = agreement_table(app_store, slug, level="none", coefficients=["spearman"])
    assert table.unscored == {"strict": UnscoredCounts(unscored=1)}
    assert table.unscored_in(table.rows[0]) == UnscoredCounts(unscored=1)
    with app_store.writing() as session:
        session.execute(update(Judgment).where(Judgment.state == "unscored").values(criteria="other"))
    table = agreement_table(app_store, slug, level="none", coefficients=["spearman"])
    assert table.unscored == {"strict": UnscoredCounts(unscored=1)}
    (row,) = [row for row in table.rows if row.rater == "strict"]
    assert table.unscored_in(row) == UnscoredCounts()


def test_unscored_stands_beside_n_in_the_pack_the_numbers_and_the_command(app_store, slug):
    facts = gather_facts(app_store, slug, coefficients=["spearman"])
    for rows in (agreement_rows(facts), vs_ceiling_rows(facts)):
        unscored = rows.set_index("rater")["unscored"]
        assert (unscored["strict"], unscored["lenient"], unscored["rougeL"]) == (1, 0, 0)
    n_by_rater = paper_tables(facts, "answers")[-1].table.set_index(NAME_COLUMN)["n"]
    assert (n_by_rater["strict"], n_by_rater["lenient"]) == ("23 (1 unscored)", "24")
    table = agreement_table(app_store, slug, coefficients=["spearman"])
    (numbers,) = agreement_numbers(table, [])["criteria"]
    assert numbers["replies without a score (unscored)"] == {"lenient": 0, "strict": 1}
    command = judgelab(app_store.url, "agreement", slug, "--coefficient", "spearman", "--json")
    rows = {row["rater"]: row["unscored"] for row in json.loads(command.stdout)["rows"]}
    assert (rows["strict"], rows["lenient"], rows["rougeL"]) == (1, 0, 0)
    text = judgelab(app_store.url, "agreement", slug, "--coefficient", "spearman").stdout
    assert "n=23  (no score for 1 rated response (1 unscored in all))" in text


def test_failed_calls_are_told_apart_from_replies_without_a_score(open_page, app_store, slug):
    """One reply had no score and one call failed: everywhere each is counted as one."""
    with app_store.writing() as session:
        scored_judgment = select(func.min(Judgment.id)).where(
            Judgment.state == "scored", Judgment.run_id == 1
        )
        judgment_id = session.scalar(scored_judgment)
        session.execute(update(Judgment).where(Judgment.id == judgment_id).values(state="failed"))
        session.execute(delete(Verdict).where(Verdict.judgment_id == judgment_id))
    data = project_scores(app_store, slug)
    (judge,) = (name for name, count in data.unscored.items() if count.failed)
    missing = data.unscored[judge]
    assert missing.failed == 1
    rows = table(open_page(PAGE, project=slug))
    assert (rows.loc[judge, "Unscored"], rows.loc[judge, "Failed"]) == (str(missing.unscored), "1")
    phrases = ", ".join(missing.phrases())
    text = judgelab(app_store.url, "agreement", slug, "--coefficient", "spearman").stdout
    assert f"({phrases} in all)" in text and phrases.endswith("1 failed")
    report = json.loads(judgelab(app_store.url, "agreement", slug, "--json").stdout)
    assert (report["unscored"][judge], report["failed"][judge]) == (missing.unscored, 1)
    facts = gather_facts(app_store, slug, coefficients=["spearman"])
    n_by_rater = paper_tables(facts, "answers")[-1].table.set_index(NAME_COLUMN)["n"]
    assert n_by_rater[judge].endswith(f"({phrases})")
    assert "1 failed" in methods(facts, version="1")
    assert agreement_rows(facts).set_index("rater")["failed"][judge] == 1
    judge_trust = measure_trust(app_store, slug, judge)
    assert judge_trust.unscored == missing
    assert any(
        statement.text.endswith(f"no score: {phrases}.") for statement in trust_statements(judge_trust)
    )


def test_the_column_for_all_raters_is_the_command_line_s_number(open_page, slug, app_store):
    at = open_page(PAGE, project=slug)
    at.selectbox(key="agree_level").select("none").run()
    data = project_scores(app_store, slug)
    rows = agreement(data.scores, scales=data.project.scales, coefficients=["spearman"], resamples=0)
    for row in rows:
        assert table(at).loc[row.rater, "ρ, all raters"] == f"{row.estimate.value:.2f}"


def test_one_number_per_system_counts_responses_and_systems(open_page, slug):
    rows = table(open_page(PAGE, project=slug, level="system"))
    assert rows.loc["strict", "n"] == "23"
    assert rows.loc["strict", "n of all raters"] == "23 of 2 systems"


@pytest.mark.parametrize("level", ["system", "system_paired"])
def test_n_has_its_unit_where_each_system_has_one_number(open_page, app_store, slug, level):
    at = open_page(PAGE, project=slug, level=level, coefficient="pearson")
    figures = next(frame for frame in at.dataframe if "Kind" in frame.value.columns)
    assert json.loads(figures.proto.columns)["n"]["label"].count("n (responses)")
    assert re.search(r"n = \d+ to \d+ responses\.", captions(at))
    assert re.search(r"\], n = \d+ responses[.;,]", page_answer(at))
    trust = measure_trust(app_store, slug, "strict", level=level)
    assert "n (responses)" in vs_raters_table(trust).columns
    printed = judgelab(app_store.url, "agreement", slug, "--level", level).stdout.splitlines()
    counts = [re.search(r"  n=\d+ (systems|responses)", line) for line in printed if f" {level} " in line]
    assert counts and all(counts)
    compared_text = judgelab(app_store.url, "compare", slug, "--level", level).stdout
    assert "  n=2 systems" in compared_text


def test_items_in_common_are_counted_for_each_row(open_page, slug):
    notes = captions(open_page(PAGE, project=slug, level="system_paired"))
    shared = "In the comparison with all raters: "
    assert notes.count(shared) == notes.count("With one rater left out (") == 1
    own = "".join(note.split(shared)[0] for note in notes.split("With one rater left out (")[1:])
    assert all(name in own for name in ("Raters (leave one out)", "lenient", "strict", "rougeL"))
    assert "11 responses per system" in own and "1 item not scored for every system (left out)" in own


@pytest.mark.parametrize(
    ("choice", "words"), [("zero", "or counted as 0"), ("drop", "those with a coefficient, ")]
)
def test_the_count_of_items_says_whether_equal_scores_are_in_it(open_page, slug, choice, words):
    at = open_page(PAGE, project=slug, level="item", constant=choice)
    assert any(words in caption.value for caption in at.caption)


def test_the_table_says_how_differences_are_rounded_and_where_the_baseline_is_measured(open_page, slug):
    captions = " ".join(caption.value for caption in open_page(PAGE, project=slug).caption)
    assert "Differences are between the rounded numbers shown" in captions
    own_row = "A baseline's own row uses all responses with two or more ratings and gives the interval of"
    assert own_row in captions and OWN_INTERVAL not in captions, "said once"


def test_the_interval_of_a_baseline_is_said_to_be_its_own(open_page, app_store):
    load_demo(app_store, "news")
    at = open_page(PAGE, project="demo-news")
    assert table(at).loc["baseline: word count", "95 % interval"].startswith("[")
    captions = " ".join(caption.value for caption in at.caption)
    assert "the best baseline is chosen anew in each resample, as on the page “Trust”" in captions


def test_the_table_is_offered_as_shown_and_a_judge_leads_back_to_its_run(open_page, app_store, slug):
    at = open_page(PAGE, project=slug)
    assert at.get("download_button")[0].label == "Main table (CSV)"
    judge = table(at)["Kind"].str.startswith("judge").idxmax()
    (run,) = (status.run for status in service.list_runs(app_store, slug) if status.judge == judge)
    links = {link.proto.label: link.proto.query_string for link in at.get("page_link")}
    assert f"run={run}" in links[f"Open the run of {judge}"]
    assert "did not score; n = " in captions(at)


@pytest.mark.parametrize(
    ("level", "coefficient"),
    [(level, "kendall") for level in ("none", "item", "system", "sys", "group")]
    + [("item", coefficient) for coefficient in ("pearson", "qwk", "exact")],
)
def test_every_level_and_coefficient_gives_numbers_or_reasons(open_page, slug, level, coefficient):
    at = open_page(PAGE, project=slug, level=level, coefficient=coefficient)
    assert not at.exception and not at.error
    assert len(table(at)) >= 3


def test_two_responses_an_item_are_too_few_to_be_ranked(open_page, slug):
    perfect = open_page(PAGE, project=slug, level="item")
    assert "An item has at most 2 responses here" in screen_text(perfect)
    assert "An item has at most" not in screen_text(open_page(PAGE, project=slug, level="none"))


def test_the_recipe_names_what_the_figures_are_made_of(open_page, slug):
    captions = " ".join(c.value for c in open_page(PAGE, project=slug, level="item").caption)
    for phrase in ("within each item", "bootstrap", "seed 0", "all ratings", "JudgeLab"):
        assert phrase in captions


def test_a_rule_in_use_is_named_and_can_be_set_aside(open_page, slug, app_store):
    saved_filters.save_filter(app_store, slug, "usual", FilterPolicy(threshold=-1.0))
    saved_filters.save_filter(app_store, slug, "before the deadline", FilterPolicy(threshold=-1.0))
    at = open_page(PAGE, project=slug)
    options = at.selectbox(key="agree_ratings").options
    assert options[0] == "after filter “before the deadline”, version 1" and "all ratings" in options
    assert "after “usual”, newest" in options
    scope = "Kitchen questions, Answers the question, after filter “before the deadline”, version 1"
    assert scope in captions(at)


@pytest.mark.parametrize(
    ("page", "query"),
    [(PAGE, {}), ("researcher/compare.py", {}), ("researcher/trust.py", {"judge": "strict"})],
)
def test_the_aggregation_of_the_filter_in_use_is_named(open_page, slug, app_store, page, query):
    policy = FilterPolicy(threshold=-1.0, unassessed="keep", aggregate="median")
    saved_filters.save_filter(app_store, slug, "usual", policy)
    text = screen_text(open_page(page, project=slug, **query))
    assert "The raters' score of a response is the median of the ratings." in text.replace("\\", "")
    assert "mean of all raters" not in text and "mean of the other raters" not in text


def test_groups_stand_side_by_side_with_their_plain_mean(open_page, slug):
    at = open_page(PAGE, project=slug)
    groups = next(f.value for f in at.dataframe if "Average" in f.value.columns)
    assert list(groups.columns) == ["Rater", "lids", "pots", "Average"]


@pytest.fixture
def two_criteria(app_store):
    """Flasks rated under two criteria by two people; one judge scored both, another one only truth."""
    slug = flasks(app_store, 12, criteria=("clarity", "truth"))
    for key in ("clarity", "truth"):
        rate(app_store, slug, {n: float(n % 4) for n in range(1, 13)}, criterion=key)
        rate(app_store, slug, {n: float(n % 3) for n in range(1, 13)}, criterion=key, rater="Ben")
    rule = JudgeSpec("direct", "rule", backend="scripted", samples=1, name="whole")
    judge(app_store, service.create_run(app_store, slug, rule))
    truth_only = replace(rule, name="part", samples=2)
    judge(app_store, service.create_run(app_store, slug, truth_only, Selection(criteria=("truth",))))
    return slug


def test_over_all_criteria_a_judge_of_some_is_shown_with_what_it_lacks(open_page, two_criteria):
    at = open_page(PAGE, project=two_criteria, level="none")
    assert not at.exception
    row = table(at).loc["part"]
    assert row["ρ"] == "–" and "No value for “part”\\: no score under Clarity" in screen_text(at)
    assert (row["n"], row["Beside the ceiling"], row["ρ, all raters"]) == ("0", "no value", "–")
    assert "the only judge that can be compared" in page_answer(at)
    at.selectbox(key="agree_rater").select("part").run()
    assert not at.exception and "No response has both" not in screen_text(at)


def test_groups_over_all_criteria_hold_the_means_over_them(open_page, two_criteria, app_store):
    at = open_page(PAGE, project=two_criteria, level="none")
    groups = next(frame.value for frame in at.dataframe if "Average" in frame.value.columns).set_index(
        "Rater"
    )
    data = project_scores(app_store, two_criteria)
    group_scores = data.scores[data.scores["group"] == "g0"]
    rows = agreement(group_scores, scales=data.project.scales, coefficients=["spearman"])
    (average,) = [row.estimate for row in rows if (row.rater, row.criterion) == ("whole", "average")]
    assert groups.loc["whole", "g0"] == f"{text.with_interval(average.value, average.ci)} ({average.n})"
    assert groups.loc["part", "g0"] == "no data"


def test_where_people_rated_one_criterion_the_page_opens_with_it(open_page, app_store):
    slug = flasks(app_store, 12, criteria=("clarity", "truth"))
    for rater, step in (("Ann", 4), ("Ben", 3)):
        scores = {n: float(n % step) for n in range(1, 13)}
        rate(app_store, slug, scores, criterion="truth", rater=rater)
    rule = JudgeSpec("direct", "rule", backend="scripted", samples=1)
    judge(app_store, service.create_run(app_store, slug, rule))
    at = open_page(PAGE, project=slug)
    assert not at.exception
    assert at.selectbox(key="agree_criterion").value == "truth"
    assert "direct rule" in table(at).index
    assert "direct rule" in screen_text(open_page("researcher/projects.py", project=slug))


def test_another_rater_can_be_looked_at_and_is_in_the_link(open_page, slug):
    at = open_page(PAGE, project=slug)
    at.selectbox(key="agree_rater").select("rougeL").run()
    assert not at.exception
    assert at.query_params["rater"] == "rougeL"


def test_a_link_to_one_judge_says_how_far_it_agrees_below_the_answer(open_page, slug):
    about_judge = "rougeL agrees with the raters at ρ"
    assert about_judge not in screen_text(open_page(PAGE, project=slug)).replace("**", "")
    at = open_page(PAGE, project=slug, rater="rougeL")
    assert "rougeL" not in page_answer(at)
    paragraphs = [m.value.replace("**", "").replace("\u00a0", " ") for m in at.markdown]
    (said,) = [paragraph for paragraph in paragraphs if about_judge in paragraph]
    shown = table(at).loc["rougeL"]
    assert shown["ρ"] in said and "n = " + shown["n"] in said and "than word count" in said


def test_opening_the_page_is_recorded_because_ratings_after_it_are_not_blind(open_page, slug, app_store):
    open_page(PAGE, project=slug)
    with app_store.reading() as session:
        owner = next(person for person in people.list_people(session) if person.role == "owner")
        assert audit.has_recorded(session, "opened_judges", project_id=1, person_id=owner.id)


def test_decided_scores_enter_by_choice_and_the_page_says_so(open_page, slug, app_store):
    assert "Human score" not in [selectbox.label for selectbox in open_page(PAGE, project=slug).selectbox]
    response = int(paired_scores(app_store, slug, rater="strict", criterion="answers")["response"].iloc[0])
    with app_store.writing() as session:
        olga = people.find_or_create(session, "Olga <b>", role="owner")
    decide_conflict(
        app_store, slug, response=response, criterion="answers", score=3, person_id=olga, reason="*read*"
    )
    at = open_page(PAGE, project=slug, level="none")
    assert at.selectbox(key="agree_human").value == "ratings" and "adjudicated" not in screen_text(at)
    before = table(at).loc["strict", "ρ, all raters"]
    at.selectbox(key="agree_human").select("decided").run()
    assert not at.exception and "1 adjudicated score" in screen_text(at)
    expected = agreement_table(
        app_store, slug, level="none", coefficients=("spearman",), resamples=0, decisions=True
    )
    values = {row.rater: row.estimate.value for row in expected.rows}
    assert table(at).loc["strict", "ρ, all raters"] == f"{values['strict']:.2f}" != before
    shared = open_page(PAGE, project=slug, human="decided")
    assert "1 adjudicated score" in screen_text(shared)
    disagreements = open_page(
        "researcher/disagreements.py", project=slug, judge="strict", response=str(response)
    )
    words = screen_text(disagreements)
    assert r"Adjudicated: **3**. Olga \<b\>" in words and "without seeing" in words and r"\*read\*" in words


def test_scores_entered_by_hand_are_counted_and_told(open_page, app_store, tmp_path):
    slug = kitchen.rated(app_store)
    run = kitchen.judged(app_store, slug, tmp_path)
    (unit,) = review.unscored_units(app_store, run, state="unscored")
    manual_scores.enter_score(app_store, run, unit.response, 3)
    at = open_page(PAGE, project=slug)
    assert "Includes scores entered by hand where a reply could not be read: strict 1." in screen_text(at)


def test_decisions_by_somebody_who_knew_judges_are_counted_apart(open_page, app_store):
    slug = kitchen.with_judges(app_store, strict=1)
    with app_store.writing() as session:
        blind = people.find_or_create(session, "Blind", role="researcher")
        not_blind = people.find_or_create(session, "Knows", role="researcher")
        project = find_project(session, slug)
        audit.record(session, "opened_judges", project_id=project.id, person_id=not_blind)
    for response, person in ((1, blind), (2, not_blind)):
        decide_conflict(app_store, slug, response=response, criterion="answers", score=1, person_id=person)
    at = open_page(PAGE, project=slug, human="decided")
    assert not at.exception
    captions = " ".join(element.value for element in at.caption)
    assert "2 adjudicated scores replace ratings. 1 of these decisions was made by a person" in captions
