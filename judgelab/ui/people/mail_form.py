"""The letter to people with an e-mail address: its text, a preview, a test, and what became of each mail."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judgelab.accounts.invitations import Invitation, is_mail_address, read_invitations
from judgelab.config import settings
from judgelab.errors import InvalidInput, UserError
from judgelab.languages import _, _n
from judgelab.mailing import reminding, sending
from judgelab.mailing.sending import Addressee, Delivery, Letter
from judgelab.mailing.smtp import MailConnection, mail_server
from judgelab.mailing.template import Template, mail_language
from judgelab.mailing.usual_texts import default_template
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import base_url, failures, text, widgets
from judgelab.ui.session import gate
from judgelab.wording import mark

DELIVERIES_KEY = "people_deliveries"
STATES = {"unconfirmed": mark("may have arrived"), "failed": mark("not sent")}


def draw_letter(
    project: ProjectInfo, first: Invitation, *, key: str, reminder: bool = False
) -> Letter | None:
    """Draw the letter's fields with a preview and a test; None if no mails are wanted or set up.

    Args:
        project: what the mails are about.
        first: the person whose mail the preview shows.
        key: prefix of the widgets' keys.
        reminder: whether it goes to people who were invited before.

    Raises:
        InvalidInput: the letter cannot be sent as it is.
    """
    try:
        mail_server(settings())
    except InvalidInput as error:
        st.caption(text.plain(_("JudgeLab can't send e-mails: {why}", why=_(error.args[0]))))
        return None
    if not reminder and not st.checkbox(_("Send the links by e-mail"), True, key=f"{key}_mail"):
        return None
    usual = default_template(mail_language(project.settings), reminder=reminder)
    subject = st.text_input(_("Subject"), usual.subject, key=f"{key}_subject")
    words = st.text_area(
        _("Text"),
        usual.text,
        key=f"{key}_text",
        height=180,
        help=_("JudgeLab fills in {name}, {project}, {link} and {days}. Keep {link} in the text."),
    )
    letter = Letter(Template(subject, words), project, base_url.address())
    filled = letter.filled(first.name)
    with st.expander(_("Preview of the first e-mail")):
        st.text(f"{filled.subject}\n\n{filled.text}")
        _draw_test(letter, first, key=key)
    return letter


def send(letter: Letter, people: Sequence[Addressee], connection: MailConnection, *, by: int) -> None:
    """Send the letter to each person, with a bar; `draw_deliveries` says afterwards what became of them."""
    bar, deliveries = st.progress(0.0), list[Delivery]()
    for delivery in sending.send(gate.store(), by, connection, letter, people):
        deliveries.append(delivery)
        bar.progress(len(deliveries) / len(people))
    st.session_state[DELIVERIES_KEY] = deliveries


def draw_deliveries() -> None:
    """Write how many mails were sent, and list the others with the reason."""
    deliveries: list[Delivery] = st.session_state.pop(DELIVERIES_KEY, [])
    if not deliveries:
        return
    sent = sum(one.outcome.state == "sent" for one in deliveries)
    st.caption(f":material/mail: {_n('{n} e-mail sent.', '{n} e-mails sent.', sent)}")
    unsent = [one for one in deliveries if one.outcome.state != "sent"]
    if unsent:
        frame = pd.DataFrame(
            {
                "Name": [one.to.name for one in unsent],
                "State": [_(STATES[one.outcome.state]) for one in unsent],
                "Reason": [_(one.outcome.reason) for one in unsent],
            }
        )
        columns = {name: st.column_config.Column(_(name)) for name in frame.columns}
        widgets.table(frame, key="people_unsent", columns=columns)


def draw_reminders(project: ProjectInfo) -> None:
    """Draw who has not finished, and the form that reminds those of a list; addresses are not stored."""
    # Who has not finished takes seconds in a large study, so it is asked for.
    if not st.toggle(_("Remind raters"), key="people_remind"):
        return
    person = gate.enter("researcher", project)
    with st.container(border=True):
        left = reminding.unfinished(gate.store(), person.id, project.id)
        if not left:
            st.caption(_("There is no one to remind: no invited rater has anything left to rate."))
            return
        frame = pd.DataFrame(
            {"Name": [one.name for one in left], "Rated": [f"{one.done} / {one.total}" for one in left]}
        )
        rated = st.column_config.Column(_("Rated"), alignment="right")
        columns = {"Name": st.column_config.Column(_("Name")), "Rated": rated}
        widgets.table(frame, key="people_unfinished", columns=columns)
        listed = st.text_area(
            _("One person per line: name, e-mail"),
            key="people_remind_list",
            help=_("Addresses are not stored, so enter those of the people you want to remind."),
            placeholder=_("Ada, ada@example.org"),
        )
        if not listed.strip():
            return
        try:
            people = read_invitations(listed)
            compared = reminding.compare(gate.store(), person.id, project.id, people)
            _write_others(compared)
            if not compared.due:
                return
            letter = draw_letter(project, people[0], key="people_remind", reminder=True)
        except UserError as error:
            failures.show(error)
            return
        n = len(compared.due)
        if letter and widgets.primary_button(
            _n("Send {n} reminder", "Send {n} reminders", n), key="people_remind_send"
        ):
            _remind(project, letter, compared.due)


def _draw_test(letter: Letter, first: Invitation, *, key: str) -> None:
    """Draw the field and button that send the letter to the visitor's own address."""
    own = st.text_input(_("Your e-mail address"), key=f"{key}_own")
    if not st.button(_("Send me a test e-mail"), key=f"{key}_test", disabled=not own.strip()):
        return
    person = gate.enter("researcher", letter.project)
    try:
        if not is_mail_address(own.strip()):
            raise InvalidInput(_("“{address}” is not an e-mail address.", address=own.strip()))
        to = Invitation(first.line, first.name, email=own.strip())
        with MailConnection(mail_server(settings())) as connection:
            sending.send_test(gate.store(), person.id, connection, letter, to)
    except UserError as error:
        failures.show(error)
        return
    st.caption(f":material/check: {_('The test e-mail was sent to you only.')}")


def _write_others(compared: reminding.Reminders) -> None:
    """Write who of the list gets no reminder, and why."""
    for words, names in (
        (mark("No reminder (nothing left to rate): {names}."), compared.done),
        (mark("No reminder (not a rater of this project): {names}."), compared.unknown),
    ):
        if names:
            st.caption(text.plain(_(words, names=text.listing(list(names), limit=9))))


def _remind(project: ProjectInfo, letter: Letter, due: Sequence[Addressee]) -> None:
    person = gate.enter("researcher", project)
    try:
        with MailConnection(mail_server(settings())) as connection:
            send(letter, due, connection, by=person.id)
    except UserError as error:
        failures.show(error)
        return
    st.rerun()
