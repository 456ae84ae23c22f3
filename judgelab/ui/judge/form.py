"""The form that describes a judge: protocol, options, model, scope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.project_contents import has_comparisons_alone
from judgelab.languages import _
from judgelab.options import Option
from judgelab.protocols import Protocol, protocols
from judgelab.protocols.core.base import SHOWN_BY
from judgelab.runs.batch.mode import Mode
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.runs.template_editing import JudgeSubject
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.judge import (
    list_choice,
    panel_choice,
    sampling_form,
    scope_form,
    sending_form,
    template_form,
)
from judgelab.ui.kit import option_words, study_words
from judgelab.ui.session import gate
from judgelab.ui.shared import model_form

FIRST_PROTOCOLS = ("direct", "one_shot", "geval", "elect")
PAIRWISE = "pairwise"


@dataclass(frozen=True)
class JudgeForm:
    """The form's values.

    Attributes:
        spec: the judge; its model is empty while none is chosen.
        selection: the responses and criteria to judge.
        budget: dollars at which the run pauses, if set.
        missing: what is missing before a run can start, in a few words; else empty.
        scripted: whether replies come from a script.
        mode: whether calls are sent live or as a batch.
        cache: whether cached replies may be used.
    """

    spec: JudgeSpec
    selection: Selection
    budget: float | None
    missing: str
    scripted: bool
    mode: Mode = "live"
    cache: bool = True


def draw_judge_form(project: ProjectInfo, responses: pd.DataFrame) -> JudgeForm:
    """Draw the form and return its current values."""
    protocol, name = _choose_protocol(project)
    _write_heading(_("Options of the protocol"))
    chosen = {
        **list_choice.draw_list_choice(protocol, project),
        **panel_choice.draw_panel_choice(protocol, project),
    }
    options = {**chosen, **_draw_options(protocol, project)}
    samples, aggregation = sampling_form.draw_sampling_form(project, protocol)
    _write_heading(_("Model"))
    source, model = model_form.choose_model()
    parameters = {} if source.scripted else _draw_parameters(protocol)
    spec = JudgeSpec(
        protocol=protocol.name,
        model=model,
        backend=source.backend,
        endpoint=source.endpoint.name if source.endpoint else None,
        options=options,
        parameters=parameters,
        samples=samples,
        aggregation=aggregation,
        name=name.strip(),
    )
    _write_heading(_("Scope"))
    selection = scope_form.draw_scope_form(project, responses, spec)
    sending = sending_form.draw_sending_form(source)
    missing = "" if model else _("model missing")
    return JudgeForm(spec, selection, sending.budget, missing, source.scripted, sending.mode, sending.cache)


def for_preview(spec: JudgeSpec) -> JudgeSpec:
    """Return the judge, with a placeholder for a missing model: the prompt does not depend on it."""
    return spec if spec.model else replace(spec, model="model")


def _choose_protocol(project: ProjectInfo) -> tuple[Protocol, str]:
    """Draw the choice of the protocol and the judge's name; a project of comparisons opens on pairs."""
    names = [option for option in FIRST_PROTOCOLS if option in protocols.names()]
    names += [option for option in protocols.names() if option not in names]
    first = PAIRWISE if has_comparisons_alone(gate.store(), project) else names[0]
    left, right = st.columns(2)
    name = left.selectbox(
        _("Protocol"),
        names,
        index=names.index(first),
        format_func=lambda option: _(protocols.get(option).title),
        key="judges_protocol",
    )
    judge_name = right.text_input(
        _("Name of this judge"), key="judges_name", placeholder=_("protocol and model"), max_chars=80
    )
    protocol = protocols.get(name)
    st.caption(_(protocol.summary))
    return protocol, judge_name or ""


def _draw_options(protocol: Protocol, project: ProjectInfo) -> dict[str, Any]:
    """Draw one field per option in two columns, with checkboxes and long texts below."""
    chosen_elsewhere = {*list_choice.SET_KEYS, *panel_choice.PANEL_KEYS}
    if project.task == "summarisation":  # a summary's source is always shown
        chosen_elsewhere.add(SHOWN_BY["context"])
    declared = [o for o in protocol.options if o.name not in chosen_elsewhere]
    defaults = {o.name: o.default for o in declared}
    current = {
        name: st.session_state.get(f"judges_{protocol.name}_{name}", defaults[name]) for name in defaults
    }
    unused = {o.name for o in declared if o.only_with and current[o.only_with] == defaults[o.only_with]}
    texts = [o for o in declared if o.name in protocol.part_options().values()]
    checkboxes = [o for o in declared if o.kind == "bool" and o.name not in unused]
    fields = [o for o in declared if o not in texts and o.kind != "bool" and o.name not in unused]
    values: dict[str, Any] = {}
    for start in range(0, len(fields), 2):
        for column, option in zip(st.columns(2), fields[start : start + 2], strict=False):
            with column:
                values[option.name] = _draw_option(protocol, option, project)
    with st.container(horizontal=True, gap="medium"):
        for option in checkboxes:
            values[option.name] = _draw_option(protocol, option, project)
    with st.expander(_("Custom prompt text")):
        return {**values, **template_form.draw_template_form(project, JudgeSubject(protocol))}


def _draw_option(protocol: Protocol, option: Option, project: ProjectInfo) -> Any:
    key, label = f"judges_{protocol.name}_{option.name}", option_words.label(option)
    help_text = _(option.help) or None
    if option.choices:
        position = option.choices.index(option.default)
        return st.selectbox(
            label, option.choices, index=position, format_func=option_words.choice, key=key, help=help_text
        )
    if option.kind == "bool":
        return st.checkbox(label, option.default, key=key, help=help_text)
    if option.kind == "int":
        return int(st.number_input(label, value=int(option.default), step=1, key=key, help=help_text))
    default = option.default
    if option.elsewhere is not None and not study_words.uses(project, protocol):
        default = option.elsewhere
    return st.text_input(label, default, key=key, help=help_text) or ""


def _write_heading(title: str) -> None:
    st.divider()
    st.caption(title)


def _draw_parameters(protocol: Protocol) -> dict[str, Any]:
    defaults: Mapping[str, Any] = protocol.parameters
    fields = (
        ("temperature", _("Temperature"), 0.0, 2.0, 0.1),
        ("top_p", _("Top p"), 0.0, 1.0, 0.05),
        ("max_tokens", _("Output limit"), 1, 100_000, 64),
    )
    values = {}
    for column, (name, label, low, high, step) in zip(st.columns(3), fields, strict=True):
        value = column.number_input(
            label,
            low,
            high,
            defaults.get(name),
            step,
            key=f"judges_{name}_{protocol.name}",
            placeholder=_("not sent"),
        )
        if value is not None:
            values[name] = value
    return values
