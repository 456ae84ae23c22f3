"""`judgelab prepare PROJECT references --option kind=best`: the best answer as reference, for metrics."""

from __future__ import annotations

from judgelab.options import Option
from judgelab.preparation.best_references import best_references
from judgelab.preparation.step import PreparationStep, StepReport, StepWork, steps
from judgelab.wording import counted, mark, sentence


class FindBestReferences(PreparationStep):
    """One reference an item, where it has none: the best-rated of its responses."""

    summary = mark("Uses the best-rated response as reference for each item without one.")
    writes = False
    options = (
        Option(
            "choose",
            "choice",
            "first",
            ("first", "drawn"),
            mark("If several are best: the first imported, or one drawn at random."),
        ),
        Option("seed", "int", 0, help=mark("Random seed for the draws.")),
        Option(
            "criterion", "text", "", help=mark("Criterion whose ratings are the grades; the first if empty.")
        ),
    )

    def run(self, work: StepWork) -> StepReport:
        """Store the references."""
        report = best_references(
            work.store,
            work.slug,
            choose=work.options["choose"],
            seed=work.options["seed"],
            criterion=work.options["criterion"],
        )
        lines: list[str] = [
            counted(
                "{n} response became the reference of its item; {had_one}",
                "{n} responses became the references of their items; {had_one}",
                report.stored,
                had_one=counted("{n} item already had one", "{n} items already had one", report.had_one),
            )
        ]
        if report.unrated:
            lines.append(sentence("items without a rated response: {items}", items=report.unrated))
        return StepReport(lines, report._asdict(), report.unrated)


steps.register("references.best")(FindBestReferences())
