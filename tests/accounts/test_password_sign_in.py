"""Signing in by name and password: what is stored, what is refused, and the limit on attempts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import VerifyMismatchError
from argon2.profiles import CHEAPEST, RFC_9106_LOW_MEMORY
from sqlalchemy import text, update

from judgelab.accounts import global_roles, modes, password_sign_in, passwords, signin
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.models import Audit, now
from judgelab.store.people import people

PASSWORD = "a long pass phrase"
THOROUGH = passwords._hasher


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash at the lowest cost, since the real cost would take most of the time of these tests."""
    monkeypatch.setattr(passwords, "_hasher", PasswordHasher.from_parameters(CHEAPEST))


@pytest.fixture
def ann(store: Store) -> int:
    return global_roles.add(store, "Ann Lee", "owner", PASSWORD).id


def _fails(store: Store, name: str = "Ann Lee", *, address: str = "192.0.2.1") -> str:
    with pytest.raises(NotAllowed) as refused:
        password_sign_in.sign_in(store, name, "not the password", address=address)
    return str(refused.value)


@pytest.mark.parametrize("name", ["Ann Lee", " ann  lee "])
def test_name_and_password_sign_in(store: Store, ann: int, name: str) -> None:
    cookie = password_sign_in.sign_in(store, name, PASSWORD, address="")
    person = signin.whoami(store, cookie)
    assert person is not None and person.id == ann


def test_an_unknown_name_a_wrong_password_and_one_without_password_sound_alike(
    store: Store, ann: int
) -> None:
    with store.writing() as session:
        people.find_or_create(session, "Bea")
    assert _fails(store) == _fails(store, "Nobody") == _fails(store, "Bea") == password_sign_in.WRONG_PASSWORD


def test_the_password_is_stored_as_an_argon2id_hash(store: Store, ann: int) -> None:
    with store.reading() as session:
        stored = people.password_hash(session, ann)
        rows_text = repr(session.execute(text("SELECT * FROM person")).all())
        rows_text += repr(session.execute(text("SELECT * FROM audit")).all())
    assert stored is not None and stored.startswith("$argon2id$")
    assert PASSWORD not in rows_text


def test_a_hash_costs_what_the_rfc_asks_for_and_an_unknown_name_as_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(passwords, "_hasher", THOROUGH)
    assert extract_parameters(passwords.hash_password(PASSWORD)) == RFC_9106_LOW_MEMORY
    stand_in = passwords._dummy_hash()
    assert extract_parameters(stand_in) == RFC_9106_LOW_MEMORY
    with pytest.raises(VerifyMismatchError):  # it was computed, not refused for its form
        THOROUGH.verify(stand_in, PASSWORD)
    assert not passwords.matches(PASSWORD, None)


def test_too_many_tries_for_a_name_are_held_up_even_with_the_right_password(store: Store, ann: int) -> None:
    for _ in range(password_sign_in.MAX_TRIES_PER_NAME):
        _fails(store)
    with pytest.raises(NotAllowed, match="Too many attempts for this name: wait 15 minutes, or ask an owner"):
        password_sign_in.sign_in(store, "ANN LEE", PASSWORD, address="192.0.2.1")
    with store.writing() as session:
        session.execute(update(Audit).values(at=now() - password_sign_in.WINDOW - timedelta(seconds=1)))
    assert password_sign_in.sign_in(store, "Ann Lee", PASSWORD, address="")


