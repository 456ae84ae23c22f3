"""`study-link`: recruitment links for crowds, and who came through them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer

from judgelab.accounts import line_lists
from judgelab.annotation.links.options import Ending, LinkOptions, options_to_json
from judgelab.annotation.links.questions import read_question
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.config import settings
from judgelab.crowd import bonuses, bulk_files, links, participants
from judgelab.crowd.bulk_files import BulkFile
from judgelab.crowd.links import RecruitmentLink
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project

link_app = typer.Typer(
    help="Recruitment links, through which crowd workers join a project.", no_args_is_help=True
)
LinkName = Annotated[str | None, typer.Argument(help="The link. Default: all links of the project.")]
OutFile = Annotated[Path | None, typer.Option(help="File to write. Default: print.")]
CODE_HELP = "Completion code for participants"
URL_HELP = "Return URL for participants"


def register(app: typer.Typer) -> None:
    """Add `study-link`."""
    app.add_typer(link_app, name="study-link")


@link_app.command("add")
def add_link(
    project: str,
    name: str,
    consent: Annotated[Path, typer.Option(help="File with the consent text (Markdown).")],
    person: Annotated[
        str, typer.Option("--person-parameter", help="URL parameter with the participant ID.")
    ] = LinkOptions.person,
    parameter: Annotated[
        list[str] | None, typer.Option(help="Another URL parameter to store; repeatable.")
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            help="A question before the ratings: 'Age: number', 'Job: text, optional', "
            "'Hand: choice=left|right', 'Tools: choices=search|notes', 'Training: paragraph'; repeatable."
        ),
    ] = None,
    exit_field: Annotated[
        list[str] | None,
        typer.Option(help="A question after the ratings, before the completion code; repeatable."),
    ] = None,
    places: Annotated[int, typer.Option(help="Maximum number of participants.")] = LinkOptions.places,
    minutes: Annotated[float | None, typer.Option(help="Time limit per participant, in minutes.")] = None,
    about: Annotated[float | None, typer.Option(help="Expected duration, in minutes.")] = None,
    limit: Annotated[int | None, typer.Option(help="Maximum number of responses per participant.")] = None,
    pay: Annotated[
        str, typer.Option(help="Pay for finishing. Default: by the hour, if the project has a rate.")
    ] = "",
    cohort: Annotated[str, typer.Option(help="The group of raters that participants join.")] = "",
    refill: Annotated[
        str,
        typer.Option(
            help="keep or surplus: what happens to finished work of participants who return the study."
        ),
    ] = LinkOptions.refill,
    code: Annotated[str, typer.Option(help=f"{CODE_HELP} who finished.")] = "",
    url: Annotated[str, typer.Option(help=f"{URL_HELP} who finished.")] = "",
    screen_out_code: Annotated[str, typer.Option(help=f"{CODE_HELP} who were screened out.")] = "",
    screen_out_url: Annotated[str, typer.Option(help=f"{URL_HELP} who were screened out.")] = "",
    no_consent_code: Annotated[str, typer.Option(help=f"{CODE_HELP} who did not consent.")] = "",
    no_consent_url: Annotated[str, typer.Option(help=f"{URL_HELP} who did not consent.")] = "",
    as_json: Json = False,
) -> None:
    """Create an open recruitment link and print its address."""
    options = LinkOptions(
        person=person,
        others=tuple(parameter or ()),
        consent=_read_consent(consent),
        fields=tuple(map(read_question, field or ())),
        exit_fields=tuple(map(read_question, exit_field or ())),
        places=places,
        minutes=minutes,
        about_minutes=about,
        most=limit,
        pay=pay,
        cohort=cohort,
        refill=refill,
        finished=Ending(code, url),
        screened_out=Ending(screen_out_code, screen_out_url),
        declined=Ending(no_consent_code, no_consent_url),
    )
    store = shared.store()
    project_id = _project_id(store, project)
    links.create(store, None, project_id, name, options)
    link = links.find(store, None, project_id, " ".join(name.split()))
    shared.emit(_link_json(link), as_json=as_json, text=f"{_link_url(link)}\nIt is open now.")


@link_app.command("list")
def list_links(project: str, as_json: Json = False) -> None:
    """List a project's recruitment links with their participant counts."""
    store = shared.store()
    all_links = links.of_project(store, None, _project_id(store, project))
    lines = [f"{link.stored.name}  {link.state}  {_counts_text(link)}" for link in all_links]
    shared.emit(
        [_link_json(link) for link in all_links],
        as_json=as_json,
        text="\n".join(lines) or "There are no recruitment links yet.",
    )


@link_app.command("show")
def show_link(project: str, name: str, as_json: Json = False) -> None:
    """Show a recruitment link: its address, questions, texts and participant counts."""
    store = shared.store()
    link = links.find(store, None, _project_id(store, project), name)
    options = [f"{key}: {value}" for key, value in options_to_json(link.options).items() if value]
    text = "\n".join([_link_url(link), f"{link.state}; {_counts_text(link)}", *options])
    shared.emit(_link_json(link), as_json=as_json, text=text)


@link_app.command("close")
def close_link(project: str, name: str, as_json: Json = False) -> None:
    """Close a link to new participants; those who have joined can continue."""
    _open_or_close(project, name, closes=True, as_json=as_json)


@link_app.command("reopen")
def reopen_link(project: str, name: str, as_json: Json = False) -> None:
    """Reopen a link."""
    _open_or_close(project, name, closes=False, as_json=as_json)


