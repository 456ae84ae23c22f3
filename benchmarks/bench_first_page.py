"""Times the first page that a server's process draws: it loads what the server does not at its start.

python -m benchmarks.bench_first_page

Each page is the first of a process of its own, on 100,000 ratings.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAGES = (
    "annotator/rate",
    "researcher/projects",
    "researcher/quality",
    "researcher/agreement",
    "researcher/judges",
)
SLUG = "large"
FILL = """
from pathlib import Path
from benchmarks.bench_raters_page import fill, save, FilterPolicy, SLUG, settings, shared_store
store = shared_store(settings().database_url)
fill(store, Path({folder!r}), ratings=100_000, raters=200)
save(store, SLUG, "rule", FilterPolicy())
"""


def first(page: str) -> None:
    """Print how long the script of the page takes in this process, which has drawn none yet."""
    import streamlit as st
    from streamlit.components.v2.component_manager import BidiComponentManager
    from streamlit.runtime.context import ContextProxy
    from streamlit.testing.v1 import AppTest

    import app  # what a server has loaded when it is up
    from judgelab.accounts import signin
    from judgelab.config import settings
    from judgelab.store.schema import shared_store
    from judgelab.ui import page_run

    page_run.UNSEEN = page_run.PATIENCE  # as where a browser asks again
    ContextProxy.cookies = property(
        lambda _: {signin.COOKIE: st.session_state["cookie"]} if "cookie" in st.session_state else {}
    )
    components = BidiComponentManager()
    components.discover_and_register_components(start_file_watching=False)
    at = AppTest.from_file(str(app.__file__), default_timeout=60)
    at._bidi_component_manager = components
    store = shared_store(settings().database_url)
    at.session_state["cookie"] = signin.redeem(store, signin.new_owner_token(store))
    at.switch_page(f"pages/{page}.py")
    at.query_params["project"] = SLUG
    assert "pandas" not in sys.modules
    begun = time.perf_counter()
    at.run()
    print(f"{page:<24} {time.perf_counter() - begun:.2f} s", flush=True)


def main() -> None:
    """Print one line a page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", choices=PAGES, help="draw it in this process, on JUDGELAB_DATABASE_URL")
    options = parser.parse_args()
    if options.page:
        first(options.page)
        return
    with tempfile.TemporaryDirectory() as folder:
        there = {**os.environ, "JUDGELAB_DATABASE_URL": f"sqlite:///{Path(folder) / 'bench.db'}"}
        fill = FILL.format(folder=folder)
        subprocess.run([sys.executable, "-c", fill], env=there, check=True, capture_output=True)
        for page in PAGES:
            command = [sys.executable, "-m", "benchmarks.bench_first_page", "--page", page]
            done = subprocess.run(command, env=there, check=True, capture_output=True, text=True)
            print(done.stdout.splitlines()[-1], flush=True)


if __name__ == "__main__":
    main()
