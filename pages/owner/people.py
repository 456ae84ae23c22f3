"""Who belongs to the project: their roles, links and sign-ins."""

import streamlit as st

from judgelab.accounts import members
from judgelab.languages import _
from judgelab.ui.kit import help_link, text, widgets
from judgelab.ui.people import (
    bonus_form,
    form,
    held_list,
    mail_form,
    member_table,
    recruitment_link_list,
    several_form,
)
from judgelab.ui.session import gate

person = gate.enter("researcher")
project = gate.the_project()
roster = members.list_members(gate.store(), person.id, project.id)

with st.container(gap="xsmall"):
    widgets.header(_("People"), text.plain(project.name), guide=help_link.PEOPLE)
    widgets.demo_notice(project)
    form.draw_new_links()
    mail_form.draw_deliveries()

listed, changed = st.columns([64, 36], gap="large")
with listed:
    if roster:
        chosen = member_table.draw_member_table(roster)
        if chosen is None:
            st.caption(_("Select a row to change the role, or to create or revoke a link."))
        bonus_form.draw_pay_list(project)
    else:
        chosen = None
        widgets.empty(
            _("No one is invited yet. Raters need no account: add a name and send them their link.")
        )
with changed:
    if chosen is not None:
        form.draw_member(project, chosen)
        recruitment_link_list.draw_withdrawal_buttons(project, chosen)
        bonus_form.draw_bonus_form(project, chosen)
    form.draw_add_form(project)
    several_form.draw_several_form(project)
    mail_form.draw_reminders(project)
held_list.draw_held_assignments(project, message_key=form.MESSAGE_KEY)
recruitment_link_list.draw_recruitment_links(project)
