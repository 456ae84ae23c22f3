"""`judgelab prepare PROJECT responses`: answers of a new system from each item's documents."""

from __future__ import annotations

from judgelab.options import Option
from judgelab.preparation.responses import FORMS, MOST_WORDS, TOP, make_responses
from judgelab.preparation.step import PreparationStep, StepReport, StepWork, steps
from judgelab.protocols.core.shared_options import INSTRUCTION
from judgelab.wording import counted, mark, sentence


class GenerateResponses(PreparationStep):
    """BM25 chooses what a model reads; what it answers is a response of a new system."""

    summary = mark("Ranks each item's documents by BM25 and has a model answer from the best ones.")
    options = (
        Option("system", "text", "", help=mark("Name of the new system; empty for the model's name.")),
        Option("top", "int", TOP, help=mark("Maximum number of documents the model reads.")),
        Option(
            "most_words",
            "int",
            MOST_WORDS,
            help=mark("Maximum number of words the model reads from them; 0 for all."),
        ),
        Option(
            "form",
            "choice",
            "chat",
            FORMS,
            mark("Prompt format: an instruction, or question and context in UnifiedQA's input format."),
        ),
        INSTRUCTION,
    )

    def run(self, work: StepWork) -> StepReport:
        """Rank, ask and store."""
        report = make_responses(
            work.store,
            work.slug,
            work.writer,
            system=work.options["system"],
            top=work.options["top"],
            most_words=work.options["most_words"],
            form=work.options["form"],
            instruction=work.options["instruction"],
            progress=work.progress,
        )
        lines: list[str] = [
            counted(
                "{n} response by {system} written",
                "{n} responses by {system} written",
                report.written,
                system=report.system,
            )
        ]
        if report.had_one:
            lines.append(counted("{n} item already had one", "{n} items already had one", report.had_one))
        if report.without_documents:
            lines.append(
                counted("{n} item has no documents", "{n} items have no documents", report.without_documents)
            )
        if report.cut:
            lines.append(
                counted(
                    "for {n} item, fewer documents than top were read, because of most_words",
                    "for {n} items, fewer documents than top were read, because of most_words",
                    report.cut,
                )
            )
        lines += report.generation.broke_off()
        lines += [
            sentence("{item}: {problem}", item=item, problem=problem)
            for item, problem in report.problems.items()
        ]
        return StepReport(lines, report.to_json(), len(report.problems) + report.generation.unasked)


steps.register("responses")(GenerateResponses())
