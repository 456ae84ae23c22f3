"""Patterns in disagreements: parts with more of them, and responses where judges agree against people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from judgelab.analysis.data.human_scores import human_scores, score_per_response
from judgelab.analysis.data.scores import IN_USE, project_scores
from judgelab.analysis.data.to_json import json_values
from judgelab.analysis.disagreement.disagreements import disagreement_table
from judgelab.analysis.disagreement.similar_texts import text_groups
from judgelab.analysis.trust.test_families import Family, family_of_tests
from judgelab.metaeval.coefficients.left_out import missing_scores
from judgelab.metaeval.inference.multiplicity import with_correction
from judgelab.metaeval.judges.large_disagreements import (
    DisagreementRate,
    disagreement_rates,
    large_disagreement_from,
    same_score_within,
    score_difference,
)
from judgelab.metaeval.judges.slices import length_thirds
from judgelab.metaeval.judges.system_orders import CORRECTION
from judgelab.scales import Scale
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.judging.no_scores import NONE_MISSING, UnscoredCounts
from judgelab.store.judging.rationales import RationaleHit, search_rationales
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.tags import KINDS, tags
from judgelab.words import word_count

CUTS = ("group", "system", "length", "words", "mode")
LEAST_JUDGES = 2  # that must contradict the people


@dataclass(frozen=True)
class DisagreementPatterns:
    """Large disagreements of one judge with people, by parts of the data.

    Attributes:
        judge: name of the judge.
        criterion: key of the criterion.
        n: number of responses that both scored.
        large_from: smallest difference that counts as large, in points of the scale.
        n_large: number of large disagreements.
        family: the tests over which p-values are corrected, those of all cuts; None without any.
        rates_by_cut: rates by cut ("group", "system", "length", "words": similar answers, "mode": tagged
            failure mode); only cuts that have two parts with at least five responses.
        members: row ids of the responses with large disagreements, by cut and part.
        in_no_part: by cut, number of responses in none of the parts: the attribute is not known, or their
            part has fewer than five responses.
        missing: number of rated responses without a score of the judge.
        without_score: counts of the judge's judgments without a score, by reason.
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

    @property
    def left_out(self) -> list[str]:
        """Return a phrase for every count of responses that are left out."""
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
        }


@dataclass(frozen=True)
class SharedDisagreements:
    """Responses on which judges agree with one another and not with the people.

    Attributes:
        rows: one row per response, see `shared_disagreements`.
        compared: number of rated responses that two or more judges scored on the criterion's scale.
        rated: number of rated responses.
        judges: number of judges that score on that scale.
    """

    rows: pd.DataFrame
    compared: int
    rated: int
    judges: int


