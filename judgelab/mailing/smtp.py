"""One connection to the SMTP server of the settings, and what becomes of each mail sent over it."""

from __future__ import annotations

import smtplib
import ssl
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import parseaddr
from types import TracebackType
from typing import Literal

from pydantic import SecretStr

from judgelab.accounts.invitations import is_mail_address
from judgelab.accounts.modes import LOOPBACK
from judgelab.config import Settings
from judgelab.errors import InvalidInput, MailServerError
from judgelab.mailing.template import has_control
from judgelab.wording import sentence

TIMEOUT = 30.0  # seconds for each answer of the server
USUAL_PORTS = {"starttls": 587, "tls": 465, "none": 25}
LONGEST_REPLY = 200
CLOSING = 421  # the server ends the connection


@dataclass(frozen=True)
class MailServer:
    """The server and the sender, as the settings name them."""

    host: str
    port: int
    tls: Literal["starttls", "tls", "none"]
    user: str
    password: SecretStr
    sender: Address


@dataclass(frozen=True)
class Outcome:
    """What became of a mail.

    Attributes:
        state: "sent" if the server took it; "unconfirmed" if the connection ended before the server said
            whether it did; "failed" if it did not.
        reason: why it was not sent.
    """

    state: Literal["sent", "unconfirmed", "failed"]
    reason: str = ""


def mail_server(chosen: Settings) -> MailServer:
    """Return the mail server of the settings; raises `InvalidInput` if they name none, or contradict."""
    if not (chosen.mail_host and chosen.mail_sender):
        raise InvalidInput(
            sentence(
                "no mail server is set; ask the person who runs JudgeLab to set JUDGELAB_MAIL_HOST and "
                "JUDGELAB_MAIL_SENDER."
            )
        )
    name, address = parseaddr(chosen.mail_sender)
    if not is_mail_address(address) or has_control(name):
        raise InvalidInput(
            sentence(
                "JUDGELAB_MAIL_SENDER is '{value}', which is not an e-mail address.", value=chosen.mail_sender
            )
        )
    if bool(chosen.mail_user) != bool(chosen.mail_password.get_secret_value()):
        raise InvalidInput(sentence("set both JUDGELAB_MAIL_USER and JUDGELAB_MAIL_PASSWORD, or neither."))
    if chosen.mail_tls == "none" and chosen.mail_user and chosen.mail_host not in LOOPBACK:
        raise InvalidInput(
            sentence(
                "JUDGELAB_MAIL_TLS is 'none': the password would be sent unencrypted; use starttls or tls."
            )
        )
    return MailServer(
        host=chosen.mail_host,
        port=chosen.mail_port or USUAL_PORTS[chosen.mail_tls],
        tls=chosen.mail_tls,
        user=chosen.mail_user,
        password=chosen.mail_password,
        sender=Address(name, addr_spec=address),
    )


