"""Rated responses as examples for a judge that brings its own: spread over the scores, from groups apart."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from judgelab.domain import Criterion, Demonstration
from judgelab.errors import InvalidInput
from judgelab.protocols import Protocol
from judgelab.protocols.examples.demonstrations import choose_demonstrations
from judgelab.protocols.examples.example_options import EXAMPLES_OPTION, SAVED_SET
from judgelab.runs.plan.percentile_examples import named_groups, split_groups
from judgelab.runs.plan.saved_material import saved_examples
from judgelab.scales import Scale, scale_from_json
from judgelab.store.db.engine import Session
from judgelab.store.judging.runs import candidates
from judgelab.store.prepared.rated_rows import RatedRow, rated_rows
from judgelab.store.prepared.reference_lists import ListEntry, lists_of
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import sentence

REFERENCE_LIST = "reference_list"


def choose_rated_examples(
    session: Session,
    project: ProjectInfo,
    protocol: Protocol,
    options: Mapping[str, Any],
    key: str,
    *,
    chosen: Sequence[int] = (),
    judged: Collection[str] = (),
) -> tuple[Demonstration, ...]:
    """Return the project's examples under a criterion, as many as the protocol shows or all there are.

    An example has what its prompt shows beside it: reference answers or, for a judge of a list, a list of
    references graded by people. The score of one with a list is the place at which the response stands.

    Args:
        session: of the store.
        project: the project.
        protocol: asks for `protocol.shots` of them.
        options: the protocol's options.
        key: the criterion.
        chosen: row ids of responses that the user wants shown.
        judged: the groups that are to be judged; empty for all.

    Raises:
        NotFound: no such group.
        InvalidInput: a chosen response cannot be an example.
    """
    shots, criterion = protocol.shots(options), project.criterion(key)
    groups = named_groups(session, project, str(options.get("examples_from", "")))
    rows = rated_rows(session, project.id, groups=groups, criterion=key)
    with_lists = (
        _with_lists(session, project, options, rows, criterion) if REFERENCE_LIST in protocol.needs else None
    )
    examples = with_lists if with_lists is not None else _with_references(rows, criterion)
    if chosen:
        return _named(examples, chosen, key)
    if options.get(EXAMPLES_OPTION) == SAVED_SET:
        reasoned = bool(options.get("explain"))
        saved = saved_examples(session, project, options, key, shots=shots, reasoned=reasoned) or ()
        references = {example.response_id: example.references for example in examples}
        return tuple(
            replace(example, references=references.get(example.response_id, ())) for example in saved
        )
    if options.get("apart") and not groups:
        group_of = {str(row.response_id): row.group for row in rows}
        all_groups = {example.group for example in candidates(session, project.id)}
        split = split_groups(
            [group_of[str(example.response_id)] for example in examples],
            shots,
            all_groups=all_groups,
            judged=judged,
        )
        examples = [
            example for example in examples if not split or group_of[str(example.response_id)] in split
        ]
    return choose_demonstrations(examples, min(shots, len(examples)))


def _named(candidates: Sequence[Demonstration], chosen: Sequence[int], key: str) -> tuple[Demonstration, ...]:
    by_response = {example.response_id: example for example in candidates}
    missing = [str(response_id) for response_id in chosen if str(response_id) not in by_response]
    if missing:
        raise InvalidInput(
            sentence(
                "responses {responses} can't be examples: they lack a rating under {criterion}, or "
                "something else that the prompt shows with an example.",
                responses=", ".join(missing),
                criterion=key,
            )
        )
    return tuple(by_response[str(response_id)] for response_id in chosen)


def _with_references(rows: Sequence[RatedRow], criterion: Criterion) -> list[Demonstration]:
    """Return the responses to items with reference answers; a tie of right and wrong is no example."""
    scale = scale_from_json(criterion.scale)
    middle = (scale.low + scale.high) / 2
    return [
        Demonstration(
            question=row.question,
            response=row.text,
            score=scale.high if row.scores[criterion.key] > middle else scale.low,
            context=row.context,
            response_id=str(row.response_id),
            references=[reference.text for reference in row.references],
        )
        for row in rows
        if row.references and row.scores[criterion.key] != middle
    ]


def _with_lists(
    session: Session,
    project: ProjectInfo,
    options: Mapping[str, Any],
    rows: Sequence[RatedRow],
    criterion: Criterion,
) -> list[Demonstration]:
    """Return the responses of items with two or more graded references, each with its rank in the list."""
    scale = scale_from_json(criterion.scale)
    lists = lists_of(session, project.id, str(options["list"]), int(options["draw"]))
    examples = []
    for row in rows:
        entries = lists[row.item_id].entries if row.item_id in lists else ()
        grades = [_grade(entry, scale) for entry in entries]
        known_grades = [grade for grade in grades if grade is not None]
        if len(known_grades) < 2 or len(known_grades) < len(entries):
            continue
        if any(row.response_id == entry.response_id or row.text == entry.text for entry in entries):
            continue
        ahead = sum(grade > row.scores[criterion.key] + 1e-9 for grade in known_grades)
        examples.append(
            Demonstration(
                question=row.question,
                response=row.text,
                score=float(ahead + 1),
                context=row.context,
                response_id=str(row.response_id),
                references=[entry.text for entry in entries],
            )
        )
    return examples


def _grade(entry: ListEntry, scale: Scale) -> float | None:
    """Return an entry's grade on the scale of the ratings; None for a written text on another scale."""
    if entry.rating is not None:
        return entry.rating
    points = [point.value for point in scale.points()]
    return points[entry.grade] if len(points) == 4 and entry.grade < 4 else None
