"""Roles made by a model, clustered, stored and seated; a panel run end to end against a server."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from judgelab.errors import InvalidInput
from judgelab.preparation.generation.generate import WriterModel
from judgelab.preparation.panels.clusters import k_means, nearest_to_centres, spread
from judgelab.preparation.panels.editing import (
    copy_panel,
    delete_panel,
    panel_static,
    panels_of,
    save_item_roles,
    save_static_roles,
)
from judgelab.preparation.panels.role_prompts import read_roles
from judgelab.preparation.panels.roles import cluster_roles, make_roles, own_roles
from judgelab.preparation.step import prepare
from judgelab.preparation.written_references import write_references
from judgelab.protocols.panel.prompts import STATIC_ROLES
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.protocol_needs import sources
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db.engine import Store
from judgelab.store.frames.details import response_detail
from judgelab.store.models import ItemRow
from judgelab.store.prepared.panels import StoredRole, item_roles
from judgelab.store.prepared.source_texts import source_texts
from judgelab.store.projects.projects import find_project
from tests.preparation.panels import news, speaks
from tests.runs.judging import judge
from tests.runs.openai_server import Habits, Server

WRITER = WriterModel("tiny", endpoint="local")


@pytest.fixture
def panel_server() -> Iterator[Server]:
    with Server(Habits(speaks=speaks, share=0.8, latency=0.0)) as server:
        yield server


def reach(store: Store, server: Server) -> None:
    endpoints.add_endpoint(store, "local", base_url=server.url, concurrency=16, timeout=60)


def best_by_trying(likeness: np.ndarray, k: int) -> float:
    n = len(likeness)
    return min(
        spread(likeness, np.array((0, *labels)), k)
        for labels in itertools.product(range(k), repeat=n - 1)
        if len({0, *labels}) == k
    )


@pytest.mark.parametrize("kind", ["roles", "references"])
def test_items_that_were_never_asked_are_counted_and_no_reply_is_blamed(store: Store, kind: str) -> None:
    slug = news(store, 5, references=False)
    with Server(Habits(status=(401, "invalid_api_key"))) as server:
        endpoints.add_endpoint(store, "local", base_url=server.url, concurrency=1, timeout=60)
        options = {"model": "tiny", "endpoint": "local"}
        outcome = prepare(
            store, slug, kind, {**options, **({} if kind == "roles" else {"kind": "generated"})}
        )
    prompts = 10 if kind == "roles" else 5  # two prompts an item, or one
    assert outcome.missing == prompts and outcome.data["unasked"] == prompts - 1 and outcome.data["stopped"]
    assert outcome.lines[1].startswith(
        f"{prompts - 1} texts were not requested, because generation stopped: "
    )
    assert len(outcome.data["problems"]) == 1


@pytest.mark.parametrize("k", [2, 3])
def test_clusters_are_the_best_there_are(k: int) -> None:
    points = np.random.default_rng(3).normal(size=(8, 4))
    likeness = points @ points.T
    labels = k_means(likeness, k)
    assert spread(likeness, labels, k) == pytest.approx(best_by_trying(likeness, k))
    centres = [points[labels == label].mean(axis=0) for label in range(k)]
    nearest = {int(np.argmin(((points - centre) ** 2).sum(axis=1))) for centre in centres}
    assert set(nearest_to_centres(likeness, k)) == nearest


def test_equal_texts_and_few_of_them_are_no_trouble() -> None:
    assert nearest_to_centres(np.ones((5, 5)), 2)[:1] == [0]
    assert nearest_to_centres(np.eye(3), 4) == [0, 1, 2]
    assert nearest_to_centres(np.eye(3), 0) == []


@pytest.mark.parametrize(
    ("reply", "roles"),
    [
        ("- **Fans**: They sing along.\n- Critics: They do not.", ["Fans", "Critics"]),
        ("Here are some readers:\n\n1) Fans: yes\n2) Fans: again", ["Fans"]),
        ("I cannot think of any.", []),
    ],
)
def test_roles_are_read_line_by_line(reply: str, roles: list[str]) -> None:
    assert [name for name, _ in read_roles(reply)] == roles


def seats(store: Store, slug: str, **options: object) -> list[str]:
    with store.reading() as session:
        project = find_project(session, slug)
        first = source_texts(session, project.id)[0].item_id
        roles_of_item = sources.get("roles").load(
            session, project.id, {"panel": True, "k": 4, "clustering": "dynamic", **options}, [first]
        )
    return [role.type for role in roles_of_item.get(first, ())]


def test_a_panel_is_made_seated_edited_and_votes(store: Store, panel_server: Server) -> None:
    reach(store, panel_server)
    slug = news(store, 6, references=False)
    with pytest.raises(InvalidInput, match="reference"):
        service.create_run(store, slug, JudgeSpec("role_panel", "tiny", endpoint="local"))
    report = write_references(store, slug, WRITER, sentences=1)
    assert (report.written, report.had_one) == (6, 0)
    assert write_references(store, slug, WRITER).had_one == 6
    with store.reading() as session:
        text = source_texts(session, find_project(session, slug).id)[0]
    assert text.references[0].origin == "model:tiny-1" and text.references[0].text.startswith("A written")

    with pytest.raises(InvalidInput, match="no roles of"):
        service.create_run(store, slug, JudgeSpec("role_panel", "tiny", endpoint="local"))
    panel_report = make_roles(store, slug, WRITER, encoder="tfidf")
    assert (panel_report.items, panel_report.roles, panel_report.encoder, panel_report.problems) == (
        6,
        60,
        "tfidf",
        {},
    )
    assert make_roles(store, slug, WRITER, encoder="tfidf").items == 0
    assert len(seats(store, slug)) == 4 and len(seats(store, slug, k=6)) == 6
    assert len(seats(store, slug, clustering="no")) == 10 and seats(store, slug, k=0) == []
    assert len(seats(store, slug, clustering="all")) == 4

    run = service.create_run(
        store, slug, JudgeSpec("role_panel", "tiny", endpoint="local", options={"order": "both"})
    )
    panel_server.habits.fault_rate, panel_server.habits.faults = 0.25, ("500", "broken")
    assert judge(store, run) == "done"
    panel_server.habits.fault_rate = 0.0
    status = service.run_status(store, run)
    assert (status.scored, status.unscored, status.failed) == (12, 0, 0)
    assert status.calls == 24 + panel_server.failed.total() > 24
    with store.reading() as session:
        project = find_project(session, slug)
        good, poor = (response_detail(session, project.id, n).judgments[0] for n in (1, 2))
    assert good.score > poor.score
    assert good.detail["panel"]["weighed"] is True and len(good.detail["panel"]["roles"]) == 7
    assert good.detail["panel"]["roles"][0]["confidence"] == pytest.approx(0.8)
    assert good.detail["panel"]["order"] == {"both_orders": 7, "changed": 0}


def test_what_a_run_was_shown_of_a_panel_stays_and_is_changed_in_a_copy(
    any_store: Store, panel_server: Server
) -> None:
    store = any_store
    reach(store, panel_server)
    slug = news(store, 2)
    make_roles(store, slug, WRITER, encoder="tfidf")
    save_static_roles(store, slug, [StoredRole("Teacher", "Marks it.")])
    assert seats(store, slug)[0] == "Teacher" and len(seats(store, slug)) == 5
    with store.reading() as session:
        project = find_project(session, slug)
        first, second = sorted(item_roles(session, project.id, range(1, 99)))
        item_panel = own_roles(item_roles(session, project.id, [first])[first])
    save_item_roles(store, slug, first, item_panel[:3])
    assert len(seats(store, slug)) == 4
    with pytest.raises(InvalidInput, match="colon"):
        save_item_roles(store, slug, first, [StoredRole("a: b", "c", "coarse")])

    comparison = JudgeSpec("role_panel", "tiny", endpoint="local", options={"panel": False})
    service.create_run(store, slug, comparison)
    save_item_roles(store, slug, first, item_panel[:4])  # a comparison without a panel was shown no role
    service.create_run(store, slug, JudgeSpec("role_panel", "tiny", endpoint="local"))
    panel_roles = seats(store, slug)
    for refused in (
        lambda: save_static_roles(store, slug, []),
        lambda: save_item_roles(store, slug, first, item_panel[:2]),
        lambda: save_item_roles(store, slug, first, []),
        lambda: make_roles(store, slug, WRITER, encoder="tfidf", anew=True),
        lambda: cluster_roles(store, slug, encoder="tfidf"),
        lambda: delete_panel(store, slug, "roles"),
    ):
        with pytest.raises(InvalidInput, match="used the roles of panel 'roles'"):
            refused()
    copy_panel(store, slug, "roles", to=" mine ")
    assert seats(store, slug, roles="mine") == panel_roles
    save_static_roles(store, slug, [], name="mine")
    save_item_roles(store, slug, first, item_panel[:2], name="mine")
    assert seats(store, slug, roles="mine") == [
        role.type for role in item_panel[:2]
    ]  # the shipped ones come with the prompt
    assert seats(store, slug) == panel_roles
    for name in ("mine", "roles"):
        with pytest.raises(InvalidInput, match=f"a panel named '{name}' already"):
            copy_panel(store, slug, "roles", to=name)
    with pytest.raises(InvalidInput, match="no panel named 'others'; choose from: mine, roles"):
        unknown_panel = {"roles": "others"}
        service.create_run(
            store, slug, JudgeSpec("role_panel", "tiny", endpoint="local", options=unknown_panel)
        )
    panels = {(panel.name, panel.static, panel.items, panel.runs) for panel in panels_of(store, slug)}
    assert panels == {("roles", 1, 2, 1), ("mine", 0, 2, 0)}
    delete_panel(store, slug, "mine")
    assert [panel.name for panel in panels_of(store, slug)] == ["roles"]


def test_items_that_come_later_get_roles_in_a_panel_that_a_run_was_shown(
    store: Store, panel_server: Server
) -> None:
    reach(store, panel_server)
    slug = news(store, 2)
    make_roles(store, slug, WRITER, encoder="tfidf")
    service.create_run(store, slug, JudgeSpec("role_panel", "tiny", endpoint="local"))
    before = seats(store, slug)
    with store.writing() as session:
        project = find_project(session, slug).id
        session.add(ItemRow(project_id=project, external_id="late", context="A late article."))
    report = make_roles(store, slug, WRITER, encoder="tfidf")
    assert (report.items, report.problems) == (1, {})
    assert seats(store, slug) == before


def test_a_copy_of_the_shipped_panel_can_be_changed(store: Store) -> None:
    slug = news(store, 1)
    copy_panel(store, slug, "roles", to="mine")
    roles, own = panel_static(store, slug, "mine")
    assert own and [role.type for role in roles] == [shipped_role.type for shipped_role in STATIC_ROLES]
