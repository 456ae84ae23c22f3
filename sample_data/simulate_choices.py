"""Writes what three invented raters and three invented judges choose in the sample project of pairs.

Run it from anywhere: `python sample_data/simulate_choices.py [FOLDER]`. It reads items.jsonl and quality.csv
in the folder `pairs` beside it and writes choices.csv, judged_pairs.csv and judgments.jsonl in FOLDER/pairs
(FOLDER: this one). The seed is fixed, so the same input gives the same bytes.

`quality.csv` has what each response is worth, from 0 to 10, when read with care (`quality`) and at a first
glance (`looks`), and what can be said for it (`good`) and against it (`fault`). The judges' reasons are made
from the last two.
"""

from __future__ import annotations

import json
import sys
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent
FOLDER = "pairs"
SEED = 13
POINTS_JUDGE = "Demo judge E"
NO_CHOICE = "I cannot choose without knowing who reads it."
LOST = {("Demo judge D", "notes-07", "a"), ("Demo judge D", "plan-09", "b")}  # replies without a choice


class Rater(NamedTuple):
    """One invented rater or judge of pairs; all but `care` and `hasty` are in points of `quality`.

    `care` is the share of pairs read with care, `hasty` the share in which the first answer is taken unread,
    `first` the advantage of the answer shown first, `length` that of an answer twice as long; answers that
    differ by less than `tie` are called equal.
    """

    name: str
    care: float
    noise: float
    tie: float
    hasty: float = 0.0
    first: float = 0.0
    length: float = 0.0
    skipped: float = 0.0


RATERS = (
    Rater("Nele", care=0.97, noise=0.8, tie=0.8),
    Rater("Oskar", care=0.85, noise=1.4, tie=0.6, skipped=0.04),
    Rater("Pia", care=0.60, noise=2.0, tie=0.3, hasty=0.40, skipped=0.03),
)
JUDGES = (
    Rater("Demo judge C", care=0.85, noise=1.0, tie=0.2, first=2.2),
    Rater("Demo judge D", care=0.80, noise=0.8, tie=0.5, first=0.2, length=1.9),
)
REASONS = (
    "The {winner} answer {good}; the {loser} {fault}.",
    "I prefer the {winner}: it {good}, while the {loser} {fault}.",
    "The {loser} {fault}. The {winner} {good}.",
)
LONGER_REASONS = (
    "The {winner} is more complete: it {good}. The {loser} {fault}.",
    "The {winner} goes further, since it {good}. The {loser} {fault}.",
)
SHORTER_REASON = "The {winner} {good}. The {loser} {fault}, for all its detail."
TIE_REASON = "Both can be used: the first {good}, the second {other}."
PLACES = {"a": ("first", "second"), "b": ("second", "first")}


def load_pairs() -> pd.DataFrame:
    """Return every pair of responses to one request, with what is known about both (`_a`, `_b`)."""
    quality = pd.read_csv(HERE / FOLDER / "quality.csv")
    lines = (HERE / FOLDER / "items.jsonl").read_text(encoding="utf-8").splitlines()
    words = {
        (item["item_id"], response["system"]): len(response["response"].split())
        for item in map(json.loads, lines)
        for response in item["responses"]
    }
    quality["words"] = [words[key] for key in zip(quality["item_id"], quality["system"], strict=True)]
    rows = []
    for item, responses in quality.groupby("item_id", sort=False):
        for a, b in combinations(responses.drop(columns="item_id").to_dict("records"), 2):
            sides = {f"{name}_a": value for name, value in a.items()}
            rows.append({"item_id": item, **sides, **{f"{name}_b": value for name, value in b.items()}})
    return pd.DataFrame(rows)


