"""Whoever researches in one project is shown nothing of another by what its addresses would name."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from httpx2 import Response
from sqlalchemy import select

from judgelab.accounts import sharing, signin
from judgelab.crowd import links
from judgelab.domain import Criterion
from judgelab.imports.exports import export_project
from judgelab.imports.service import import_files
from judgelab.reporting.pack import write_pack
from judgelab.runs import service
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.store.models import Project, ResponseRow
from judgelab.store.people import people
from judgelab.store.projects.deletion import delete_project
from judgelab.store.projects.projects import create_project, find_project
from tests.crowd.conftest import OPTIONS
from tests.pages import kitchen
from tests.security.conftest import HERE, Site

# What no text of ours says, so that every secret of the other project can be looked for at once.
MARK = "Umbra"
SECRETS = (
    *("Question", "Response", "Context", "System", "Group", "Rater", "Comment"),
    *("Judge", "Rationale", "Run", "Reply"),
)
ITEMS, RATERS = 6, 3
BY_ID = {
    "runs": ("run",),
    "explain": ("response", "judge", "system", "group", "criterion"),
    "raters": ("name", "criterion"),
    "rate": ("rater",),
    "my-ratings": ("rater",),
    "agree": ("judge_as_rater", "criterion"),
    "adjudicate": ("response", "criterion"),
    "trust": ("judge",),
    "means": ("judge", "criterion"),
    "patterns": ("judge", "criterion"),
    "compare": ("judges", "criterion"),
    "more": ("first", "second", "criterion"),
}

OURS = {"results": "lenient", "study": "rate in this study"}
SAID = ("run", "response", "rater", "judge", "criterion")


class TwoProjects(NamedTuple):
    """Two projects of one server, and what the addresses of the second say of it."""

    own: str
    other: str
    names: dict[str, str]

    def query(self, project: str, *words: str) -> str:
        """Return the query of a project with such words of the second."""
        parameters = {word.removeprefix("judge_as_"): self.names[word] for word in words}
        return urlencode({"project": project, **parameters})


@pytest.fixture(scope="module")
def projects(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoProjects]:
    folder = tmp_path_factory.mktemp("both")
    own = kitchen.rated(site.store)
    kitchen.judged(site.store, own, folder)
    kitchen.judged(site.store, own, folder, name="lenient")
    other_project, run = _store_other(site, folder)
    with site.store.reading() as session:
        of_other = select(Project.id).where(Project.slug == other_project)
        response = session.scalars(select(ResponseRow.id).where(ResponseRow.project_id.in_(of_other))).first()
        rater = next(person.id for person in people.list_people(session) if person.name == f"{MARK}Rater0")
    names = {
        **{"run": str(run), "response": str(response), "rater": str(rater), "criterion": "umbra"},
        **{"judge": f"{MARK}Judge", "judges": f"{MARK}Judge,{MARK}Run", "judge_as_rater": f"{MARK}Judge"},
        **{"name": f"{MARK}Rater0", "system": f"{MARK}System0", "group": f"{MARK}Group0"},
        **{"first": f"{MARK}Judge", "second": f"{MARK}Run"},
    }
    yield TwoProjects(own, other_project, names)
    for slug in (own, other_project):
        with site.store.writing() as session:
            delete_project(session, slug)


@pytest.fixture(scope="module")
def researcher(site: Site, projects: TwoProjects) -> str:
    return site.member("Researches in one", "researcher", projects.own)


@pytest.fixture(scope="module")
def other_researcher(site: Site, projects: TwoProjects) -> str:
    return site.member("Researches in the other", "researcher", projects.other)


@pytest.mark.parametrize(("page", "word"), [(page, word) for page, words in BY_ID.items() for word in words])
def test_one_id_of_another_project_shows_nothing_of_it(
    site: Site, projects: TwoProjects, researcher: str, page: str, word: str
) -> None:
    page_text = _shown(site, researcher, page, projects.query(projects.own, word))
    assert "Something went wrong" not in page_text and "Choose a project" not in page_text
    assert MARK not in page_text.replace(projects.names[word], "what was asked for")


@pytest.mark.parametrize("page", sorted(BY_ID.keys() - {"rate", "my-ratings"}))
def test_those_ids_show_it_to_who_researches_there(
    site: Site, projects: TwoProjects, other_researcher: str, page: str
) -> None:
    page_text = _shown(site, other_researcher, page, projects.query(projects.other, *BY_ID[page]))
    assert "Something went wrong" not in page_text
    assert len([secret for secret in SECRETS if f"{MARK}{secret}" in page_text]) > 1


@pytest.mark.parametrize("page", BY_ID)
def test_the_other_project_by_its_own_address_is_not_there(
    site: Site, projects: TwoProjects, researcher: str, page: str
) -> None:
    page_text = _shown(site, researcher, page, projects.query(projects.other, *BY_ID[page]))
    assert "Choose a project" in page_text and MARK not in page_text


@pytest.mark.parametrize("kind", ["csv", "jsonl", "report"])
def test_what_leaves_a_project_holds_nothing_of_another(
    site: Site, projects: TwoProjects, tmp_path: Path, kind: str
) -> None:
    def written(project: str) -> str:
        folder = tmp_path / project
        if kind == "report":
            write_pack(site.store, project, folder)
        else:
            export_project(site.store, project, folder, file_format=kind, backgrounds=True)
        files = [path for path in folder.rglob("*") if path.is_file()]
        return " ".join(f"{path.name} {path.read_bytes().decode(errors='replace')}" for path in files)

    assert MARK in written(projects.other)
    own = written(projects.own)
    assert "strict" in own and MARK not in own


@pytest.mark.parametrize("link", ["results", "study"])
def test_a_link_of_one_project_opens_nothing_of_another(site: Site, projects: TwoProjects, link: str) -> None:
    with site.store.reading() as session:
        project = find_project(session, projects.own).id
    if link == "results":
        path = sharing.create(site.store, None, projects.own).path
    else:
        path = f"/study/{links.create(site.store, None, project, 'Platform', OPTIONS).token}"
    for query in ("", f"project={projects.other}", projects.query(projects.other, *SAID)):
        answer = site.client.get(f"{path}?PROLIFIC_PID=p1&STUDY_ID=s1&{query}")
        assert OURS[link] in answer.text and MARK not in answer.text


def test_what_was_given_in_another_project_is_not_rated_or_shown_in_this_one(
    site: Site, projects: TwoProjects
) -> None:
    cookie = site.member("Rates in both", "annotator", projects.own)
    person = signin.whoami(site.store, cookie)
    assert person is not None
    site.member("Rates in both", "annotator", projects.other)

    def answer(project: str, *ops: dict[str, Any]) -> Response:
        body = {"project": project, "person": person.id, "ops": ops}
        headers = {"Origin": HERE, "Cookie": f"{signin.COOKIE}={cookie}"}
        return site.client.post("/rate/work", json=body, headers=headers)

    queue = answer(projects.other)
    assert f"{MARK}Response" in queue.text
    item = queue.json()["queue"][0]["id"]
    for kind in ("rate", "draft", "skip", "flag", "undo"):
        op = {"uid": str(uuid.uuid4()), "kind": kind, "item": item, "scores": {"answers": 1, "umbra": 1}}
        refusal = answer(projects.own, op)
        assert "no longer on your list" in refusal.json()["refusal"], kind
        assert MARK not in refusal.text
    assert answer(projects.other).json()["queue"][0]["id"] == item


def _shown(site: Site, cookie: str, page: str, query: str) -> str:
    with site.tab(cookie) as tab:
        return " ".join(str(message) for message in tab.open_whole(page, query))


def _store_other(site: Site, folder: Path) -> tuple[str, int]:
    """Store a project whose every text begins with the mark; return its slug and a run of it."""
    with site.store.writing() as session:
        scale = {"kind": "ordinal", "low": 0, "high": 3}
        criterion = Criterion("umbra", f"{MARK}Criterion", scale)
        project = create_project(
            session,
            name=f"{MARK}Project",
            slug="other",
            criteria=[criterion],
            settings={"raters_per_response": RATERS + 1},
        ).slug
    for kind, rows in (("items", _items()), ("ratings", _ratings()), ("judgments", _judgments())):
        path = folder / f"{kind}.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in rows))
        import_files(site.store, project, [(path.name, path)], kind=kind)
    replies = folder / "replies.json"
    replies.write_text(json.dumps({f"{MARK}Response{n}.": [f"{MARK}Reply", "2"] for n in range(ITEMS)}))
    spec = JudgeSpec(protocol="direct", model=str(replies), backend="scripted", samples=2, name=f"{MARK}Run")
    run = service.create_run(site.store, project, spec, Selection())
    kitchen.work(site.store, run)
    return project, run


def _items() -> list[dict[str, Any]]:
    return [
        {
            **{"item_id": f"{MARK}Item{n}", "question": f"{MARK}Question{n}", "context": f"{MARK}Context"},
            "group": f"{MARK}Group{n % 2}",
            "responses": [
                {"system": f"{MARK}System{s}", "response": f"{MARK}Response{n}."} for s in range(2)
            ],
        }
        for n in range(ITEMS)
    ]


def _ratings() -> list[dict[str, Any]]:
    return [
        {**unit_keys, "rater": f"{MARK}Rater{r}", "score": (n + s * r) % 4, "comment": f"{MARK}Comment"}
        for r in range(RATERS)
        for n, s, unit_keys in _units()
    ]


def _judgments() -> list[dict[str, Any]]:
    return [
        {**unit_keys, "rater": f"{MARK}Judge", "score": (n * 2 + s) % 4, "rationale": f"{MARK}Rationale"}
        for n, s, unit_keys in _units()
    ]


def _units() -> list[tuple[int, int, dict[str, str]]]:
    return [
        (n, s, {"item_id": f"{MARK}Item{n}", "system": f"{MARK}System{s}", "criterion": "umbra"})
        for n in range(ITEMS)
        for s in range(2)
    ]