def test_too_many_tries_from_an_address_are_held_up_whatever_the_name(
    store: Store, ann: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(password_sign_in, "MAX_TRIES_PER_ADDRESS", 3)
    for n in range(3):
        _fails(store, f"Guess {n}")
    assert "this address" in _fails(store, "Ann Lee")
    assert password_sign_in.sign_in(store, "Ann Lee", PASSWORD, address="198.51.100.7")


def test_no_outsider_locks_a_person_out_who_signs_in_from_elsewhere(store: Store, ann: int) -> None:
    for n in range(4 * password_sign_in.MAX_TRIES_PER_NAME):
        _fails(store, address=f"192.0.2.{n % 4}")
    assert "this name" in _fails(store, address="192.0.2.1")
    cookie = password_sign_in.sign_in(store, "Ann Lee", PASSWORD, address="198.51.100.7")
    assert "this name" in _fails(
        store, address="192.0.2.1"
    )  # signing in does not reset the attempts of others
    password_sign_in.change(store, ann, present=PASSWORD, new="another pass phrase", cookie=cookie)


def test_signing_in_forgives_the_tries_before(store: Store, ann: int) -> None:
    for _ in range(password_sign_in.MAX_TRIES_PER_NAME - 1):
        _fails(store)
    password_sign_in.sign_in(store, "Ann Lee", PASSWORD, address="192.0.2.1")
    assert _fails(store) == password_sign_in.WRONG_PASSWORD


def test_many_tries_at_once_do_not_slip_through_together(store: Store, ann: int) -> None:
    with ThreadPoolExecutor(12) as pool:
        refusals = list(pool.map(lambda _: _fails(store), range(12)))
    assert refusals.count(password_sign_in.WRONG_PASSWORD) == password_sign_in.MAX_TRIES_PER_NAME


@pytest.mark.postgres
def test_many_tries_at_once_stand_in_line_on_postgresql(postgres_url: str) -> None:
    store = open_store(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    global_roles.add(store, "Ann Lee", "owner", PASSWORD)
    with ThreadPoolExecutor(12) as pool:
        refusals = list(pool.map(lambda _: _fails(store), range(12)))
    store.close()
    assert refusals.count(password_sign_in.WRONG_PASSWORD) == password_sign_in.MAX_TRIES_PER_NAME


def test_what_was_typed_as_a_name_is_not_stored(store: Store) -> None:
    _fails(store, "my secret password typed in the wrong field")
    with store.reading() as session:
        assert "my secret" not in repr(session.execute(text("SELECT detail FROM audit")).all())


def test_changing_ones_password_asks_for_the_present_one_and_signs_out_elsewhere(
    store: Store, ann: int
) -> None:
    cookie, other_cookie = (
        password_sign_in.sign_in(store, "Ann Lee", PASSWORD, address="") for _ in range(2)
    )
    with pytest.raises(NotAllowed, match="current password"):
        password_sign_in.change(store, ann, present="wrong", new="another pass phrase", cookie=cookie)
    password_sign_in.change(store, ann, present=PASSWORD, new="another pass phrase", cookie=cookie)
    assert signin.whoami(store, cookie) is not None and signin.whoami(store, other_cookie) is None
    assert _fails(store) == password_sign_in.WRONG_PASSWORD
    assert password_sign_in.sign_in(store, "Ann Lee", "another pass phrase", address="")


@pytest.mark.parametrize(("password", "message"), [("short", "10 characters"), ("ann lee   ", "the name")])
def test_an_unfit_password_is_refused(password: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        passwords.hash_password(password, name="Ann Lee   ")


def test_other_machines_are_served_once_an_owner_has_a_password(store: Store) -> None:
    modes.check_address(store, "127.0.0.1")
    signin.new_owner_token(store)
    with pytest.raises(InvalidInput, match="no owner can sign in"):
        modes.check_address(store, "0.0.0.0")
    with pytest.raises(InvalidInput, match="every address"):
        modes.check_address(store, None)
    global_roles.add(store, "Ann Lee", "owner", PASSWORD)
    modes.check_address(store, "0.0.0.0")


def test_the_only_owner_stays_one(store: Store, ann: int) -> None:
    with pytest.raises(InvalidInput, match="only owner"):
        global_roles.change(store, "Ann Lee", role="reader", password=None)
    global_roles.add(store, "Bea", "owner", PASSWORD)
    cookie = password_sign_in.sign_in(store, "Ann Lee", PASSWORD, address="")
    global_roles.change(store, "Ann Lee", role="reader", password=None)
    assert signin.whoami(store, cookie) is None
    assert _fails(store) == password_sign_in.WRONG_PASSWORD


def test_a_researcher_cannot_be_made_without_a_password(store: Store) -> None:
    global_roles.add(store, "Cy", "annotator", None)
    with pytest.raises(InvalidInput, match="need a password"):
        global_roles.change(store, "Cy", role="researcher", password=None)
    with pytest.raises(InvalidInput, match="need a password"):
        global_roles.add(store, "Dot", "researcher", None)
    with pytest.raises(InvalidInput, match="not a role"):
        global_roles.add(store, "Dot", "boss", None)
