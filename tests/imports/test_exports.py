"""A project that is exported and imported is the same project, whatever its texts hold."""

from __future__ import annotations

import csv
import itertools
import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import select

from judgelab.analysis.raters import work_list
from judgelab.annotation import service
from judgelab.annotation.links.options import options_from_json
from judgelab.errors import InvalidInput
from judgelab.escaping import escape_formula, unescape_formula
from judgelab.imports.exports import export_project
from judgelab.imports.service import collect_files, import_files
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.db.schema import open_store
from judgelab.store.models import (
    Assignment,
    Completion,
    CriterionRow,
    Decision,
    FailedCall,
    ItemRow,
    JudgeRow,
    Judgment,
    LearnedModelRow,
    Membership,
    PairDecision,
    Preference,
    PreparedReply,
    PromptRow,
    Rating,
    ResponseRow,
    Run,
    Unit,
    Verdict,
)
from judgelab.store.models.base import now
from judgelab.store.people import memberships, people, recruitment_links
from judgelab.store.prepared import panels
from judgelab.store.prepared.reference_lists import lists_of
from judgelab.store.prepared.worked_examples import examples_at
from judgelab.store.projects.projects import create_project, find_project, get_project, update_project
from judgelab.store.rating import gold, units
from judgelab.store.rating.policies import add_filter
from judgelab.store.transfer.export_material import MATERIAL
from judgelab.store.transfer.export_tables import TABLES
from judgelab.store.transfer.exporting import project_record, run_numbers, table_rows
from judgelab.store.transfer.imported_work import count_as_done
from judgelab.store.transfer.restored_judging import RUN_DEFAULTS
from tests.examples import examples
from tests.imports.prepared import CODE, prepare_all
from tests.rated_units import unit_of

ODD = (
    *("=HYPERLINK(1)", "+1+1", "-5", "-x", "@SUM", "\ttab", "\rcr", "'=x", "''", "'", "שלום עולם", "👩‍🔬"),
    *(
        "<script>alert(1)</script>",
        'say "yes", twice',
        "two\r\nlines",
        "\n",
        " ",
        "null",
        "NaN",
        "1e5",
        "\ufeff",
        "",
    ),
)
texts = st.sampled_from(ODD) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Path]]:
    """One database for all examples, each of which makes its own projects."""
    folder = tmp_path_factory.mktemp("export")
    store = open_store(f"sqlite:///{folder / 'test.db'}")
    yield store, folder
    store.close()


def fill(store: Store, slug: str, text: list[str]) -> None:
    """Make a project that has something in every table."""
    rated = [
        {
            "item_id": f"q{i}",
            "question": text[0],
            "context": text[1],
            "references": [{"text": f"r{text[2]}", "grade": 2.5}, "plain"],
            "responses": [
                {
                    "system": "a",
                    "text": text[3],
                    "ratings": [{"rater": "Ann", "criterion": "quality", "score": 1 + i, "comment": text[4]}],
                }
            ],
        }
        for i in range(2)
    ]
    judged = [
        {"item_id": "q0", "system": "a", "judge": "m", "score": 2, "rationale": text[5], "reply": text[6]},
        {"item_id": "q1", "system": "a", "judge": "m", "score": None, "reply": f"no {text[7]}"},
    ]
    measured = [{"item_id": "q0", "system": "a", "rater": "length", "rater_kind": "metric", "score": 0.1}]
    with store.writing() as session:
        project = create_project(session, name=slug, guidelines=text[0])
        add_filter(session, project.id, name="strict", options={"threshold": 0.4})
    for kind, rows in (("ratings", rated), ("judgments", judged), ("ratings", measured)):
        content = "\n".join(map(json.dumps, rows)).encode()
        import_files(store, slug, [("f.jsonl", content)], kind=kind)
    with store.writing() as session:
        run = next(iter(run_numbers(session, project.id)))
        audit.record(session, "started_run", project_id=project.id, detail={"run": run})
    ask(store, project.id, text)
    rate(store, project.id, text)
    compare(store, slug, text)
    surround(store, project.id, text)


