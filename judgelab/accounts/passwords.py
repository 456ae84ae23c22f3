"""Passwords of owners and researchers: hashed with argon2id, never stored or logged."""

from __future__ import annotations

from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from judgelab.errors import InvalidInput
from judgelab.wording import sentence

MIN_LENGTH, MAX_LENGTH = 10, 200
_hasher = PasswordHasher()
# Each check takes 64 MB for a moment: many wrong passwords at once must not use up the memory.
_concurrent_checks = BoundedSemaphore(2)


def _dummy_hash() -> str:
    """Return a hash that matches no password and takes as long to check as a stored one."""
    cost = f"m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    return f"$argon2id$v=19${cost}${'A' * 22}${'A' * 43}"


def hash_password(password: str, *, name: str = "") -> str:
    """Return the hash of a password, as it is stored.

    Raises:
        InvalidInput: it is too short, too long, or the person's name.
    """
    if len(password) < MIN_LENGTH:
        raise InvalidInput(
            sentence(
                "a password needs at least {least} characters; this one has {length}.",
                least=MIN_LENGTH,
                length=len(password),
            )
        )
    if len(password) > MAX_LENGTH:
        raise InvalidInput(
            sentence(
                "a password has at most {most} characters; this one has {length}.",
                most=MAX_LENGTH,
                length=len(password),
            )
        )
    if password.strip().casefold() == name.strip().casefold():
        raise InvalidInput(sentence("a password must differ from the name; choose another one."))
    with _concurrent_checks:
        return _hasher.hash(password)


def matches(password: str, stored: str | None) -> bool:
    """Return whether the password is the stored one; takes as long for unknown names, with none stored."""
    if len(password) > MAX_LENGTH:
        return False
    with _concurrent_checks:
        try:
            return _hasher.verify(stored or _dummy_hash(), password) and stored is not None
        except (VerificationError, InvalidHashError):
            return False
