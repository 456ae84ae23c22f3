"""`user`, `invite` and `invite-all`: accounts and links on the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from judgelab.accounts import password_sign_in, signin
from judgelab.store.db.engine import Store
from judgelab.store.people import memberships
from judgelab.store.projects.projects import create_project
from tests.command import CommandResult, judgelab

PASSWORD = "a long pass phrase"


def _run(store: Store, *words: str, stdin: str = "") -> CommandResult:
    return judgelab(store.url, *words, stdin=stdin, JUDGELAB_PUBLIC_URL="https://rate.example.org/")


def test_an_owner_is_added_with_a_password_and_signs_in(store: Store) -> None:
    result = _run(
        store, "user", "add", "Ann", "--role", "owner", "--password-stdin", "--json", stdin=f"{PASSWORD}\n"
    )
    assert json.loads(result.stdout) == {"name": "Ann", "role": "owner", "password": True}
    assert PASSWORD not in result.stdout + result.stderr
    assert password_sign_in.sign_in(store, "Ann", PASSWORD, address="")
    people = json.loads(_run(store, "user", "list", "--json").stdout)
    assert [(row["name"], row["role"], row["projects"], row["password"]) for row in people] == [
        ("Ann", "owner", {}, True)
    ]


def test_a_link_is_printed_and_signs_in(store: Store) -> None:
    with store.writing() as session:
        project_id = create_project(session, name="Soup").id
    invitation = json.loads(_run(store, "invite", "soup", "Bea", "--cohort", "experts", "--json").stdout)
    assert (invitation["project"], invitation["name"], invitation["role"], invitation["once"]) == (
        "soup",
        "Bea",
        "annotator",
        False,
    )
    assert invitation["link"].startswith("https://rate.example.org/invite/")
    person = signin.whoami(store, signin.redeem(store, invitation["link"].rsplit("/", 1)[1]))
    assert person is not None and person.name == "Bea"
    with store.reading() as session:
        membership = memberships.find(session, project_id, person.id)
    assert membership is not None and (membership.role, membership.cohort) == ("annotator", "experts")
    second_invitation = _run(store, "invite", "soup", "Bea")
    assert second_invitation.stdout.splitlines()[0] != invitation["link"]
    assert "any number of times and is valid for 60 days" in second_invitation.stdout


@pytest.mark.parametrize(
    ("words", "stdin", "message"),
    [
        (["user", "add", "Ann", "--role", "owner"], "", "--password-stdin"),
        (["user", "add", "Ann", "--role", "owner", "--password-stdin"], "short\n", "10 characters"),
        (["user", "add", "Ann", "--role", "boss"], "", "'boss' is not a role"),
        (["user", "change", "Nobody", "--role", "reader"], "", "no person named 'Nobody'"),
        (["invite", "nowhere", "Bea"], "", "no project named 'nowhere'"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_1(
    store: Store, words: list[str], stdin: str, message: str
) -> None:
    result = _run(store, *words, stdin=stdin)
    assert result.returncode == 1
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_file_of_names_brings_back_a_file_of_links(store: Store, tmp_path: Path) -> None:
    with store.writing() as session:
        project_id = create_project(session, name="Soup").id
    names, out = tmp_path / "names.csv", tmp_path / "links.csv"
    names.write_text("name,cohort,limit\nBea,experts,20\nCleo\n", encoding="utf-8")
    result = json.loads(_run(store, "invite-all", "soup", str(names), "--out", str(out), "--json").stdout)
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert [(row["name"], row["link"]) for row in rows] == [
        (row["name"], row["link"]) for row in result["links"]
    ]
    person = signin.whoami(store, signin.redeem(store, rows[0]["link"].rpartition("/")[2]))
    assert person is not None and person.name == "Bea"
    with store.reading() as session:
        assert memberships.find(session, project_id, person.id).most_responses == 20
    again = _run(store, "invite-all", "soup", str(names), "--out", str(out))
    assert "already exists; choose another name" in again.stderr and again.returncode
    lost = _run(store, "invite-all", "soup", str(names), "--out", str(tmp_path / "none" / "links.csv"))
    assert "cannot be written: No such file or directory" in lost.stderr
    refused = tmp_path / "refused.csv"
    assert "'Bea' is already" in _run(store, "invite-all", "soup", str(names), "--out", str(refused)).stderr
    assert not refused.exists()
    again = _run(store, "invite-all", "soup", str(names))
    assert "line 2: 'Bea' is already in this project" in again.stderr
