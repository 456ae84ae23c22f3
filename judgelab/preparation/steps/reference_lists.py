"""`judgelab prepare PROJECT references`: lists of references of falling quality, one a question and draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.options import Option
from judgelab.preparation.generation.generate import WriterModel
from judgelab.preparation.lists.grades import project_grades
from judgelab.preparation.lists.plan import NAME, ListPlan, ListsReport
from judgelab.preparation.lists.reference_lists import make_lists
from judgelab.preparation.step import PreparationStep, StepReport, StepWork, steps
from judgelab.wording import counted, mark, sentence

MOST_DRAWS = 100


class MakeReferenceLists(PreparationStep):
    """Lists drawn from graded responses, or written by models from one reference answer or none."""

    summary = mark("Creates a list of references of decreasing quality for each item.")
    parameters = {"temperature": 0.8}
    options = (
        Option(
            "source",
            "choice",
            "graded",
            ("graded", "one_gold", "no_gold"),
            mark(
                "Source of the lists: drawn from graded responses, or written by models from one "
                "reference answer or none."
            ),
        ),
        Option("name", "text", NAME, help=mark("Name by which judges refer to these lists.")),
        Option(
            "pattern",
            "text",
            "",
            help=mark(
                "Requested grades, best first, counted from 0 for the lowest: 3210, 33221100. If empty, one "
                "of each grade of the references or of the criterion's scale; 3210 in LINKAGE, with more "
                "than ten grades, or if models write the lists."
            ),
        ),
        Option("draw", "text", "1", help=mark("Draws to create: 2, 1-3 or 1,3.")),
        Option("seed", "int", 0, help=mark("Random seed for the draws.")),
        Option(
            "criterion", "text", "", help=mark("Criterion whose ratings are the grades; the first if empty.")
        ),
        Option(
            "texts",
            "choice",
            "auto",
            ("auto", "responses", "references"),
            mark("Source of the draws: rated responses, or graded references."),
        ),
        Option(
            "lower",
            "text",
            "",
            help=mark(
                "Models that write the worse answers, as NAME or NAME@ENDPOINT, separated by commas; if "
                "empty, the same model."
            ),
        ),
        Option("anew", "bool", False, help=mark("Replace existing lists.")),
    )

    def run(self, work: StepWork) -> StepReport:
        """Make the lists."""
        options = dict(work.options)
        if not options["pattern"]:
            grades = project_grades(
                work.store,
                work.slug,
                source=options["source"],
                texts=options["texts"],
                criterion=options["criterion"],
            )
            options["pattern"] = grades.patterns[0]
        reports = make_lists(work.store, work.slug, plan_of(options, work.writer), progress=work.progress)
        data = {"lists": [report.to_json() for report in reports]}
        missing = sum(sum(report.skipped.values()) for report in reports)
        return StepReport([line for report in reports for line in report_lines(report)], data, missing)


def plan_of(options: Mapping[str, Any], writer: WriterModel) -> ListPlan:
    """Return what the settled options ask for; raises `InvalidInput` for draws that are none."""
    return ListPlan(
        source=options["source"],
        name=options["name"],
        pattern=options["pattern"],
        draws=read_draws(options["draw"]),
        seed=options["seed"],
        criterion=options["criterion"],
        texts=options["texts"],
        writer=writer,
        lower=lower_writers(options["lower"], writer),
        anew=options["anew"],
    )


def read_draws(text: str) -> tuple[int, ...]:
    """Return the draws that "2", "1-3" or "1,3" name.

    Raises:
        InvalidInput: it names none, or far too many.
    """
    draws: list[int] = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        first, dash, last = (piece.strip() for piece in part.partition("-"))
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise InvalidInput(
                sentence("can't read the draws '{text}'; write 2, 1-3 or 1,3.", text=text[:40])
            )
        draws += range(int(first), min(int(last or first), MOST_DRAWS) + 1)
    if not draws or len(draws) > MOST_DRAWS:
        raise InvalidInput(sentence("can't read the draws '{text}'; write 2, 1-3 or 1,3.", text=text[:40]))
    return tuple(dict.fromkeys(draws))


def lower_writers(text: str, writer: WriterModel) -> tuple[WriterModel, ...]:
    """Return the models that "a,b@endpoint" names, called with the settings of `writer`."""
    writers = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        model, _, endpoint = part.rpartition("@") if "@" in part else (part, "", "")
        writers.append(WriterModel(model, writer.backend, endpoint or writer.endpoint, writer.parameters))
    return tuple(writers)


def report_lines(report: ListsReport) -> list[str]:
    """Return the report on one draw in sentences."""
    lines: list[str] = [
        counted(
            "{name}, draw {draw}: {n} list created, {complete} with all requested grades",
            "{name}, draw {draw}: {n} lists created, {complete} with all requested grades",
            report.lists,
            name=report.name,
            draw=str(report.draw),
            complete=report.complete,
        )
    ]
    if report.there:
        lines.append(counted("{n} item already had a list", "{n} items already had lists", report.there))
    lines += [
        counted(
            "grade {grade} was missing {n} time", "grade {grade} was missing {n} times", count, grade=grade
        )
        for grade, count in sorted(report.missing.items(), reverse=True)
    ]
    lines += [
        counted("{n} item without a list: {reason}", "{n} items without a list: {reason}", count, reason=why)
        for why, count in report.skipped.items()
    ]
    if report.reserved:
        lines.append(
            counted(
                "{n} response is in a list and is not judged with it",
                "{n} responses are in the lists and are not judged with them",
                report.reserved,
            )
        )
    if report.undefined:
        lines.append(
            counted(
                "{n} item has fewer than two responses left, so no order can be computed",
                "{n} items have fewer than two responses left, so no order can be computed",
                report.undefined,
            )
        )
    if report.bill.calls or report.bill.reused:
        lines.append(_bill(report))
    if report.bill.stopped:
        lines.append(sentence("stopped early: {reason}", reason=report.bill.stopped))
    return lines


def _bill(report: ListsReport) -> str:
    bill = report.bill
    calls = counted("{n} call", "{n} calls", bill.calls)
    reused = counted("{n} cached reply", "{n} cached replies", bill.reused)
    if bill.cost is None:
        return sentence(
            "{calls}, {reused}; the cost is unknown, because no price is set", calls=calls, reused=reused
        )
    return sentence("{calls}, {reused}, {cost} USD", calls=calls, reused=reused, cost=f"{bill.cost:.4f}")


steps.register("references")(MakeReferenceLists())
