"""What import and runs say, with the arguments of the API in place of the command line's options."""

from __future__ import annotations

import re

from judgelab.api.frames import FIELDS

# A value ends where the sentence goes on; column names may have blanks.
_VALUE = r"('[^']*'|(?!gives )\S.*?(?=[;,)?]|:?\s*$|:\s|\.?$|\. | \(| (?:and|or|for|is) | --))"
_OPTION = re.compile(
    rf"'?--(?:(?P<alone>means|create-missing)|(?P<pair>map|scale) '?(?P<name>[^\s=]+)=(?P<of>{_VALUE})"
    rf"|(?P<one>kind|preset|encoding|missing|value) (?P<value>{_VALUE}))"
)
_ALONE = re.compile(r"--(map|scale|value|missing|kind|encoding|preset)\b")
_ARGUMENTS = {"map": "columns", "value": "values"}
_CREATE = re.compile(r"first create the criterion '.*?' with these words as labels of ordered points")
_ORDERED = (
    'give scale={"kind": "ordinal", "low": 1, "high": 3, "labels": {"1": "worst", "2": "…", "3": "best"}}'
)
_ENDS = re.compile(r"(-?[\d.]+|LOW):(-?[\d.]+|HIGH)")
_QUOTES = "'\""
_WIDEN = re.compile(r"widen it: judgelab project criterion widen PROJECT (?P<name>\w+)")
_STORED = re.compile(r"; a stored scale can be widened but not narrowed")
_OURS = {field: name for name, field in FIELDS.items()}


def in_python(said: str) -> str:
    """Return a sentence of the import with options as arguments.

    >>> in_python("add --map item_id=COLUMN or --kind items; else --missing '-99'")
    'add columns={"item": "COLUMN"} or kind="items"; else missing=["-99"]'
    >>> in_python("give the scale with --scale clear=LOW:HIGH; --map: no such field")
    'give the scale with scale={"clear": (LOW, HIGH)}; columns: no such field'
    >>> in_python("too narrow, widen it: judgelab project criterion widen PROJECT clear")
    'too narrow, give it: scale={"clear": (LOW, HIGH)}'
    """
    said = _STORED.sub("", _WIDEN.sub(r'give it: scale={"\g<name>": (LOW, HIGH)}', said))
    said = _CREATE.sub(_ORDERED, said).replace("add --map rater_kind=judge", "name them: judges=[…]")
    return _ALONE.sub(lambda match: _ARGUMENTS.get(match[1], match[1]), _OPTION.sub(_argument, said))


def in_call(said: str, *, resumable: bool) -> str:
    """Return why a run of `judgelab.judge` ended; only one of a database that was given can be resumed.

    >>> in_call("the account has no credit left; top it up, then resume the run", resumable=False)
    'the account has no credit left; top it up, then make the same call again'
    >>> in_call("check the key in JUDGELAB_API_KEY_38DD10C6996A", resumable=True)
    'check api_key'
    """
    said = re.sub(r"the key in JUDGELAB_API_KEY_[0-9A-F]{12}\b", "api_key", said)
    return said if resumable else said.replace("resume the run", "make the same call again")


def _argument(match: re.Match[str]) -> str:
    if match["alone"]:
        return f"{match['alone'].replace('-', '_')}=True"
    if match["one"]:
        value = f'"{match["value"].strip(_QUOTES)}"'
        listed = match["one"] in ("missing", "value")
        return f"{_ARGUMENTS.get(match['one'], match['one'])}={f'[{value}]' if listed else value}"
    name, value = match["name"], match["of"].strip(_QUOTES)
    if match["pair"] == "map":
        return f'columns={{"{_OURS.get(name, name)}": "{value}"}}'
    ends = _ENDS.fullmatch(value)
    return f'scale={{"{name}": {f"({ends[1]}, {ends[2]})" if ends else chr(34) + value + chr(34)}}}'
