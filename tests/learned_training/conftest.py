"""A project to learn from: twelve items of three systems, eight of them rated by the length of a response."""

from __future__ import annotations

import numpy as np

from judgelab.domain import Criterion
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, Rating, ResponseRow
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project
from judgelab.store.rating import units
from judgelab.store.rating.criteria import criterion_ids

RATED, ITEMS, SYSTEMS = 8, 12, 3
WORDS = "apple river stone cloud lamp train garden winter window letter music bridge".split()
CRITERIA = (
    Criterion("length", "Length", {"kind": "ordinal", "low": 1, "high": 5}),
    Criterion("right", "Right", {"kind": "binary"}),
)


def lamps(store: Store, *, name: str = "Lamps", rated: int = RATED) -> str:
    """Store the project and return its slug; ten words and more are right."""
    rng = np.random.default_rng(5)
    with store.writing() as session:
        project = create_project(session, name=name, criteria=CRITERIA, settings={"order": "active"})
        keys = criterion_ids(session, project.id)
        rater = people.find_or_create(session, "Ada", role="annotator")
        for n in range(ITEMS):
            item = ItemRow(project_id=project.id, external_id=f"i{n:02}", question="Which words?")
            session.add(item)
            session.flush()
            for system in range(SYSTEMS):
                count = int(rng.integers(2, 18))
                row = ResponseRow(
                    project_id=project.id,
                    item_id=item.id,
                    external_id=f"{n}.{system}",
                    system=f"s{system}",
                    text=" ".join(rng.choice(WORDS, count)) + ".",
                )
                session.add(row)
                session.flush()
                scores = {"length": min(5, 1 + count // 4), "right": float(count > 9)}
                session.add_all(
                    Rating(
                        project_id=project.id,
                        response_id=row.id,
                        criterion_id=keys[key],
                        person_id=rater,
                        score=score,
                    )
                    for key, score in scores.items()
                    if n < rated
                )
        units.offer_units(session, project.id)
    return project.slug
