"""A project in which every text that a file can bring tries to be more than text."""

from __future__ import annotations

import json
from pathlib import Path

from judgelab.analysis.data import saved_filters
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.domain import Criterion
from judgelab.imports.service import import_files
from judgelab.rendering.formats import PLAIN, TEXTS
from judgelab.runs import service
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.store.db.engine import Store
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project
from tests.pages.kitchen import work

ELSEWHERE = "http://127.0.0.1:1/x.png"
PAYLOAD = (  # short enough for a name
    "<script>window.hit=1</script><img src=x onerror=window.hit=1> "
    f"![x]({ELSEWHERE}) [a](javascript:hit) <a href=//x>a</a> "
    "**b** `c` :material/home: :+1: :red[r] $x^2$ -> 🙂 שלום"
)
SCALE = {"kind": "ordinal", "low": 0, "high": 3}
RATERS = 3
ITEMS = 6


def said(field: str) -> str:
    """Return the text that stands in a field."""
    return f"{field} {PAYLOAD}"


def store_project(store: Store, folder: Path) -> str:
    """Store the project as files bring it, with a judge that was run here; return its slug."""
    with store.writing() as session:
        slug = create_project(
            session,
            name=said("Project"),
            slug="hostile",
            criteria=[
                Criterion("first", said("Criterion"), SCALE, question=said("Asked")),
                Criterion("second", said("Other"), {**SCALE, "labels": {"0": said("Label")}}),
            ],
            guidelines=said("Guidelines"),
            settings={
                "raters_per_response": RATERS + 1,
                "show_references": True,
                "text_formats": dict.fromkeys(TEXTS, PLAIN),
            },
        ).slug
        people.find_or_create(session, said("Newcomer"))
    for kind, rows in (("items", _items()), ("ratings", _ratings()), ("judgments", _judgments())):
        path = folder / f"{kind}.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in rows))
        import_files(store, slug, [(path.name, path)], kind=kind)
    replies = folder / "replies.json"
    replies.write_text(json.dumps({f"Response{s}": [said("Reply")] for s in range(2)}))
    spec = JudgeSpec(
        protocol="direct", model=str(replies), backend="scripted", samples=1, name=said("Run judge")
    )
    saved_filters.save_filter(store, slug, said("Filter"), FilterPolicy(threshold=0.1))
    work(store, service.create_run(store, slug, spec, Selection()))
    return slug


def _items() -> list[dict[str, object]]:
    return [
        {
            "item_id": said(f"Item{n}"),
            "question": said(f"Question{n}"),
            "context": said("Context"),
            "group": said(f"Group{n % 2}"),
            "references": [said("Reference")],
            "responses": [{"system": said(f"System{s}"), "response": said(f"Response{s}")} for s in range(2)],
        }
        for n in range(ITEMS)
    ]


def _ratings() -> list[dict[str, object]]:
    return [
        {**where, "rater": said(f"Rater{r}"), "score": (n + s * r) % 4, "comment": said("Comment")}
        for r in range(RATERS)
        for n, s, where in _units()
    ]


def _judgments() -> list[dict[str, object]]:
    return [
        {**where, "rater": said(name), "score": (n * times + s) % 4, "rationale": said("Rationale")}
        for name, times in (("Judge", 2), ("Second judge", 3))
        for n, s, where in _units()
    ]


def _units() -> list[tuple[int, int, dict[str, str]]]:
    return [
        (n, s, {"item_id": said(f"Item{n}"), "system": said(f"System{s}"), "criterion": key})
        for n in range(ITEMS)
        for s in range(2)
        for key in ("first", "second")
    ]
