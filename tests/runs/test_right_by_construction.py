"""Every protocol finds the judge that knows better, and the one that goes by where a text stands.

Each response has a hidden quality from which its human scores are made. A judge answers, in the grammar of
the protocol, by that quality and noise; what the protocol reads must agree with people the better the less
noise there was.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from judgelab.analysis.agreement.agreement_table import agreement_table
from judgelab.analysis.trust.position_bias import position_report
from judgelab.domain import Criterion, Demonstration, Task
from judgelab.protocols import Call, Protocol, protocols
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.dry_run import possible_answers
from judgelab.runs.plan.judge_config import load_judge_config
from judgelab.runs.plan.prompt_inputs import with_inputs
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.frames.preference_frames import preference_frame
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.judging.judgments import waiting_units
from judgelab.store.judging.runs import end_run, locked_run
from judgelab.store.models import ResponseRow
from judgelab.store.prepared import panels, reference_lists
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.scoring.metric_scores import NewMetricScore, save_scores
from tests.databases import new_sqlite
from tests.runs.conftest import spec
from tests.runs.judging import judge
from tests.runs.openai_server import Server
from tests.runs.projects import lamp, rate

ITEMS, SYSTEMS = 7, 4
SCALES: tuple[dict[str, Any], ...] = ({"kind": "ordinal", "low": 0, "high": 3}, {"kind": "binary"})
SHOWN = Demonstration("What is it?", "A lamp.", 1.0, "It is lit.")
OPTIONS: dict[str, dict[str, Any]] = {"meta": {"evidence": "repscore"}}
# Sees the response beside another text: as options that show both orders, and what stands first wins.
BESIDE = {
    "pairwise": ({}, "[[A]]"),
    "pairwise_refs": ({"order": "both"}, "[[A]]"),
    "pairwise_rank": ({"order": "both"}, None),
    "role_panel": ({"order": "both", "panel": False}, "Reason: It stands first.\nVote: Summary 1"),
}


@dataclass
class Studio:
    """A store with one project a scale, whose texts have known qualities, and a server to judge them."""

    store: Store
    server: Server

    def quality(self, text: str) -> float:
        return random.Random(f"quality {text}").random()

    def project(self, scale: dict[str, Any]) -> str:
        slug = str(scale["kind"])
        with self.store.writing() as session:
            create_project(session, name=slug, criteria=[Criterion("goodness", "Goodness", scale)])
            project = find_project(session, slug).id
            for n in range(ITEMS):
                item = lamp(session, project, n)
                session.add_all(
                    ResponseRow(
                        project_id=project,
                        item_id=item.id,
                        external_id=f"q{n}s{system}",
                        system=f"s{system}",
                        text=f"System {system} thinks of lamp {n} this and that.",
                    )
                    for system in range(SYSTEMS)
                )
                session.flush()
                panels.save_roles(session, project, item.id, [_role(number) for number in range(4)])
                entries = [reference_lists.ListEntry(f"Of grade {g}.", g) for g in (3, 2, 1, 0)]
                reference_lists.save_lists(
                    session,
                    project,
                    **{"name": "references", "draw": 1, "source": "graded", "pattern": "3210", "seed": 0},
                    recipe={},
                    lists=[reference_lists.ItemList(item.id, entries)],
                )
            rows = session.query(ResponseRow).filter_by(project_id=project).all()
            numbers = [NewMetricScore(row.id, 0.5, "") for row in rows]
            save_scores(session, project, "repscore", options={}, scores=numbers)
            read, qualities = scale_from_json(scale), {row.id: self.quality(row.text) for row in rows}
        scores = {
            row_id: min(
                (p.value for p in read.points()), key=lambda v: abs(v - read.low - q * (read.high - read.low))
            )
            for row_id, q in qualities.items()
        }
        rate(self.store, slug, scores, criterion="goodness")
        return slug

    def run(
        self, protocol: Protocol, name: str, answers: Callable[[Call, Task, list[str]], str], **options: Any
    ) -> int:
        """Let a judge answer every call of a protocol so; return the run."""
        slug = _slug_of(protocol)
        settled = {**OPTIONS.get(protocol.name, {}), **options}
        judge_spec = spec(protocol=protocol.name, name=name, options=settled)
        run_id = service.create_run(self.store, slug, judge_spec, cache=False)
        with self.store.reading() as session:
            judge_config = load_judge_config(session, run_id)
            units = with_inputs(session, judge_config, waiting_units(session, run_id, low=0, high=10_000))
        reply_to: dict[str, str] = {}
        for unit in units:
            task = judge_config.task(unit)
            for call in judge_config.calls(task):
                replies = possible_answers(protocol, call, task, judge_config.judge.options)
                reply_to[call.messages[-1].content] = answers(call, task, replies)
        self.server.habits.speaks = reply_to.__getitem__
        judge(self.store, run_id)
        with self.store.writing() as session:
            end_run(locked_run(session, run_id), "done")
        status = service.run_status(self.store, run_id)
        assert (status.scored, status.unscored) == (status.units, 0)
        return run_id

    def by_quality(self, noise: float) -> Callable[[Call, Task, list[str]], str]:
        """Return how a judge answers that knows each text's quality up to so much noise."""

        def perceived_quality(text: str) -> float:
            return self.quality(text) + random.Random(f"{noise} {text}").gauss(0, noise)

        def answer(call: Call, task: Task, replies: list[str]) -> str:
            if "shown" in call.data:
                ranking = [
                    (-perceived_quality(task.contenders[index].text), n)
                    for n, index in enumerate(call.data["shown"])
                ]
                ranks = {
                    str(rank): f"System {'ABCDEFG'[n]}" for rank, (_, n) in enumerate(sorted(ranking), 1)
                }
                return json.dumps({"ranks": ranks, "Explanation": "So it seems."})
            if task.contenders:
                first, second = (task.contenders[call.data[word]].text for word in ("first", "second"))
                return replies[0] if perceived_quality(first) < perceived_quality(second) else replies[-1]
            level = round(min(1.0, max(0.0, perceived_quality(task.response))) * (len(replies) - 1))
            return replies[level]

        return answer


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    path: Path = tmp_path_factory.mktemp("construction") / "judgelab.db"
    with Server() as server:
        new_studio = Studio(open_store(new_sqlite(path)), server)
        endpoints.add_endpoint(new_studio.store, "local", base_url=server.url)
        for scale in SCALES:
            new_studio.project(scale)
        yield new_studio


