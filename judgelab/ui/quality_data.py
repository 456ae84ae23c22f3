"""What the quality page computes, kept until the project's ratings or the rule change."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis import trial as trials
from judgelab.analysis.scores import fingerprint
from judgelab.analysis.trial import Trial
from judgelab.annotation.quality import FilterPolicy
from judgelab.store.overview import overview
from judgelab.store.projects import ProjectInfo
from judgelab.ui import gate


def rater_count(project: ProjectInfo) -> int:
    """Return how many people rated in the project."""
    with gate.store().reading() as session:
        return overview(session, project.id, raters_wanted=1).raters


def trial(project: ProjectInfo, policy: FilterPolicy, *, criterion: str) -> Trial:
    """Return what the rule would do, from the cache when neither it nor the ratings changed."""
    return _trial(project.slug, fingerprint(gate.store(), project.slug), policy, criterion)


@st.cache_data(max_entries=128, show_spinner=False)
def _trial(slug: str, version: str, policy: FilterPolicy, criterion: str) -> Trial:
    return trials.try_rule(gate.store(), slug, policy, criterion=criterion)
