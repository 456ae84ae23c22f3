"""The endpoints with their limits, prices and test results."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.runs.endpoints import probe, service
from judgelab.runs.endpoints.probe import EndpointProbe
from judgelab.store.judging.endpoints import CoolDown, EndpointInfo
from judgelab.ui.judge import endpoint_form
from judgelab.ui.kit import failures, text
from judgelab.ui.session import gate

SHOWN_MODELS = 12
TEST_KEY = "endpoints_trial_{}"  # result of this session's last test
REFUSED_KEY = "endpoints_refusal_{}"
KEPT_KEY = "endpoints_stays_{}"
PRICE_COLUMNS = {
    "Model": "model",
    "In": "prompt",
    "Out": "completion",
    "Cached in": "cached",
    "Batch": "batch",
}


def draw_endpoint_list(endpoints: list[EndpointInfo]) -> None:
    """Draw each endpoint with a test button and its test results."""
    in_use = service.named_endpoints(gate.store())
    cool_downs = service.current_cool_downs(gate.store())
    for endpoint in endpoints:
        with st.container(key=f"endpoints_row_{endpoint.id}", gap="small"):
            _draw_endpoint(endpoint, in_use=endpoint.id in in_use)
            if endpoint.id in cool_downs:
                _write_cool_down(cool_downs[endpoint.id])
            probe_result = st.session_state.get(TEST_KEY.format(endpoint.id))
            if probe_result is not None:
                _write_test_result(probe_result)
            _draw_findings(endpoint, probe_result)
            _draw_prices(endpoint)
            _draw_settings(endpoint)
            st.divider()


def _draw_endpoint(endpoint: EndpointInfo, *, in_use: bool) -> None:
    with st.container(gap=None):
        st.markdown(f"**{text.plain(endpoint.name)}**")
        st.caption(text.plain(f"{endpoint.base_url}, {_limits(endpoint)}"))
        st.caption(_key(endpoint))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model = st.text_input(
            _("Model to test"),
            key=f"endpoints_model_{endpoint.id}",
            placeholder=_("Model; leave empty for the first one listed"),
            label_visibility="collapsed",
        )
        if st.button(_("Test"), key=f"endpoints_test_{endpoint.id}"):
            _test(endpoint, model.strip())
        with st.popover(_("Remove"), icon=":material/delete:"):
            if in_use:
                st.write(_("It can't be removed: judges, prepared texts or study plans refer to it."))
            else:
                st.write(_("This also deletes its prices, its test results and its key in the keyring."))
                st.button(
                    _("Remove the endpoint"),
                    key=f"endpoints_remove_{endpoint.id}",
                    on_click=_remove,
                    args=(endpoint,),
                )
    _refused(KEPT_KEY, endpoint)


def _write_cool_down(cool_down: CoolDown) -> None:
    message = _(
        "Paused; calls resume at {time}, or as soon as a test succeeds. {reason}",
        time=text.clock(cool_down.until),
        reason=text.plain(_(cool_down.reason)),
    )
    st.markdown(f":orange[:material/hourglass: {message}]")


def _test(endpoint: EndpointInfo, model: str) -> None:
    gate.enter("owner", everywhere=True)
    with failures.errors_explained():
        with st.spinner(_("Testing {endpoint} with a few short calls", endpoint=text.plain(endpoint.name))):
            result = probe.probe_endpoint(gate.store(), endpoint.name, model=model)
        st.session_state[TEST_KEY.format(endpoint.id)] = result
        st.rerun()


def _write_test_result(result: EndpointProbe) -> None:
    sentence = text.plain(_(result.sentence))
    if not result.works:
        st.markdown(f":material/error: {_(':red[Does not work:] {why}', why=sentence)}")
        return
    st.markdown(f":material/check: {_('Works: {what}', what=sentence)}")
    if result.models:
        models = text.listing(list(result.models), limit=SHOWN_MODELS)
        st.caption(text.plain(_("Models: {names}", names=models)))


def _draw_findings(endpoint: EndpointInfo, result: EndpointProbe | None) -> None:
    """Write the test results of each model, with the model just tested unfolded."""
    tested: dict[str, Any] = {
        model: details["trial"] for model, details in endpoint.learnt.items() if details.get("trial")
    }
    current = result.model if result is not None and result.works else ""
    if current in tested:
        _findings(current, tested.pop(current))
    if tested:
        with st.expander(_n("Tested earlier, {n} model", "Tested earlier, {n} models", len(tested))):
            for model, finding in tested.items():
                _findings(model, finding)


def _findings(model: str, finding: Mapping[str, Any]) -> None:
    tested_at = text.when(datetime.fromisoformat(finding["at"]))
    with st.container(gap="xsmall"):
        st.caption(text.plain(_("{model}, tested {when}", model=model, when=tested_at)))
        lines = probe.describe_findings(finding)
        frame = pd.DataFrame(
            {"What": [_(line.name) for line in lines], "Found": [text.plain(_(line.text)) for line in lines]}
        )
        st.table(frame, border="horizontal", hide_index=True, hide_header=True)


def _draw_prices(endpoint: EndpointInfo) -> None:
    """Draw the prices: without them a run's cost is unknown and it cannot have a budget."""
    with st.expander(_n("Prices, {n} model", "Prices, {n} models", len(endpoint.prices))):
        st.caption(_("US dollars per million tokens. The model * applies to all others."))
        with st.form(f"endpoints_prices_{endpoint.id}", border=False):
            edited = st.data_editor(
                price_frame({**dict.fromkeys(endpoint.learnt, {}), **endpoint.prices}),
                key=f"endpoints_price_table_{endpoint.id}",
                num_rows="dynamic",
                hide_index=True,
                row_height=28,
                column_config={
                    "Model": st.column_config.TextColumn(_("Model"), width=160),
                    "In": st.column_config.NumberColumn(_("Input"), min_value=0.0),
                    "Out": st.column_config.NumberColumn(_("Output"), min_value=0.0),
                    "Cached in": st.column_config.NumberColumn(_("Cached input"), min_value=0.0),
                    "Batch": st.column_config.NumberColumn(
                        _("Batch price factor"),
                        min_value=0.0,
                        help=_("0.5 if a batch call costs half."),
                    ),
                },
            )
            if st.form_submit_button(_("Save prices"), key=f"endpoints_price_save_{endpoint.id}"):
                _set_prices(endpoint, edited)


