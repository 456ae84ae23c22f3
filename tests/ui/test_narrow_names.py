"""The names of a table's rows wrap on a phone."""

from __future__ import annotations

import pandas as pd
import pytest
import streamlit as st

from judgelab.ui.kit import narrow_names, viewport

FRAME = pd.DataFrame({"Judge": ["learned, unseen items and systems"], "n": ["12"]})


def test_names_are_whole_in_higher_rows_on_a_phone(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"Judge": {"label": "Judge or metric"}, "n": {"alignment": "right"}}
    monkeypatch.setitem(st.session_state, viewport.MEASURED, False)
    assert narrow_names.layout(FRAME, columns) == {"columns": columns}
    monkeypatch.setitem(st.session_state, viewport.MEASURED, True)
    layout = narrow_names.layout(FRAME, columns)
    assert layout["columns"]["Judge"] == {"label": "Judge or metric", "width": narrow_names.WIDTH}
    assert layout["columns"]["n"] == columns["n"] and layout["row_height"] == 61
