"""Mails over a real connection to a server on this machine, and every way in which it can go wrong."""

from __future__ import annotations

import io
import logging
import socket
from collections.abc import Iterator
from email.headerregistry import Address
from pathlib import Path

import pytest
from pydantic import SecretStr

from judgelab import logs
from judgelab.config import Settings
from judgelab.errors import InvalidInput, MailServerError
from judgelab.mailing.smtp import MailConnection, MailServer, mail_server
from judgelab.mailing.template import Template, new_message
from tests.mail_server import Mailbox, new_certificate
from tests.mail_server import mail_server as serve

PASSWORD = "correct-horse-battery"
SENDER = Address(addr_spec="lab@x.org")


@pytest.fixture
def box() -> Iterator[Mailbox]:
    with serve(Mailbox()) as box:
        yield box


def _server(box: Mailbox, **changes: object) -> MailServer:
    fields = {
        "host": "localhost",
        "port": box.port,
        "tls": "none",
        "user": "",
        "password": SecretStr(""),
        "sender": SENDER,
    }
    return MailServer(**{**fields, **changes})  # type: ignore[arg-type]


def _send(connection: MailConnection, *addresses: str) -> list[tuple[str, str]]:
    mail = Template("Grüße", ".a line with a dot\nhttps://lab.example/invite/" + "0" * 48 + "\n")
    outcomes = [connection.send(new_message(mail, SENDER, address), address) for address in addresses]
    return [(outcome.state, outcome.reason) for outcome in outcomes]


def test_mails_go_over_one_connection_and_arrive_as_written(box: Mailbox) -> None:
    with MailConnection(_server(box)) as connection:
        assert _send(connection, "ada@x.org", "ben@x.org") == [("sent", ""), ("sent", "")]
    assert box.connections == 1 and [address for address, _raw in box.mails] == ["ada@x.org", "ben@x.org"]
    message = box.messages()[1]
    assert (message["To"], message["From"], message["Subject"]) == ("ben@x.org", "lab@x.org", "Grüße")
    link = "https://lab.example/invite/" + "0" * 48
    assert message.get_content().splitlines() == [".a line with a dot", link]
    assert message["Date"] and message["Message-ID"].endswith("@x.org>")
    assert socket.gethostname() not in message["Message-ID"]


def test_a_refused_recipient_is_named_and_the_others_get_theirs(box: Mailbox) -> None:
    box.refused = {"ben@x.org"}
    with MailConnection(_server(box)) as connection:
        first, second, third = _send(connection, "ada@x.org", "ben@x.org", "cleo@x.org")
    assert first[0] == third[0] == "sent" and len(box.mails) == 2
    assert second == ("failed", "localhost rejected the e-mail: 550 no such mailbox")


def test_a_server_that_goes_before_a_mail_leaves_it_unsent(box: Mailbox) -> None:
    box.lost_at = 2
    with MailConnection(_server(box)) as connection:
        states = _send(connection, "ada@x.org", "ben@x.org", "cleo@x.org")
    ended = ("failed", "the connection to localhost was lost.")
    assert states == [("sent", ""), ended, ended] and len(box.mails) == 1 and box.connections == 1


def test_a_mail_that_was_not_answered_may_have_arrived(box: Mailbox) -> None:
    box.lost_at, box.lost_after_data = 1, True
    with MailConnection(_server(box)) as connection:
        states = _send(connection, "ada@x.org", "ben@x.org")
    assert [state for state, _reason in states] == ["unconfirmed", "failed"] and len(box.mails) == 1


def test_a_server_that_takes_no_more_says_so_for_all_that_follow(box: Mailbox) -> None:
    box.limit = 1
    with MailConnection(_server(box)) as connection:
        states = _send(connection, "ada@x.org", "ben@x.org", "cleo@x.org")
    full = ("failed", "localhost rejected the e-mail: 421 too many mails")
    assert states == [("sent", ""), full, full]


