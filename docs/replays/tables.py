"""Writes a paper's tables beside what projects say: `python docs/replays/tables.py PROJECT [PROJECT ...]`.

`docs/studies/STUDY.md` is made of what we wrote about the replay (`docs/replays/STUDY.md`: how the data came,
what differs and why) and of the tables as they come out of the projects now. A study of several data sets
takes one project for each. The database is that of the settings (JUDGELAB_DATABASE_URL).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgelab import __version__
from judgelab.analysis.data.scores import IN_USE
from judgelab.config import settings
from judgelab.replication.cells import count_replicated
from judgelab.replication.export import to_markdown
from judgelab.replication.tables import study_tables
from judgelab.store.db.schema import open_store
from judgelab.studies import studies

HERE = Path(__file__).parent
PAGES = HERE.parent / "studies"


def main(
    project: Annotated[list[str], typer.Argument(help="The projects, one for each data set.")],
    study: Annotated[str | None, typer.Option(help="Another study than the first project's.")] = None,
    policy: Annotated[str, typer.Option(help="A saved quality filter, or `none`.")] = IN_USE,
) -> None:
    """Write the page of a study."""
    store = open_store(settings().database_url)
    tables = study_tables(store, project, study=study, policy=policy)
    store.close()
    chosen = studies.get(tables[0].study)
    written = HERE / f"{chosen.name}.md"
    parts = [
        f"# {chosen.title}",
        f"{chosen.source}.",
        f"**Asked.** {chosen.question}",
        f"**Found.** {chosen.finding}",
        f"**Needs.** {chosen.needs}",
        *([written.read_text(encoding="utf-8").strip()] if written.is_file() else []),
        "## The tables",
        f"Made by `python docs/replays/tables.py {' '.join(project)}` with JudgeLab {__version__}; intervals "
        f"from {tables[0].recipe['resamples']:,} resamples, seed {tables[0].recipe['seed']}, quality filter: "
        f"{tables[0].recipe['policy'] or 'none'}.",
    ]
    for table in tables:
        counts = count_replicated(table)
        parts.append(to_markdown(table).strip())
        parts.append(
            f"{counts.compared} of {counts.published} printed numbers can be compared; {counts.outside} are "
            "outside the interval."
        )
    PAGES.mkdir(exist_ok=True)
    path = PAGES / f"{chosen.name}.md"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    typer.run(main)
