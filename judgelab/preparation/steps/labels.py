"""`judgelab prepare PROJECT labels --option kind=votes|extremes`: the human values of the DRPE study."""

from __future__ import annotations

from judgelab.options import Option
from judgelab.preparation.labels import LabelsReport, label_extremes, label_votes
from judgelab.preparation.step import PreparationStep, StepReport, StepWork, steps
from judgelab.wording import mark, sentence


class LabelByVotes(PreparationStep):
    """1 for the responses that enough voters call the best, 0 for the worst."""

    summary = mark(
        "Labels responses with 1 if most voters call them best, and with 0 if most call them worst."
    )
    writes = False
    options = (
        Option("votes", "int", 2, help=mark("Votes required: this many ...")),
        Option("of", "int", 3, help=mark("... out of this many.")),
    )

    def run(self, work: StepWork) -> StepReport:
        """Filter the votes and store the values."""
        reports = label_votes(work.store, work.slug, votes=work.options["votes"], of=work.options["of"])
        return StepReport(
            [line for report in reports for line in _lines(report)],
            {"labels": [report.to_json() for report in reports]},
        )


class LabelBestAndWorst(PreparationStep):
    """The best and the worst rated responses of each item."""

    summary = mark(
        "Labels the best-rated and worst-rated responses of each item, by the mean of all criteria."
    )
    writes = False
    options = (
        Option("number", "int", 2, help=mark("Number of responses at each end.")),
        Option(
            "value",
            "choice",
            "mean",
            ("mean", "label"),
            mark("Stored value: the mean of the criteria, or 1 and 0."),
        ),
        Option(
            "criterion",
            "text",
            "overall",
            help=mark("Criterion for the labels; created if it does not exist."),
        ),
    )

    def run(self, work: StepWork) -> StepReport:
        """Find the extremes and store the values."""
        report = label_extremes(
            work.store,
            work.slug,
            number=work.options["number"],
            value=work.options["value"],
            criterion=work.options["criterion"],
        )
        return StepReport(_lines(report), report.to_json())


def _lines(report: LabelsReport) -> list[str]:
    summary = sentence(
        "{criterion}: {best} best, {worst} worst, as rater '{rater}'",
        criterion=report.criterion,
        best=report.best,
        worst=report.worst,
        rater=report.rater,
    )
    return [summary, *report.notes]


steps.register("labels.votes")(LabelByVotes())
steps.register("labels.extremes")(LabelBestAndWorst())
