"""An SMTP server on this machine (RFC 5321, STARTTLS, AUTH PLAIN) that can refuse and break off."""

from __future__ import annotations

import base64
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import cast


@dataclass
class Mailbox:
    """How the server behaves, and what it was given.

    Attributes:
        port: its port, set when it listens.
        users: names and passwords; with any, nobody else may send.
        refused: addresses that it does not accept.
        lost_at: the number of the mail, from 1, at which it ends the connection without a word.
        lost_after_data: whether that happens after the mail was received, else before.
        limit: after so many mails it says 421 and ends the connection.
        mails: the recipient and content of each mail that it accepted.
        connections: how often a client connected.
    """

    port: int = 0
    users: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    lost_at: int = 0
    lost_after_data: bool = False
    limit: int = 0
    context: ssl.SSLContext | None = None
    mails: list[tuple[str, bytes]] = field(default_factory=list)
    connections: int = 0

    def messages(self) -> list[EmailMessage]:
        """Return the mails as read by the standard library."""
        return [
            cast(EmailMessage, message_from_bytes(raw, policy=policy.default)) for _address, raw in self.mails
        ]


class _Talk(socketserver.StreamRequestHandler):
    """One connection."""

    box: Mailbox

    def handle(self) -> None:
        self.box = cast("_Server", self.server).box
        self.box.connections += 1
        self.signed_in, self.encrypted, self.started = not self.box.users, False, 0
        self.say("220 here")
        while line := self.rfile.readline():
            words = line.decode("ascii").strip()
            if not self.answer(words.split(" ")[0].upper(), words):
                return

    def finish(self) -> None:
        """Close what STARTTLS put in the place of the connection, too."""
        super().finish()
        self.connection.close()

    def answer(self, verb: str, words: str) -> bool:
        """Answer one command; return whether the talk goes on."""
        if verb == "EHLO":
            offers = ["250-here"]
            if self.box.context and not self.encrypted:
                offers.append("250-STARTTLS")
            if self.box.users:
                offers.append("250-AUTH PLAIN")
            self.say(*offers, "250 SIZE 1000000")
        elif verb == "STARTTLS" and self.box.context:
            self.say("220 go on")
            try:
                self.connection = self.box.context.wrap_socket(self.connection, server_side=True)
            except ssl.SSLError:  # the client does not trust the certificate
                return False
            self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
            self.encrypted = True
        elif verb == "AUTH":
            self.sign_in(words)
        elif verb == "MAIL":
            self.started += 1
            if self.box.limit and self.started > self.box.limit:
                self.say("421 too many mails")
                return False
            if self.box.lost_at == self.started and not self.box.lost_after_data:
                return False
            self.say("250 ok" if self.signed_in else "530 sign in first")
        elif verb == "RCPT":
            self.address = words.partition("<")[2].partition(">")[0]
            self.say("550 no such mailbox" if self.address in self.box.refused else "250 ok")
        elif verb == "DATA":
            self.say("354 go on")
            return self.take()
        else:
            self.say("221 bye" if verb == "QUIT" else "250 ok")
        return verb != "QUIT"

    def sign_in(self, words: str) -> None:
        """Check AUTH PLAIN with its initial response."""
        _empty, name, password = base64.b64decode(words.split(" ")[2]).decode().split("\0")
        self.signed_in = self.box.users.get(name) == password
        # Some servers repeat what they were given.
        self.say("235 ok" if self.signed_in else f"535 5.7.8 wrong: {name} {password}")

    def take(self) -> bool:
        """Read a mail up to the line with a dot."""
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line[1:] if line.startswith(b".") else line)
        self.box.mails.append((self.address, b"".join(lines)))
        if self.box.lost_at == self.started and self.box.lost_after_data:
            return False
        self.say("250 taken")
        return True

    def say(self, *lines: str) -> None:
        """Send lines."""
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads, allow_reuse_address = True, True
    box: Mailbox


@contextmanager
def mail_server(box: Mailbox) -> Iterator[Mailbox]:
    """Serve on a free port of 127.0.0.1 inside the block."""
    with _Server(("127.0.0.1", 0), _Talk) as server:
        server.box, box.port = box, server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield box
        finally:
            server.shutdown()
            thread.join()


def new_certificate(folder: Path, host: str = "localhost") -> tuple[Path, ssl.SSLContext]:
    """Return a file with a new certificate for the host, signed by itself, and a server's context with it."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)]),
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = folder / "certificate.pem", folder / "key.pem"
    public.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    return public, context
