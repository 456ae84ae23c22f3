"""What a judge was shown, read from the prompts that were sent rather than from its settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judgelab.store.judging.judge_use import SentPrompt
    from judgelab.store.judging.judgments import JudgmentUnit

_NOT_WORDS = re.compile(r"[\W_]+")
MAX_LETTERS = 400  # of a text that are searched for: a long text may be cut at its end in the prompt

# In order of precedence: where a response and a reference are the same text, it counts as the response.
TEXTS_BY_PART: Mapping[str, Callable[[JudgmentUnit], Sequence[str]]] = {
    "context": lambda unit: [unit.context],
    "question": lambda unit: [unit.question],
    "response": lambda unit: [unit.text],
    "responses": lambda unit: [contender.text for contender in unit.contenders],
    "references": lambda unit: [reference.text for reference in unit.references],
}


def parts_shown(prompts: Sequence[SentPrompt]) -> dict[str, tuple[int, int]]:
    """Return for each part in how many prompts it is, and in how many this can be told.

    A part is in a prompt if one of its texts is, whatever the white space and punctuation. A text that is
    also in a prompt about another item ("Yes", where the instructions ask for yes or no) tells nothing.
    Parts that no unit has are left out.
    """
    shown_by_part: dict[str, list[bool]] = {}
    for place, prompt in enumerate(prompts):
        text_left = _words(prompt.text)
        others = (other for other in [*prompts[place + 1 :], *prompts[:place]])
        control = next(
            (_words(other.text) for other in others if other.unit.item_id != prompt.unit.item_id), ""
        )
        for name, texts_of in TEXTS_BY_PART.items():
            texts = [words for text in texts_of(prompt.unit) if (words := _words(text)[:MAX_LETTERS]).strip()]
            telling = [text for text in texts if text not in control]
            present = [text for text in telling if text in text_left]
            for text in present:
                text_left = text_left.replace(text, " ", 1)
            if telling:
                shown_by_part.setdefault(name, []).append(bool(present))
    return {name: (sum(seen), len(seen)) for name, seen in shown_by_part.items()}


def _words(text: str) -> str:
    return f" {_NOT_WORDS.sub(' ', text).strip()} "
