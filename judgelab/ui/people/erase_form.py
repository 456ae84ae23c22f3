"""The dialog that erases a person for good once their name is typed."""

from __future__ import annotations

import streamlit as st

from judgelab.accounts import erasure
from judgelab.accounts.erasure import ErasurePreview
from judgelab.accounts.members import Member
from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.store.people.erasure import ErasureResult
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import failures, text
from judgelab.ui.session import gate
from judgelab.wording import Sentence, joined, mark, sentence

KEEP_RATINGS, REMOVE_RATINGS = "keep", "remove"
RATINGS = {
    KEEP_RATINGS: mark("keep them under a pseudonym"),
    REMOVE_RATINGS: mark("delete them; figures based on them change"),
}


def draw_erase_button(project: ProjectInfo, member: Member, *, actor: int, message_key: str) -> None:
    """Draw the button that opens the dialog, if `actor` may erase this person.

    Args:
        project: the project of the page.
        member: the person to erase.
        actor: id of the signed-in person.
        message_key: session state key of the message that the page shows next.
    """
    name = member.membership.name
    preview = erasure.preview_erasure(gate.store(), actor, name)
    if preview is None or member.membership.person_id == actor:
        return
    if st.button(
        _("Erase"), key=f"people_{member.membership.person_id}_erase", icon=":material/delete_forever:"
    ):
        st.dialog(_("Erase this person?"))(_draw_erase_dialog)(project, name, preview, message_key)


def _draw_erase_dialog(project: ProjectInfo, name: str, preview: ErasurePreview, message_key: str) -> None:
    st.write(
        _(
            "**Deleted everywhere:** the name {name}, also in the log; sign-ins and links; the password; "
            "answers to the forms before and after the ratings; crowd platform IDs and bonuses; their "
            "membership in {projects}.",
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
    keep_comments = ratings == KEEP_RATINGS and st.checkbox(
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
        result = erasure.erase(
            gate.store(),
            person.id,
            name,
            keep_ratings=ratings == KEEP_RATINGS,
            keep_comments=bool(keep_comments),
        )
    except UserError as error:
        failures.show(error)
        return
    st.session_state[message_key] = _result_text(result)
    st.rerun()


def _result_text(result: ErasureResult) -> Sentence:
    if result.kept:
        return sentence("Erased. Their ratings are kept under the name {name}.", name=result.pseudonym)
    erased = sentence("Erased, including all their ratings.")
    return joined([erased, retraining_note(result)], " ") if result.learned else erased


def retraining_note(result: ErasureResult) -> Sentence:
    """Return the note that learned judges trained on the erased ratings need to be trained again."""
    return sentence(
        "The learned judge of {projects} is unchanged; learn it again to remove their influence.",
        projects=", ".join(result.learned),
    )
