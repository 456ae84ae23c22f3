"""Lists of references: drawn by a pattern or written, kept from being judged, never changed behind a run."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.preparation.generation.generate import WriterModel
from judgelab.preparation.lists.editing import copy_set, delete_set, edit_entry, list_sets, lists_of_set
from judgelab.preparation.lists.material import Texts, golden_references, graded_texts, refuse_without_grades
from judgelab.preparation.lists.patterns import GradedText, draw_list, grade_of, read_pattern
from judgelab.preparation.lists.plan import ListPlan
from judgelab.preparation.lists.reference_lists import estimate_lists, make_lists
from judgelab.preparation.lists.written_texts import read_gold, read_lower
from judgelab.preparation.step import prepare
from judgelab.preparation.steps.reference_lists import read_draws
from judgelab.runs import service
from judgelab.runs.metrics.scoring import score_project
from judgelab.runs.plan import run_builder
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Store
from judgelab.store.judging.judgments import unit_of
from judgelab.store.models import CriterionRow, ItemRow, Rating, ReferenceRow, ResponseRow
from judgelab.store.prepared.panels import count_without_reference
from judgelab.store.prepared.rated_rows import rated_rows
from judgelab.store.prepared.source_texts import source_texts
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.rating.ratings import answer_texts
from tests.runs.projects import rate

SCALE = {"kind": "ordinal", "low": 1, "high": 4}


def open_questions(store: Store, grades: dict[str, list[int]]) -> str:
    """Store questions whose answers have these grades (1 to 4) by one person; the slug."""
    rated = {}
    with store.writing() as session:
        project = create_project(session, name="Open", criteria=[Criterion("quality", "Quality", SCALE)])
        for name, item_grades in grades.items():
            item = ItemRow(project_id=project.id, external_id=name, question=f"Why {name}?")
            session.add(item)
            session.flush()
            for n, grade in enumerate(item_grades):
                row = ResponseRow(
                    project_id=project.id, item_id=item.id, external_id=f"{name}r{n}", text=f"{name} {n}."
                )
                session.add(row)
                session.flush()
                rated[row.id] = float(grade)
    rate(store, project.slug, rated, criterion="quality")
    return project.slug


def test_a_pattern_draws_as_many_of_each_grade_as_it_wants_best_first_and_no_text_twice() -> None:
    texts = [GradedText(f"{grade}-{n}", grade) for grade in range(4) for n in range(3)] + [
        GradedText("3-0", 3)
    ]
    entries, missing = draw_list(texts, read_pattern("33221100"), random.Random(1))
    assert [entry.grade for entry in entries] == [3, 3, 2, 2, 1, 1, 0, 0] and not missing
    assert len({entry.text for entry in entries}) == 8
    shuffled = random.Random(2).sample(texts, len(texts))
    assert draw_list(shuffled, read_pattern("33221100"), random.Random(1))[0] == entries
    draw_counts = Counter(
        entry.text for seed in range(300) for entry in draw_list(texts, (3,), random.Random(seed))[0]
    )
    assert set(draw_counts) == {"3-0", "3-1", "3-2"} and min(draw_counts.values()) > 70
    short_list, missing_grades = draw_list(texts, read_pattern("33333100"), random.Random(1))
    assert [entry.grade for entry in short_list] == [3, 3, 3, 1, 0, 0] and missing_grades == [3, 3]
    for pattern in ("", "0123", "3-2", "٣٢", "3" * 21):
        with pytest.raises(InvalidInput, match="not a valid grade pattern"):
            read_pattern(pattern)
    scale = scale_from_json(SCALE)
    assert [grade_of(mean, scale) for mean in (1, 2.4, 2.5, 4)] == [0, 1, 2, 3]
    assert read_draws("1-3,2, 5") == (1, 2, 3, 5)
    with pytest.raises(InvalidInput, match="can't read the draws"):
        read_draws("all")


def test_members_of_a_list_are_never_judged_with_it_and_every_draw_is_another(store: Store) -> None:
    slug = open_questions(store, {f"q{n}": [4, 4, 4, 3, 3, 2, 2, 1] for n in range(6)} | {"poor": [1, 1]})
    reports = make_lists(store, slug, ListPlan(pattern="3210", draws=(1, 2)))
    assert [(report.lists, report.complete, report.missing) for report in reports] == [
        (7, 6, {3: 1, 2: 1, 1: 1})
    ] * 2
    assert [report.undefined for report in reports] == [1, 1]  # "poor" is left with one answer
    first, second = (
        {
            report.item: [entry.response_id for entry in report.entries]
            for report in lists_of_set(store, slug, "references", draw)
        }
        for draw in (1, 2)
    )
    assert first != second
    redrawn = make_lists(store, slug, ListPlan(pattern="3210", draws=(1,), anew=True))
    assert redrawn[0].lists == 7
    one_more = lists_of_set(store, slug, "references", 1)
    assert {report.item: [entry.response_id for entry in report.entries] for report in one_more} == first
    spec = JudgeSpec("linkage", "rule", "scripted", options={"draw": 2})
    with store.reading() as session:
        draft = run_builder.build_run(session, find_project(session, slug), spec, Selection())
    judged_responses = {unit.response_id for unit in draft.units}
    members = {response for responses in second.values() for response in responses}
    assert members == set(draft.excluded) and not members & judged_responses
    assert len(judged_responses) == 6 * 8 + 2 - len(members)


def test_what_a_run_was_shown_stays_and_is_changed_in_a_copy(any_store: Store) -> None:
    store = any_store
    slug = open_questions(store, {"q1": [4, 3, 2, 1, 1, 2], "q2": [4, 3, 2, 1, 3]})
    prepare(store, slug, "references", {"draw": "1-2", "pattern": "3210"})
    item_list = lists_of_set(store, slug, "references", 2)[0]
    edit_entry(store, slug, item_list.id, 1, " Better words. ")
    changed_list = lists_of_set(store, slug, "references", 2)[0]
    assert changed_list.entries[1].text == "Better words." and changed_list.entries[1].edited
    assert changed_list.entries[1].response_id is None and changed_list.edited_at
    service.create_run(store, slug, JudgeSpec("linkage", "rule", "scripted", options={"draw": 2}))
    runs_of_set = {(list_set.name, list_set.draw): list_set.runs for list_set in list_sets(store, slug)}
    assert runs_of_set == {("references", 1): 0, ("references", 2): 1}
    for refused in (
        lambda: edit_entry(store, slug, item_list.id, 0, "Other."),
        lambda: delete_set(store, slug, "references", 2),
        lambda: make_lists(store, slug, ListPlan(draws=(2,), anew=True)),
    ):
        with pytest.raises(InvalidInput, match="used the lists 'references', draw 2"):
            refused()
    with pytest.raises(InvalidInput, match="already exist with other settings"):
        make_lists(store, slug, ListPlan(draws=(1,), pattern="32"))
    copy_set(store, slug, "references", 2, to="mine")
    edit_entry(store, slug, lists_of_set(store, slug, "mine", 2)[0].id, 0, "Other.")
    delete_set(store, slug, "references", 1)
    assert {(list_set.name, list_set.draw, list_set.edited) for list_set in list_sets(store, slug)} == {
        ("mine", 2, 1),
        ("references", 2, 1),
    }


def script(path: Path, **lower: list[str]) -> Path:
    """Write a script: how a golden text is written, and the worse ones by question."""
    replies_by_prompt = {f"Why {name}?": replies for name, replies in lower.items()}
    replies_by_prompt = {
        "Rewrite this": ["Answer: Golden."],
        "Write the best": ["From nothing."],
        **replies_by_prompt,
    }
    replies_by_prompt["Write three more"] = ["Answer1: Fair.\nAnswer2: Poor.\nAnswer3: Nonsense."]
    path.write_text(json.dumps(replies_by_prompt), encoding="utf-8")
    return path


def test_models_write_lists_from_one_gold_answer_and_each_grade_is_drawn_from_several(
    store: Store, tmp_path: Path
) -> None:
    slug = open_questions(store, {f"q{n}": [4, 4, 1] for n in range(8)})
    with store.writing() as session:
        for item in session.query(ItemRow).filter(ItemRow.external_id != "q7"):
            session.add(ReferenceRow(item_id=item.id, position=0, grade=None, text="Known."))
    gold, other_script = script(tmp_path / "gold.json"), script(tmp_path / "other.json")
    other_script.write_text(other_script.read_text().replace("Fair", "Fairish").replace("Poor", "Poorish"))
    plan = ListPlan(
        source="one_gold",
        name="written",
        draws=(1, 2),
        writer=WriterModel(str(gold), "scripted"),
        lower=(WriterModel(str(gold), "scripted"), WriterModel(str(other_script), "scripted")),
    )
    expected = estimate_lists(store, slug, plan)
    assert expected is not None and (expected.calls, expected.reused) == (8 * 3, 0)
    first, second = make_lists(store, slug, plan)
    assert (first.lists, first.complete, first.bill.calls) == (8, 8, 24)
    assert second.bill.reused >= 7 * 3  # drawn anew from what is written, but for q7's other golden answer
    lists = lists_of_set(store, slug, "written", 1)
    assert {item_list.entries[0].text for item_list in lists} == {"Golden."}
    assert [entry.grade for entry in lists[0].entries] == [3, 2, 1, 0]
    assert {item_list.entries[1].text for item_list in lists} == {"Fair.", "Fairish."}
    assert all(entry.origin.startswith("model:") and entry.reply_id for entry in lists[0].entries)
    # q7 has no reference: one of its best answers stood model, and is not judged.
    assert lists[7].entries[0].response_id is not None and lists[0].entries[0].response_id is None
    assert first.reserved == 1


@pytest.mark.parametrize("texts", ["auto", "responses", "references"])
@pytest.mark.parametrize(
    "change", ["none", "unrated", "lower is better", "no points", "surplus", "check items"]
)
def test_what_drawing_lists_would_refuse_is_refused_without_reading_any_text(
    store: Store, change: str, texts: Texts
) -> None:
    slug = open_questions(store, {"q0": [] if change == "unrated" else [4, 1]})
    with store.writing() as session:
        (criterion,) = session.query(CriterionRow)
        if change == "lower is better":
            criterion.higher_is_better = False
        if change == "no points":
            criterion.scale = {"kind": "numeric", "low": 0, "high": 9.5}
        for rating in session.query(Rating):
            rating.surplus = change == "surplus"
        for item in session.query(ItemRow):
            item.purpose = "training" if change == "check items" else "data"
    with store.reading() as session:
        project = find_project(session, slug)
        items = source_texts(session, project.id)
        drawing_refusal, check_refusal = outcomes(
            graded_texts, refuse_without_grades, (session, project, items), texts
        )
    assert drawing_refusal == check_refusal
    assert (drawing_refusal is None) == (change == "none" and texts != "references")


def outcomes(*checks: Any) -> list[str | None]:
    """Return what each way of asking was refused with."""
    *functions, arguments, texts = checks
    messages: list[str | None] = []
    for function in functions:
        try:
            function(*arguments, texts=texts)
            messages.append(None)
        except InvalidInput as error:
            messages.append(str(error))
    return messages


def test_unreadable_replies_are_asked_for_again_and_then_counted(store: Store, tmp_path: Path) -> None:
    slug = open_questions(store, {"q0": [4], "q1": [4]})
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"Why q1?": ["I will not."], **json.loads(script(path).read_text())}))
    outcome = prepare(
        store, slug, "references", {"source": "no_gold", "model": str(path), "backend": "scripted"}
    )
    (report,) = outcome.data["lists"]
    assert report["lists"] == 1 and report["calls"] == 1 + 1 + 1 + 3 and outcome.missing == 1
    assert report["skipped"] == {"no reply contained three worse texts": 1} and report["cost"] is None
    (item_list,) = lists_of_set(store, slug, "references", 1)
    assert [entry.text for entry in item_list.entries] == ["From nothing.", "Fair.", "Poor.", "Nonsense."]


def test_replies_of_writers_are_read_whole_or_not_at_all() -> None:
    assert read_lower("**Answer 1:** A.\nmore\n\nAnswer2. B.\n- Answer3) C.") == ["A.\nmore", "B.", "C."]
    for malformed in ("Answer1: A.\nAnswer2: B.", "Answer1:\nAnswer2: B\nAnswer3: C", "A, B, C", ""):
        assert read_lower(malformed) == []
    assert read_gold("Golden answer: It is so.\nYes.") == "It is so.\nYes."


def test_graded_references_are_lists_and_leave_every_response_to_be_judged(store: Store) -> None:
    slug = open_questions(store, {"q1": [4, 1]})
    with store.writing() as session:
        item = session.query(ItemRow).one()
        for position, grade in enumerate((3.0, 1.0, 2.0, None)):
            session.add(ReferenceRow(item_id=item.id, position=position, grade=grade, text=f"Known {grade}."))
    (report,) = make_lists(store, slug, ListPlan(pattern="210"))
    (item_list,) = lists_of_set(store, slug, "references", 1)
    assert [entry.text for entry in item_list.entries] == ["Known 3.0.", "Known 2.0.", "Known 1.0."]
    assert (report.reserved, report.undefined) == (0, 0)
    with pytest.raises(InvalidInput, match="lists need a name"):
        prepare(store, slug, "references", {"name": " "})


def test_the_best_answer_becomes_the_reference_and_is_not_compared_with_itself(store: Store) -> None:
    slug = open_questions(store, {"q1": [2, 4, 4, 1], "q2": [1, 1], "q3": []})
    with store.writing() as session:
        row = session.query(ResponseRow).filter_by(external_id="q1r3").one()
        row.text = "q1 1. "  # a copy of the answer that becomes the reference
    outcome = prepare(store, slug, "references", {"kind": "best"})
    assert outcome.data == {"stored": 2, "had_one": 0, "unrated": 1} and outcome.missing == 1
    with store.reading() as session:
        texts = [row.text for row in session.query(ReferenceRow).order_by(ReferenceRow.item_id)]
    assert texts == ["q1 1.", "q2 0."]
    (report,) = score_project(store, slug, ["rouge1"]).metrics
    assert (report.scored, report.missing) == (3, 3)
    assert list(report.reasons) == ["it is itself the reference to compare with"]
    assert prepare(store, slug, "references", {"kind": "best"}).data["had_one"] == 2


def test_no_judge_and_no_rater_is_shown_a_reference_that_its_human_ratings_chose(store: Store) -> None:
    slug = open_questions(store, {"q1": [2, 4]})
    prepare(store, slug, "references", {"kind": "best"})
    with store.reading() as session:
        project = find_project(session, slug)
        item = session.query(ItemRow).one()
        best = session.query(ResponseRow).filter_by(external_id="q1r1").one()
        unit = unit_of(session, best.id, "quality")
        assert unit is not None and list(unit.references) == []
        assert [list(row.references) for row in rated_rows(session, project.id)] == [[], []]
        assert answer_texts(session, [best.id])[best.id].references == ()
        assert count_without_reference(session, [item.id]) == 1
        (source,) = source_texts(session, project.id)
        graded = graded_texts(session, project, [source], texts="responses")
        assert [reference.text for reference in source.references] == ["q1 1."] and source.known == []
        (gold,) = golden_references([source], graded)[item.id]
        assert (gold.text, gold.response_id) == ("q1 1.", best.id)  # a list keeps it from being judged
