"""Units on both databases: what raters are given, in the order of the file."""

from __future__ import annotations

import pytest
from sqlalchemy import delete, select, update

from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, ResponseRow, Unit
from judgelab.store.projects.projects import update_project
from judgelab.store.rating import units
from tests.annotation.conftest import make_project


@pytest.mark.parametrize("form", ["pointwise", "pairwise", "ranking"])
def test_units_come_in_the_order_of_the_file_wherever_rows_lie_on_the_disk(
    any_store: Store, form: str
) -> None:
    project = make_project(any_store, answers=6, systems=2)
    with any_store.writing() as session:
        session.execute(delete(Unit))
        # PostgreSQL puts a changed row behind all others.
        for number in (0, 3, 1):
            changed = f"q{number}"
            of_it = select(ItemRow.id).where(ItemRow.external_id == changed).scalar_subquery()
            session.execute(update(ResponseRow).where(ResponseRow.item_id == of_it).values(meta={"at": 1}))
            session.execute(update(ItemRow).where(ItemRow.external_id == changed).values(question="anew"))
        update_project(session, project, settings={"form": form})
        session.execute(delete(Unit))
        units.offer_units(session, project)
    with any_store.reading() as session:
        rows = select(ItemRow.external_id).join(Unit, Unit.item_id == ItemRow.id).order_by(Unit.id)
        items = list(session.scalars(rows))
    per_item = 2 if form == "pointwise" else 1
    assert items == [f"q{n}" for n in range(6) for _ in range(per_item)]
