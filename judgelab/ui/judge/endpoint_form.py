"""Form fields of an endpoint: its address, the place of its key, its limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from judgelab.languages import _
from judgelab.runs.endpoints import service
from judgelab.runs.endpoints.validation import parse_pairs
from judgelab.store.judging.endpoints import EndpointInfo


def draw_endpoint_fields(key: str, endpoint: EndpointInfo | None = None) -> None:
    """Draw an endpoint's fields except its name; `endpoint_values` reads them.

    Args:
        key: prefix of every field's key.
        endpoint: the endpoint to change; None for a new one.
    """
    st.text_input(
        _("Base URL"),
        value=endpoint.base_url if endpoint else "",
        key=f"{key}_url",
        placeholder="http://127.0.0.1:8000/v1",
        help=_("Any server that speaks OpenAI's chat completions: vLLM, Ollama, llama.cpp, TGI, OpenAI."),
    )
    st.text_input(
        _("Environment variable with the key"),
        value=(endpoint.api_key_env or "") if endpoint else "",
        key=f"{key}_key",
        placeholder="OPENAI_API_KEY",
        help=_(
            "Empty for a server without keys. The key itself is never stored. Set the variable where "
            "`judgelab up` runs."
        ),
    )
    st.checkbox(
        _("The key is in the system keyring"),
        value=bool(endpoint and endpoint.keyring_name),
        key=f"{key}_keyring",
        help=_("`judgelab endpoint key NAME` asks for the key and stores it there; this page never sees it."),
    )
    limits = st.columns(2)
    concurrency, timeout = (endpoint.concurrency, endpoint.timeout) if endpoint else (64, 120.0)
    limits[0].number_input(
        _("Concurrent calls"), 1, service.MOST_AT_ONCE, concurrency, key=f"{key}_concurrency"
    )
    limits[1].number_input(
        _("Timeout per call (s)"), 1.0, value=timeout, step=1.0, format="%g", key=f"{key}_timeout"
    )
    rates = {"rpm": _("Calls per minute"), "tpm": _("Tokens per minute")}
    for column, (name, label) in zip(limits, rates.items(), strict=True):
        # A number field cannot be emptied again, so 0 means no limit.
        column.number_input(
            label,
            0,
            value=(getattr(endpoint, name) or 0) if endpoint else None,
            key=f"{key}_{name}",
            placeholder=_("no limit"),
            help=_("0 = no limit"),
        )
    with st.expander(_("For gateways: key header, extra headers, parameters")):
        st.text_input(
            _("Header for the key"),
            value=endpoint.key_header if endpoint else "",
            key=f"{key}_key_header",
            placeholder=_("Authorization"),
            help=_(
                "Azure-style gateways expect `api-key`. With `Authorization`, the key is sent as a bearer "
                "token."
            ),
        )
        st.text_area(
            _("Extra headers, one per line"),
            value=_lines(endpoint.headers, ": ") if endpoint else "",
            key=f"{key}_headers",
            placeholder=_("X-Team: judging"),
            height=68,
            help=_("These are stored and shown, so don't enter a key here."),
        )
        st.text_area(
            _("URL parameters, one per line"),
            value=_lines(endpoint.query, "=") if endpoint else "",
            key=f"{key}_query",
            placeholder=_("api-version=2024-10-21"),
            height=68,
        )


def endpoint_values(key: str) -> dict[str, Any]:
    """Return the fields' values; raises `InvalidInput` for malformed headers or parameters."""
    state = st.session_state
    return {
        "base_url": state[f"{key}_url"],
        "api_key_env": state[f"{key}_key"].strip() or None,
        "key_header": state[f"{key}_key_header"],
        "headers": parse_pairs(state[f"{key}_headers"].splitlines()),
        "query": parse_pairs(state[f"{key}_query"].splitlines()),
        "concurrency": int(state[f"{key}_concurrency"]),
        "rpm": state[f"{key}_rpm"] or None,
        "tpm": state[f"{key}_tpm"] or None,
        "timeout": float(state[f"{key}_timeout"]),
    }


def key_in_keyring(key: str) -> bool:
    """Return whether the key is in the keyring, according to the form."""
    return bool(st.session_state[f"{key}_keyring"])


def _lines(pairs: Mapping[str, str], separator: str) -> str:
    return "\n".join(f"{name}{separator}{value}" for name, value in pairs.items())
