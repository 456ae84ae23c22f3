"""Options declared by protocols and metrics, and the conversion of user input to typed values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judgelab.errors import InvalidInput, NotFound
from judgelab.wording import mark, sentence

YES_WORDS = ("true", "yes", "on", "1")
NO_WORDS = ("false", "no", "off", "0")


@dataclass(frozen=True)
class Option:
    """One setting of a protocol or metric.

    Args:
        name: the name before `=` on the command line.
        kind: the type of its values; "choice" is one of `choices`, "int" may be limited by `choices`.
        default: the default value.
        choices: the allowed values, if there are few.
        help: one sentence for the form and the docs.
        only_with: name of another option; this one has no effect while the other has its default.
        elsewhere: the value that a form proposes in projects of other studies, if the default is specific to
            the study that uses the protocol; None for the default.
    """

    name: str
    kind: Literal["int", "text", "choice", "bool"]
    default: Any
    choices: tuple[Any, ...] = ()
    help: str = ""
    only_with: str = ""
    elsewhere: Any = None

    def read(self, value: Any) -> Any:
        """Return `value` (a text from the command line or a typed value) as this option's type.

        Raises:
            InvalidInput: the value is not valid; the message says what is.
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
        if word in YES_WORDS:
            return True
        if word in NO_WORDS:
            return False
        raise self._refusal(value, "true, false")

    def _refusal(self, value: Any, allowed: str) -> InvalidInput:
        return InvalidInput(
            sentence(
                "option {name}: '{value}' is not allowed; choose {allowed}.",
                name=self.name,
                value=str(value),
                allowed=allowed,
            )
        )


def settle(declared: Sequence[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return every declared option with its value: the given one, or its default.

    Raises:
        NotFound: an option is not declared; the closest one is suggested.
        InvalidInput: a value is not valid.
    """
    options = {option.name: option for option in declared}
    for name in given:
        if name not in options:
            raise NotFound(mark("option"), name, options)
    return {
        name: option.read(given[name]) if name in given else option.default
        for name, option in options.items()
    }


def split_pairs(pairs: Sequence[str]) -> dict[str, str]:
    """Return `NAME=VALUE` arguments of the command line as a mapping; a value may contain `=`."""
    options = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            raise InvalidInput(f"'{pair}' is not an option; write NAME=VALUE, for example shots=2.")
        options[name.strip()] = value
    return options
