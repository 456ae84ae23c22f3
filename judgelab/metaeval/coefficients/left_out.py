"""What an estimate is based on and what it leaves out, as phrases for table notes, text and files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from judgelab.metaeval.coefficients.grouping import WORDS as GROUPS
from judgelab.metaeval.core.pairing import SYSTEM_LEVELS
from judgelab.metaeval.core.resampling import no_variation_reason
from judgelab.metaeval.core.result import NOT_CONVERGED, TIED, WITHOUT_TEXT, Estimate
from judgelab.wording import counted, joined, listed, mark, sentence

AS_ZERO = mark("{said}, where the coefficient counts as 0")
HAVE_A_VALUE = {
    "item": mark("{groups} of {all} items have a value ({why})"),
    "sys": mark("{groups} of {all} systems have a value ({why})"),
    "group": mark("{groups} of {all} groups have a value ({why})"),
}
# Of a mean over criteria, each of which counts every group.
PAIRS_HAVE_A_VALUE = {
    "item": mark("{groups} of {all} item-criterion pairs have a value ({why})"),
    "sys": mark("{groups} of {all} system-criterion pairs have a value ({why})"),
    "group": mark("{groups} of {all} group-criterion pairs have a value ({why})"),
}
ONE, EACH = mark("{raters}: {why}."), mark("{raters} (each): {why}.")
ONE_HAS, EACH_HAS = mark("{raters} has {why}."), mark("{raters} each have {why}.")
MOST_LISTED = 5  # names or counts in a sentence
FIRST_NAMED = 3  # of more names; the others are counted
MEAN_OF = {
    "criteria": mark("mean of {used} of {all} criteria (those with a value)"),
    "raters": mark("mean of the {used} of {all} leave-one-out comparisons that have a value"),
    "runs": mark("mean of {used} of {all} runs (those with a value)"),
}


def missing_scores(
    responses: int, judgments: Sequence[str] = (), *, of_two_raters: bool = False
) -> list[str]:
    """Return phrases for rated responses without a judge's score, and for its judgments without one.

    The same response may be counted in both, so the second count says that it is of all judgments.
    `of_two_raters` says that only responses with two or more ratings
    are counted.
    """
    if not responses:
        return list(judgments)
    if of_two_raters:
        rated = counted(
            "no score for {n} response with two or more ratings",
            "no score for {n} responses with two or more ratings",
            responses,
        )
    else:
        rated = counted("no score for {n} rated response", "no score for {n} rated responses", responses)
    if not judgments:
        return [rated]
    return [sentence("{responses} ({counts} in all)", responses=rated, counts=joined(judgments))]


def missing_choices(pairs: int, undecided: int) -> list[str]:
    """Return phrases for compared pairs without a judge's choice, and for those without a majority."""
    phrases: list[str] = []
    if pairs:
        phrases.append(counted("no choice for {n} more pair", "no choice for {n} more pairs", pairs))
    if undecided:
        phrases.append(counted("no majority for {n} more pair", "no majority for {n} more pairs", undecided))
    return phrases


