"""Rating: one answer at a time, by keyboard; several raters can be tried at one desk."""

import streamlit as st

from judgelab.annotation import service
from judgelab.languages import _
from judgelab.ui import gate, rating, who_rates, widgets

visitor = gate.enter("annotator")
project = gate.the_project()

if not project.criteria:
    widgets.header(_("Rate"))
    widgets.empty(_("This project has no criteria yet: there is nothing to give a score for."))
    st.stop()

person = who_rates.who_rates(visitor, project)
if person is None:
    st.caption(_("Each person rates under their own name and sees nobody else's scores."))
    st.stop()

widgets.demo_notice(project)
rating.desk(person, project, service.last_rated(gate.store(), person.id, project.id))
