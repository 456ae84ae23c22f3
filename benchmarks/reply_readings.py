"""What every published reply of a judge is read as; with an earlier table, which readings differ from it.

    python benchmarks/reply_readings.py FOLDER TABLE.csv [--against EARLIER.csv]

FOLDER holds the data sets qa-eval-nq301, summeval and elect-rpqa. Run it before and after a change to how
replies are read: every difference is printed with the end of its reply, to be judged by a person.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from judgelab.domain import Criterion, Task
from judgelab.protocols import protocols
from judgelab.protocols.reading.grammars import read
from judgelab.scales import scale_from_json

FIVE = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
HALVES = scale_from_json({"kind": "numeric", "low": 1, "high": 5})
THREE = scale_from_json({"kind": "ordinal", "low": 0, "high": 3})
RIGHT = Task("q", "r", [Criterion("correct", "Correct", {"kind": "binary"})])
SHOWN = 160  # characters of a reply's end

Row = tuple[str, str, float | None, str]


def readings(folder: Path) -> Iterator[Row]:
    """Yield source, reply, score and the reason for none, in the order of the files."""
    frame = pd.read_csv(folder / "summeval" / "judge_raw_replies_rts_mcq.csv")
    for row in frame.itertuples():
        if row.protocol == "mcq":
            yield _row(f"summeval mcq {row.model}", row.reply, *read("abc", row.reply, FIVE)[:2])
            continue
        for name, scale in (("whole", FIVE), ("halves", HALVES)):
            stated = read("digit", row.reply, scale, explain=True, about=row.criterion)
            yield _row(f"summeval rts {name} {row.model}", row.reply, *stated[:2])
    folder_of_answers = folder / "qa-eval-nq301"
    answers = {"vicuna": pd.read_csv(folder_of_answers / "vicuna_raw_replies.csv").reply}
    for model in ("gpt-4", "text-davinci-003"):
        answers[model] = pd.read_csv(folder_of_answers / f"NQ301_{model}.tsv", sep="\t")[model]
    for model, replies in answers.items():
        for reply in replies.astype(str):
            for explain in (True, False):
                found = protocols.get("qa_eval").parse(reply, RIGHT, {"explain": explain})
                yield _row(
                    f"qa_eval explain={explain} {model}", reply, found.scores.get("correct"), found.reason
                )
    for path in sorted((folder / "elect-rpqa").glob("llama3_*_Table2_10.csv")):
        table = pd.read_csv(path, sep="\t")
        for column in [name for name in table.columns if f"{name}_score" in table.columns]:
            for cell in table[column]:
                for reply in ast.literal_eval(cell):
                    yield _row(f"elect {path.stem} {column}", reply, *read("digit", reply, THREE)[:2])


def _row(source: str, reply: str, score: float | None, reason: str | None) -> Row:
    return source, reply, score, str(reason or "")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--against", type=Path)
    given = parser.parse_args()
    table = pd.DataFrame(readings(given.folder), columns=["source", "reply", "score", "reason"])
    table.to_csv(given.table, index=False)
    print(table.groupby("source").score.agg(replies="size", read="count").to_string())
    if given.against:
        earlier = pd.read_csv(given.against)
        same = (earlier.score == table.score) | (earlier.score.isna() & table.score.isna())
        print(f"{(~same).sum()} of {len(table)} readings differ")
        for before, after in zip(earlier[~same].itertuples(), table[~same].itertuples(), strict=True):
            said = after.reply[-SHOWN:].replace("\n", " / ")
            print(f"{after.source}: {before.score:g} -> {after.score:g} {after.reason} | {said}")


if __name__ == "__main__":
    main()