def ask(store: Store, project_id: int, text: list[str]) -> None:
    """Let the judge's first reply be one that a model gave after a call that failed, read by a person."""
    with store.writing() as session:
        run = session.scalars(_of(Run, project_id)).one()
        run.mode, run.remote, run.cache, run.code_version = "batch", {"file": text[0]}, False, "0.1.0+git.abc"
        reply = session.scalars(select(Completion).join(Judgment).where(Judgment.run_id == run.id)).first()
        assert reply is not None
        session.merge(PromptRow(hash="h" * 64, messages=[{"role": "user", "content": "How good is it?"}]))
        reply.prompt_hash = "h" * 64
        reply.usage = {"prompt_tokens_details": {"cached_tokens": 32}}
        reply.request_id, reply.cached, reply.code_version = "req_1", True, "0.1.0"
        reply.logprobs, reply.top_logprobs = [["2", -0.1]], [[["2", -0.1], [text[1], -2.5]]]
        session.add(
            FailedCall(
                judgment_id=reply.judgment_id,
                sample=0,
                number=1,
                cause="truncated",
                message=text[2],
                status=200,
                request_id="req_0",
                body=text[3],
                sent={"model": "m", "stop": text[4]},
                latency=0.25,
                waited=1.5,
                prompt_tokens=7,
                completion_tokens=0,
                cost=0.5,
            )
        )
        verdict = session.scalars(select(Verdict).join(Judgment).where(Judgment.run_id == run.id)).one()
        verdict.detail, verdict.origin = {"votes": {"2": 1.0}}, "person"
        verdict.person_id, verdict.entered_at = people.find_or_create(session, "Dan", role=""), now()


def rate(store: Store, project_id: int, text: list[str]) -> None:
    """Let Bea do in the browser all that can be done there: rate, change, flag, skip, leave a draft."""
    with store.writing() as session:
        bea = people.find_or_create(session, "Bea")
        audit.record(session, "opened_judges", project_id=project_id, person_id=bea)

    def send(kind: str, item: int, **values: Any) -> None:
        op = {"uid": str(uuid.uuid4()), "kind": kind, "item": item, **values}
        assert (outcome := service.apply(store, bea, project_id, op)).state == "stored", outcome.message

    first, second = service.next_items(store, bea, project_id)
    send("rate", first.id, scores={"quality": 1}, comments={"quality": text[5][:200]}, seconds=2.5)
    send("undo", first.id)
    send("rate", first.id, scores={"quality": 2}, seconds=1.0)
    with store.writing() as session:
        session.get_one(Assignment, first.id).question_answers = {"why": text[7], "parts": ["a"], "n": 2.5}
    send("flag", second.id, reason=text[6])
    send("skip", second.id)
    with store.reading() as session:
        slug = get_project(session, project_id).slug
    entries = [entry.id for entry in work_list.work_list(store, slug)]
    work_list.mark_done(store, slug, entries, by=bea, note=text[6][:100])
    send("ask", second.id, text=f"?{text[2][:100]}")
    asked = next(e.id for e in work_list.work_list(store, slug) if e.key.kind == "message")
    work_list.answer(store, slug, asked, f"!{text[3][:100]}", by=bea)
    service.apply(store, bea, project_id, {"uid": str(uuid.uuid4()), "kind": "read", "last": 10_000})
    next_item = service.next_items(store, bea, project_id)[0]
    send("draft", next_item.id, scores={"quality": 1}, comments={"quality": text[7]})


