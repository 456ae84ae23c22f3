"""Who belongs to the project: their roles, links and sign-ins."""

import streamlit as st

from judgelab.accounts import members
from judgelab.languages import _
from judgelab.ui import gate, held_list, help_link, people_form, people_list, study_link_list, text, widgets

person = gate.enter("researcher")
project = gate.the_project()
known = members.roster(gate.store(), person.id, project.id)

with st.container(gap="xsmall"):
    widgets.header(_("People"), text.plain(project.name), guide=help_link.PEOPLE)
    widgets.demo_notice(project)
    people_form.new_link_shown()

listed, changed = st.columns([64, 36], gap="large")
with listed:
    if known:
        chosen = people_list.draw(known)
        if chosen is None:
            st.caption(_("Select a row to change a role, make a new link, or take one back."))
    else:
        chosen = None
        widgets.empty(
            _("Nobody was invited yet. A rater needs no account: add a name, and send the link that you get.")
        )
with changed:
    if chosen is not None:
        people_form.one(project, chosen)
        study_link_list.left_buttons(project, chosen)
    people_form.add(project)
held_list.draw(project, said_key=people_form.SAID_KEY)
study_link_list.draw(project)