def disagreement_patterns(
    store: Store, slug: str, *, judge: str, criterion: str, policy: str = IN_USE, seed: int = 0
) -> DisagreementPatterns:
    """Return the parts of the data in which a judge and people disagree more often than elsewhere.

    Raises:
        NotFound: no such project, criterion or filter.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        texts = score_frames.response_frame(session, project.id).set_index("response")["text"]
        modes = {tag.response: tag.kind for tag in tags(session, project.id) if tag.state == "accepted"}
    scored = disagreement_table(store, slug, rater=judge, criterion=criterion, policy=policy)
    large_from = large_disagreement_from(project.scale(criterion))
    difference = scored["difference"].to_numpy(dtype=float)
    far = np.abs(difference) >= large_from - 1e-9
    scored["text"] = scored["response"].map(texts).fillna("")
    parts: dict[str, list[DisagreementRate]] = {}
    members, in_no_part = {}, {}
    for cut, labels in _labels_by_cut(scored, modes, seed).items():
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
    data = project_scores(store, slug, policy=policy)
    aggregation = data.on_scale_aggregation
    rated = (
        human_scores(
            data.scores[data.scores["criterion"] == criterion], aggregation, scales=data.project.scales
        )["human"]
        .notna()
        .sum()
    )
    tests = with_correction([part.test for rows in parts.values() for part in rows], CORRECTION)
    corrected = iter(tests)
    corrected_parts = {
        cut: tuple(replace(part, test=next(corrected)) for part in rows) for cut, rows in parts.items()
    }
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
        missing=int(rated) - len(scored),
        without_score=data.unscored_of(judge, criterion),
    )


def find_rationales(store: Store, project_id: int, words: str) -> list[RationaleHit]:
    """Return judges' rationales and raters' comments that contain all of the words."""
    with store.reading() as session:
        return search_rationales(session, project_id, words)


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


def shared_disagreements(
    store: Store, slug: str, *, criterion: str, policy: str = IN_USE
) -> SharedDisagreements:
    """Return responses on which judges agree with one another and not with the people.

    At least two judges, and more than half of those that scored the response, are close to the judges' median
    (`same_score_within`), and that median is far from the human score. If the raters disagree themselves, the
    error may be a rater's; if they agree, it may be one that judges share. Columns: response, item, system,
    question, human, raters (number), apart (range of the raters' scores), judges (names of those that agree),
    median, difference; largest difference first.
    """
    data = project_scores(store, slug, policy=policy)
    scale = data.project.scale(criterion)
    large_from, same_within = large_disagreement_from(scale), same_score_within(scale)
    scores = data.scores[data.scores["criterion"] == criterion]
    on_scale = scores[(scores["rater_kind"] == "judge") & ~scores["rater"].isin(data.own_scale)]
    judged = _score_per_judge(on_scale, scale)
    humans = human_scores(scores, data.on_scale_aggregation, scales=data.project.scales)
    humans = humans[["response", "human", "raters"]].dropna()
    ratings = scores[scores["rater_kind"] == "human"].groupby("response")["score"]
    ranges = ratings.max() - ratings.min()
    ranges = ranges if scale.ordered else (ranges > 0).astype(float)
    humans = humans.assign(apart=humans["response"].map(ranges).fillna(0.0))
    judges_per_response = judged.groupby("response").size()
    compared = int((humans["response"].map(judges_per_response).fillna(0) >= LEAST_JUDGES).sum())
    shared = _agreeing_judges(judged, same_within, scale).merge(humans, on="response")
    shared["difference"] = score_difference(shared["median"], shared["human"], scale)
    shared = shared[shared["difference"].abs() >= large_from - 1e-9]
    with store.reading() as session:
        texts = score_frames.response_frame(session, data.project.id)[
            ["response", "item", "system", "question"]
        ]
    shared = shared.merge(texts, on="response")
    order = shared["difference"].abs().sort_values(ascending=False, kind="stable").index
    columns = [
        *("response", "item", "system", "question", "human", "raters", "apart", "judges", "median"),
        "difference",
    ]
    rows = shared.loc[order, columns].reset_index(drop=True)
    return SharedDisagreements(rows, compared, len(humans), int(judged["rater"].nunique()))


def _score_per_judge(scores: pd.DataFrame, scale: Scale) -> pd.DataFrame:
    """Return response, rater and score: the mean of a judge's scores, or the most frequent of its labels."""
    if scale.ordered:
        return scores.groupby(["response", "rater"])["score"].mean().reset_index()
    parts = [
        score_per_response(part, scale).reset_index().assign(rater=rater)
        for rater, part in scores.groupby("rater", sort=True)
    ]
    columns = ["response", "rater", "score"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else scores[columns]


def _agreeing_judges(judged: pd.DataFrame, same_within: float, scale: Scale) -> pd.DataFrame:
    """Return response, median and names of the agreeing judges, where enough judges agree.

    Labels without an order have no median; the most frequent one takes its place.
    """
    by_response = judged.groupby("response")["score"]
    median = by_response.transform("median" if scale.ordered else lambda labels: labels.mode().iloc[0])
    alike = judged[(judged["score"] - median).abs() <= same_within + 1e-9].sort_values(["response", "rater"])
    all_judges = alike["response"].map(by_response.size())
    agreeing = alike.groupby("response")["rater"].transform("size")
    enough = alike[(agreeing >= LEAST_JUDGES) & (agreeing > all_judges / 2)]
    by_response_agreed = enough.assign(median=median).groupby("response", as_index=False)
    return by_response_agreed.agg(median=("median", "first"), judges=("rater", ", ".join))
