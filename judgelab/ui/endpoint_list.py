"""The endpoints with their limits, and a test of each."""

from __future__ import annotations

import os

import streamlit as st

from judgelab.languages import _, _n
from judgelab.runs import endpoints, trials
from judgelab.runs.trials import Trial
from judgelab.store.endpoints import EndpointInfo
from judgelab.ui import failures, gate, text

SHOWN_MODELS = 12


def draw(known: list[EndpointInfo]) -> None:
    """Draw each endpoint with a test button and what its last test of this visit said."""
    for endpoint in known:
        with st.container(key=f"endpoints_row_{endpoint.id}", gap="small"):
            _row(endpoint)
            trial = st.session_state.get(f"endpoints_trial_{endpoint.id}")
            if trial is not None:
                _said(trial)
            _prices(endpoint)
            st.divider()


def _row(endpoint: EndpointInfo) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(gap=None):
            st.markdown(f"**{text.plain(endpoint.name)}**")
            st.caption(text.plain(f"{endpoint.base_url}, {_limits(endpoint)}"))
            st.caption(_key(endpoint))
        st.button(_("Test"), key=f"endpoints_test_{endpoint.id}", on_click=_test, args=(endpoint,))


def _test(endpoint: EndpointInfo) -> None:
    gate.enter("owner", everywhere=True)
    with failures.explained():
        trial = trials.try_endpoint(gate.store(), endpoint.name)
        st.session_state[f"endpoints_trial_{endpoint.id}"] = trial


def _said(trial: Trial) -> None:
    said = text.plain(_(trial.sentence))
    if not trial.works:
        st.markdown(f":material/error: {_(':red[Does not work:] {why}', why=said)}")
        return
    st.markdown(f":material/check: {_('Works: {what}', what=said)}")
    models = text.listing(list(trial.models), limit=SHOWN_MODELS)
    st.caption(text.plain(_("Models: {names}", names=models)))


def _prices(endpoint: EndpointInfo) -> None:
    """Offer the prices: without one, cost stays unknown and a run cannot be given a budget."""
    with st.expander(_n("Prices, {n} model", "Prices, {n} models", len(endpoint.prices))):
        for model, price in endpoint.prices.items():
            said = _(
                "{model}: {taken} in, {given} out, USD per million tokens",
                model=model,
                taken=f"{price['prompt']:g}",
                given=f"{price['completion']:g}",
            )
            st.text(said)
        with st.form(f"endpoints_price_{endpoint.id}", border=False):
            left, middle, right = st.columns([4, 3, 3])
            name = left.text_input(_("Model"), value="*", key=f"endpoints_price_model_{endpoint.id}")
            given = middle.number_input(_("In, $ per million"), 0.0, key=f"endpoints_price_in_{endpoint.id}")
            taken = right.number_input(_("Out, $ per million"), 0.0, key=f"endpoints_price_out_{endpoint.id}")
            if st.form_submit_button(_("Set price")):
                _set_price(endpoint, name or "*", given, taken)


def _set_price(endpoint: EndpointInfo, model: str, prompt: float, completion: float) -> None:
    gate.enter("owner", everywhere=True)
    with failures.explained():
        endpoints.set_price(gate.store(), endpoint.name, model.strip(), prompt=prompt, completion=completion)
        st.rerun()


def _limits(endpoint: EndpointInfo) -> str:
    parts = [
        _("{calls} at once", calls=endpoint.concurrency),
        _("{seconds} s a call", seconds=f"{endpoint.timeout:g}"),
    ]
    if endpoint.rpm:
        parts.append(_n("{n} call a minute", "{n} calls a minute", endpoint.rpm))
    if endpoint.tpm:
        parts.append(_n("{n} token a minute", "{n} tokens a minute", endpoint.tpm))
    return ", ".join(parts)


def _key(endpoint: EndpointInfo) -> str:
    if not endpoint.api_key_env:
        return _("no key")
    name = text.plain(endpoint.api_key_env)
    if os.environ.get(endpoint.api_key_env):
        return _("key from {variable}", variable=name)
    return _(":orange[{variable} is not set where the app runs]", variable=name)
