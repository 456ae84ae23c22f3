"""The controls of the filter on the page *Quality*."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.languages import _
from judgelab.metaeval.core.aggregation import LABEL_MODELS
from judgelab.metaeval.core.label_classes import MOST_CLASSES
from judgelab.scales import Scale
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, view_state
from judgelab.ui.quality import control_view
from judgelab.wording import mark

METHODS = {"pairwise": mark("other raters"), "loo": mark("their mean")}
LABEL_METHODS = METHODS | {"loo": mark("their majority")}
PASSES = {
    "worst_first": mark("worst first"),
    "one_pass": mark("all at once"),
    "fixpoint": mark("in rounds"),
}
PASSES_HELP = mark(
    "Worst first: remove the rater who agrees least, compute agreement again, and repeat until none is below "
    "the threshold or two raters are left. All at once: remove all raters below the threshold. In rounds: "
    "remove all raters below the threshold, compute agreement again, and repeat until none is below it."
)
UNASSESSED = {"keep": mark("keep, with a note"), "drop": mark("remove")}
PAIR_WEIGHTS = {"none": mark("all the same"), "overlap": mark("by shared pairs")}
WEIGHTS = {"none": mark("all the same"), "overlap": mark("by shared responses")}
SCOPES = {"any_pair": mark("any two of them"), "exactly_two": mark("only where there are exactly two")}
CONTROLS = {
    "agreement": mark("agreement"),
    "hit": mark("degraded copies and repeats"),
    "both": mark("both, copies first"),
}
AGGREGATES = {
    "mean": mark("mean"),
    "median": mark("median"),
    "majority": mark("majority, ties left out"),
    "z_mean": mark("mean of z-scores"),
    "trimmed": mark("trimmed mean, 20 % each end"),
    "dawid_skene": mark("Dawid–Skene labels"),
    "mace": mark("MACE labels"),
}
TEST_OPTIONS = ("hit_alpha", "hit_pairs", "hit_test")
NEVER = "off"
PREFIX = "quality_rule_"
MOST_SEGMENTS = 4


def criterion_shown(project: ProjectInfo) -> str:
    """Return the criterion whose raters are shown, from a control if the project has several."""
    keys = [criterion.key for criterion in project.criteria]
    if len(keys) == 1:
        return keys[0]
    labels = {criterion.key: criterion.label for criterion in project.criteria}
    view_state.drop_unavailable("quality_shown", keys, note=False)
    chosen: str | None
    if len(keys) > MOST_SEGMENTS:
        chosen = st.selectbox(_("Criterion shown"), keys, format_func=labels.__getitem__, key="quality_shown")
    else:
        chosen = st.segmented_control(
            _("Criterion shown"),
            keys,
            default=None if "quality_shown" in st.session_state else keys[0],
            required=True,
            wrap=True,
            format_func=lambda key: text.plain(labels[key]),
            key="quality_shown",
        )
    return str(chosen or keys[0])


def draw_filter_controls(
    project: ProjectInfo, start: FilterPolicy, scale: Scale, *, comparisons: bool = False
) -> FilterPolicy:
    """Draw the filter's controls, preset to `start`, and return the filter they describe.

    Options that do nothing to labels or comparisons have no control there, and stay as they are.
    """
    r = "r" if scale.ordered else "κ"
    with st.container(horizontal=True, vertical_alignment="top", gap="medium"):
        threshold = st.slider(
            _("Remove raters with {r} below", r=r),
            0.0,
            1.0,
            start.threshold,
            0.01,
            key=f"{PREFIX}threshold",
            width=230,
        )
        overlap = st.number_input(
            _("Minimum overlap"),
            2,
            1000,
            start.min_overlap,
            key=f"{PREFIX}overlap",
            width=160,
            help=_("Pairs two raters must share for their {r} to count.", r=r)
            if comparisons
            else _("Responses two raters must share for their {r} to count.", r=r),
        )
        methods = METHODS if scale.ordered else LABEL_METHODS
        method = _choose_option(_("Agreement with"), methods, start.method, key="method")
        passes = _choose_option(
            _("Order of removal"), PASSES, start.passes, key="passes", note=_(PASSES_HELP)
        )
        conflict = _choose_conflict(start, scale)
    more = _draw_more_controls(project, start, ordered=scale.ordered, comparisons=comparisons) | conflict
    return FilterPolicy(
        threshold=float(threshold),
        min_overlap=int(overlap),
        method=method,
        passes=passes,
        **more,
    )


def _draw_more_controls(
    project: ProjectInfo, start: FilterPolicy, *, ordered: bool, comparisons: bool
) -> dict[str, Any]:
    with st.expander(_("More filter settings")), st.container(horizontal=True, gap="medium"):
        several = len(project.criteria) > 1
        options: dict[str, Any] = {
            "criterion": _choose_criterion(project, start.criterion) if several else start.criterion
        }
        if comparisons:
            options |= {name: getattr(start, name) for name in (*TEST_OPTIONS, "control", "aggregate")}
        else:
            control = _choose_option(_("Assess raters by"), CONTROLS, start.control, key="control")
            options |= {
                "control": control,
                **_choose_test_options(start, str(control)),
                "aggregate": _choose_aggregate(project, start.aggregate),
            }
        weights = PAIR_WEIGHTS if comparisons else WEIGHTS
        options["unassessed"] = _choose_option(
            _("Raters with too little overlap"), UNASSESSED, start.unassessed, key="unassessed"
        )
        options["weight"] = _choose_option(_("Weight of other raters"), weights, start.weight, key="weight")
        if ordered:
            options["conflict_scope"] = _choose_option(
                _("Ratings that differ"), SCOPES, _known_scope(start.conflict_scope), key="scope"
            )
        fewest = st.number_input(
            _("Ratings required per pair") if comparisons else _("Ratings required per response"),
            1,
            20,
            start.min_annotations,
            key=f"{PREFIX}fewest",
            width=150,
        )
        return {**options, "min_annotations": int(fewest)}


def _choose_test_options(start: FilterPolicy, control: str) -> dict[str, Any]:
    """Return the options for degraded copies and repeats, from controls if the filter uses them."""
    if control != "agreement":
        return control_view.draw_test_options(start)
    return {name: getattr(start, name) for name in TEST_OPTIONS}


def _choose_aggregate(project: ProjectInfo, start: str) -> str:
    """Draw the choice of aggregation; models of raters are offered only if all scales have few points."""
    countable = all(0 < len(scale.points()) <= MOST_CLASSES for scale in project.scales.values())
    offered = [aggregate for aggregate in AGGREGATES if countable or aggregate not in LABEL_MODELS]
    chosen = st.selectbox(
        _("Score of a response"),
        offered,
        index=offered.index(start) if start in offered else 0,
        format_func=lambda aggregate: _(AGGREGATES[aggregate]),
        key=f"{PREFIX}aggregate",
        width=230,
        help=_("How the remaining ratings are combined into the human score that judges are compared with."),
    )
    return str(chosen)


def _known_scope(start: str) -> str:
    return start if start in SCOPES else "any_pair"


def _choose_criterion(project: ProjectInfo, start: str) -> str:
    words = {"each": _("on the criterion they fail"), "all": _("on all, if they fail on one")}
    words |= {c.key: _("only {criterion}", criterion=c.label) for c in project.criteria}
    chosen = st.selectbox(
        _("Remove a rater"),
        list(words),
        index=list(words).index(start) if start in words else 0,
        format_func=words.__getitem__,
        key=f"{PREFIX}reach",
        width=230,
    )
    return str(chosen)


def _choose_option(
    label: str, words: Mapping[str, str], start: str, *, key: str, note: str | None = None
) -> Any:
    return st.segmented_control(
        label,
        list(words),
        default=start,
        required=True,
        wrap=True,
        format_func=lambda option: _(words[option]),
        key=f"{PREFIX}{key}",
        help=note,
    )


def _choose_conflict(start: FilterPolicy, scale: Scale) -> dict[str, Any]:
    """Draw the choice of the distance at which ratings conflict, and return it as filter options."""
    if not scale.ordered:
        return {"conflict": start.conflict, "conflict_scope": start.conflict_scope}
    if replace(start, conflict_scope="any_pair").conflict_distance(scale) is None:
        st.selectbox(
            _("Remove responses if ratings differ by at least"),
            [_("never, yes or no")],
            key=f"{PREFIX}no_conflict",
            width=190,
        )
        return {"conflict": start.conflict}
    width = scale.high - scale.low
    shares = sorted({1.0, start.conflict, *_smaller_distances(scale)}, reverse=True)
    choices: dict[Any, str] = {share: text.points(share * width) for share in shares}
    choices[1.0] = _("{points} (default)", points=choices[1.0])
    choices[NEVER] = _("never")
    keys = list(choices)
    chosen = st.selectbox(
        _("Remove responses if ratings differ by at least"),
        keys,
        index=keys.index(NEVER if start.conflict_scope == NEVER else start.conflict),
        format_func=choices.__getitem__,
        key=f"{PREFIX}conflict",
        width=190,
        help=_(
            "A response with two ratings this far apart is removed, because it is unclear which is right."
        ),
    )
    return {"conflict_scope": NEVER} if chosen == NEVER else {"conflict": chosen}


def _smaller_distances(scale: Scale) -> list[float]:
    """Return the next smaller conflict distances as shares of the scale, whole points where it has points."""
    if not scale.points():
        return [0.75, 0.5]
    width = round(scale.high - scale.low)
    return [points / width for points in range(width - 1, max(1, width - 3), -1)]
