"""The text of a mail: what is replaced, what is refused, and what its headers can hold."""

from __future__ import annotations

from dataclasses import replace
from email import message_from_bytes, policy
from email.headerregistry import Address

import pytest

from judgelab.errors import InvalidInput
from judgelab.languages import LANGUAGES
from judgelab.mailing.template import Template, Values, check_template, fill, new_message
from judgelab.mailing.usual_texts import default_template

SENDER = Address("Lab Zürich", addr_spec="lab@x.org")
VALUES = Values("Zoë", "Suppe & Brot", "https://lab.example/invite/0f", 60, "en")


def test_each_placeholder_is_replaced_once() -> None:
    values = Values("{link}", "{name}", "https://lab.example/invite/0f", 1, "en")
    filled = fill(Template("{name}: {project}", "{name} {project} {link} {days}"), values)
    assert filled == Template("{link}: {name}", "{link} {name} https://lab.example/invite/0f 1 day")


@pytest.mark.parametrize(
    ("subject", "text", "said"),
    [
        ("Hello", "no way in", "the text must contain {link}"),
        ("Hello\nBcc: all@x.org", "{link}", "the subject has a line break or a control character."),
        ("Hello\rBcc: all@x.org", "{link}", "the subject has a line break"),
        ("Hello\u2028there", "{link}", "the subject has a line break"),
        ("Hello\x1b[31m", "{link}", "the subject has a line break or a control character."),
        (" ", "{link}", "enter a subject."),
        ("Hello", "{link}\x00", "the text has a control character."),
        (
            "Hello",
            "{link} {nmae}",
            "{nmae} is not a placeholder; you can use {name}, {project}, {link}, {days}.",
        ),
        ("See {link}", "{link}", "{link} belongs in the text, not in the subject."),
        ("a" * 201, "{link}", "the subject can have at most 200 characters, the text 20,000."),
    ],
)
def test_a_text_that_would_not_do_is_refused(subject: str, text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        check_template(Template(subject, text))
    assert said in str(refusal.value)


def test_attributes_of_python_objects_are_no_placeholders() -> None:
    filled = fill(Template("{name.__class__}", "{name.__class__} {} {link}"), VALUES)
    assert filled.subject == "{name.__class__}"


def test_a_name_cannot_add_a_header() -> None:
    values = Values("Ada\r\nBcc: all@x.org", "Soup\nTo: b@x.org", VALUES.link, 60, "en")
    message = new_message(fill(Template("{name} {project}", "{link}"), values), SENDER, "ada@x.org")
    read = message_from_bytes(message.as_bytes(), policy=policy.default)
    assert read["Bcc"] is None and read["To"] == "ada@x.org"
    assert read["Subject"] == "Ada Bcc: all@x.org Soup To: b@x.org"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_text_that_may_be_sent(language: str) -> None:
    for reminder in (False, True):
        template = default_template(language, reminder=reminder)
        check_template(template)
        assert all(f"{{{word}}}" in template.text for word in ("name", "project", "link", "days"))
        assert language == "en" or template != default_template("en", reminder=reminder)
        message = new_message(fill(template, VALUES), SENDER, "zoe@x.org")
        raw = message.as_bytes()
        assert raw.isascii() and max(map(len, raw.splitlines())) <= 998  # RFC 5322, 2.1.1
        read = message_from_bytes(raw, policy=policy.default)
        assert read["From"] == "Lab Zürich <lab@x.org>" and "Suppe & Brot" in read["Subject"]
        assert read.get_content().replace("\r\n", "\n") == fill(template, VALUES).text


@pytest.mark.parametrize(("language", "days"), [("de", "60 Tage"), ("ar", "60 يومًا"), ("en", "60 days")])
def test_the_days_are_words_of_the_projects_language(language: str, days: str) -> None:
    values = replace(VALUES, language=language)
    assert fill(Template("Hallo", "{link}: {days}"), values).text.endswith(f": {days}")
