"""JudgeLab as an ASGI application: the Streamlit script with our routes, headers and error sentences."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.pages_manager import PagesManager

from judgelab.ui import failures, owner_link, serving
from judgelab.ui.headers import SecurityHeaders
from judgelab.ui.routes import ROUTES

# Beside a folder named pages, a fresh server answers the first deep link with "Page not found" until app.py
# has named the pages; said here, it waits for app.py as it does later.
PagesManager.uses_pages_directory = False

serving.check()
owner_link.routes_are_served()
app = st.App(
    Path(__file__).parent / "app.py",
    routes=ROUTES,
    middleware=[Middleware(SecurityHeaders)],
    on_script_error=failures.show,
)