@link_app.command("participants")
def list_participants(
    project: str,
    name: LinkName = None,
    by_name: Annotated[
        bool, typer.Option("--all-raters", help="List raters who were added by name, too.")
    ] = False,
    out: OutFile = None,
    as_json: Json = False,
) -> None:
    """List the participants by platform ID, with state, times, ratings, pay and bonus."""
    rows = _rows(project, name, by_name=by_name)
    table = participants.as_csv(rows)
    if out is None:
        # JSON has no decimals, so amounts of money are text.
        data = [
            {key: str(value) if isinstance(value, Decimal) else value for key, value in row.items()}
            for row in rows
        ]
        shared.emit(data, as_json=as_json, text=table.rstrip("\n"))
        return
    _write(out, table, len(rows), as_json=as_json)


@link_app.command("bulk-approve")
def write_approvals(project: str, name: LinkName = None, out: OutFile = None, as_json: Json = False) -> None:
    """Write the platform IDs of participants who finished, one per line, for Prolific's bulk approval."""
    _write_bulk_file(bulk_files.approve_file(_rows(project, name)), out, as_json=as_json)


@link_app.command("bulk-bonus")
def write_bonuses(project: str, name: LinkName = None, out: OutFile = None, as_json: Json = False) -> None:
    """Write one line `participant ID,amount` per bonus, for Prolific's bulk bonus payments."""
    _write_bulk_file(bulk_files.bonus_file(_rows(project, name)), out, as_json=as_json)


@link_app.command("set-bonuses")
def set_bonuses(
    project: str,
    file: Annotated[Path, typer.Argument(help="CSV file with participant ID, amount and optional reason.")],
    name: LinkName = None,
    as_json: Json = False,
) -> None:
    """Set the bonuses in a file, all or none; 0 removes a bonus, participants not listed keep theirs."""
    if not file.is_file():
        raise InvalidInput(f"{file}: there is no such file.")
    lines = bonuses.read_list(line_lists.decode_list(file.read_bytes()))
    store = shared.store()
    project_id = _project_id(store, project)
    link_id = _link_id(store, project_id, name)
    changed = bonuses.set_all(store, None, project_id, lines, link_id=link_id)
    data = {"listed": len(lines), "changed": changed}
    same = len(lines) - changed
    text = f"{shared.counted(changed, 'bonus', 'bonuses')} set{f', {same:,} unchanged' if same else ''}."
    shared.emit(data, as_json=as_json, text=text)


def _rows(project: str, name: str | None, *, by_name: bool = False) -> list[dict[str, Any]]:
    if name and by_name:
        raise InvalidInput("--all-raters lists everyone; leave out the name of the link.")
    store = shared.store()
    project_id = _project_id(store, project)
    return participants.participant_rows(
        store, None, project_id, link_id=_link_id(store, project_id, name), by_name=by_name
    )


def _write_bulk_file(file: BulkFile, out: Path | None, *, as_json: bool) -> None:
    if file.left_out:
        # Anybody can invent an id, so what is printed is only how many.
        shared.say(
            f"{shared.counted(len(file.left_out), 'ID')} left out: characters not allowed in bulk files."
        )
    if out is None:
        data = {"lines": file.text.splitlines(), "left_out": list(file.left_out)}
        shared.emit(data, as_json=as_json, text=file.text.rstrip("\n"))
        return
    _write(out, file.text, file.count, as_json=as_json)


def _write(out: Path, text: str, count: int, *, as_json: bool) -> None:
    with shared.explain_write_errors(out):
        out.write_text(text, encoding="utf-8")
    written = shared.counted(count, "participant")
    shared.emit({"file": str(out), "participants": count}, as_json=as_json, text=f"{written} in {out}.")


def _link_id(store: Store, project_id: int, name: str | None) -> int | None:
    return links.find(store, None, project_id, name).stored.id if name else None


def _open_or_close(project: str, name: str, *, closes: bool, as_json: bool) -> None:
    store = shared.store()
    project_id = _project_id(store, project)
    link = links.find(store, None, project_id, name)
    (links.close if closes else links.reopen)(store, None, project_id, link.stored.id)
    updated = links.find(store, None, project_id, name)
    shared.emit(
        _link_json(updated), as_json=as_json, text=f"{name} is {updated.state}; {_counts_text(updated)}."
    )


def _project_id(store: Store, slug: str) -> int:
    with store.reading() as session:
        return find_project(session, slug).id


def _read_consent(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read as text: {error}.") from None


def _link_url(link: RecruitmentLink) -> str:
    return settings().address + link.address


def _counts_text(link: RecruitmentLink) -> str:
    states = ", ".join(f"{state} {count}" for state, count in sorted(link.counts.states.items()) if count)
    full = f"; no new participants for now from {shared.counted(link.full_addresses, 'address', 'addresses')}"
    return (
        f"{link.counts.placed} of {link.options.places} places"
        f"{f' ({states})' if states else ''}{full if link.full_addresses else ''}"
    )


def _link_json(link: RecruitmentLink) -> dict[str, Any]:
    return {
        "name": link.stored.name,
        "state": link.state,
        "link": _link_url(link),
        "joined": link.counts.joined,
        "placed": link.counts.placed,
        "states": dict(link.counts.states),
        "full_addresses": link.full_addresses,
        "options": options_to_json(link.options),
    }
