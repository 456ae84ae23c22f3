"""Cached data of the page *Study*: a paper's tables and the scores behind its figures."""

from __future__ import annotations

import streamlit as st

from judgelab.replication.ablations import AblationRow, grid_table, list_grids
from judgelab.replication.case_study import Case, case_scores, judged_items, texts_of_item
from judgelab.replication.cells import ReplayedTable
from judgelab.replication.figures import Spread, Systems, spread, systems
from judgelab.replication.material import Material, load, rated_counts
from judgelab.replication.tables import study_tables
from judgelab.store.projects.ablations import AblationInfo
from judgelab.studies import Study, studies
from judgelab.studies.tables import published_tables
from judgelab.ui.cache import loaders, stale_results
from judgelab.ui.session import gate
from judgelab.wording import mark

MOST_KEPT = 32
MOST_CASES = 200


def studies_with_tables() -> list[Study]:
    """Return the studies whose papers printed tables."""
    return [study for name, study in studies.items() if published_tables(name)]


@stale_results.kept(MOST_KEPT, spinner=mark("Filling in the paper's tables…"))
def load_tables(slug: str, version: str, *, study: str, dataset: str) -> list[ReplayedTable]:
    """Return the study's tables with the project's numbers; `dataset` is only part of the cache key."""
    return study_tables(gate.store(), [slug], study=study)


@stale_results.kept(MOST_KEPT)
def load_rated_counts(slug: str, version: str) -> tuple[int, dict[str, int]]:
    """Return the number of responses, and how many have a human score by criterion."""
    return rated_counts(gate.store(), slug)


@stale_results.kept(MOST_KEPT)
def load_distribution(slug: str, version: str, *, raters: tuple[str, ...], group: str) -> Spread:
    """Return the distributions of people's and judges' scores in `group`, or in all groups if it is empty."""
    return spread(_load_material(slug), raters, group=group)


@stale_results.kept(MOST_KEPT)
def load_rated_groups(slug: str, version: str) -> list[str]:
    """Return the groups of items in which people rated."""
    return _load_material(slug).groups_rated


@stale_results.kept(MOST_KEPT)
def judges_on_scale(slug: str, version: str) -> list[str]:
    """Return the judges whose scores are points of the scale, not wins, ranks or votes."""
    material = _load_material(slug)
    judges = [name for name, kind in material.raters.items() if kind == "judge"]
    return [name for name in judges if name not in material.own_scale]


@stale_results.kept(MOST_KEPT)
def load_system_means(slug: str, version: str, *, rater: str) -> Systems:
    """Return each system's mean by people and by one judge."""
    return systems(_load_material(slug), rater)


@stale_results.kept(MOST_KEPT)
def load_variants(slug: str, version: str, *, grid: str, level: str, coefficient: str) -> list[AblationRow]:
    """Return the agreement of each judge of an ablation."""
    ablation = next(info for info in load_grids(slug) if info.name == grid)
    return grid_table(_load_material(slug), ablation, level=level, coefficient=coefficient)


def load_grids(slug: str) -> list[AblationInfo]:
    """Return the project's ablations."""
    return list_grids(gate.store(), slug)


def _load_material(slug: str) -> Material:
    return load(gate.store(), slug)


@stale_results.kept(MOST_KEPT)
def load_judged_items(slug: str, version: str) -> dict[str, str]:
    """Return the texts of the first rated items with at least two responses, by item."""
    return judged_items(_load_material(slug), most=MOST_CASES)


@st.cache_data(max_entries=MOST_KEPT, show_spinner=False)
def load_case(slug: str, version: str, *, item: str) -> Case:
    """Return one item's responses with all raters' scores mapped to 0 to 10, and the ranges mapped."""
    return case_scores(_load_material(slug), item)


@st.cache_data(max_entries=MOST_KEPT, show_spinner=False)
def load_texts(slug: str, version: str, *, item: str) -> dict[int, str]:
    """Return the texts of an item's responses by response id."""
    return texts_of_item(gate.store(), slug, item)


def load_score_origins(slug: str) -> dict[str, str]:
    """Return "scripted" or "imported" by the name of each judge that was not run here with a model."""
    raters = loaders.compared_raters(slug, loaders.data_version(slug))
    return {rater.name: rater.badge for rater in raters if rater.badge}
