"""One's own ratings: to read over, and to open again for a change."""

import streamlit as st

from judgelab.annotation import service
from judgelab.ui import gate, own_work, rater_standing, rating, rating_work, text, who_rates, widgets

visitor = gate.enter("annotator")
project = gate.the_project()
person = who_rates.who_rates(visitor, project)
if person is None:
    st.stop()

own = service.my_ratings(gate.store(), person.id, project.id)
noun = rating_work.noun(project)
spent = rater_standing.own_line(service.progress(gate.store(), person.id, project.id), project.settings)
widgets.header("My ratings", f"{text.counted(len(own), noun)} · {spent}")
if not own:
    widgets.empty("Nothing rated yet.", page="pages/annotator/rate.py", label="Start rating")
    st.stop()

row = own_work.table(own, project.criteria)
if row is None:
    st.caption(f"Select a row to open that {noun} again. It stays as it is until you save a change.")
elif own[row].unit_id is None:
    st.caption("This rating came with a file and has no screen of its own here; it cannot be opened again.")
elif widgets.primary_button(f"Open this {noun} again", key="my_ratings_reopen"):
    if rating.may_rate_as(person.id, project.id):
        service.reopen(gate.store(), person.id, project.id, own[row].unit_id)
    st.switch_page("pages/annotator/rate.py", query_params=dict(st.query_params))
