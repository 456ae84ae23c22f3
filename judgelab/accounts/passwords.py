"""Passwords of owners and researchers: hashed by argon2id, never stored or logged."""

from __future__ import annotations

from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from judgelab.errors import InvalidInput
from judgelab.wording import sentence

SHORTEST, LONGEST = 10, 200
_hasher = PasswordHasher()
# Each check takes 64 MB for a moment: a crowd of wrong passwords must not take the memory of the machine.
_at_once = BoundedSemaphore(2)


def _nobody() -> str:
    """Return a hash of no password that costs as much to check as a stored one, and nothing to make."""
    cost = f"m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    return f"$argon2id$v=19${cost}${'A' * 22}${'A' * 43}"


def hash_of(password: str, *, name: str = "") -> str:
    """Return what is stored of a password.

    Raises:
        InvalidInput: it is too short, too long, or the person's name.
    """
    if len(password) < SHORTEST:
        raise InvalidInput(
            sentence(
                "a password has {least} characters or more; this one has {length}.",
                least=SHORTEST,
                length=len(password),
            )
        )
    if len(password) > LONGEST:
        raise InvalidInput(
            sentence(
                "a password has at most {most} characters; this one has {length}.",
                most=LONGEST,
                length=len(password),
            )
        )
    if password.strip().casefold() == name.strip().casefold():
        raise InvalidInput(sentence("a password must not be the name; choose another one."))
    with _at_once:
        return _hasher.hash(password)


def matches(password: str, stored: str | None) -> bool:
    """Return whether the password is the stored one; takes as long when there is none (an unknown name)."""
    if len(password) > LONGEST:
        return False
    with _at_once:
        try:
            return _hasher.verify(stored or _nobody(), password) and stored is not None
        except (VerificationError, InvalidHashError):
            return False
