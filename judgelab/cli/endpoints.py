"""`endpoint`: the servers that models answer at, their limits, keys and prices."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.runs.endpoints import probe, service
from judgelab.runs.endpoints.validation import parse_pairs
from judgelab.store.judging.endpoints import EndpointInfo

endpoint_app = typer.Typer(help="Where models answer.", no_args_is_help=True)
KEYRING = "Take the key from the system's keyring; `judgelab endpoint key NAME` puts it there."
KEY_HEADER = 'Header of the key: "Authorization" (a bearer token), or "api-key" for an Azure-style gateway.'
HEADER = "NAME=VALUE, a further header of every call; may be repeated."
QUERY = "NAME=VALUE, a parameter of every address (api-version=2024-10-21); may be repeated."
NO_LIMIT = "0 = no limit."


def register(app: typer.Typer) -> None:
    """Add `endpoint`."""
    app.add_typer(endpoint_app, name="endpoint")


@endpoint_app.command("add")
def add_endpoint(
    name: str,
    base_url: Annotated[str, typer.Option(help="Address up to and including /v1.")],
    api_key_env: Annotated[str | None, typer.Option(help="Environment variable that holds the key.")] = None,
    keyring: Annotated[bool, typer.Option("--keyring", help=KEYRING)] = False,
    key_header: Annotated[str, typer.Option(help=KEY_HEADER)] = "Authorization",
    header: Annotated[list[str] | None, typer.Option(help=HEADER)] = None,
    query: Annotated[list[str] | None, typer.Option(help=QUERY)] = None,
    concurrency: Annotated[int, typer.Option(help="Calls at the same time, over all workers.")] = 64,
    rpm: Annotated[int | None, typer.Option(help="Requests a minute.")] = None,
    tpm: Annotated[int | None, typer.Option(help="Tokens a minute.")] = None,
    timeout: Annotated[float, typer.Option(help="Seconds one call may take.")] = 120.0,
    as_json: Json = False,
) -> None:
    """Add a server that speaks OpenAI's chat completions; the key is named, never stored."""
    added = service.add_endpoint(
        shared.store(),
        name,
        base_url=base_url,
        api_key_env=api_key_env,
        keyring=keyring,
        key_header=key_header,
        headers=parse_pairs(header or []),
        query=parse_pairs(query or []),
        concurrency=concurrency,
        rpm=rpm or None,
        tpm=tpm or None,
        timeout=timeout,
    )
    missing = keyring and not service.has_key(added)
    hint = f"store its key with `judgelab endpoint key {added.name}`, then " if missing else ""
    shared.emit(
        _endpoint_json(added),
        as_json=as_json,
        text=f"Endpoint '{added.name}' is added; {hint}try it with `judgelab endpoint test {added.name}`.",
    )


@endpoint_app.command("list")
def list_endpoints(as_json: Json = False) -> None:
    """List the endpoints."""
    endpoints = service.list_endpoints(shared.store())
    lines = [f"{endpoint.name}  {endpoint.base_url}  key: {_key_place(endpoint)}" for endpoint in endpoints]
    shared.emit(
        [_endpoint_json(endpoint) for endpoint in endpoints],
        as_json=as_json,
        text="\n".join(lines) or "There is no endpoint yet.",
    )


@endpoint_app.command("test")
def test_endpoint(name: str, model: Annotated[str, typer.Option()] = "", as_json: Json = False) -> None:
    """Find out models, speed and abilities of an endpoint by a few short calls; exit 1 when it does not work.

    What is found is remembered for the model that was asked.
    """
    trial = probe.probe_endpoint(shared.store(), name, model=model)
    text = f"{trial.endpoint}: {trial.sentence}" if trial.works else trial.sentence
    lines = [f"  {finding.name}: {finding.said}" for finding in probe.describe_findings(trial.findings)]
    data = {**vars(trial), "models": list(trial.models), "findings": dict(trial.findings)}
    models = [f"  {model}" for model in trial.models]
    model_lines = ["Models:", *models] if models else []
    shared.emit(data, as_json=as_json, text="\n".join([text, *lines, *model_lines]))
    if not trial.works:
        raise typer.Exit(1)


