"""Replays LINKAGE's study with a stand-in for its models: `python docs/replays/linkage.py DATASETS`.

DATASETS is the folder with the authors' files (docs/datasets.md). Projects are made in the database of the
settings (JUDGELAB_DATABASE_URL). The stand-in answers at the tests' own server and only counts words, so that
every step of the study runs without a model; its numbers say nothing about any model. Then
`python docs/replays/tables.py antique trec webglm` writes the page.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from judgelab.config import settings
from judgelab.imports.service import collect_files, import_files
from judgelab.preparation.step import prepare
from judgelab.protocols import protocols
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

MODEL, ENDPOINT = "stand-in", "stand-in"
# File and the pattern of grades that the paper uses for it (sections 4.2.2 and 4.1).
COLLECTIONS = {
    "antique": ("ANTIQUE.json", "33221100"),
    "trec": ("TREC-DL-NF.json", "3210"),
    "webglm": ("WEBGLM_50.json", "3210"),
}
PATTERNS = ("3210", "33321000", "33221100", "32221110")  # table 6
DRAWS = (1, 2, 3)
NEURAL, METRICS_SEE = ("bertscore_f1",), {"references": "first"}
PARTS = re.compile(r"<(question|reference|answer(?:_[12])?)>\n(.*?)\n</\1>", re.DOTALL)
Judge = tuple[str, dict[str, str | int]]


def stand_in(prompt: str) -> str:
    """Answer by counting words: those of the question, and those shared with each reference of a list."""
    case = prompt.rsplit("</examples>", 1)[-1]
    found: dict[str, list[str]] = {}
    for name, text in PARTS.findall(case):
        found.setdefault(name, []).append(re.sub(r"^(?:\d+|[AB])\. ", "", text))
    question = _words(found["question"][-1])
    if "answer_1" in found:
        one, two = (len(_words(found[name][-1]) & question) for name in ("answer_1", "answer_2"))
        return "[[A]]" if one > two else "[[B]]" if two > one else "[[C]]"
    if "answer" not in found:
        return _written(found, lower="Answer3" in prompt)
    own = _words(found["answer"][-1])
    shared = [len(own & _words(text)) for text in found.get("reference", [])]
    if "would be second" in prompt:
        places = [place for place, count in enumerate(shared, start=1) for _ in range(count)]
        return f"[[{round(sum(places) / len(places)) if places else len(shared) + 1}]]"
    best_first = sum(count / place for place, count in enumerate(shared, start=1))
    return f"[[{min(10, len(own & question) * 2 + round(best_first / 4))}]]"


def _written(found: dict[str, list[str]], *, lower: bool) -> str:
    """Write as a model would that knows nothing: the known answer, its beginning, the question, a saying."""
    question = found["question"][-1]
    known = " ".join((found.get("reference") or [question])[-1].split())
    if not lower:
        return known
    words = known.split()
    half = " ".join(words[: max(1, len(words) // 2)])
    asked = " ".join(question.split())
    return f"Answer1: {half}\nAnswer2: {asked} Who knows.\nAnswer3: All good things come to an end."


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 3}


def main(
    datasets: Annotated[Path, typer.Argument(help="The folder with the authors' files.")],
    limit: Annotated[int, typer.Option(help="Responses that each judge judges.")] = 600,
    neural: Annotated[bool, typer.Option(help="BERTScore, too.")] = True,
) -> None:
    """Import the collections, make the lists, score the metrics, judge; then write the page of the study."""
    store = open_store(settings().database_url)
    worker = start_child(WORKER, child_environment(store, settings().job_engine_url))
    try:
        _replay(store, datasets, limit)
        # The slowest comes last: what is broken off has all but this, and goes on with `judgelab score`.
        for slug in COLLECTIONS if neural else ():
            score_project(store, slug, NEURAL, options=METRICS_SEE)
    finally:
        stop_children([worker])
        store.close()


def _replay(store: Store, datasets: Path, limit: int) -> None:
    with Server(Habits(speaks=stand_in)) as server:
        endpoints.add_endpoint(store, ENDPOINT, base_url=server.url, concurrency=16)
        for slug, (file, pattern) in COLLECTIONS.items():
            _bring(store, slug, datasets / file)
            _lists(store, slug, pattern)
            if slug != "webglm":
                prepare(store, slug, "references", {"kind": "best"})
            quick = [name for name in studies.get("linkage").metrics if name not in NEURAL]
            score_project(store, slug, quick, options=METRICS_SEE)
            for judge in _judges(slug, pattern):
                _judge(store, slug, *judge, limit=limit)


def _lists(store: Store, slug: str, pattern: str) -> None:
    """Make the lists of the paper's tables: three draws of its pattern, its other patterns, written ones."""
    wanted: list[dict[str, str]] = [{"pattern": pattern, "draw": "1-3"}]
    if slug != "webglm":
        wanted += [{"pattern": other, "name": other} for other in PATTERNS if other != pattern]
        writer = {"model": MODEL, "endpoint": ENDPOINT}
        wanted += [{"source": source, "name": source, **writer} for source in ("one_gold", "no_gold")]
    for options in wanted:
        for line in prepare(store, slug, "references", options).lines:
            print(f"{slug}: {line}")


def _bring(store: Store, slug: str, path: Path) -> None:
    study = studies.get("linkage")
    with store.writing() as session:
        create_project(session, name=slug, study=study.name, task=study.task, criteria=study.criteria)
    import_files(store, slug, collect_files([path]), preset="linkage-nfqa")


def _judges(slug: str, pattern: str) -> list[Judge]:
    found: list[Judge] = [("pointwise", {})]
    if slug == "webglm":
        return [
            *found,
            ("pointwise_refs", {}),
            ("pairwise_refs", {}),
            ("linkage", {}),
            ("linkage", {"shots": 3}),
        ]
    for draw in DRAWS:
        found += [("pointwise_refs", {"draw": draw}), ("pairwise_refs", {"draw": draw})]
        found += [("linkage", {"draw": draw, "shots": shots}) for shots in (0, 3)]
    found += [("linkage", {"draw": 1, "shots": shots}) for shots in (1, 5)]
    found += [
        ("linkage", {"list": other, "shots": shots})
        for other in PATTERNS
        if other != pattern
        for shots in (0, 3)
    ]
    found += [("pointwise_refs", {"list": "one_gold"}), ("pairwise_refs", {"list": "one_gold"})]
    return found + [
        ("linkage", {"list": source, "shots": shots})
        for source in ("one_gold", "no_gold")
        for shots in (0, 3)
    ]


def _judge(store: Store, slug: str, protocol: str, options: dict[str, str | int], *, limit: int) -> None:
    said = ", ".join(f"{option} {value}" for option, value in options.items())
    name = f"{protocols.get(protocol).name} {said}".strip()
    spec = JudgeSpec(protocol, MODEL, endpoint=ENDPOINT, options=options, name=name)
    run_id = service.create_run(store, slug, spec, Selection(limit=limit))
    status = wait_for_run(store, run_id, engine_url=settings().job_engine_url)
    rate = status.calls / max(status.seconds, 0.001)
    print(f"{slug}: {name}: {status.scored} of {status.units} scored, {rate:.0f} calls a second")


if __name__ == "__main__":
    typer.run(main)
