"""What an own text of a prompt may name in braces: the case, its criterion, what the protocol would say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgelab.domain import Criterion, Task
from judgelab.protocols.core.prompts import clean
from judgelab.scales import scale_from_json

NAMED = re.compile(r"\{([a-z_]+\d?)\}")
NOTHING = "(empty)"
# In which of them a text under judgment stands: an own prompt without any would ask about nothing.
JUDGED = ("response", "text_1", "text_2", "candidates")
LISTS = ("references", "candidates")
EVERY = (
    *("question", "context", "response", "references", "reference", "text_1", "text_2", "candidates"),
    *("criterion", "key", "definition", "scale", "low", "high", "text", "texts", "n", "last"),
)
_OF_CRITERION = re.compile(r"^[ \t]*\[criterion:[ \t]*(?P<key>[^\]\n]+?)[ \t]*\][ \t]*\n?", re.M)


@dataclass(frozen=True)
class Fields:
    """The values of one call: texts by name, and texts of which there may be several."""

    single: Mapping[str, str]
    several: Mapping[str, Sequence[str]]

    def __contains__(self, name: object) -> bool:
        """Return whether there is such a field."""
        return name in self.single or name in self.several

    def text(self, name: str, form: str = "{n}. {text}") -> str:
        """Return the value; several texts stand a line each, as `form` has it."""
        if name in self.single:
            return self.single[name]
        each = enumerate(self.several[name], start=1)
        return "\n".join(once(form, {"n": str(place), "text": text}) for place, text in each)

    def beside(self, more: Mapping[str, str]) -> Fields:
        """Return these fields and more single ones."""
        return Fields({**self.single, **more}, self.several)

    def filled(self, text: str) -> str:
        """Return `text` with every field it names in braces; what is put in is not looked at again."""
        return NAMED.sub(lambda found: self.text(found[1]) if found[1] in self else found[0], text)


def once(text: str, values: Mapping[str, str]) -> str:
    """Return `text` with the named values in one pass; other braces stay as they are.

    >>> once("{n}. {text}", {"n": "1", "text": "of {n}"})
    '1. of {n}'
    """
    return NAMED.sub(lambda found: values.get(found[1], found[0]), text)


def facts(task: Task, shown: Mapping[str, str], candidates: Sequence[str]) -> Fields:
    """Return what is known of a task; `shown` are the texts of a call, where it compares some."""
    summary = task.kind == "summarisation"
    known = [clean(one.text) or NOTHING for one in task.reference_list or task.references]
    single = {
        "question": clean(task.question),
        "context": clean(task.context),
        "response": clean(task.response) or NOTHING,
        "reference": known[0] if known else "",
        "text": "summary" if summary else "answer",
        "texts": "summaries" if summary else "answers",
        "n": str(len(known)),
        "last": str(len(known) + 1),
        **({} if len(task.criteria) != 1 else _criterion(task.criteria[0])),
        **{name: clean(text) or NOTHING for name, text in shown.items()},
    }
    return Fields(single, {"references": known, "candidates": [clean(one) or NOTHING for one in candidates]})


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


def for_criteria(text: str, criteria: Sequence[Criterion]) -> str:
    r"""Return the text for a criterion: what stands after its line, else what stands before all such lines.

    >>> one = Criterion("fluency", "Fluency", {"kind": "binary"})
    >>> for_criteria("Rate.\n[criterion: fluency]\nListen.", [one])
    'Listen.'
    """
    heads = list(_OF_CRITERION.finditer(text))
    if not heads:
        return text.strip()
    ends = [*(head.start() for head in heads[1:]), len(text)]
    parts = {head["key"]: text[head.end() : end] for head, end in zip(heads, ends, strict=True)}
    wanted = criteria[0].key if len(criteria) == 1 else ""
    return parts.get(wanted, text[: heads[0].start()]).strip()
