"""From what a user asks for to a judge and its units, checked, before anything is stored or sent."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judgelab.backends import Backend, backends
from judgelab.backends.sample_replies import PREFIX
from judgelab.backends.scripted import RULE, read_script
from judgelab.domain import Demonstration
from judgelab.errors import InvalidInput, NotFound
from judgelab.protocols import Protocol, protocols
from judgelab.protocols.core.aggregation import AGGREGATIONS
from judgelab.protocols.examples.example_options import EXAMPLES_OPTION, RATED, uses_project_examples
from judgelab.runs.plan.judge_config import JudgeConfig, project_kind
from judgelab.runs.plan.percentile_examples import groups_of
from judgelab.runs.plan.planning import PlannedUnits, by_item, plan_items, plan_units, select_responses
from judgelab.runs.plan.prompt_inputs import check_prepared, reserved, with_inputs
from judgelab.runs.plan.saved_material import with_versions
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.runs.plan.suitability import examples_for, refuse_unserved, refuse_without_texts
from judgelab.store.db.engine import Session
from judgelab.store.judging.endpoints import EndpointInfo, find_endpoint
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.judges import list_judges
from judgelab.store.judging.judgments import units_without_run
from judgelab.store.judging.runs import CandidateResponse, candidates
from judgelab.store.prepared.rated_examples import same_text_responses
from judgelab.store.prepared.rated_rows import responses_of_same_items
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating.criteria import criterion_ids
from judgelab.store.scoring.tuned_models import training_responses
from judgelab.wording import mark, sentence

MOST_SAMPLES = 100
TRIED_UNITS = 50  # units among which one must have a prompt
RANGES: Mapping[str, tuple[float, float]] = {
    "temperature": (0.0, 2.0),
    "top_p": (0.0, 1.0),
    "max_tokens": (1, 1_000_000),
}


@dataclass(frozen=True)
class RunDraft:
    """A judge that is not stored yet (its id is 0), and the units it would judge.

    Attributes:
        judge_config: what all its units share.
        units: what it would judge.
        excluded: row ids of the responses that it must not judge.
        split: the groups that are not judged because the examples come from them; empty where the examples
            come from what is judged, None for a protocol that shows none by percentile.
    """

    judge_config: JudgeConfig
    units: PlannedUnits
    excluded: Sequence[int]
    split: Sequence[str] | None = None


def build_run(
    session: Session,
    project: ProjectInfo,
    spec: JudgeSpec,
    selection: Selection,
    *,
    all_responses: Sequence[CandidateResponse] | None = None,
) -> RunDraft:
    """Return what a run would do.

    `all_responses` may be the project's `candidates`, for callers that draft several times.

    Raises:
        UserError: something cannot be taken; the sentence says what to do.
    """
    protocol = _in_wording_of_judge(session, project, spec)
    keys = _criteria(project, selection)
    endpoint = _endpoint(session, spec)
    spec = replace(spec, options=with_versions(session, project, protocol, _own_texts(spec, protocol)))
    judge = _judge(spec, protocol, endpoint)
    shown = examples_for(
        session, project, protocol, judge.options,
        keys=keys, chosen=spec.demonstrations, judged=selection.groups,
    )  # fmt: skip
    refuse_unserved(session, project, protocol, judge.options, keys=keys, shown=shown)
    examples = {int(e.response_id) for many in shown.values() for e in many if e.response_id}
    otherwise_shown = reserved(session, project.id, protocol, judge)
    otherwise_shown |= training_responses(session, project.id, judge.model)
    if protocol.asks == "all" or uses_project_examples(judge.options):
        examples |= responses_of_same_items(session, examples)
    excluded = sorted(examples | same_text_responses(session, project.id, examples) | otherwise_shown)
    all_responses = candidates(session, project.id) if all_responses is None else all_responses
    whole = protocol.judges == "item"
    chosen = replace(selection, limit=None) if whole else selection
    chosen_by_hand = bool(spec.demonstrations) or not judge.options.get("apart")
    example_groups = set() if chosen_by_hand else groups_of(all_responses, examples)
    split = _split(all_responses, chosen, excluded, example_groups)
    excluded = sorted({*excluded, *(r.response_id for r in all_responses if r.group in split)})
    responses = select_responses(all_responses, chosen, excluded=excluded)
    if not responses:
        raise InvalidInput(
            sentence(
                "the selection has no responses of project '{project}'; import some, or widen it.",
                project=project.slug,
            )
        )
    items = by_item(
        all_responses, responses, least=2 if whole else 1, limit=selection.limit if whole else None
    )
    if not items:
        raise InvalidInput(
            sentence(
                "{protocol} compares the responses of an item, but no selected item has two; choose more "
                "systems, or another protocol.",
                protocol=sentence(protocol.title),
            )
        )
    refuse_without_texts(session, project, protocol, judge.options, keys=keys, items=items)
    check_prepared(session, project, protocol, judge, items=items)
    judge_config = _judge_config(session, project, judge, protocol, endpoint, keys, shown)
    if whole:
        units = plan_items(list(items.values()), keys, protocol.asks)
    else:
        units = plan_units(responses, keys, protocol.asks)
    draft = RunDraft(judge_config, units, excluded, split if "apart" in judge.options and examples else None)
    _try_prompt(session, draft)
    return draft


def _in_wording_of_judge(session: Session, project: ProjectInfo, spec: JudgeSpec) -> Protocol:
    """Return the protocol: in its newest wording, or in that of the judge of this name, which goes on."""
    protocol, name = protocols.get(spec.protocol), spec.name.strip()
    stored = next((judge for judge in list_judges(session, project.id) if judge.name == name), None)
    if stored is None or stored.protocol != protocol.name or not stored.template_version:
        return protocol
    return protocol.at(stored.built_in_wording)


def _own_texts(spec: JudgeSpec, protocol: Protocol) -> Mapping[str, Any]:
    """Return the options; where responses are chosen as examples, these take the place of the protocol's."""
    option_names = {option.name for option in protocol.options}
    if not spec.demonstrations or EXAMPLES_OPTION not in option_names or EXAMPLES_OPTION in spec.options:
        return spec.options
    return {**spec.options, EXAMPLES_OPTION: RATED}


