"""The fields of a criterion: every kind of scale can be chosen; the fields' values come out as its JSON."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from judgelab.languages import _
from judgelab.scales import scale_from_json, scales


def draw_blank_criterion() -> None:
    import streamlit as st

    from judgelab.ui.project import criteria_form

    criterion = criteria_form.draw_criterion_fields(criteria_form.BLANK, key="new")
    st.session_state["criterion"] = criterion


@pytest.mark.parametrize("name", scales.names())
def test_every_kind_of_scale_can_be_chosen(name: str) -> None:
    at = AppTest.from_function(draw_blank_criterion, default_timeout=60).run()
    kinds = at.selectbox(key="new_kind")
    assert _(scales.get(name).title) in kinds.options
    at = kinds.set_value(name).run()
    assert not at.exception
    data = at.session_state["criterion"].scale
    assert data["kind"] == name and scale_from_json(data).to_json() == data
    labels = {field.label for field in (*at.text_input, *at.number_input)}
    assert {_(setting.label) for setting in scales.get(name).settings} <= labels


def test_points_that_do_not_fit_are_refused_in_place() -> None:
    at = AppTest.from_function(draw_blank_criterion, default_timeout=60).run()
    at = at.number_input(key="new_high").set_value(40).run()
    assert any("2 to 21 whole points, not 1 to 40" in caption.value for caption in at.caption)
    assert at.session_state["criterion"].scale == {"kind": "ordinal", "low": 1, "high": 40}
