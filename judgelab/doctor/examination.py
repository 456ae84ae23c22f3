"""All that the doctor looks at, in order; nothing is changed, and no secret is said."""

from __future__ import annotations

from collections.abc import Iterator

from judgelab.config import Settings
from judgelab.doctor import installed, setting, storage, work
from judgelab.doctor.findings import Finding
from judgelab.errors import UserError
from judgelab.store.db.engine import Store


def examine(chosen: Settings) -> list[Finding]:
    """Return what is found with these settings on this machine."""
    all_findings = [*setting.examine(chosen), *storage.examine(chosen)]
    if not any(
        finding.state == "broken" or finding.said.endswith(storage.NOT_MADE)
        for finding in all_findings
        if finding.topic == "schema"
    ):
        all_findings += list(_inside(chosen))
    return [*all_findings, *installed.examine(chosen)]


def _inside(chosen: Settings) -> Iterator[Finding]:
    """Look at what the tables say, where they can be read."""
    try:
        store = Store(chosen.database_url)
    except UserError:
        return
    try:
        yield from work.examine(store, chosen)
    except UserError:
        return  # told by the look at the database
    finally:
        store.close()
