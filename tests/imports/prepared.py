"""A project that was prepared for judging in every way there is: what an export has to carry."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.domain import Demonstration
from judgelab.runs.plan.judge_config import demonstrations_to_json
from judgelab.store.db.import_ledger import ImportLedger
from judgelab.store.judging import templates
from judgelab.store.models import EndpointRow, ResponseRow, Run, StudyLink
from judgelab.store.models.base import now
from judgelab.store.people import recruitment_links
from judgelab.store.prepared import panels
from judgelab.store.prepared.reference_lists import ItemList, ListEntry, change_list, lists_of, save_lists
from judgelab.store.prepared.replies import save_reply
from judgelab.store.prepared.worked_examples import SavedExample, save_example, save_steps
from judgelab.store.projects.ablations import AblationInfo, save_ablation
from judgelab.store.projects.documents import add_documents
from judgelab.store.projects.images import Image, save_images
from judgelab.store.rating import tags
from tests.imports.pictures import png

CODE = "C0MPLET10N"


def prepare_all(session: Session, project_id: int, text: list[str], *, person: int) -> None:
    """Store panels, lists, examples, steps, wordings, tags, a grid, study links, pools and their replies."""
    first, second = session.scalars(
        select(ResponseRow).where(ResponseRow.project_id == project_id).order_by(ResponseRow.id)
    ).all()[:2]
    add_documents(session, [(first.item_id, f"a{text[0]}"), (first.item_id, f"b{text[1]}")])
    save_images(
        ImportLedger(session, project_id), [Image("img/a.png", png()), Image("b.png", png((0, 0, 9)))]
    )
    reply = _reply(session, project_id, first.item_id, text)
    _panels(session, project_id, first.item_id, text)
    _lists(session, project_id, first, second, reply, text)
    _examples(session, project_id, first, text, person=person)
    save_steps(session, project_id, f"1. {text[4]}", draft=text[5], origin="m")
    save_steps(session, project_id, f"2. {text[4]}", person_id=person)
    templates.save_template(session, project_id, "direct", "instruction", f"x{text[6]}", note=text[7])
    templates.save_template(session, project_id, "direct", "instruction", "Another.", person_id=person)
    templates.set_in_force(session, project_id, "direct", "instruction", 1)
    tags.put_tag(
        session,
        project_id,
        response_id=first.id,
        judge="m",
        kind="semantic",
        person_id=person,
        note=text[3],
    )
    tags.propose_tags(session, project_id, "m", [(second.id, "m", "symbolic", text[4])])
    _grid(session, project_id)
    link = recruitment_links.create(session, project_id, "crowd", _link_options(text))
    session.get_one(StudyLink, link.id).closed_at = now()
    _shown(session, project_id, first, second)


def _reply(session: Session, project_id: int, item_id: int, text: list[str]) -> int:
    values: dict[str, Any] = {
        **{"item_id": item_id, "purpose": "references", "key": "q0 gold", "fingerprint": "f" * 64},
        **{"prompt_hash": "h", "messages": [{"role": "user", "content": text[2]}], "backend": "openai_api"},
        **{"asked_model": "m", "parameters": {"temperature": 0.8}, "text": text[3], "model": "m-1"},
        **{"usage": {"total_tokens": 3}, "prompt_tokens": 2, "completion_tokens": 1, "cost": 0.25},
        **{"latency": 0.5, "attempts": 2, "faults": {"timeout": 1}, "code_version": "0.1"},
    }
    save_reply(session, project_id, {**values, "item_id": None, "fingerprint": "0" * 64, "cause": "timeout"})
    return save_reply(session, project_id, values).id


def _panels(session: Session, project_id: int, item_id: int, text: list[str]) -> None:
    generated = panels.StoredRole("Fans", text[5], "coarse", "m", ("dynamic:2", "all:4"), "tfidf")
    edited = panels.StoredRole("Critics", text[6], "fine", "person", (), "tfidf", edited=True)
    panels.save_roles(session, project_id, None, [panels.StoredRole("Teacher", text[7])])
    panels.save_roles(session, project_id, item_id, [generated, edited])
    panels.copy_panel(session, project_id, "roles", to="mine")
    panels.save_roles(session, project_id, None, [panels.StoredRole("Nurse", text[7], edited=True)], "mine")


def _lists(
    session: Session, project_id: int, first: ResponseRow, second: ResponseRow, reply: int, text: list[str]
) -> None:
    entries = [
        ListEntry(first.text, 3, "human", first.id, 2.5),
        ListEntry(text[4], 1, "model:m", reply_id=reply),
        ListEntry(text[5], 0),
    ]
    lists = [ItemList(first.item_id, entries, (2,)), ItemList(second.item_id, entries[1:])]
    for draw in (1, 2):
        save_lists(
            session,
            project_id,
            **{"name": "lists", "draw": draw, "source": "graded", "pattern": "3210", "seed": draw},
            recipe={"texts": text[0]},
            lists=lists,
        )
    session.flush()
    stored_list = lists_of(session, project_id, "lists", 2)[first.item_id]
    change_list(session, stored_list.id, [*stored_list.entries[:2], ListEntry("Better.", 0, edited=True)])


def _examples(session: Session, project_id: int, first: ResponseRow, text: list[str], *, person: int) -> None:
    of_response = SavedExample(
        f"quality:{first.id}", "quality", text[0], text[1], 2.0, text[2], text[3], first.id, text[4], "m"
    )
    free = SavedExample("quality:own", "quality", text[5], text[6], 0.5, "1. So.")
    for example in (of_response, free, SavedExample(**{**vars(of_response), "reasoning": "Refined."})):
        save_example(session, project_id, "studio", example, person_id=person)
    save_example(session, project_id, "studio", SavedExample(**{**vars(free), "removed": True}))


def _grid(session: Session, project_id: int) -> None:
    if session.scalar(select(EndpointRow).where(EndpointRow.name == "local")) is None:
        session.add(EndpointRow(name="local", base_url="http://127.0.0.1:9/v1"))
        session.flush()
    axes = (("shots", (0, 2)), ("parameters.temperature", (0.0, 0.5)))
    with_endpoint = AblationInfo(
        "Shots", "direct", "product", axes, {"a": 1}, {"seed": 1}, 3, "mean", "openai_api", "local", "m"
    )
    save_ablation(session, project_id, with_endpoint)


def _link_options(text: list[str]) -> dict[str, Any]:
    fields = [{"label": "Age", "kind": "number", "choices": [], "required": True}]
    ending = {"code": CODE, "url": f"https://example.org/?cc={CODE}"}
    options: dict[str, Any] = {"person": "PROLIFIC_PID", "others": [], "consent": text[1], "fields": fields}
    return {**options, "places": 7, "minutes": 30.0, "refill": "surplus", "finished": ending}


def _shown(session: Session, project_id: int, first: ResponseRow, second: ResponseRow) -> None:
    """Let the project's first run say that it judged one response and showed the other."""
    run = session.scalars(select(Run).where(Run.project_id == project_id).order_by(Run.id)).first()
    assert run is not None
    examples = [
        Demonstration("q", first.text, 2.0, response_id=str(first.id)),
        Demonstration("q", "Shipped.", 1.0),
    ]
    run.selection = {
        **{"responses": [second.id, first.id], "excluded": [first.id], "limit": 3, "systems": ["a"]},
        "demonstrations": demonstrations_to_json({"quality": examples}),
    }