@endpoint_app.command("set")
def change_endpoint(
    name: str,
    base_url: Annotated[str | None, typer.Option()] = None,
    api_key_env: Annotated[str | None, typer.Option(help='"" = the server wants no key.')] = None,
    keyring: Annotated[bool, typer.Option("--keyring", help=KEYRING)] = False,
    key_header: Annotated[str | None, typer.Option(help=KEY_HEADER)] = None,
    header: Annotated[list[str] | None, typer.Option(help=f'{HEADER} Replaces all; "" = none.')] = None,
    query: Annotated[list[str] | None, typer.Option(help=f'{QUERY} Replaces all; "" = none.')] = None,
    concurrency: Annotated[int | None, typer.Option()] = None,
    rpm: Annotated[int | None, typer.Option(help=NO_LIMIT)] = None,
    tpm: Annotated[int | None, typer.Option(help=NO_LIMIT)] = None,
    timeout: Annotated[float | None, typer.Option()] = None,
) -> None:
    """Change what is given; runs take it up with their next portion."""
    given = {
        "base_url": base_url,
        "key_header": key_header,
        "headers": None if header is None else parse_pairs(header),
        "query": None if query is None else parse_pairs(query),
        "concurrency": concurrency,
        "timeout": timeout,
    }
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    changes |= {key: limit or None for key, limit in (("rpm", rpm), ("tpm", tpm)) if limit is not None}
    if api_key_env is not None:
        changes |= {"api_key_env": api_key_env, "keyring_name": None}
    if keyring:
        changes["keyring_name"] = name
    service.update_endpoint(shared.store(), name, **changes)
    print(f"Endpoint '{name}' is changed.")


@endpoint_app.command("remove")
def remove_endpoint(name: str) -> None:
    """Remove an endpoint of which nothing was asked, and its key from this machine's keyring."""
    with_key = service.remove_endpoint(shared.store(), name)
    print(f"Endpoint '{name}' is removed{', and its key from the keyring' if with_key else ''}.")


@endpoint_app.command("key")
def store_key(name: str) -> None:
    """Ask for an endpoint's key and put it into the system's keyring; a pipe may bring it too."""
    store = shared.store()
    service.find_endpoint(store, name)
    key = getpass.getpass("Key: ") if sys.stdin.isatty() else sys.stdin.readline()
    service.store_key(store, name, key)
    print(f"The key of '{name}' is in the keyring; workers on this machine and account find it there.")


@endpoint_app.command("price")
def set_price(
    name: str,
    model: Annotated[str, typer.Argument(help='The model, or "*" for all.')],
    prompt: Annotated[float, typer.Option(help="US dollars per million prompt tokens.")],
    completion: Annotated[float, typer.Option(help="US dollars per million completion tokens.")],
    cached: Annotated[float | None, typer.Option(help="The same for cached input.")] = None,
    batch: Annotated[float | None, typer.Option(help="Share of it that batches cost: 0.5 = half.")] = None,
) -> None:
    """Note what a model costs, so that runs show their cost and can have a budget."""
    service.set_price(
        shared.store(), name, model, prompt=prompt, completion=completion, cached=cached, batch=batch
    )
    extras = "" if cached is None else f", {cached:g} for cached input"
    extras += "" if batch is None else f", {batch:g} of it in a batch"
    print(f"{model} costs {prompt:g} / {completion:g} USD per million tokens{extras}.")


def _key_place(endpoint: EndpointInfo) -> str:
    if endpoint.keyring_name:
        return "keyring" if service.has_key(endpoint) else "keyring (not there yet)"
    return endpoint.api_key_env or "none"


def _endpoint_json(endpoint: EndpointInfo) -> dict[str, Any]:
    return {
        name: dict(value) if isinstance(value, Mapping) else value for name, value in vars(endpoint).items()
    }
