"""`judgelab prepare PROJECT references --option kind=generated`: a reference where an item has none."""

from __future__ import annotations

from judgelab.options import Option
from judgelab.preparation.step import PreparationStep, StepReport, StepWork, steps
from judgelab.preparation.written_references import SENTENCES, write_references
from judgelab.wording import counted, mark, sentence


class WriteReferences(PreparationStep):
    """One written reference an item, stored with who wrote it."""

    summary = mark("Uses a model to write a reference for each item that has none.")
    options = (SENTENCES, Option("group", "text", "", help=mark("Only items in this group.")))

    def run(self, work: StepWork) -> StepReport:
        """Write them."""
        report = write_references(
            work.store,
            work.slug,
            work.writer,
            sentences=work.options["sentences"],
            group=work.options["group"],
            progress=work.progress,
        )
        lines: list[str] = [
            counted(
                "{n} reference written; {had_one}",
                "{n} references written; {had_one}",
                report.written,
                had_one=counted("{n} item already had one", "{n} items already had one", report.had_one),
            ),
            *report.generation.broke_off(),
            *(
                sentence("{item}: {problem}", item=item, problem=problem)
                for item, problem in report.problems.items()
            ),
        ]
        return StepReport(lines, report.to_json(), len(report.problems) + report.generation.unasked)


steps.register("references.generated")(WriteReferences())