def compare(store: Store, slug: str, text: list[str]) -> None:
    """Bring an item that people compared: a preference each way, a ranking, best and worst votes."""
    names = ["c", "a", "b"]
    item = {"item_id": "q2", "question": text[0], "responses": [{"system": s, "text": s} for s in names]}
    chosen = {
        **{"item_id": "q2", "response_a": "a", "response_b": "c", "rater": "Ann", "criterion": "quality"},
        **{"choice": "a", "first": "a", "strength": 2, "comment": text[1]},
    }
    tied = {**chosen, "response_b": "b", "choice": "tie", "rater": "Cid"}
    ranked = [{"item_id": "q2", "rater": "Ann", "criterion": "quality", "ranking": "b > a = c"}]
    voted = [{"item_id": "q2", "rater": "Cid", "criterion": "quality", "best": "a|b", "worst": "b"}]
    judged = {
        **{"item_id": "q2", "response_a": "b", "response_b": "c", "judge": "m", "criterion": "quality"},
        **{"choice": "b", "order": "a", "rationale": text[2], "confidence": 0.25},
    }
    for kind, rows in (
        ("items", [item]),
        ("judgments", [judged, {**judged, "choice": None, "order": "b"}]),
        *(("preferences", rows) for rows in ([chosen, tied], ranked, voted)),
    ):
        import_files(store, slug, [("f.jsonl", "\n".join(map(json.dumps, rows)).encode())], kind=kind)


def surround(store: Store, project_id: int, text: list[str]) -> None:
    """Add what only a project in full use has: places, known scores, evidence, decisions, a locked rule."""
    cohort = text[0].strip()[:80]
    with store.writing() as session:
        dan = people.find_or_create(session, "Dan", role="")
        memberships.join(session, project_id, dan, cohort="north", most_responses=7)
        memberships.save_training(session, project_id, dan, {"tries": 1, "share": 0.5})
        memberships.set_state(session, project_id, dan, "paused")
        items = {item.external_id: item for item in session.scalars(_of(ItemRow, project_id))}
        items["q0"].cohort = cohort or "north"
        responses = {r.external_id: r.id for r in session.scalars(_of(ResponseRow, project_id)) if r.item_id}
        first = session.scalars(_of(ResponseRow, project_id).order_by(ResponseRow.id)).all()
        (criterion,) = session.scalars(_of(CriterionRow, project_id))
        response_unit = unit_of(session, first[1].id)
        assert response_unit is not None
        gold.set_known_scores(
            session,
            project_id,
            response_unit,
            purpose="attention",
            scores={"quality": 2},
            tolerance=0.5,
            loud=True,
            explanation=text[3],
        )
        of_item = units.UnitContent(items["q2"].id, "list")
        ranked = units.find_or_add(session, project_id, [of_item])[of_item.key]
        order = {responses[name]: rank for rank, name in enumerate("bac", start=1)}
        gold.set_known_scores(
            session, project_id, ranked, purpose="gold", scores={}, places={"quality": order}
        )
        pair = units.UnitContent(items["q2"].id, "pair", tuple(sorted((responses["b"], responses["c"]))))
        pair_unit = units.find_or_add(session, project_id, [pair])[pair.key]
        session.add(
            Assignment(
                project_id=project_id,
                unit_id=pair_unit,
                person_id=dan,
                occasion=1,
                purpose="repeat",
                shown=[responses["b"], responses["c"]],
                draft={"form": "pairwise", "choices": {"quality": {"choice": "first", "strength": 1}}},
            )
        )
        marks = [{"part": "response", "start": 0, "end": 1, "text": text[4][:1]}]
        session.add(
            Rating(
                project_id=project_id,
                response_id=responses["c"],
                criterion_id=criterion.id,
                person_id=dan,
                score=None,
                comment=text[5],
                evidence=marks,
            )
        )
        prepare_all(session, project_id, text, person=dan)
        taught_by(session, project_id, criterion.id)
        session.add(
            Decision(
                project_id=project_id,
                response_id=first[0].id,
                criterion_id=criterion.id,
                score=1.0,
                reason=text[6],
                person_id=dan,
            )
        )
        a, b = sorted((responses["a"], responses["c"]))
        session.add(
            PairDecision(
                project_id=project_id,
                response_a=a,
                response_b=b,
                criterion_id=criterion.id,
                choice="b",
                reason=text[6],
                names_hidden=False,
                person_id=dan,
            )
        )
        count_as_done(session, project_id)