def choose(rater: Rater, pair: Any, first: str, rng: np.random.Generator) -> tuple[str, float]:
    """Return the choice (`a`, `b` or `tie`) and by how much the better answer is ahead."""
    if rng.random() < rater.hasty:
        return first, 0.0
    seen = "quality" if rng.random() < rater.care else "looks"
    lead = getattr(pair, f"{seen}_a") - getattr(pair, f"{seen}_b") + rater.noise * rng.standard_normal()
    lead += rater.first * (1 if first == "a" else -1)
    lead += rater.length * float(np.log2(pair.words_a / pair.words_b))
    if abs(lead) < rater.tie:
        return "tie", abs(lead)
    return ("a" if lead > 0 else "b"), abs(lead)


def reason(rater: Rater, pair: Any, first: str, choice: str, rng: np.random.Generator) -> str:
    """Return why the judge says it chose; the answers are called the first and the second, as shown."""
    if choice == "tie":
        second = "b" if first == "a" else "a"
        return TIE_REASON.format(good=getattr(pair, f"good_{first}"), other=getattr(pair, f"good_{second}"))
    loser = "b" if choice == "a" else "a"
    winner_place, loser_place = PLACES["a" if choice == first else "b"]
    text = REASONS[rng.integers(len(REASONS))]
    if rater.length:
        longer = getattr(pair, f"words_{choice}") > getattr(pair, f"words_{loser}")
        text = LONGER_REASONS[rng.integers(len(LONGER_REASONS))] if longer else SHORTER_REASON
    return text.format(
        winner=winner_place,
        loser=loser_place,
        good=getattr(pair, f"good_{choice}"),
        fault=getattr(pair, f"fault_{loser}"),
    )


def raters_choices(pairs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return a row per pair with a column per rater; all see the pair in the same order."""
    rows = []
    for pair in pairs.itertuples():
        first = "a" if rng.random() < 0.5 else "b"
        row = {**_sides(pair), "first": first}
        for rater in RATERS:
            choice, _lead = choose(rater, pair, first, rng)
            row[rater.name] = "" if rng.random() < rater.skipped else choice
        rows.append(row)
    return pd.DataFrame(rows)


def judges_choices(pairs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return a row per judge, pair and order of the two answers."""
    rows = []
    for judge in JUDGES:
        for pair in pairs.itertuples():
            for first in "ab":
                choice, lead = choose(judge, pair, first, rng)
                confidence = round(min(0.98, 0.55 + 0.06 * lead + 0.04 * float(rng.random())), 2)
                why = reason(judge, pair, first, choice, rng)
                if (judge.name, pair.item_id, first) in LOST:
                    choice, why, confidence = "", NO_CHOICE, None
                row = {**_sides(pair), "judge": judge.name, "order": first, "choice": choice}
                rows.append({**row, "rationale": why, "confidence": confidence})
    return pd.DataFrame(rows)


def points(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return the scores (1 to 5) of the judge that reads one answer at a time."""
    rows = []
    for row in pd.read_csv(HERE / FOLDER / "quality.csv").itertuples():
        felt = 0.7 * row.quality + 0.3 * row.looks + 0.7 * rng.standard_normal()
        score = int(np.clip(np.floor(felt / 2 + 0.7), 1, 5))
        why = f"It {row.good}, but it {row.fault}." if score < 4 else f"It {row.good}."
        given = {"item_id": row.item_id, "system": row.system, "rater": POINTS_JUDGE, "criterion": "better"}
        rows.append({**given, "score": score, "rationale": why})
    return rows


def _sides(pair: Any) -> dict[str, str]:
    return {"item_id": pair.item_id, "response_a": pair.system_a, "response_b": pair.system_b}


def main(folder: Path) -> None:
    """Write the three files under `folder`."""
    rng = np.random.default_rng(SEED)
    pairs = load_pairs()
    written = folder / FOLDER
    written.mkdir(parents=True, exist_ok=True)
    options: dict[str, Any] = {"index": False, "encoding": "utf-8", "lineterminator": "\n"}
    raters_choices(pairs, rng).to_csv(written / "choices.csv", **options)
    judges_choices(pairs, rng).to_csv(written / "judged_pairs.csv", **options)
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in points(rng)]
    (written / "judgments.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
