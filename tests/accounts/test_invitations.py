"""Many people invited at once: the list as pasted, all or nobody, and the file of links."""

from __future__ import annotations

import csv
import io

import pytest

from judgelab.accounts import invitations, line_lists, members, signin
from judgelab.accounts.invitations import Invitation, read_invitations
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project


@pytest.fixture
def project(store: Store) -> int:
    with store.writing() as session:
        return create_project(session, name="Soup").id


def _names(store: Store, project: int) -> list[str]:
    return [member.membership.name for member in members.list_members(store, None, project)]


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Ada\nBen\n\n", [("Ada", "", None), ("Ben", "", None)]),
        ("name,cohort,limit\nAda,north,20\nBen,,5", [("Ada", "north", 20), ("Ben", "", 5)]),
        ("Ada;north\nBen", [("Ada", "north", None), ("Ben", "", None)]),
        ("Doe, Jane\tnorth\t7", [("Doe, Jane", "north", 7)]),
        ('"Doe, Jane", north', [("Doe, Jane", "north", None)]),
        ("\ufeff  Ada   Lovelace \r\nBen", [("Ada Lovelace", "", None), ("Ben", "", None)]),
    ],
)
def test_a_line_is_a_person(text: str, people: list[tuple[str, str, int | None]]) -> None:
    assert [(one.name, one.cohort, one.most_responses) for one in read_invitations(text)] == people


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one name"),
        ("name", "at least one name"),
        ("Ada\nBen\nada", "line 3: 'ada' is already on line 1."),
        ("Ada,north,many", "line 1: 'many' is not a limit; write a whole number, or nothing."),
        ("Ada,north,0", "line 1: '0' is not a limit"),
        ("Ada\n,north", "line 2: the name is missing."),
        ('Ada\n"Ben\nCleo', "line 3: a quotation mark is not closed."),
        ("Ada\n" + "a" * 200_000, "line 2: the line is too long; write name, cohort, limit, e-mail."),
        ("Ada\nBe\x00n", "line 2: the name or cohort has a control character or a line break."),
        ("a,b,1,x,y", "line 1: there are 5 parts; write name, cohort, limit, e-mail."),
        ("a,b,1,x", "line 1: 'x' is not an e-mail address."),
        ("Ada\nBen,ben@@x.org", "line 2: 'ben@@x.org' is not an e-mail address."),
        ('Ada,,,"a@x.org\nBcc: all@x.org"', "is not an e-mail address."),
        ("Ada,a@x.org\x0bBcc:b@x.org", "is not an e-mail address."),
        ("Ada,Ada <a@x.org>", "line 1: 'Ada <a@x.org>' is not an e-mail address."),
        ("Ada,a@x.org\nBen,A@x.org", "line 2: 'A@x.org' is already on line 1."),
        ("\n".join(f"p{n}" for n in range(1001)), "1,001 people at once; at most 1,000 are allowed."),
    ],
)
def test_a_line_that_names_nobody_is_refused_by_its_number(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said.replace("(", "\\(")):
        read_invitations(text)


@pytest.mark.parametrize(
    "line",
    ["Ada,north,20,ada@x.org", "Ada;north;20;ada@x.org", "Ada\tnorth\t20\tada@x.org"],
)
def test_the_fourth_part_is_an_address(line: str) -> None:
    assert read_invitations(line) == [Invitation(1, "Ada", "north", 20, "ada@x.org")]


def test_an_address_may_follow_the_name_and_a_name_may_be_an_address() -> None:
    people = read_invitations("name,cohort,limit,email\nAda,ada@x.org\nBen,north,ben@x.org\ncleo@x.org")
    assert [(one.name, one.cohort, one.email) for one in people] == [
        ("Ada", "", "ada@x.org"),
        ("Ben", "north", "ben@x.org"),
        ("cleo@x.org", "", ""),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_may_be_one_that_a_spreadsheet_saved(encoding: str) -> None:
    assert line_lists.decode_list("Zoë\tnord".encode(encoding)).removeprefix("\ufeff") == "Zoë\tnord"


@pytest.mark.parametrize("data", ["Zoë".encode("latin-1"), b"PK\x03\x04\xff\xfe\x00", b"\xff\xfeA"])
def test_another_file_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="not text in UTF-8"):
        line_lists.decode_list(data)


def test_all_are_added_and_each_link_signs_its_person_in(store: Store, project: int) -> None:
    people = read_invitations("Ada,north,20\nBen")
    links = invitations.invite_all(store, None, project, people)
    assert [link.person.name for link in links] == ["Ada", "Ben"]
    ada = next(
        member for member in members.list_members(store, None, project) if member.membership.name == "Ada"
    )
    assert (ada.membership.cohort, ada.membership.most_responses, ada.membership.role) == (
        "north",
        20,
        "annotator",
    )
    for link in links:
        signed_in = signin.redeem(store, link.path.removeprefix("/invite/"))
        assert signed_in is not None


def test_one_that_cannot_be_added_keeps_all_out(store: Store, project: int) -> None:
    members.add(store, None, project, "Cleo")
    with pytest.raises(InvalidInput, match="line 2: 'Cleo' is already in this project"):
        invitations.invite_all(store, None, project, read_invitations("Ada\nCleo"))
    assert _names(store, project) == ["Cleo"]


def test_only_who_may_add_one_may_add_many(store: Store, project: int) -> None:
    rater = members.add(store, None, project, "Rater").id
    with pytest.raises(NotAllowed):
        invitations.invite_all(store, rater, project, [Invitation(1, "Ada")])
    assert _names(store, project) == ["Rater"]


def test_the_file_of_links_names_each_person_and_runs_nothing(store: Store, project: int) -> None:
    links = invitations.invite_all(store, None, project, read_invitations("Ada\n=1+1"))
    rows = list(csv.DictReader(io.StringIO(invitations.links_csv(links, "https://lab.example"))))
    assert [row["name"] for row in rows] == ["Ada", "'=1+1"]
    assert all(row["link"].startswith("https://lab.example/invite/") for row in rows)
    assert {row["works"] for row in rows} == {"any number of times"} and {row["days"] for row in rows} == {
        "60"
    }
