"""Replays DRPE's study with a stand-in for its model: `python docs/replays/drpe.py DATASETS`.

DATASETS is the folder with `cnn-bbc-2022` and `summeval` (docs/datasets.md). Projects are made in the
database of the settings (JUDGELAB_DATABASE_URL). The stand-in answers at the tests' own server: a reference
is the beginning of the article, a reader is whoever the article names, and each role votes for the summary
that shares more words with the article, give or take a whim of its own. Its numbers say nothing about any
model.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from judgelab.analysis.data.scores import project_scores
from judgelab.config import settings
from judgelab.imports.service import collect_files, import_files
from judgelab.preparation.step import prepare
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.metrics.scoring import score_project
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.runs.waiting import wait_for_run
from judgelab.runs.worker.child_processes import WORKER, child_environment, start_child, stop_children
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project
from judgelab.studies import studies
from tests.runs.openai_server import Habits, Server

MODEL, ENDPOINT = "word-counter", "stand-in"
QUICK = ("rouge1", "rouge2", "rougeL", "bleu", "meteor")
NEURAL = ("bertscore_f1", "moverscore")
WHOLE = {"variants": 5}
JUDGES: dict[str, dict[str, Any]] = {
    "DRPE": WHOLE,
    "GPT-D3": {**WHOLE, "panel": False},
    "without batch prompting": {**WHOLE, "batch": False},
    "without clustering": {**WHOLE, "clustering": "no"},
    "without dynamic roles": {**WHOLE, "k": 0},
    "without static roles": {**WHOLE, "static": False},
}
SIZES: dict[str, dict[str, Any]] = {
    **{f"k = {k}": {**WHOLE, "k": k} for k in (2, 6)},
    **{f"without static roles, k = {k}": {**WHOLE, "k": k, "static": False} for k in (2, 6)},
}


def stand_in(prompt: str) -> str:
    """Answer whatever the study asks, by counting words."""
    task, source = _part(prompt, "task"), _part(prompt, "source")
    if task.startswith("Summarise"):
        return " ".join(re.split(r"(?<=[.!?])\s+", source)[: 1 if "one sentence" in task else 3])
    if "Name 5 of them" in task:
        return _readers(source, knowing="already know" in task)
    roles = [line.split(". ", 1)[-1].split(":")[0] for line in _part(prompt, "panel").splitlines()]
    texts = (_part(prompt, "summary_1"), _part(prompt, "summary_2"))
    votes = [_vote(role, texts, source, task) for role in roles or [""]]
    if "<number>" not in _part(prompt, "output"):
        return f"Reason: It keeps more of the article.\nVote: summary {votes[0]}"
    return "\n\n".join(
        f"{place}. {role}\nReason: It keeps more of the article.\nVote: summary {vote}"
        for place, (role, vote) in enumerate(zip(roles, votes, strict=True), start=1)
    )


def _part(prompt: str, name: str) -> str:
    found = re.search(rf"<{name}>\n(.*?)\n</{name}>", prompt, re.DOTALL)
    return found[1] if found else ""


def _readers(source: str, *, knowing: bool) -> str:
    names = [name for name, _ in Counter(re.findall(r"\b[A-Z][a-z]{3,}\b", source)).most_common(5)]
    names += ["News", "People", "Places", "Law", "Trade"][: 5 - len(names)]
    said = "They know {0} well already." if knowing else "They want to know what it means for {0}."
    kind = "Those who know {0}" if knowing else "Readers about {0}"
    return "\n".join(f"{kind.format(name)}: {said.format(name)}" for name in names)


def _vote(role: str, texts: tuple[str, str], source: str, task: str) -> int:
    known = _words(source)

    def worth(text: str) -> float:
        whim = hashlib.sha256(f"{role}|{task}|{text}".encode()).digest()[0] / 255
        return len(_words(text) & known) + 6 * whim

    return 1 if worth(texts[0]) >= worth(texts[1]) else 2


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 3}


def main(
    datasets: Annotated[Path, typer.Argument(help="The folder with the data sets.")],
    neural: Annotated[bool, typer.Option(help="BERTScore and MoverScore, too.")] = True,
) -> None:
    """Import, prepare, score and judge; then `docs/replays/tables.py news summeval` writes the page."""
    store = open_store(settings().database_url)
    worker = start_child(WORKER, child_environment(store, settings().job_engine_url))
    try:
        with Server(Habits(speaks=stand_in, share=0.8)) as server:
            endpoints.add_endpoint(store, ENDPOINT, base_url=server.url, concurrency=32)
            _bring(store, "news", datasets / "cnn-bbc-2022", preset="cnn-bbc-2022", study="drpe")
            for group, sentences in (("cnn", 3), ("bbc", 1)):  # as long as the collections' own summaries
                given = {"kind": "generated", "group": group, "sentences": sentences}
                _prepare(store, "news", "references", given)
            _prepare(store, "news", "labels", {"kind": "votes"})
            _bring(store, "summeval", datasets / "summeval", preset="summeval", study="summeval")
            _prepare(store, "summeval", "labels", {"kind": "extremes"})
            for slug, judges in (("news", JUDGES | SIZES), ("summeval", JUDGES)):
                _prepare(store, slug, "roles", {})
                score_project(store, slug, QUICK, options={"references": "first"})
                for name, options in judges.items():
                    _judge(store, slug, name, options)
            for slug in ("news", "summeval") if neural else ():
                score_project(store, slug, NEURAL, options={"references": "first"})
    finally:
        stop_children([worker])
        store.close()


def _bring(store: Store, slug: str, path: Path, *, preset: str, study: str) -> None:
    chosen = studies.get(study)
    with store.writing() as session:
        create_project(session, name=slug, study="drpe", task=chosen.task, criteria=chosen.criteria)
    import_files(store, slug, collect_files([path]), preset=preset)


def _prepare(store: Store, slug: str, what: str, options: dict[str, Any]) -> None:
    writes = {} if what == "labels" else {"model": MODEL, "endpoint": ENDPOINT}
    for line in prepare(store, slug, what, {**options, **writes}).lines:
        print(f"{slug}: {line}")


def _judge(store: Store, slug: str, name: str, options: dict[str, Any]) -> None:
    humans = project_scores(store, slug).humans
    valued = humans.loc[humans["criterion"] == "overall", "response"]
    selection = Selection(responses=tuple(int(one) for one in valued), criteria=("overall",))
    spec = JudgeSpec("role_panel", MODEL, endpoint=ENDPOINT, options=options, name=name)
    status = wait_for_run(
        store, service.create_run(store, slug, spec, selection), engine_url=settings().job_engine_url
    )
    rate = status.calls / max(status.seconds, 0.001)
    print(f"{slug}: {name}: {status.scored} of {status.units} scored, {rate:.0f} calls a second")


if __name__ == "__main__":
    typer.run(main)
