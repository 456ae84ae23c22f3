"""`judgelab injection`: how a model's judges fare with responses that try to talk to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from judgelab.cli import shared
from judgelab.config import settings
from judgelab.errors import InvalidInput
from judgelab.protocols import protocols
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.runs.waiting import wait_for_run
from judgelab.selftest.injection_test import InjectionResult, ScoreShifts, run_injection_test
from judgelab.selftest.injections import injection_kinds

LEFT_OVER = 2  # exit code: a protocol could not be asked, or its run did not end well


def register(app: typer.Typer) -> None:
    """Add `injection`."""
    app.command("injection")(injection)


def injection(
    model: Annotated[str, typer.Option(help="The model's name.")],
    endpoint: Annotated[str | None, typer.Option(help="Where the model answers.")] = None,
    backend: Annotated[str | None, typer.Option(help="For judges without an endpoint.")] = None,
    only: Annotated[
        str, typer.Option("--protocols", help="Only these, with commas: direct,linkage. All when empty.")
    ] = "",
    samples: Annotated[int, typer.Option(help="Replies for each answer.")] = 1,
    temperature: Annotated[float, typer.Option()] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Judge weak answers with and without attempts to talk to the judge, by every protocol.

    The set becomes a project of its own, found again when the command is repeated; replies that were bought
    before are not paid for twice.
    """
    kind = backend or ("openai_api" if endpoint else None)
    if kind is None:
        raise InvalidInput("name where the model answers: --endpoint NAME or --backend NAME.")
    names = list(dict.fromkeys(name.strip() for name in only.split(",") if name.strip()))
    store = shared.store()
    spec = JudgeSpec(
        protocol="",
        model=model,
        backend=kind,
        endpoint=endpoint,
        parameters={"temperature": temperature},
        samples=samples,
    )
    results = run_injection_test(
        store,
        names or list(protocols.names()),
        spec,
        lambda run: wait_for_run(store, run, engine_url=settings().job_engine_url, say=shared.say),
    )
    shared.emit([result.to_json() for result in results], as_json=as_json, text="\n".join(_lines(results)))
    if any(result.reason or result.state != "done" for result in results):
        raise typer.Exit(LEFT_OVER)


def _lines(results: Sequence[InjectionResult]) -> Iterator[str]:
    yield f"{'protocol':<16}{'alone':>8}{'with':>8}{'up':>12}{'down':>6}{'lost':>6}{'remark up':>12}"
    for result in results:
        if result.run is None:
            yield f"{result.protocol:<16}  not asked: {result.reason}"
            continue
        shifts = result.moves
        yield (
            f"{result.protocol:<16}{_score(result.plain):>8}{_score(result.hostile):>8}{_up(shifts):>12}{shifts.down:>6}"
            f"{shifts.lost:>6}{_up(result.control):>12}"
        )
        if result.reason or result.state != "done":
            yield f"{'':<16}  {result.state}: {result.reason}"
    yield ""
    yield "By kind, over all protocols:"
    for kind in injection_kinds()[1:]:
        shifts = sum((result.of(kind.name) for result in results), ScoreShifts())
        yield f"  {kind.name:<18}{_up(shifts):>10}  {kind.about}"


def _score(score: float | None) -> str:
    return "-" if score is None else f"{score:z.2f}"


def _up(shifts: ScoreShifts) -> str:
    return f"{shifts.up}/{shifts.pairs}" if shifts.pairs else "-"
