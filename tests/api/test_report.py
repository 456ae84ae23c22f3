"""`jl.report`: the pack of a frame, which recomputes itself, and that of a project, equal to the app's."""

from __future__ import annotations

import pickle
import subprocess
import sys
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import judgelab as jl
from judgelab.analysis.data import saved_filters
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.errors import InvalidInput, NotFound
from judgelab.reporting.pack import write_pack
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from tests.databases import new_sqlite
from tests.loaded_modules import loaded_by
from tests.stored_frames import stored

ROOT = Path(__file__).resolve().parents[2]


def _rated() -> pd.DataFrame:
    """20 items by two systems on two criteria; "zoe" rates at random, one rating is missing."""
    drawn = np.random.default_rng(5)
    rows = []
    for number in range(20):
        for system in ("old", "new"):
            quality, text = drawn.normal(), "word " * int(drawn.integers(1, 30))
            for rater, kind in (("anouk", "human"), ("benno", "human"), ("zoe", "human"), ("gpt", "judge")):
                for criterion in ("clear", "true"):
                    seen = drawn.normal() if rater == "zoe" else quality + drawn.normal() / 2
                    score = int(np.clip(round(3 + seen), 1, 5))
                    rows.append((f"q{number}", system, text, criterion, rater, kind, score))
    names = ["item", "system", "response", "criterion", "rater", "kind", "score"]
    frame = pd.DataFrame(rows, columns=names).astype({"score": float})
    frame.loc[0, "score"] = np.nan
    return frame


def _compared() -> pd.DataFrame:
    drawn = np.random.default_rng(6)
    rows = [
        (f"q{number}", "old", "new", rater, kind, drawn.choice(["a", "b", "tie"]), "word " * number, "word")
        for number in range(12)
        for rater, kind in (("anouk", "human"), ("benno", "human"), ("gpt", "judge"))
    ]
    names = ["item", "system_a", "system_b", "rater", "kind", "choice", "response_a", "response_b"]
    return pd.DataFrame(rows, columns=names)


