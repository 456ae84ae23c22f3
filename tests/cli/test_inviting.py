"""`invite-all --mail` and `remind`: mails to a server on this machine, and what is said of those not sent."""

from __future__ import annotations

import csv
import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgelab.accounts import signin
from judgelab.annotation import service
from judgelab.domain import Criterion
from judgelab.store.db.engine import Store
from judgelab.store.models import Audit, ItemRow, ResponseRow
from judgelab.store.people import memberships
from judgelab.store.projects.projects import create_project, update_project
from judgelab.store.rating import units
from tests.command import CommandResult, judgelab
from tests.mail_server import Mailbox, mail_server

BASE = "https://rate.example.org"


@pytest.fixture
def box() -> Iterator[Mailbox]:
    with mail_server(Mailbox()) as box:
        yield box


@pytest.fixture
def soup(store: Store) -> int:
    scale = {"kind": "ordinal", "low": 0, "high": 1}
    with store.writing() as session:
        project = create_project(
            session, name="Soup", criteria=[Criterion(key="ok", label="OK", scale=scale)]
        )
        item = ItemRow(project_id=project.id, external_id="q", question="Is it soup?")
        session.add(item)
        session.flush()
        session.add(
            ResponseRow(project_id=project.id, item_id=item.id, external_id="r", system="a", text="Yes.")
        )
        session.flush()
        update_project(session, project.id, settings={"raters_per_response": 9, "language": "de"})
        units.offer_units(session, project.id)
        return project.id


def _run(store: Store, box: Mailbox | None, *words: str, **more: str) -> CommandResult:
    mail = {} if box is None else {"JUDGELAB_MAIL_HOST": "127.0.0.1", "JUDGELAB_MAIL_PORT": str(box.port)}
    usual = {"JUDGELAB_MAIL_TLS": "none", "JUDGELAB_MAIL_SENDER": "Lab <lab@x.org>"}
    return judgelab(store.url, *words, JUDGELAB_PUBLIC_URL=BASE, **mail, **usual, **more)


def _list(folder: Path, text: str) -> str:
    path = folder / "names.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def _link_in(text: str) -> str:
    return next(word for word in text.split() if word.startswith(f"{BASE}/invite/"))


def _signs_in(store: Store, link: str) -> str | None:
    person = signin.whoami(store, signin.redeem(store, link.rpartition("/")[2]))
    return None if person is None else person.name


def test_each_person_gets_their_own_link_in_the_projects_language(
    store: Store, soup: int, box: Mailbox, tmp_path: Path
) -> None:
    names = _list(tmp_path, "Zoë,zoe@x.org\nBen,north,5,ben@x.org\nCleo")
    result = _run(store, box, "invite-all", "soup", names, "--mail")
    assert result.returncode == 0, result.stderr
    first, second = box.messages()
    assert (first["To"], first["From"], first["Subject"]) == (
        "zoe@x.org",
        "Lab <lab@x.org>",
        "Einladung zum Bewerten: Soup",
    )
    assert first.get_content().startswith("Guten Tag Zoë,") and "60 Tage" in first.get_content()
    assert _signs_in(store, _link_in(first.get_content())) == "Zoë"
    assert _signs_in(store, _link_in(second.get_content())) == "Ben"
    assert "3 people added to 'soup'.\n2 e-mails sent.\nCleo has no address: " + BASE in result.stdout
    assert result.stdout.count("/invite/") == 1, "a link that was mailed is nobody else's"
    assert box.connections == 1


def test_no_address_is_stored(store: Store, soup: int, box: Mailbox, tmp_path: Path) -> None:
    _run(store, box, "invite-all", "soup", _list(tmp_path, "Zoë,zoe@x.org"), "--mail")
    with store.reading() as session:
        entries = {entry.action: entry.detail for entry in session.query(Audit)}
    assert entries["mailed_person"] == {"person": "Zoë"}
    store.close()
    assert b"zoe@x.org" not in Path(store.url.removeprefix("sqlite:///")).read_bytes()


def test_who_got_no_mail_is_said_with_the_reason_and_tried_again_alone(
    store: Store, soup: int, box: Mailbox, tmp_path: Path
) -> None:
    box.refused = {"ben@x.org"}
    names, out = _list(tmp_path, "Ada,ada@x.org\nBen,ben@x.org\nCleo,cleo@x.org"), tmp_path / "links.csv"
    result = _run(store, box, "invite-all", "soup", names, "--mail", "--out", str(out))
    assert result.returncode == 2
    assert "Ben: not sent: 127.0.0.1 rejected the e-mail: 550 no such mailbox" in result.stdout
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert [row["mail"] for row in rows] == [
        "sent",
        "not sent: 127.0.0.1 rejected the e-mail: 550 no such mailbox",
        "sent",
    ]
    assert _signs_in(store, rows[1]["link"]) == "Ben"
    box.refused = set()
    again = _run(store, box, "invite-all", "soup", names, "--mail", "--retry")
    assert again.returncode == 0 and "1 e-mail sent." in again.stdout
    assert "already mailed: Ada, Cleo." in again.stdout
    assert [address for address, _raw in box.mails] == ["ada@x.org", "cleo@x.org", "ben@x.org"]
    assert _signs_in(store, rows[1]["link"]) == "Ben", "the link of the file still works"
    third = _run(store, box, "invite-all", "soup", names, "--retry")
    assert "0 e-mails sent." in third.stdout and len(box.mails) == 3


