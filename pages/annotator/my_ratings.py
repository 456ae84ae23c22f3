"""One's own ratings: to read over, and to open again for a change."""

import pandas as pd
import streamlit as st

from judgelab.annotation import service
from judgelab.ui import gate, rating, text, who_rates, widgets

visitor = gate.enter("annotator")
project = gate.the_project()
person = who_rates.who_rates(visitor, project)
if person is None:
    st.stop()

own = service.my_ratings(gate.store(), person.id, project.id)
widgets.header("My ratings", text.counted(len(own), "answer"))
if not own:
    widgets.empty("Nothing rated yet.", page="pages/annotator/rate.py", label="Start rating")
    st.stop()

frame = pd.DataFrame(
    [
        {
            "Question": rated.question,
            "Answer": rated.answer,
            **{c.label: rated.scores.get(c.key) for c in project.criteria},
            "Comments": "; ".join(rated.comments.values()),
            "Flag": rated.flag or "",
            "Rated": text.when(rated.rated_at),
        }
        for rated in own
    ]
)
row = widgets.table(
    frame,
    key="my_ratings_table",
    formats={c.label: lambda value: f"{value:g}" for c in project.criteria},
    select=True,
    columns={
        "Question": st.column_config.TextColumn(width=240),
        "Answer": st.column_config.TextColumn(width=300),
        "Comments": st.column_config.TextColumn(width=160),
    },
)
if row is None:
    st.caption("Select a row to open that answer again. It stays rated until you save a change.")
elif widgets.primary_button("Open this answer again", key="my_ratings_reopen"):
    if rating.may_rate_as(person.id, project.id):
        service.reopen(gate.store(), person.id, project.id, own[row].response_id)
    st.switch_page("pages/annotator/rate.py", query_params=dict(st.query_params))
