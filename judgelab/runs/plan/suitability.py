"""Whether a protocol can judge a project's criteria, and with which rated examples, before a run exists."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from judgelab.domain import Demonstration
from judgelab.errors import InvalidInput, NotServed
from judgelab.protocols import SHOWN_BY, ItemText, Protocol, Refusal, protocols
from judgelab.protocols.examples.demonstrations import choose_demonstrations
from judgelab.protocols.examples.example_options import uses_project_examples
from judgelab.runs.plan.judge_config import project_kind
from judgelab.runs.plan.percentile_examples import percentile_examples
from judgelab.runs.plan.planning import ALL
from judgelab.runs.plan.rated_examples import choose_rated_examples
from judgelab.runs.plan.saved_material import saved_examples
from judgelab.store.db.engine import Session
from judgelab.store.prepared.rated_examples import rated_examples
from judgelab.store.projects.item_texts import items_with_context, items_with_references
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import counted, joined, listed, mark, sentence

Examples = Mapping[str, Sequence[Demonstration]]


def examples_for(
    session: Session,
    project: ProjectInfo,
    protocol: Protocol,
    options: Mapping[str, Any],
    *,
    keys: Sequence[str],
    chosen: Sequence[int] = (),
    judged: Collection[str] = (),
) -> dict[str, tuple[Demonstration, ...]]:
    """Return the examples to show under each criterion, none where the protocol brings its own.

    Args:
        session: of the store.
        project: the project.
        protocol: asks for `protocol.shots` of them.
        options: the protocol's options.
        keys: the criteria.
        chosen: row ids of responses that the user wants shown.
        judged: the groups that are to be judged; empty for all.

    Raises:
        InvalidInput: a chosen response has no rating.
    """
    shots = protocol.shots(options)
    if not shots:
        return {}
    if protocol.asks == "all":
        shown = percentile_examples(session, project, options, keys=keys, chosen=chosen, judged=judged)
        return {ALL: shown}
    if uses_project_examples(options):
        return {
            key: choose_rated_examples(session, project, protocol, options, key, chosen=chosen, judged=judged)
            for key in keys
        }
    if chosen:
        return {key: _chosen(session, project, key, chosen) for key in keys}
    reasoned = bool(getattr(protocol, "reasoned", False))
    saved = {
        key: examples_saved
        for key in keys
        if (examples_saved := saved_examples(session, project, options, key, shots=shots, reasoned=reasoned))
    }
    response_ids = [
        key
        for key in keys
        if key not in saved and protocol.unsuited(project.criterion(key), options, kind=project_kind(project))
    ]
    return {**saved, **{key: _rated(session, project, key, shots) for key in response_ids}}


def refuse_unserved(
    session: Session,
    project: ProjectInfo,
    protocol: Protocol,
    options: Mapping[str, Any],
    *,
    keys: Sequence[str],
    shown: Examples,
) -> None:
    """Raise `NotServed` with one sentence where the protocol cannot judge one of the criteria."""
    refused = {}
    for key in keys:
        refusal = _refusal(project, protocol, options, key, shown)
        if refusal is not None:
            refused[key] = refusal
    if not refused:
        return
    first = next(iter(refused.values()))
    alike = [key for key, refusal in refused.items() if refusal == first]
    message = sentence(
        "{protocol} cannot judge {criteria}: {why}",
        protocol=sentence(protocol.title),
        criteria=_names(project, alike),
        why=first.reason,
    )
    others = [] if first.instead else _others(session, project, protocol, keys=list(refused))
    served = [key for key in keys if key not in refused]
    raise NotServed(_remedied(message, first.instead or _either(others), _names(project, served)))


LACKING: Mapping[ItemText, str] = {
    "references": mark("{protocol} needs reference answers, but no selected item has one; import some"),
    "context": mark("{protocol} needs the context, but no selected item has one; import it"),
}


def refuse_without_texts(
    session: Session,
    project: ProjectInfo,
    protocol: Protocol,
    options: Mapping[str, Any],
    *,
    keys: Sequence[str],
    items: Collection[int],
) -> None:
    """Raise `NotServed` where no item of a run has a text that the judge goes by.

    Where some items have it and others do not, QA-eval leaves those out, each with its reason; a prompt that
    only shows the text goes without.
    """
    having = {"references": items_with_references, "context": items_with_context}
    for text in sorted(protocol.item_texts(options)):
        if having[text](session, items):
            continue
        refusal = sentence(LACKING[text], protocol=sentence(protocol.title))
        instead = (
            f"{SHOWN_BY[text]}=false"
            if options.get(SHOWN_BY[text])
            else _either(_others(session, project, protocol, keys=keys))
        )
        if instead:
            raise NotServed(sentence("{refusal}, or choose {instead}.", refusal=refusal, instead=instead))
        raise NotServed(sentence("{refusal}.", refusal=refusal))


def undefined_criteria(project: ProjectInfo, keys: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the labels of criteria that give a judge only a name and the numbers of the scale.

    Args:
        project: the project.
        keys: the criteria that are judged; all of them when none is named.
    """
    plain = {"no": "No", "yes": "Yes"}
    return tuple(
        criterion.label
        for criterion in project.criteria
        if (not keys or criterion.key in keys)
        and not criterion.question.strip()
        and not any(criterion.scale.get(part) for part in ("labels", "anchors", "low_label", "high_label"))
        and all(criterion.scale.get(end, word) == word for end, word in plain.items())
    )


