"""The mails as they are before somebody edits them, in the languages of the rating pages."""

from __future__ import annotations

from judgelab.languages import _, in_language
from judgelab.mailing.template import Template
from judgelab.wording import mark

INVITATION_SUBJECT = mark("Invitation to rate: {project}")
INVITATION_TEXT = mark(
    "Dear {name},\n\nYou are invited to be a rater in the project “{project}”. You don't need an account or "
    "a password; just open this link:\n\n{link}\n\nThe link is only for you, so please don't pass it on. It "
    "works for {days}, and you can stop and continue at any time.\n"
)
REMINDER_SUBJECT = mark("Reminder: {project}")
REMINDER_TEXT = mark(
    "Dear {name},\n\nYou have not rated everything in the project “{project}” yet. This link takes you to "
    "where you stopped:\n\n{link}\n\nThe link is only for you, so please don't pass it on. It works for "
    "{days}. If you have finished in the meantime, thank you; there is nothing more to do.\n"
)


def default_template(language: str, *, reminder: bool = False) -> Template:
    """Return the text of an invitation, or of a reminder, in a language."""
    with in_language(language):
        if reminder:
            return Template(_(REMINDER_SUBJECT), _(REMINDER_TEXT))
        return Template(_(INVITATION_SUBJECT), _(INVITATION_TEXT))