def test_a_mail_that_may_have_arrived_is_not_sent_twice(
    store: Store, soup: int, box: Mailbox, tmp_path: Path
) -> None:
    box.lost_at, box.lost_after_data = 2, True
    names = _list(tmp_path, "Ada,ada@x.org\nBen,ben@x.org\nCleo,cleo@x.org")
    result = json.loads(_run(store, box, "invite-all", "soup", names, "--mail", "--json").stdout)
    assert result["sent"] == ["Ada"]
    assert [(one["name"], one["state"]) for one in result["unsent"]] == [
        ("Ben", "unconfirmed"),
        ("Cleo", "failed"),
    ]
    assert [_signs_in(store, one["link"]) for one in result["unsent"]] == ["Ben", "Cleo"]
    box.lost_at = 0
    _run(store, box, "invite-all", "soup", names, "--retry")
    assert [address for address, _raw in box.mails] == ["ada@x.org", "ben@x.org", "cleo@x.org"]


def test_nobody_is_added_while_mails_cannot_be_sent(
    store: Store, soup: int, box: Mailbox, tmp_path: Path
) -> None:
    names, text = _list(tmp_path, "Ada,ada@x.org"), tmp_path / "text.txt"
    text.write_text("Come and rate.", encoding="utf-8")
    for words, said in (
        (["--mail", "--text", str(text)], "the text must contain {link}"),
        (["--mail", "--subject", "Hello\nBcc: all@x.org"], "the subject has a line break"),
        (["--test", "ada"], "'ada' is not an e-mail address"),
    ):
        refused = _run(store, box, "invite-all", "soup", names, *words)
        assert refused.returncode == 1 and said in refused.stderr
    assert "no mail server is set" in _run(store, None, "invite-all", "soup", names, "--mail").stderr
    box.users = {"lab": "x"}
    with_user = {"JUDGELAB_MAIL_USER": "lab", "JUDGELAB_MAIL_PASSWORD": "wrong-password"}
    refused = _run(store, box, "invite-all", "soup", names, "--mail", **with_user)
    assert "rejected the sign-in of lab" in refused.stderr and "wrong-password" not in refused.stderr
    with store.reading() as session:
        assert memberships.memberships(session, soup) == [] and box.mails == []


def test_the_first_mail_is_shown_or_sent_to_oneself_with_an_example_of_a_link(
    store: Store, soup: int, box: Mailbox, tmp_path: Path
) -> None:
    names = _list(tmp_path, "Ada,ada@x.org")
    shown = _run(store, box, "invite-all", "soup", names, "--mail", "--preview", "--subject", "For {name}")
    assert shown.stdout.startswith("To: ada@x.org\nSubject: For Ada\n\nGuten Tag Ada,") and not box.mails
    tested = _run(store, box, "invite-all", "soup", names, "--mail", "--test", "me@x.org")
    assert "A test e-mail was sent, only to me@x.org." in tested.stdout
    (mail,) = box.messages()
    assert mail["To"] == "me@x.org" and "Ada" in mail.get_content()
    assert _signs_in(store, _link_in(mail.get_content())) is None
    with store.reading() as session:
        assert memberships.memberships(session, soup) == []


def test_only_raters_who_have_not_finished_are_reminded(
    store: Store, soup: int, box: Mailbox, tmp_path: Path
) -> None:
    names = _list(tmp_path, "Ada,ada@x.org\nBen,ben@x.org\nCleo")
    invited = json.loads(_run(store, box, "invite-all", "soup", names, "--json").stdout)
    earlier = {row["name"]: row["link"] for row in invited["links"]}
    with store.reading() as session:
        ada = next(one for one in memberships.memberships(session, soup) if one.name == "Ada")
    (work,) = service.next_items(store, ada.person_id, soup, 1)
    rating = {"kind": "rate", "uid": str(uuid.uuid4()), "item": work.id, "scores": {"ok": 1}}
    assert service.apply(store, ada.person_id, soup, rating).state == "stored"
    listed = _run(store, None, "remind", "soup")
    assert listed.stdout.splitlines()[:2] == ["Ben: 0 of 1 rated", "Cleo: 0 of 1 rated"]
    names = _list(tmp_path, "Ada,ada@x.org\nBen,ben@x.org\nDan,dan@x.org")
    result = _run(store, box, "remind", "soup", names)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "1 e-mail sent.",
        "nothing left to rate: Ada.",
        "not a rater here: Dan.",
        "not finished, no address: Cleo.",
    ]
    (mail,) = box.messages()
    assert (mail["To"], mail["Subject"]) == ("ben@x.org", "Erinnerung: Soup")
    assert _signs_in(store, _link_in(mail.get_content())) == "Ben"
    assert _signs_in(store, earlier["Ben"]) == "Ben", "the link of the invitation works too"


def test_a_reminder_that_is_not_sent_costs_nobody_their_link(
    store: Store, soup: int, box: Mailbox, tmp_path: Path
) -> None:
    box.lost_at = 1
    names = _list(tmp_path, "Ada,ada@x.org\nBen,ben@x.org")
    invited = json.loads(_run(store, box, "invite-all", "soup", names, "--json").stdout)
    result = _run(store, box, "remind", "soup", names)
    assert result.returncode == 2 and result.stdout.count("the connection to 127.0.0.1 was lost.") == 2
    for row in invited["links"]:
        assert _signs_in(store, row["link"]) == row["name"]
