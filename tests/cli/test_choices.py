"""From files of comparisons to `judgelab choices`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgelab.imports.service import import_files
from judgelab.store.db.schema import open_store
from tests.command import judgelab
from tests.compared import decide, judges_csv, margin_project, pairs_project, people_csv, texts_csv
from tests.databases import new_sqlite


def test_comparisons_by_people_and_judges_become_shares(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path / "a.db")
    assert judgelab(url, "project", "create", "Pairs", "--form", "pairwise").returncode == 0
    for name, content in (("texts", texts_csv()), ("people", people_csv()), ("judges", judges_csv())):
        (tmp_path / f"{name}.csv").write_text(content)
        imported = judgelab(url, "import", "pairs", str(tmp_path / f"{name}.csv"))
        assert imported.returncode == 0, imported.stderr
    result = judgelab(url, "choices", "pairs", "--json")
    assert result.returncode == 0, result.stderr
    (criterion,) = json.loads(result.stdout)["criteria"]
    assert (criterion["pairs"], criterion["choices"], criterion["undecided"]) == (10, 30, 2)
    judge = next(judge for judge in criterion["judges"] if judge["name"] == "j-judge")
    assert judge["with_majority"]["exact"]["value"] == pytest.approx(6 / 8)
    assert judge["order"]["consistency"]["value"] == pytest.approx(8 / 10)
    text = judgelab(url, "choices", "pairs").stdout
    assert "30 choices in 10 pairs by 3 raters" in text
    assert "first response preferred 0.611" in text and "lost-judge" in text
    store = open_store(url)
    decide(store, "pairs", "q8", "new")
    store.close()
    (criterion,) = json.loads(judgelab(url, "choices", "pairs", "--decisions", "--json").stdout)["criteria"]
    assert (criterion["n_decided"], criterion["undecided"]) == (1, 1)
    assert "1 pair is decided by adjudicators" in judgelab(url, "choices", "pairs", "--decisions").stdout

    nothing = judgelab(url, "choices", "pairs", "--criterion", "style")
    assert nothing.returncode == 1 and "style" in nothing.stderr


def test_commands_name_the_margin_for_a_tie(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path / "a.db")
    store = open_store(url)
    slug = margin_project(store)
    store.close()
    note = "“fine”: a difference of at most 0.5 points counts as a tie (chosen on 5 example pairs)."
    for command in (("choices",), ("trust", "fine"), ("compare",), ("means", "fine")):
        name, *rest = command
        printed = judgelab(url, name, slug, *rest)
        assert printed.returncode == 0 and note in printed.stdout, (command, printed)
        assert "5 pairs of the group “examples” are left out" in printed.stdout
    for name, *rest in (("trust", "fine"), ("compare",), ("means", "fine")):
        assert note in json.loads(judgelab(url, name, slug, *rest, "--json").stdout)["margin_notes"]
    alone = judgelab(url, "trust", slug, "newer").stdout
    assert "a difference of at most" not in alone and "5 pairs of the group “examples” are left" in alone
    (criterion,) = json.loads(judgelab(url, "trust", slug, "fine", "--json").stdout)["criteria"]
    assert criterion["of_pairs"]["margin"] == {"points": 0.5, "pairs": 5, "reason": None}


def test_more_counts_pairs_where_nobody_rated_single_responses(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path / "a.db")
    store = open_store(url)
    slug = pairs_project(store, points=False)
    store.close()
    systems = json.loads(judgelab(url, "more", slug, "new", "old", "--claim", "systems", "--json").stdout)
    assert systems["comparisons"] and systems["present"]["value"] == pytest.approx(0)
    assert (systems["items"]["unit"], systems["items"]["now"]) == ("pairs", 10)
    assert systems["items"]["most_tried"] == 100 and systems["raters"]["now"] == 3
    text = judgelab(url, "more", slug, "j-judge", "k-judge", "--comparisons", "--most", "16").stdout
    assert text.startswith("now: ") and "(exact, none)" in text and "      16 pairs: " in text
    assert "8 pairs do not show whether j-judge or k-judge agrees better" in text
    alone = judgelab(url, "more", slug, "k-judge").stdout
    assert (
        "10 pairs do not show that k-judge passes the alternative annotator test; about 30 like them would"
        in alone
    )
    baseline = json.loads(judgelab(url, "more", slug, "k-judge", "--claim", "baseline", "--json").stdout)
    assert baseline["claim"] == "baseline" and "longer response" in baseline["second"]
    refused = judgelab(url, "more", slug, "k-judge", "j-judge", "--claim", "baseline")
    assert refused.returncode == 1 and "takes one judge" in refused.stderr
    found = json.loads(judgelab(url, "more", slug, "--json").stdout)
    assert (found["compared"], found["without_majority"], found["one_choice_can_undo"]) == (10, 2, 4)
    assert [pair["item"] for pair in found["pairs"]] == ["q9", "q8", "q2", "q5", "q6", "q3"]
    assert found["pairs"][0]["raters"] == {"first": 1, "tie": 1, "second": 1}
    lines = judgelab(url, "more", slug).stdout.splitlines()
    assert lines[0] == (
        "score: 10 pairs compared by raters, 2 without a majority; in 4, one more choice can undo it"
    )
    assert lines[2].split() == "q9 new - old 1 : 1 : 1 1 : 0 : 1 100 %".split()


def test_conflicts_are_listed_with_their_decisions(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path / "a.db")
    store = open_store(url)
    slug = pairs_project(store, points=False)
    assert judgelab(url, "conflicts", slug).stdout.startswith("score: 5 pairs in conflict, 0 decided")
    decide(store, slug, "q8", "old")
    decide(store, slug, "q9", "")
    ratings = "item_id,system,rater,criterion,score\nq0,new,Ann,score,1\nq0,new,Bea,score,5\n"
    import_files(store, slug, [("ratings.csv", ratings.encode())])
    store.close()
    found = json.loads(judgelab(url, "conflicts", slug, "--ties", "--json").stdout)
    (response,) = found["responses"]
    assert (response["item"], response["system"], response["scores"]) == ("q0", "new", [1, 5])
    assert response["decision"] is None and len(found["pairs"]) == 6
    first, second, *others = found["pairs"]
    assert (first["votes"], first["decision"]["outcome"]) == ({"first": 1, "tie": 1, "second": 1}, "second")
    assert (second["decision"]["outcome"], second["decision"]["person"]) == (None, "Olga")
    assert all(pair["decision"] is None for pair in others)
    text = judgelab(url, "conflicts", slug, "--criterion", "score").stdout
    assert "score: 1 response in conflict, 0 decided" in text
    assert "score: 5 pairs in conflict, 2 decided (first : tie : second)" in text
    assert "decided: second" in text and "decided: cannot be decided" in text
    assert "Ratings conflict if they are half the scale or more apart;" in text
    assert text.endswith("Comparisons conflict if raters chose opposite winners.\n")
    apart = judgelab(url, "conflicts", slug, "--distance", "4", "--ties").stdout
    assert "they are 4 points or more apart" in apart and "chose different answers." in apart
    assert judgelab(url, "conflicts", slug, "--criterion", "style").returncode == 1


def test_quality_filters_comparisons_and_choices_use_the_filter(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path / "a.db")
    store = open_store(url)
    slug = pairs_project(store, points=False)
    store.close()
    words = ("quality", slug, "--threshold", "0.3", "--save", "main")
    found = json.loads(judgelab(url, *words, "--effect", "--json").stdout)
    assert found["comparisons"] and found["coefficients"] == {"score": "kappa"}
    assert found["agreement"]["after_items"] == pytest.approx(22 / 62)
    (effect,) = found["effect"]
    assert effect["rule"]["people"]["kappa"]["value"] == pytest.approx(22 / 62)
    assert "random_raters_kappa" in effect and "r" not in effect["rule"]["people"]
    assert set(effect["rule"]["judges"]) == {"j-judge", "k-judge"}
    text = judgelab(url, *words).stdout
    assert "Cid: mean κ with the other raters 0.26 is below 0.30" in text
    assert "Filter: removes raters whose mean kappa with the other raters is below 0.30 (5 shared" in text
    assert "responses with ratings" not in text, "labels do not conflict"
    shown = judgelab(url, *words[:4], "--effect").stdout
    assert "with the majority of all raters who are kept, not of all but one" in shown
    assert "10 comparisons removed with their raters." in text and "20 comparisons (10 pairs) kept." in text
    assert "mean kappa between raters 0.29 before, 0.35 after" in text
    choices = judgelab(url, "choices", slug).stdout
    assert choices.count("  A baseline's row gives the interval of that baseline. The page") == 1
    assert "20 choices in 10 pairs by 2 raters" in choices and "“main”, version 2" in choices
    assert "30 choices in 10 pairs by 3 raters" in judgelab(url, "choices", slug, "--policy", "none").stdout
    strengths = json.loads(judgelab(url, "strengths", slug, "--json").stdout)
    assert strengths["filter"]["name"] == "main" and strengths["rows"][0]["comparisons"] == 20
    nothing = judgelab(url, "quality", slug, "--scores")
    assert nothing.stdout.startswith("There are no ratings yet.\n") and nothing.returncode == 0


def test_kappas_units_and_differences_of_comparisons_agree_with_one_another(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path / "a.db")
    store = open_store(url)
    slug = pairs_project(store, points=False)
    store.close()
    kappas = json.loads(judgelab(url, "raters", slug, "--pairs", "--json").stdout)["criteria"]
    (cohen,) = json.loads(judgelab(url, "raters", slug, "--coefficient", "cohen", "--json").stdout)["rows"]
    values = [pair["value"] for pair in kappas[0]["pairs"]]
    assert len(values) == 3 and cohen["value"] == pytest.approx(sum(values) / 3)
    trust = judgelab(url, "trust", slug, "j-judge").stdout
    table = trust[trust.index("As good as a rater?") :]
    assert "is non-inferior with a margin of 10 points" in trust
    assert "pairs)" in table and "choices)" not in table and "responses)" not in table
    assert "rates are averaged within items" in judgelab(url, "means", slug, "j-judge").stdout
    more = judgelab(url, "more", slug, "new", "old", "--claim", "systems").stdout
    assert "so the two can differ at the current size" in more
    baseline = judgelab(url, "more", slug, "j-judge", "--claim", "baseline").stdout
    assert "Agreement is with all raters but one, each left out in turn, as on the page “Trust”." in baseline
    assert "The difference is that of the two agreements, each rounded to two digits." in baseline
    assert "standard error" in judgelab(url, "raters", slug, "--pairs").stdout
    assert "percentile bootstrap" in judgelab(url, "raters", slug, "--coefficient", "cohen").stdout
