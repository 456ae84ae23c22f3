"""The rater's own ratings, to be reviewed, reopened, copied, or deleted by leaving the study."""

import streamlit as st

from judgelab.annotation import service
from judgelab.languages import _
from judgelab.ui.kit import widgets
from judgelab.ui.rater import leaving, own_messages, own_work, rating, standing, unit_words, who_rates
from judgelab.ui.session import gate

visitor = gate.enter("annotator")
project = gate.the_project()
person = who_rates.who_rates(visitor, project, title=_("My ratings"))
if person is None:
    st.stop()

ratings = service.my_ratings(gate.store(), person.id, project.id)
kind = unit_words.kind_of(project)
progress = service.progress(gate.store(), person.id, project.id)
time_and_pay = standing.time_and_pay_line(progress, project.settings)
counted = [unit_words.counted_units(len(ratings), kind), own_work.rated_when(ratings)] if ratings else []
widgets.header(_("My ratings"), " · ".join(filter(None, [*counted, time_and_pay])))
if standing.has_deleted_all(progress):
    for sentence in standing.why_nothing(progress, kind=kind):
        st.write(sentence)
elif not ratings:
    widgets.empty(_("No ratings yet."), page="pages/annotator/rate.py", label=_("Start rating"))
else:
    row = own_work.draw_own_ratings(ratings, project)
    if progress.state == "returned":
        st.caption(_("You returned this study, so these ratings can't be changed."))
    elif row is None:
        st.caption(unit_words.select(kind))
    elif ratings[row].unit_id is None:
        st.caption(_("This rating was imported and can't be opened here."))
    elif widgets.primary_button(unit_words.reopen(kind), key="my_ratings_reopen"):
        if rating.may_rate_as(person.id, project.id):
            service.reopen(gate.store(), person.id, project.id, ratings[row].unit_id)
        st.switch_page("pages/annotator/rate.py", query_params=dict(st.query_params))
own_messages.draw_messages(service.own_messages(gate.store(), person.id, project.id))
leaving.draw_copy_and_leaving(visitor, person, project, progress, ratings)
