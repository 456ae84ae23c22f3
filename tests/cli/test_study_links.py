"""`study-link`: recruitment links on the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from sqlalchemy import update

from judgelab.annotation.links.options import LinkOptions
from judgelab.annotation.links.questions import FormQuestion
from judgelab.crowd import joining, links
from judgelab.store.db.engine import Store
from judgelab.store.models import Membership
from tests.annotation.conftest import make_project
from tests.command import CommandResult, judgelab


def _run(store: Store, *words: str) -> CommandResult:
    return judgelab(store.url, "study-link", *words, JUDGELAB_PUBLIC_URL="https://rate.example.org/")


def test_a_link_is_made_used_closed_and_its_people_listed(store: Store, tmp_path: Path) -> None:
    project = make_project(store, pay_per_hour=12, currency="GBP")
    consent = tmp_path / "consent.md"
    consent.write_text("You rate **soup**.", encoding="utf-8")
    added = json.loads(
        _run(
            store,
            *("add", "soup-flasks", "Pilot", "--consent", str(consent), "--parameter", "STUDY_ID"),
            *(
                "--field",
                "Age: number",
                "--exit-field",
                "Why: paragraph",
                "--places",
                "7",
                "--pay",
                "3",
                "--code",
                "C1",
                "--url",
                "https://a.example/c",
            ),
            "--json",
        ).stdout
    )
    link = links.of_project(store, None, project)[0]
    query = "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}"
    assert added["link"] == f"https://rate.example.org/study/{link.stored.token}{query}"
    assert (added["state"], added["options"]["places"], added["options"]["pay"]) == ("open", 7, "3.00")
    assert link.options.finished.code == "C1" and link.options.fields[0].label == "Age"
    assert link.options.exit_fields == (FormQuestion("Why", "paragraph"),)

    parameters = {"PROLIFIC_PID": ["p1"], "STUDY_ID": ["s"]}
    joining.join(store, link.stored.token, parameters, {0: ["40"]})
    assert "Pilot  open  1 of 7 places (active 1)" in _run(store, "list", "soup-flasks").stdout
    closed_link = json.loads(_run(store, "close", "soup-flasks", "Pilot", "--json").stdout)
    assert closed_link["state"] == "closed"
    assert json.loads(_run(store, "reopen", "soup-flasks", "Pilot", "--json").stdout)["state"] == "open"
    summary = _run(store, "show", "soup-flasks", "Pilot").stdout
    assert "1 of 7 places" in summary and "consent: You rate **soup**." in summary

    out = tmp_path / "people.csv"
    assert "1 participant in" in _run(store, "participants", "soup-flasks", "--out", str(out)).stdout
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["external_id"], row["state"], row["currency"]) for row in rows] == [("p1", "active", "GBP")]


def test_bonuses_are_set_from_a_file_and_written_for_the_platform(store: Store, tmp_path: Path) -> None:
    project = make_project(store, pay_per_hour=12, currency="GBP")
    link = links.create(store, None, project, "Pilot", LinkOptions(person="PID", consent="Yes?"))
    for name in ("p1", "p2", "p,3"):
        joining.join(store, link.token, {"PID": [name]}, {})
    file, out = tmp_path / "bonuses.csv", tmp_path / "bonus.txt"
    file.write_text("participant_id,amount,reason\np1,2.5,careful\np4,1\n", encoding="utf-8")
    refused = _run(store, "set-bonuses", "soup-flasks", str(file))
    assert refused.returncode == 1 and "line 3: no participant has the ID 'p4'" in refused.stderr
    assert _run(store, "bulk-bonus", "soup-flasks").stdout.strip() == ""
    file.write_text('p1,2.5,careful\n"p,3",1\np2,0\n', encoding="utf-8")
    assert "2 bonuses set, 1 unchanged." in _run(store, "set-bonuses", "soup-flasks", str(file)).stdout
    written = _run(store, "bulk-bonus", "soup-flasks", "Pilot", "--out", str(out))
    assert "1 participant in" in written.stdout and "1 ID left out" in written.stderr
    assert out.read_text(encoding="utf-8") == "p1,2.50\n"
    with store.writing() as session:
        session.execute(update(Membership).where(Membership.external_id == "p2").values(state="finished"))
    assert _run(store, "bulk-approve", "soup-flasks").stdout == "p2\n"
    rows = json.loads(_run(store, "participants", "soup-flasks", "--json").stdout)
    assert [(row["pay"], row["bonus"]) for row in rows] == [
        ("0.00", "2.50"),
        ("0.00", None),
        ("0.00", "1.00"),
    ]


def test_mistakes_are_one_sentence_and_store_nothing(store: Store, tmp_path: Path) -> None:
    project = make_project(store)
    consent = tmp_path / "consent.md"
    consent.write_text("Yes?", encoding="utf-8")
    for words, message in (
        (("--consent", str(tmp_path / "none.md")), "cannot be read"),
        (("--consent", str(consent), "--url", "javascript:x"), "is not a web address"),
        (("--consent", str(consent), "--field", "Age"), "is not a valid question"),
        (("--consent", str(consent), "--refill", "burn"), "one of keep, surplus"),
    ):
        result = _run(store, "add", "soup-flasks", "Pilot", *words)
        assert result.returncode == 1 and message in result.stderr and len(result.stderr.splitlines()) == 1
    missing = _run(store, "close", "soup-flasks", "Pilot")
    assert missing.returncode == 1 and "no recruitment link named 'Pilot'" in missing.stderr
    assert links.of_project(store, None, project) == []
