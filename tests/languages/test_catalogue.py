"""The catalogue is what the sources say, and every language says all it promises."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from judgelab.languages import DEFAULT, LANGUAGES
from judgelab.languages.collect import (
    report_untranslated,
    texts_in,
    untranslated,
    updated_catalogue,
)
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
    "judgelab/annotation/rating/rules.py",
    "judgelab/annotation/rating/session.py",
    "judgelab/annotation/rating/values.py",
    "judgelab/annotation/service.py",
    "judgelab/crowd/joining.py",
    "judgelab/mailing/usual_texts.py",
    "judgelab/ui/kit/failures.py",
    "judgelab/ui/kit/widgets.py",
    "judgelab/ui/rater/",
    "judgelab/ui/server/exit_route.py",
    "judgelab/ui/server/question_fields.py",
    "judgelab/ui/server/rating_route.py",
    "judgelab/ui/server/recruitment_",
    "judgelab/ui/server/route",
    "judgelab/ui/server/signing.py",
    "judgelab/ui/session/account.py",
    "judgelab/ui/session/gate.py",
    "judgelab/ui/session/language.py",
    "judgelab/ui/session/navigation.py",
    "judgelab/ui/session/navigation_bar.py",
    "judgelab/ui/shared/theme.py",
)


OTHERS = sorted(set(LANGUAGES) - {DEFAULT})


@pytest.mark.parametrize("language", OTHERS)
def test_raters_read_one_language(language: str, template: Catalog) -> None:
    """Other pages may wait for a translation: `make messages` lists the text, and it is shown in English."""
    texts = [
        message
        for message in updated_catalogue(language, template)
        if message.id and any(file.startswith(RATERS_PAGES) for file, _line in message.locations)
    ]
    assert len(texts) > 300
    assert untranslated(texts) == []


def test_what_waits_for_a_translation_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    template = Catalog()
    template.add("A text that nobody has translated")
    report_untranslated("de", updated_catalogue("de", template))
    assert capsys.readouterr().out == "de: 1 of 1 texts not translated\n  A text that nobody has translated\n"


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_values_of_its_text(language: str) -> None:
    for message in _messages(language):
        translations = [text for text in _said(message) if text]
        assert all(_values(text) <= _values(*_texts(message)) for text in translations), message.id
        # A form for one may leave the number out: "ein Urteil".
        assert not translations or _values(translations[-1]) == _values(_texts(message)[-1]), message.id


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


NOT_SAID = (  # words that the screen had before design/wording.md, and one word for one thing
    r"not to be had|works no more|signs nobody|\bLately\b|What (came|would go)|\bFor whom\b",
    r"\bBring\b|\bBrought\b",
    r"\bHere (stands?|you)\b|cannot be said|put away|thousand judgments|\bsurely\b|\bGo on\b",
    r"\bthe rule\b|[Qq]uality rule|\beverybody\b|\bmeasurably\b",
    r"Decided conflict|Erased person|All \{n\} have r|nothing to be compared with",
    r"rated, \{unlabelled\} judged only|(reply|file) has no score|breaks off",
)


@pytest.mark.parametrize("phrase", NOT_SAID)
def test_phrases_that_made_readers_stop_do_not_come_back(phrase: str, todays_texts: frozenset[str]) -> None:
    assert [text for text in todays_texts if re.search(phrase, text)] == []
