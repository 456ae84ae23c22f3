"""Exporting a project as one zip of tables that can be imported again as the same project."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path
from typing import NoReturn

import streamlit as st

from judgelab.analysis.data.provenance import provenance_table
from judgelab.errors import NotAllowed
from judgelab.imports.exports import export_project, write_provenance
from judgelab.imports.files.export_tables import FORMATS
from judgelab.languages import _
from judgelab.store.db.engine import Store
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import widgets
from judgelab.ui.session import gate
from judgelab.wording import sentence


def draw_project_export(project: ProjectInfo) -> None:
    """Draw the choice of a format and the download button; the zip is written on request."""
    widgets.heading(_("Export"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        file_format = st.selectbox(_("Format"), FORMATS, key="data_format", width=130)
        store, may_still = gate.store(), gate.later_check("researcher", project)
        st.download_button(
            _("Download"),
            data=lambda: (
                zipped(store, project.slug, file_format=file_format) if may_still() else refuse_export()
            ),
            file_name=f"{project.slug}.zip",
            mime="application/zip",
            icon=":material/download:",
            key="data_download",
            on_click="ignore",
        )
    st.caption(
        _(
            "Texts, ratings with their history, judgments with raw replies, metrics and filters: "
            "everything needed to import this project again. The table “provenance” lists who rated "
            "what and when, under which guidelines, and which filter removed the rating."
        )
    )


def refuse_export() -> NoReturn:
    """Raise `NotAllowed`, because the right was revoked after the page was drawn."""
    raise NotAllowed(sentence("you can no longer export this project; ask its owner."))


def zipped(store: Store, slug: str, *, file_format: str) -> bytes:
    """Return the exported project as the bytes of a zip file."""
    buffer = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        export_project(store, slug, Path(folder), file_format=file_format)
        write_provenance(Path(folder), provenance_table(store, slug), file_format=file_format)
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(Path(folder).rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(folder))
    return buffer.getvalue()
