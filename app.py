"""JudgeLab's app: run, it draws a page; imported, it is the server with our routes and headers."""

from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from judgelab import loading
from judgelab.ui import (
    ahead,
    failures,
    gate,
    guided_bar,
    language,
    look,
    navigation,
    owner_link,
    page_run,
    serving,
    turned_away,
    widgets,
)
from judgelab.ui.layers import MIDDLEWARE, OURS

STATIC = Path(__file__).parent / "static"

if __name__ == "__main__":
    st.set_page_config(page_title="JudgeLab", page_icon=str(STATIC / "mark.svg"), layout="wide")
    with failures.explained(), page_run.told():
        person = gate.visitor()
        language.settle(person, gate.in_hand())
        look.draw(widgets.theme())
        gate.note_seen()
        page = st.navigation(navigation.pages_for(person, gate.in_hand(), turned_away.draw), position="top")
        if navigation.has_address(page.url_path, person, gate.in_hand()):
            if page.url_path in navigation.RATING:
                language.settle_rating(person, gate.in_hand())
            guided_bar.draw(page.url_path)
        loading.settle_later()
        page.run()
        ahead.load(lambda: navigation.to_load(person, gate.in_hand()))
else:
    # Beside a folder named pages, a fresh server answers the first deep link with "Page not found" until the
    # script has named the pages; said here, it waits for the script as it does later.
    PagesManager.uses_pages_directory = False
    serving.check()
    owner_link.announce()
    app = st.App(__file__, routes=OURS, middleware=MIDDLEWARE, on_script_error=failures.show)
    loading.end()