def _split(
    responses: Sequence[CandidateResponse], chosen: Selection, excluded: Sequence[int], groups: set[str]
) -> list[str]:
    """Return the groups of the examples, in order; none where nothing else would be left to judge."""
    others = [response for response in responses if response.group not in groups]
    return sorted(groups) if select_responses(others, chosen, excluded=excluded) else []


def _criteria(project: ProjectInfo, selection: Selection) -> list[str]:
    keys = [criterion.key for criterion in project.criteria]
    for key in selection.criteria:
        if key not in keys:
            raise NotFound(mark("criterion"), key, keys)
    if not keys:
        raise InvalidInput(
            sentence(
                "project '{project}' has no criteria yet; add one or import ratings.", project=project.slug
            )
        )
    return [key for key in keys if not selection.criteria or key in selection.criteria]


def _endpoint(session: Session, spec: JudgeSpec) -> EndpointInfo | None:
    kind = backends.get(spec.backend)
    if not kind.needs_endpoint:
        return None
    if not spec.endpoint:
        raise InvalidInput(
            sentence(
                "the backend '{backend}' needs an endpoint; add one with `judgelab endpoint add NAME "
                "--base-url URL` and name it with --endpoint.",
                backend=spec.backend,
            )
        )
    return find_endpoint(session, spec.endpoint)


