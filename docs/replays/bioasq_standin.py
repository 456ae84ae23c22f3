"""Replays BioASQ's judges on SummEval: `python docs/replays/bioasq_standin.py FOLDER` (the SummEval files).

BioASQ's answers and their human scores are not public. SummEval's four criteria from 1 to 5 stand in for
them, its articles dealt into twelve batches of about a hundred summaries. The judges are asked by the real
protocols over HTTP; a server in this process answers with the scores that models once gave the same
summaries, so the figures are those of real replies, put into the study's JSON. Afterwards
`python docs/replays/tables.py bioasq-standin` writes the page. The database is that of the settings.
"""

from __future__ import annotations

import csv
import json
import re
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated, Any

import typer

from judgelab.config import settings
from judgelab.imports.service import import_files
from judgelab.protocols.reading.grammars import read
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.metrics.scoring import score_project
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.runs.waiting import wait_for_run
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project
from judgelab.studies import studies

SLUG, BATCHES, KNOWN = "bioasq-standin", 12, 3
STANDS_FOR = {
    "relevance": "recall",
    "consistency": "precision",
    "coherence": "repetition",
    "fluency": "readability",
}
HALVES = scale_from_json({"kind": "numeric", "low": 1, "high": 5})
# Protocol of ours, model, and how the model was asked then (letters alone, or reasons and a score).
JUDGES = (
    ("otb", "gpt-3.5-turbo-0301", "mcq"),
    ("rts", "gpt-3.5-turbo-0301", "rts"),
    ("meta", "gpt-4-0314", "rts"),
)
Recorded = dict[tuple[str, str], dict[str, dict[str, Any]]]


def main(
    folder: Annotated[Path, typer.Argument(help="SummEval: documents, summaries, ratings, replies.")],
) -> None:
    """Make the project, ask the judges, score the metrics."""
    store = open_store(settings().database_url)
    summaries = _project(store, folder)
    with _Replay(_recorded(folder), summaries) as server:
        for then in ("mcq", "rts"):
            endpoints.add_endpoint(store, then, base_url=f"{server.url}/{then}/v1", concurrency=32)
        score_project(store, SLUG, studies.get("bioasq").metrics)
        for protocol, model, then in JUDGES:
            options = {"field": "none"}
            if protocol == "meta":
                options |= {"evidence": "repscore,smog,otb", "form": "rts"}
            spec = JudgeSpec(protocol, model, endpoint=then, options=options, name=protocol)
            run = service.create_run(store, SLUG, spec)
            status = wait_for_run(store, run, engine_url=settings().job_engine_url)
            print(f"{protocol}: {status.scored} scored, {status.unscored} unscored, {status.failed} failed,")
            print(f"  {status.calls} calls, {status.completions} replies")
    store.close()


def _project(store: Store, folder: Path) -> dict[str, tuple[str, str]]:
    """Import the summaries of twelve systems under the study's criteria; return their places by text."""
    study = studies.get("bioasq")
    with store.writing() as session:
        create_project(session, name="BioASQ stand-in", slug=SLUG, study="bioasq", task=study.task,
                       criteria=study.criteria, settings=study.settings)  # fmt: skip
    rows, ratings = as_rows(folder)
    for name, kind, found in (("items", "items", rows), ("ratings", "ratings", ratings)):
        data = "".join(json.dumps(row) + "\n" for row in found).encode()
        import_files(store, SLUG, [(f"{name}.jsonl", data)], kind=kind)
    seen = Counter(str(row["group"]) for row in rows)
    print(f"{len(rows)} summaries in {len(seen)} batches of {min(seen.values())} to {max(seen.values())}")
    texts = [_squeezed(row["context"]) + _squeezed(row["response"]) for row in rows]
    return {text: (row["item_id"], row["system"]) for text, row in zip(texts, rows, strict=True)}


def as_rows(folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the summaries and the experts' ratings as rows to import, under the study's criteria."""
    judged = {key[1] for key in _keys(folder)}
    documents = {row["doc_id"]: row for row in _lines(folder / "documents.jsonl")}
    place = {doc: f"batch {n % BATCHES + 1:02}" for n, doc in enumerate(documents)}
    rows: list[dict[str, Any]] = []
    for row in _lines(folder / "summaries.jsonl"):
        doc, system = row["doc_id"], row["system"]
        if system not in judged:
            continue
        known = documents[doc]["references"][:KNOWN]
        rows.append({"item_id": doc, "context": documents[doc]["source"], "group": place[doc],
                     "references": known, "response_id": system, "system": system,
                     "response": row["summary"]})  # fmt: skip
    ratings = [
        {"item_id": row["doc_id"], "response_id": row["system"], "rater": row["rater"],
         "criterion": STANDS_FOR[key], "score": row[key]}
        for row in csv.DictReader((folder / "ratings_experts.csv").open(encoding="utf-8"))
        for key in STANDS_FOR
        if row["system"] in judged
    ]  # fmt: skip
    return rows, ratings


def _keys(folder: Path) -> set[tuple[str, str]]:
    with (folder / "judge_raw_replies_rts_mcq.csv").open(encoding="utf-8") as file:
        return {(row["doc_id"], row["system"]) for row in csv.DictReader(file)}


def _recorded(folder: Path) -> dict[str, Recorded]:
    """Return what each model said of each summary, as the study's JSON wants it; the last reply counts."""
    found: dict[str, Recorded] = {}
    with (folder / "judge_raw_replies_rts_mcq.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            grammar = "abc" if row["protocol"] == "mcq" else "digit"
            scale = scale_from_json({"kind": "ordinal", "low": 1, "high": 5}) if grammar == "abc" else HALVES
            stated = read(grammar, row["reply"], scale, explain=grammar == "digit")
            said: dict[str, Any] = {"explanation": row["reply"]} if grammar == "digit" else {}
            said["score"] = stated.score
            of_model = found.setdefault(f"{row['model']}/{row['protocol']}", {})
            of_model.setdefault((row["doc_id"], row["system"]), {})[STANDS_FOR[row["criterion"]]] = said
    return found


class _Replay:
    """A server of OpenAI's chat protocol that answers with recorded scores."""

    def __init__(self, recorded: dict[str, Recorded], summaries: dict[str, tuple[str, str]]) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                prompt = asked["messages"][-1]["content"]
                source, summary = (_section(prompt, name) for name in ("source", "summary"))
                then = self.path.split("/")[1]
                said = recorded[f"{asked['model']}/{then}"][summaries[_squeezed(source) + _squeezed(summary)]]
                choice = {
                    "message": {"role": "assistant", "content": json.dumps(said)},
                    "finish_reason": "stop",
                }
                choices = [{**choice, "index": k} for k in range(int(asked.get("n") or 1))]
                body = json.dumps({"id": "r", "object": "chat.completion", "model": asked["model"],
                                   "choices": choices}).encode()  # fmt: skip
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> _Replay:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()


def _section(prompt: str, name: str) -> str:
    return re.findall(rf"<{name}>\n(.*?)\n</{name}>", prompt, re.DOTALL)[-1]


def _squeezed(text: str) -> str:
    return re.sub(r"\W+", "", text)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    typer.run(main)
