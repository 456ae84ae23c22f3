"""Check the names of raters: each rater must have one name with one spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable

from judgelab.imports.core.cells import spelling_key
from judgelab.wording import sentence

# Model families with the name of a person must be followed by a number or a size.
_MODEL = re.compile(
    r"(?:^|[/:_ .-])(?:chatgpt|gpt[-_ ]?(?:\d|oss)|o[134][-_ ](?:mini|preview|pro)|command-r|"
    r"alpaca[-_](?:eval|farm)|(?:text-)?davinci-?\d|"
    r"(?:llm|llama|mixtral|ministral|vicuna|qwen|deepseek|pairrm|pandalm|autorater|reward[-_ ]?model)"
    r"(?![^\W\d_])|"
    r"(?:claude|gemini|gemma|llama|mistral|mixtral|ministral|qwen|deepseek|phi|grok|vicuna|falcon|palm|prometheus"
    r"|olmo|glm|granite|nemotron|tulu|zephyr)[-_ ]?"
    r"(?:[rv]?\d|large|small|medium|mini|nano|pro|flash|instant|opus|sonnet|haiku|coder|chat|instruct))",
    re.IGNORECASE,
)
# Whole names of makers and models without a number, of which some are also first names.
_BARE_MODELS = frozenset(
    {
        *(
            "ai",
            "a.i.",
            "bot",
            "chatbot",
            "assistant",
            "model",
            "language model",
            "gpt",
            "openai",
            "anthropic",
        ),
        *("google", "gemini", "bard", "copilot", "ms copilot", "microsoft copilot", "bing", "grok", "xai"),
        *(
            "mistral",
            "mistral ai",
            "meta ai",
            "perplexity",
            "cohere",
            "kimi",
            "moonshot",
            "doubao",
            "ernie bot",
        ),
        *("glm", "chatglm", "falcon", "palm", "phi", "olmo", "tulu", "zephyr", "granite", "nemotron"),
        *("prometheus", "machine", "automatic"),
    }
)
_ALSO_FIRST_NAMES = frozenset({"claude", "gemma", "ki", "yi"})

# Names of means, votes and the like, which several raters have together.
_TOGETHER = re.compile(
    r"(?:(?:the|overall|human|rater|annotator|expert)s?[-_ ])?"
    r"(?:average|avg|mean|median|majority(?:[-_ ]vote)?|consensus|aggregated?|aggregation|sum|total|all|gold"
    r"|gold[-_ ](?:label|standard)|ground[-_ ]truth|mittelwert|durchschnitt|gesamt|mehrheit|konsens)"
    r"(?:[-_ ](?:rating|score|rater|human)s?)?",
    re.IGNORECASE,
)

# Signs and words between several names, and those that one name may have too.
_BETWEEN = re.compile(r"\s*(?:[;|,/]|\s[&+]\s|\s(?:and|und|et|y)\s)\s*", re.IGNORECASE)
_ONLY_BETWEEN = re.compile(r"[;|]|\s[&+]\s|\sand\s", re.IGNORECASE)
_AFTER_A_NAME = re.compile(
    r"(?:jr|sr|ph\.? ?d|md|m\.d|m\.?a|m\.?sc|b\.?sc|dr|prof|i{2,3}|iv)\.?", re.IGNORECASE
)

_PERSON = re.compile(
    r"(?:human|(?:[a-z]+[-_ ])?(?:human|expert|author|annotator|worker|user|participant|student)[-_ ]?\d+)",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"0*(\d+)(?:\.0+)?")


def is_like_a_model(name: str) -> bool:
    """Return whether a rater's name looks like that of a language model.

    >>> [is_like_a_model(name) for name in ("gpt-4", "meta/Llama-3-70b", "Claude", "Gemma", "claude-3-opus")]
    [True, True, False, False, True]
    >>> [is_like_a_model(name) for name in ("LLM", "llm_judge", "Mixtral", "Llamar", "text-davinci-003")]
    [True, True, True, False, True]
    >>> [is_like_a_model(name) for name in ("OpenAI", "gemini", "AI", "Gemini Ross", "Aida")]
    [True, True, True, False, False]
    """
    return bool(_MODEL.search(name)) or name.casefold() in _BARE_MODELS


def may_be_a_model(name: str) -> bool:
    """Return whether a name looks like that of a model, or is one that models and people have.

    >>> [may_be_a_model(name) for name in ("gpt-4", "Claude", "claude", "Claudia")]
    [True, True, True, False]
    """
    return is_like_a_model(name) or name.casefold() in _ALSO_FIRST_NAMES


def is_of_several(name: str) -> bool:
    """Return whether a rater's name says that its scores are those of several raters together.

    >>> [is_of_several(name) for name in ("Average", "majority_vote", "human mean", "Meaney", "ann")]
    [True, True, True, False, False]
    """
    return bool(_TOGETHER.fullmatch(name))


def names_several(name: str, others: Iterable[str]) -> bool:
    """Return whether a rater's name looks like a list of raters, of which `others` may be some.

    >>> [names_several(name, ["Ann"]) for name in ("cem; bob", "Cem and Bob", "ANN, Bob", "a/ann", "a, b, c")]
    [True, True, True, True, True]
    >>> [names_several(name, ["Ann"]) for name in ("Roe, Jane", "Roe, Jane, Jr.", "Ramón y Cajal", "a+b@c.d")]
    [False, False, False, False]
    """
    parts = [part for part in _BETWEEN.split(name) if part and not _AFTER_A_NAME.fullmatch(part)]
    if len(parts) < 2:
        return False
    known = {spelling_key(other) for other in others}
    several_commas = name.count(",") > 1 and len(parts) > 2
    return bool(
        several_commas or _ONLY_BETWEEN.search(name) or known & {spelling_key(part) for part in parts}
    )


def is_like_a_person(name: str) -> bool:
    """Return whether a rater's name says that it is a person.

    >>> [is_like_a_person(name) for name in ("expert_3", "author_2", "arena_user_17", "Ada", "gpt4_pair")]
    [True, True, True, False, False]
    """
    return bool(_PERSON.fullmatch(name)) and not is_like_a_model(name)


class RaterNames:
    """Remembers the first spelling of each rater's name.

    Args:
        names: the names of existing raters and judges.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._spellings = {spelling_key(name): name for name in names}
        self._numbers = {whole[1]: name for name in names if (whole := _WHOLE.fullmatch(name))}

    def one_name(self, name: str) -> str:
        """Return a rater's name as stored; a whole number is one name with .0 or leading zeros."""
        whole = _WHOLE.fullmatch(name)
        if whole is None or spelling_key(name) in self._spellings:
            return name
        return self._numbers.setdefault(whole[1], name.partition(".")[0])

    def fault(self, name: str) -> str | None:
        """Return the problem with a rater's name, or None; a new name is remembered."""
        if not name:
            return sentence(
                "the row does not name a rater; fill in the rater, or name the rater column with --map "
                "rater=COLUMN"
            )
        first = self._spellings.setdefault(spelling_key(name), name)
        if first == name:
            return None
        return sentence(
            "'{name}' and '{first}' differ only in capital letters or letter forms; if they are the same "
            "rater, use one spelling; if not, use clearly different names",
            name=name,
            first=first,
        )
