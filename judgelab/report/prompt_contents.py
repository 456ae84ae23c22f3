"""What a judge saw, read from its prompts as they were sent and not from its settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from judgelab.store.judging.judge_use import SentPrompt
from judgelab.store.judging.judgments import JudgmentUnit

_BETWEEN = re.compile(r"[\W_]+")
LONGEST = 400  # letters of a text that are looked for: long ones may be cut at their end

# A short answer may be the reference, too: whichever comes first here takes the place where it is found.
PARTS: Mapping[str, Callable[[JudgmentUnit], Sequence[str]]] = {
    "context": lambda unit: [unit.context],
    "question": lambda unit: [unit.question],
    "response": lambda unit: [unit.text],
    "responses": lambda unit: [contender.text for contender in unit.contenders],
    "references": lambda unit: [reference.text for reference in unit.references],
}


def parts_shown(prompts: Sequence[SentPrompt]) -> dict[str, tuple[int, int]]:
    """Return by part of the material in how many prompts it was, and in how many that can be told.

    A part is in a prompt where one of its texts is, whatever the white space and the marks between words. A
    text that is also in a prompt about another item ("Yes", of instructions that ask for yes or no) tells
    nothing there. Parts that no unit has are left out.
    """
    shown_by_part: dict[str, list[bool]] = {}
    for place, prompt in enumerate(prompts):
        text_left = _words(prompt.text)
        others = (other for other in [*prompts[place + 1 :], *prompts[:place]])
        control = next((_words(o.text) for o in others if o.unit.item_id != prompt.unit.item_id), "")
        for name, texts_of in PARTS.items():
            texts = [words for text in texts_of(prompt.unit) if (words := _words(text)[:LONGEST]).strip()]
            telling = [text for text in texts if text not in control]
            present = [text for text in telling if text in text_left]
            for text in present:
                text_left = text_left.replace(text, " ", 1)
            if telling:
                shown_by_part.setdefault(name, []).append(bool(present))
    return {name: (sum(seen), len(seen)) for name, seen in shown_by_part.items()}


def _words(text: str) -> str:
    return f" {_BETWEEN.sub(' ', text).strip()} "
