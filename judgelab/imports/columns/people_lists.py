"""Lists of people that crowd platforms write: whoever took part, but nothing that they rated."""

from __future__ import annotations

from judgelab.imports.columns.tables import Table
from judgelab.imports.core.fields import normalised
from judgelab.imports.files.sources import Unreadable
from judgelab.wording import sentence

# Prolific's export of demographic data, as it is written now and as it was before.
PROLIFIC = (
    frozenset({"submissionid", "participantid", "status"}),
    frozenset({"sessionid", "participantid", "status", "age"}),
)


def refuse_list_of_people(table: Table) -> None:
    """Raise `Unreadable` for a file of participants, whose ages and approvals are no scores."""
    columns = frozenset(map(normalised, table.columns))
    if any(columns >= needed for needed in PROLIFIC):
        raise Unreadable(
            sentence(
                "this is Prolific's list of participants: what they say about themselves, no ratings; import "
                "the file with their answers without it"
            )
        )
