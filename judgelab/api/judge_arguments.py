"""What `jl.judge` may be given, checked before anything is stored or sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from judgelab.api.arguments import names_listed, whole_numbers
from judgelab.api.judged import Humans
from judgelab.api.texts import listing
from judgelab.api.values import scale_of
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.imports.core.scale_inference import key_of

if TYPE_CHECKING:
    from judgelab.api.judge_call import JudgeCall

START = 'jl.judge(df, "direct", model="…"'
CALL = f'{START}, base_url="http://127.0.0.1:8000/v1", criteria={{"helpful": (1, 5)}})'
TELLING = {"label": str, "question": str, "higher_is_better": bool}


def check_arguments(call: JudgeCall) -> None:
    """Raise `InvalidInput` if an argument is of a kind that no judge can use."""
    for name in ("model", "base_url", "api_key"):
        value = getattr(call, name)
        if value is None and name != "model":
            continue
        if not isinstance(value, str):
            raise InvalidInput(f"{name} is a {type(value).__name__}, but must be a text: {CALL}.")
        if not value.strip():
            need = "a judge needs one" if name == "model" else "leave it out for a server that needs none"
            raise InvalidInput(f"{name} is empty; {f'{need}: {CALL}' if name != 'api_key' else need}.")
    if call.api_key is not None and not (
        call.api_key.strip().isascii() and call.api_key.strip().isprintable()
    ):
        raise InvalidInput("api_key has a character that is in no key; copy the key again.")
    if call.base_url is not None and "@" in call.base_url:
        raise InvalidInput('leave the key out of base_url; give it by itself: api_key="…".')
    if "api_key" in (call.parameters or ()):
        raise InvalidInput('parameters are stored; give the key by itself: api_key="…".')
    if call.seed is not None and (
        isinstance(call.seed, bool) or not isinstance(call.seed, (int, np.integer))
    ):
        raise InvalidInput(f"seed is {call.seed!r}, but must be a whole number.")
    numbers = {name: getattr(call, name) for name in ("samples", "max_tokens", "concurrency")}
    whole_numbers(**{name: value for name, value in numbers.items() if value is not None})
    for name in ("temperature", "budget"):
        value = getattr(call, name)
        if value is not None and not _is_number(value):
            raise InvalidInput(f"{name} is {value!r}, but must be a number.")
    if call.price is not None and not (
        isinstance(call.price, Sequence) and len(call.price) == 2 and all(map(_is_number, call.price))
    ):
        raise InvalidInput(
            f"price is {call.price!r}, but must be US dollars for a million tokens of input and of output: "
            "price=(0.15, 0.60)."
        )
    for name, example in (("options", "{…: …}"), ("parameters", "{…: …}"), ("columns", '{"response": "…"}')):
        value = getattr(call, name)
        if value is not None and not isinstance(value, Mapping):
            raise InvalidInput(f"{name} must be a dictionary: {name}={example}.")


def criteria_of(given: Any) -> tuple[Criterion, ...]:
    """Return the criteria with their scales.

    Raises:
        InvalidInput: there is none, or one cannot be told from another or has no scale.
    """
    if not isinstance(given, Mapping) or not given:
        raise InvalidInput(f"criteria names no criterion with its scale; call {CALL}.")
    criteria: dict[str, Criterion] = {}
    for name, one in given.items():
        said = dict(one) if isinstance(one, Mapping) and "scale" in one else {"scale": one}
        for key, value in said.items():
            if key != "scale" and key not in TELLING:
                raise InvalidInput(
                    f"criteria['{name}'] has '{key}'; it may have scale, {', '.join(TELLING)}."
                )
            if key != "scale" and not isinstance(value, TELLING[key]):
                kind = "a text" if TELLING[key] is str else "True or False"
                raise InvalidInput(f"criteria['{name}']['{key}'] is {value!r}, but must be {kind}.")
        if not str(name).strip():
            raise InvalidInput(f"criteria has one without a name; call {CALL}.")
        criterion_key = key_of(str(name))
        if criterion_key in criteria:
            raise InvalidInput(
                f"criteria has '{criteria[criterion_key].label}' and '{name}', which would both be the "
                f"column '{criterion_key}'; rename one of them."
            )
        scale = scale_of(said.pop("scale")).to_json()
        criteria[criterion_key] = Criterion(criterion_key, scale=scale, **{"label": str(name), **said})
    return tuple(criteria.values())


def humans_of(given: Any, frame: pd.DataFrame, criteria: Sequence[Criterion]) -> Humans:
    """Return people's scores of each criterion, by column, row by row.

    Raises:
        InvalidInput: it is not said of which criterion they are, or there is no such column.
    """
    if given is None:
        return {}
    if isinstance(given, Mapping):
        humans = {key_of(str(name)): names_listed(names, "humans", "ann") for name, names in given.items()}
    else:
        humans = {criteria[0].key: names_listed(given, "humans", "ann")}
        if len(criteria) > 1:
            raise InvalidInput(
                "with several criteria, humans says whose columns are under which: "
                f'humans={{"{criteria[0].key}": {humans[criteria[0].key]!r}}}.'
            )
    known = {criterion.key for criterion in criteria}
    for key, names in humans.items():
        if key not in known:
            raise InvalidInput(f"humans names the criterion '{key}'; criteria has {', '.join(known)}.")
        for column in names:
            if column not in frame.columns:
                raise InvalidInput(f"no column is called '{column}'; the columns are {listing(frame)}.")
    return {key: {name: frame[name].tolist() for name in names} for key, names in humans.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
