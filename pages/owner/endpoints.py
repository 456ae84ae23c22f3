import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.runs import endpoints
from judgelab.ui import endpoint_list, failures, gate, text, widgets

gate.enter("owner", everywhere=True)
widgets.header(_("Endpoints"), _("where models answer, for all projects"))
known = endpoints.list_endpoints(gate.store())


def add() -> None:
    gate.enter("owner", everywhere=True)
    state = st.session_state
    try:
        endpoints.add_endpoint(
            gate.store(),
            state["endpoints_name"],
            base_url=state["endpoints_url"],
            api_key_env=state["endpoints_key"].strip() or None,
            concurrency=int(state["endpoints_concurrency"]),
            rpm=state["endpoints_rpm"],
            tpm=state["endpoints_tpm"],
            timeout=float(state["endpoints_timeout"]),
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
    st.text_input(
        _("Base URL"),
        key="endpoints_url",
        placeholder="http://127.0.0.1:8000/v1",
        help=_("Any server that speaks OpenAI's chat completions: vLLM, Ollama, llama.cpp, TGI, OpenAI."),
    )
    st.text_input(
        _("Environment variable that holds the key"),
        key="endpoints_key",
        placeholder=_("OPENAI_API_KEY, empty for a server without keys"),
        help=_("The key itself is never stored. The variable must be set where `judgelab up` runs."),
    )
    limits = st.columns(2)
    limits[0].number_input(_("Calls at once"), 1, endpoints.MOST_AT_ONCE, 64, key="endpoints_concurrency")
    limits[1].number_input(_("Seconds a call may take"), 1, 3600, 120, key="endpoints_timeout")
    limits[0].number_input(_("Calls a minute"), 1, value=None, key="endpoints_rpm", placeholder=_("no limit"))
    limits[1].number_input(
        _("Tokens a minute"), 1, value=None, key="endpoints_tpm", placeholder=_("no limit")
    )
    st.form_submit_button(f":violet[{_('Add')}]", type="primary", on_click=add, key="endpoints_add")
    if refusal := st.session_state.pop("endpoints_refusal", None):
        failures.show(UserError(refusal))
    if added := st.session_state.pop("endpoints_added", None):
        said = _("{name} is stored. Test it before a run.", name=text.plain(added))
        st.caption(f":material/check: {said}")
with listed:
    widgets.heading(_("Known endpoints"), _n("{n} endpoint", "{n} endpoints", len(known)))
    if not known:
        widgets.empty(
            _("No endpoint yet. Without one, scripted replies, imported judges and text metrics still work.")
        )
    endpoint_list.draw(known)
