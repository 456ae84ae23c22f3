"""Below a rater's own ratings: a copy of them, and leaving the study, which deletes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from judgelab.annotation import leaving
from judgelab.annotation.leaving import LeavePreview
from judgelab.annotation.progress import Progress
from judgelab.annotation.screen import OwnWork
from judgelab.errors import NotAllowed, UserError
from judgelab.languages import _, current_language, in_language
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import failures, widgets
from judgelab.ui.rater import own_work, standing, unit_words
from judgelab.ui.session import gate
from judgelab.wording import sentence


def draw_copy_and_leaving(
    visitor: PersonInfo,
    person: PersonInfo,
    project: ProjectInfo,
    progress: Progress,
    works: Sequence[OwnWork],
) -> None:
    """Draw the download and the button that opens the dialog.

    Someone who rates in a browser of the owner cannot be told from others there: they do not leave here, the
    owner erases them.
    """
    own = visitor.id == person.id
    preview = leaving.preview_leaving(gate.store(), person.id, project.id) if own else None
    with st.container(horizontal=True):
        if works:
            _draw_copy(project, works)
        if preview is not None and st.button(
            _("Leave the study"), key="my_ratings_leave", icon=":material/logout:"
        ):
            title = _("Leave the study and delete your ratings?")
            st.dialog(title)(_draw_dialog)(person.id, project, progress, preview)


def _draw_copy(project: ProjectInfo, works: Sequence[OwnWork]) -> None:
    language, may_still = current_language(), gate.later_check("annotator", project)

    def written() -> bytes:
        if not may_still():
            raise NotAllowed(sentence("you are no longer a rater of this project."))
        with in_language(language):  # written when it is clicked, outside of the page's script
            return own_work.copy_as_csv(works, project)

    st.download_button(
        _("Download a copy (CSV)"),
        data=written,
        file_name=f"{project.slug}-my-ratings.csv",
        mime="text/csv",
        icon=":material/download:",
        key="my_ratings_copy",
        on_click="ignore",
    )


def _draw_dialog(person_id: int, project: ProjectInfo, progress: Progress, preview: LeavePreview) -> None:
    for paragraph in _consequences(project, progress, preview):
        st.write(paragraph)
    with st.container(horizontal=True):
        sure = widgets.primary_button(_("Delete and leave"), key="my_ratings_leave_sure")
        if st.button(_("Cancel"), key="my_ratings_leave_cancel"):
            st.rerun()
    if not sure:
        return
    visitor = gate.enter("annotator", project)
    try:
        if visitor.id == person_id:  # not if another person signed in to this browser meanwhile
            leaving.leave(gate.store(), visitor.id, project.id)
    except UserError as error:
        failures.show(error)
        return
    st.rerun()


def _consequences(project: ProjectInfo, progress: Progress, preview: LeavePreview) -> list[str]:
    """Return what goes, what stays and what follows, a paragraph each."""
    return [
        " ".join(_gone(project, progress, preview)),
        " ".join(_kept(project, progress, preview)),
        " ".join(_next(preview)),
    ]


def _gone(project: ProjectInfo, progress: Progress, preview: LeavePreview) -> Iterator[str]:
    if progress.done:
        rated = unit_words.counted_units(progress.done, unit_words.kind_of(project))
        yield _(
            "**Deleted:** your ratings of {answers} in this study, with comments, marks, flags and messages, "
            "and your practice and drafts.",
            answers=rated,
        )
    else:
        yield _("**Deleted:** everything you entered in this study: practice, drafts, flags and messages.")
    if preview.answers:
        yield _("Your answers to the questions before and after the ratings are deleted too.")


def _kept(project: ProjectInfo, progress: Progress, preview: LeavePreview) -> Iterator[str]:
    recorded = standing.time_and_pay_line(progress, project.settings)
    if project.settings.get("pay_per_hour") and not progress.pay:
        yield _(
            "**Kept:** a record that you deleted them, with their number and your time, from which your pay "
            "is computed ({recorded}).",
            recorded=recorded,
        )
    else:
        yield _(
            "**Kept:** a record that you deleted them, with their number and your time ({recorded}).",
            recorded=recorded,
        )
    if preview.from_link:
        yield _("Your platform ID is kept until the researchers erase it, so that you can be paid.")
    else:
        yield _("Your name stays in the list of people until the researchers erase it.")
    yield _("Results, files and backups made earlier don't change.")
    if preview.learned:
        yield _("A judge that learned from your ratings doesn't change until it is trained again.")


def _next(preview: LeavePreview) -> Iterator[str]:
    if preview.has_ending:
        yield _("Your completion code stays valid; the page Rate still shows it.")
    if preview.working:
        yield _("The answers on your screen go to other raters.")
    if preview.working and preview.from_link:
        yield _(
            "You get no completion code and can't take part a second time. Return the study on the platform "
            "as well."
        )
    elif preview.working:
        yield _("You can rate here again only if the researchers readmit you.")
    yield _("You can't undo this. If you want a copy, download it first.")
