"""The paper pack agrees with the project, names no rater, and can be recomputed from its own data."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.filters.project_preview import preview_filter
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.errors import InvalidInput
from judgelab.latex import latex_table
from judgelab.metaeval.agreement.baselines import OWN_INTERVAL
from judgelab.metaeval.agreement.ceiling import CEILING
from judgelab.reporting import figures, pack, tables
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.flow import FlowStep, chart_width, flow_steps, flow_svg
from judgelab.reporting.gathering import gather_facts
from judgelab.reporting.methods import methods
from judgelab.reporting.paper_tables import paper_tables, tables_on_page
from judgelab.reporting.results import results_page
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.people.people import list_people
from judgelab.store.projects.projects import create_project
from tests.command import judgelab
from tests.databases import load_demo, new_sqlite

NEWS = "demo-news"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Both sample projects; no test here changes them."""
    store = open_store(new_sqlite(tmp_path_factory.mktemp("report") / "demo.db"))
    load_demo(store, "kitchen", "news")
    yield store
    store.close()


@pytest.fixture(scope="module")
def facts(demo: Store) -> ReportFacts:
    """The facts of a report of the news."""
    return gather_facts(demo, NEWS)


@pytest.fixture(scope="module")
def pack_folder(demo: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pack of the news, pack_folder once."""
    folder = tmp_path_factory.mktemp("pack") / "made"
    pack.write_pack(demo, NEWS, folder)
    return folder


def test_a_pack_is_recomputed_from_its_own_data_by_its_own_commands(
    facts: ReportFacts, pack_folder: Path, tmp_path: Path
) -> None:
    commands = [shlex.split(line) for line in (pack_folder / "commands.sh").read_text().splitlines()]
    imported, _, reported = (words[1:] for words in commands if words[:1] == ["judgelab"])
    address = f"sqlite:///{tmp_path / 'again.db'}"
    assert judgelab(address, *imported[:-1], str(pack_folder / "data")).returncode == 0
    at = reported.index("again")
    second_pack = tmp_path / "again"
    assert judgelab(address, *reported[:at], str(second_pack), *reported[at + 1 :]).returncode == 0
    for name in ("raters.csv", "agreement.csv", "beside.csv"):
        first, second = (pd.read_csv(folder / "tables" / name) for folder in (pack_folder, second_pack))
        pd.testing.assert_frame_equal(first, second)
    assert len(first) == len(facts.vs_ceiling) + len(facts.ceiling), (
        "the raters' own rows stand beside the judges'"
    )
    assert (pack_folder / "raters.svg").read_text() == (second_pack / "raters.svg").read_text()


def test_every_table_of_a_pack_can_be_read_and_one_without_rows_is_not_there(
    pack_folder: Path, tmp_path: Path, demo: Store
) -> None:
    bare = tmp_path / "bare"
    pack.write_pack(demo, NEWS, bare, policy="none", data=False)
    for folder in (pack_folder, bare):
        assert all(len(pd.read_csv(path).columns) > 1 for path in (folder / "tables").glob("*.csv"))
    assert (pack_folder / "tables" / "raters.csv").is_file() and not (bare / "tables" / "raters.csv").exists()
    assert "tables/raters.csv" not in (bare / "index.html").read_text()


def test_a_pack_prints_both_answers_to_how_far_a_judge_agrees(facts: ReportFacts, pack_folder: Path) -> None:
    against_others, against_all = paper_tables(facts, "coherence")
    judge = next(
        row for row in facts.vs_ceiling if row.rater_kind == "judge" and row.criterion == "coherence"
    )
    tables = (paper_table.table.set_index("Judge or metric") for paper_table in (against_others, against_all))
    cells = [table.loc[judge.rater, "Spearman's ρ"] for table in tables]
    assert cells[0] != cells[1] and cells[0].startswith(f"{judge.estimate.value:.3f}")
    difference = against_others.table.set_index("Judge or metric").loc[
        judge.rater, "Spearman's ρ, minus raters"
    ]
    assert difference.startswith(f"{judge.difference.value:+.3f} [".replace("-", "−"))
    assert all(cell == "–" or cell[0] in "+−" for cell in against_others.table["Spearman's ρ, minus raters"])
    assert against_others.table["Judge or metric"].iloc[-1] == CEILING and CEILING not in set(
        against_all.table["Judge or metric"]
    )
    rows = pd.read_csv(pack_folder / "tables" / "beside.csv").set_index(["rater", "criterion", "coefficient"])
    row_of_judge = rows.loc[(judge.rater, "coherence", "spearman")]
    assert row_of_judge["value"] == pytest.approx(judge.estimate.value)
    assert row_of_judge["difference"] == pytest.approx(judge.difference.value)
    assert any(
        "tables/beside.csv of the report files has unrounded ones" in note for note in against_others.notes
    )
    assert OWN_INTERVAL in against_all.notes and OWN_INTERVAL not in against_others.notes
    assert any("gives the interval of that baseline alone" in note for note in against_others.notes)
    contents = (pack_folder / "index.html").read_text()
    assert "the answer by judge, criterion and question, its n; why, in words and rounded" in contents
    mark = next(row for row in facts.ceiling if (row.criterion, row.coefficient) == ("coherence", "spearman"))
    assert figures.forest_rows(facts, "coherence")[1] == mark.estimate
    assert judge.estimate in [row.estimate for row in figures.forest_rows(facts, "coherence")[0]]


def test_a_pack_names_no_rater_and_loads_nothing_from_elsewhere(demo: Store, pack_folder: Path) -> None:
    with demo.reading() as session:
        names = [person.name for person in list_people(session)]
    files = [path for path in pack_folder.rglob("*") if path.is_file() and path.suffix != ".js"]
    for path in files:
        text = path.read_text(encoding="utf-8")
        named = {name for name in names if re.search(rf"\b{name}\b", text)}
        word_of_texts = {"Owner"} if path.name in ("items.csv", "responses.csv") else set()
        assert named <= word_of_texts, path
    raters = pd.read_csv(pack_folder / "data" / "ratings.csv")["rater"].unique()
    assert len(raters) == 8 and all(re.fullmatch(r"Person \d", name) for name in raters), "nobody was erased"
    page = (pack_folder / "index.html").read_text()
    assert "its Person 1 or Slot 1 may not be Rater 1 of tables/" in page
    assert not re.search(r"(src|href)=.?https?:|<script", page) and "default-src 'none'" in page
    html = (pack_folder / "figures" / "agreement-coherence.html").read_text()
    assert "cdn." not in html and 'src="plotly.min.js"' in html


def test_with_two_responses_an_item_the_default_is_pooled_as_on_the_page(
    demo: Store, facts: ReportFacts
) -> None:
    assert (gather_facts(demo, "demo-kitchen").recipe.level, facts.recipe.level) == ("none", "item")


def test_the_chart_of_the_flow_is_as_wide_as_its_words() -> None:
    steps = [
        FlowStep("8 people rated"),
        FlowStep("80 kept", "4 with too few ratings left; 4 with conflicting ratings"),
    ]
    assert chart_width(steps[:1]) < chart_width(steps)
    assert f'viewBox="0 0 {chart_width(steps)} ' in flow_svg(steps)
    assert chart_width(steps) >= 338 + 6.5 * len(steps[1].removed)


def test_the_narrow_chart_of_the_flow_fits_a_phone_with_one_reason_a_line() -> None:
    steps = [FlowStep("80 kept", "4 with too few ratings left; 4 with conflicting ratings")]
    drawn = flow_svg(steps, narrow=True)
    assert chart_width(steps, narrow=True) <= 328  # of 360 pixels, less the page's margins
    assert ">4 with too few ratings left<" in drawn and ">4 with conflicting ratings<" in drawn


def test_the_flow_of_the_raters_counts_who_left_and_why(facts: ReportFacts) -> None:
    removed_by_step = {step.kept: step.removed for step in flow_steps(facts)}
    assert (
        removed_by_step["8 raters gave ratings"] == ""
        and removed_by_step["Coherence: 6 raters kept"] == "2 removed by the filter"
    )
    assert removed_by_step["140 of 144 rated response-criterion pairs kept"] == "4 with too few ratings left"


def test_the_methods_count_the_responses_that_the_chart_counts(store: Store, tmp_path: Path) -> None:
    """Eve disagrees and is removed: q8 to q10 had only her ratings, q11 also one by Ann."""
    rows = [f"q{n},Text {n}.,{rater},{1 + n % 4}" for n in range(8) for rater in ("Ann", "Ben")]
    rows += [f"q{n},Text {n}.,Eve,{4 - n % 4}" for n in range(12)] + ["q11,Text 11.,Ann,3"]
    file = tmp_path / "ratings.csv"
    file.write_text("item_id,response,rater,score\n" + "\n".join(rows) + "\n")
    assert judgelab(store.url, "project", "create", "P").returncode == 0
    assert judgelab(store.url, "import", "p", str(file)).returncode == 0
    save_filter(store, "p", "main", FilterPolicy(threshold=0.4))
    facts = gather_facts(store, "p")
    assert [(step.kept, step.removed) for step in flow_steps(facts)][-1] == (
        "8 of 12 rated responses kept",
        "4 with too few ratings left",
    )
    text = methods(facts, version="1")
    assert "Of 29 ratings, 12 were removed with their raters (all ratings of 3 responses), " in text
    assert "1 (of 1 response) because fewer than 2 ratings of the response were left, and 0 because" in text


def test_the_methods_give_the_raters_agreement_as_quality_shows_it(demo: Store, facts: ReportFacts) -> None:
    policy = facts.scores.policy
    assert policy is not None
    text = methods(facts, version="1")
    for criterion in facts.inter_rater:
        stages = preview_filter(demo, NEWS, policy.policy, criterion=criterion).stages
        for stage, words in (("before", "before"), ("after_items", "after")):
            estimate = stages[stage]
            assert estimate.ci is not None
            assert f"{estimate.value:.2f} [{estimate.ci[0]:.2f}, {estimate.ci[1]:.2f}] {words}" in text


def test_other_peoples_folders_are_left_alone(store: Store, demo: Store, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(InvalidInput, match="holds other files"):
        pack.write_pack(demo, NEWS, tmp_path)
    with store.writing() as session:
        create_project(session, name="Empty", criteria=())
    with pytest.raises(InvalidInput, match="no human rating"):
        pack.write_pack(store, "empty", tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".db"] != []
    assert (tmp_path / "thesis.tex").read_text() == "mine" and not (tmp_path / "new").exists()


def test_latex_and_markdown_print_every_sign_as_it_stands() -> None:
    table = pd.DataFrame([{"Rater": "a_b|c & 50% #1", "Spearman's ρ": "−0.12"}])
    latex = latex_table(table, caption="x_y", label="tab:t")
    assert r"a\_b|c \& 50\% \#1 & $-$0.12 \\" in latex and r"Spearman's $\rho$" in latex
    assert r"| a_b\|c & 50% #1 | −0.12 |" in tables.to_markdown(table)


def test_why_a_rater_has_no_coefficient_stands_under_the_table_once(facts: ReportFacts) -> None:
    undefined_rows = [
        row for row in facts.rows if row.estimate.value is None and row.criterion == "coherence"
    ]
    last_table = paper_tables(facts, "coherence")[-1]
    notes, table = last_table.notes, last_table.table
    assert 0 < len(notes) < len({(row.rater, row.estimate.reason) for row in undefined_rows}), (
        "metrics share a reason"
    )
    first = undefined_rows[0].rater
    for row in undefined_rows:
        named = [note for note in notes if row.rater in note and str(row.estimate.reason) in note]
        outside = [
            note
            for note in notes
            if note.endswith(
                "metrics (named in tables/agreement.csv of the report files): the values are not scores on "
                "the scale 1 to 5."
            )
        ]
        assert named or (outside and "not scores on the scale" in str(row.estimate.reason))
    assert len(notes) == len(set(notes))
    assert "–" in set(table.loc[table["Judge or metric"] == first].iloc[0, 1:-1])
    tex, plain = latex_table(table, caption="c", label="l", notes=notes), tables.to_markdown(table, notes)
    assert tex.count(r"\footnotesize") == len(notes) and plain.count(": ") >= len(notes)


def test_a_page_says_once_what_is_so_for_several_of_its_tables(demo: Store) -> None:
    facts = gather_facts(demo, NEWS, coefficients=["spearman", "qwk"])
    own, shared = tables_on_page(facts)
    notes = [note for found in own.values() for _, notes in found for note in notes] + shared
    assert sum("interval of that baseline" in note for note in notes) == 1 and not set(shared) & set(
        notes[: -len(shared)]
    )
    of_some = "No quadratic-weighted κ for 13 metrics (named in "
    assert not any(note.startswith(of_some) for note in shared)
    assert sum(note.startswith(of_some) for note in notes) > 1, "under each of its tables"
    page = results_page(facts, [], version="1")
    assert page.count("the interval of that baseline") == 1
    coherence = paper_tables(facts, "coherence")
    said = [sum("the interval of that baseline" in note for note in table.notes) for table in coherence]
    assert said == [1, 1], "each file says it, as it stands alone"


def test_the_methods_name_what_is_left_out_of_the_comparison(demo: Store) -> None:
    facts = gather_facts(demo, NEWS, coefficients=["qwk"])
    assert facts.comparison is not None
    left_out = {name for contrasts in facts.comparison.criteria.values() for name in contrasts.left_out}
    text = methods(facts, version="1")
    start, end = text.index("All judges and metrics but "), text.index(" were compared with one another")
    assert left_out and all(f"“{name}”" in text[start:end] for name in left_out)
    assert not any(f"“{name}”" in text[start:end] for name in facts.comparison.raters if name not in left_out)


def test_pairs_and_systems_stand_in_tables_of_their_own(facts: ReportFacts) -> None:
    pairs, systems = tables.pair_rows(facts), tables.system_rows(facts)
    assert set(pairs.target) == {"mean of all raters"}
    assert " with the mean of all raters: " in methods(facts, version="1")
    raters = {row.rater for row in facts.rows if row.rater_kind != "baseline"}
    assert len(pairs) == 4 * len(raters) * (len(raters) - 1) // 2
    tested_pairs = pairs[pairs["p"].notna()]
    assert (tested_pairs["p_corrected"] >= tested_pairs["p"]).all() and set(pairs["correction"]) == {"holm"}
    assert set(pairs["corrected_over"]) == {len(tested_pairs)}
    assert f"over all {len(tested_pairs)} tests on 4 criteria" in methods(facts, version="1")
    assert 0 < len(tested_pairs) < len(pairs), "one metric of the demo gives every summary the same number"
    assert pairs.loc[pairs["p"].isna(), "reason"].str.len().gt(0).all()
    telegraph = systems.set_index(["criterion", "system"]).loc[("coherence", "telegraph")]
    assert telegraph["items"] == 12 and telegraph["ci_low"] < telegraph["mean"] < telegraph["ci_high"] < 4
