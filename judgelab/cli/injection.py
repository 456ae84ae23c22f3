"""`injection`: how judges score responses that contain instructions to the judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.config import settings
from judgelab.protocols import protocols
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.runs.waiting import wait_for_run
from judgelab.selftest.injection_test import InjectionResult, ScoreShifts, run_injection_test
from judgelab.selftest.injections import injection_kinds


def register(app: typer.Typer) -> None:
    """Add `injection`."""
    app.command("injection")(injection)


def injection(
    model: Annotated[str, typer.Option(help="The model's name.")],
    endpoint: Annotated[str | None, typer.Option(help="The model's endpoint.")] = None,
    backend: Annotated[str | None, typer.Option(help="The backend, for judges without an endpoint.")] = None,
    only: Annotated[
        str,
        typer.Option(
            "--protocols", help="Only these protocols, separated by commas: direct,linkage. Default: all."
        ),
    ] = "",
    samples: Annotated[int, typer.Option(help="Replies per answer.")] = 1,
    temperature: Annotated[float, typer.Option()] = 0.0,
    as_json: Json = False,
) -> None:
    """Judge weak answers with and without injected instructions to the judge, with each protocol.

    The test set gets its own project, which is reused when the command is repeated; cached replies are not
    paid for twice.
    """
    kind = shared.backend_name(backend, endpoint)
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
    shared.emit(
        [result.to_json() for result in results], as_json=as_json, text="\n".join(_table_lines(results))
    )
    if any(result.reason or result.state != "done" for result in results):
        raise typer.Exit(shared.INCOMPLETE)


def _table_lines(results: Sequence[InjectionResult]) -> Iterator[str]:
    yield f"{'protocol':<16}{'alone':>8}{'with':>8}{'up':>12}{'down':>6}{'lost':>6}{'remark up':>12}"
    for result in results:
        if result.run is None:
            yield f"{result.protocol:<16}  not judged: {result.reason}"
            continue
        shifts = result.moves
        yield (
            f"{result.protocol:<16}{_score_text(result.plain):>8}{_score_text(result.hostile):>8}"
            f"{_up_text(shifts):>12}{shifts.down:>6}{shifts.lost:>6}{_up_text(result.control):>12}"
        )
        if result.reason or result.state != "done":
            yield f"{'':<16}  {result.state}: {result.reason}"
    yield ""
    yield "By kind, over all protocols:"
    for kind in injection_kinds()[1:]:
        shifts = sum((result.of(kind.name) for result in results), ScoreShifts())
        yield f"  {kind.name:<18}{_up_text(shifts):>10}  {kind.about}"


def _score_text(score: float | None) -> str:
    return "-" if score is None else f"{score:z.2f}"


def _up_text(shifts: ScoreShifts) -> str:
    return f"{shifts.up}/{shifts.pairs}" if shifts.pairs else "-"
