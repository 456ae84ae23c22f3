"""The presets against the published files (skipped where they are not)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.errors import ImportProblems, InvalidInput
from judgelab.imports.report import ImportReport
from judgelab.imports.service import collect_files, import_files
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.projects.projects import create_project, find_project

pytestmark = pytest.mark.datasets


def brought(store: Store, preset: str, *paths: Path, repeat: bool = True, **options: Any) -> ImportReport:
    """Import files into a new project, and again, which must add nothing: once for each preset."""
    with store.writing() as session:
        create_project(session, name="p")
    files = collect_files(paths)
    report = import_files(store, "p", files, preset=preset, **options)
    if not repeat:
        return report
    repeated = import_files(store, "p", files, preset=preset, **options)
    assert (repeated.items, repeated.responses, repeated.ratings, repeated.judgments) == (0, 0, 0, 0)
    assert not repeated.changed
    return report


def scores(store: Store) -> pd.DataFrame:
    with store.reading() as session:
        return score_frame(session, find_project(session, "p").id)


def test_qa_eval_gives_the_published_accuracies(store: Store, datasets: Path) -> None:
    report = brought(store, "qa-eval-nq301", datasets / "qa-eval-nq301")
    assert (report.items, report.responses, report.ratings, report.judgments) == (301, 3612, 3612, 3 * 3612)
    means = 100 * scores(store).groupby(["rater", "system"]).score.mean()
    assert means["human", "EviGen"] == pytest.approx(67.11, abs=0.005)
    assert means["human", "InstructGPT (zero-shot)"] == pytest.approx(71.43, abs=0.005)
    assert means["gpt4_zero_shot", "Contriever & FiD"] == pytest.approx(64.45, abs=0.005)
    assert means["bem", "DPR"] == pytest.approx(52.49, abs=0.005)


def test_elect_gives_the_published_order_of_judges(store: Store, datasets: Path) -> None:
    report = brought(store, "elect-rpqa", datasets / "elect-rpqa")
    assert (report.items, report.ratings, report.judgments) == (479, 479, 1916)
    wide = scores(store).pivot_table(index=["group", "item"], columns="rater", values="score")
    expected = {
        "auto": {"llama_elect4": 0.6017, "llama_geval": 0.5122, "llama_dp": 0.5613, "llama_dp4": 0.5699},
        "electronics": {
            "llama_elect4": 0.6685,
            "llama_geval": 0.5527,
            "llama_dp": 0.5425,
            "llama_dp4": 0.5713,
        },
        "garden": {"llama_elect4": 0.6677, "llama_geval": 0.5938, "llama_dp": 0.5995, "llama_dp4": 0.6159},
    }
    for group, judges in expected.items():
        group_scores = wide.loc[group]
        for judge, rho in judges.items():
            assert group_scores[judge].corr(group_scores["annotated"], method="spearman") == pytest.approx(
                rho, abs=5e-5
            )


def test_squality_keeps_the_four_workers_apart(store: Store, datasets: Path) -> None:
    report = brought(store, "squality-human-eval", datasets / "squality-human-eval")
    assert (report.items, report.responses, report.references, report.ratings) == (100, 300, 300, 2700)
    assert set(scores(store).rater) == {"w2", "w3", "w6", "w8"}


@pytest.mark.parametrize(
    ("name", "items", "responses", "grades"),
    [
        ("ANTIQUE.json", 500, 10186, {4: 2892, 3: 2266, 2: 3225, 1: 1803}),
        ("TREC-DL-NF.json", 55, 5541, {3: 529, 2: 998, 1: 1372, 0: 2642}),
    ],
)
def test_linkage_keeps_every_grade(
    store: Store, datasets: Path, name: str, items: int, responses: int, grades: dict[int, int]
) -> None:
    report = brought(store, "linkage-nfqa", datasets / "linkage-nfqa" / name, repeat=False)
    assert (report.items, report.responses) == (items, responses)
    stored_scores = scores(store)
    assert stored_scores.score.value_counts().to_dict() == grades
    assert set(stored_scores.system) == {""}


def test_web_answers_have_graded_references_best_first(store: Store, datasets: Path) -> None:
    report = brought(store, "linkage-nfqa", datasets / "linkage-nfqa" / "WEBGLM_50.json")
    assert (report.items, report.responses, report.references) == (100, 300, 413)
    means = scores(store).groupby("system").score.mean().round(2).to_dict()
    assert means == {"gpt": 2.41, "mistral": 2.17, "llama": 1.49}


def test_a_folder_with_several_collections_asks_for_one(store: Store, datasets: Path) -> None:
    with store.writing() as session:
        create_project(session, name="p")
    with pytest.raises(InvalidInput, match=r"3 collections .* a project can have only one"):
        import_files(store, "p", collect_files([datasets / "linkage-nfqa"]), preset="linkage-nfqa")


@pytest.mark.parametrize(
    ("name", "items", "ratings", "judgments", "raters"),
    [
        ("cebab_stars", 711, 2193, 4266, 10),
        ("framing", 2552, 7656, 15312, 4),
        ("10k_prompts", 1698, 3844, 10188, 13),
    ],
)
def test_labels_without_texts_make_their_items(
    store: Store, datasets: Path, name: str, items: int, ratings: int, judgments: int, raters: int
) -> None:
    folder = datasets / "alttest-labels" / name
    report = brought(
        store,
        "alttest-labels",
        folder,
        create_missing=True,
        repeat=items < 1000,
    )
    assert (report.items, report.ratings, report.judgments) == (items, ratings, judgments)
    stored_scores = scores(store)
    assert stored_scores[stored_scores.rater_kind == "human"].rater.nunique() == raters


def test_the_third_label_of_framing_counts_as_published(store: Store, datasets: Path) -> None:
    """Published: llama-31 passes the alternative annotator test (ε .15) with a winning rate of .50."""
    brought(
        store, "alttest-labels", datasets / "alttest-labels" / "framing", create_missing=True, repeat=False
    )
    stored = scores(store)
    assert (stored.score[stored.rater_kind == "human"] == 3).sum() == 8
    trust = measure_trust(store, "p", "llama-31", epsilon=0.15, resamples=0)
    test = trust.criteria["framing"].alternative
    assert (test.winning_rate.value, test.passed) == (0.5, True)


def test_labels_without_texts_are_refused_when_nothing_may_be_created(store: Store, datasets: Path) -> None:
    with store.writing() as session:
        create_project(session, name="p")
    files = collect_files([datasets / "alttest-labels" / "cebab_stars"])
    with pytest.raises(ImportProblems, match="--create-missing"):
        import_files(store, "p", files, preset="alttest-labels")
    assert scores(store).empty