def price_frame(prices: Mapping[str, Any]) -> pd.DataFrame:
    """Return an endpoint's prices as an editable table, one row per model; cells may be empty."""
    rows = [
        {"Model": model, **{name: price.get(kind) for name, kind in PRICE_COLUMNS.items() if name != "Model"}}
        for model, price in prices.items()
    ]
    frame = pd.DataFrame(rows, columns=list(PRICE_COLUMNS))
    return frame.astype({name: "object" if name == "Model" else "float" for name in PRICE_COLUMNS})


def prices_from(table: pd.DataFrame) -> dict[str, dict[str, float | None]]:
    """Return the prices from an edited table, without empty rows."""
    prices = {}
    for row in table.rename(columns=PRICE_COLUMNS).to_dict("records"):
        filled = {str(name): None if pd.isna(value) else value for name, value in row.items()}
        model = str(filled.pop("model") or "")
        if any(value is not None for value in filled.values()):
            prices[model] = filled
    return prices


def _set_prices(endpoint: EndpointInfo, table: pd.DataFrame) -> None:
    gate.enter("owner", everywhere=True)
    with failures.errors_explained():
        service.set_prices(gate.store(), endpoint.name, prices_from(table))
        st.rerun()


def _draw_settings(endpoint: EndpointInfo) -> None:
    key = f"endpoints_set_{endpoint.id}"
    with st.expander(_("Address, key and limits")):
        with st.form(key, border=False):
            endpoint_form.draw_endpoint_fields(key, endpoint)
            st.form_submit_button(_("Save"), key=f"{key}_save", on_click=_change, args=(endpoint, key))
        _refused(REFUSED_KEY, endpoint)


def _change(endpoint: EndpointInfo, key: str) -> None:
    gate.enter("owner", everywhere=True)
    try:
        keyring_name = (endpoint.keyring_name or endpoint.name) if endpoint_form.key_in_keyring(key) else None
        changes = {**endpoint_form.endpoint_values(key), "keyring_name": keyring_name}
        service.update_endpoint(gate.store(), endpoint.name, **changes)
    except UserError as error:
        st.session_state[REFUSED_KEY.format(endpoint.id)] = error.args[0]


def _remove(endpoint: EndpointInfo) -> None:
    gate.enter("owner", everywhere=True)
    try:
        service.remove_endpoint(gate.store(), endpoint.name)
    except UserError as error:
        st.session_state[KEPT_KEY.format(endpoint.id)] = error.args[0]


def _refused(kind: str, endpoint: EndpointInfo) -> None:
    if refusal := st.session_state.pop(kind.format(endpoint.id), None):
        failures.show(UserError(refusal))


def _limits(endpoint: EndpointInfo) -> str:
    parts = [
        _("{calls} concurrently", calls=endpoint.concurrency),
        _("{seconds} s per call", seconds=f"{endpoint.timeout:g}"),
    ]
    if endpoint.rpm:
        parts.append(_n("{n} call per minute", "{n} calls per minute", endpoint.rpm))
    if endpoint.tpm:
        parts.append(_n("{n} token per minute", "{n} tokens per minute", endpoint.tpm))
    return ", ".join(parts)


def _key(endpoint: EndpointInfo) -> str:
    has_key = service.has_key(endpoint)
    if endpoint.keyring_name:
        if has_key:
            return _("key from the keyring")
        command = f"`judgelab endpoint key {endpoint.name}`".replace("[", "").replace("]", "")
        return _(":orange[no key in the keyring yet; {command} stores it]", command=command)
    if not endpoint.api_key_env:
        return _("no key")
    name = text.plain(endpoint.api_key_env)
    if has_key:
        return _("key from {variable}", variable=name)
    return _(":orange[{variable} is not set where the app runs]", variable=name)
