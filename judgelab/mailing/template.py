"""The subject and text of a mail, with a placeholder for what differs from person to person."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import localtime, make_msgid

from judgelab.errors import InvalidInput
from judgelab.languages import _n, current_language, in_language
from judgelab.wording import sentence

PLACEHOLDERS = ("name", "project", "link", "days")
LONGEST_SUBJECT = 200
LONGEST_TEXT = 20_000
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_POLICY = SMTP.clone(cte_type="7bit")  # some servers take no other bytes


@dataclass(frozen=True)
class Template:
    """A subject and a text in which {name}, {project}, {link} and {days} are replaced."""

    subject: str
    text: str


@dataclass(frozen=True)
class Values:
    """What replaces the placeholders; `language` is that of the words for the days."""

    name: str
    project: str
    link: str
    days: int
    language: str


def mail_language(settings: Mapping[str, object]) -> str:
    """Return the language of a project's rating pages, or the current one if its settings name none."""
    return str(settings.get("language") or "") or current_language()


def check_template(template: Template) -> None:
    """Raise `InvalidInput` unless the text has {link}, and subject and text have no other placeholder."""
    if not template.subject.strip():
        raise InvalidInput(sentence("enter a subject."))
    if has_control(template.subject):
        raise InvalidInput(sentence("the subject has a line break or a control character."))
    if has_control(template.text.replace("\r\n", "\n"), but="\n\t"):
        raise InvalidInput(sentence("the text has a control character."))
    if len(template.subject) > LONGEST_SUBJECT or len(template.text) > LONGEST_TEXT:
        raise InvalidInput(
            sentence(
                "the subject can have at most {subject} characters, the text {text}.",
                subject=LONGEST_SUBJECT,
                text=LONGEST_TEXT,
            )
        )
    for word in _PLACEHOLDER.findall(template.subject + template.text):
        if word not in PLACEHOLDERS:
            raise InvalidInput(
                sentence(
                    "{unknown} is not a placeholder; you can use {known}.",
                    unknown=f"{{{word}}}",
                    known=", ".join(f"{{{name}}}" for name in PLACEHOLDERS),
                )
            )
    if "{link}" in template.subject:
        raise InvalidInput(sentence("{link} belongs in the text, not in the subject.", link="{link}"))
    if "{link}" not in template.text:
        raise InvalidInput(
            sentence("the text must contain {link}; without it, no one can open the project.", link="{link}")
        )


def fill(template: Template, values: Values) -> Template:
    """Return the template as one person gets it; raises what `check_template` does."""
    check_template(template)
    with in_language(values.language):
        days = _n("{n} day", "{n} days", values.days)
    # One pass: a name that looks like a placeholder stays a name.
    words = {"name": values.name, "project": values.project, "link": values.link, "days": days}
    one_line = {name: " ".join(word.split()) for name, word in words.items()}
    subject, text = (
        _PLACEHOLDER.sub(lambda match: one_line[match[1]], part) for part in (template.subject, template.text)
    )
    if has_control(subject):
        raise InvalidInput(sentence("the subject has a line break or a control character."))
    return Template(subject, text)


def new_message(filled: Template, sender: Address, address: str) -> EmailMessage:
    """Return the mail for one address."""
    message = EmailMessage(policy=_POLICY)
    message["From"] = sender
    message["To"] = Address(addr_spec=address)
    message["Subject"] = filled.subject
    message["Date"] = localtime()
    # Our own machine's name is nobody's business.
    message["Message-ID"] = make_msgid(domain=sender.domain)
    message["Auto-Submitted"] = "auto-generated"  # no automatic answers, please
    message.set_content(filled.text.replace("\r\n", "\n"))
    return message


def has_control(text: str, *, but: str = "") -> bool:
    """Return whether a text has a control character or line break other than those in `but`."""
    return any(unicodedata.category(sign) in ("Cc", "Zl", "Zp") and sign not in but for sign in text)
