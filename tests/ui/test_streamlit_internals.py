"""What Streamlit does not publish and JudgeLab uses is still there, and does what it did."""

from __future__ import annotations

import inspect
from importlib.metadata import version

from streamlit import config
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest
from streamlit.web.server import server
from streamlit.web.server.starlette import starlette_routes

from judgelab.ui.kit import streamlit_internals


def test_it_was_tried_with_the_version_that_is_installed() -> None:
    assert f"Tried with Streamlit {version('streamlit')}." in (streamlit_internals.__doc__ or "")


def test_outside_a_script_there_is_no_page() -> None:
    assert not streamlit_internals.is_script_running()
    assert streamlit_internals.current_page() == ""
    assert not streamlit_internals.is_fragment_run()


def test_a_script_knows_its_page_and_a_fragment_itself() -> None:
    def script() -> None:
        import streamlit as st

        from judgelab.ui.kit import streamlit_internals as internals

        st.text(f"{internals.is_script_running()} {internals.current_page() != ''} {internals.has_browser()}")

        @st.fragment
        def part() -> None:
            st.button("again")
            st.text(f"fragment {internals.is_fragment_run()}")

        part()

    app = AppTest.from_function(script).run()
    assert [element.value for element in app.text] == ["True True False", "fragment False"]
    app.button[0].click().run()
    assert not app.exception


def test_its_own_addresses_are_where_they_were() -> None:
    assert server.UPLOAD_FILE_ENDPOINT == streamlit_internals.UPLOADS
    assert streamlit_internals.CORE == starlette_routes.BASE_ROUTE_CORE
    bases = (starlette_routes.BASE_ROUTE_MEDIA, starlette_routes.BASE_ROUTE_COMPONENT)
    assert streamlit_internals.SERVED == (streamlit_internals.CORE, *bases)
    assert f"/{starlette_routes._ROUTE_COMPONENTS_V2}".startswith(streamlit_internals.COMPONENTS)
    assert streamlit_internals.METRICS in inspect.getsource(config)
    assert (streamlit_internals.STATIC_FILES / "index.html").is_file()


def test_files_of_pages_lie_where_they_are_counted() -> None:
    manager = MemoryUploadedFileManager("/upload")
    manager.add_file("page", UploadedFileRec("1", "a.csv", "text/csv", b"1234"))
    assert {page: list(files) for page, files in manager.file_storage.items()} == {"page": ["1"]}
    assert streamlit_internals.uploaded_bytes() == {}


def test_a_page_keeps_what_a_provider_stated_about_its_user() -> None:
    assert "self._user_info = user_info" in inspect.getsource(AppSession.__init__)
    assert streamlit_internals.user_of_page("page") == {}


def test_the_script_names_the_pages() -> None:
    assert hasattr(PagesManager, "uses_pages_directory")