def _judge(spec: JudgeSpec, protocol: Protocol, endpoint: EndpointInfo | None) -> JudgeInfo:
    kind = backends.get(spec.backend)
    model = _model(spec)
    samples = protocol.samples if spec.samples is None else spec.samples
    if not 1 <= samples <= MOST_SAMPLES:
        raise _out_of_range("samples", samples, 1, MOST_SAMPLES)
    aggregation = spec.aggregation or protocol.aggregation
    if aggregation not in AGGREGATIONS:
        raise NotFound(mark("aggregation"), aggregation, AGGREGATIONS)
    return JudgeInfo(
        id=0,
        name=spec.name.strip() or default_name(protocol.name, model),
        origin=kind.origin,
        protocol=protocol.name,
        options=protocol.settle(spec.options),
        backend=spec.backend,
        endpoint_id=endpoint.id if endpoint else None,
        model=model,
        parameters=_parameters(spec, protocol, kind),
        samples=samples,
        aggregation=aggregation,
        template_version=protocol.template_version,
        own_scale=protocol.own_scale,
    )


def _model(spec: JudgeSpec) -> str:
    if not spec.model.strip():
        raise InvalidInput(sentence("a judge needs a model; name it with --model."))
    if spec.backend == "scripted" and spec.model.startswith(PREFIX):
        read_script(spec.model)
    elif spec.backend == "scripted" and spec.model != RULE:
        # Workers run elsewhere: they need the whole path.
        path = os.path.abspath(spec.model)
        read_script(path)
        return path
    return backends.get(spec.backend).checked_model(spec.model)


def default_name(protocol: str, model: str) -> str:
    """Return what a judge is called that was given no name.

    Example: "direct" with "meta-llama/Meta-Llama-3-8B" is "direct Meta-Llama-3-8B"; a script goes by its
    file's name.
    """
    last = Path(model).stem if model.endswith(".json") else model.rstrip("/").rsplit("/", 1)[-1]
    return f"{protocol} {last}"


def _parameters(spec: JudgeSpec, protocol: Protocol, kind: type[Backend]) -> dict[str, Any]:
    own_parameters = {name: value for name, value in spec.parameters.items() if name in kind.own_parameters}
    defaults = {} if kind.origin == "scripted" else protocol.default_parameters(protocol.settle(spec.options))
    merged = {**defaults, **spec.parameters, **own_parameters}
    for name, (low, high) in RANGES.items():
        value = merged.get(name)
        if value is not None and not low <= value <= high:
            raise _out_of_range(name, value, low, high)
    return {name: value for name, value in merged.items() if value is not None}


def _out_of_range(name: str, value: float, low: float, high: float) -> InvalidInput:
    return InvalidInput(
        sentence(
            "{name}: {value} is not allowed; enter {low} to {high}.",
            name=name,
            value=f"{value:g}",
            low=f"{low:g}",
            high=f"{high:g}",
        )
    )


def _judge_config(
    session: Session,
    project: ProjectInfo,
    judge: JudgeInfo,
    protocol: Protocol,
    endpoint: EndpointInfo | None,
    keys: Sequence[str],
    shown: Mapping[str, Sequence[Demonstration]],
) -> JudgeConfig:
    return JudgeConfig(
        judge=judge,
        protocol=protocol,
        endpoint=endpoint,
        criteria=tuple(c for c in project.criteria if c.key in keys),
        criterion_ids=criterion_ids(session, project.id),
        project_id=project.id,
        kind=project_kind(project),
        demonstrations=shown,
    )


def _try_prompt(session: Session, draft: RunDraft) -> None:
    """Build a prompt: what its protocol refuses is refused before a run exists.

    A unit without the texts or the prepared material that a protocol needs fails by itself; one that has them
    is looked for among units spread over all.
    """
    protocol = draft.judge_config.protocol
    spread = protocol.needs or protocol.item_texts(draft.judge_config.judge.options)
    tried = draft.units[:: max(1, len(draft.units) // TRIED_UNITS)] if spread else draft.units[:1]
    tried_units = units_without_run(session, tried)
    refused = None
    for unit in with_inputs(session, draft.judge_config, tried_units):
        try:
            draft.judge_config.calls(draft.judge_config.task(unit))
            return
        except InvalidInput as error:
            refused = refused or error
    if refused is not None:
        raise refused
