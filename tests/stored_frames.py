"""A frame of ratings as a project of the app, to compare the API with what the app shows."""

from __future__ import annotations

import pandas as pd

from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project


def stored(store: Store, frame: pd.DataFrame) -> str:
    """Import a frame as a file into a new project; return its slug."""
    with store.writing() as session:
        slug = create_project(session, name="Of a frame").slug
    text = frame.rename(columns={"kind": "rater_kind"}).to_csv(index=False)
    import_files(store, slug, [("frame.csv", text.encode())], create_missing=True)
    return slug
