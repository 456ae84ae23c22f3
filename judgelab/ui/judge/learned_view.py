"""The learned judge on the page Judges: its training, and how good it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.charts.learning import learning_curve_chart
from judgelab.domain import BASELINE
from judgelab.languages import _, _n
from judgelab.learned.features import FEATURES
from judgelab.learned_training.evaluation import BY_ENCODER, CONTROLS, UNSEEN_BOTH, UNSEEN_ITEMS
from judgelab.learned_training.training import learned_judges
from judgelab.metaeval.agreement.baselines import baseline_label
from judgelab.metrics.encoder import TFIDF, current_encoder
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.scoring.learned import StoredLearned
from judgelab.ui.judge import learned_form
from judgelab.ui.kit import narrow_names, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import compared
from judgelab.wording import mark

RATER_WORDS = {
    UNSEEN_ITEMS: mark("learned, unseen items"),
    UNSEEN_BOTH: mark("learned, unseen items and systems"),
}
MORE_WORDS = {"higher": mark("higher score"), "lower": mark("lower score")}

NARROW_FEATURE_WIDTH = 190  # on a phone, in pixels


def draw_learned_judge(project: ProjectInfo) -> None:
    """Draw the section: description, training form, and the report on each learned judge."""
    widgets.heading(_("Learned judge"), _("needs no model server"))
    if compared.only_compared(project):
        st.caption(
            _(
                "Not available here: it learns from scores of single responses, and the raters only compared "
                "pairs."
            )
        )
        return
    st.caption(
        _(
            "Learns from this project's ratings how your raters score, using interpretable features. Each "
            "response is scored by a model that was not trained on ratings of its item."
        )
    )
    if current_encoder() == TFIDF:
        st.caption(
            _(
                ":material/info: No encoder is installed, so text similarity is computed from word "
                "overlap (TF-IDF)."
            )
        )
    learned_form.draw_learned_form(project)
    judges = learned_judges(gate.store(), project.id)
    for judge in judges:
        _draw_report(project, judge)


def _draw_report(project: ProjectInfo, judge: StoredLearned) -> None:
    labels = {criterion.key: criterion.label for criterion in project.criteria}
    keys = [model.criterion for model in judge.models]
    name, when = text.plain(judge.judge), text.when(judge.learned_at)
    title = _("Agreement of “{name}”, trained {when}", name=name, when=when)
    with st.expander(title, expanded=True):
        criterion = keys[0]
        if len(keys) > 1:
            criterion = (
                st.segmented_control(
                    _("Criterion"),
                    keys,
                    default=keys[0],
                    format_func=lambda key: text.plain(labels[key]),
                    key=f"learned_criterion_{judge.judge}",
                    required=True,
                )
                or keys[0]
            )
        report = next(model.report for model in judge.models if model.criterion == criterion)
        _draw_criterion(report, key=f"{judge.judge}_{criterion}")


def _draw_criterion(report: Mapping[str, Any], *, key: str) -> None:
    leading = [row for row in report["rows"] if row["coefficient"] == report["coefficient"]]
    by_name = {row["rater"]: row for row in leading}
    name = text.coefficient(report["coefficient"])
    st.markdown(text.keep_together(_answer_sentence(by_name, report, name)))
    left, right = st.columns([1, 1], gap="large")
    with left:
        _draw_table(by_name, report, name, key=key)
        st.caption(text.keep_together(_recipe_text(report)))
    with right:
        _draw_curve(by_name, report, name, key=key)
    _draw_strongest(report, key=key)


def _answer_sentence(by_name: Mapping[str, Mapping[str, Any]], report: Mapping[str, Any], name: str) -> str:
    learned = by_name[UNSEEN_ITEMS]
    if learned["value"] is None:
        return _("Undefined: {reason}.", reason=text.plain(_(learned["reason"])))
    plain_kinds = ("metric", BASELINE)
    others = [
        row for row in by_name.values() if row["rater_kind"] in plain_kinds and row["value"] is not None
    ]
    figure = _("{name} {value} on unseen items.", name=name, value=_value(learned))
    unseen_both = by_name.get(UNSEEN_BOTH)
    if unseen_both and unseen_both["value"] is not None:
        figure = _(
            "{name} {value} on unseen items, {both} on unseen items and systems.",
            name=name,
            value=_value(learned),
            both=_value(unseen_both),
        )
    if not others:
        return figure
    best = max(others, key=lambda row: row["value"])
    if learned["ci"] and learned["ci"][0] > best["value"]:
        comparison = _(
            "Its interval is above the best simple metric, {metric} at {value}.", **_row_name(best, report)
        )
    elif learned["value"] > best["value"]:
        comparison = _(
            "Above the best simple metric, {metric} at {value}, but this may be chance.",
            **_row_name(best, report),
        )
    else:
        comparison = _(
            "No better than {metric} at {value}, which needs no ratings.", **_row_name(best, report)
        )
    return f"{figure} {comparison}"


def _row_name(row: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, str]:
    return {"metric": text.plain(_rater(row, report)), "value": text.number(row["value"])}


def _draw_table(
    by_name: Mapping[str, Mapping[str, Any]], report: Mapping[str, Any], name: str, *, key: str
) -> None:
    baselines = [rater for rater, row in by_name.items() if row["rater_kind"] == BASELINE]
    order = [UNSEEN_ITEMS, UNSEEN_BOTH, *CONTROLS, *baselines, report["best_metric"]]
    rows = [by_name[rater] for rater in dict.fromkeys(order) if rater in by_name]
    frame = pd.DataFrame(
        {
            "Rater": [_rater(row, report) for row in rows],
            "Value": [text.number(row["value"]) for row in rows],
            "95 % interval": [text.interval(_interval(row)) for row in rows],
            "n": [text.count(row["n"]) for row in rows],
        }
    )
    columns = {
        "Rater": {"label": _("Judge or metric")},
        "Value": st.column_config.TextColumn(name, alignment="right"),
        "95 % interval": st.column_config.TextColumn(_("95 % interval"), alignment="right"),
        "n": st.column_config.TextColumn("n", alignment="right"),
    }
    layout = narrow_names.layout(frame, columns)
    widgets.table(frame, key=f"learned_table_{key}", height="content", **layout)


def _rater(row: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    if row["rater_kind"] == BASELINE:
        return _("baseline: {name}", name=_(baseline_label(row["rater"])))
    if row["rater"] in BY_ENCODER:
        return _(
            "feature “{metric}” of this judge ({encoder})", metric=row["rater"], encoder=_encoder(report)
        )
    return _(RATER_WORDS.get(row["rater"], row["rater"]))


def _value(row: Mapping[str, Any]) -> str:
    return text.with_interval(row["value"], _interval(row))


def _interval(row: Mapping[str, Any]) -> tuple[float, float] | None:
    return tuple(row["ci"]) if row["ci"] else None


def _encoder(report: Mapping[str, Any]) -> str:
    return _("TF-IDF") if report["encoder"] == TFIDF else str(report["encoder"])


def _recipe_text(report: Mapping[str, Any]) -> str:
    items = _n("{n} item", "{n} items", report["items"])
    level = _("within each item") if report["level"] == "item" else _("pooled")
    if report.get("policy", "none") == "none":
        rated = _n("{n} rated response", "{n} rated responses", report["responses"])
        ratings = _(
            "Agreement at training time with the mean of all raters, {where}: {rated} to {items}.",
            where=level,
            rated=rated,
            items=items,
        )
    else:
        kept = _n("the {n} response", "the {n} responses", report["responses"])
        ratings = _(
            "Agreement at training time with the mean of the raters kept by the filter, {where}; computed on "
            "{kept} to {items} that the filter keeps.",
            where=level,
            kept=kept,
            items=items,
        )
    settings = _(
        "Model: {kind}, {features} features, similarity by {encoder}, seed {seed}. Intervals: 95 %, "
        "resampling items. The page “Agreement” uses current scores and compares with the mean of the "
        "raters, leaving out one at a time.",
        kind=report["kind"],
        features=report["features"],
        encoder=text.plain(_encoder(report)),
        seed=report["seed"],
    )
    return f"{ratings} {settings}"


def _draw_curve(
    by_name: Mapping[str, Mapping[str, Any]], report: Mapping[str, Any], name: str, *, key: str
) -> None:
    points = [(int(point["items"]), point["values"]) for point in report["curve"] if point["values"]]
    if not points:
        st.caption(_("Too few rated items for a learning curve."))
        return
    best = by_name.get(report["best_metric"] or "")
    references = {
        row["rater"]: row["value"]
        for row in (best, by_name.get("length"))
        if row and row["value"] is not None
    }
    first, *others = [(text.count(size), text.number(sum(values) / len(values))) for size, values in points]
    sentence = _n(
        "Trained on {size} rated item and tested on the rest, the judge reaches {name} {value}",
        "Trained on {size} rated items and tested on the rest, the judge reaches {name} {value}",
        points[0][0],
        name=name,
        value=first[1],
        size=first[0],
    )
    rest = [_("{value} with {size}", value=value, size=size) for size, value in others]
    sentence = _(
        "{curve}. Each value is the mean over repeated random choices of the training items. The test items "
        "differ from those of the result above, so these values can be higher or lower.",
        curve="; ".join([sentence, *rest]),
    )
    figure = learning_curve_chart(
        points, references=references, null=report["null"], title=name, theme=widgets.theme()
    )
    widgets.chart(figure, key=f"learned_curve_{key}", alt=sentence)
    null = report["null"]
    if null:
        sentence = _(
            "{curve} Trained on shuffled ratings ({n} times), it reaches {low} to {high} (grey).",
            curve=sentence,
            n=len(null),
            low=text.number(min(null)),
            high=text.number(max(null)),
        )
    st.caption(text.keep_together(sentence))


def _draw_strongest(report: Mapping[str, Any], *, key: str) -> None:
    frame = pd.DataFrame(
        {
            "Feature": [_(FEATURES[feature["feature"]]) for feature in report["strongest"]],
            "Moves": [text.number(feature["moves"]) for feature in report["strongest"]],
            "More": [_(MORE_WORDS[feature["more_is"]]) for feature in report["strongest"]],
        }
    )
    with st.expander(_("What drives its scores")):
        columns = {
            "Feature": {"label": _("Feature"), "width": 420},
            "Moves": st.column_config.TextColumn(_("Average effect in points"), alignment="right"),
            "More": {"label": _("Higher with")},
        }
        layout = narrow_names.layout(frame, columns, NARROW_FEATURE_WIDTH)
        widgets.table(frame, key=f"learned_features_{key}", height="content", **layout)
