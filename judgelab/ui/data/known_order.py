"""The known order of a list of responses: a rank for each, or the best and the worst."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from judgelab.annotation.forms.listwise import BEST, BETWEEN, WORST
from judgelab.domain import Criterion
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating.gold import CheckableUnit, KnownScore
from judgelab.ui.kit import text

WIDTH = 220
SHOWN = 40  # characters of a response that identify it
MIN_TOLERANCE, EXACT = -1.0, 1.0


def draw_known_order(
    project: ProjectInfo, unit: CheckableUnit, criterion: Criterion, known: KnownScore | None, *, key: str
) -> dict[int, int] | None:
    """Draw the raters' question under one criterion; return the ranks, or None until they are complete."""
    st.caption(text.plain(criterion.label))
    places = known.places if known else {}
    if project.settings.get("form") == "best_worst":
        return _draw_best_and_worst(unit, places, key=key)
    return _draw_ranks(unit, places, key=key)


def draw_tolerance(project: ProjectInfo, current: float, *, key: str) -> float:
    """Draw how close to the known order a ranking must be; best and worst must match exactly."""
    if project.settings.get("form") == "best_worst":
        return 0.0
    lowest = st.number_input(
        _("Minimum Kendall's tau-b with this order to count as right"),
        MIN_TOLERANCE,
        EXACT,
        EXACT - current,
        step=0.1,
        key=key,
        help=_("1: the same order, including ties. 0: any order no worse than chance."),
    )
    return EXACT - lowest


def _draw_ranks(unit: CheckableUnit, places: Mapping[int, int], *, key: str) -> dict[int, int] | None:
    choices = [None, *range(1, len(unit.responses) + 1)]
    chosen: dict[int, int | None] = {}
    with st.container(horizontal=True, gap="small"):
        for number, response in enumerate(unit.responses):
            chosen[response] = st.selectbox(
                _("Place of {response}", response=_response_name(unit, number)),
                choices,
                index=choices.index(places.get(response)),
                format_func=lambda place: _("not known") if place is None else str(place),
                key=f"{key}_{response}",
                width=WIDTH,
            )
    complete = {response: place for response, place in chosen.items() if place is not None}
    if complete and len(complete) < len(unit.responses):
        st.caption(_("Give every response a place to set a known order."))
    return complete if len(complete) == len(unit.responses) else None


def _draw_best_and_worst(
    unit: CheckableUnit, known_places: Mapping[int, int], *, key: str
) -> dict[int, int] | None:
    choices = [None, *range(len(unit.responses))]
    chosen: dict[int, int | None] = {}
    with st.container(horizontal=True, gap="small"):
        for place, label in ((BEST, _("The best")), (WORST, _("The worst"))):
            current = next(
                (n for n, response in enumerate(unit.responses) if known_places.get(response) == place), None
            )
            chosen[place] = st.selectbox(
                label,
                choices,
                index=choices.index(current),
                format_func=lambda number: _("not known") if number is None else _response_name(unit, number),
                key=f"{key}_{place}",
                width=WIDTH,
            )
    best, worst = chosen[BEST], chosen[WORST]
    if best is None or worst is None or best == worst:
        if best != worst or best is not None:
            st.caption(_("Choose two different responses as the best and the worst."))
        return None
    places = dict.fromkeys(unit.responses, BETWEEN)
    places[unit.responses[worst]] = WORST
    places[unit.responses[best]] = BEST
    return places


def _response_name(unit: CheckableUnit, number: int) -> str:
    """Return a response's label: its system, or its beginning."""
    system, content = unit.systems[number], unit.texts[number]
    return text.plain(system or (content if len(content) <= SHOWN else f"{content[:SHOWN]}…"))
