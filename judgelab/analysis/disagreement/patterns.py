"""Patterns in disagreements: parts of the data in which a judge and people disagree more often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.human_scores import human_scores
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.data.scores import IN_USE
from judgelab.analysis.data.to_json import json_values
from judgelab.analysis.disagreement.disagreements import disagreement_table
from judgelab.analysis.disagreement.pair_parts import labels_of_pairs, pair_differences
from judgelab.analysis.disagreement.similar_texts import text_groups
from judgelab.analysis.trust.test_families import Family, family_of_tests
from judgelab.metaeval.coefficients.left_out import missing_choices, missing_scores
from judgelab.metaeval.inference.multiplicity import with_correction
from judgelab.metaeval.judges.large_disagreements import (
    DisagreementRate,
    disagreement_rates,
    large_disagreement_from,
)
from judgelab.metaeval.judges.slices import length_thirds
from judgelab.metaeval.judges.system_orders import CORRECTION
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.judging.pair_reasons import PairReason, search_pair_reasons
from judgelab.store.judging.rationales import RationaleHit, search_rationales
from judgelab.store.judging.unscored_counts import NONE_MISSING, UnscoredCounts
from judgelab.store.rating.tags import KINDS, tags
from judgelab.words import word_count

CUTS = ("group", "system", "length", "words", "mode", "choice", "raters", "order")


@dataclass(frozen=True)
class DisagreementPatterns:
    """Large disagreements of one judge with people, by parts of the data.

    In comparisons, pairs take the place of responses: those with a majority of the raters and a choice of the
    judge. A disagreement is any other choice.

    Attributes:
        judge: name of the judge.
        criterion: key of the criterion.
        n: number of responses that both scored.
        large_from: smallest difference that counts as large, in points of the scale.
        n_large: number of large disagreements.
        family: the tests over which p-values are corrected, those of all cuts; None without any.
        rates_by_cut: rates by cut ("group", "system", "length", "words": similar answers, "mode": tagged
            failure mode; of pairs also "choice": what the raters chose, "raters": whether all chose the same,
            "order": which response the judge saw first); only cuts that have two parts with at least five
            responses.
        members: row ids of the responses with large disagreements, by cut and part.
        in_no_part: by cut, number of responses in none of the parts: the attribute is not known, or their
            part has fewer than five responses.
        missing: number of rated responses without a score of the judge.
        without_score: counts of the judge's judgments without a score, by reason.
        pairs: the pairs by number (`pair_parts.named_pairs`); None of responses.
        undecided: number of pairs without a majority of the raters.
    """

    judge: str
    criterion: str
    n: int
    large_from: float
    n_large: int
    family: Family | None
    rates_by_cut: Mapping[str, tuple[DisagreementRate, ...]]
    members: Mapping[tuple[str, str], tuple[int, ...]]
    in_no_part: Mapping[str, int]
    missing: int = 0
    without_score: UnscoredCounts = NONE_MISSING
    pairs: pd.DataFrame | None = None
    undecided: int = 0

    @property
    def left_out(self) -> list[str]:
        """Return a phrase for every count of responses or pairs that are left out."""
        if self.pairs is not None:
            return missing_choices(self.missing, self.undecided)
        return missing_scores(self.missing, self.without_score.phrases())

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab patterns --json` prints."""
        return {
            "judge": self.judge,
            "criterion": self.criterion,
            "n": self.n,
            "far": self.large_from,
            "count": self.n_large,
            "n_missing": self.missing,
            **self.without_score.to_json(),
            "family": None if self.family is None else self.family.to_json(),
            "parts": {cut: [json_values(part) for part in parts] for cut, parts in self.rates_by_cut.items()},
            "in_no_part": dict(self.in_no_part),
            **({} if self.pairs is None else {"pairs": True, "n_undecided": self.undecided}),
        }


