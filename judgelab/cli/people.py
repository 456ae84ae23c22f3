"""`user` and `invite`: people with a role in every project, and a link into one project."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer

from judgelab.accounts import erasure, global_roles, members
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.config import settings
from judgelab.domain import ROLES
from judgelab.errors import InvalidInput
from judgelab.store.people import memberships, people, sessions
from judgelab.store.projects.projects import find_project

user_app = typer.Typer(help="People who have a role in all projects.", no_args_is_help=True)
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
    role: Annotated[str, typer.Option(help=f"{', '.join(ROLES)}; applies to all projects.")],
    password_stdin: PasswordStdin = False,
    as_json: Json = False,
) -> None:
    """Add a person. Owners and researchers sign in by name, so the command asks for their password."""
    password = _read_password(password_stdin) if global_roles.needs_password(role) else None
    person = global_roles.add(shared.store(), name, role, password)
    next_step = (
        "sign in by name at /sign-in" if password else "make a link with `judgelab invite PROJECT NAME`"
    )
    shared.emit(
        {"name": person.name, "role": person.role, "password": password is not None},
        as_json=as_json,
        text=f"{person.name} is {person.role} in all projects; next: {next_step}.",
    )


@user_app.command("change")
def change_user(
    name: str,
    role: Annotated[str | None, typer.Option(help=f"{', '.join(ROLES)}, or '' for none.")] = None,
    password: Annotated[bool, typer.Option("--password", help="Ask for a new password.")] = False,
    password_stdin: PasswordStdin = False,
    as_json: Json = False,
) -> None:
    """Change a person's role in all projects, or their password; a new password signs them out."""
    if role is None and not (password or password_stdin):
        raise InvalidInput("name what to change: --role, --password or --password-stdin.")
    new = _read_password(password_stdin) if password or password_stdin else None
    person = global_roles.change(shared.store(), name, role=role, password=new)
    shared.emit(
        {"name": person.name, "role": person.role, "password_changed": new is not None},
        as_json=as_json,
        text=f"{person.name} has {f'the role {person.role}' if person.role else 'no role'} in all projects.",
    )


@user_app.command("list")
def list_users(as_json: Json = False) -> None:
    """List all people with their roles and the time of their last visit."""
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
    lines = [_person_line(row) for row in rows]
    shared.emit(rows, as_json=as_json, text="\n".join(lines) or "There are no people yet.")


@user_app.command("erase")
def erase_user(
    name: str,
    ratings: Annotated[str, typer.Option(help="keep or remove the person's ratings.")],
    comments: Annotated[
        str, typer.Option(help="keep or remove the person's comments, which may contain names.")
    ] = "remove",
    yes: Annotated[bool, typer.Option("--yes", help="Confirm; this cannot be undone.")] = False,
    as_json: Json = False,
) -> None:
    """Erase a person's data on request: a pseudonym replaces their name in all projects."""
    for option, word in (("--ratings", ratings), ("--comments", comments)):
        if word not in ("keep", "remove"):
            raise InvalidInput(f"{option} {word} is not valid; use keep or remove.")
    if not yes:
        raise InvalidInput(f"this cannot be undone; to erase {name}, add --yes.")
    result = erasure.erase(
        shared.store(), None, name, keep_ratings=ratings == "keep", keep_comments=comments == "keep"
    )
    fate = "kept under that name" if result.kept else "removed"
    learned = ", ".join(result.learned)
    advice = f" Train the learned judges again in: {learned}." if learned else ""
    shared.emit(
        asdict(result),
        as_json=as_json,
        text=f"now called {result.pseudonym}; ratings {fate}: {result.ratings:,}; comments removed: "
        f"{result.comments:,}. Earlier exports and backups still contain the name.{advice}",
    )


def invite(
    project: str,
    name: str,
    role: Annotated[str, typer.Option(help=f"{', '.join(ROLES)}: in this project.")] = "annotator",
    cohort: Annotated[str, typer.Option(help="The rater's group; items can be reserved for a group.")] = "",
    limit: Annotated[int | None, typer.Option(help="Maximum number of responses for this person.")] = None,
    days: Annotated[int, typer.Option(help="Number of days the link is valid.")] = members.DEFAULT_LINK_DAYS,
    as_json: Json = False,
) -> None:
    """Print a sign-in link for a person; new people are added to the project."""
    store, chosen_role = shared.store(), shared.parse_role(role)
    with store.reading() as session:
        project_id = find_project(session, project).id
        existing = people.find(session, " ".join(name.split()))
        membership = memberships.find(session, project_id, existing.id) if existing else None
    if membership is None or membership.state == "removed":
        person = members.add(
            store, None, project_id, name, role=chosen_role, cohort=cohort, most_responses=limit
        )
        person_id = person.id
    else:
        person_id = membership.person_id
        if membership.role != chosen_role:
            raise InvalidInput(
                f"{membership.name} is {membership.role} in '{project}'; use --role {membership.role}, or "
                "change the role on the page People."
            )
    new_link = members.new_link(store, None, project_id, person_id, days=days)
    link = settings().address + new_link.path
    often = "once" if new_link.once else "any number of times"
    shared.emit(
        {
            "project": project,
            "name": new_link.person.name,
            "role": chosen_role,
            "link": link,
            "once": new_link.once,
            "days": new_link.days,
        },
        as_json=as_json,
        text=f"{link}\nThis link signs in {new_link.person.name} {often} and is valid for {new_link.days} "
        f"days. It is not shown again. If people reach the app at another address than {settings().address}, "
        "change it in the link, or set JUDGELAB_PUBLIC_URL.",
    )


def _person_line(row: Mapping[str, object]) -> str:
    projects = row["projects"]
    assert isinstance(projects, dict)
    roles = [f"{row['role']} in all projects"] if row["role"] else []
    roles += [f"{role} in {slug}" for slug, role in projects.items()]
    signs_in = "  signs in by name" if row["password"] else ""
    return f"{row['name']}  {', '.join(roles) or 'no role'}{signs_in}"


def _read_password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise InvalidInput("a password is required: use --password-stdin, or run this command in a terminal.")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Password again: ") != first:
        raise InvalidInput("the two passwords differ; nothing was stored.")
    return first
