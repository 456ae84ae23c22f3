"""A project of one's own: no criteria yet."""

from judgelab.studies.base import Study, studies

studies.register("custom")(
    Study(
        name="custom",
        title="My own criteria",
        summary="Write your own criteria, or let the first ratings file bring them.",
        task="qa",
        criteria=(),
    )
)
