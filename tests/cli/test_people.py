"""`user` and `invite`: accounts and links on the command line."""

from __future__ import annotations

import json

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