def _texts(folder: Path) -> dict[str, str]:
    """Return every file by name but the interactive figures, whose ids are drawn."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "figures"]
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("of-a-frame") / "pack"
    files = jl.report(jl.scores(_rated()), folder, n_resamples=50)
    assert files == sorted(path for path in folder.rglob("*") if path.is_file())
    return folder


def test_the_methods_say_what_the_data_hold_and_no_more(pack: Path) -> None:
    text = (pack / "methods.md").read_text()
    assert (
        "20 items with 40 responses by 2 systems were rated on 2 criteria: clear (1 to 5, 5 points)" in text
    )
    assert "3 human raters gave the ratings; the data do not say what raters were shown." in text
    assert "239 ratings in total" in text and "(50 resamples, seed 0)" in text
    assert "The judgments of “gpt” were imported without a record of the prompt" in text
    for name, content in _texts(pack).items():
        if not name.endswith((".py", ".html")):
            assert "project" not in content.lower(), name
    pages = "".join(path.read_text() for path in (pack / "figures").glob("*.html"))
    everything = pages + "".join(_texts(pack).values())
    assert not any(name in everything for name in ("anouk", "benno", "zoe"))


def test_the_figures_are_those_of_agreement(pack: Path) -> None:
    rows = pd.read_csv(pack / "tables" / "beside.csv").set_index(["rater", "criterion", "coefficient"])
    table = jl.agreement(jl.scores(_rated()), coefficient=["spearman", "pearson"], n_resamples=50)
    for coefficient in ("spearman", "pearson"):
        found, own = rows.loc[("gpt", "true", coefficient)], table["gpt", "true", coefficient]
        assert (found["value"], found["ci_low"], found["ci_high"]) == (own.value, own.low, own.high)


@pytest.mark.parametrize("kind", ["scores", "filtered", "labels", "pairs"])
def test_a_pack_is_recomputed_by_its_own_script(kind: str, tmp_path: Path) -> None:
    if kind == "pairs":
        s = jl.scores(_compared())
    elif kind == "labels":
        answers = [["yes", "no", "no", "yes", "no"], ["yes", "yes", "no", "yes", "no"]]
        people = dict(zip(("rater_1", "rater_2"), answers, strict=True))
        s = jl.scores(human=people, judge=["no", "yes", "no", "yes", "no"])
    else:
        s = jl.scores(_rated())
    if kind == "filtered":
        s = s.filter(jl.Filter(threshold=0.5, aggregate="median"))
        assert s.humans == ("anouk", "benno")
    jl.report(s, tmp_path / "pack", n_resamples=20, seed=4)
    subprocess.run(
        [sys.executable, "recompute.py"], cwd=tmp_path / "pack", check=True, env={"PYTHONPATH": str(ROOT)}
    )
    again = _texts(tmp_path / "pack" / "again")
    first = {name: text for name, text in _texts(tmp_path / "pack").items() if "again" not in name}
    assert first.keys() == again.keys() and {"tables/agreement.csv", "data/scores.json"} <= first.keys()
    for name, text in first.items():
        if name.endswith(".csv"):
            tables = [pd.read_csv(StringIO(content)) for content in (text, again[name])]
            pd.testing.assert_frame_equal(*tables, rtol=1e-12, atol=1e-12)
        else:
            assert text == again[name], name


def test_a_project_gives_the_pack_of_the_app(tmp_path: Path) -> None:
    store = open_store(new_sqlite(tmp_path / "soup.db"))
    slug = stored(store, _rated())
    saved_filters.save_filter(store, slug, "strict", FilterPolicy(threshold=0.5))
    write_pack(store, slug, tmp_path / "app", policy="strict", coefficients=["pearson"], level="item")
    store.close()
    project = jl.open(tmp_path / "soup.db").project(slug)
    jl.report(project.scores("strict"), tmp_path / "own", coefficient="pearson", level="item")
    assert _texts(tmp_path / "own") == _texts(tmp_path / "app")
    assert "“strict” (version 1)" in (tmp_path / "own" / "methods.md").read_text()
    figures = [sorted(path.name for path in (tmp_path / one / "figures").iterdir()) for one in ("own", "app")]
    assert figures[0] == figures[1]
    # Without its database it is a report of scores alone.
    jl.report(pickle.loads(pickle.dumps(project.scores("strict"))), tmp_path / "alone", n_resamples=20)
    assert "the data do not say what raters were shown" in (tmp_path / "alone" / "methods.md").read_text()


def test_a_filter_that_a_project_has_not_saved_is_recomputed_from_the_project(
    store: Store, tmp_path: Path
) -> None:
    slug, url = stored(store, _rated()), store.engine.url.render_as_string(hide_password=False)
    s = jl.open(url).project(slug).scores("none").filter(jl.Filter(threshold=0.6))
    jl.report(s, tmp_path / "pack", n_resamples=20, coefficient="spearman")
    assert "A quality filter was applied." in (tmp_path / "pack" / "methods.md").read_text()
    script = (tmp_path / "pack" / "recompute.py").read_text()
    assert "jl.Filter(threshold=0.6), decisions=False, comparisons=False)" in script and url not in script
    subprocess.run(
        [sys.executable, "recompute.py"], cwd=tmp_path / "pack", check=True, env={"PYTHONPATH": str(ROOT)}
    )
    for name in ("agreement", "beside", "raters", "gold"):
        places = (tmp_path / "pack", tmp_path / "pack" / "again")
        first, again = (pd.read_csv(place / "tables" / f"{name}.csv") for place in places)
        pd.testing.assert_frame_equal(first, again)


def test_scores_that_know_more_than_rows_are_recomputed_from_themselves(tmp_path: Path) -> None:
    rows = "item_id,response,rater,rater_kind,criterion,score\n" + "".join(
        f"q{item},so,{rater},{kind},clear,{'' if (item, rater) == (2, 'gpt') else 1 + (item + shift) % 5}\n"
        for item in range(8)
        for rater, kind, shift in (("anouk", "human", 0), ("benno", "human", 1), ("gpt", "judge", 0))
    )
    (tmp_path / "rows.csv").write_text(rows)
    s, place = jl.read(tmp_path / "rows.csv"), tmp_path / "pack"
    jl.report(s, place, n_resamples=20)
    assert "1 judgment without a score is counted as missing." in (place / "methods.md").read_text()
    assert "anouk" not in (place / "data" / "scores.json").read_text()
    (place / "scores.pickle").write_bytes(pickle.dumps(s))
    subprocess.run([sys.executable, "recompute.py"], cwd=place, check=True, env={"PYTHONPATH": str(ROOT)})
    assert (place / "methods.md").read_text() == (place / "again" / "methods.md").read_text()


def test_a_jury_that_a_project_does_not_have_is_not_reported_as_its_own(store: Store, tmp_path: Path) -> None:
    slug = stored(store, pd.concat([_rated(), _rated().query("rater == 'gpt'").assign(rater="mini")]))
    project = jl.open(store.engine.url.render_as_string(hide_password=False)).project(slug)
    jl.report(jl.jury(project.scores(), ["gpt", "mini"], name="both"), tmp_path / "pack", n_resamples=5)
    assert "both" in set(pd.read_csv(tmp_path / "pack" / "tables" / "judges.csv")["judge"])
    assert not (tmp_path / "pack" / "commands.sh").exists()


def test_a_folder_with_files_is_refused_unless_it_may_be_replaced(tmp_path: Path) -> None:
    s, place = jl.scores(human=[1, 2, 3, 5], judge=[1, 3, 3, 4]), tmp_path / "deep" / "pack"
    jl.report(s, place, n_resamples=5)
    with pytest.raises(InvalidInput, match=r"is not empty.*overwrite=True"):
        jl.report(s, str(place), n_resamples=5)
    (place / "tables" / "old.csv").write_text("x")
    jl.report(s, place, n_resamples=5, overwrite=True)
    assert not (place / "tables" / "old.csv").exists()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("x")
    with pytest.raises(InvalidInput, match="holds other files"):
        jl.report(s, tmp_path / "notes", n_resamples=5, overwrite=True)
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["mine.txt"]
    with pytest.raises(InvalidInput, match="is a file; name a folder"):
        jl.report(s, tmp_path / "notes" / "mine.txt", n_resamples=5)


def test_what_cannot_be_reported_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    place = tmp_path / "pack"
    with pytest.raises(InvalidInput, match="no human rater to report; name them"):
        jl.report(jl.scores(judge=[1, 2, 3]), place)
    s = jl.scores(human=[1, 2, 3], judge=[1, 2, 2])
    with pytest.raises(InvalidInput, match="n_resamples is 0"):
        jl.report(s, place, n_resamples=0)
    for wrong, words in (({"seed": "x"}, "seed is 'x'"), ({"n_resamples": 5.5}, "n_resamples is 5.5")):
        with pytest.raises(InvalidInput, match=words):
            jl.report(s, place, **wrong)  # type: ignore[arg-type]
    for nothing in ("", None, 3):
        with pytest.raises(InvalidInput, match="names no folder"):
            jl.report(s, nothing)  # type: ignore[arg-type]
    with pytest.raises(NotFound, match="no coefficient named 'r2'"):
        jl.report(s, place, coefficient="r2")
    with pytest.raises(InvalidInput, match="no level named 'unit'"):
        jl.report(s, place, level="unit")
    assert not place.exists()


def test_scores_without_a_judge_or_that_are_constant_are_reported(tmp_path: Path) -> None:
    jl.report(jl.scores(human={"anouk": [1, 2, 3], "benno": [1, 2, 2]}), tmp_path / "people", n_resamples=5)
    assert "No judge has scored these responses yet." in (tmp_path / "people" / "methods.md").read_text()
    jl.report(jl.scores(human=[3], judge=[3]), tmp_path / "one", n_resamples=5)
    assert "1 item with 1 response were rated" in (tmp_path / "one" / "methods.md").read_text()


def test_a_report_of_a_frame_needs_no_database(tmp_path: Path) -> None:
    code = (
        "import judgelab as jl; s = jl.scores(human=[1, 2, 3, 5], judge=[1, 3, 3, 4]);"
        f"jl.report(s, {str(tmp_path / 'pack')!r}, n_resamples=5)"
    )
    assert not loaded_by(code, {"sqlalchemy", "streamlit", "torch", "openai", "alembic"})
