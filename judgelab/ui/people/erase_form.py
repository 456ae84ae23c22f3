"""Erasing a person for good: what goes, what stays, and the name typed before anything happens."""

from __future__ import annotations

import streamlit as st

from judgelab.accounts import erasure
from judgelab.accounts.erasure import ErasurePreview
from judgelab.accounts.members import Member
from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.store.people.erasure import ErasureResult
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.kit import failures, text
from judgelab.ui.session import gate
from judgelab.wording import Sentence, joined, mark, sentence

KEEP_RATINGS, REMOVE_RATINGS = "keep", "remove"
RATINGS = {
    KEEP_RATINGS: mark("keep them under a pseudonym"),
    REMOVE_RATINGS: mark("delete them; figures based on them change"),
}


def draw_erase_button(project: ProjectInfo, member: Member, *, actor: int, said_key: str) -> None:
    """Draw the way to the dialog, for those who may erase this person.

    Args:
        project: where the page is.
        member: whom it is about.
        actor: who is here.
        said_key: state key of the line that the page shows after it.
    """
    name = member.membership.name
    preview = erasure.preview_erasure(gate.store(), actor, name)
    if preview is None or member.membership.person_id == actor:
        return
    if st.button(
        _("Erase"), key=f"people_{member.membership.person_id}_erase", icon=":material/delete_forever:"
    ):
        st.dialog(_("Erase this person?"))(_confirm)(project, name, preview, said_key)


def _confirm(project: ProjectInfo, name: str, preview: ErasurePreview, said_key: str) -> None:
    st.write(
        _(
            "**Deleted everywhere:** the name {name}, also in the log; sign-ins and links; the password; "
            "background answers; crowd platform ids; their membership in {projects}.",
            name=text.plain(name),
            projects=_n("{n} project", "{n} projects", preview.projects),
        )
    )
    st.write(
        _(
            "**Kept:** a record that somebody was erased, when and by whom. Earlier exports and backups "
            "still contain the name. This can't be undone."
        )
    )
    ratings = st.radio(
        _n("{n} rating given", "{n} ratings given", preview.ratings),
        list(RATINGS),
        format_func=lambda word: _(RATINGS[word]),
        key="people_erase_ratings",
    )
    comments = ratings == KEEP_RATINGS and st.checkbox(
        _("keep their comments too; a comment may contain names"), key="people_erase_comments"
    )
    typed = st.text_input(_("Type the name to confirm"), key="people_erase_name", autocomplete="off")
    if not st.button(_("Erase permanently"), key="people_erase_sure"):
        return
    if " ".join(typed.split()) != name:
        st.error(_("Nothing was erased: the name you typed doesn't match."))
        return
    person = gate.enter("researcher", project)
    try:
        done = erasure.erase(
            gate.store(), person.id, name, keep_ratings=ratings == KEEP_RATINGS, keep_comments=bool(comments)
        )
    except UserError as error:
        failures.show(error)
        return
    st.session_state[said_key] = _result_text(done)
    st.rerun()


def _result_text(done: ErasureResult) -> Sentence:
    if done.kept:
        return sentence("Erased. Their ratings are kept under the name {name}.", name=done.pseudonym)
    gone = sentence("Erased, including all their ratings.")
    return joined([gone, retraining_note(done)], " ") if done.learned else gone


def retraining_note(done: ErasureResult) -> Sentence:
    """Return what is left to do where judges learned from ratings that are gone."""
    return sentence(
        "The learned judge of {projects} is unchanged; learn it again to remove their influence.",
        projects=", ".join(done.learned),
    )
