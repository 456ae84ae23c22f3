"""Lists of references of varied quality, one a question and draw (LINKAGE, section 3.3).

Drawn from graded responses by a pattern, or written by models from one reference answer or none. They are
stored under a name: judges are told the name and the draw, so that responses of a system that comes later
are judged with the same lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from judgelab.errors import InvalidInput
from judgelab.preparation.generation.generate import GenerationEstimate, OnProgress
from judgelab.preparation.generation.items import items_of
from judgelab.preparation.lists.editing import refuse_used
from judgelab.preparation.lists.material import golden_references, graded_texts, refuse_without_grades
from judgelab.preparation.lists.patterns import GradedText, chance, draw_list, read_pattern
from judgelab.preparation.lists.plan import ListPlan, ListsReport, check_plan, writer_of
from judgelab.preparation.lists.written_lists import WritingCost, estimate_writing, write_texts
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.prepared import reference_lists as lists
from judgelab.store.prepared.rated_examples import same_text_responses
from judgelab.store.prepared.reference_lists import ItemList
from judgelab.store.prepared.source_texts import SourceText
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import sentence

FEWEST = 2  # candidates without which a question has no order


def make_lists(
    store: Store,
    slug: str,
    plan: ListPlan,
    *,
    progress: OnProgress | None = None,
    person_id: int | None = None,
) -> list[ListsReport]:
    """Build and store the lists; return a report per draw.

    Args:
        store: the database.
        slug: the project.
        plan: which lists.
        progress: is told how many texts of how many are written.
        person_id: who makes them, for the audit log.

    Raises:
        UserError: nothing to draw from, no pattern, no such model; or a run judged with what would be
            replaced.
    """
    plan = check_plan(plan)
    reports = [_make_draw(store, slug, plan, draw, progress) for draw in plan.draws]
    if person_id is not None:
        detail = {"lists": [report.to_json() for report in reports]}
        audit.record_done(store, slug, "made_reference_lists", person_id=person_id, detail=detail)
    return reports


def _make_draw(
    store: Store, slug: str, plan: ListPlan, draw: int, progress: OnProgress | None
) -> ListsReport:
    with store.reading() as session:
        project, items = items_of(session, slug)
        open_items = _wanted(session, project, items, plan, draw)
        graded = _graded(session, project, items, plan)
    bill, skipped = WritingCost(), Counter[str]()
    texts: Mapping[int, Sequence[GradedText]]
    if plan.source == "graded":
        texts = {item.item_id: graded.get(item.item_id, ()) for item in open_items}
    else:
        golds = golden_references(items, graded) if plan.source == "one_gold" else None
        drawn = _drawn_golds(open_items, golds, plan, draw)
        texts, skipped, bill = write_texts(
            store, project, open_items, drawn, writer=writer_of(plan), lower=plan.lower, progress=progress
        )
    item_lists = []
    for item in open_items:
        entries, missing = draw_list(
            texts.get(item.item_id, ()), read_pattern(plan.pattern), chance(plan.seed, draw, item.name)
        )
        if entries:
            item_lists.append(ItemList(item.item_id, entries, missing))
        elif item.item_id in texts:
            skipped[sentence("no text has one of the requested grades")] += 1
    with store.writing() as session:
        lists.save_lists(
            session,
            project.id,
            name=plan.name,
            draw=draw,
            source=plan.source,
            pattern=plan.pattern,
            seed=plan.seed,
            recipe=plan.recipe(),
            lists=item_lists,
        )
    with store.reading() as session:
        reserved, few = used_responses(session, project.id, plan.name, draw)
    return ListsReport(
        name=plan.name,
        draw=draw,
        items=len(items),
        lists=len(item_lists),
        there=len(items) - len(open_items),
        entries=sum(len(item_list.entries) for item_list in item_lists),
        complete=sum(not item_list.missing for item_list in item_lists),
        missing=Counter(grade for item_list in item_lists for grade in item_list.missing),
        skipped=skipped,
        undefined=few,
        reserved=reserved,
        bill=bill,
    )


def estimate_lists(store: Store, slug: str, plan: ListPlan) -> GenerationEstimate | None:
    """Return the estimate for the first draw; None if no model is called. Raises what `make_lists` would."""
    plan = check_plan(plan)
    with store.reading() as session:
        project, items = items_of(session, slug)
        open_items = _wanted(session, project, items, plan, plan.draws[0])
        if plan.source == "graded":
            refuse_without_grades(session, project, items, texts=plan.texts, criterion=plan.criterion)
            return None
        graded = _graded(session, project, items, plan)
    golds = golden_references(items, graded) if plan.source == "one_gold" else None
    drawn = _drawn_golds(open_items, golds, plan, plan.draws[0])
    return estimate_writing(store, project, open_items, drawn, writer=writer_of(plan), lower=plan.lower)


def responses_kept_out(store: Store, project_id: int, name: str, draw: int) -> tuple[int, int]:
    """Return how many responses a set of lists keeps from being judged, and the items left undefined."""
    with store.reading() as session:
        return used_responses(session, project_id, name, draw)


def used_responses(session: Session, project_id: int, name: str, draw: int) -> tuple[int, int]:
    """Return how many responses a set of lists keeps from being judged, and the items left undefined."""
    taken = same_text_responses(
        session, project_id, lists.response_ids_in_set(session, project_id, name, draw)
    )
    left = lists.remaining_per_item(session, project_id, taken)
    return len(taken), sum(count < FEWEST for count in left.values())


def _wanted(
    session: Session, project: ProjectInfo, items: Sequence[SourceText], plan: ListPlan, draw: int
) -> list[SourceText]:
    """Return the items that get a list now."""
    stored = lists.lists_of(session, project.id, plan.name, draw)
    if not stored:
        return list(items)
    if plan.anew:
        refuse_used(session, project.id, plan.name, draw)
        return list(items)
    list_set = next(s for s in lists.list_sets(session, project.id) if (s.name, s.draw) == (plan.name, draw))
    if list_set.recipe != plan.recipe():
        raise InvalidInput(
            sentence(
                "lists named '{name}', draw {draw}, already exist with other settings; choose another "
                "name, or replace them with --option anew=true.",
                name=plan.name,
                draw=str(draw),
            )
        )
    return [item for item in items if item.item_id not in stored]


def _graded(
    session: Session, project: ProjectInfo, items: Sequence[SourceText], plan: ListPlan
) -> Mapping[int, Sequence[GradedText]]:
    if plan.source == "no_gold":
        return {}
    if plan.source == "one_gold" and all(item.known for item in items):
        return {}
    return graded_texts(session, project, items, texts=plan.texts, criterion=plan.criterion)


def _drawn_golds(
    items: Sequence[SourceText],
    golds: Mapping[int, Sequence[GradedText]] | None,
    plan: ListPlan,
    draw: int,
) -> Mapping[int, GradedText | None]:
    """Return what each golden text is written from; None where it is written from nothing."""
    if golds is None:
        return dict.fromkeys((item.item_id for item in items), None)
    return {
        item.item_id: chance(plan.seed, draw, item.name).choice(
            sorted(golds[item.item_id], key=lambda gold: gold.text)
        )
        for item in items
        if item.item_id in golds
    }
