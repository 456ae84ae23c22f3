"""Sign-ins through an OpenID Connect provider."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from judgelab.accounts import global_roles, oidc, signin
from judgelab.accounts.oidc import Claims
from judgelab.config import settings
from judgelab.store.db.engine import Store
from judgelab.store.people import sessions

CLAIMS = Claims("https://login.example.org", "s-1", "1700000000", "Ann@Example.org", True, "Ann Lee")


@pytest.fixture
def by_name(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("JUDGELAB_OIDC_CLAIM", "name")
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.fixture
def ann(store: Store) -> int:
    return global_roles.add(store, "ann@example.org", "researcher", "a long pass phrase").id


def test_a_verified_address_is_the_person_of_that_name(store: Store, ann: int) -> None:
    person = oidc.find_person(store, CLAIMS)
    assert person is not None and person.id == ann
    assert oidc.refusal_reason(store, CLAIMS) == ""


def test_an_address_nobody_verified_is_nobody(store: Store, ann: int) -> None:
    claims = replace(CLAIMS, email_verified=False)
    assert oidc.find_person(store, claims) is None
    assert "no verified email" in oidc.refusal_reason(store, claims)


def test_somebody_whom_no_owner_added_is_told_so(store: Store) -> None:
    assert oidc.find_person(store, CLAIMS) is None
    assert "no owner has added a person of that name" in oidc.refusal_reason(store, CLAIMS)


def test_a_display_name_counts_only_where_the_settings_say_so(store: Store) -> None:
    global_roles.add(store, "Ann Lee", "annotator", None)
    assert oidc.find_person(store, CLAIMS) is None


def test_a_display_name_counts_where_the_settings_say_so(store: Store, by_name: None) -> None:
    person = global_roles.add(store, "Ann Lee", "annotator", None)
    assert oidc.find_person(store, CLAIMS) == person


def test_an_ended_sign_in_stays_ended_until_the_provider_signs_in_anew(store: Store, ann: int) -> None:
    oidc.find_person(store, CLAIMS)
    with store.writing() as session:
        assert sessions.end_sessions_of_person(session, ann) == 1
    assert oidc.find_person(store, CLAIMS) is None
    assert "was ended" in oidc.refusal_reason(store, CLAIMS)
    assert oidc.find_person(store, replace(CLAIMS, issued="1700009999")) is not None


def test_a_browser_cannot_send_such_a_sign_in_as_a_cookie(store: Store, ann: int) -> None:
    oidc.find_person(store, CLAIMS)
    assert signin.whoami(store, CLAIMS.sign_in_name) is None
