"""The grammar in which a judge lists all labels that apply: "vague, wrong", or "none of these"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judgelab.errors import InvalidInput
from judgelab.protocols.reading.grammar import Grammar
from judgelab.protocols.reading.numbers import StatedScore
from judgelab.scales import Scale
from judgelab.scales.categorical import NO_LABEL, Categorical
from judgelab.wording import sentence


class LabelList(Grammar):
    """All labels that apply, with commas between them, or as a JSON list."""

    name = "labels"

    def fields(self, scale: Scale) -> Mapping[str, str]:
        """Return the labels in the order of the scale."""
        return {"labels": ", ".join(f'"{label}"' for label in _labels(scale)), "none": NO_LABEL}

    def read(self, text: str, scale: Scale, *, explain: bool, about: str = "") -> StatedScore:
        """Return the set of the labels listed on the last line, or as the only line."""
        lines = text.strip().splitlines() or [""]
        if not explain and len(lines) > 1:
            return StatedScore(None, sentence("the reply is more than a list of labels"))
        listed = lines[-1].strip(" .*_`")
        for name in ("labels:", "answer:"):
            listed = listed[len(name) :].strip(" *_`") if listed.casefold().startswith(name) else listed
        if not listed:
            return StatedScore(None, sentence("no labels in the reply"))
        try:
            score = scale.read(listed if listed.startswith("[") else listed.replace('"', ""))
        except InvalidInput as error:
            return StatedScore(None, error.args[0])
        reason = sentence("no labels in the reply") if listed.isdecimal() else scale.reject(score)
        return (
            StatedScore(None, reason)
            if reason
            else StatedScore(score, rationale="\n".join(lines[:-1]).strip())
        )

    def signs(self, scale: Scale, *, explain: bool) -> Sequence[Sequence[str]]:
        """Return every label."""
        return [(label,) for label in _labels(scale)]

    def write(self, score: float, scale: Scale) -> str:
        """Return the labels of the set with commas between them."""
        members = scale.members(score) if isinstance(scale, Categorical) else []
        return ", ".join(members) or NO_LABEL

    def refusal(self, scale: Scale) -> str | None:
        """Return that a response has one score only, or None."""
        return None if scale.several else sentence("it needs a criterion with several labels")

    def labels(self, scale: Scale) -> dict[str, float]:
        """Return nothing: a set is no single word whose probability could be known."""
        return {}


def _labels(scale: Scale) -> Sequence[str]:
    return scale.labels if isinstance(scale, Categorical) else []
