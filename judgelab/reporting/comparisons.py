"""What the methods and tables of a report say where people compared two responses instead of scoring them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from judgelab.analysis.comparison.margin_notes import margin_notes
from judgelab.analysis.comparison.measured_strengths import PEOPLE, strength_rows
from judgelab.domain import DECISION
from judgelab.metaeval.agreement.ceiling import CEILING
from judgelab.metaeval.core.pair_scores import FIRST, MAJORITY_MEANING, SECOND, TIE, set_aside
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.terms import coefficient_name, count_words, join_names, raters_each

RESAMPLES = 200  # of the items, for the intervals of strengths, as on *Agree*
CHOICES = {FIRST: "a", TIE: "tie", SECOND: "b"}


def material_paragraph(facts: ReportFacts) -> str:
    """Return how many pairs of how many items were compared, and under which criteria."""
    project, humans = facts.scores.project, facts.scores.humans
    pairs = _compared_pairs(facts)
    systems = set(pairs["system_first"]) | set(pairs["system_second"])
    named = sorted(name for name in systems if name)
    of_systems = f" by {count_words(len(named), 'system')}" if named else ""
    criteria = "; ".join(criterion.label for criterion in project.criteria)
    number = "one criterion" if len(project.criteria) == 1 else f"{len(project.criteria)} criteria"
    distinct = len(pairs.drop_duplicates(["first", "second"]))
    return (
        f"{count_words(distinct, 'pair')} of responses{of_systems} to "
        f"{count_words(humans['item'].nunique(), 'item')} were compared on {number}: {criteria}. "
        "Raters chose the better response or a tie."
    )


def raters_sentence(facts: ReportFacts) -> str:
    """Return how many raters compared each pair, and how many choices they made."""
    humans = facts.scores.humans
    counts = humans.groupby("response")["rater"].nunique()
    return f"Each pair was compared by {raters_each(counts)}, {count_words(len(humans), 'choice')} in total."


def agreement_paragraph(facts: ReportFacts) -> str:
    """Return how choices are compared: the majority, ties, both orders, implied choices, intervals."""
    recipe, by_scores = facts.recipe, _implied_sentences(facts)
    names = join_names([*map(coefficient_name, recipe.coefficients)])
    return (
        "A choice is one of three unordered labels: the first response, a tie, or the second. The "
        "human choice for a pair is its raters' majority choice; pairs without a majority are left out. "
        f"{MAJORITY_MEANING} "
        f"{decisions_sentence(facts)}A judge's choices for a pair in both orders count once, as a tie if "
        f"they differ.{by_scores} Agreement is measured by {names}, over all pairs with a majority. "
        f"Intervals are 95 % bootstrap intervals over items ({recipe.resamples:,} resamples, seed "
        f"{recipe.seed}) unless a table names another method. The human ceiling (“{CEILING}”) is the average "
        "agreement of a rater with the majority of the other raters. For comparison, judges are treated the "
        "same way: each is compared with the majority of all raters but one, on the pairs that two or more "
        "raters compared. Agreement with the majority of all raters is given too."
    )


def decisions_sentence(facts: ReportFacts) -> str:
    """Return on how many pairs an adjudicator's decision counts instead of the majority; empty if unused."""
    count = facts.scores.n_decided
    if count is None:
        return ""
    decided = f"{count_words(count, 'pair')} {'was' if count == 1 else 'were'} decided by an adjudicator"
    return f"{decided}; the decision replaces the raters' choices. "


