"""AlpacaEval: `annotations.json`, the preferences of an annotator between two models' outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from judgelab.imports.core.cells import is_missing, text_of
from judgelab.imports.results.base import Choice, Example, Notes, Result, ResultFile, ResultTool, result_tools
from judgelab.imports.results.texts import item_texts
from judgelab.wording import mark, sentence

KEYS = ('"generator_1"', '"generator_2"', '"annotator"', '"preference"')
OWN = ("raw_completion", "price_per_example", "time_per_example")  # what only the tool itself notes
CRITERION, LEADERBOARD = "preference", "leaderboard"
MIDDLE = 1.5  # 1 is the first output, 2 the second; a weighted preference lies between them
TIES = frozenset({0.0, MIDDLE})


@result_tools.register("alpaca_eval")
class AlpacaEval(ResultTool):
    """Reads each preference as a judge's; annotators with numbers are AlpacaFarm's people."""

    title = "AlpacaEval"
    summary = mark("Preferences of judges and people between the outputs of two models.")
    version = "0.6.6"
    examples = (
        Example(
            {
                "annotations.json": """[
{"dataset": "d", "instruction": "Why?", "output_1": "Rain.", "generator_1": "red", "output_2": "Sun.",
 "generator_2": "blue", "annotator": "owl", "preference": 1.0, "preference_raw_completion": "Output (a)"},
{"dataset": "d", "instruction": "Who?", "output_1": "Bo.", "generator_1": "red", "output_2": "Al.",
 "generator_2": "blue", "annotator": "owl", "preference": 1.9, "preference_raw_completion": "Output (b)"}]"""
            },
            items=2,
            responses=4,
            human=0,
            judged=0,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether this is a list of preferences between two generators."""
        own = any(file.mentions(key) for key in OWN)
        return own and file.mentions(*KEYS) and file.head.lstrip()[:1] == b"["

    def belongs(self, name: str, files: Sequence[ResultFile]) -> bool:
        """Return whether a file is the leaderboard beside the annotations."""
        places = {PurePath(file.name).parent for file in files}
        return LEADERBOARD in PurePath(name).stem and PurePath(name).parent in places

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield a choice for each annotation; one without a preference is unscored."""
        for file in files:
            if not self.recognises(file):
                notes.leave_out(sentence("win rates of models"), sum(1 for _ in file.rows(notes.problems)))
                continue
            for number, entry in file.objects(notes.problems):
                yield _result(entry, number)


def _result(entry: Mapping[str, Any], number: int) -> Result:
    asked = "\n\n".join(filter(None, (text_of(entry.get("instruction")), text_of(entry.get("input")))))
    texts = item_texts({"question": asked, "group": text_of(entry.get("dataset"))})
    rater = text_of(entry.get("annotator"))
    value = _choice(entry.get("preference"))
    reply = text_of(entry.get("preference_raw_completion"))
    choice = Choice(
        rater,
        "human" if rater.isdigit() else "judge",
        CRITERION,
        value,
        text_of(entry.get("generator_2")),
        text_of(entry.get("output_2")),
        comment=reply or ("" if value else sentence("no preference")),
        at=text_of(entry.get("preference_date") or entry.get("date")),
    )
    response, system = text_of(entry.get("output_1")), text_of(entry.get("generator_1"))
    return Result(texts.item, number, response, system, texts.question, group=texts.group, choice=choice)


def _choice(preference: Any) -> str | None:
    if is_missing(preference):
        return None
    try:
        number = float(preference)
    except (TypeError, ValueError):
        return None
    if number in TIES:
        return "tie"
    return None if not 1 <= number <= 2 else "a" if number < MIDDLE else "b"