class MailConnection:
    """A connection, opened and signed in on entering: a wrong setting is found before anything is done.

    Attributes:
        server: the server it is for.
        lost: why nothing more can be sent; empty while something can.
    """

    def __init__(self, server: MailServer) -> None:
        self.server = server
        self.lost = ""
        self._smtp: smtplib.SMTP | None = None

    def __enter__(self) -> MailConnection:
        try:
            self._smtp = self._open()
            self._secure_and_sign_in(self._smtp)
        except BaseException as error:
            self._close()
            if (reason := self._refusal(error)) is None:
                raise
            # The trace would show what was sent: `from None`.
            raise MailServerError(reason) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._smtp is not None and not self.lost:
            try:
                self._smtp.quit()
            except OSError:
                pass  # all mails were answered already
        self._close()

    def send(self, message: EmailMessage, address: str) -> Outcome:
        """Send a mail to one address and return what became of it; a lost connection stays lost."""
        if self.lost or self._smtp is None:
            return Outcome("failed", self.lost)
        handed_over = False
        try:
            code, reply = self._smtp.mail(self.server.sender.addr_spec)
            if code == 250:
                code, reply = self._smtp.rcpt(address)
                if code in (250, 251):
                    handed_over = True
                    code, reply = self._smtp.data(message.as_bytes())
                    if code == 250:
                        return Outcome("sent")
            return self._refused(code, reply)
        except smtplib.SMTPDataError as error:
            return self._refused(error.smtp_code, error.smtp_error)
        except OSError:  # all of smtplib's too
            self.lost = sentence("the connection to {host} was lost.", host=self.server.host)
            return Outcome("unconfirmed" if handed_over else "failed", self.lost)

    def _open(self) -> smtplib.SMTP:
        host, port = self.server.host, self.server.port
        if self.server.tls == "tls":
            return smtplib.SMTP_SSL(host, port, timeout=TIMEOUT, context=ssl.create_default_context())
        return smtplib.SMTP(host, port, timeout=TIMEOUT)

    def _secure_and_sign_in(self, smtp: smtplib.SMTP) -> None:
        smtp.ehlo_or_helo_if_needed()
        if self.server.tls == "starttls":
            if not smtp.has_extn("starttls"):
                raise MailServerError(
                    sentence(
                        "{host} does not offer STARTTLS, so nothing was sent; set JUDGELAB_MAIL_TLS to tls, "
                        "or to none for an unencrypted connection.",
                        host=self.server.host,
                    )
                )
            smtp.starttls(context=ssl.create_default_context())
            smtp.ehlo_or_helo_if_needed()
        if self.server.user:
            smtp.login(self.server.user, self.server.password.get_secret_value())

    def _refusal(self, error: BaseException) -> str | None:
        """Return why the connection could not be opened; None for an error of another kind."""
        host = self.server.host
        if isinstance(error, ssl.SSLCertVerificationError):
            return sentence(
                "the certificate of {host} is not valid: {why}.", host=host, why=error.verify_message
            )
        if isinstance(error, smtplib.SMTPAuthenticationError):
            return sentence(
                "{host} rejected the sign-in of {user}: {reply}",
                host=host,
                user=self.server.user,
                reply=self._reply(error.smtp_code, error.smtp_error),
            )
        if isinstance(error, UnicodeError):
            return sentence(
                "JUDGELAB_MAIL_USER and JUDGELAB_MAIL_PASSWORD can contain only ASCII characters."
            )
        if isinstance(error, smtplib.SMTPNotSupportedError):
            return sentence(
                "{host} offers no sign-in; remove JUDGELAB_MAIL_USER and JUDGELAB_MAIL_PASSWORD.", host=host
            )
        if isinstance(error, smtplib.SMTPResponseException):
            reply = self._reply(error.smtp_code, error.smtp_error)
            return sentence("{host} accepts no e-mails: {reply}", host=host, reply=reply)
        if isinstance(error, smtplib.SMTPServerDisconnected):
            return sentence("{host} ended the connection before anything was sent.", host=host)
        if isinstance(error, smtplib.SMTPException):
            return sentence("sending through {host} failed: {why}", host=host, why=self._clean(str(error)))
        if isinstance(error, OSError):
            return sentence(
                "the mail server {host}, port {port}, cannot be reached: {why}.",
                host=host,
                port=str(self.server.port),
                why=error.strerror or str(error),
            )
        return None

    def _refused(self, code: int, reply: bytes | str) -> Outcome:
        reason = sentence(
            "{host} rejected the e-mail: {reply}", host=self.server.host, reply=self._reply(code, reply)
        )
        try:
            assert self._smtp is not None
            if code == CLOSING or self._smtp.rset()[0] != 250:
                self.lost = reason
        except OSError:
            self.lost = sentence("the connection to {host} was lost.", host=self.server.host)
        return Outcome("failed", reason)

    def _reply(self, code: int, reply: bytes | str) -> str:
        words = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply
        return f"{code} {self._clean(words)}".strip()

    def _clean(self, words: str) -> str:
        """Return a server's words on one line, without the password if it repeats that."""
        if password := self.server.password.get_secret_value():
            words = words.replace(password, "***")
        words = "".join(" " if has_control(sign) else sign for sign in words)
        return " ".join(words.split())[:LONGEST_REPLY]

    def _close(self) -> None:
        if self._smtp is not None:
            self._smtp.close()
            self._smtp = None
