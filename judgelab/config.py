"""Settings, from the environment or a `.env` file, and from nowhere else."""

from __future__ import annotations

import os
import socket
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from judgelab.errors import InvalidInput
from judgelab.wording import sentence


class Settings(BaseSettings):
    """All settings of JudgeLab; each is read from `JUDGELAB_<NAME>`.

    Attributes:
        home: the folder of `judgelab.db`, `.env` and `.streamlit/secrets.toml`; empty for the one you are in.
        database_url: where everything is stored; SQLite by default, `postgresql://...` for many machines. A
            relative file lies in `home`.
        engine_url: where the job engine keeps its own tables; derived from `database_url` when empty.
        host: address the app listens on.
        port: port the app listens on.
        workers: worker processes that `judgelab up` starts.
        slots: chunks of a run that one worker works on at the same time.
        batch_poll_seconds: how long a worker waits between two looks at a batch.
        public_url: the address people use, when it is not host and port (a proxy): for links and cookies.
        oidc_claim: what names a person to an OpenID Connect provider and here: `email` (verified) or `name`.
        encoder: model for embeddings, BERTScore and MoverScore: a folder, a name on the Hugging Face hub,
            `all-MiniLM-L6-v2` (the installed one) or `tfidf` (no model); empty for the best of the last two.
        log_level: DEBUG, INFO, WARNING or ERROR.
        log_format: `plain` lines for a person, or `json`, one object a line, for programs that collect logs.
        metrics_address: HOST:PORT where the app serves figures for Prometheus, workers on the ports after it;
            empty for none. Private: nobody signs in there.
        public_demo: every visitor gets a copy of the sample project as a guest (`judgelab demo --public`).
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
    public_demo: bool = False

    @model_validator(mode="after")
    def _keep_files_at_home(self) -> Settings:
        self.database_url = _within(self.home, self.database_url)
        self.engine_url = _within(self.home, self.engine_url)
        return self

    @property
    def address(self) -> str:
        """Return the address people use, without a slash at its end."""
        return (self.public_url or address_of(self.host, self.port)).rstrip("/")

    @property
    def job_engine_url(self) -> str:
        """Return the job engine's database: `judgelab-engine.db` beside ours, or the same PostgreSQL."""
        if self.engine_url:
            return self.engine_url
        path = Path(self.database_url.removeprefix("sqlite:///"))
        if self.database_url.startswith("sqlite:///") and path.name:
            return f"sqlite:///{path.with_name(f'{path.stem}-engine{path.suffix}')}"
        return self.database_url.replace("postgresql+psycopg://", "postgresql://", 1)


def _within(home: str, url: str) -> str:
    """Return the URL, a relative SQLite file in it taken from `home`."""
    name = url.removeprefix("sqlite:///")
    if not home or name in (url, "", ":memory:") or Path(name).is_absolute():
        return url
    return f"sqlite:///{Path(home) / name}"


def address_of(host: str, port: int) -> str:
    """Return how a browser names an app that listens on `host`; this machine's name for all of its own."""
    name = socket.gethostname() if host in ("0.0.0.0", "::") else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the settings of this process; the folder that `home` names is made where there is none.

    Raises:
        InvalidInput: one of them cannot be taken; the sentence names the variable.
    """
    try:
        found = Settings()
        if found.home:
            Path(found.home).mkdir(parents=True, exist_ok=True)
        return found
    except OSError as error:
        raise InvalidInput(
            sentence(
                "{name} cannot be '{value}': {why}.",
                name="JUDGELAB_HOME",
                value=found.home,
                why=(error.strerror or "not possible").lower(),
            )
        ) from None
    except ValidationError as error:
        wrong = error.errors()[0]
        name = f"JUDGELAB_{str(wrong['loc'][0]).upper()}"
        said = wrong["msg"].removeprefix("Value error, ")
        raise InvalidInput(
            sentence("{name} cannot be '{value}': {why}.", name=name, value=str(wrong["input"]), why=said)
        ) from None
