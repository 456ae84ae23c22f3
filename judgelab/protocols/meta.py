"""A judge that sees other evaluators' scores of the same response (BioASQ study, section 4.2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Evidence, Task
from judgelab.errors import NotPromptable
from judgelab.options import Option
from judgelab.protocols.core.base import register
from judgelab.protocols.core.prompts import clean, section
from judgelab.protocols.examples.rubric import RUBRIC_EXAMPLES
from judgelab.protocols.rubric import RUBRIC_OPTIONS, Rubric, rubric_texts
from judgelab.wording import Sentence, mark, sentence

EVIDENCE = Option(
    "evidence",
    "text",
    "repscore,smog",
    help=mark(
        "Metrics and judges whose scores are shown, separated by commas; a response without one of these "
        "scores is not judged."
    ),
)
NO_REASON = mark("no reason given")
FORM = Option("form", "choice", "otb", ("otb", "rts"), mark("Scores only, or a rationale before each score."))
# The study's criterion that a metric was used for; what its number means stands in the template.
HELPS: Mapping[str, str] = {"repscore": "repetition", "smog": "readability"}
# The versions in which the other scores stand before the case, though they differ from response to response.
BEFORE_CASE = ("1", "2")


@register
class MetaEvaluator(Rubric):
    """BioASQ's meta-evaluator: sees Repscore, SMOG and the scores of any finished run with the case."""

    name = "meta"
    title = mark("Meta-evaluator")
    summary = mark(
        "Shows the scores that metrics and other judges gave the response, then asks for all criteria at "
        "once."
    )
    needs = frozenset({"evidence"})
    options = (EVIDENCE, FORM, *RUBRIC_OPTIONS)
    parts = ("task", "criteria", "output", "evaluators")
    examples = RUBRIC_EXAMPLES

    def with_reasons(self, options: Mapping[str, Any]) -> bool:
        """Return whether the reply explains each score first."""
        return bool(options["form"] == "rts")

    def middle(self, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return the other evaluators' scores in the versions in which they stand before the case."""
        return self._evaluators(task, options) if self.template_version in BEFORE_CASE else ()

    def before_response(self, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return the other evaluators' scores; the study does not print where they stand."""
        return () if self.template_version in BEFORE_CASE else self._evaluators(task, options)

    def _evaluators(self, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return the section with the other evaluators' scores.

        Raises:
            NotPromptable: a score that must be shown is missing.
        """
        available = {evidence.evaluator for evidence in task.evidence if evidence.score is not None}
        missing = [name for name in evaluators_in(options) if name not in available]
        if missing:
            raise NotPromptable(_missing(task, missing), cause="score_missing")
        if not task.evidence:
            return ()
        texts = rubric_texts(self.template_version)["evaluators"]
        lines = [_line(evidence, task, texts["metrics"]) for evidence in task.evidence]
        return (section("evaluators", "\n".join([texts["head"], *lines])),)


def evaluators_in(options: Mapping[str, Any]) -> list[str]:
    """Return the evaluators named in the option `evidence`, each once."""
    names = (name.strip() for name in str(options.get("evidence", "")).split(","))
    return list(dict.fromkeys(name for name in names if name))


def _missing(task: Task, names: Sequence[str]) -> Sentence:
    """Return which score is missing: not computed yet, or impossible for the metric."""
    response = sentence("response '{response}' of item '{item}'", response=task.response_name, item=task.item)
    reasons = {evidence.evaluator: evidence.reason for evidence in task.evidence}
    unasked = [name for name in names if name not in reasons]
    if unasked:
        return sentence(
            "the score from {names} is missing for {response}, and the judge needs it; have the response "
            "scored, then retry with `judgelab run retry-failed`.",
            names=", ".join(f"'{name}'" for name in unasked),
            response=response,
        )
    return sentence(
        "the metric '{name}' has no value for {response} ({reason}), and the judge needs it; leave the "
        "metric out of the option evidence to have the response judged.",
        name=names[0],
        response=response,
        reason=sentence(reasons[names[0]] or NO_REASON),
    )


def _line(evidence: Evidence, task: Task, meanings: Mapping[str, str]) -> str:
    helps, meaning = HELPS.get(evidence.evaluator, ""), meanings.get(evidence.evaluator, "")
    keys = {criterion.key for criterion in task.criteria}
    criterion = evidence.criterion or (helps if helps in keys else "")
    name = clean(evidence.evaluator)
    label = f"{name} ({meaning})" if meaning else name
    scope = f"for {criterion}" if criterion else "for the whole response"
    return f"- {label}, {scope}: {_format_score(evidence.score)}"


def _format_score(score: float | None) -> str:
    return "" if score is None else f"{round(score, 3):g}"