def test_starttls_encrypts_before_anything_is_said(
    box: Mailbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, box.context = new_certificate(tmp_path)
    box.users = {"lab": PASSWORD}
    changes = {"tls": "starttls", "user": "lab", "password": SecretStr(PASSWORD)}
    with (
        pytest.raises(MailServerError, match="the certificate of localhost is not valid"),
        MailConnection(_server(box, **changes)),
    ):
        pass
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with MailConnection(_server(box, **changes)) as connection:
        assert _send(connection, "ada@x.org") == [("sent", "")]
    assert len(box.mails) == 1


def test_a_server_without_starttls_is_given_nothing(box: Mailbox) -> None:
    with (
        pytest.raises(MailServerError, match="localhost does not offer STARTTLS, so nothing was sent"),
        MailConnection(_server(box, tls="starttls")),
    ):
        pass
    assert box.mails == []


def test_a_refused_sign_in_is_said_without_the_password(box: Mailbox) -> None:
    box.users = {"lab": "another"}
    with (
        pytest.raises(MailServerError) as refusal,
        MailConnection(_server(box, user="lab", password=SecretStr(PASSWORD))),
    ):
        pass
    assert "localhost rejected the sign-in of lab: 535 5.7.8 wrong: lab ***" in str(refusal.value)
    assert refusal.value.__cause__ is None and refusal.value.__suppress_context__


def test_a_password_that_smtp_cannot_carry_is_not_in_the_message(box: Mailbox) -> None:
    box.users = {"lab": "x"}
    with (
        pytest.raises(MailServerError, match="can contain only ASCII") as refusal,
        MailConnection(_server(box, user="lab", password=SecretStr("grüne-äpfel"))),
    ):
        pass
    assert "grün" not in str(refusal.value) and refusal.value.__suppress_context__


def test_a_server_that_wants_a_sign_in_or_offers_none_is_quoted(box: Mailbox) -> None:
    with (
        pytest.raises(MailServerError, match="localhost offers no sign-in; remove"),
        MailConnection(_server(box, user="lab", password=SecretStr(PASSWORD))),
    ):
        pass
    box.users = {"lab": PASSWORD}
    with MailConnection(_server(box)) as connection:
        assert _send(connection, "a@x.org") == [
            ("failed", "localhost rejected the e-mail: 530 sign in first")
        ]


def test_a_server_that_is_not_there_is_named_with_its_port() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with (
            pytest.raises(
                MailServerError, match=f"localhost, port {port}, cannot be reached: Connection ref"
            ),
            MailConnection(_server(Mailbox(port=port))),
        ):
            pass


SET = {"mail_host": "smtp.x.org", "mail_sender": "lab@x.org"}


@pytest.mark.parametrize(
    ("given", "port"),
    [({}, 587), ({"mail_tls": "tls"}, 465), ({"mail_tls": "none"}, 25), ({"mail_port": 99}, 99)],
)
def test_the_usual_port_is_that_of_the_encryption(given: dict[str, object], port: int) -> None:
    assert mail_server(Settings(**{**SET, **given})).port == port  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mail_host": ""}, "no mail server is set"),
        ({"mail_sender": "the lab"}, "JUDGELAB_MAIL_SENDER is 'the lab', which is not an e-mail address."),
        ({"mail_sender": "La\x07b <lab@x.org>"}, "which is not an e-mail address"),
        ({"mail_user": "lab"}, "set both JUDGELAB_MAIL_USER and JUDGELAB_MAIL_PASSWORD"),
        ({"mail_user": "lab", "mail_password": PASSWORD, "mail_tls": "none"}, "would be sent unencrypted"),
    ],
)
def test_settings_that_contradict_are_said(changes: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as refusal:
        mail_server(Settings(**{**SET, **changes}))  # type: ignore[arg-type]
    assert PASSWORD not in str(refusal.value)


def test_the_password_is_in_no_log_and_no_description_of_the_settings() -> None:
    chosen = Settings(**SET, mail_user="lab", mail_password=PASSWORD)  # type: ignore[arg-type]
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs._PlainFormatter(chosen))
    logger = logging.getLogger("judgelab.test_of_mail")
    logger.addHandler(handler)
    logger.error("server said %s", PASSWORD)
    logger.removeHandler(handler)
    assert "server said ***" in stream.getvalue()
    assert PASSWORD not in f"{chosen!r} {mail_server(chosen)!r} {chosen.model_dump()}"
