"""`selftest`: tests on this machine that no rating is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from judgelab.cli import shared
from judgelab.cli.shared import Json

if TYPE_CHECKING:
    from judgelab.selftest.run import SelftestReport


def register(app: typer.Typer) -> None:
    """Add `selftest`."""
    app.command("selftest")(selftest)


def selftest(
    raters: Annotated[int, typer.Option(help="Number of simultaneous raters.")] = 20,
    items: Annotated[int, typer.Option(help="Number of responses; each needs three raters.")] = 200,
    seconds: Annotated[float, typer.Option(help="Duration of the rating, in seconds.")] = 20.0,
    kill: Annotated[
        bool, typer.Option("--kill", help="Kill the app and the worker with -9 halfway through.")
    ] = False,
    pause: Annotated[float, typer.Option(help="Seconds between two ratings of a rater.")] = 0.0,
    url: Annotated[
        str | None, typer.Option(help="An empty PostgreSQL database. Default: a new SQLite file.")
    ] = None,
    processes: Annotated[int, typer.Option(help="App processes, behind a sticky proxy.")] = 1,
    judge: Annotated[bool, typer.Option(help="Run a judge alongside the raters.")] = True,
    as_json: Json = False,
) -> None:
    """Run simulated raters and a judge on a test server, and count what was lost."""
    from judgelab.selftest.run import SelftestPlan, run_selftest

    plan = SelftestPlan(raters, items, seconds, kill, pause, processes, judge)
    report = run_selftest(plan, url=url)
    findings, judged = report.findings, report.judged
    times = (
        "–"
        if report.p50 is None
        else f"p50 {1000 * report.p50:z.0f} ms, p95 {1000 * (report.p95 or 0):z.0f} ms"
    )
    lines = [
        f"{raters} raters on {report.database}, {seconds:g} s{', killed in the middle' if kill else ''}:",
        f"  acknowledged  {findings.acknowledged:,}",
        f"  lost          {findings.lost:,}",
        f"  altered       {findings.altered:,}",
        f"  doubled       {findings.doubled:,}",
        f"  over k        {findings.over_k:,}",
        f"  sent again    {findings.repeated:,}",
        f"  rate to next  {times}, {report.a_second:z.0f} ratings per second",
        *_resource_lines(report),
        *(
            [f"  judged        {judged.judged:,} of {judged.units:,} judgments, {judged.missing:,} missing"]
            if judged is not None
            else []
        ),
        *(f"  refused: {refusal}" for refusal in report.refusals),
        "passed: nothing was lost."
        if report.passed
        else "FAILED: do not trust this installation with raters.",
    ]
    shared.emit(report.to_json(), as_json=as_json, text="\n".join(lines))
    if not report.passed:
        raise typer.Exit(shared.INCOMPLETE)


def _resource_lines(report: SelftestReport) -> list[str]:
    if report.processor_ms is None or report.memory is None:
        return []
    return [f"  the app used  {report.processor_ms:z.1f} ms of CPU time per rating, {report.memory:z.0f} MB"]
