"""Bonuses of participants, and the files for a platform's bulk tools; all amounts are computed by hand."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from judgelab.accounts import erasure, members
from judgelab.annotation import service
from judgelab.annotation.links.options import LinkOptions
from judgelab.crowd import bonuses, bulk_files, joining, links, participants
from judgelab.crowd.bonuses import read_list
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.imports.exports import export_project
from judgelab.imports.service import collect_files, import_files
from judgelab.money import pay_for, read_amount
from judgelab.store.db.engine import Store
from judgelab.store.models import Audit, Membership
from judgelab.store.people import memberships
from judgelab.store.projects.projects import find_project
from tests.crowd.conftest import Study, make_study


def given(study: Study) -> dict[str, tuple[str, str] | None]:
    """Return each bonus and its reason by platform ID."""
    with study.store.reading() as session:
        people = bonuses.bonuses.payees(session, study.project)
    return {p.external_id: (str(p.bonus.amount), p.bonus.reason) if p.bonus else None for p in people}


def logged(study: Study) -> list[dict[str, object]]:
    with study.store.reading() as session:
        return [line.detail for line in session.query(Audit).filter_by(action="set_bonuses")]


@pytest.mark.parametrize(
    ("written", "amount"), [("2.5", "2.50"), (" 0,05 ", "0.05"), ("12", "12.00"), ("100000", "100000.00")]
)
def test_an_amount_is_read_with_two_decimals(written: str, amount: str) -> None:
    assert str(read_amount(written)) == amount


@pytest.mark.parametrize(
    "written", ["", "-1", "1.234", "1,000", "1e3", "£2", "nan", "100000.01", "٣", "1.", ".5", "1 000"]
)
def test_what_may_mean_another_amount_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput):
        read_amount(written)


def test_pay_is_rounded_half_up_from_decimals() -> None:
    # 6.3 s at 10 an hour are 0.0175, 0.9 s at 100 are 0.025, 0.54 s are 0.015.
    assert [str(pay_for(s, per_hour=r)) for s, r in ((6.3, 10), (0.9, 100), (0.54, 100), (5400, 12.35))] == [
        *("0.02", "0.03", "0.02", "18.53")  # 1.5 h at 12.35 are 18.525
    ]


def test_a_list_is_read_with_a_heading_and_any_separator() -> None:
    lines = read_list(
        '\ufeffparticipant_id,amount,reason\r\np1,2.5,"careful, and fast; thanks"\r\n\r\np2,0\r\n'
    )
    assert [(line.line, line.external_id, str(line.bonus.amount), line.bonus.reason) for line in lines] == [
        (2, "p1", "2.50", "careful, and fast; thanks"),
        (4, "p2", "0", ""),
    ]
    assert [str(line.bonus.amount) for line in read_list("p1;2,50\np2;1")] == ["2.50", "1.00"]
    assert read_list("p1\t1\tso, so")[0].bonus.reason == "so, so"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one line with a participant ID"),
        ("p1,1\np2", "line 2: write participant ID"),
        ("p1,1\np2,one", "line 2: 'one' is not an amount"),
        ("p1,1\np1,2", "line 2: 'p1' is already on line 1"),
        ("p1,1\np2,2,50", "line 2: '2,50' has a decimal comma; write a decimal point"),
        (",1", "line 1: the participant ID is missing"),
        ("p1,1,a,b", "line 1: write participant ID"),
        ("p1,1," + "x" * 201, "line 1: a reason can have at most 200"),
    ],
)
def test_a_mistake_in_a_list_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_list(text)


def test_a_list_sets_all_bonuses_or_none(study: Study) -> None:
    study.join("p1"), study.join("p2")
    with pytest.raises(InvalidInput, match="line 2: no participant has the ID 'p9'"):
        bonuses.set_all(study.store, None, study.project, read_list("p1,2.50\np9,1"))
    assert given(study) == {"p1": None, "p2": None} and logged(study) == []
    assert bonuses.set_all(study.store, None, study.project, read_list("p1,2.50,careful\np2,0")) == 1
    assert given(study) == {"p1": ("2.50", "careful"), "p2": None}
    assert bonuses.set_all(study.store, None, study.project, read_list("p1,2.50,careful")) == 0
    assert bonuses.set_all(study.store, None, study.project, read_list("p1,0")) == 1
    assert given(study) == {"p1": None, "p2": None}
    amounts = [
        (line["n"], line["bonuses"][0]["amount"], line["bonuses"][0]["before"]) for line in logged(study)
    ]  # type: ignore[index]
    assert amounts == [(1, "2.50", None), (1, "0", "2.50")]
    assert "careful" not in str(logged(study)), "erasing a person could not find it there"


def test_one_id_on_two_platforms_is_told_apart_by_the_link(study: Study) -> None:
    study.join("p1")
    options = LinkOptions(person="WORKER", consent="Yes?")
    other = links.create(study.store, None, study.project, "Other", options)
    joining.join(study.store, other.token, {"WORKER": ["p1"]}, {})
    with pytest.raises(InvalidInput, match="line 1: 'p1' joined through more than one link"):
        bonuses.set_all(study.store, None, study.project, read_list("p1,1"))
    assert bonuses.set_all(study.store, None, study.project, read_list("p1,1"), link_id=other.id) == 1
    rows = participants.participant_rows(study.store, None, study.project)
    assert [(row["link"], row["bonus"]) for row in rows] == [("Prolific", None), ("Other", Decimal("1.00"))]


def test_only_researchers_set_bonuses_and_only_for_people_of_a_platform(study: Study) -> None:
    person, bonus = study.join("p1"), bonuses.read_bonus("1")
    rosa = members.add(study.store, None, study.project, "Rosa", role="researcher").id
    reader = members.add(study.store, None, study.project, "Rita", role="reader").id
    for actor in (person, reader):
        with pytest.raises(NotAllowed):
            bonuses.set_one(study.store, actor, study.project, person, bonus)
        with pytest.raises(NotAllowed):
            bonuses.set_all(study.store, actor, study.project, read_list("p1,1"))
        with pytest.raises(NotAllowed):
            bonuses.find(study.store, actor, study.project, person)
    with pytest.raises(InvalidInput, match="platform ID"):
        bonuses.set_one(study.store, rosa, study.project, reader, bonus)
    assert bonuses.find(study.store, rosa, study.project, reader) is None
    assert bonuses.set_one(study.store, rosa, study.project, person, bonus) == 1
    payee = bonuses.find(study.store, rosa, study.project, person)
    assert payee is not None and payee.bonus == bonus


def test_the_bulk_files_have_those_finished_and_the_bonuses_above_zero(study: Study) -> None:
    first = study.join("5a9d64f5f6dfdd0001eaa73d")
    study.join("p2"), study.join("p3,1000")
    study.rate(first)
    lines = read_list('5a9d64f5f6dfdd0001eaa73d,2.5\np2,0.1\n"p3,1000",3')
    bonuses.set_all(study.store, None, study.project, lines)
    rows = participants.participant_rows(study.store, None, study.project)
    assert bulk_files.approve_file(rows) == bulk_files.BulkFile("5a9d64f5f6dfdd0001eaa73d\n", 1, ())
    written = bulk_files.bonus_file(rows)
    assert written.text == "5a9d64f5f6dfdd0001eaa73d,2.50\np2,0.10\n"
    assert written.left_out == ("p3,1000",), "it would be a bonus of 1000 for somebody else"


@pytest.mark.parametrize("invented", ["a b", "a\u2028b", 'a"b', "=a()", "@a", "a;b"])
def test_an_invented_id_cannot_add_a_line_or_a_formula(invented: str) -> None:
    row = {"external_id": invented, "state": "finished", "bonus": Decimal(1)}
    for file in (bulk_files.approve_file([row]), bulk_files.bonus_file([row])):
        assert (file.text, file.left_out) == ("", (invented,))


def test_a_bonus_is_in_the_list_for_paying_and_is_erased_with_the_person(any_store: Store) -> None:
    study = make_study(any_store, currency="GBP")
    person, other = study.join("p1"), study.join("p2")
    bonuses.set_all(study.store, None, study.project, read_list("p1,2.50,Zoe was careful\np2,1"))
    (row, _) = participants.participant_rows(study.store, None, study.project)
    assert (row["pay"], row["bonus"], row["bonus_reason"], row["currency"]) == (
        *(None, Decimal("2.50"), "Zoe was careful", "GBP"),
    )
    assert ",2.50,Zoe was careful,GBP," in participants.as_csv([row])
    erasure.erase(study.store, None, study.place(person).name, keep_ratings=True)
    with study.store.reading() as session:
        erased = session.query(Membership).filter_by(person_id=person).one()
        assert (erased.bonus, erased.bonus_reason) == (None, None)
    (entry,) = logged(study)
    assert [one["person"] for one in entry["bonuses"]] == [study.place(other).name]  # type: ignore[attr-defined]
    assert given(study) == {"p2": ("1.00", "")}


def test_bonuses_leave_and_come_back_with_the_platform_ids(store: Store, tmp_path: Path) -> None:
    study = make_study(store)
    study.join("p1")
    bonuses.set_all(store, None, study.project, read_list("p1,2.50,careful"))
    export_project(store, "soup-flasks", tmp_path / "plain")
    assert b"careful" not in b"".join(path.read_bytes() for path in (tmp_path / "plain").iterdir())
    export_project(store, "soup-flasks", tmp_path / "full", backgrounds=True)
    import_files(store, "copy", collect_files([tmp_path / "full"]))
    with store.reading() as session:
        copy = find_project(session, "copy").id
    (row,) = participants.participant_rows(store, None, copy)
    assert (row["external_id"], row["bonus"], row["bonus_reason"]) == ("p1", Decimal("2.50"), "careful")
    file = bulk_files.bonus_file([row])
    assert file.text == "p1,2.50\n"


def paid(store: Store, project: int) -> list[tuple[Any, ...]]:
    rows = participants.participant_rows(store, None, project)
    return [
        tuple(row[name] for name in ("external_id", "link", "state", "finished", "minutes", "pay"))
        for row in rows
    ]


def test_an_export_keeps_who_came_by_which_link_so_that_pay_stays_what_it_was(
    store: Store, tmp_path: Path
) -> None:
    study = make_study(store, pay_per_hour=12, currency="GBP")
    study.set(pay="2.5", minutes=30)
    finisher, returner = study.join("p1"), study.join("p2")
    study.rate(finisher)
    study.rate(returner, at_most=1)
    study.leave(returner)
    late = study.join("p3")
    export_project(store, "soup-flasks", tmp_path / "out", backgrounds=True)
    import_files(store, "copy", collect_files([tmp_path / "out"]))
    with store.reading() as session:
        copy = find_project(session, "copy").id
        member = memberships.find(session, copy, late)
    before = paid(store, study.project)
    assert [str(row[-1]) for row in before] == ["2.50", "0.00", "0.00"]
    assert paid(store, copy) == before
    assert member is not None and member.due_at == study.place(late).due_at
    assert links.of_project(store, None, copy)[0].counts.joined == 3


def test_a_platform_id_that_somebody_else_has_at_the_link_is_restored_without_the_link(
    store: Store, tmp_path: Path
) -> None:
    study = make_study(store)
    person = study.join("p1")
    export_project(store, "soup-flasks", tmp_path / "out", backgrounds=True)
    with store.writing() as session:  # the same id joins under another name
        session.query(Membership).filter_by(person_id=person).delete()
    study.join("p1")
    import_files(store, "soup-flasks", collect_files([tmp_path / "out"]))
    rows = participants.participant_rows(store, None, study.project)
    assert sorted((row["external_id"], row["link"] or "") for row in rows) == [("p1", ""), ("p1", "Prolific")]


def test_who_finished_gets_the_pay_of_the_link_whatever_the_time_took(any_store: Store) -> None:
    study = make_study(any_store, pay_per_hour=12, currency="GBP")
    study.set(pay="2.5")
    finisher, returner = study.join("p1"), study.join("p2")
    study.rate(finisher)
    study.rate(returner, at_most=1)
    study.leave(returner)
    study.join("p3")
    rows = participants.participant_rows(any_store, None, study.project)
    assert [(row["external_id"], row["state"], str(row["pay"]), row["currency"]) for row in rows] == [
        ("p1", "finished", "2.50", "GBP"),
        ("p2", "returned", "0.00", "GBP"),
        ("p3", "active", "0.00", "GBP"),
    ]
    assert service.progress(any_store, finisher, study.project).pay == "2.50"


def test_pay_stays_what_people_were_told_when_they_joined(study: Study) -> None:
    for wrong in ("2.555", "-1", "two"):
        with pytest.raises(InvalidInput, match="is not an amount"):
            study.set(pay=wrong)
    study.set(pay="0")
    assert links.of_project(study.store, None, study.project)[0].options.pay == ""
    study.set(pay="2.50")
    study.join("p1")
    study.set(pay="2.5", places=9)
    with pytest.raises(InvalidInput, match="already joined at this pay"):
        study.set(pay="2")
