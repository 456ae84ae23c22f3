"""Material prepared before judging: references, roles, examples and more."""

import streamlit as st

from judgelab.languages import _
from judgelab.ui.cache import loaders
from judgelab.ui.kit import help_link, text, view_state, widgets
from judgelab.ui.prepare import pool_view
from judgelab.ui.prepare.parts import PARTS
from judgelab.ui.session import gate

gate.enter("researcher")
project = gate.the_project()
view_state.follow_link("preparation", {"part": "preparation_part"})
view_state.drop_unavailable("preparation_part", list(PARTS))

widgets.header(_("Preparation"), text.plain(project.name), guide=help_link.JUDGE)
widgets.demo_notice(project)
if loaders.responses(project.slug, loaders.data_version(project.slug)).empty:
    widgets.empty(
        _(
            "On this page you create what judges see in addition to a response: references, roles, worked "
            "examples. This project has no responses yet."
        ),
        page="pages/researcher/data.py",
        label=_("Import data"),
    )
    pool_view.draw_first_responses(project)
    st.stop()
part_name = next(iter(PARTS))
if len(PARTS) > 1:
    st.session_state.setdefault("preparation_part", part_name)
    part_name = (
        st.segmented_control(
            _("Part"),
            list(PARTS),
            format_func=lambda part: _(PARTS[part].title),
            key="preparation_part",
            label_visibility="collapsed",
        )
        or part_name
    )
view_state.write_link("preparation", {"part": part_name})
PARTS[part_name].draw(project)
