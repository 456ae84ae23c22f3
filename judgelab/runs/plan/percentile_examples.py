"""Rated examples for a prompt that shows all criteria at once: by percentile, from other groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from judgelab.domain import Demonstration
from judgelab.errors import InvalidInput, NotFound
from judgelab.protocols.percentiles import PERCENTILES, choose_by_percentile, shown_criteria
from judgelab.store.db.engine import Session
from judgelab.store.judging.runs import CandidateResponse, candidates
from judgelab.store.prepared.rated_rows import RatedRow, rated_rows
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import mark, sentence


def percentile_examples(
    session: Session,
    project: ProjectInfo,
    options: Mapping[str, Any],
    *,
    keys: Sequence[str],
    chosen: Sequence[int] = (),
    judged: Collection[str] = (),
) -> tuple[Demonstration, ...]:
    """Return the examples of a `few_shot` judge: the chosen responses, else one for each percentile.

    Unless groups are named they come from the fewest groups that have enough, so that others can be judged;
    from all where no other would be left.

    Args:
        session: of the store.
        project: the project.
        options: the protocol's options; `examples_from` names the groups they may come from.
        keys: the criteria that are judged.
        chosen: row ids of responses that the user wants shown.
        judged: the groups that are to be judged; empty for all.

    Raises:
        NotFound: no such group.
        InvalidInput: too few responses are rated, or a chosen one is not.
    """
    groups = named_groups(session, project, str(options.get("examples_from", "")))
    rows = rated_rows(session, project.id, groups=groups)
    if options.get("apart") and not groups and not chosen:
        all_groups = {candidate.group for candidate in candidates(session, project.id)}
        criteria = shown_criteria(keys)
        fit = [row.group for row in rows if all(key in row.scores for key in criteria)]
        split = split_groups(fit, len(criteria) * len(PERCENTILES), all_groups=all_groups, judged=judged)
        rows = [row for row in rows if not split or row.group in split]
    rated = [example_of(row, keys) for row in rows]
    if not chosen:
        # A project without ratings is refused by the protocol, with other protocols named.
        return choose_by_percentile(rated, shown_criteria(keys)) if rated else ()
    by_response = {example.response_id: example for example in rated}
    unrated = [str(response_id) for response_id in chosen if str(response_id) not in by_response]
    if unrated:
        raise InvalidInput(
            sentence(
                "responses {responses} have no rating under {criterion}; choose rated responses.",
                responses=", ".join(unrated),
                criterion=", ".join(keys),
            )
        )
    return tuple(by_response[str(response_id)] for response_id in chosen)


def split_groups(
    groups: Sequence[str], number: int, *, all_groups: Collection[str], judged: Collection[str]
) -> set[str]:
    """Return the fewest groups with enough responses for the examples; none where no other would be left.

    Groups that are not to be judged come first, then the order of import; where no group has enough by
    itself, the larger ones are put together.

    Args:
        groups: the group of each response that can be an example.
        number: how many examples are shown.
        all_groups: all groups of the project.
        judged: those that are to be judged; empty for all.
    """
    sizes = Counter(group for group in groups if group)
    order = sorted(sizes, key=lambda name: name in judged)
    enough = [name for name in order if sizes[name] >= number][:1]
    taken = set(enough)
    for name in sorted(order, key=lambda name: -sizes[name]):
        if sum(sizes[name] for name in taken) >= number:
            break
        taken.add(name)
    left = (set(judged) or set(all_groups)) - taken
    return taken if left and sum(sizes[name] for name in taken) >= number else set()


def groups_of(responses: Sequence[CandidateResponse], examples: Collection[int]) -> set[str]:
    """Return the named groups of the responses that are shown as examples."""
    return {candidate.group for candidate in responses if candidate.response_id in examples} - {""}


def describe_groups(groups: Collection[str] | None) -> str:
    """Return which groups the examples keep from being judged; empty for a run without such examples.

    `groups` is empty where the examples come from what is judged, None where there are none to speak of.
    """
    if groups is None:
        return ""
    if not groups:
        return sentence(
            "The examples have no separate split: only their own questions are excluded from judging."
        )
    return sentence(
        "Groups not judged, because the examples are taken from them: {groups}.", groups=", ".join(groups)
    )


def named_groups(session: Session, project: ProjectInfo, names: str) -> tuple[str, ...]:
    """Return the groups that a text with commas names; raises `NotFound` for one that is not there."""
    groups = tuple(name.strip() for name in names.split(",") if name.strip())
    all_groups = sorted({candidate.group for candidate in candidates(session, project.id)}) if groups else []
    for name in groups:
        if name not in all_groups:
            raise NotFound(mark("group"), name, all_groups)
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
        references=[reference.text for reference in row.references],
    )
