"""Draw ablations: agreement by setting, planning of their runs, and forms that add one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.charts.study import SettingMark, settings_chart
from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.metaeval.coefficients.left_out import of_rows
from judgelab.metaeval.core.statistic_defaults import defaults_for_scales
from judgelab.options import Option
from judgelab.protocols import protocols
from judgelab.replication.ablations import (
    PARAMETER,
    AblationRow,
    common_words,
    delete_grid,
    from_preset,
    of_own,
    plan_grid,
    save_grid,
)
from judgelab.replication.study_judges import ModelSource
from judgelab.store.projects.ablations import AblationInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.studies import Study
from judgelab.ui.kit import failures, narrow_names, option_words, text, viewport, widgets
from judgelab.ui.session import gate
from judgelab.ui.study import data, plan

NAME_WIDTH = 220


def draw_ablations(
    project: ProjectInfo, study: Study, version: str, source: ModelSource | None, rated: str | None = None
) -> None:
    """Draw the project's ablations and the forms that add one.

    `rated` limits planned runs to responses with a human score under this criterion; None for all.
    """
    widgets.heading(_("Ablations"), _("one judge with some of its settings varied"))
    grids = data.load_grids(project.slug)
    for grid in grids:
        with st.expander(text.plain(f"{grid.name}: {grid.protocol}, {grid.model}"), expanded=len(grids) == 1):
            _draw_table(project, study, grid, version)
            if st.toggle(_("Plan missing runs"), key=f"grid_plan_{grid.name}"):
                plan.draw_plan(
                    project, lambda grid=grid: plan_grid(gate.store(), project.slug, grid, rated=rated),  # type: ignore[misc]
                    depends_on=repr((grid, rated)),
                    key=f"grid_{grid.name}",
                )  # fmt: skip
            if st.button(_("Delete this ablation"), key=f"grid_drop_{grid.name}", type="tertiary"):
                _delete_ablation(project, grid.name)
    if study.grids:
        _draw_add_form(project, study, source)
    with st.expander(_("Choose the settings to vary")):
        _draw_own_form(project, source)


def _draw_table(project: ProjectInfo, study: Study, grid: AblationInfo, version: str) -> None:
    level = next((level for level in study.levels if level != "group"), "none") if study.levels else "none"
    coefficients = study.coefficients or defaults_for_scales(project.scales.values()).coefficients
    coefficient = coefficients[0]
    rows = data.load_variants(project.slug, version, grid=grid.name, level=level, coefficient=coefficient)
    symbol = text.coefficient(coefficient)
    frame = pd.DataFrame([_cells(row, symbol) for row in rows])
    columns = {
        name: st.column_config.TextColumn(alignment="right") for name in (symbol, _("95 % interval"), "n")
    }
    widgets.table(
        frame,
        key=f"grid_table_{grid.name}",
        strong=[symbol],
        height="content",
        **narrow_names.layout(frame, columns),
    )
    st.caption(text.plain(f"{symbol}, {text.level(level)}"))
    notes = [*of_rows((row.judge, row.left_out) for row in rows), common_words(rows)]
    if any(notes):
        st.caption(text.plain(" ".join(_(note) for note in notes if note)))
    if any(row.estimate.value is not None for row in rows) and grid.shape == "product":
        _draw_chart(grid, rows, symbol)


def _draw_chart(grid: AblationInfo, rows: list[AblationRow], symbol: str) -> None:
    (first, _values), *others = grid.axes
    lines: dict[str, list[SettingMark]] = {}
    for row in rows:
        other_settings = ", ".join(
            f"{_setting_label(name)} {_value_label(row.settings[name])}" for name, _v in others
        )
        mark = SettingMark(_value_label(row.settings[first]), row.estimate.value, row.estimate.ci)
        lines.setdefault(other_settings or grid.model, []).append(mark)
    if len(lines) <= 4:
        figure = settings_chart(lines, title=_setting_label(first), value_title=symbol, theme=widgets.theme())
        alt_text = _("{coefficient} over {setting}.", coefficient=symbol, setting=_setting_label(first))
        widgets.chart(figure, key=f"grid_chart_{grid.name}", alt=alt_text)


def _cells(row: AblationRow, symbol: str) -> dict[str, str]:
    estimate = row.estimate
    return {
        **{_setting_label(name): _value_label(value) for name, value in row.settings.items()},
        _("Judge"): row.judge or text.MISSING,
        symbol: text.number(estimate.value, 3) if estimate.value is not None else _(estimate.reason or ""),
        _("95 % interval"): text.interval(estimate.ci),
        "n": text.count(estimate.n) if estimate.value is not None else text.MISSING,
    }


def _draw_add_form(project: ProjectInfo, study: Study, source: ModelSource | None) -> None:
    with st.container(horizontal=not viewport.is_narrow(), vertical_alignment="bottom"):
        titles = {_(grid.title): grid.key for grid in study.grids}
        title = st.selectbox(_("Ablation from the paper"), list(titles), key="grid_preset")
        name = st.text_input(
            _("Name of the ablation"), key="grid_name", placeholder=_("default: the model's name")
        )
        incomplete = source is None or title is None
        label = _("Add · choose a model above") if source is None else _("Add")
        pressed = st.button(label, key="grid_add", disabled=incomplete)
    if pressed and source is not None and title is not None:
        _save_ablation(project, lambda: from_preset(study.name, titles[title], source, name=name or ""))


def _draw_own_form(project: ProjectInfo, source: ModelSource | None) -> None:
    """Draw the form for an ablation of the reader's own: a protocol, varied settings and their values."""
    names = protocols.names()
    protocol = st.selectbox(
        _("Protocol"), names, key="own_grid_protocol", format_func=lambda name: _(protocols.get(name).title)
    )
    options_by_name = {
        option.name: _option_values(option)
        for option in protocols.get(str(protocol)).options
        if _option_values(option)
    }
    options_by_name["samples"] = [1, 3, 5, 10]
    varied = widgets.choose_several(
        _("Varied setting"),
        list(options_by_name),
        key=f"own_grid_what_{protocol}",
        format_func=_setting_label,
        max_selections=3,
    )
    axes = {
        setting: tuple(
            widgets.choose_several(_setting_label(setting), options_by_name[setting],
                           default=options_by_name[setting],
                           key=f"own_grid_{protocol}_{setting}", format_func=_value_label)
        )
        for setting in varied
    }  # fmt: skip
    ready = source is not None and bool(axes) and all(axes.values())
    label = _("Add · choose a model above") if source is None else _("Add")
    if st.button(label, key="own_grid_add", disabled=not ready) and source is not None:
        _save_ablation(project, lambda: of_own(str(protocol), axes, source))


def _option_values(option: Option) -> list[Any]:
    """Return the values of an option with a fixed set of them; empty for others."""
    return [False, True] if option.kind == "bool" else list(option.choices)


def _save_ablation(project: ProjectInfo, make: Callable[[], AblationInfo]) -> None:
    gate.enter("researcher", project)
    try:
        grid = make()
        save_grid(gate.store(), project.slug, grid)
    except UserError as error:
        failures.show(error)
        return
    st.rerun()


def _delete_ablation(project: ProjectInfo, name: str) -> None:
    gate.enter("researcher", project)
    try:
        delete_grid(gate.store(), project.slug, name)
    except UserError as error:
        failures.show(error)
        return
    st.rerun()


def _setting_label(setting: str) -> str:
    return option_words.name(setting.removeprefix(PARAMETER))


def _value_label(value: object) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return option_words.choice(str(value)) if isinstance(value, str) else str(value)
