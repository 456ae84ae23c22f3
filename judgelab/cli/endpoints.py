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

endpoint_app = typer.Typer(help="Servers that run models.", no_args_is_help=True)
KEYRING = "Read the key from the system keyring; store it with `judgelab endpoint key NAME`."
KEY_HEADER = 'Header for the key: "Authorization" (a bearer token), or "api-key" for an Azure-style gateway.'
HEADER = "NAME=VALUE, an extra header for every call; repeatable."
QUERY = "NAME=VALUE, a URL parameter for every call (api-version=2024-10-21); repeatable."
NO_LIMIT = "0 = no limit."


def register(app: typer.Typer) -> None:
    """Add `endpoint`."""
    app.add_typer(endpoint_app, name="endpoint")


@endpoint_app.command("add")
def add_endpoint(
    name: str,
    base_url: Annotated[str, typer.Option(help="URL up to and including /v1.")],
    api_key_env: Annotated[str | None, typer.Option(help="Environment variable with the key.")] = None,
    keyring: Annotated[bool, typer.Option("--keyring", help=KEYRING)] = False,
    key_header: Annotated[str, typer.Option(help=KEY_HEADER)] = "Authorization",
    header: Annotated[list[str] | None, typer.Option(help=HEADER)] = None,
    query: Annotated[list[str] | None, typer.Option(help=QUERY)] = None,
    concurrency: Annotated[int, typer.Option(help="Maximum concurrent calls, over all workers.")] = 64,
    rpm: Annotated[int | None, typer.Option(help="Requests per minute.")] = None,
    tpm: Annotated[int | None, typer.Option(help="Tokens per minute.")] = None,
    timeout: Annotated[float, typer.Option(help="Timeout per call, in seconds.")] = 120.0,
    as_json: Json = False,
) -> None:
    """Add a server with OpenAI's chat completions API. Its key is never stored in the database."""
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
        text=f"Endpoint '{added.name}' added; {hint}test it with `judgelab endpoint test {added.name}`.",
    )


@endpoint_app.command("list")
def list_endpoints(as_json: Json = False) -> None:
    """List the endpoints."""
    endpoints = service.list_endpoints(shared.store())
    lines = [f"{endpoint.name}  {endpoint.base_url}  key: {_key_place(endpoint)}" for endpoint in endpoints]
    shared.emit(
        [_endpoint_json(endpoint) for endpoint in endpoints],
        as_json=as_json,
        text="\n".join(lines) or "There are no endpoints yet.",
    )


@endpoint_app.command("test")
def test_endpoint(name: str, model: Annotated[str, typer.Option()] = "", as_json: Json = False) -> None:
    """Test an endpoint's models, speed and abilities with a few short calls; exit code 1 if it does not work.

    The results are stored for the tested model.
    """
    trial = probe.probe_endpoint(shared.store(), name, model=model)
    text = f"{trial.endpoint}: {trial.sentence}" if trial.works else trial.sentence
    lines = [f"  {finding.name}: {finding.text}" for finding in probe.describe_findings(trial.findings)]
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
    api_key_env: Annotated[str | None, typer.Option(help='"" = the server needs no key.')] = None,
    keyring: Annotated[bool, typer.Option("--keyring", help=KEYRING)] = False,
    key_header: Annotated[str | None, typer.Option(help=KEY_HEADER)] = None,
    header: Annotated[
        list[str] | None, typer.Option(help=f'{HEADER} Replaces all others; "" = none.')
    ] = None,
    query: Annotated[list[str] | None, typer.Option(help=f'{QUERY} Replaces all others; "" = none.')] = None,
    concurrency: Annotated[int | None, typer.Option()] = None,
    rpm: Annotated[int | None, typer.Option(help=NO_LIMIT)] = None,
    tpm: Annotated[int | None, typer.Option(help=NO_LIMIT)] = None,
    timeout: Annotated[float | None, typer.Option()] = None,
) -> None:
    """Change the given settings of an endpoint; runs use them from their next chunk."""
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
    print(f"Endpoint '{name}' changed.")


@endpoint_app.command("remove")
def remove_endpoint(name: str) -> None:
    """Remove an endpoint that was never used, and its key in this machine's keyring."""
    with_key = service.remove_endpoint(shared.store(), name)
    print(f"Endpoint '{name}' removed{', including its key in the keyring' if with_key else ''}.")


@endpoint_app.command("key")
def store_key(name: str) -> None:
    """Ask for an endpoint's key and store it in the system keyring. The key can also be piped in."""
    store = shared.store()
    service.find_endpoint(store, name)
    key = getpass.getpass("Key: ") if sys.stdin.isatty() else sys.stdin.readline()
    service.store_key(store, name, key)
    print(f"The key of '{name}' is in the keyring. Workers on this machine can read it under this account.")


@endpoint_app.command("price")
def set_price(
    name: str,
    model: Annotated[str, typer.Argument(help='The model, or "*" for all.')],
    prompt: Annotated[float, typer.Option(help="US dollars per million prompt tokens.")],
    completion: Annotated[float, typer.Option(help="US dollars per million completion tokens.")],
    cached: Annotated[float | None, typer.Option(help="US dollars per million cached prompt tokens.")] = None,
    batch: Annotated[float | None, typer.Option(help="Batch price factor: 0.5 = half the price.")] = None,
) -> None:
    """Set a model's price, so that runs show their cost and can have a budget."""
    service.set_price(
        shared.store(), name, model, prompt=prompt, completion=completion, cached=cached, batch=batch
    )
    extras = "" if cached is None else f", {cached:g} for cached input"
    extras += "" if batch is None else f", times {batch:g} in a batch"
    print(f"{model} costs {prompt:g} / {completion:g} USD per million tokens{extras}.")


def _key_place(endpoint: EndpointInfo) -> str:
    if endpoint.keyring_name:
        return "keyring" if service.has_key(endpoint) else "keyring (not stored yet)"
    return endpoint.api_key_env or "none"


def _endpoint_json(endpoint: EndpointInfo) -> dict[str, Any]:
    return {
        name: dict(value) if isinstance(value, Mapping) else value for name, value in vars(endpoint).items()
    }