def _implied_sentences(facts: ReportFacts) -> str:
    """Return whose choices follow from scores, with which margins, and what enters no agreement."""
    compared = facts.scores.compared
    if compared is None:
        return ""
    implied = sorted(compared.implied)
    names = join_names([f"“{name}”" for name in implied]) if implied else ""
    sentences = [f"{names} scored single responses; the higher score is the choice."] if implied else []
    project, examples = facts.scores.project, compared.examples
    for criterion in project.criteria:
        margins = {name: margin for (key, name), margin in compared.margins.items() if key == criterion.key}
        people = None if examples is None else examples[examples["rater_kind"] == "human"]
        n = 0 if people is None else people.loc[people["criterion"] == criterion.key, "response"].nunique()
        notes = margin_notes(margins, int(n))
        sentences += [f"{criterion.label}: {note}" for note in notes] if len(project.criteria) > 1 else notes
    return "".join(f" {each}" for each in sentences)


def strength_table(facts: ReportFacts) -> pd.DataFrame:
    """Return Bradley-Terry strengths and win rates of the systems, by all raters and by each judge."""
    compared = facts.scores.compared
    if compared is None:
        return pd.DataFrame()
    rows: list[dict[str, Any]] = []
    for row in strength_rows(
        compared.preferences, compared.responses, resamples=RESAMPLES, seed=facts.recipe.seed
    ):
        for system, strength in row.strengths.strength.items():
            games = row.strengths.games.get(system, 0)
            rows.append(
                {
                    "criterion": row.criterion,
                    "system": system,
                    "by": "raters" if row.rater == PEOPLE else row.rater,
                    "strength": strength.value,
                    "ci_low": strength.ci[0] if strength.ci else None,
                    "ci_high": strength.ci[1] if strength.ci else None,
                    "comparisons": games,
                    "win_rate": row.strengths.wins.get(system, 0.0) / games if games else None,
                    "interval": strength.ci_method,
                    "reason": strength.reason or "",
                }
            )
    return pd.DataFrame(rows)


def choice_table(facts: ReportFacts) -> pd.DataFrame:
    """Return for each compared pair the kept raters' votes, and their majority, empty where they tie.

    `in_agreement` is false for a pair on which a margin for a tie was chosen. Where decisions are used,
    `decision` is an adjudicator's choice that counts instead, or empty.
    """
    pairs, kept = _compared_pairs(facts), facts.scores.with_examples
    compared = facts.scores.compared
    assert compared is not None, "only for comparisons"
    decisions = kept[kept["rater_kind"] == DECISION].set_index("response")["score"].map(CHOICES)
    kept = kept[kept["rater_kind"] == "human"]
    votes = kept.groupby(["response", "score"]).size().unstack(fill_value=0)
    votes = votes.reindex(index=pairs["pair"], columns=list(CHOICES), fill_value=0)
    most = votes.max(axis=1)
    alone = votes.eq(most, axis=0).sum(axis=1) == 1
    names = compared.responses.set_index("response")["response_id"]
    table = pd.DataFrame(
        {
            "item_id": pairs["item"].to_numpy(),
            "response_a": names.reindex(pairs["first"]).to_numpy(),
            "response_b": names.reindex(pairs["second"]).to_numpy(),
            "system_a": pairs["system_first"].to_numpy(),
            "system_b": pairs["system_second"].to_numpy(),
            "criterion": pairs["criterion"].to_numpy(),
            "raters": votes.sum(axis=1).to_numpy(),
            "votes_a": votes[FIRST].to_numpy(),
            "votes_tie": votes[TIE].to_numpy(),
            "votes_b": votes[SECOND].to_numpy(),
            "majority": votes.idxmax(axis=1).map(CHOICES).where(alone, "").to_numpy(),
            "in_agreement": ~set_aside(pairs, compared.margins),
        }
    )
    if not facts.recipe.decisions:
        return table
    return table.assign(decision=decisions.reindex(pairs["pair"]).fillna("").to_numpy())


def _compared_pairs(facts: ReportFacts) -> pd.DataFrame:
    """Return the pairs that people compared."""
    assert facts.scores.compared is not None, "only for comparisons"
    pairs = facts.scores.compared.pairs
    return pairs[pairs["pair"].isin(set(facts.scores.humans["response"]))]
