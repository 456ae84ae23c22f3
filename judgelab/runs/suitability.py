"""Whether a protocol can judge a project's criteria, and with which rated examples, before a run exists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Demonstration
from judgelab.errors import InvalidInput, NotServed
from judgelab.protocols import Protocol, Refusal, protocols
from judgelab.protocols.demonstrations import choose_demonstrations
from judgelab.runs.briefing import project_kind
from judgelab.store.engine import Session
from judgelab.store.projects import ProjectInfo
from judgelab.store.rated_examples import rated_examples

Examples = Mapping[str, Sequence[Demonstration]]


def examples_for(
    session: Session,
    project: ProjectInfo,
    protocol: Protocol,
    options: Mapping[str, Any],
    *,
    keys: Sequence[str],
    chosen: Sequence[int] = (),
) -> dict[str, tuple[Demonstration, ...]]:
    """Return the examples to show under each criterion, none where the protocol brings its own.

    Args:
        session: of the store.
        project: the project.
        protocol: asks for `protocol.shots` of them.
        options: the protocol's options.
        keys: the criteria.
        chosen: row ids of responses that the user wants shown.

    Raises:
        InvalidInput: a chosen response has no rating.
    """
    shots = protocol.shots(options)
    if not shots:
        return {}
    if chosen:
        return {key: _chosen(session, project, key, chosen) for key in keys}
    wanted = [
        key for key in keys if protocol.refusal(project.criterion(key), options, kind=project_kind(project))
    ]
    return {key: _rated(session, project, key, shots) for key in wanted}


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
    said = f"{protocol.title} cannot judge {_names(project, alike)}: {first.reason}"
    others = [] if first.instead else _others(session, project, keys=list(refused))
    instead = first.instead or _listed([f"{other.title} ({other.name})" for other in others], "or")
    served = [key for key in keys if key not in refused]
    ways = [f"choose {instead}"] if instead else []
    ways += [f"judge only {_names(project, served)}"] if served else []
    raise NotServed(f"{said}; {', or '.join(ways) or 'no other protocol can either'}.")


def _refusal(
    project: ProjectInfo, protocol: Protocol, options: Mapping[str, Any], key: str, shown: Examples
) -> Refusal | None:
    return protocol.refusal(
        project.criterion(key),
        options,
        kind=project_kind(project),
        demonstrations=shown.get(key, ()),
    )


def _others(session: Session, project: ProjectInfo, *, keys: Sequence[str]) -> list[Protocol]:
    """Return the protocols that can judge these criteria as they come."""
    found = []
    for _, other in protocols.items():
        options = other.settle({})
        shown = examples_for(session, project, other, options, keys=keys)
        if not any(_refusal(project, other, options, key, shown) for key in keys):
            found.append(other)
    return found


def _names(project: ProjectInfo, keys: Sequence[str]) -> str:
    return _listed([f"'{project.criterion(key).label}'" for key in keys], "and")


def _listed(words: Sequence[str], last: str) -> str:
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _rated(session: Session, project: ProjectInfo, key: str, shots: int) -> tuple[Demonstration, ...]:
    found = rated_examples(session, project.id, key)
    return choose_demonstrations(found, min(shots, len(found)))


def _chosen(
    session: Session, project: ProjectInfo, key: str, responses: Sequence[int]
) -> tuple[Demonstration, ...]:
    found = {one.response_id: one for one in rated_examples(session, project.id, key, responses=responses)}
    unrated = [str(one) for one in responses if str(one) not in found]
    if unrated:
        raise InvalidInput(f"responses {', '.join(unrated)} have no rating of {key}; choose rated ones.")
    return tuple(found[str(one)] for one in responses)
