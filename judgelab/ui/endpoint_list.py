"""The endpoints with their limits, and a test of each."""

from __future__ import annotations

import os

import streamlit as st

from judgelab.runs import endpoints
from judgelab.runs.endpoints import Trial
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
        st.button("Test", key=f"endpoints_test_{endpoint.id}", on_click=_test, args=(endpoint,))


def _test(endpoint: EndpointInfo) -> None:
    gate.enter("owner", everywhere=True)
    with failures.explained():
        trial = endpoints.try_endpoint(gate.store(), endpoint.name)
        st.session_state[f"endpoints_trial_{endpoint.id}"] = trial


def _said(trial: Trial) -> None:
    said = text.plain(trial.sentence)
    if not trial.works:
        st.markdown(f":material/error: :red[Does not work:] {said}")
        return
    st.markdown(f":material/check: Works: {said}")
    models = text.listing(list(trial.models), limit=SHOWN_MODELS)
    st.caption(text.plain(f"Models: {models}"))


def _prices(endpoint: EndpointInfo) -> None:
    """Offer the prices: without one, cost stays unknown and a run cannot be given a budget."""
    with st.expander(f"Prices, {text.counted(len(endpoint.prices), 'model')}"):
        for model, price in endpoint.prices.items():
            said = f"{model}: {price['prompt']:g} in, {price['completion']:g} out, USD per million tokens"
            st.text(said)
        with st.form(f"endpoints_price_{endpoint.id}", border=False):
            left, middle, right = st.columns([4, 3, 3])
            name = left.text_input("Model", value="*", key=f"endpoints_price_model_{endpoint.id}")
            given = middle.number_input("In, $ per million", 0.0, key=f"endpoints_price_in_{endpoint.id}")
            taken = right.number_input("Out, $ per million", 0.0, key=f"endpoints_price_out_{endpoint.id}")
            if st.form_submit_button("Set price"):
                _set_price(endpoint, name or "*", given, taken)


def _set_price(endpoint: EndpointInfo, model: str, prompt: float, completion: float) -> None:
    gate.enter("owner", everywhere=True)
    with failures.explained():
        endpoints.set_price(gate.store(), endpoint.name, model.strip(), prompt=prompt, completion=completion)
        st.rerun()


def _limits(endpoint: EndpointInfo) -> str:
    parts = [f"{endpoint.concurrency:,} at once", f"{endpoint.timeout:g} s a call"]
    if endpoint.rpm:
        parts.append(f"{text.counted(endpoint.rpm, 'call')} a minute")
    if endpoint.tpm:
        parts.append(f"{text.counted(endpoint.tpm, 'token')} a minute")
    return ", ".join(parts)


def _key(endpoint: EndpointInfo) -> str:
    if not endpoint.api_key_env:
        return "no key"
    name = text.plain(endpoint.api_key_env)
    known = bool(os.environ.get(endpoint.api_key_env))
    return f"key from {name}" if known else f":orange[{name} is not set where the app runs]"
