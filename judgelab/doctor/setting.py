"""Settings as they are in effect: for a person's eyes, and what is odd about them."""

from __future__ import annotations

import difflib
import ipaddress
import logging
import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from judgelab.accounts import modes
from judgelab.config import Settings
from judgelab.doctor.findings import Finding, broken, look, ok
from judgelab.errors import InvalidInput, UserError
from judgelab.mailing.smtp import mail_server
from judgelab.store.db.engine import masked

HIDDEN = "***"
# Set by ourselves or for tests; no settings.
OTHERS = {"JUDGELAB_LAUNCHER", "JUDGELAB_DATASETS"}


def masked_settings(chosen: Settings) -> dict[str, Any]:
    """Return all settings with every password hidden."""
    urls = {"database_url": chosen.database_url, "engine_url": chosen.job_engine_url}
    return {
        **chosen.model_dump(),
        **{name: _masked(url) for name, url in urls.items()},
        "public_url": _without_password(chosen.public_url),
        "mail_password": HIDDEN if chosen.mail_password.get_secret_value() else "",
    }


def examine(chosen: Settings) -> Iterator[Finding]:
    """Yield what is to be said about the settings."""
    yield from _unknown()
    yield _public(chosen)
    yield _log(chosen)
    if chosen.metrics_address:
        yield _metrics(chosen.metrics_address)
    if chosen.mail_host or chosen.mail_sender:
        yield _mail(chosen)


def _unknown() -> Iterator[Finding]:
    variable_names = {f"JUDGELAB_{name.upper()}" for name in Settings.model_fields}
    given = {name for name in os.environ if name.startswith("JUDGELAB_")}
    for name in sorted(given - variable_names - OTHERS):
        near = difflib.get_close_matches(name, variable_names, n=1, cutoff=0.75)
        if near:
            yield look("setting", f"{name} is set but has no effect.", f"Did you mean {near[0]}?")


def _public(chosen: Settings) -> Finding:
    address, local = urlsplit(chosen.public_url), modes.is_local(chosen.host)
    if not chosen.public_url:
        if local:
            return ok("public address", "only this machine can connect.")
        return look(
            "public address",
            f"JUDGELAB_PUBLIC_URL is not set, so links use {chosen.address}.",
            "Set it to the address that people use, with https://.",
        )
    if address.scheme not in ("http", "https") or not address.hostname:
        return broken(
            "public address",
            f"JUDGELAB_PUBLIC_URL is '{_without_password(chosen.public_url)}', which is not an address.",
            "Write it as https://judgelab.example.org.",
        )
    if address.path.strip("/") or address.query or address.username:
        return look(
            "public address",
            f"JUDGELAB_PUBLIC_URL contains more than a host ({_without_password(chosen.public_url)}).",
            "Write it as https://judgelab.example.org: JudgeLab must run at the root of its own host.",
        )
    if local and address.hostname not in modes.LOOPBACK:
        return look(
            "public address",
            f"{chosen.public_url} is for other people, but on {chosen.host} JudgeLab expects only you.",
            "Listen on another address, such as 127.0.0.2 behind a proxy, so that everyone must sign in.",
        )
    if address.scheme == "http" and address.hostname not in modes.LOOPBACK:
        return look(
            "public address",
            f"{chosen.public_url} is not encrypted: others on the network can read sign-ins and ratings.",
            "Put a proxy with TLS in front (docs/deploy.md) and use https://.",
        )
    return ok("public address", chosen.public_url)


def _log(chosen: Settings) -> Finding:
    if chosen.log_level.upper() in logging.getLevelNamesMapping():
        return ok(
            "log", f"{chosen.log_format}, level {chosen.log_level.upper()} and above, to standard error."
        )
    return look(
        "log",
        f"JUDGELAB_LOG_LEVEL is '{chosen.log_level}', which is not a level; INFO is used.",
        "Use DEBUG, INFO, WARNING or ERROR.",
    )


def _metrics(address: str) -> Finding:
    host, _, port = address.rpartition(":")
    if not port.isdigit() or not host:
        return broken(
            "metrics",
            f"JUDGELAB_METRICS_ADDRESS is '{address}'; the app and the workers cannot start with it.",
            "Use HOST:PORT, such as 127.0.0.1:9464.",
        )
    if not _is_private(host.strip("[]")):
        return look(
            "metrics",
            f"others may reach {address}; the metrics need no sign-in.",
            "Listen on 127.0.0.1 or on an address of a private network.",
        )
    return ok("metrics", f"http://{address}/metrics for the app, workers on the ports after it.")


def _mail(chosen: Settings) -> Finding:
    try:
        server = mail_server(chosen)
    except InvalidInput as error:
        return broken("mail", f"no e-mails can be sent: {error}", "See docs/deploy.md.")
    return ok("mail", f"{server.host}, port {server.port}, {server.tls}; from {server.sender}.")


def _is_private(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_private and not address.is_unspecified


def _masked(url: str) -> str:
    try:
        return masked(url)
    except UserError:
        return "(no database URL)"


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return url if parts.password is None else url.replace(f":{parts.password}@", ":***@")
