"""`judgelab prepare PROJECT tags`: a model proposes why a judge and the raters differ."""

from __future__ import annotations

from judgelab.errors import InternalError, InvalidInput
from judgelab.options import Option
from judgelab.preparation.step import PreparationStep, StepReport, StepWork, steps
from judgelab.preparation.tag_proposals import ask_for_tags
from judgelab.wording import counted, mark, sentence


class ProposeTags(PreparationStep):
    """Proposals; they count for nothing until a person accepts them on the page Explain."""

    summary = mark(
        "Uses a model to propose why a judge and the raters differ; a person accepts or dismisses each "
        "proposal."
    )
    options = (
        Option(
            "judge", "text", "", help=mark("Judge or metric whose differences from the raters are examined.")
        ),
        Option("criterion", "text", "", help=mark("Criterion; the first if empty.")),
        Option("limit", "int", 0, help=mark("Maximum number of differences, largest first; 0 for all.")),
    )

    def run(self, work: StepWork) -> StepReport:
        """Ask and keep the proposals."""
        if not work.options["judge"]:
            raise InvalidInput(
                sentence("option {name} is required; set it with --option {name}=VALUE.", name="judge")
            )
        if work.differences is None:
            raise InternalError("tags need what takes the differences from people")
        judge, criterion = work.options["judge"], work.options["criterion"]
        report = ask_for_tags(
            work.store,
            work.slug,
            judge,
            work.differences(work.store, work.slug, judge, criterion),
            work.writer,
            limit=max(0, work.options["limit"]),
            progress=work.progress,
        )
        lines: list[str] = [
            counted(
                "{n} tag proposed for {differences} of {judge}; accept it on the Explain page",
                "{n} tags proposed for {differences} of {judge}; accept them on the Explain page",
                report.proposed,
                differences=counted("{n} difference", "{n} differences", report.disagreements),
                judge=report.judge,
            )
        ]
        if report.without_mode:
            lines.append(
                counted(
                    "{n} reply says that no failure mode fits",
                    "{n} replies say that no failure mode fits",
                    report.without_mode,
                )
            )
        lines += report.generation.broke_off()
        failed = len(report.generation.failed)
        if report.unread:
            lines.append(
                counted("{n} reply could not be read", "{n} replies could not be read", report.unread)
            )
        if failed:
            lines.append(counted("{n} call failed", "{n} calls failed", failed))
        return StepReport(lines, report.to_json(), report.unread + failed + report.generation.unasked)


steps.register("tags")(ProposeTags())
