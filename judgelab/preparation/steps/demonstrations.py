"""`judgelab prepare PROJECT demonstrations`: worked examples drafted by a model, to be refined."""

from __future__ import annotations

from judgelab.errors import InvalidInput
from judgelab.options import Option
from judgelab.preparation.demonstrations import DEFAULT_SET, draft_examples
from judgelab.preparation.step import PreparationStep, StepReport, StepWork, steps
from judgelab.wording import counted, mark, sentence


class DraftDemonstrations(PreparationStep):
    """Rated responses with the four-step reasoning that leads to their score."""

    summary = mark("Uses a model to draft the reasoning for rated responses, as examples for later judges.")
    options = (
        Option(
            "criterion",
            "text",
            "",
            help=mark("Criterion whose ratings to use; required if there are several."),
        ),
        Option("set", "text", DEFAULT_SET, help=mark("Name of the example set.")),
        Option("shots", "int", 4, help=mark("Number of examples to choose, spread over the scores.")),
        Option(
            "responses",
            "text",
            "",
            help=mark("Row ids of the responses, separated by commas; chosen automatically if empty."),
        ),
    )

    def run(self, work: StepWork) -> StepReport:
        """Draft and save them."""
        report = draft_examples(
            work.store,
            work.slug,
            work.writer,
            criterion=work.options["criterion"],
            name=work.options["set"].strip() or DEFAULT_SET,
            responses=_ids(work.options["responses"]),
            how_many=work.options["shots"],
            progress=work.progress,
        )
        lines: list[str] = [
            counted(
                "{n} example drafted: set '{set}', version {version}; refine it on *Preparation*",
                "{n} examples drafted: set '{set}', version {version}; refine them on *Preparation*",
                len(report.drafted),
                set=report.name,
                version=report.version,
            ),
            *report.generation.broke_off(),
            *(
                sentence("{item}: {problem}", item=item, problem=problem)
                for item, problem in report.problems.items()
            ),
        ]
        return StepReport(lines, report.to_json(), len(report.problems) + report.generation.unasked)


def _ids(given: str) -> tuple[int, ...]:
    words = [word for word in given.replace(",", " ").split() if word]
    if not all(word.isdigit() for word in words):
        raise InvalidInput(
            sentence("responses: '{given}' is not a list of row ids; write 12,15,40.", given=given)
        )
    return tuple(int(word) for word in words)


steps.register("demonstrations")(DraftDemonstrations())
