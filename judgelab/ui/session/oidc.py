"""Signing in through an OpenID Connect provider, if `[auth]` is configured in Streamlit's secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from judgelab.accounts import oidc
from judgelab.accounts.oidc import Claims
from judgelab.languages import _
from judgelab.store.db.engine import Store
from judgelab.store.people.people import PersonInfo
from judgelab.ui.kit.streamlit_internals import user_of_page


def providers() -> list[str]:
    """Return the names of the configured providers; `[""]` for a single unnamed one."""
    try:
        section: Mapping[str, Any] = st.secrets.get("auth", {})
    except StreamlitSecretNotFoundError:
        return []
    if "client_id" in section:
        return [""]
    return [name for name, value in section.items() if isinstance(value, Mapping) and "client_id" in value]


def claims() -> Claims | None:
    """Return the provider's claims about the visitor, or None if they did not sign in through one."""
    return _claims_of(st.user.to_dict())


def sign_in_of_page(page: str) -> str | None:
    """Return the name of the sign-in through a provider of an open page, or None; for our routes."""
    provider_claims = _claims_of(user_of_page(page))
    return None if provider_claims is None else provider_claims.sign_in_name


def _claims_of(user: Mapping[str, Any]) -> Claims | None:
    if not user.get("is_logged_in") or not user.get("sub"):
        return None
    return Claims(
        issuer=str(user.get("iss", "")),
        subject=str(user["sub"]),
        issued=str(user.get("iat", "")),
        email=str(user.get("email") or ""),
        email_verified=user.get("email_verified") in (True, "true"),
        name=str(user.get("name") or ""),
    )


def visitor(store: Store) -> PersonInfo | None:
    """Return the person that the provider's claims belong to, or None."""
    provider_claims = claims()
    return None if provider_claims is None else oidc.find_person(store, provider_claims)


def sign_in_name(store: Store) -> str | None:
    """Return the name of the visitor's sign-in through a provider, or None."""
    provider_claims = claims()
    return (
        provider_claims.sign_in_name
        if provider_claims is not None and oidc.find_person(store, provider_claims)
        else None
    )


def no_access_reason(store: Store) -> str:
    """Return why an account of the provider has no access here; empty if it has, or nobody signed in."""
    provider_claims = claims()
    return "" if provider_claims is None else oidc.refusal_reason(store, provider_claims)


def draw_sign_in_buttons() -> None:
    """Draw a sign-in button for each configured provider."""
    for name in providers():
        label = _("Sign in with {provider}", provider=name) if name else _("Sign in with your organisation")
        st.button(label, key=f"outside_{name}", on_click=st.login, args=(name,) if name else ())


def sign_out() -> None:
    """End the provider's sign-in in Streamlit too, which reloads the page."""
    if claims() is not None:
        st.logout()
