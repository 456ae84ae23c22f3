"""How a judge came to its scores, in sentences for a methods section."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from judgelab.reporting.prompt_contents import parts_shown
from judgelab.reporting.terms import join_names
from judgelab.store.judging.judge_info import JudgeInfo

if TYPE_CHECKING:
    from judgelab.store.judging.judge_use import JudgeUse

LOCAL_BACKEND = "transformers"
PART_WORDS = {
    "question": "the question",
    "context": "the source text",
    "response": "the response",
    "responses": "all responses to the item",
    "references": "reference answers",
}
OWN_TEXT_PREFIX = "own_"  # an option own_<part> has the project's own text for that part of the prompt
EXAMPLE_OPTIONS = (
    "apart",
    "examples_from",
    "demonstrations",
)  # mean nothing if the examples are not the project's
STATE_WORDS = {
    "unscored": "had a reply without a valid score (unscored)",
    "failed": "had no reply (failed)",
    "waiting": "are still to be judged",
}
# The prompts tell what was shown; sampling has a sentence of its own.
DESCRIBED_ELSEWHERE = ("show_context", "show_references", "answers", "n", "samples", "temperature")


def describe_judge(judge: JudgeInfo, use: JudgeUse | None = None) -> str:
    """Return which model was asked, when and how often, what its prompts held, and the outcome.

    Args:
        judge: the judge's definition.
        use: the outcome of its runs and their prompts; None if it never ran.
    """
    if judge.origin == "imported":
        return imported_judgments(f"“{judge.name}”")
    if judge.origin == "scripted":
        return f"“{judge.name}”: scripted replies written for a demonstration; no model was asked."
    if judge.origin == "jury":
        return (
            f"“{judge.name}”: a jury that combines the scores of others ({_name_value_pairs(judge.options)})."
        )
    if judge.origin == "learned":
        return (
            f"“{judge.name}” is a model ({judge.model or 'regression'}) trained on this "
            "project's ratings; each response was scored by a model that was trained without its item."
        )
    sentences = [
        f"“{judge.name}”: {_how_asked(judge, use)}",
        _what_was_shown(use),
        _sampling(judge),
        _settings(judge),
        _outcome(use),
    ]
    return " ".join(part for part in sentences if part)


def imported_judgments(names: str) -> str:
    """Return what is known of judgments that were made elsewhere."""
    return (
        f"The judgments of {names} were imported without a record of the prompt, model or settings they "
        "come from."
    )


def _how_asked(judge: JudgeInfo, use: JudgeUse | None) -> str:
    model = judge.model or "no named model"
    model_names = sorted(name for name in (use.models if use else {}) if name and name != judge.model)
    answering = f"; the replies name {join_names(model_names)} as the model" if model_names else ""
    where = _where_asked(judge, use)
    return f"{model} was asked with the protocol {judge.protocol} {where}{_dates(use)}{answering}."


def _where_asked(judge: JudgeInfo, use: JudgeUse | None) -> str:
    if judge.backend == LOCAL_BACKEND:
        return "as a local model (transformers)"
    if judge.backend == "scripted":
        return "by a scripted backend that stands in for a model"
    host = urlsplit(use.address).hostname if use else None
    if not host:
        return "at an endpoint that is no longer stored"
    return f"at an OpenAI-compatible server {_describe_host(host)}"


def _describe_host(host: str) -> str:
    try:
        address = ip_address(host)
    except ValueError:
        if host == "localhost":
            return "on the same machine"
        return f"({host})" if "." in host and not host.endswith(".local") else "in a private network"
    if address.is_loopback:
        return "on the same machine"
    return "in a private network" if address.is_private else f"({host})"


def _dates(use: JudgeUse | None) -> str:
    if use is None or use.first is None or use.last is None:
        return ""
    first, last = _day(use.first), _day(use.last)
    return f" on {first}" if first == last else f" between {first} and {last}"


def _day(when: datetime) -> str:
    return when.date().isoformat()


def _what_was_shown(use: JudgeUse | None) -> str:
    if use is None or not use.prompts:
        return ""
    parts = parts_shown(use.prompts)
    always_shown = [PART_WORDS[name] for name, (seen, total) in parts.items() if seen == total]
    never_shown = [PART_WORDS[name] for name, (seen, _) in parts.items() if not seen]
    sometimes_shown = [
        f"{PART_WORDS[name]} in {seen} of {total}"
        for name, (seen, total) in parts.items()
        if 0 < seen < total
    ]
    prompt_count = len(use.prompts)
    clauses = [f"contained {join_names(always_shown)}"] if always_shown else []
    clauses += [f"contained {join_names(sometimes_shown)}"] if sometimes_shown else []
    clauses += [f"did not contain {join_names(never_shown)}"] if never_shown else []
    subject = "Its prompt" if prompt_count == 1 else f"Its prompts ({prompt_count} were read)"
    scope = "one criterion at a time" if use.by_criterion else "all criteria at once"
    return (
        f"{subject} {join_names(clauses)}, and asked for {scope}."
        if clauses
        else f"{subject} asked for {scope}."
    )


def _sampling(judge: JudgeInfo) -> str:
    temperature = judge.parameters.get("temperature")
    at_temperature = "" if temperature is None else f" at temperature {temperature:g}"
    if judge.samples == 1:
        return f"Each response was judged once{at_temperature}."
    return (
        f"Each response was judged {judge.samples} times{at_temperature}; the score is the "
        f"{judge.aggregation} over the replies with a valid score."
    )


def _settings(judge: JudgeInfo) -> str:
    own_texts = [
        name for name in judge.options if name.startswith(OWN_TEXT_PREFIX) or name in ("instruction", "steps")
    ]
    unused = EXAMPLE_OPTIONS if judge.options.get("examples") == "ours" else ()
    options_shown = {
        name: value for name, value in judge.options.items() if name not in (*own_texts, *unused)
    }
    options, parameters = _name_value_pairs(options_shown), _name_value_pairs(judge.parameters)
    own_parts = [
        name.removeprefix(OWN_TEXT_PREFIX).replace("_", " ") for name in own_texts if judge.options[name]
    ]
    parts = [
        f"options {options}" if options else "",
        f"sampling parameters {parameters}" if parameters else "",
        f"prompt template {judge.template_version}" if judge.template_version else "",
        f"the project's own text in these parts of the prompt: {join_names(own_parts)}" if own_parts else "",
    ]
    filled = [part for part in parts if part]
    return f"Further settings: {'; '.join(filled)}." if filled else ""


def _outcome(use: JudgeUse | None) -> str:
    if use is None or not sum(use.states.values()):
        return "It has not run yet."
    total = sum(use.states.values())
    lost = [f"{use.states[state]:,} {words}" for state, words in STATE_WORDS.items() if use.states.get(state)]
    losses = f"; {join_names(lost)}" if lost else ""
    return f"Of {total:,} judgments, {use.states.get('scored', 0):,} were scored{losses}."


def _name_value_pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key}={value}"
        for key, value in sorted(values.items())
        if value not in ("", None) and key not in DESCRIBED_ELSEWHERE
    )
