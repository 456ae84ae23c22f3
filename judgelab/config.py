"""Settings from the environment or a `.env` file."""

from __future__ import annotations

import os
import socket
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from judgelab.errors import InvalidInput
from judgelab.wording import sentence


class Settings(BaseSettings):
    """All settings of JudgeLab; each is read from `JUDGELAB_<NAME>`.

    Attributes:
        home: folder of `judgelab.db`, `.env` and `.streamlit/secrets.toml`; empty for the current folder.
        database_url: the database; SQLite by default, `postgresql://...` for several machines. A relative
            file is in `home`.
        engine_url: the database of the job engine's tables; derived from `database_url` if empty.
        host: the address the app listens on.
        port: the port the app listens on.
        workers: the number of worker processes that `judgelab up` starts.
        slots: the number of chunks of a run that one worker processes at the same time.
        batch_poll_seconds: how long a worker waits before it checks a batch again.
        public_url: the address people use, if it is not host and port (a proxy); for links and cookies.
        oidc_claim: the claim of an OpenID Connect provider that identifies a person: `email` (verified) or
            `name`.
        encoder: model for embeddings, BERTScore and MoverScore: a folder, a name on the Hugging Face hub,
            `all-MiniLM-L6-v2` (the installed one) or `tfidf` (no model); empty for the better one available.
        log_level: DEBUG, INFO, WARNING or ERROR.
        log_format: `plain` lines, or `json` for one object per line.
        metrics_address: HOST:PORT where the app serves Prometheus metrics; workers use the following ports.
            Empty for none. Keep it private, as there is no sign-in.
        mail_host: the SMTP server for invitations and reminders; empty for no mails.
        mail_port: its port; 0 for the usual one: 587, 465 for `tls`, 25 for `none`.
        mail_user: the name for signing in to it; empty for none.
        mail_password: the password of `mail_user`.
        mail_sender: the address that mails come from, `NAME <ADDRESS>` or an address.
        mail_tls: `starttls`, `tls` from the first byte, or `none` (unencrypted).
        public_demo: whether every visitor gets a copy of the sample project (`judgelab demo --public`).
    """

    model_config = SettingsConfigDict(
        env_prefix="JUDGELAB_", env_file=Path(os.environ.get("JUDGELAB_HOME", ""), ".env"), extra="ignore"
    )

    home: str = ""
    database_url: str = "sqlite:///judgelab.db"
    engine_url: str = ""
    host: str = "127.0.0.1"
    port: int = 8501
    workers: int = 1
    slots: int = 4
    batch_poll_seconds: float = 60.0
    public_url: str = ""
    oidc_claim: Literal["email", "name"] = "email"
    encoder: str = ""
    log_level: str = "INFO"
    log_format: Literal["plain", "json"] = "plain"
    metrics_address: str = ""
    mail_host: str = ""
    mail_port: int = 0
    mail_user: str = ""
    mail_password: SecretStr = SecretStr("")
    mail_sender: str = ""
    mail_tls: Literal["starttls", "tls", "none"] = "starttls"
    public_demo: bool = False

    @model_validator(mode="after")
    def _keep_files_at_home(self) -> Settings:
        self.database_url = _in_home(self.home, self.database_url)
        self.engine_url = _in_home(self.home, self.engine_url)
        return self

    @property
    def address(self) -> str:
        """Return the address that people use, without a slash at the end."""
        return (self.public_url or address_of(self.host, self.port)).rstrip("/")

    @property
    def job_engine_url(self) -> str:
        """Return the job engine's database: `judgelab-engine.db` next to ours, or the same PostgreSQL."""
        if self.engine_url:
            return self.engine_url
        path = Path(self.database_url.removeprefix("sqlite:///"))
        if self.database_url.startswith("sqlite:///") and path.name:
            return f"sqlite:///{path.with_name(f'{path.stem}-engine{path.suffix}')}"
        return self.database_url.replace("postgresql+psycopg://", "postgresql://", 1)


def _in_home(home: str, url: str) -> str:
    """Return the URL; a relative SQLite file is resolved against `home`."""
    name = url.removeprefix("sqlite:///")
    if not home or name in (url, "", ":memory:") or Path(name).is_absolute():
        return url
    return f"sqlite:///{Path(home) / name}"


def address_of(host: str, port: int) -> str:
    """Return the address for a browser; the machine's name if the app listens on all addresses."""
    name = socket.gethostname() if host in ("0.0.0.0", "::") else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the settings of this process; the folder `home` is created if it does not exist.

    Raises:
        InvalidInput: a setting is not valid; the message names the variable.
    """
    loaded = read_settings()
    try:
        if loaded.home:
            Path(loaded.home).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            sentence(
                "{name} cannot be '{value}': {why}.",
                name="JUDGELAB_HOME",
                value=loaded.home,
                why=(error.strerror or "not possible").lower(),
            )
        ) from None
    return loaded


def read_settings() -> Settings:
    """Return the settings as they are now, for those who only read; raises `InvalidInput` as `settings`."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = error.errors()[0]
        name = f"JUDGELAB_{str(wrong['loc'][0]).upper()}"
        reason = wrong["msg"].removeprefix("Value error, ")
        raise InvalidInput(
            sentence("{name} cannot be '{value}': {why}.", name=name, value=str(wrong["input"]), why=reason)
        ) from None
