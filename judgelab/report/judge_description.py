"""How a judge came to its scores, in sentences that a methods section can take over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from judgelab.report.prompt_contents import parts_shown
from judgelab.store.judging.judge_use import JudgeUse
from judgelab.store.judging.judges import JudgeInfo

LOCAL = "transformers"
PART_WORDS = {
    "question": "the question",
    "context": "the source text",
    "response": "the response",
    "responses": "all responses to the item",
    "references": "reference answers",
}
OWN = "own_"  # before the part of the prompt in the name of the option that carries an own text
OF_EXAMPLES = ("apart", "examples_from", "demonstrations")  # say nothing where no example is the project's
OUTCOMES = {
    "unscored": "had a reply without a valid score (unscored)",
    "failed": "had no reply (failed)",
    "waiting": "are still to be judged",
}
# What was shown is said from the prompts, and the number of samples in a sentence of its own.
SAID_ELSEWHERE = ("show_context", "show_references", "answers", "n", "samples", "temperature")


def judge_words(judge: JudgeInfo, use: JudgeUse | None = None) -> str:
    """Return who was asked, what the prompts held, when, how often, and what came of it.

    Args:
        judge: its definition.
        use: what its runs came to; None for a judge that never ran.
    """
    if judge.origin == "imported":
        return (
            f"“{judge.name}”: its scores were imported from a file, which does not say what prompt, model or "
            "settings they come from."
        )
    if judge.origin == "scripted":
        return f"“{judge.name}”: scripted replies written for a demonstration; no model was asked."
    if judge.origin == "jury":
        return f"“{judge.name}”: a jury that combines the scores of others ({_pairs(judge.options)})."
    if judge.origin == "learned":
        return (
            f"“{judge.name}”: a model ({judge.model or 'regression'}) trained on the raters' scores of this "
            "project; each response was scored by a model that was trained without its item."
        )
    sentences = [
        f"“{judge.name}”: {_asked(judge, use)}",
        _seen(use),
        _sampled(judge),
        _settings(judge),
        _came(use),
    ]
    return " ".join(part for part in sentences if part)


def _asked(judge: JudgeInfo, use: JudgeUse | None) -> str:
    model = judge.model or "no named model"
    model_names = sorted(name for name in (use.models if use else {}) if name and name != judge.model)
    answering = f"; the replies name {_listed(model_names)} as the model" if model_names else ""
    return (
        f"{model} was asked with the protocol {judge.protocol} {_where(judge, use)}{_dates(use)}{answering}."
    )


def _where(judge: JudgeInfo, use: JudgeUse | None) -> str:
    if judge.backend == LOCAL:
        return "as a local model (transformers)"
    if judge.backend == "scripted":
        return "by a scripted backend that stands in for a model"
    host = urlsplit(use.address).hostname if use else None
    if not host:
        return "at an endpoint that is no longer stored"
    return f"at an OpenAI-compatible server {_placed(host)}"


def _placed(host: str) -> str:
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


def _seen(use: JudgeUse | None) -> str:
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
    clauses = [f"held {_listed(always_shown)}"] if always_shown else []
    clauses += [f"held {_listed(sometimes_shown)}"] if sometimes_shown else []
    clauses += [f"did not hold {_listed(never_shown)}"] if never_shown else []
    subject = "Its prompt" if prompt_count == 1 else f"Its prompts ({prompt_count} were read)"
    scope = "one criterion at a time" if use.by_criterion else "all criteria at once"
    return (
        f"{subject} {_listed(clauses)}, and asked for {scope}."
        if clauses
        else f"{subject} asked for {scope}."
    )


def _sampled(judge: JudgeInfo) -> str:
    temperature = judge.parameters.get("temperature")
    at_temperature = "" if temperature is None else f" at temperature {temperature:g}"
    if judge.samples == 1:
        return f"Each response was judged once{at_temperature}."
    return (
        f"Each response was judged {judge.samples} times{at_temperature}; the score is the {judge.aggregation} over the "
        "replies with a valid score."
    )


def _settings(judge: JudgeInfo) -> str:
    own_texts = [name for name in judge.options if name.startswith(OWN) or name in ("instruction", "steps")]
    unused = OF_EXAMPLES if judge.options.get("examples") == "ours" else ()
    options_shown = {
        name: value for name, value in judge.options.items() if name not in (*own_texts, *unused)
    }
    options, parameters = _pairs(options_shown), _pairs(judge.parameters)
    own_parts = [name.removeprefix(OWN).replace("_", " ") for name in own_texts if judge.options[name]]
    parts = [
        f"options {options}" if options else "",
        f"sampling parameters {parameters}" if parameters else "",
        f"prompt template {judge.template_version}" if judge.template_version else "",
        f"the project's own text in these parts of the prompt: {_listed(own_parts)}" if own_parts else "",
    ]
    filled = [part for part in parts if part]
    return f"Further settings: {'; '.join(filled)}." if filled else ""


def _came(use: JudgeUse | None) -> str:
    if use is None or not sum(use.states.values()):
        return "It has not run yet."
    total = sum(use.states.values())
    lost = [f"{use.states[state]:,} {words}" for state, words in OUTCOMES.items() if use.states.get(state)]
    losses = f"; {_listed(lost)}" if lost else ""
    return f"Of {total:,} judgments, {use.states.get('scored', 0):,} were scored{losses}."


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key}={value}"
        for key, value in sorted(values.items())
        if value not in ("", None) and key not in SAID_ELSEWHERE
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
