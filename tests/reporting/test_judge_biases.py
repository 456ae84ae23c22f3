"""The report's table of biases."""

from __future__ import annotations

from pathlib import Path

from judgelab.domain import Criterion
from judgelab.imports.service import collect_files, import_files
from judgelab.reporting.gathering import gather_facts
from judgelab.reporting.judge_biases import bias_sentences, bias_table
from judgelab.reporting.trust_overview import note
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from tests.databases import load_demo


def test_a_small_p_is_below_a_thousandth_and_not_zero(store: Store) -> None:
    load_demo(store, "news")
    facts = gather_facts(store, "demo-news")
    assert "< 0.001" in set(bias_table(facts)["p"]) and "0.000" not in set(bias_table(facts)["p"])
    assert "Differences are between the rounded numbers printed." in bias_sentences(facts)


def test_judges_with_families_of_different_size_are_named(store: Store, tmp_path: Path) -> None:
    """Judge alpha scores both criteria, judge beta one of them."""
    scale = {"kind": "ordinal", "low": 1, "high": 5}
    criteria = [Criterion(key, key, scale) for key in ("depth", "tone")]
    with store.writing() as session:
        create_project(session, name="P", criteria=criteria)
    lines = ["item_id,question,response,rater,rater_kind,criterion,score"]
    for item in range(24):
        for rater, kind, keys in (
            ("Ann", "human", ("depth", "tone")),
            ("Ben", "human", ("depth", "tone")),
            ("judge alpha", "judge", ("depth", "tone")),
            ("judge beta", "judge", ("depth",)),
        ):
            for key in keys:
                score = 1 + (item * (1 + len(rater)) + len(key)) % 5
                lines.append(f"q{item},What?,{'word ' * (1 + item)},{rater},{kind},{key},{score}")
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n")
    import_files(store, "p", collect_files([tmp_path / "ratings.csv"]))
    notes = [text for text in bias_sentences(gather_facts(store, "p")) if text.startswith("p")]
    assert [text.partition(":")[0] for text in notes] == ["p of “judge alpha”", "p of “judge beta”"]
    assert "all 2 tests on 2 criteria" in notes[0] and "only one test" in notes[1]


def test_length_is_by_its_logarithm_and_every_tested_bias_is_named(store: Store) -> None:
    load_demo(store, "news")
    facts = gather_facts(store, "demo-news")
    assert "points per SD of log length" in set(bias_table(facts)["Bias"])
    sentences = " ".join(bias_sentences(facts))
    assert "standard deviation of the logarithm of length" in sentences
    assert "larger errors in a part of the data" in sentences and "larger errors in a part" in note(facts)
    assert "non-inferior with a margin of 0.1" in note(facts)
