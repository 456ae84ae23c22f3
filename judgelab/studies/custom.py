"""A custom project, without criteria at first."""

from judgelab.studies.base import Study, studies
from judgelab.wording import mark

studies.register("custom")(
    Study(
        name="custom",
        title=mark("My own criteria"),
        summary=mark("Write your own criteria, or let the first ratings file create them."),
        task="qa",
        criteria=(),
    )
)
