"""The fields that a custom prompt text may use in braces: the case, its criterion, the default texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgelab.domain import Criterion, Task
from judgelab.protocols.core.prompts import clean
from judgelab.scales import scale_from_json

NAMED = re.compile(r"\{([a-z_]+\d?)\}")
EMPTY_TEXT = "(empty)"
# The fields with the text to be judged; a custom prompt without any of them would ask about nothing.
JUDGED_FIELDS = ("response", "text_1", "text_2", "candidates")
LIST_FIELDS = ("references", "candidates")
ALL_FIELDS = (
    *("question", "context", "response", "references", "reference", "text_1", "text_2", "candidates"),
    *("criterion", "key", "definition", "scale", "low", "high", "text", "texts", "n", "last"),
)
_OF_CRITERION = re.compile(r"^[ \t]*\[criterion:[ \t]*(?P<key>[^\]\n]+?)[ \t]*\][ \t]*\n?", re.M)


@dataclass(frozen=True)
class Fields:
    """The values of one call: single texts and lists of texts, by name."""

    single: Mapping[str, str]
    several: Mapping[str, Sequence[str]]

    def __contains__(self, name: object) -> bool:
        """Return whether there is a field of this name."""
        return name in self.single or name in self.several

    def text(self, name: str, form: str = "{n}. {text}") -> str:
        """Return the value; a list of texts is written one per line in the given form."""
        if name in self.single:
            return self.single[name]
        numbered = enumerate(self.several[name], start=1)
        return "\n".join(fill_once(form, {"n": str(place), "text": text}) for place, text in numbered)

    def with_fields(self, more: Mapping[str, str]) -> Fields:
        """Return these fields with more single ones added."""
        return Fields({**self.single, **more}, self.several)

    def fill(self, text: str) -> str:
        """Return `text` with every field in braces replaced by its value; values are not searched again."""
        return NAMED.sub(lambda match: self.text(match[1]) if match[1] in self else match[0], text)


def fill_once(text: str, values: Mapping[str, str]) -> str:
    """Return `text` with the named values filled in, in one pass; other braces are unchanged.

    >>> fill_once("{n}. {text}", {"n": "1", "text": "of {n}"})
    '1. of {n}'
    """
    return NAMED.sub(lambda match: values.get(match[1], match[0]), text)


def task_fields(task: Task, shown: Mapping[str, str], candidates: Sequence[str]) -> Fields:
    """Return the fields of a task; `shown` are the texts that a call compares."""
    summary = task.kind == "summarisation"
    references = [clean(reference.text) or EMPTY_TEXT for reference in task.reference_list or task.references]
    single = {
        "question": clean(task.question),
        "context": clean(task.context),
        "response": clean(task.response) or EMPTY_TEXT,
        "reference": references[0] if references else "",
        "text": "summary" if summary else "answer",
        "texts": "summaries" if summary else "answers",
        "n": str(len(references)),
        "last": str(len(references) + 1),
        **({} if len(task.criteria) != 1 else _criterion(task.criteria[0])),
        **{name: clean(text) or EMPTY_TEXT for name, text in shown.items()},
    }
    return Fields(
        single,
        {
            "references": references,
            "candidates": [clean(candidate) or EMPTY_TEXT for candidate in candidates],
        },
    )


def _criterion(criterion: Criterion) -> dict[str, str]:
    scale = scale_from_json(criterion.scale)
    return {
        "criterion": clean(criterion.label),
        "key": criterion.key,
        "definition": clean(criterion.question),
        "scale": clean(scale.prompt_text()),
        "low": f"{scale.low:g}",
        "high": f"{scale.high:g}",
    }


def text_for_criteria(text: str, criteria: Sequence[Criterion]) -> str:
    r"""Return the text for a criterion: the part after its line, else the part before all such lines.

    >>> fluency = Criterion("fluency", "Fluency", {"kind": "binary"})
    >>> text_for_criteria("Rate.\n[criterion: fluency]\nListen.", [fluency])
    'Listen.'
    """
    heads = list(_OF_CRITERION.finditer(text))
    if not heads:
        return text.strip()
    ends = [*(head.start() for head in heads[1:]), len(text)]
    parts = {head["key"]: text[head.end() : end] for head, end in zip(heads, ends, strict=True)}
    key = criteria[0].key if len(criteria) == 1 else ""
    return parts.get(key, text[: heads[0].start()]).strip()
