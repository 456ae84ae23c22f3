"""What may be said of an endpoint: each value is checked before it is stored. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from judgelab.errors import InvalidInput
from judgelab.wording import sentence

MOST_AT_ONCE = 1000
ANY_MODEL = "*"
_PAIR = re.compile(r"^([^=:]*)([=:]?)(.*)$", re.DOTALL)
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
# What holds a key by its name; keys have a place of their own, where nothing shows or stores them.
_SECRET = re.compile(
    r"(?:^|[-_])(?:authori[sz]ation|auth|(?:api[-_]?|subscription[-_]|access[-_])?key|token|secret|password|"
    r"cookie|credentials?|sig|signature)$",
    re.IGNORECASE,
)


def validate(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of an endpoint as they are stored.

    Raises:
        InvalidInput: a value that cannot be taken; a key is never repeated in the sentence.
    """
    unknown = set(given) - set(CHECKS)
    assert not unknown, f"an endpoint has no {unknown}"
    values = {name: CHECKS[name](value) for name, value in given.items()}
    if values.get("api_key_env") and values.get("keyring_name"):
        raise InvalidInput(
            sentence(
                "a key can be stored in one place only: name an environment variable or the keyring, not "
                "both."
            )
        )
    # Whoever names the one place leaves the other.
    if values.get("api_key_env"):
        values["keyring_name"] = None
    elif values.get("keyring_name"):
        values["api_key_env"] = None
    return values


def parse_pairs(pairs: Iterable[str]) -> dict[str, str]:
    """Return lines `NAME=VALUE` or `Name: value` as a mapping; empty ones are passed over.

    Raises:
        InvalidInput: a line is neither; it is not repeated, because it may hold a key.
    """
    parsed = {}
    for pair in filter(str.strip, pairs):
        name, sign, value = _PAIR.findall(pair.strip())[0]
        if not sign or not name.strip():
            raise InvalidInput(
                sentence("headers and parameters must have the form NAME=VALUE; one of them does not.")
            )
        parsed[name.strip()] = value.strip()
    return parsed


def validate_prices(prices: Mapping[str, Mapping[str, float | None]]) -> dict[str, dict[str, float]]:
    """Return a table of prices in US dollars per million tokens; raises `InvalidInput`."""
    return {_model(model): _price(model, price) for model, price in prices.items()}


def _model(name: str) -> str:
    if not name.strip():
        raise InvalidInput(sentence('a price needs the name of its model; use "*" for all models.'))
    return name.strip()


def _price(model: str, price: Mapping[str, float | None]) -> dict[str, float]:
    prices = {kind: float(value) for kind, value in price.items() if value is not None}
    if not all(math.isfinite(value) and value >= 0 for value in prices.values()):
        raise InvalidInput(sentence("a price must be at least 0 USD per million tokens."))
    if not {"prompt", "completion"} <= prices.keys():
        raise InvalidInput(
            sentence(
                "the price of '{model}' needs two values, one for input and one for output.", model=model
            )
        )
    return prices


def _url(url: str) -> str:
    url = url.strip()
    named, valid, port = _parts(url)
    # What stands before an @ or behind ? or # may be a key: an address with one of these is never repeated.
    if named or ("@" in url and not (valid and port)):
        raise InvalidInput(
            sentence("leave the key out of the address; name its environment variable (--api-key-env).")
        )
    if "?" in url or "#" in url:
        raise InvalidInput(
            sentence(
                "remove ? or # and everything after it from the address; set parameters separately "
                "(--query api-version=...)."
            )
        )
    if not valid:
        raise InvalidInput(
            sentence(
                "'{address}' is not a valid address; write one like http://127.0.0.1:8000/v1, starting "
                "with http:// or https://.",
                address=url,
            )
        )
    if not port:
        raise InvalidInput(
            sentence("the port in '{address}' is invalid; ports go from 1 to 65535.", address=url)
        )
    return url.rstrip("/")


def _parts(url: str) -> tuple[bool, bool, bool]:
    """Return whether an address names a user, leads to a host, and to a port that there can be."""
    try:
        parts = urlsplit(url)
    except ValueError:  # half an IPv6 address
        return False, False, False
    valid = parts.scheme in ("http", "https") and bool(parts.hostname)
    try:
        port = parts.port != 0
    except ValueError:
        port = False
    return bool(parts.username or parts.password), valid, port


def _variable(name: str | None) -> str | None:
    if not name:
        return None
    # Not echoed: what is no variable's name is most likely the key itself.
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise InvalidInput(
            sentence("--api-key-env takes the name of an environment variable (OPENAI_API_KEY), not a key.")
        )
    return name


def _key_header(name: str) -> str:
    name = name.strip() or "Authorization"
    if not _HEADER.fullmatch(name):
        raise InvalidInput(
            sentence('the key\'s header must be a name without spaces, such as "Authorization" or "api-key".')
        )
    return name


def _headers(headers: Mapping[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or not str(value).isascii() or not str(value).isprintable():
            raise InvalidInput(
                sentence(
                    "a header needs a name without spaces and a value of plain ASCII characters: NAME=VALUE."
                )
            )
        _refuse_secret(name)
    return {name: str(value) for name, value in headers.items()}


def _query(query: Mapping[str, str]) -> dict[str, str]:
    for name in query:
        _refuse_secret(name)
    return {name: str(value) for name, value in query.items()}


def _refuse_secret(name: str) -> None:
    if _SECRET.search(name):
        raise InvalidInput(
            sentence(
                "'{name}' would carry a key: set it as the key's header (--key-header), and name where "
                "the key is stored (--api-key-env or --keyring).",
                name=name,
            )
        )


def _within(label: str, value: float, low: float, high: float | None = None) -> float:
    if value < low or (high is not None and value > high):
        given = {"name": label, "value": f"{value:g}", "low": f"{low:g}"}
        raise InvalidInput(
            sentence("{name}: {value} is not allowed; enter {low} to {high}.", **given, high=f"{high:g}")
            if high
            else sentence("{name}: {value} is not allowed; enter at least {low}.", **given)
        )
    return value


CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "base_url": _url,
    "api_key_env": _variable,
    "keyring_name": lambda name: (name or "").strip() or None,
    "key_header": _key_header,
    "headers": _headers,
    "query": _query,
    "concurrency": lambda value: _within("concurrency", value, 1, MOST_AT_ONCE),
    "rpm": lambda value: None if value is None else _within("rpm", value, 1),
    "tpm": lambda value: None if value is None else _within("tpm", value, 1),
    "timeout": lambda value: _within("timeout", value, 1),
}
