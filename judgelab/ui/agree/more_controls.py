"""The controls of *More*: the claim, what it is about, and the criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgelab.analysis.comparison.sample_size import (
    sample_size_for_alternative_test,
    sample_size_for_baseline,
    sample_size_for_judges,
    sample_size_for_systems,
)
from judgelab.analysis.comparison.sample_size_answer import (
    BASELINE,
    JUDGES,
    STAND_IN,
    SYSTEMS,
    SampleSizeAnswer,
)
from judgelab.analysis.data import fingerprint_parts
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders, stale_results
from judgelab.ui.session import gate
from judgelab.ui.shared import choices, compared
from judgelab.wording import mark

SESSION_KEYS = {  # by query parameter
    "claim": "more_claim",
    "criterion": "more_criterion",
    "first": "more_first",
    "second": "more_second",
}
CLAIMS = {
    JUDGES: mark("This judge agrees better than that one"),
    BASELINE: mark("This judge agrees better than the best baseline"),
    STAND_IN: mark("This judge can replace a rater"),
    SYSTEMS: mark("These two systems differ"),
}
CLAIMS_ON_PAIRS = CLAIMS | {SYSTEMS: mark("One of these systems wins more often")}


@dataclass(frozen=True)
class ClaimChoice:
    """What is claimed, under which criterion, about which judges or systems.

    `second` is empty where a judge is compared with raters or with the best baseline. With `comparisons`, it
    is claimed of choices between two responses.
    """

    kind: str
    criterion: str
    first: str
    second: str = ""
    comparisons: bool = False


def choose_claim(slug: str, version: str, criteria: dict[str, str]) -> ClaimChoice | None:
    """Draw the choice of a claim and return it; None if the data allow no claim.

    Args:
        slug: the project's.
        version: of the project's data.
        criteria: label by key, of the criteria with ratings.
    """
    constant_judges = loaders.constant_judges(slug, fingerprint_parts.without_ratings(version))
    # No number of ratings settles a claim about a judge whose scores are all equal, so it comes last.
    raters = sorted(
        (compared_rater.name for compared_rater in loaders.compared_raters(slug, version)),
        key=constant_judges.__contains__,
    )
    systems = sorted(set(loaders.responses(slug, version)["system"]) - {""})
    opponents = {system: [other for other in systems if other != system] for system in systems}
    chosen = _choose_kind_and_names(CLAIMS, raters, opponents)
    if chosen is None:
        return None
    criterion = choices.one_of(
        _("Criterion"), list(criteria), SESSION_KEYS["criterion"], words=lambda key: criteria[key]
    )
    kind, first, second = chosen
    return ClaimChoice(kind, criterion, first, second)


def choose_claim_on_pairs(project: ProjectInfo, version: str) -> ClaimChoice | None:
    """Draw the choice of a claim about choices between two responses; None if the data allow no claim."""
    criterion = compared.choose_criterion(project, version)
    met = loaders.compared_systems(project.slug, version, criterion=criterion)
    if not met:  # only judges compared responses
        return None
    opponents: dict[str, list[str]] = {}
    for first, second in met:
        if first and second and first != second:
            opponents.setdefault(first, []).append(second)
            opponents.setdefault(second, []).append(first)
    judges = loaders.judges_of_pairs(project.slug, version, criterion=criterion)
    in_order = {system: sorted(opponents[system]) for system in sorted(opponents)}
    chosen = _choose_kind_and_names(CLAIMS_ON_PAIRS, judges, in_order)
    return None if chosen is None else ClaimChoice(chosen[0], criterion, *chosen[1:], comparisons=True)


def _choose_kind_and_names(
    claims: Mapping[str, str], raters: Sequence[str], opponents: Mapping[str, Sequence[str]]
) -> tuple[str, str, str] | None:
    """Draw the choices of a claim and of what it is about; `opponents` are, by system, the other ones."""
    possible = {
        JUDGES: len(raters) > 1,
        BASELINE: bool(raters),
        STAND_IN: bool(raters),
        SYSTEMS: any(opponents.values()),
    }
    kinds = [kind for kind in claims if possible[kind]]
    if not kinds:
        return None
    kind = choices.one_of(
        _("Claim"), kinds, SESSION_KEYS["claim"], words=lambda key: _(claims[key]), width=330
    )
    names = list(opponents) if kind == SYSTEMS else list(raters)
    first = choices.one_of(_("System") if kind == SYSTEMS else _("Judge"), names, SESSION_KEYS["first"])
    if kind in (BASELINE, STAND_IN):
        return kind, first, ""
    others = opponents[first] if kind == SYSTEMS else [name for name in names if name != first]
    return kind, first, choices.one_of(_("Compared with"), others, SESSION_KEYS["second"])


@stale_results.kept(loaders.KEPT, spinner=mark("Trying larger data sets…"))
def load_sample_size(slug: str, version: str, claim: ClaimChoice) -> SampleSizeAnswer:
    """Return what the data say about the claim, computed once per version of the data."""
    store, criterion, comparisons = gate.store(), claim.criterion, claim.comparisons
    if claim.kind == STAND_IN:
        return sample_size_for_alternative_test(
            store, slug, claim.first, criterion=criterion, comparisons=comparisons
        )
    if claim.kind == BASELINE:
        return sample_size_for_baseline(
            store, slug, claim.first, criterion=criterion, comparisons=comparisons
        )
    plan = sample_size_for_judges if claim.kind == JUDGES else sample_size_for_systems
    return plan(store, slug, claim.first, claim.second, criterion=criterion, comparisons=comparisons)