def _role(number: int) -> panels.StoredRole:
    return panels.StoredRole(f"Reader {number}", "They read it.", "coarse", "person", ("dynamic:4",))


def _serves(protocol: Protocol, scale: dict[str, Any]) -> bool:
    return not protocol.refusal(
        Criterion("goodness", "Goodness", scale), protocol.settle({}), kind="qa", demonstrations=[SHOWN]
    )


@pytest.mark.parametrize("name", protocols.names())
def test_the_judge_that_knows_better_agrees_better(studio: Studio, name: str) -> None:
    protocol = protocols.get(name)
    studio.run(protocol, f"{name} good", studio.by_quality(0.05))
    studio.run(protocol, f"{name} worse", studio.by_quality(0.8))
    table = agreement_table(
        studio.store, _slug_of(protocol), level="item", coefficients=("kendall",), resamples=0
    )
    estimates = {row.rater: row.estimate.value for row in table.rows}
    knows, worse = estimates[f"{name} good"], estimates[f"{name} worse"]
    assert knows is not None and worse is not None
    assert knows > 0.6 and knows > worse + 0.15


def _slug_of(protocol: Protocol) -> str:
    return next(str(scale["kind"]) for scale in SCALES if _serves(protocol, scale))


@pytest.mark.parametrize("name", BESIDE)
def test_a_judge_that_goes_by_the_place_is_shown_up(studio: Studio, name: str) -> None:
    options, expected = BESIDE[name]

    def first(call: Call, task: Task, replies: list[str]) -> str:
        ranks = {str(n): f"System {'ABCDEFG'[n - 1]}" for n in range(1, len(task.contenders) + 1)}
        return expected or json.dumps({"ranks": ranks, "Explanation": "First come."})

    run_id = studio.run(protocols.get(name), f"{name} first", first, **options)
    report = position_report(studio.store, run_id)
    assert report is not None and report.first_rate.value == 1.0
    assert report.first_test.p is not None and report.first_test.p < 1e-6
    assert report.both_orders.consistency.value == 0.0
    assert report.both_orders.always_first == report.both_orders.consistency.n > 0
    assert report.both_orders.accuracy_consistent.value is None, "it never chose alike in both orders"
    assert (report.preferred_position, report.prefers_position) == (1, True), "each pair was shown both ways"
    if report.vs_raters.own.value is not None:
        assert (report.vs_raters.own.value, report.vs_raters.raters.value) == (1.0, 0.5)


def test_an_honest_judge_of_pairs_shows_no_place_and_its_choices_are_in_the_frame(studio: Studio) -> None:
    run_id = studio.run(protocols.get("pairwise"), "honest", studio.by_quality(0.0))
    report = position_report(studio.store, run_id)
    assert report is not None
    assert (report.first_rate.value, report.both_orders.consistency.value) == (0.5, 1.0)
    assert (report.preferred_position, report.prefers_position) == (
        0,
        False,
    ) and report.vs_raters.raters.value == 0.5
    right, tied = report.both_orders.accuracy_consistent, report.both_orders.accuracy_tied
    assert right.value == tied.value and right.n == tied.n == report.both_orders.consistency.n
    assert right.value is not None and right.value > 0.8, "the people are a little noisy"
    with studio.store.reading() as session:
        project = find_project(session, "ordinal").id
        frame = preference_frame(session, project)
        texts = {row.id: row.text for row in session.query(ResponseRow).filter_by(project_id=project)}
        scores = score_frame(session, project, kinds=("judge",)).query("rater == 'honest'")
    honest_rows = frame[frame["rater"] == "honest"]
    assert len(honest_rows) == ITEMS * SYSTEMS * (SYSTEMS - 1)
    assert set(honest_rows["order"]) == {"a", "b"} and set(honest_rows["rater_kind"]) == {"judge"}
    for row in honest_rows.itertuples():
        better = studio.quality(texts[row.response_a]) > studio.quality(texts[row.response_b])
        assert row.choice == ("a" if better else "b")
    best = scores.loc[scores.groupby("item")["score"].idxmax()]
    assert set(best["score"]) == {SYSTEMS - 1.0}
    pointwise = studio.run(protocols.get("direct"), "alone", studio.by_quality(0.0))
    assert position_report(studio.store, pointwise) is None
