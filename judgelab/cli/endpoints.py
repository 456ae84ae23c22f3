"""Commands about endpoints: where models answer."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from judgelab.cli import shared
from judgelab.runs import endpoints
from judgelab.store.endpoints import EndpointInfo

endpoint_app = typer.Typer(help="Where models answer.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Add `endpoint`."""
    app.add_typer(endpoint_app, name="endpoint")


@endpoint_app.command("add")
def add_endpoint(
    name: str,
    base_url: Annotated[str, typer.Option(help="Address up to and including /v1.")],
    api_key_env: Annotated[str | None, typer.Option(help="Environment variable that holds the key.")] = None,
    concurrency: Annotated[int, typer.Option(help="Calls at the same time, over all workers.")] = 64,
    rpm: Annotated[int | None, typer.Option(help="Requests a minute.")] = None,
    tpm: Annotated[int | None, typer.Option(help="Tokens a minute.")] = None,
    timeout: Annotated[float, typer.Option(help="Seconds one call may take.")] = 120.0,
    as_json: Json = False,
) -> None:
    """Add a server that speaks OpenAI's chat completions; the key is named, never stored."""
    added = endpoints.add_endpoint(
        shared.store(),
        name,
        base_url=base_url,
        api_key_env=api_key_env,
        concurrency=concurrency,
        rpm=rpm,
        tpm=tpm,
        timeout=timeout,
    )
    shared.emit(
        _endpoint_json(added),
        as_json=as_json,
        text=f"Endpoint '{added.name}' is added; try it with `judgelab endpoint test {added.name}`.",
    )


@endpoint_app.command("list")
def show_endpoints(as_json: Json = False) -> None:
    """List the endpoints."""
    found = endpoints.list_endpoints(shared.store())
    lines = [f"{e.name}  {e.base_url}  key: {e.api_key_env or 'none'}" for e in found]
    shared.emit(
        [_endpoint_json(e) for e in found],
        as_json=as_json,
        text="\n".join(lines) or "There is no endpoint yet.",
    )


@endpoint_app.command("test")
def test_endpoint(name: str, model: Annotated[str, typer.Option()] = "", as_json: Json = False) -> None:
    """Ask an endpoint for its models and for one short reply; exit 1 when it does not work."""
    trial = endpoints.try_endpoint(shared.store(), name, model=model)
    text = f"{trial.endpoint}: {trial.sentence}" if trial.works else trial.sentence
    data = {**vars(trial), "models": list(trial.models)}
    shared.emit(data, as_json=as_json, text="\n".join([text, *(f"  {m}" for m in trial.models)]))
    if not trial.works:
        raise typer.Exit(1)


@endpoint_app.command("change")
def change_endpoint(
    name: str,
    base_url: Annotated[str | None, typer.Option()] = None,
    api_key_env: Annotated[str | None, typer.Option()] = None,
    concurrency: Annotated[int | None, typer.Option()] = None,
    rpm: Annotated[int | None, typer.Option()] = None,
    tpm: Annotated[int | None, typer.Option()] = None,
    timeout: Annotated[float | None, typer.Option()] = None,
) -> None:
    """Change what is given; runs take it up with their next portion."""
    given = {
        "base_url": base_url,
        "api_key_env": api_key_env,
        "concurrency": concurrency,
        "rpm": rpm,
        "tpm": tpm,
        "timeout": timeout,
    }
    changes = {key: value for key, value in given.items() if value is not None}
    endpoints.update_endpoint(shared.store(), name, **changes)
    print(f"Endpoint '{name}' is changed.")


@endpoint_app.command("price")
def price_endpoint(
    name: str,
    model: Annotated[str, typer.Argument(help='The model, or "*" for all.')],
    prompt: Annotated[float, typer.Option(help="US dollars per million prompt tokens.")],
    completion: Annotated[float, typer.Option(help="US dollars per million completion tokens.")],
) -> None:
    """Note what a model costs, so that runs show their cost and can have a budget."""
    endpoints.set_price(shared.store(), name, model, prompt=prompt, completion=completion)
    print(f"{model} costs {prompt:g} / {completion:g} USD per million tokens.")


def _endpoint_json(endpoint: EndpointInfo) -> dict[str, Any]:
    return {**vars(endpoint), "prices": dict(endpoint.prices), "learnt": dict(endpoint.learnt)}
