"""The report's table of biases."""

from __future__ import annotations

from judgelab.report.facts import gather_facts
from judgelab.report.judge_biases import bias_sentences, bias_table
from judgelab.store.db.engine import Store
from tests.databases import load_demo


def test_a_small_p_is_below_a_thousandth_and_not_zero(store: Store) -> None:
    load_demo(store, "news")
    facts = gather_facts(store, "demo-news")
    assert "< 0.001" in set(bias_table(facts)["p"]) and "0.000" not in set(bias_table(facts)["p"])
    assert "Differences are between the rounded numbers printed." in bias_sentences(facts)
