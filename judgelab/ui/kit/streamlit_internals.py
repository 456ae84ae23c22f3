"""The only file that uses what Streamlit does not publish. Tried with Streamlit 1.67.0.

What 1.67 publishes is used where it is enough: `st.App` for routes, middleware and errors, `st.navigation`
for pages, `components.v2` for the rating screen, `st.context` for addresses and cookies. The rest is here,
each with the reason that nothing published does the same. `tests/ui/test_streamlit_internals.py` fails where
a new version changes one of them.
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

# Addresses that Streamlit answers itself; none is told of in its reference.
CORE = "_stcore"
UPLOADS = f"/{CORE}/upload_file"
METRICS = f"/{CORE}/metrics"
COMPONENTS = f"/{CORE}/bidi-components/"  # scripts of our components, alike for everybody
SERVED = (CORE, "media", "component")
SIGN_IN = ("auth", "oauth2callback")  # sign-in by an organisation
STATIC_FILES = Path(st.__file__).parent / "static"  # its app in the browser


def is_script_running() -> bool:
    """Return whether this thread runs a page's script: only then is there somebody to draw for."""
    return get_script_run_ctx(suppress_warning=True) is not None


def current_page() -> str:
    """Return a name for the page whose script runs, equal in all its runs; "" outside a script.

    `st.navigation` returns the page only to the script that called it, and callbacks have no way to it.
    """
    context = get_script_run_ctx(suppress_warning=True)
    return context.page_script_hash if context else ""


def is_fragment_run() -> bool:
    """Return whether only a fragment runs anew, and not the whole script."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and bool(context.fragment_ids_this_run)


def has_browser() -> bool:
    """Return whether a server draws for a browser; `AppTest` has a runtime that only looks like one."""
    return runtime.exists() and type(runtime.get_instance()) is Runtime


def uploaded_bytes() -> dict[str, int]:
    """Return how many bytes of uploaded files this process holds, by page: Streamlit has no limit for all."""
    if not Runtime.exists():
        return {}
    files_by_page = cast(MemoryUploadedFileManager, Runtime.instance().uploaded_file_mgr).file_storage
    return {
        page: sum(len(file.data) for file in list(files.values()))
        for page, files in list(files_by_page.items())
    }


def expect_pages_from_script() -> None:
    """Tell a fresh server that the script names the pages, though there is a folder named pages.

    Until the script has run once, it answers a deep link with "Page not found" otherwise.
    """
    PagesManager.uses_pages_directory = False


def read_environment() -> None:
    """Read once what Streamlit asks of its environment before it draws anything; what it reads is kept."""
    env_util.is_repl()


def run_command_line() -> None:
    """Run the `streamlit` command with this process's arguments; does not return."""
    from streamlit.web.cli import main

    main(prog_name="streamlit")
