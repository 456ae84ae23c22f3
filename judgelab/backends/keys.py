"""Where an endpoint's key is stored: an environment variable or the system's keyring, nowhere else."""

from __future__ import annotations

import json
import os
from urllib.parse import quote

from judgelab.backends.base import Connection
from judgelab.errors import BackendError, InvalidInput, UserError
from judgelab.wording import sentence

SERVICE = "judgelab"  # under which our keys stand in the keyring
HIDDEN = "***"


def key_of(connection: Connection) -> str:
    """Return the key of an endpoint, "" for one without; raises `BackendError` saying where it is missing."""
    if connection.keyring_name:
        try:
            key = read_keyring(connection.keyring_name)
        except UserError as error:
            raise _missing(error.args[0]) from None
        if key:
            return key
        raise _missing(
            sentence(
                "endpoint '{endpoint}' takes its key from the keyring, which has no '{name}' on the "
                "worker's machine; store it there with `judgelab endpoint key {endpoint}`.",
                endpoint=connection.name,
                name=connection.keyring_name,
            )
        )
    if not connection.api_key_env:
        return ""
    key = os.environ.get(connection.api_key_env, "").strip()
    if key:
        return key
    raise _missing(
        sentence(
            "endpoint '{endpoint}' takes its key from the environment variable {variable}, which is not "
            "set for the worker; set it and restart JudgeLab.",
            endpoint=connection.name,
            variable=connection.api_key_env,
        )
    )


def has_key(*, api_key_env: str | None, keyring_name: str | None) -> bool:
    """Return whether this process finds the key where it is said to lie; True where none is needed."""
    if keyring_name:
        try:
            return bool(read_keyring(keyring_name))
        except UserError:
            return False
    return not api_key_env or bool(os.environ.get(api_key_env, "").strip())


def read_keyring(name: str) -> str:
    """Return the key that the keyring holds under `name`, or ""; raises `InvalidInput` without a keyring."""
    import keyring
    from keyring.errors import KeyringError

    try:
        return (keyring.get_password(SERVICE, name) or "").strip()
    except KeyringError as error:
        raise _no_keyring(error) from None


def write_keyring(name: str, key: str) -> None:
    """Put a key into the keyring; raises `InvalidInput` for an empty one, or without a keyring."""
    import keyring
    from keyring.errors import KeyringError

    if not key.strip():
        raise InvalidInput(sentence("the key is empty; nothing was changed."))
    try:
        keyring.set_password(SERVICE, name, key.strip())
    except KeyringError as error:
        raise _no_keyring(error) from None


def delete_from_keyring(name: str) -> bool:
    """Take a key out of the keyring; return whether there was one, False too where no keyring is open."""
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.delete_password(SERVICE, name)
    except KeyringError:
        return False
    return True


def redact_key(text: str, key: str) -> str:
    """Return the text with the key removed, including its JSON-escaped and URL-encoded forms."""
    if not key:
        return text
    for form in {key, json.dumps(key)[1:-1], quote(key, safe="")}:
        text = text.replace(form, HIDDEN)
    return text


def _no_keyring(error: Exception) -> InvalidInput:
    return InvalidInput(
        sentence(
            "can't open a keyring on this machine ({error}); name an environment variable that contains "
            "the key instead (--api-key-env).",
            error=type(error).__name__,
        )
    )


def _missing(message: str) -> BackendError:
    return BackendError(message, cause="bad_key", retryable=False, stops_run=True)
