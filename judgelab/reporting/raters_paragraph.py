"""The paragraph of the methods on the raters: who they were, how many rated a response, what they saw."""

from __future__ import annotations

from judgelab.reporting import comparisons
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.terms import count_words, join_names, raters_each

SLOTS_MEAN = (
    "a slot may contain ratings of several people, so agreement between slots is not necessarily agreement "
    "between two people."
)


def raters_paragraph(facts: ReportFacts) -> str:
    """Return who rated, how many raters each response had, and what they were shown."""
    flow, humans = facts.flow, facts.ratings
    raters_per_response = humans.groupby(["response", "criterion"])["rater"].nunique()
    on_each = " on each criterion" if len(facts.scores.project.criteria) > 1 else ""
    of_pairs = facts.scores.compared is not None
    each = f"{raters_each(raters_per_response)}{on_each}{_without_rating(facts)}"
    rated_by = f"Each response was rated by {each}, {len(humans):,} ratings in total."
    if of_pairs:
        rated_by = comparisons.raters_sentence(facts)
    if not facts.recorded:
        return " ".join([_who_rated_in_data(facts), rated_by])
    if not facts.blind.in_judgelab and not flow.slots and flow.members == flow.imported:
        if of_pairs:
            raters = f"comparisons by {count_words(flow.imported, 'rater')}"
            return f"All {raters} were imported; the file does not say what the raters were shown. {rated_by}"
        raters = f"{len(humans):,} ratings by {count_words(flow.imported, 'rater')}"
        return (
            f"All {raters} were imported; the file does not say what the raters were shown. "
            f"Each response was rated by {each}."
        )
    sentences = [
        _who_rated(facts),
        f"{flow.trained} passed a training round." if flow.trained is not None else "",
        rated_by,
        _blinding_sentences(facts),
    ]
    return " ".join(part for part in sentences if part)


def _who_rated(facts: ReportFacts) -> str:
    flow = facts.flow
    rated_here = flow.rated - flow.imported
    sentences = []
    if flow.members > flow.imported:
        people = count_words(flow.members - flow.imported, "person", "people")
        sentences.append(f"{people} registered as raters in JudgeLab; {rated_here} gave at least one rating.")
    if flow.imported > flow.slots:
        named = count_words(flow.imported - flow.slots, "rater is", "raters are")
        sentences.append(f"{named} named in an imported file.")
    if flow.slots:
        slots = count_words(flow.slots, "rater slot")
        sentences.append(f"{slots} came from an imported file that numbers its raters: {SLOTS_MEAN}")
    return " ".join(sentences)


def _who_rated_in_data(facts: ReportFacts) -> str:
    """Return who rated, as far as scores alone say it."""
    slots, raters = facts.flow.slots, facts.flow.rated - facts.flow.slots
    unknown = "the data do not say what raters were shown."
    if not slots:
        return f"{count_words(raters, 'human rater')} gave the ratings; {unknown}"
    named = f"{count_words(raters, 'rater is', 'raters are')} named in the data. " if raters else ""
    numbered = "1 rater slot is" if slots == 1 else f"{slots} rater slots are"
    return f"{named}{numbered} numbered in the data: {SLOTS_MEAN} {unknown[0].upper()}{unknown[1:]}"


def _without_rating(facts: ReportFacts) -> str:
    """Return on which criteria some of the rated responses have no rating."""
    humans = facts.ratings
    rated = humans.groupby("criterion")["response"].nunique()
    lacking = humans["response"].nunique() - rated.reindex(
        [criterion.key for criterion in facts.scores.project.criteria], fill_value=0
    )
    project = facts.scores.project
    phrases = [
        f"{count_words(int(n), 'response')} without a rating on {project.criterion(str(key)).label}"
        for key, n in lacking.items()
        if n
    ]
    return f" ({join_names(phrases)})" if phrases else ""


def _blinding_sentences(facts: ReportFacts) -> str:
    blind, sentences = facts.blind, []
    what = "rating" if facts.scores.compared is None else "comparison"
    if blind.in_judgelab:
        not_blind_note = (
            f"; {blind.not_blind:,} are by people who had opened judges' pages" if blind.not_blind else ""
        )
        sentences.append(
            f"{blind.in_judgelab:,} {what}s were made in JudgeLab, without the names of systems, judges' "
            f"scores or one another's {what}s on the screen{not_blind_note}."
        )
    if blind.imported:
        sentences.append(
            f"{count_words(blind.imported, f'{what} was', f'{what}s were')} imported; the file does "
            "not say what the raters were shown."
        )
    return " ".join(sentences)
