"""The endpoints that answer prompts, for all projects: list, add, test, change."""

import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.runs.endpoints import service
from judgelab.ui.judge import endpoint_form, endpoint_list
from judgelab.ui.kit import failures, help_link, text, widgets
from judgelab.ui.session import gate

gate.enter("owner", everywhere=True)
widgets.header(_("Endpoints"), _("model servers, shared by all projects"), guide=help_link.JUDGE)
endpoints = service.list_endpoints(gate.store())


def add() -> None:
    gate.enter("owner", everywhere=True)
    state = st.session_state
    try:
        service.add_endpoint(
            gate.store(),
            state["endpoints_name"],
            **endpoint_form.endpoint_values("endpoints"),
            keyring=endpoint_form.key_in_keyring("endpoints"),
        )
    except UserError as error:
        state["endpoints_refusal"] = error.args[0]
    else:
        state["endpoints_added"] = state["endpoints_name"].strip()
        for key in ("endpoints_name", "endpoints_url", "endpoints_key"):
            state[key] = ""


new, listed = st.columns([36, 60], gap="large")
with new, st.form("endpoints_form"):
    st.subheader(_("Add an endpoint"), anchor=False)
    st.text_input(_("Name"), key="endpoints_name", placeholder=_("hosted"))
    endpoint_form.draw_endpoint_fields("endpoints")
    st.form_submit_button(f":violet[{_('Add')}]", type="primary", on_click=add, key="endpoints_add")
    if refusal := st.session_state.pop("endpoints_refusal", None):
        failures.show(UserError(refusal))
    if added := st.session_state.pop("endpoints_added", None):
        message = _("{name} saved. Test it before a run.", name=text.plain(added))
        st.caption(f":material/check: {message}")
with listed:
    count = _n("{n} endpoint", "{n} endpoints", len(endpoints)) if endpoints else ""
    widgets.heading(_("Known endpoints"), count)
    if not endpoints:
        widgets.empty(
            _(
                "No endpoints yet. Without one, scripted replies, imported and learned judges and text "
                "metrics still work."
            )
        )
    endpoint_list.draw_endpoint_list(endpoints)
