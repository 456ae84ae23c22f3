"""Commands about people: accounts with a role everywhere, and links into one project."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer

from judgelab.accounts import erasure, global_roles, members
from judgelab.cli import shared
from judgelab.config import settings
from judgelab.domain import ROLES, Role
from judgelab.errors import InvalidInput
from judgelab.store.people import memberships, people, sessions
from judgelab.store.projects.projects import find_project

user_app = typer.Typer(help="People with a role in every project.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input.")
]


def register(app: typer.Typer) -> None:
    """Add `user` and `invite`."""
    app.add_typer(user_app, name="user")
    app.command("invite")(invite)


@user_app.command("add")
def add_user(
    name: str,
    role: Annotated[str, typer.Option(help=f"{', '.join(ROLES)}: holds in every project.")],
    password_stdin: PasswordStdin = False,
    as_json: Json = False,
) -> None:
    """Add a person; an owner or researcher signs in by name and is asked for a password."""
    password = _password(password_stdin) if global_roles.needs_password(role) else None
    person = global_roles.add(shared.store(), name, role, password)
    how = "sign in by name at /sign-in" if password else "make a link with `judgelab invite PROJECT NAME`"
    shared.emit(
        {"name": person.name, "role": person.role, "password": password is not None},
        as_json=as_json,
        text=f"{person.name} is {person.role} in every project; next: {how}.",
    )


@user_app.command("change")
def change_user(
    name: str,
    role: Annotated[str | None, typer.Option(help=f"{', '.join(ROLES)}, or '' for none.")] = None,
    password: Annotated[bool, typer.Option("--password", help="Ask for a new password.")] = False,
    password_stdin: PasswordStdin = False,
    as_json: Json = False,
) -> None:
    """Change a person's role in every project or their password; a new password signs them out."""
    if role is None and not (password or password_stdin):
        raise InvalidInput("say what changes: --role, --password or --password-stdin.")
    new = _password(password_stdin) if password or password_stdin else None
    person = global_roles.change(shared.store(), name, role=role, password=new)
    shared.emit(
        {"name": person.name, "role": person.role, "password_changed": new is not None},
        as_json=as_json,
        text=f"{person.name} has {f'the role {person.role}' if person.role else 'no role'} in every project.",
    )


@user_app.command("list")
def list_users(as_json: Json = False) -> None:
    """List everybody with the roles they hold, and when they were last here."""
    with shared.store().reading() as session:
        seen = sessions.last_seen(session)
        rows = [
            {
                "name": person.name,
                "role": person.role,
                "projects": memberships.roles_by_slug(session, person.id),
                "password": people.password_hash(session, person.id) is not None,
                "last_seen": seen[person.id].isoformat() if person.id in seen else None,
            }
            for person in people.list_people(session)
        ]
    lines = [_line(row) for row in rows]
    shared.emit(rows, as_json=as_json, text="\n".join(lines) or "There is nobody yet.")


@user_app.command("erase")
def erase_user(
    name: str,
    ratings: Annotated[str, typer.Option(help="keep or remove: what becomes of the ratings given.")],
    comments: Annotated[str, typer.Option(help="keep or remove; comments may name somebody.")] = "remove",
    yes: Annotated[bool, typer.Option("--yes", help="It cannot be undone.")] = False,
    as_json: Json = False,
) -> None:
    """Take a person's data out on request: a pseudonym stands in their place, in every project."""
    for option, word in (("--ratings", ratings), ("--comments", comments)):
        if word not in ("keep", "remove"):
            raise InvalidInput(f"{option} {word} is not one of keep, remove.")
    if not yes:
        raise InvalidInput(f"this cannot be undone; say --yes to erase {name}.")
    done = erasure.erase(
        shared.store(), None, name, keep_ratings=ratings == "keep", keep_comments=comments == "keep"
    )
    fate = "kept under that name" if done.kept else "removed"
    learned = ", ".join(done.learned)
    again = f" Learn again where a judge learned from them: {learned}." if learned else ""
    shared.emit(
        asdict(done),
        as_json=as_json,
        text=f"now called {done.pseudonym}; ratings {fate}: {done.ratings:,}; comments taken out: "
        f"{done.comments:,}. Exports and backups made before still hold the name.{again}",
    )


def invite(
    project: str,
    name: str,
    role: Annotated[str, typer.Option(help=f"{', '.join(ROLES)}: in this project.")] = "annotator",
    cohort: Annotated[str, typer.Option(help="The group that items may be reserved for.")] = "",
    limit: Annotated[int | None, typer.Option(help="Most responses this person is given.")] = None,
    days: Annotated[int, typer.Option(help="How long the link works.")] = members.DEFAULT_LINK_DAYS,
    as_json: Json = False,
) -> None:
    """Print a link that signs a person in; somebody new gets a place in the project."""
    store, wanted = shared.store(), _role(role)
    with store.reading() as session:
        project_id = find_project(session, project).id
        known = people.find(session, " ".join(name.split()))
        place = memberships.find(session, project_id, known.id) if known else None
    if place is None or place.state == "removed":
        person = members.add(store, None, project_id, name, role=wanted, cohort=cohort, most_responses=limit)
        person_id = person.id
    else:
        person_id = place.person_id
        if place.role != wanted:
            raise InvalidInput(
                f"{place.name} is {place.role} in '{project}'; say --role {place.role}, or change the role "
                "on the page People."
            )
    made = members.new_link(store, None, project_id, person_id, days=days)
    link = settings().address + made.path
    often = "once" if made.once else "again and again"
    shared.emit(
        {
            "project": project,
            "name": made.person.name,
            "role": wanted,
            "link": link,
            "once": made.once,
            "days": made.days,
        },
        as_json=as_json,
        text=f"{link}\nIt signs in {made.person.name}, {often}, for {made.days} days; it is not shown again. "
        f"If the app is not open at {settings().address}, put its address there, or set JUDGELAB_PUBLIC_URL.",
    )


def _role(word: str) -> Role:
    for role in ROLES:
        if role == word:
            return role
    raise InvalidInput(f"'{word}' is no role; known: {', '.join(ROLES)}.")


def _line(row: Mapping[str, object]) -> str:
    projects = row["projects"]
    assert isinstance(projects, dict)
    held = [f"{row['role']} everywhere"] if row["role"] else []
    held += [f"{role} in {slug}" for slug, role in projects.items()]
    signs_in = "  signs in by name" if row["password"] else ""
    return f"{row['name']}  {', '.join(held) or 'no role'}{signs_in}"


def _password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise InvalidInput("a password is needed: give it with --password-stdin, or run this in a terminal.")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Password again: ") != first:
        raise InvalidInput("the two passwords differ; nothing was stored.")
    return first
