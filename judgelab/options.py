"""Options that a protocol or a metric declares, and the way from what a user gives to typed values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judgelab.errors import InvalidInput, NotFound
from judgelab.wording import mark, sentence

WORDS_OF_YES = ("true", "yes", "on", "1")
WORDS_OF_NO = ("false", "no", "off", "0")


@dataclass(frozen=True)
class Option:
    """One setting of a protocol or metric.

    Args:
        name: the word before `=` on the command line.
        kind: what its values are; "choice" is one of `choices`, "int" may be limited by `choices`.
        default: the value when nothing is given.
        choices: the allowed values, if there are few.
        help: one sentence for the form and the docs.
        only_with: name of another option without which (at its default) this one means nothing.
        elsewhere: what a form proposes in projects of other studies than those that use the protocol, where
            the default is a word of theirs; None for the default.
    """

    name: str
    kind: Literal["int", "text", "choice", "bool"]
    default: Any
    choices: tuple[Any, ...] = ()
    help: str = ""
    only_with: str = ""
    elsewhere: Any = None

    def read(self, value: Any) -> Any:
        """Return `value` (a word of the command line or a typed value) as this option's type.

        Raises:
            InvalidInput: it is no value of this option; the sentence says what is.
        """
        read = self._typed(value)
        if self.choices and read not in self.choices:
            raise self._refusal(value, ", ".join(str(choice) for choice in self.choices))
        return read

    def _typed(self, value: Any) -> Any:
        if self.kind == "bool":
            return self._truth(value)
        if self.kind == "int":
            try:
                return int(str(value).strip())
            except ValueError:
                raise self._refusal(value, sentence("a whole number")) from None
        return str(value)

    def _truth(self, value: Any) -> bool:
        word = str(value).strip().lower()
        if word in WORDS_OF_YES:
            return True
        if word in WORDS_OF_NO:
            return False
        raise self._refusal(value, "true, false")

    def _refusal(self, value: Any, allowed: str) -> InvalidInput:
        return InvalidInput(
            sentence(
                "option {name}: '{value}' cannot be taken; allowed: {allowed}.",
                name=self.name,
                value=str(value),
                allowed=allowed,
            )
        )


def settle(declared: Sequence[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return every declared option with its value: the given one, or its default.

    Raises:
        NotFound: an option that is not declared; the near one is suggested.
        InvalidInput: a value that its option cannot take.
    """
    known = {option.name: option for option in declared}
    for name in given:
        if name not in known:
            raise NotFound(mark("option"), name, known)
    return {
        name: option.read(given[name]) if name in given else option.default for name, option in known.items()
    }


def split_pairs(pairs: Sequence[str]) -> dict[str, str]:
    """Return the words `NAME=VALUE` of a command line as a mapping; a value may hold `=` itself."""
    options = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            raise InvalidInput(f"'{pair}' is no option; write NAME=VALUE, for example shots=2.")
        options[name.strip()] = value
    return options