def left_out(
    estimate: Estimate, judgments: Sequence[str] = (), *, level: str = "", of_pairs: bool = False
) -> list[str]:
    """Return a phrase for every count of left-out data that the estimate records; empty if there is none.

    `judgments` are phrases for the judge's judgments without a score. `level` names the groups of the
    coefficient: items at level "item", systems at level "sys". `of_pairs`: people compared two responses.

    Example: a coefficient of two systems' means, one with 3 rated responses and the other with 200, has
    "responses by system: A 3, B 200".
    """
    notes = estimate.params
    one_left_out = notes.get("targets") == "leave_one_out"
    phrases = missing_scores(notes.get("n_missing") or 0, judgments, of_two_raters=one_left_out)
    if (systems := left_out_of_systems(estimate)) and one_left_out:
        systems = [
            sentence(
                "of responses with two or more ratings, one rater left out, at most: {counts}",
                counts=joined(systems),
            )
        ]
    phrases += systems
    phrases += [
        sentence(template, used=notes[f"{what}_used"], all=notes[f"{what}_used"] + lost)
        for what, template in MEAN_OF.items()
        if (lost := notes.get(f"{what}_undefined")) and estimate.value is not None
    ]
    # With raters left out in turn, every group would be counted once per rater.
    if estimate.value is not None and not one_left_out:
        phrases += _groups(estimate, level)
    if n := notes.get("units_with_gaps"):
        phrases.append(
            counted(
                "{n} response not rated by all raters (left out)",
                "{n} responses not rated by all raters (left out)",
                n,
            )
        )
    if n := notes.get(WITHOUT_TEXT):
        phrases.append(
            counted(
                "{n} response without text (left out)",
                "{n} responses without text (left out)",
                n,
            )
        )
    if n := notes.get(TIED):
        phrases.append(
            counted(
                "{n} pair left out because its raters have no majority",
                "{n} pairs left out because their raters have no majority",
                n,
            )
            if of_pairs
            else counted(
                "{n} response left out because its raters have no majority",
                "{n} responses left out because their raters have no majority",
                n,
            )
        )
    if notes.get(NOT_CONVERGED):
        phrases.append(sentence("the model of raters has not converged, so their labels are uncertain"))
    if n := notes.get("judge_tied"):
        phrases.append(
            counted(
                "{n} question with a tie for first place",
                "{n} questions with a tie for first place",
                n,
            )
        )
    if n := notes.get("systems_left_out"):
        phrases.append(
            counted(
                "{n} system without a score on both sides (left out)",
                "{n} systems without a score on both sides (left out)",
                n,
            )
        )
    if n := notes.get("pairs_undefined"):
        phrases.append(
            counted("{n} pair of raters without a value", "{n} pairs of raters without a value", n)
        )
    if outside_its_interval(estimate):
        phrases.append(
            sentence(
                "the value lies outside its interval, since resampled items make the means of systems "
                "less exact"
            )
        )
    if reason := no_variation_reason(estimate):
        phrases.append(sentence("no interval, since {why}", why=reason))
    return phrases


def outside_its_interval(estimate: Estimate) -> bool:
    """Return whether the value lies outside its interval by a hundredth or more, as both are printed."""
    if estimate.value is None or estimate.ci is None:
        return False
    low, value, high = (round(number, 2) for number in (estimate.ci[0], estimate.value, estimate.ci[1]))
    return not low <= value <= high


def counts_systems(level: str, estimate: Estimate) -> bool:
    """Return whether the n of an estimate at this level counts systems.

    If raters are left out in turn, n counts responses at every level; so it does where the coefficient
    needs single scores and is undefined for systems' means.
    """
    of_systems = estimate.value is not None or "n_by_system" in estimate.params
    return level in SYSTEM_LEVELS and of_systems and estimate.params.get("targets") != "leave_one_out"


def counts_scores(level: str, estimate: Estimate) -> bool:
    """Return whether the n of an estimate counts scores: it is a mean over criteria."""
    return "criteria_used" in estimate.params and not counts_systems(level, estimate)


def units_of_n(level: str, estimate: Estimate) -> str:
    """Return `13 systems`, `253 responses` or `699 scores`; only the number at levels of single responses.

    A mean over criteria counts scores: one for each response under each criterion.
    """
    if counts_scores(level, estimate):
        return counted("{n} score", "{n} scores", estimate.n)
    if level not in SYSTEM_LEVELS:
        return f"{estimate.n:,}"
    if counts_systems(level, estimate):
        return counted("{n} system", "{n} systems", estimate.n)
    return counted("{n} response", "{n} responses", estimate.n)


def left_out_of_rows(
    rows: Iterable[tuple[str, Estimate]], *, level: str = "", of_pairs: bool = False
) -> list[str]:
    """Return a sentence for each phrase, with the names of the rows it applies to, for a table note."""
    phrases = ((name, left_out(estimate, level=level, of_pairs=of_pairs)) for name, estimate in rows)
    return of_rows(phrases, quoted=True)