def disagreement_patterns(
    store: Store,
    slug: str,
    *,
    judge: str,
    criterion: str,
    policy: str = IN_USE,
    seed: int = 0,
    comparisons: bool | None = False,
) -> DisagreementPatterns:
    """Return the parts of the data in which a judge and people disagree more often than elsewhere.

    `comparisons` as in `compared_scores.scores_or_comparisons`.

    Raises:
        NotFound: no such project, criterion or filter.
        InvalidInput: comparisons are asked for and nobody compared responses.
    """
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy)
    large_from = large_disagreement_from(data.project.scale(criterion))
    with store.reading() as session:
        texts = score_frames.response_frame(session, data.project.id).set_index("response")["text"]
        modes = {tag.response: tag.kind for tag in tags(session, data.project.id) if tag.state == "accepted"}
    if data.compared is not None:
        scored = pair_differences(data, judge=judge, criterion=criterion)
        labels_by_cut = labels_of_pairs(data, scored, texts, judge=judge, criterion=criterion, seed=seed)
    else:
        scored = disagreement_table(store, slug, rater=judge, criterion=criterion, policy=policy)
        scored["text"] = scored["response"].map(texts).fillna("")
        labels_by_cut = _labels_by_cut(scored, modes, seed)
    difference = scored["difference"].to_numpy(dtype=float)
    far = np.abs(difference) >= large_from - 1e-9
    parts: dict[str, list[DisagreementRate]] = {}
    members, in_no_part = {}, {}
    for cut, labels in labels_by_cut.items():
        names = sorted(set(labels) - {""})
        number_by_name = {name: position for position, name in enumerate(names)}
        part = np.array([number_by_name.get(label, -1) for label in labels], dtype=np.int64)
        rows = disagreement_rates(difference, far, part, names)
        if rows:
            parts[cut] = rows
            in_no_part[cut] = len(scored) - sum(row.n for row in rows)
        for name in names:
            far_in_part = far & (part == number_by_name[name])
            members[cut, name] = tuple(int(response) for response in scored.loc[far_in_part, "response"])
    tests = with_correction([part.test for rows in parts.values() for part in rows], CORRECTION)
    corrected = iter(tests)
    corrected_parts = {
        cut: tuple(replace(part, test=next(corrected)) for part in rows) for cut, rows in parts.items()
    }
    human = _human_scores(data, criterion)
    return DisagreementPatterns(
        judge=judge,
        criterion=criterion,
        n=len(scored),
        large_from=large_from,
        n_large=int(far.sum()),
        family=family_of_tests({criterion: tests}),
        rates_by_cut=corrected_parts,
        members=members,
        in_no_part=in_no_part,
        missing=int(human.notna().sum()) - len(scored),
        without_score=data.unscored_of(judge, criterion),
        pairs=None if data.compared is None else scored.set_index("response"),
        undecided=0 if data.compared is None else int(human.isna().sum()),
    )


def _human_scores(data: ProjectScores, criterion: str) -> pd.Series[float]:
    """Return the human score of each rated response or pair, missing where the raters give none."""
    scores = data.scores[data.scores["criterion"] == criterion]
    return human_scores(scores, data.on_scale_aggregation, scales=data.project.scales)["human"]


def find_rationales(store: Store, project_id: int, words: str) -> list[RationaleHit]:
    """Return judges' rationales and raters' comments that contain all of the words."""
    with store.reading() as session:
        return search_rationales(session, project_id, words)


def find_pair_reasons(store: Store, project_id: int, words: str) -> list[PairReason]:
    """Return judges' rationales and raters' comments on comparisons that contain all of the words."""
    with store.reading() as session:
        return search_pair_reasons(session, project_id, words)


def _labels_by_cut(scored: pd.DataFrame, modes: Mapping[int, str], seed: int) -> dict[str, list[str]]:
    """Return the label of each response's part, by cut; empty if it has none."""
    cuts = {"group": scored["group"].tolist(), "system": scored["system"].tolist()}
    words = np.array([word_count(text) for text in scored["text"]], dtype=np.float64)
    third, names = length_thirds(words)
    if names:
        cuts["length"] = [names[number] if number >= 0 else "" for number in third]
    similar = text_groups(scored["text"].tolist(), seed=seed)
    if similar is not None:
        cuts["words"] = [similar.names[number] for number in similar.group]
    if modes:
        cuts["mode"] = [KINDS.get(modes.get(int(response), ""), "") for response in scored["response"]]
    return cuts