def taught_by(session: Session, project_id: int, criterion_id: int) -> None:
    """Add a learned judge and what it proposes; one unit was given out for that."""
    judge = JudgeRow(project_id=project_id, name="learned", origin="learned")
    session.add(judge)
    session.flush()
    session.add(
        LearnedModelRow(
            judge_id=judge.id,
            criterion_id=criterion_id,
            data_hash="0f",
            model={"weights": [-0.1, 1e-9]},
            report={"null": None},
        )
    )
    unit = session.scalars(_of(Unit, project_id).where(Unit.kind == "response").order_by(Unit.id)).first()
    assignment = session.scalars(_of(Assignment, project_id).order_by(Assignment.id)).first()
    assert unit is not None and assignment is not None
    unit.turn, assignment.turn = 1, 2


def _of(table: Any, project_id: int) -> Any:
    return select(table).where(table.project_id == project_id)


def content(store: Store, slug: str) -> dict[str, Any]:
    with store.reading() as session:
        project = find_project(session, slug)
        tables = {table.name: list(table_rows(session, project.id, table)) for table in TABLES}
        head = project_record(session, project.id)
    head["project"].pop("name")
    return {**tables, **head}


@pytest.mark.parametrize("file_format", ["csv", "jsonl", "parquet"])
@examples(4)
@given(text=st.lists(texts, min_size=8, max_size=8))
@example(text=list(ODD[:8]))
@example(text=list(ODD[8:16]))
@example(text=list(ODD[14:22]))
def test_a_round_trip_gives_the_same_project(
    shared: tuple[Store, Path], file_format: str, text: list[str]
) -> None:
    store, folder = shared
    number = next(NUMBERS)
    first, second, out = f"a{number}", f"b{number}", folder / f"x{number}"
    fill(store, first, text)
    export_project(store, first, out, file_format=file_format)
    assert import_files(store, second, collect_files([out])).judgments == 2
    assert content(store, second) == content(store, first)
    repeated = import_files(store, second, collect_files([out]))
    assert (repeated.items, repeated.ratings, repeated.judgments, repeated.metrics, repeated.changed) == (
        0,
        0,
        0,
        0,
        {},
    )
    assert (repeated.preferences, repeated.rankings) == (0, 0)
    assert content(store, second) == content(store, first)


def test_what_an_existing_project_keeps_of_its_own_is_said(store: Store, tmp_path: Path) -> None:
    fill(store, "p", ["x"] * 8)
    export_project(store, "p", tmp_path / "out")
    assert import_files(store, "p", collect_files([tmp_path / "out"])).notices == ()
    head = tmp_path / "out" / "project.json"
    older = json.loads(head.read_text())
    del older["project"]["settings"]["ask_evidence"]  # not named before there was such a setting
    head.write_text(json.dumps(older))
    assert import_files(store, "p", collect_files([tmp_path / "out"])).notices == ()
    with store.writing() as session:
        update_project(session, find_project(session, "p").id, guidelines="Other ones.")
        session.query(CriterionRow).filter_by(key="quality").one().question = "How good?"
    (notice,) = import_files(store, "p", collect_files([tmp_path / "out"])).notices
    assert notice.startswith("the export differs in guidelines, criterion “")
    assert notice.endswith("”; this project keeps its own")
    with store.reading() as session:
        assert find_project(session, "p").guidelines == "Other ones."


def test_a_rater_goes_on_in_the_copy_where_they_were(store: Store, tmp_path: Path) -> None:
    fill(store, "p", ["x"] * 8)
    export_project(store, "p", tmp_path / "out")
    import_files(store, "copy", collect_files([tmp_path / "out"]))
    with store.reading() as session:
        copied, bea = find_project(session, "copy").id, people.find_or_create(session, "Bea")
    rated_item = next(item for item in service.next_items(store, bea, copied) if item.scores)
    assert (rated_item.scores, rated_item.comments, rated_item.flag) == (
        {"quality": 1},
        {"quality": "x"},
        "x",
    )
    assert service.progress(store, bea, copied).done == 1
    op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": rated_item.id, "scores": {"quality": 1}}
    assert service.apply(store, bea, copied, op).state == "stored"
    assert service.progress(store, bea, copied).done == 2


