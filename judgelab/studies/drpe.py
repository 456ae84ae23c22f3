"""DRPE: news summaries compared with a reference by a panel of roles."""

from judgelab.domain import Criterion
from judgelab.studies.base import Study, studies
from judgelab.wording import mark

studies.register("drpe")(
    Study(
        name="drpe",
        title=mark("DRPE: news summaries before a panel of roles"),
        summary=mark("Which summaries are among the best for their article? 0 worst, 1 best."),
        task="summarisation",
        criteria=(
            Criterion(
                "overall",
                "Overall quality",
                {"kind": "binary", "no": "Among the worst", "yes": "Among the best"},
                "Is this one of the best summaries of the article?",
            ),
        ),
        guidelines="Read the article first. Judge the summary as its readers would.",
    )
)
