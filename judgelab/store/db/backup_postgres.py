"""Back up and restore a PostgreSQL database with PostgreSQL's own programs."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import inspect, make_url, text

from judgelab.errors import InvalidInput, StoreUnavailable
from judgelab.store.db.engine import Session, Store
from judgelab.store.db.engine_tables import ENGINE_SCHEMA
from judgelab.store.db.own_files import OWNER_ONLY, rename_durably
from judgelab.store.db.schema import refuse_other_schema
from judgelab.store.models.base import Base
from judgelab.wording import sentence

DEBIAN = Path("/usr/lib/postgresql")  # Debian's folder of programs that are not on the PATH
_SCHEMA = re.compile(r"^COPY public\.alembic_version .*\n(\S+)\n", re.MULTILINE)
_OTHER_CONNECTIONS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND usename IS NOT NULL"
)


def save(session: Session, url: str, file: Path) -> None:
    """Write the data that the session sees, in PostgreSQL's archive format."""
    moment = session.scalar(text("SELECT pg_export_snapshot()"))
    tables = [f"--table=public.{name}" for name in _own_tables(session)]
    part = file.with_name(f"{file.name}.part")
    part.unlink(missing_ok=True)
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))
        words = ["--format=custom", "--no-owner", "--no-acl", f"--snapshot={moment}", *tables]
        _run("pg_dump", *words, f"--file={part}", _address(url), url=url)
        _run("pg_restore", f"--file={os.devnull}", str(part))  # checks that it can be read to its end
        rename_durably(part, file)
    except OSError as error:
        raise StoreUnavailable(
            sentence("can't write {place} ({what}).", place=file, what=str(error))
        ) from error
    finally:
        part.unlink(missing_ok=True)


def schema_revision_of(file: Path) -> str:
    """Return the schema revision of a backup; raises `InvalidInput` if there is none."""
    output = _run("pg_restore", "--data-only", "--table=alembic_version", "--file=-", str(file))
    match = _SCHEMA.search(output)
    if match is None:
        raise InvalidInput(
            sentence("{file} is not a JudgeLab backup; name a file written by `judgelab backup`.", file=file)
        )
    return match[1]


def restore(store: Store, engine_url: str, file: Path, *, schema: str, moment: datetime) -> None:
    """Replace our tables with the backup's, end its sign-ins, and drop the engine's tables.

    Args:
        store: the database.
        engine_url: the URL of the job engine's database.
        file: the backup.
        schema: the backup's schema revision.
        moment: the end time for the backup's sign-ins and unused one-time links.

    Raises:
        StoreUnavailable: the backup is newer, there are other connections, or the server refused.
    """
    refuse_other_schema(schema, file)
    with store.reading() as session:
        if session.scalar(_OTHER_CONNECTIONS):
            raise StoreUnavailable(
                sentence(
                    "{place} is in use; stop `judgelab up` and all workers first, then restore again.",
                    place=sentence("the database"),
                )
            )
        tables = _own_tables(session)
    store.close()
    drops = [f'DROP TABLE public."{name}" CASCADE' for name in tables]
    forget = f"DROP SCHEMA IF EXISTS {ENGINE_SCHEMA} CASCADE"
    if _address(engine_url) == _address(store.url):
        drops.append(forget)
    else:
        _run("psql", *_PSQL_OPTIONS, f"--command={forget}", _address(engine_url), url=engine_url)
    _replace(file, store.url, drops, _end_sign_ins_sql(moment))


def _end_sign_ins_sql(moment: datetime) -> list[str]:
    """Return SQL that ends sign-ins in any schema; in the first, all links were single-use."""
    at = f"TIMESTAMP '{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}'"
    once = "coalesce((to_jsonb(invite) ->> 'once')::boolean, TRUE)"
    return [
        f"UPDATE public.session SET revoked_at = {at} WHERE revoked_at IS NULL",
        f"UPDATE public.invite SET revoked_at = {at} WHERE used_at IS NULL AND revoked_at IS NULL AND {once}",
    ]


def _own_tables(session: Session) -> list[str]:
    names = inspect(session.connection()).get_table_names()
    return [name for name in names if name in Base.metadata.tables or name == "alembic_version"]


_PSQL_OPTIONS = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1")


def _replace(file: Path, url: str, before: list[str], after: list[str]) -> None:
    """Feed the backup to the server, and commit only if it was read to its end."""
    read = [find_program("pg_restore"), "--no-owner", "--no-acl", "--file=-", str(file)]
    write = [find_program("psql"), *_PSQL_OPTIONS, "--file=-", _address(url)]
    with tempfile.TemporaryFile() as errors:
        source = subprocess.Popen(read, stdout=subprocess.PIPE, stderr=errors)
        server = subprocess.Popen(
            write, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors, env=_environment(url)
        )
        assert source.stdout is not None and server.stdin is not None
        with contextlib.suppress(BrokenPipeError), source.stdout, server.stdin:
            server.stdin.write(f"BEGIN;\n{''.join(f'{command};' for command in before)}\n".encode())
            shutil.copyfileobj(source.stdout, server.stdin)
            if source.wait() == 0:
                server.stdin.write(f"\n{''.join(f'{command};' for command in after)}\nCOMMIT;\n".encode())
        if server.wait() or source.wait():
            errors.seek(0)
            raise _failed("psql", errors.read().decode(errors="replace"))


def _run(program: str, *arguments: str, url: str = "") -> str:
    process = subprocess.run(
        [find_program(program), *arguments], env=_environment(url), capture_output=True, text=True
    )
    if process.returncode:
        raise _failed(program, process.stderr)
    return process.stdout


def _environment(url: str) -> dict[str, str]:
    # Passed in the environment, as every user of the machine can read command lines.
    secret = make_url(url).password if url else None
    return {**os.environ, **({"PGPASSWORD": str(secret)} if secret else {})}


def _failed(program: str, output: str) -> StoreUnavailable:
    return StoreUnavailable(
        sentence(
            "{program} failed, and nothing was changed: {what}",
            program=program,
            what=(output.strip().splitlines() or ["no reason given."])[0],
        )
    )


def find_program(program: str) -> str:
    """Return the path of one of PostgreSQL's programs; raises `StoreUnavailable` if it is missing."""
    program_path = shutil.which(program) or next(
        (str(path) for path in sorted(DEBIAN.glob(f"*/bin/{program}"), reverse=True)),
        None,
    )
    if program_path is None:
        raise StoreUnavailable(
            sentence(
                "{program}, which copies PostgreSQL databases, is not installed on this machine; install "
                "PostgreSQL's client programs (on Debian: postgresql-client).",
                program=program,
            )
        )
    return program_path


def _address(url: str) -> str:
    # Not `set`, which ignores None: a `***` in the URL would override PGPASSWORD.
    without = make_url(url)._replace(drivername="postgresql", password=None)
    return str(without.render_as_string(hide_password=False))
