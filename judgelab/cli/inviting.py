"""`invite-all` and `remind`: links for all people of a list, in a file or by mail, and reminders by mail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from judgelab.accounts import invitations, line_lists, members
from judgelab.accounts.invitations import Invitation
from judgelab.accounts.members import NewLink
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.config import settings
from judgelab.domain import ROLES
from judgelab.errors import InvalidInput
from judgelab.mailing import reminding, sending
from judgelab.mailing.sending import Addressee, Delivery, Letter
from judgelab.mailing.smtp import MailConnection, Outcome, mail_server
from judgelab.mailing.template import Template, mail_language
from judgelab.mailing.usual_texts import default_template
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project

LIST_HELP = "A file with one person per line: name, cohort, limit, e-mail."
NOT_SHOWN_AGAIN = "The links are valid for {days} days and are not shown again."
ProjectName = Annotated[str, typer.Argument()]
Days = Annotated[int, typer.Option(help="Number of days the links are valid.")]
Subject = Annotated[str | None, typer.Option(help="The subject of the e-mails: {name}, {project}.")]
Text = Annotated[Path | None, typer.Option(help="File with their text: {name}, {project}, {link}, {days}.")]
Preview = Annotated[bool, typer.Option("--preview", help="Print the first e-mail and send nothing.")]
Test = Annotated[str | None, typer.Option(help="Send only the first e-mail, to this address, as a test.")]


def register(app: typer.Typer) -> None:
    """Add `invite-all` and `remind`."""
    app.command("invite-all")(invite_all)
    app.command("remind")(remind)


def invite_all(
    project: str,
    names: Annotated[Path, typer.Argument(help=LIST_HELP)],
    role: Annotated[str, typer.Option(help=f"{', '.join(ROLES)}: in this project.")] = "annotator",
    days: Days = members.DEFAULT_LINK_DAYS,
    out: Annotated[Path | None, typer.Option(help="The CSV file to write the links to.")] = None,
    mail: Annotated[bool, typer.Option("--mail", help="Send the links to the e-mail addresses.")] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Send to people on the list who got no e-mail; add no one.")
    ] = False,
    subject: Subject = None,
    text: Text = None,
    preview: Preview = False,
    test: Test = None,
    as_json: Json = False,
) -> None:
    """Add everyone in a file to the project, or no one, and print or e-mail a sign-in link for each."""
    store, chosen_role, people = shared.store(), shared.parse_role(role), _read_list(names)
    with store.reading() as session:
        found = find_project(session, project)
    if preview or test or mail or retry:
        letter = _letter(found, subject, text, days, reminder=False)
        if _tried(letter, people, preview=preview, test=test, as_json=as_json):
            return
        _check_addresses(people)
        with MailConnection(mail_server(settings())) as connection:  # before anybody is added
            if retry:
                _check_is_new(out)
                waiting, mailed = sending.unmailed(store, None, found.id, people)
                deliveries = _send(connection, letter, waiting)
                _report(project, deliveries, {"already mailed": mailed}, out, as_json=as_json)
                return
            links = _add(found, people, chosen_role, days, out)
            deliveries = _send(connection, letter, sending.addressees(people, links))
        added = f"{shared.counted(len(links), 'person', 'people')} added to '{project}'."
        _report(project, deliveries, {}, out, links=links, first=added, as_json=as_json)
        return
    links = _add(found, people, chosen_role, days, out)
    rows = [_row(link) for link in links]
    count = f"{shared.counted(len(links), 'person', 'people')} added to '{project}'"
    listed = [f"{row['name']}  {row['link']}" for row in rows]
    written = [f"The links are in {out}."] if out is not None else listed
    shared.emit(
        {"project": project, "role": chosen_role, "links": rows},
        as_json=as_json,
        text="\n".join([f"{count}. {NOT_SHOWN_AGAIN.format(days=days)}", *written]),
    )


def remind(
    project: str,
    names: Annotated[Path | None, typer.Argument(help=LIST_HELP)] = None,
    days: Days = members.DEFAULT_LINK_DAYS,
    out: Annotated[Path | None, typer.Option(help="The CSV file to write the links to.")] = None,
    subject: Subject = None,
    text: Text = None,
    preview: Preview = False,
    test: Test = None,
    as_json: Json = False,
) -> None:
    """List the raters who have not finished, or e-mail a reminder with a new link to those in a file."""
    store = shared.store()
    with store.reading() as session:
        found = find_project(session, project)
    if names is None:
        _list_unfinished(project, reminding.unfinished(store, None, found.id), as_json=as_json)
        return
    people = _read_list(names)
    letter = _letter(found, subject, text, days, reminder=True)
    compared = reminding.compare(store, None, found.id, people)
    due = [person for person in people if person.name in {one.name for one in compared.due}]
    if _tried(letter, due or people, preview=preview, test=test, as_json=as_json):
        return
    deliveries: list[Delivery] = []
    _check_is_new(out)
    if compared.due:
        with MailConnection(mail_server(settings())) as connection:
            deliveries = _send(connection, letter, compared.due)
    others = {
        "nothing left to rate": compared.done,
        "not a rater here": compared.unknown,
        "not finished, no address": compared.no_address,
    }
    _report(project, deliveries, others, out, as_json=as_json)


def _read_list(path: Path) -> list[Invitation]:
    if not path.is_file():
        raise InvalidInput(f"{path}: there is no such file.")
    return invitations.read_invitations(line_lists.decode_list(path.read_bytes()))


def _check_addresses(people: Sequence[Invitation]) -> None:
    if not any(person.email for person in people):
        raise InvalidInput("the list has no e-mail addresses; add them at the ends of the lines.")


def _letter(
    project: ProjectInfo, subject: str | None, text: Path | None, days: int, *, reminder: bool
) -> Letter:
    """Return the letter of the options; one that cannot be sent is refused."""
    usual = default_template(mail_language(project.settings), reminder=reminder)
    if text is not None and not text.is_file():
        raise InvalidInput(f"{text}: there is no such file.")
    words = usual.text if text is None else line_lists.decode_list(text.read_bytes())
    letter = Letter(
        Template(usual.subject if subject is None else subject, words), project, settings().address, days
    )
    letter.filled("")
    return letter


def _tried(
    letter: Letter, people: Sequence[Invitation], *, preview: bool, test: str | None, as_json: bool
) -> bool:
    """Print the first mail or send it to `test`; return whether one of them was asked for."""
    first = next((person for person in people if person.email), people[0])
    if test is not None:
        if not invitations.is_mail_address(test):
            raise InvalidInput(f"'{test}' is not an e-mail address.")
        with MailConnection(mail_server(settings())) as connection:
            to = Invitation(first.line, first.name, email=test)
            sending.send_test(shared.store(), None, connection, letter, to)
        shared.emit({"test": test}, as_json=as_json, text=f"A test e-mail was sent, only to {test}.")
        return True
    if preview:
        mail = letter.filled(first.name)
        shared.emit(
            {"to": first.email, "subject": mail.subject, "text": mail.text},
            as_json=as_json,
            text=f"To: {first.email}\nSubject: {mail.subject}\n\n{mail.text}",
        )
    return preview


def _add(
    project: ProjectInfo, people: Sequence[Invitation], role: Any, days: int, out: Path | None
) -> list[NewLink]:
    """Add all people and write the file of their links."""
    with _new_file(out) as file:  # before anybody is added: links are not shown again
        links = invitations.invite_all(shared.store(), None, project.id, people, role=role, days=days)
        if file is not None:
            file.write(invitations.links_csv(links, settings().address))
    return links


def _send(connection: MailConnection, letter: Letter, people: Iterable[Addressee]) -> list[Delivery]:
    """Send the mails; an interruption stops after the mail being sent, and the others are reported."""
    people, deliveries = list(people), list[Delivery]()
    try:
        for delivery in sending.send(shared.store(), None, connection, letter, people):
            deliveries.append(delivery)
    except KeyboardInterrupt:
        for position, person in enumerate(people[len(deliveries) :]):
            deliveries.append(Delivery(person, Outcome("failed" if position else "unconfirmed", "stopped.")))
    return deliveries


def _report(
    project: str,
    deliveries: Sequence[Delivery],
    others: Mapping[str, Sequence[str]],
    out: Path | None,
    *,
    links: Sequence[NewLink] = (),
    first: str = "",
    as_json: bool,
) -> None:
    """Print who got a mail and who did not, with the reason and the link; exit code 2 if somebody did not."""
    sent = [one for one in deliveries if one.outcome.state == "sent"]
    unsent = [one for one in deliveries if one.outcome.state != "sent"]
    mails = {one.to.name: _state(one) for one in deliveries}
    links = links or [one.to.link for one in deliveries if one.to.link is not None]
    if out is not None and links:
        with shared.explain_write_errors(out):
            out.write_text(invitations.links_csv(links, settings().address, mails), encoding="utf-8")
    lines = [first, f"{shared.counted(len(sent), 'e-mail')} sent."]
    lines += [_unsent_line(one, shows_link=out is None) for one in unsent]
    addressed = set(mails)
    without = [link for link in links if link.person.name not in addressed]
    if out is None:
        lines += [f"{link.person.name} has no address: {settings().address}{link.path}" for link in without]
    elif links:
        lines.append(f"The links are in {out}.")
    lines += [f"{why}: {', '.join(names)}." for why, names in others.items() if names]
    shared.emit(
        {
            "project": project,
            "sent": [one.to.name for one in sent],
            "unsent": [
                {
                    "name": one.to.name,
                    "state": one.outcome.state,
                    "reason": one.outcome.reason,
                    "link": None if one.to.link is None else settings().address + one.to.link.path,
                }
                for one in unsent
            ],
            "no_address": [_row(link) for link in without],
            **{why.replace(",", "").replace(" ", "_"): list(names) for why, names in others.items()},
        },
        as_json=as_json,
        text="\n".join(filter(None, lines)),
    )
    if unsent:
        raise typer.Exit(shared.INCOMPLETE)


def _state(delivery: Delivery) -> str:
    if delivery.outcome.state == "sent":
        return "sent"
    what = "not sent" if delivery.outcome.state == "failed" else "may have arrived"
    return f"{what}: {delivery.outcome.reason}"


def _unsent_line(delivery: Delivery, *, shows_link: bool) -> str:
    link = delivery.to.link
    shown = f" {settings().address}{link.path}" if link is not None and shows_link else ""
    return f"{delivery.to.name}: {_state(delivery)}{shown}"


def _row(link: NewLink) -> dict[str, Any]:
    return {"name": link.person.name, "link": settings().address + link.path, "days": link.days}


def _list_unfinished(project: str, left: Sequence[reminding.Unfinished], *, as_json: bool) -> None:
    rows = [{"name": one.name, "done": one.done, "total": one.total} for one in left]
    lines = [f"{one.name}: {one.done:,} of {one.total:,} rated" for one in left]
    advice = f"To remind them: judgelab remind {project} FILE, with one name and e-mail address per line."
    text = "\n".join([*lines, advice]) if lines else "No one to remind: no invited rater can rate more."
    shared.emit({"project": project, "unfinished": rows}, as_json=as_json, text=text)


def _check_is_new(path: Path | None) -> None:
    if path is not None and path.exists():
        raise InvalidInput(f"{path} already exists; choose another name.")


@contextmanager
def _new_file(path: Path | None) -> Iterator[TextIO | None]:
    """Open a new file for writing, removed again if an error follows; None without a path."""
    if path is None:
        yield None
        return
    try:
        file = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise InvalidInput(f"{path} already exists; choose another name.") from None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from None
    try:
        with file:
            yield file
    except BaseException:
        path.unlink()
        raise
