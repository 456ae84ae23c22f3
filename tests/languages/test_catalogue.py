"""The catalogue is what the sources say, and every language says all it promises."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from judgelab.languages import DEFAULT, LANGUAGES
from judgelab.languages.collect import TEMPLATE, catalogue_bytes, collect_texts, texts_in, updated_catalogue
from judgelab.languages.locales import FOLDER

# The screens of people who only rate: their pages, their account, the ways in.
RATERS_PAGES = (
    "pages/annotator/",
    "pages/everyone/account.py",
    "pages/everyone/welcome.py",
    "judgelab/accounts/oidc.py",
    "judgelab/accounts/password_sign_in.py",
    "judgelab/annotation/apply_operation.py",
    "judgelab/annotation/filters/unit_rules.py",
    "judgelab/annotation/forms/",
    "judgelab/annotation/links/visit.py",
    "judgelab/annotation/links/withdrawal.py",
    "judgelab/annotation/rating/operations.py",
    "judgelab/annotation/rating/session.py",
    "judgelab/annotation/rating/values.py",
    "judgelab/annotation/service.py",
    "judgelab/crowd/joining.py",
    "judgelab/ui/kit/failures.py",
    "judgelab/ui/kit/widgets.py",
    "judgelab/ui/rater/",
    "judgelab/ui/server/rating_route.py",
    "judgelab/ui/server/recruitment_",
    "judgelab/ui/server/route",
    "judgelab/ui/server/signing.py",
    "judgelab/ui/session/account.py",
    "judgelab/ui/session/gate.py",
    "judgelab/ui/session/language.py",
    "judgelab/ui/session/navigation.py",
)


@pytest.fixture(scope="module")
def template() -> Catalog:
    return collect_texts()


def stands(file: Path, catalogue: Catalog) -> bool:
    """Whether the file holds the catalogue; what differs in half a megabyte pytest would seek for minutes."""
    return file.read_bytes() == catalogue_bytes(catalogue)


def test_the_template_is_what_the_sources_say(template: Catalog) -> None:
    assert stands(TEMPLATE, template), "run `make messages`"


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {DEFAULT}))
def test_a_language_knows_the_texts_there_are_now(language: str, template: Catalog) -> None:
    assert stands(FOLDER / f"{language}.po", updated_catalogue(language, template)), "run `make messages`"


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {DEFAULT}))
def test_a_translation_has_the_values_of_its_text(language: str) -> None:
    for message in _messages(language):
        said = [text for text in _said(message) if text]
        assert all(_values(text) <= _values(*_texts(message)) for text in said), message.id
        # A form for one may leave the number out: "ein Urteil".
        assert not said or _values(said[-1]) == _values(_texts(message)[-1]), message.id


def test_german_says_everything() -> None:
    assert [message.id for message in _messages("de") if not all(_said(message))] == []


def test_arabic_says_everything_that_raters_meet() -> None:
    theirs = [
        message
        for message in _messages("ar")
        if any(where.startswith(RATERS_PAGES) for where, _line in message.locations)
    ]
    assert len(theirs) > 300
    assert [message.id for message in theirs if not all(_said(message))] == []


def _messages(language: str) -> list[Message]:
    with Path(FOLDER / f"{language}.po").open("rb") as file:
        return [message for message in read_po(file, locale=language) if message.id]


def _texts(message: Message) -> tuple[str, ...]:
    return message.id if isinstance(message.id, tuple) else (message.id,)


def _said(message: Message) -> tuple[str, ...]:
    return message.string if isinstance(message.string, tuple) else (message.string,)


def _values(*texts: str) -> set[str]:
    return {name for text in texts for _before, name, _format, _how in string.Formatter().parse(text) if name}


def test_texts_within_f_strings_conditions_and_other_texts_are_found() -> None:
    source = """
page = f"# {_('A title')}" if wide else text.plain(_("A {kind}", kind=_n("{n} item", "{n} items", 2)))
why = wording.sentence("no rating of {name}", name=names[key])
"""
    assert set(texts_in(source)) == {
        "A title",
        "A {kind}",
        ("{n} item", "{n} items"),
        "no rating of {name}",
    }
