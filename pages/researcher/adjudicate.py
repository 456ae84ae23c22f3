"""Conflicts between raters, decided one by one with a single key; ratings and choices stay as they are."""

from judgelab.ui.cache import loaders
from judgelab.ui.explain import conflict_review, pair_review
from judgelab.ui.session import gate
from judgelab.ui.shared import compared

person = gate.enter("researcher")
project = gate.the_project()

version = loaders.data_version(project.slug)
if compared.is_about_pairs(project, version, scored=True):
    pair_review.draw_pair_conflicts(project, version, person)
else:
    conflict_review.draw_conflicts(project, version, person)
