"""Rating, one response at a time, by keyboard; several raters can share one browser."""

import streamlit as st

from judgelab.annotation import service
from judgelab.languages import _
from judgelab.ui.kit import text, widgets
from judgelab.ui.rater import rating, unit_words, who_rates, work
from judgelab.ui.session import gate

visitor = gate.enter("annotator")
project = gate.the_project()

may_import = gate.allowed("researcher", project) is not None
step = {"page": "pages/researcher/data.py", "label": _("Import data")} if may_import else {}

if not project.criteria:
    widgets.header(_("Rate"), text.plain(project.name))
    widgets.empty(_("This project has no criteria yet, so there is nothing to rate."), **step)
    st.stop()

# Others get the rating screen, which polls for data by itself.
if may_import and work.has_nothing_to_rate(service.progress(gate.store(), visitor.id, project.id)):
    widgets.header(_("Rate"), text.plain(project.name))
    widgets.empty(unit_words.none_yet(unit_words.kind_of(project)), **step)
    st.stop()

person = who_rates.who_rates(visitor, project, title=_("Rate"))
if person is None:
    st.caption(_("Each person rates under their own name and can't see other raters' ratings."))
    st.stop()

widgets.demo_notice(project)
rating.draw_rating_screen(person, project, service.last_rated(gate.store(), person.id, project.id))
