"""A page that stands open: it says when its figures are older than the data, to whoever may still know."""

from __future__ import annotations

import pytest
from sqlalchemy import delete, select
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from judgelab.accounts import signin
from judgelab.analysis.data import saved_filters
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.domain import Role
from judgelab.store.models import Membership, Project, Rating, now
from judgelab.ui.cache import page_run
from tests.pages import kitchen
from tests.security.conftest import Site, Tab

MORE, OTHERWISE = "new scores have arrived since", "the project has changed since"


@pytest.fixture(scope="module")
def kitchen_project(site: Site) -> str:
    return kitchen.rated(site.store)


def _rate(site: Site, slug: str) -> None:
    """Let a rater change their mind."""
    with site.store.writing() as session:
        first = select(Rating).join(Project, Project.id == Rating.project_id).where(Project.slug == slug)
        rating = session.scalars(first.order_by(Rating.id)).first()
        assert rating is not None
        rating.score, rating.rated_at = 3 - rating.score, now()


def _watching(messages: list[ForwardMsg]) -> str:
    """Return the fragment that looks from time to time whether figures are still of the data."""
    (fragment,) = {
        message.auto_rerun.fragment_id
        for message in messages
        if message.WhichOneof("type") == "auto_rerun"
        and message.auto_rerun.interval == page_run.WATCH_SECONDS
    }
    return fragment


def _open(tab: Tab, page: str, slug: str) -> str:
    """Open the page until all of it is there; return the fragment that watches."""
    return _watching(tab.open_whole(page, f"project={slug}"))


def _text(messages: list[ForwardMsg]) -> str:
    return " ".join(str(message) for message in messages)


@pytest.mark.parametrize(
    ("page", "role"), [("quality", "reader"), ("raters", "researcher"), ("agree", "reader")]
)
def test_scores_that_came_since_are_said_and_nothing_before(
    site: Site, kitchen_project: str, page: str, role: Role
) -> None:
    with site.tab(site.member(f"Reader of {page}", role, kitchen_project)) as tab:
        fragment = _open(tab, page, kitchen_project)
        assert "Figures from" not in _text(tab.look(fragment))
        _rate(site, kitchen_project)
        page_text = _text(tab.look(fragment))
        assert MORE in page_text and "Refresh" in page_text
        assert MORE not in _text(tab.open(page, f"project={kitchen_project}"))


def test_another_rule_is_said_as_what_it_is(site: Site, kitchen_project: str) -> None:
    with site.tab(site.member("Reader of rules", "reader", kitchen_project)) as tab:
        fragment = _open(tab, "agree", kitchen_project)
        saved_filters.save_filter(site.store, kitchen_project, "another", FilterPolicy(threshold=0.1))
        assert OTHERWISE in _text(tab.look(fragment))


def test_whoever_may_no_longer_read_is_told_nothing(site: Site, kitchen_project: str) -> None:
    cookie = site.member("Was reader", "reader", kitchen_project)
    person = signin.whoami(site.store, cookie)
    assert person is not None
    with site.tab(cookie) as tab:
        fragment = _open(tab, "agree", kitchen_project)
        _rate(site, kitchen_project)
        with site.store.writing() as session:
            session.execute(delete(Membership).where(Membership.person_id == person.id))
        assert "Figures from" not in _text(tab.look(fragment))
