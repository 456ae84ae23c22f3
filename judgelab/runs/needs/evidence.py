"""The words of other evaluators, for judges that are told them: metrics, and finished runs of judges."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from judgelab.domain import Evidence
from judgelab.protocols.meta import evaluators_in
from judgelab.runs.plan.protocol_needs import NeedSource, sources
from judgelab.store.db.engine import Session
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.scoring.evaluator_scores import EvaluatorScore, evaluator_scores, evaluators
from judgelab.wording import sentence


class EvaluatorScores(NeedSource):
    """The scores of the raters that the option `evidence` names, with commas between them."""

    by = "response"

    def load(
        self, session: Session, project_id: int, options: Mapping[str, Any], item_ids: Collection[int]
    ) -> Mapping[int, Sequence[Evidence]]:
        """Return the evidence of each of the items' responses."""
        scores = evaluator_scores(session, project_id, evaluators_in(options), item_ids)
        return {
            response: [Evidence(*values) for values in response_scores]
            for response, response_scores in scores.items()
        }

    def refusal(
        self,
        session: Session,
        project: ProjectInfo,
        options: Mapping[str, Any],
        responses: Mapping[int, Sequence[int]],
    ) -> str | None:
        """Return why a run cannot start: an evaluator that nobody knows, or who scored none of the responses.

        A response that one of them did not score is not judged, and its judgment says so.
        """
        names, available = evaluators_in(options), evaluators(session, project.id)
        strangers = [name for name in names if name not in available]
        if strangers:
            return sentence(
                "no metric and no finished judge run is named '{name}'; choose evidence from: {known}.",
                name=strangers[0],
                known=", ".join(available) or "–",
            )
        scores = evaluator_scores(session, project.id, names, list(responses))
        needed = [response for many in responses.values() for response in many]
        for name in names:
            if not any(_has_score(scores.get(response, ()), name) for response in needed):
                return sentence(
                    "no selected response has a score from '{name}', which the prompt shows to the judge; "
                    "score the responses first, or remove '{name}' from the evidence.",
                    name=name,
                )
        return None


def _has_score(scores: Sequence[EvaluatorScore], name: str) -> bool:
    return any(score.evaluator == name and score.score is not None for score in scores)


sources.register("evidence")(EvaluatorScores())