def of_rows(rows: Iterable[tuple[str, Sequence[str]]], *, quoted: bool = False) -> list[str]:
    """Return one sentence per set of rows that share phrases, with their names, quoted if asked."""
    by_phrase: dict[str, list[str]] = {}
    for name, phrases in rows:
        for phrase in phrases:
            by_phrase.setdefault(phrase, []).append(name)
    by_names: dict[tuple[str, ...], list[str]] = {}
    for phrase, names in by_phrase.items():
        by_names.setdefault(tuple(names), []).append(phrase)
    return [
        sentence(_template(names, phrases), raters=_named(names, quoted=quoted), why=joined(phrases, "; "))
        for names, phrases in by_names.items()
    ]


def _template(names: Sequence[str], phrases: Sequence[str]) -> str:
    """Return the sentence for these rows: a full one where the phrases allow it."""
    if all(phrase.startswith("no score for ") for phrase in phrases):
        return ONE_HAS if len(names) == 1 else EACH_HAS
    return ONE if len(names) == 1 else EACH


def _named(names: Sequence[str], *, quoted: bool) -> str:
    # Of names, one with a colon would be read as the start of the sentence.
    names = [sentence("“{name}”", name=name) if quoted or ":" in name else name for name in names]
    if len(names) <= MOST_LISTED:
        return listed(names)
    first = joined(names[:FIRST_NAMED])
    return counted("{names} and {n} other", "{names} and {n} others", len(names) - FIRST_NAMED, names=first)


def left_out_of_systems(estimate: Estimate) -> list[str]:
    """Return phrases for how many responses the systems' means have, and what they leave out.

    If raters are left out in turn, these are the largest counts with any of them left out.
    """
    notes = estimate.params
    phrases: list[str] = []
    by_system: Mapping[str, int] = notes.get("n_by_system", {})
    least, most = min(by_system.values(), default=0), max(by_system.values(), default=0)
    if by_system and least == most:
        phrases.append(counted("{n} response per system", "{n} responses per system", most))
    elif by_system and len(by_system) <= MOST_LISTED:
        by_system_text = joined([f"{system} {n:,}" for system, n in by_system.items()])
        phrases.append(sentence("responses by system: {each}", each=by_system_text))
    elif by_system:
        phrases.append(sentence("{least} to {most} responses per system", least=least, most=most))
    if n := notes.get("items_not_of_every_system"):
        phrases.append(
            counted(
                "{n} item not scored for every system (still used)",
                "{n} items not scored for every system (still used)",
                n,
            )
        )
    if n := notes.get("items_left_out"):
        phrases.append(
            counted(
                "{n} item not scored for every system (left out)",
                "{n} items not scored for every system (left out)",
                n,
            )
        )
    if n := notes.get("n_without_system"):
        phrases.append(
            counted(
                "{n} response without a system (left out)", "{n} responses without a system (left out)", n
            )
        )
    return phrases


def _groups(estimate: Estimate, level: str) -> list[str]:
    zero = estimate.params.get("constant_groups") == "zero"
    phrases = []
    for reason, n in estimate.groups_undefined.items():
        phrase = sentence(GROUPS[reason], groups=n) if reason in GROUPS else f"{reason} {n}"
        phrases.append(sentence(AS_ZERO, said=phrase) if zero and reason == "judge_constant" else phrase)
    if not phrases or estimate.groups_used is None:
        return phrases
    templates = PAIRS_HAVE_A_VALUE if "criteria_used" in estimate.params else HAVE_A_VALUE
    all_groups = estimate.groups_used + sum(estimate.groups_undefined.values())
    return [
        sentence(
            templates.get(level, templates["group"]),
            groups=estimate.groups_used,
            all=all_groups,
            why=joined(phrases, "; "),
        )
    ]