def undefined_note(labels: Sequence[str]) -> str:
    """Return the sentence about criteria that nothing defines."""
    return counted(
        "'{names}' has no definition: a judge sees only its name and the scale; add a question, or labels "
        "for its points, in the project's settings",
        "'{names}' have no definitions: a judge sees only their names and the scales; add questions, or "
        "labels for their points, in the project's settings",
        len(labels),
        names="', '".join(labels),
    )


def _remedied(refusal: str, instead: str, served: str) -> str:
    """Return the refusal with what to choose instead and which criteria could be judged, if any."""
    if instead and served:
        return sentence(
            "{refusal}; choose {instead}, or judge only {criteria}.",
            refusal=refusal,
            instead=instead,
            criteria=served,
        )
    if instead:
        return sentence("{refusal}; choose {instead}.", refusal=refusal, instead=instead)
    if served:
        return sentence("{refusal}; judge only {criteria}.", refusal=refusal, criteria=served)
    return sentence("{refusal}; no other protocol can do this either.", refusal=refusal)


def _refusal(
    project: ProjectInfo, protocol: Protocol, options: Mapping[str, Any], key: str, shown: Examples
) -> Refusal | None:
    return protocol.unsuited(
        project.criterion(key),
        options,
        kind=project_kind(project),
        demonstrations=shown.get(key) or shown.get(ALL, ()),
    )


def _others(
    session: Session, project: ProjectInfo, refused: Protocol, *, keys: Sequence[str]
) -> list[Protocol]:
    """Return the protocols of the same shape that can judge these criteria as they come, by any texts."""
    others = []
    for _, other in protocols.items():
        if other.needs or other.own_scale or other.asks != refused.asks or other is refused:
            continue
        options = other.settle({})
        if other.item_texts(options):
            continue
        shown = examples_for(session, project, other, options, keys=keys)
        if not any(_refusal(project, other, options, key, shown) for key in keys):
            others.append(other)
    return others


def _names(project: ProjectInfo, keys: Sequence[str]) -> str:
    return listed([f"'{project.criterion(key).label}'" for key in keys])


def _either(protocols: Sequence[Protocol]) -> str:
    titles: list[str] = [
        sentence("{protocol} ({name})", protocol=sentence(protocol.title), name=protocol.name)
        for protocol in protocols
    ]
    if len(titles) < 2:
        return joined(titles)
    return sentence("{first} or {last}", first=joined(titles[:-1]), last=titles[-1])


def _rated(session: Session, project: ProjectInfo, key: str, shots: int) -> tuple[Demonstration, ...]:
    examples = rated_examples(session, project.id, key)
    return choose_demonstrations(examples, min(shots, len(examples)))


def _chosen(
    session: Session, project: ProjectInfo, key: str, responses: Sequence[int]
) -> tuple[Demonstration, ...]:
    by_response = {
        example.response_id: example
        for example in rated_examples(session, project.id, key, responses=responses)
    }
    unrated = [str(example) for example in responses if str(example) not in by_response]
    if unrated:
        raise InvalidInput(
            sentence(
                "responses {responses} have no rating under {criterion}; choose rated responses.",
                responses=", ".join(unrated),
                criterion=key,
            )
        )
    return tuple(by_response[str(example)] for example in responses)
