"""Rated examples for a prompt that shows all criteria at once: by percentile, from other groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Demonstration
from judgelab.errors import InvalidInput, NotFound
from judgelab.protocols.percentiles import by_percentile, shown_criteria
from judgelab.store.engine import Session
from judgelab.store.projects import ProjectInfo
from judgelab.store.rated_rows import RatedRow, rated_rows
from judgelab.store.runs import candidates
from judgelab.wording import mark, sentence


def percentile_examples(
    session: Session,
    project: ProjectInfo,
    options: Mapping[str, Any],
    *,
    keys: Sequence[str],
    chosen: Sequence[int] = (),
) -> tuple[Demonstration, ...]:
    """Return the examples of a `few_shot` judge: the chosen responses, else one for each percentile.

    Args:
        session: of the store.
        project: the project.
        options: the protocol's options; `examples_from` names the groups they may come from.
        keys: the criteria that are judged.
        chosen: row ids of responses that the user wants shown.

    Raises:
        NotFound: no such group.
        InvalidInput: too few responses are rated, or a chosen one is not.
    """
    groups = named_groups(session, project, str(options.get("examples_from", "")))
    rated = [example_of(row, keys) for row in rated_rows(session, project.id, groups=groups)]
    if not chosen:
        # A project without ratings is refused by the protocol, with other protocols named.
        return by_percentile(rated, shown_criteria(keys)) if rated else ()
    found = {one.response_id: one for one in rated}
    unrated = [str(one) for one in chosen if str(one) not in found]
    if unrated:
        raise InvalidInput(
            sentence(
                "responses {responses} have no rating of {criterion}; choose rated ones.",
                responses=", ".join(unrated),
                criterion=", ".join(keys),
            )
        )
    return tuple(found[str(one)] for one in chosen)


def named_groups(session: Session, project: ProjectInfo, names: str) -> tuple[str, ...]:
    """Return the groups that a text with commas names; raises `NotFound` for one that is not there."""
    groups = tuple(name.strip() for name in names.split(",") if name.strip())
    known = sorted({one.group for one in candidates(session, project.id)}) if groups else []
    for name in groups:
        if name not in known:
            raise NotFound(mark("group"), name, known)
    return groups


def example_of(row: RatedRow, keys: Sequence[str]) -> Demonstration:
    """Return a rated response as an example with its scores under these criteria."""
    scores = {key: row.scores[key] for key in keys if key in row.scores}
    return Demonstration(
        question=row.question,
        response=row.text,
        score=sum(scores.values()) / len(scores) if scores else 0.0,
        context=row.context,
        response_id=str(row.response_id),
        scores=scores,
        references=[one.text for one in row.references],
    )
