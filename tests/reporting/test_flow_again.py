"""The flow chart of an anonymised copy shows the numbers of the project."""

from __future__ import annotations

from pathlib import Path

from judgelab.annotation import service
from judgelab.imports.service import import_files
from judgelab.reporting.anonymous import export_anonymised
from judgelab.reporting.flow import flow_steps
from judgelab.reporting.gathering import gather_facts
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.models import now
from judgelab.store.people import memberships, people
from judgelab.store.projects.projects import find_project, update_project
from judgelab.store.rating import assignments, units
from tests.databases import new_sqlite
from tests.pages.kitchen import rated


def test_who_only_looked_is_no_rater_in_a_copy(store: Store, tmp_path: Path) -> None:
    slug = rated(store)
    with store.writing() as session:
        project = find_project(session, slug).id
        update_project(session, project, settings={"raters_per_response": 4})
        units.offer_units(session, project)
        owner = people.find_or_create(session, "Owner", role="owner")
        former = people.find_or_create(session, "Dot", role="")
        memberships.join(session, project, former)
        memberships.set_state(session, project, former, "removed")
    assert service.next_items(store, owner, project, 1)
    before = flow_steps(gather_facts(store, slug, coefficients=["pearson"]))
    assert before[0].kept == "4 people registered as raters"

    export_anonymised(store, slug, tmp_path / "data")  # which makes a copy on the way
    copy = open_store(new_sqlite(tmp_path / "copy.db"))
    import_files(copy, slug, [(path.name, path) for path in sorted((tmp_path / "data").iterdir())])
    assert flow_steps(gather_facts(copy, slug, coefficients=["pearson"])) == before
    with copy.reading() as session:
        copied_project = find_project(session, slug).id
        assert len(memberships.memberships(session, copied_project, removed=True)) == 4
        assert len(assignments.held_units(session, copied_project, at=now())) == 1, "the work itself is kept"
    copy.close()
