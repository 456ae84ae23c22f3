"""Form fields of criteria: the question, the scale, and what each point means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.domain import Criterion
from judgelab.errors import InvalidInput, UserError
from judgelab.languages import _, _n
from judgelab.scales import CANNOT_JUDGE, Setting, may_pass, scale_from_json, scales, widened
from judgelab.scales.error_spans import ErrorSpans
from judgelab.store.projects.projects import slug_of
from judgelab.ui.kit import failures, text
from judgelab.ui.rater.criteria import ends
from judgelab.wording import sentence

FIRST_KINDS = ("ordinal", "binary", "numeric")
MOST_CRITERIA = 20
BLANK = Criterion("", "", {"kind": "ordinal", "low": 1, "high": 5})


def draw_criteria(criteria: Sequence[Criterion]) -> None:
    """Draw criteria read-only, as raters will see them."""
    for criterion in criteria:
        st.markdown(f"**{text.plain(criterion.label)}**  {text.plain(criterion.question)}")
        st.caption(scale_line(criterion))


def scale_line(criterion: Criterion) -> str:
    """Return the scale in one line: `0 Irrelevant · 1 Related only · 2 Partly · 3 Answers`."""
    scale = scale_from_json(criterion.scale)
    if isinstance(scale, ErrorSpans):
        return text.plain(scale.describe())
    points = scale.points()
    first, last = map(text.plain, ends(criterion))
    if not points:
        low, high = f"{scale.low:g} {first}".strip(), f"{scale.high:g} {last}".strip()
        return _("a number from {low} to {high}", low=low, high=high)
    labels = [first, *(text.plain(point.label) for point in points[1:-1]), last]
    return " · ".join(f"{point.value:g} {label}".strip() for point, label in zip(points, labels, strict=True))


def scale_range(criterion: Criterion) -> str:
    """Return the range of the scale, `0–3`, or the number of its labels where these have no order."""
    scale = scale_from_json(criterion.scale)
    if not scale.ordered:
        return _n("{n} label", "{n} labels", len(scale.points()))
    return f"{scale.low:g}–{scale.high:g}"


def edit_criteria(initial: Sequence[Criterion], *, key: str) -> list[Criterion]:
    """Draw fields for every criterion, with buttons to add and remove one; returns their current values.

    Args:
        initial: the initial criteria.
        key: prefix of the fields' state keys; another prefix gives fresh fields.
    """
    count_key = f"{key}_count"
    count = st.session_state.setdefault(count_key, len(initial))
    criteria = [*initial, *[BLANK] * max(0, count - len(initial))][:count]
    edited = [
        draw_criterion_fields(criterion, key=f"{key}_{place}") for place, criterion in enumerate(criteria)
    ]
    with st.container(horizontal=True):
        if count < MOST_CRITERIA and st.button(
            _("Add a criterion"), key=f"{key}_add", icon=":material/add:", type="tertiary"
        ):
            st.session_state[count_key] = count + 1
            st.rerun()
        if count and st.button(_("Remove the last criterion"), key=f"{key}_remove", type="tertiary"):
            st.session_state[count_key] = count - 1
            st.rerun()
    return edited


def without_untouched(criteria: Sequence[Criterion]) -> list[Criterion]:
    """Return the criteria that were filled in; raises `InvalidInput` naming an invalid one."""
    keys: set[str] = set()
    filled = [criterion for criterion in criteria if criterion.label or criterion.question]
    for place, criterion in enumerate(filled, start=1):
        if not criterion.label.strip():
            raise InvalidInput(
                sentence("criterion {place} has no name; enter one or remove it.", place=place)
            )
        if criterion.key in keys:
            raise InvalidInput(sentence("two criteria are named '{name}'; rename one.", name=criterion.label))
        scale_from_json(criterion.scale)
        keys.add(criterion.key)
    return filled


def draw_stored_criterion(criterion: Criterion, *, key: str, problems: list[UserError]) -> Criterion:
    """Draw a criterion that has scores: name, question, a scale that can be widened, labels of its points.

    A scale that cannot be widened that far is returned as it was; the error goes into `problems`.
    """
    name, question = st.columns([2, 5])
    label = name.text_input(_("Criterion"), criterion.label, key=f"{key}_label")
    question_text = question.text_input(
        _("Question for the rater"), criterion.question, key=f"{key}_question"
    )
    scale = dict(criterion.scale)
    with failures.collected(problems):
        scale = _draw_range(scale, key=key)
    if scales.get(scale["kind"]).has_point_texts:
        scale = _draw_points(scale, texts=scale, key=key)
    scale = _draw_cannot_judge(scale, criterion, key=key)
    return replace(
        criterion, label=label.strip() or criterion.label, question=question_text.strip(), scale=scale
    )


def _draw_range(scale: Any, *, key: str) -> dict[str, Any]:
    """Draw a scale's ends, which can only be moved outwards; returns the scale with its current ends.

    Labels without an order have no ends and are only written. Marked errors have none that make sense apart
    from their weights, which the line above the fields names.
    """
    current = scale_from_json(scale)
    if isinstance(current, ErrorSpans):
        return dict(scale)
    if not current.ordered:
        st.caption(text.plain(current.describe()))
        return dict(scale)
    step: Any = current.step() or 1.0
    step = int(step) if float(step).is_integer() and current.points() else float(step)
    low_end, high_end = type(step)(current.low), type(step)(current.high)
    with st.container(horizontal=True):
        low = st.number_input(
            _("Lowest"), max_value=low_end, value=low_end, step=step, key=f"{key}_from", width=140
        )
        high = st.number_input(
            _("Highest"), min_value=high_end, value=high_end, step=step, key=f"{key}_to", width=140
        )
    return widened(scale, low=low, high=high)


def draw_criterion_fields(criterion: Criterion, *, key: str) -> Criterion:
    """Draw the fields of one criterion and return it with their values; an existing key is kept."""
    with st.container(border=True):
        name, question = st.columns([2, 5])
        label = name.text_input(
            _("Criterion"), criterion.label, key=f"{key}_label", placeholder=_("Coherence")
        )
        question_text = question.text_input(
            _("Question for the rater"), criterion.question, key=f"{key}_question"
        )
        scale = _draw_cannot_judge(_draw_scale_fields(criterion.scale, key=key), criterion, key=key)
    kept_key = criterion.key or slug_of(label).replace("-", "_")
    return replace(criterion, key=kept_key, label=label.strip(), scale=scale, question=question_text.strip())


def _draw_cannot_judge(scale: dict[str, Any], criterion: Criterion, *, key: str) -> dict[str, Any]:
    """Draw the option "cannot judge" and return the scale with it."""
    allowed = st.checkbox(_('Raters may say "cannot judge"'), may_pass(criterion.scale), key=f"{key}_pass")
    others = {name: value for name, value in scale.items() if name != CANNOT_JUDGE}
    return {**others, CANNOT_JUDGE: True} if allowed else others


def _draw_scale_fields(scale: Any, *, key: str) -> dict[str, Any]:
    kind_box, *setting_boxes = st.columns([2, 1, 1])
    kinds = [*FIRST_KINDS, *(name for name in scales.names() if name not in FIRST_KINDS)]
    kind = kind_box.selectbox(
        _("Scale"),
        kinds,
        index=kinds.index(scale["kind"]),
        format_func=lambda kind: _(scales.get(kind).title),
        key=f"{key}_kind",
    )
    data: dict[str, Any] = {"kind": kind}
    for place, setting in enumerate(scales.get(kind).settings):
        # A list of words needs the whole width.
        box = st if isinstance(setting.default, list) else setting_boxes[place % len(setting_boxes)]
        data[setting.name] = _draw_setting(box, setting, scale.get(setting.name, setting.default), key=key)
    if kind == "categorical" and st.checkbox(
        _("A response can have several labels"), bool(scale.get("several")), key=f"{key}_several"
    ):
        data["several"] = True
    return _draw_points(data, texts=scale, key=key) if scales.get(kind).has_point_texts else data


def _draw_setting(box: Any, setting: Setting, value: Any, *, key: str) -> Any:
    """Draw the field of one setting of a scale and return its value, which has the type of its default."""
    kind: Any = type(setting.default)
    field_key = f"{key}_{setting.name}"
    if isinstance(setting.default, list):
        return setting.read(box.text_input(_(setting.label), setting.write(value), key=field_key))
    if kind is str:
        return str(box.text_input(_(setting.label), value, key=field_key))
    return kind(box.number_input(_(setting.label), value=kind(value), step=kind(1), key=field_key))


def _draw_points(data: dict[str, Any], *, texts: Any, key: str) -> dict[str, Any]:
    """Draw one line per point, first with the labels and anchors of `texts`; returns the scale with them.

    Settings that do not fit together are refused when the criteria are stored, not while typing.
    """
    try:
        points = scale_from_json(data).points()
    except InvalidInput as error:
        st.caption(f":orange[{text.plain(text.capitalised(_(error.args[0])))}.]")
        return data
    labels, anchors = texts.get("labels", {}), texts.get("anchors", {})
    values = [f"{point.value:g}" for point in points]
    frame = pd.DataFrame(
        {
            "Point": values,
            "Short label": [labels.get(value, "") for value in values],
            "What it means": [anchors.get(value, "") for value in values],
        }
    )
    edited = st.data_editor(
        frame,
        key=f"{key}_points_{values[0]}_{values[-1]}",
        hide_index=True,
        disabled=["Point"],
        row_height=28,
        column_config={
            "Point": st.column_config.TextColumn(_("Point"), width=60),
            "Short label": {"label": _("Short label"), "width": 140},
            "What it means": {"label": _("Definition")},
        },
    )
    point_texts = {
        "labels": _labelled_points(edited, "Short label"),
        "anchors": _labelled_points(edited, "What it means"),
    }
    plain = {name: value for name, value in data.items() if name not in point_texts}
    return {**plain, **{name: words for name, words in point_texts.items() if words}}


def _labelled_points(points: pd.DataFrame, column: str) -> dict[str, str]:
    pairs = zip(points["Point"], points[column], strict=True)
    return {
        value: content.strip() for value, content in pairs if isinstance(content, str) and content.strip()
    }