@given(texts)
def test_guarding_is_undone(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text


def test_a_spreadsheet_runs_nothing_and_numbers_stay_numbers(store: Store, tmp_path: Path) -> None:
    fill(store, "p", ["=1+1", "@x", "-5", "+cmd|x", "\tx", "-", "=", "x"])
    export_project(store, "p", tmp_path / "out")
    with (tmp_path / "out" / "responses.csv").open(newline="", encoding="utf-8") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert "'+cmd|x" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t", "\r"))]
    with (tmp_path / "out" / "metric_scores.csv").open(newline="", encoding="utf-8") as file:
        assert [row["score"] for row in csv.DictReader(file)] == ["0.1"]


def test_a_second_export_replaces_the_first_in_whatever_format(store: Store, tmp_path: Path) -> None:
    fill(store, "p", ["x"] * 8)
    export_project(store, "p", tmp_path / "out", file_format="csv")
    export_project(store, "p", tmp_path / "out", file_format="parquet")
    assert not list((tmp_path / "out").glob("*.csv"))


def test_a_folder_with_other_files_is_left_alone(store: Store, tmp_path: Path) -> None:
    fill(store, "p", ["x"] * 8)
    (tmp_path / "project.json").write_text("{}", encoding="utf-8")
    (tmp_path / "items.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidInput, match="contains other files"):
        export_project(store, "p", tmp_path)
    assert (tmp_path / "items.csv").read_text(encoding="utf-8") == "mine"


def test_an_export_that_was_cut_is_refused_whole(store: Store, tmp_path: Path) -> None:
    fill(store, "p", ["x"] * 8)
    export_project(store, "p", tmp_path / "out")
    ratings = tmp_path / "out" / "responses.csv"
    ratings.write_text(ratings.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="export again"):
        import_files(store, "other", collect_files([tmp_path / "out"]))
    with store.reading() as session, pytest.raises(Exception, match="no project named 'other'"):
        find_project(session, "other")


def test_unfinished_runs_come_back_paused(store: Store, tmp_path: Path) -> None:
    fill(store, "p", ["x"] * 8)
    export_project(store, "p", tmp_path / "out")
    head = tmp_path / "out" / "project.json"
    head.write_text(head.read_text(encoding="utf-8").replace('"state": "done"', '"state": "running"'))
    import_files(store, "other", collect_files([tmp_path / "out"]))
    assert content(store, "other")["runs"][0]["state"] == "paused"


def test_a_choice_is_turned_where_responses_lie_in_another_order(store: Store, tmp_path: Path) -> None:
    fill(store, "p", ["x"] * 8)
    export_project(store, "p", tmp_path / "out")
    with store.writing() as session:
        create_project(session, name="other")
    texts = "item_id,question,system,response\nq2,x,a,a\nq2,x,b,b\nq2,x,c,c\n"
    import_files(store, "other", [("texts.csv", texts.encode())])
    assert import_files(store, "other", collect_files([tmp_path / "out"])).preferences == 2
    chosen = {}
    for slug in ("p", "other"):
        with store.reading() as session:
            names = {row.id: row.external_id for row in session.scalars(select(ResponseRow))}
            rows = session.scalars(_of(Preference, find_project(session, slug).id)).all()
            chosen[slug] = [
                (names[{"a": r.response_a, "b": r.response_b}[r.choice]], names[r.response_a], r.first)
                for r in rows
                if r.choice != "tie"
            ]
    assert chosen == {"p": [("a", "c", "b")], "other": [("a", "a", "a")]}


def test_a_file_gives_nobody_the_right_to_research(store: Store, tmp_path: Path) -> None:
    fill(store, "p", ["x"] * 8)
    with store.writing() as session:
        project = find_project(session, "p").id
        for name, role in (("Eve", "owner"), ("Fay", "reader")):
            person = people.find_or_create(session, name, role="")
            session.add(Membership(project_id=project, person_id=person, role=role))
    export_project(store, "p", tmp_path / "out")
    report = import_files(store, "careful", collect_files([tmp_path / "out"]))
    assert [notice for notice in report.notices if "read-only access in the copy: Eve" in notice]
    import_files(store, "trusted", collect_files([tmp_path / "out"]), grant_roles=True)
    roles = {}
    for slug in ("careful", "trusted"):
        with store.reading() as session:
            members = memberships.memberships(session, find_project(session, slug).id)
        roles[slug] = {member.name: member.role for member in members}
    assert roles["careful"]["Eve"] == "reader"
    assert roles["trusted"]["Eve"] == "owner"
    assert roles["careful"]["Fay"] == "reader"


def test_backgrounds_leave_only_when_they_are_asked_for(store: Store, tmp_path: Path) -> None:
    fill(store, "p", ["x"] * 8)
    with store.writing() as session:
        row = session.scalars(_of(Membership, find_project(session, "p").id)).first()
        assert row is not None
        row.background, row.external_id, row.parameters = {"age": "33"}, "5f3c", {"PROLIFIC_PID": "5f3c"}
        row.exit_answers = {"tools": ["search", "notes"]}
    export_project(store, "p", tmp_path / "plain")
    exported = b"".join(path.read_bytes() for path in (tmp_path / "plain").iterdir())
    assert b"5f3c" not in exported
    assert b'"age"' not in exported and b'"tools"' not in exported
    export_project(store, "p", tmp_path / "full", backgrounds=True)
    import_files(store, "copy", collect_files([tmp_path / "full"]))
    with store.reading() as session:
        rows = session.scalars(_of(Membership, find_project(session, "copy").id)).all()
    assert {"age": "33"} in [row.background for row in rows]
    answers = [row.exit_answers for row in rows]
    assert {"tools": ["search", "notes"]} in answers
    assert None in answers, "who was not asked is not told apart from who answered nothing"
    assert "5f3c" in [row.external_id for row in rows]
    export_project(store, "p", tmp_path / "full")
    assert not list((tmp_path / "full").glob("backgrounds*"))


def test_an_export_of_the_first_version_is_read(store: Store, tmp_path: Path) -> None:
    fill(store, "p", ["x"] * 8)
    export_project(store, "p", tmp_path / "out", file_format="jsonl")
    head = tmp_path / "out" / "project.json"
    header = json.loads(head.read_text(encoding="utf-8"))
    policies = [{k: v for k, v in p.items() if k not in {"sha256", "lock"}} for p in header["policies"]]
    runs = [{k: v for k, v in run.items() if k not in RUN_DEFAULTS} for run in header["runs"]]
    older = {**header, "version": 1, "policies": policies, "runs": runs}
    head.write_text(json.dumps(older), encoding="utf-8")
    for table in TABLES:
        path = tmp_path / "out" / f"{table.name}.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        new = {
            "memberships",
            "gold_scores",
            "preferences",
            "rankings",
            "decisions",
            "failed_calls",
            "pair_decisions",
            "work_list_marks",
            "messages",
        }
        new |= {"tags", "judged_pairs", *(material.name for material in MATERIAL)}
        if table.name in new:
            path.unlink()
            continue
        old = [row for row in rows if row.get("unit", "response") == "response" and not row.get("occasion")]
        reduced_rows = [{k: v for k, v in row.items() if k not in table.lacking(1)} for row in old]
        path.write_text("".join(json.dumps(row) + "\n" for row in reduced_rows), encoding="utf-8")
    report = import_files(store, "old", collect_files([tmp_path / "out"]))
    assert (report.items, report.judgments) == (3, 2)
    original, imported = content(store, "p"), content(store, "old")
    assert [row[:5] for row in imported["rating_events"]] == [row[:5] for row in original["rating_events"]]
    assert {row[4] for row in imported["items"]} == {"data"}
    # The row ids that such an export holds are those of another database.
    demonstrations = imported["runs"][0]["selection"]["demonstrations"]["quality"]
    assert [row["response_id"] for row in demonstrations] == [None, None]
    assert "excluded" not in imported["runs"][0]["selection"]


def test_every_table_of_an_export_is_filled(store: Store) -> None:
    fill(store, "p", ["x"] * 8)
    assert not [name for name, rows in content(store, "p").items() if not rows]


def test_the_references_of_a_run_lead_to_the_copys_own_rows(any_store: Store, tmp_path: Path) -> None:
    store = any_store
    fill(store, "p", ["x"] * 8)
    export_project(store, "p", tmp_path / "out", file_format="jsonl")
    import_files(store, "copy", collect_files([tmp_path / "out"]))
    texts_and_reasons = {}
    for slug in ("p", "copy"):
        with store.reading() as session:
            project = find_project(session, slug).id
            names = {r.id: r.external_id for r in session.scalars(_of(ResponseRow, project)) if r.item_id}
            selection = session.scalars(_of(Run, project)).one().selection
            (first, free) = selection["demonstrations"]["quality"]
            worked_examples = examples_at(session, project, "studio")
            lists = {(name, draw): lists_of(session, project, name, draw) for name, draw in (("lists", 1),)}
            entries = [
                entry
                for lists_ in lists.values()
                for item_list in lists_.values()
                for entry in item_list.entries
            ]
            replies = {entry.reply_id for entry in entries if entry.reply_id}
            texts = [session.get_one(PreparedReply, reply).text for reply in replies]
        assert {*selection["responses"], *selection["excluded"]} <= set(names)
        assert int(first["response_id"]) in names and free["response_id"] is None
        assert [example.key for example in worked_examples] == [
            f"quality:{example.response_id}" for example in worked_examples
        ]
        assert {
            example.response_id for example in (*worked_examples, *entries) if example.response_id
        } <= set(names)
        assert len(texts) == 1
        texts_and_reasons[slug] = texts, [example.reasoning for example in worked_examples]
    assert texts_and_reasons["p"] == texts_and_reasons["copy"] == (["x"], ["Refined."])


def test_a_study_link_comes_back_closed_with_a_new_address_and_without_its_codes(
    store: Store, tmp_path: Path
) -> None:
    fill(store, "p", ["x"] * 8)
    with store.writing() as session:
        project = find_project(session, "p").id
        opened = recruitment_links.of_project(session, project)[0]
        recruitment_links.change(session, opened.id, closed_at=None)
    export_project(store, "p", tmp_path / "out")
    exported = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    assert opened.token.encode() not in exported and CODE.encode() not in exported
    report = import_files(store, "copy", collect_files([tmp_path / "out"]))
    assert [notice for notice in report.notices if "crowd are closed in the copy" in notice]
    with store.reading() as session:
        (link,) = recruitment_links.of_project(session, find_project(session, "copy").id)
    read = options_from_json(link.options)
    assert link.closed_at is not None and link.token not in ("", opened.token)
    assert (read.places, read.minutes, read.consent, read.fields[0].label) == (7, 30.0, "x", "Age")
    assert not read.finished.shown


def test_what_a_panel_seats_is_not_changed_by_an_import(store: Store, tmp_path: Path) -> None:
    fill(store, "p", ["x"] * 8)
    export_project(store, "p", tmp_path / "out")
    with store.writing() as session:
        project = find_project(session, "p").id
        panels.save_roles(session, project, None, [], "roles")
        items = [row.id for row in session.scalars(_of(ItemRow, project))]
        panels.save_roles(session, project, items[0], [panels.StoredRole("Other", kind="fine")], "roles")
        panels.delete_panel(session, project, "mine")
    import_files(store, "p", collect_files([tmp_path / "out"]))
    with store.reading() as session:
        assert panels.static_roles(session, project) == []
        assert [role.type for role in panels.item_roles(session, project, items)[items[0]]] == ["Other"]
        assert [static_role.type for static_role in panels.static_roles(session, project, "mine")] == [
            "Nurse"
        ]
        assert len(panels.item_roles(session, project, items, "mine")[items[0]]) == 2
