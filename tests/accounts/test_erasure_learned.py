"""Erasing a rater from whom a judge learned, and one who rated in the order that it proposed."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from judgelab.accounts.erasure import erase
from judgelab.annotation import service
from judgelab.errors import InvalidInput
from judgelab.learned_training.active_learning import propose
from judgelab.learned_training.training import learn
from judgelab.store.db.engine import Store
from judgelab.store.models import Assignment, Unit, Verdict
from judgelab.store.people import people
from judgelab.store.projects.projects import find_project, update_project
from judgelab.store.scoring.learned import StoredLearned, stored_learned
from judgelab.store.transfer.imported_work import count_as_done
from tests.accounts.test_erasure import everything
from tests.learned_training.conftest import lamps

QUICK: dict[str, Any] = {"policy": "none", "encoder": "tfidf", "shuffles": 0}


@pytest.fixture
def taught(any_store: Store) -> Store:
    """The judge learned from Ada's ratings; Bo was assigned the units that it proposed."""
    learn(any_store, lamps(any_store), **QUICK)
    propose(any_store, "lamps", policy="none", encoder="tfidf")
    with any_store.writing() as session:
        bo = people.find_or_create(session, "Bo", role="annotator")
        project = find_project(session, "lamps").id
        count_as_done(session, project)
        update_project(session, project, settings={"raters_per_response": 1})
    assert service.next_items(any_store, bo, project)
    return any_store


def judge(store: Store) -> StoredLearned:
    with store.reading() as session:
        return stored_learned(session, find_project(session, "lamps").id)[0]


def turns(store: Store, table: Any) -> int:
    with store.reading() as session:
        return len(session.scalars(select(table.id).where(table.turn.is_not(None))).all())


def test_with_the_ratings_kept_the_judge_and_the_proposals_stay(taught: Store) -> None:
    before, assignments = judge(taught), turns(taught, Assignment)
    for name in ("Ada", "Bo"):
        assert erase(taught, None, name, keep_ratings=True).learned == ()
    assert judge(taught) == before and turns(taught, Assignment) == assignments > 0
    assert '"Ada"' not in everything(taught) and '"Bo"' not in everything(taught)
    learn(taught, "lamps", **QUICK)
    assert judge(taught).models == before.models  # it does not learn from names


def test_with_the_ratings_removed_it_is_said_where_to_learn_again(taught: Store) -> None:
    erasure = erase(taught, None, "Bo", keep_ratings=False)
    assert erasure.learned == () and turns(taught, Assignment) == 0 < turns(taught, Unit)
    erasure = erase(taught, None, "Ada", keep_ratings=False)
    assert erasure.learned == ("Lamps",)
    assert '"Ada"' not in everything(taught)
    with taught.reading() as session:
        assert session.query(Verdict).count() > 0  # the judge's verdicts stay until it learns again
    with pytest.raises(InvalidInput, match="has no ratings that the quality filter keeps"):
        learn(taught, "lamps", **QUICK)
