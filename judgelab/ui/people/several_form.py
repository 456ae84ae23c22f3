"""The form that adds many people at once from a pasted list or a file, and shows how it was read."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judgelab.accounts import invitations, line_lists
from judgelab.accounts.invitations import Invitation
from judgelab.config import settings
from judgelab.domain import Role
from judgelab.errors import InvalidInput, UserError
from judgelab.languages import _, _n
from judgelab.mailing import sending
from judgelab.mailing.sending import Letter
from judgelab.mailing.smtp import MailConnection, mail_server
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.people import form, mail_form
from judgelab.ui.session import gate
from judgelab.wording import counted

ADDED_KEY = "people_several_added"  # how often; a new key empties the fields


def draw_several_form(project: ProjectInfo) -> None:
    """Draw a field for a list, a file in its place, and the button that adds everybody or nobody."""
    added = int(st.session_state.setdefault(ADDED_KEY, 0))
    with st.expander(_("Add several people")):
        pasted = st.text_area(
            _("One person per line: name, cohort, limit, e-mail"),
            key=f"people_several_{added}",
            height=120,
            placeholder=_("Ada, north, 50, ada@example.org"),
            help=_(
                "Only the name is required. You can paste cells from a spreadsheet. Addresses are not stored."
            ),
        )
        file = st.file_uploader(
            _("Or a file with these lines"), ["csv", "tsv", "txt"], key=f"people_file_{added}"
        )
        role = st.selectbox(
            _("Role"),
            form.grantable_roles(project)[:2],
            key=f"people_several_role_{added}",
            format_func=form.role_meaning,
        )
        if file is None and not pasted.strip():
            return
        try:
            listed = pasted if file is None else line_lists.decode_list(file.getvalue())
            people = invitations.read_invitations(listed)
        except InvalidInput as error:
            failures.show(error)
            return
        _draw_people(people)
        addressed = [person for person in people if person.email]
        letter = None
        if addressed:
            try:
                letter = mail_form.draw_letter(project, addressed[0], key=f"people_letter_{added}")
            except InvalidInput as error:
                failures.show(error)
                return
        label = _n("Add {n} person and create a link", "Add {n} people and create links", len(people))
        if letter is not None:
            label = _n(
                "Add {n} person and send the e-mail", "Add {n} people and send the e-mails", len(people)
            )
        if widgets.primary_button(label, key="people_several_send"):
            _add(project, people, role, letter)


def _draw_people(people: Sequence[Invitation]) -> None:
    """Draw what was read from the list, so that a comma within a name is seen."""
    frame = pd.DataFrame(
        {
            "Name": [person.name for person in people],
            "Cohort": [person.cohort or text.MISSING for person in people],
            "Limit": [
                text.MISSING if (most := person.most_responses) is None else text.count(most)
                for person in people
            ],
            "E-mail": [person.email or text.MISSING for person in people],
        }
    )
    if not any(person.email for person in people):
        frame = frame.drop(columns="E-mail")
    columns = {
        "Name": st.column_config.Column(_("Name")),
        "Cohort": st.column_config.Column(_("Cohort")),
        "Limit": st.column_config.Column(_("Limit"), alignment="right"),
        "E-mail": st.column_config.Column(_("E-mail")),
    }
    widgets.table(frame, key="people_several_table", columns=columns)


def _add(project: ProjectInfo, people: Sequence[Invitation], role: Role, letter: Letter | None) -> None:
    person = gate.enter("researcher", project)
    try:
        if letter is None:
            links = invitations.invite_all(gate.store(), person.id, project.id, people, role=role)
        else:
            with MailConnection(mail_server(settings())) as connection:  # before anybody is added
                links = invitations.invite_all(gate.store(), person.id, project.id, people, role=role)
                to = sending.addressees(people, links)
                mail_form.send(letter, to, connection, by=person.id)
    except UserError as error:
        failures.show(error)
        return
    st.session_state[form.LINK_KEY] = links
    st.session_state[form.MESSAGE_KEY] = counted(
        "{n} person was added to the project.", "{n} people were added to the project.", len(links)
    )
    st.session_state[ADDED_KEY] += 1
    st.rerun()
