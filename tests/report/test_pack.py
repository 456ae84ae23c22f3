"""The paper pack says what the project holds, names nobody, and is recomputed from itself."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

from judgelab.cli.demo import SAMPLE_DATA, load
from judgelab.errors import InvalidInput
from judgelab.report import pack, tables
from judgelab.report.facts import gather
from judgelab.report.flow import Step, flow_svg, steps, width_of
from judgelab.report.results import results_page
from judgelab.store.engine import Store
from judgelab.store.people import list_people
from judgelab.store.projects import create_project
from tests.command import judgelab

NEWS = "demo-news"


def test_a_pack_is_recomputed_from_its_own_data_by_its_own_commands(store: Store, tmp_path: Path) -> None:
    load(store, SAMPLE_DATA / "news")
    made = tmp_path / "made"
    pack.write_pack(store, NEWS, made)
    commands = [shlex.split(line) for line in (made / "commands.sh").read_text().splitlines()]
    imported, _, reported = (words[1:] for words in commands if words[:1] == ["judgelab"])
    address = f"sqlite:///{tmp_path / 'again.db'}"
    assert judgelab(address, *imported[:-1], str(made / "data")).returncode == 0
    at = reported.index("again")
    again = tmp_path / "again"
    assert judgelab(address, *reported[:at], str(again), *reported[at + 1 :]).returncode == 0
    first, second = (pd.read_csv(one / "tables" / "agreement.csv") for one in (made, again))
    pd.testing.assert_frame_equal(first, second)
    assert (
        len(first) == len(gather(store, NEWS).rows) + 20
        and (made / "raters.svg").read_text() == (again / "raters.svg").read_text()
    )


def test_a_pack_names_no_rater_and_loads_nothing_from_elsewhere(store: Store, tmp_path: Path) -> None:
    load(store, SAMPLE_DATA / "news")
    pack.write_pack(store, NEWS, tmp_path / "made")
    with store.reading() as session:
        names = [person.name for person in list_people(session)]
    files = [path for path in (tmp_path / "made").rglob("*") if path.is_file() and path.suffix != ".js"]
    for path in files:
        said = path.read_text(encoding="utf-8")
        assert [name for name in names if re.search(rf"\b{name}\b", said)] == [], path
    page = (tmp_path / "made" / "index.html").read_text()
    assert not re.search(r"(src|href)=.?https?:|<script", page) and "default-src 'none'" in page
    html = (tmp_path / "made" / "figures" / "agreement-coherence.html").read_text()
    assert "cdn." not in html and 'src="plotly.min.js"' in html


def test_with_two_responses_an_item_the_default_is_pooled_as_on_the_page(store: Store) -> None:
    load(store, SAMPLE_DATA / "kitchen")
    load(store, SAMPLE_DATA / "news")
    assert (gather(store, "demo-kitchen").recipe.level, gather(store, NEWS).recipe.level) == ("none", "item")


def test_the_chart_of_the_flow_is_as_wide_as_its_words() -> None:
    drawn = [
        Step("8 people rated"),
        Step("80 kept", "4 with too few ratings left; 4 with conflicting ratings"),
    ]
    assert width_of(drawn[:1]) < width_of(drawn)
    assert f'viewBox="0 0 {width_of(drawn)} ' in flow_svg(drawn)
    assert width_of(drawn) >= 338 + 6.5 * len(drawn[1].gone)


def test_the_flow_of_the_raters_counts_who_left_and_why(store: Store) -> None:
    load(store, SAMPLE_DATA / "news")
    found = {step.kept: step.gone for step in steps(gather(store, NEWS))}
    assert found["8 people rated"] == "" and found["Coherence: 6 kept"] == "2 removed by the rule"
    assert found["140 of 144 rated units kept"] == "4 with too few ratings left"


def test_other_peoples_folders_are_left_alone(store: Store, tmp_path: Path) -> None:
    load(store, SAMPLE_DATA / "news")
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(InvalidInput, match="holds other files"):
        pack.write_pack(store, NEWS, tmp_path)
    with store.writing() as session:
        create_project(session, name="Empty", criteria=())
    with pytest.raises(InvalidInput, match="no human rating"):
        pack.write_pack(store, "empty", tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".db"] != []
    assert (tmp_path / "thesis.tex").read_text() == "mine" and not (tmp_path / "new").exists()


def test_latex_and_markdown_print_every_sign_as_it_stands() -> None:
    table = pd.DataFrame([{"Rater": "a_b|c & 50% #1", "Spearman's ρ": "−0.12"}])
    printed = tables.latex(table, caption="x_y", label="tab:t")
    assert r"a\_b|c \& 50\% \#1 & $-$0.12 \\" in printed and r"Spearman's $\rho$" in printed
    assert r"| a_b\|c & 50% #1 | −0.12 |" in tables.markdown(table)


def test_why_a_rater_has_no_coefficient_stands_under_the_table_once(store: Store) -> None:
    load(store, SAMPLE_DATA / "news")
    facts = gather(store, NEWS)
    none = [row for row in facts.rows if row.estimate.value is None and row.criterion == "coherence"]
    notes = tables.undefined_notes(facts, "coherence")
    assert len(notes) == len({(row.rater, row.estimate.reason) for row in none}) > 0
    first = none[0].rater
    assert any(note.startswith(first) and str(none[0].estimate.reason) in note for note in notes)
    table = tables.printed_agreement(facts, "coherence")
    assert "–" in set(table.loc[table["Rater"] == first].iloc[0, 1:-1])
    tex, plain = tables.latex(table, caption="c", label="l", notes=notes), tables.markdown(table, notes)
    assert tex.count(r"\footnotesize") == len(notes) and plain.count(": ") >= len(notes)
    reason = str(none[0].estimate.reason)
    assert results_page(facts, version="1").count(reason) == sum(
        reason in note
        for key in facts.scores.project.criteria
        for note in tables.undefined_notes(facts, key.key)
    )


def test_pairs_and_systems_stand_in_tables_of_their_own(store: Store) -> None:
    load(store, SAMPLE_DATA / "news")
    facts = gather(store, NEWS)
    pairs, systems = tables.pair_rows(facts), tables.system_rows(facts)
    raters = {row.rater for row in facts.rows}
    assert len(pairs) == 4 * len(raters) * (len(raters) - 1) // 2
    told = pairs[pairs["p"].notna()]
    assert (told["p_corrected"] >= told["p"]).all() and set(pairs["correction"]) == {"holm"}
    assert 0 < len(told) < len(pairs), "one metric of the demo gives every summary the same number"
    assert pairs.loc[pairs["p"].isna(), "reason"].str.len().gt(0).all()
    found = systems.set_index(["criterion", "system"]).loc[("coherence", "telegraph")]
    assert found["items"] == 12 and found["ci_low"] < found["mean"] < found["ci_high"] < 4
