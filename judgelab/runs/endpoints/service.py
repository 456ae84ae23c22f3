"""Endpoints as pages and command line use them: add, list, change, price, give a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.backends import keys
from judgelab.errors import InvalidInput
from judgelab.runs.endpoints.validation import ANY_MODEL, MOST_AT_ONCE, validate, validate_prices
from judgelab.store.db.engine import Store
from judgelab.store.judging import endpoints, judges
from judgelab.store.judging.endpoints import CoolDown, EndpointInfo
from judgelab.store.models.base import now
from judgelab.wording import sentence

__all__ = ["ANY_MODEL", "MOST_AT_ONCE"]


def add_endpoint(
    store: Store,
    name: str,
    *,
    base_url: str,
    api_key_env: str | None = None,
    keyring: bool = False,
    key_header: str = "",
    headers: Mapping[str, str] | None = None,
    query: Mapping[str, str] | None = None,
    concurrency: int = 64,
    rpm: int | None = None,
    tpm: int | None = None,
    timeout: float = 120.0,
) -> EndpointInfo:
    """Store a new endpoint; the key stays in its environment variable or in the system's keyring.

    Args:
        store: the database.
        name: what people call it.
        base_url: its address.
        api_key_env: the environment variable that holds the key.
        keyring: whether the key lies in the keyring, under the endpoint's name (`store_key`).
        key_header: the header that carries the key; "Authorization" (a bearer token) when empty.
        headers: further headers of every call.
        query: parameters of the address of every call.
        concurrency: calls at the same time, over all workers.
        rpm: requests a minute.
        tpm: tokens a minute.
        timeout: seconds a call may take.

    Raises:
        InvalidInput: a value that cannot be taken, or a name that is taken.
    """
    if not name.strip():
        raise InvalidInput(sentence("an endpoint needs a name."))
    given = {
        "base_url": base_url,
        "api_key_env": api_key_env,
        "keyring_name": name if keyring else None,
        "key_header": key_header,
        "headers": headers or {},
        "query": query or {},
        "concurrency": concurrency,
        "rpm": rpm,
        "tpm": tpm,
        "timeout": timeout,
    }
    with store.writing() as session:
        return endpoints.add_endpoint(session, {"name": name.strip(), **validate(given)})


def update_endpoint(store: Store, name: str, **changes: Any) -> EndpointInfo:
    """Change an endpoint: any field of `add_endpoint` but its name, the keyring as `keyring_name`; return it.

    Raises:
        NotFound: no such endpoint.
        InvalidInput: a value that cannot be taken.
    """
    with store.writing() as session:
        return endpoints.update_endpoint(session, name, validate(changes))


def remove_endpoint(store: Store, name: str) -> bool:
    """Delete an endpoint of which nothing was asked; return whether this machine's keyring held its key.

    A key that another endpoint takes from the same place stays.

    Raises:
        NotFound: no such endpoint.
        InvalidInput: something was asked of it, so that figures must be able to name it.
    """
    with store.writing() as session:
        place = endpoints.find_endpoint(session, name).keyring_name
        endpoints.remove_endpoint(session, name)
        others = {endpoint.keyring_name for endpoint in endpoints.list_endpoints(session)}
    return bool(place) and place not in others and keys.delete_from_keyring(str(place))


def find_endpoint(store: Store, name: str) -> EndpointInfo:
    """Return the endpoint named `name`; raises `NotFound` with the known ones."""
    with store.reading() as session:
        return endpoints.find_endpoint(session, name)


def list_endpoints(store: Store) -> list[EndpointInfo]:
    """Return all endpoints by name."""
    with store.reading() as session:
        return endpoints.list_endpoints(session)


def named_endpoints(store: Store) -> set[int]:
    """Return the row ids of endpoints that can no longer be removed, since figures name them."""
    with store.reading() as session:
        return endpoints.endpoints_in_use(session)


def models_used(store: Store, endpoint_id: int) -> list[str]:
    """Return the models that judges asked the endpoint for."""
    with store.reading() as session:
        return judges.models_used(session, endpoint_id)


def store_key(store: Store, name: str, key: str) -> EndpointInfo:
    """Put an endpoint's key into the system's keyring, where it is looked for from now on.

    Raises:
        NotFound: no such endpoint.
        InvalidInput: the key is empty, or the machine has no keyring that can be opened.
    """
    place = find_endpoint(store, name).keyring_name or name
    keys.write_keyring(place, key)
    return update_endpoint(store, name, keyring_name=place)


def has_key(endpoint: EndpointInfo) -> bool:
    """Return whether this process finds the endpoint's key; True for one that needs none."""
    return keys.has_key(api_key_env=endpoint.api_key_env, keyring_name=endpoint.keyring_name)


def current_cool_downs(store: Store) -> dict[int, CoolDown]:
    """Return the cool-down of each endpoint that has one, by the endpoint's row id."""
    with store.reading() as session:
        return {key: rest for key, rest in endpoints.cool_downs(session).items() if rest.until > now()}


def set_price(
    store: Store,
    name: str,
    model: str,
    *,
    prompt: float,
    completion: float,
    cached: float | None = None,
    batch: float | None = None,
) -> None:
    """Note what a model costs in US dollars per million tokens; "*" stands for all models.

    `cached` is the price of input that the endpoint had in its cache; without it such input costs as other.
    `batch` is the share of all these prices that a call in a batch costs, 0.5 for half.
    """
    given = {model: {"prompt": prompt, "completion": completion, "cached": cached, "batch": batch}}
    with store.writing() as session:
        for model_name, price in validate_prices(given).items():
            endpoints.set_price(session, name, model_name, price)


def set_prices(store: Store, name: str, prices: Mapping[str, Mapping[str, float | None]]) -> None:
    """Replace an endpoint's table of prices, by model; raises `InvalidInput` for one that is no price."""
    table = validate_prices(prices)
    with store.writing() as session:
        endpoints.set_prices(session, name, table)
