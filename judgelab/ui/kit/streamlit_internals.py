"""The only file that uses Streamlit's unpublished parts. Tried with Streamlit 1.67.0.

The published parts of 1.67 are used where they suffice: `st.App` for routes, middleware and errors,
`st.navigation` for pages, `components.v2` for the rating screen, `st.context` for addresses and cookies. The
rest is here, each with the reason why nothing published does the same.
`tests/ui/test_streamlit_internals.py` fails if a new version changes one of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import streamlit as st
from streamlit import env_util, runtime
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

# Paths that Streamlit serves itself; its reference documents none of them.
CORE = "_stcore"
UPLOADS = f"/{CORE}/upload_file"
METRICS = f"/{CORE}/metrics"
COMPONENTS = f"/{CORE}/bidi-components/"  # scripts of our components, the same for everybody
SERVED = (CORE, "media", "component")
SIGN_IN = ("auth", "oauth2callback")  # sign-in through an OpenID Connect provider
STATIC_FILES = Path(st.__file__).parent / "static"  # Streamlit's browser app


def is_script_running() -> bool:
    """Return whether this thread runs a page's script, so that something can be drawn."""
    return get_script_run_ctx(suppress_warning=True) is not None


def current_page() -> str:
    """Return an identifier of the page whose script is running; "" outside a script.

    `st.navigation` returns the page only to the script that called it; callbacks cannot reach it.
    """
    context = get_script_run_ctx(suppress_warning=True)
    return context.page_script_hash if context else ""


def is_fragment_run() -> bool:
    """Return whether only a fragment is being rerun, not the whole script."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and bool(context.fragment_ids_this_run)


def has_browser() -> bool:
    """Return whether a server draws for a browser; `AppTest` has a runtime that imitates one."""
    return runtime.exists() and type(runtime.get_instance()) is Runtime


def uploaded_bytes() -> dict[str, int]:
    """Return the bytes of uploaded files in this process by page: Streamlit has no limit for the total."""
    if not Runtime.exists():
        return {}
    files_by_page = cast(MemoryUploadedFileManager, Runtime.instance().uploaded_file_mgr).file_storage
    return {
        page: sum(len(file.data) for file in list(files.values()))
        for page, files in list(files_by_page.items())
    }


def user_of_page(page: str) -> dict[str, object]:
    """Return what a provider stated about the user of an open page: `st.user` is for scripts only."""
    session = Runtime.instance().get_app_session(page) if Runtime.exists() else None
    return {} if session is None else dict(session._user_info)


def expect_pages_from_script() -> None:
    """Tell a new server that the script declares the pages, despite the folder named pages.

    Otherwise it answers deep links with "Page not found" until the script has run once.
    """
    PagesManager.uses_pages_directory = False


def read_environment() -> None:
    """Let Streamlit inspect its environment ahead of time; it caches the result."""
    env_util.is_repl()


def run_command_line() -> None:
    """Run the `streamlit` command with this process's arguments; does not return."""
    from streamlit.web.cli import main

    main(prog_name="streamlit")
