"""JudgeLab's app: run, it draws a page; imported, it is the server with our routes and headers."""

from pathlib import Path

import streamlit as st

from judgelab import startup
from judgelab.ui.cache import page_run
from judgelab.ui.kit import failures, streamlit_internals, viewport, widgets
from judgelab.ui.project import guided_bar
from judgelab.ui.server import owner_link, preload, serving
from judgelab.ui.server.middleware import MIDDLEWARE, OURS
from judgelab.ui.session import access_denied, gate, language, navigation, navigation_bar
from judgelab.ui.shared import theme

HOME_TITLE = "JudgeLab"
STATIC = Path(__file__).parent / "static"

if __name__ == "__main__":
    st.set_page_config(page_title=HOME_TITLE, page_icon=str(STATIC / "mark.svg"), layout="wide")
    with failures.errors_explained(), page_run.stale_note():
        person = gate.visitor()
        language.set_reader_language(person, gate.current_project())
        theme.apply_theme(widgets.theme())
        gate.note_seen()
        page = st.navigation(
            navigation.pages_for(person, gate.current_project(), access_denied.draw_access_denied),
            position="top",
        )
        if page.title != HOME_TITLE:
            st.set_page_config(page_title=f"{page.title} – {HOME_TITLE}")
        viewport.watch()
        if person and navigation.may_open_address(page.url_path, person, gate.current_project()):
            if page.url_path in navigation.RATING:
                language.set_study_language(person, gate.current_project())
            navigation_bar.draw_navigation_bar(page.url_path, person, gate.current_project())
            guided_bar.draw_guided_bar(page.url_path)
        startup.freeze_loaded_later()
        page.run()
        preload.load(lambda: navigation.scripts_to_load(person, gate.current_project()))
else:
    streamlit_internals.expect_pages_from_script()
    serving.check()
    owner_link.announce()
    app = st.App(__file__, routes=OURS, middleware=MIDDLEWARE, on_script_error=failures.show)
    startup.resume_gc()
