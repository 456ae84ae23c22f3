"""The options of a recruitment link: what it asks, what it allows, and what it says at the end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from judgelab.annotation.links.questions import FormQuestion, check_questions, questions_from_json
from judgelab.errors import InvalidInput
from judgelab.money import read_amount
from judgelab.wording import sentence

REFILLS = ("keep", "surplus")
FORMS = ("fields", "exit_fields")
PARAMETER = re.compile(r"[A-Za-z0-9_.\-]{1,60}")
UNREADABLE_IN_URL = re.compile(r"[\x00-\x20\x7f]")
MOST_PARAMETERS, MOST_PLACES = 20, 100_000
LONGEST_CONSENT, LONGEST_CODE, LONGEST_URL = 20_000, 200, 2000
LONGEST_MINUTES = 60 * 24 * 60
# People whom the researcher releases did what was asked.
FINISHED_STATES = frozenset({"finished", "released"})


@dataclass(frozen=True)
class Ending:
    """What people get when they leave: a completion code for the platform, an address to go back to."""

    code: str = ""
    url: str = ""

    @property
    def shown(self) -> bool:
        """Whether there is a code or an address."""
        return bool(self.code or self.url)


@dataclass(frozen=True)
class LinkOptions:
    """What a recruitment link asks for and allows.

    Args:
        person: the URL parameter with the person's id.
        others: further URL parameters that are required and stored; others are ignored.
        consent: the consent text, in Markdown.
        fields: the background form, filled in before the work.
        exit_fields: the exit questionnaire, filled in after the work and before the completion code.
        places: how many people can take part.
        minutes: how long one person may take, from consent; None for no limit.
        about_minutes: the expected duration that people are told; None to say nothing.
        most: how many units one person gets; None for the project's limit.
        pay: the amount for finishing, as text with two decimals; empty to pay by the project's hourly rate.
        cohort: the group of raters that they join.
        refill: what happens to the ratings of people who return the study or run out of time: `keep` lets
            them count, `surplus` assigns the units to others too. The ratings are stored either way.
        finished: what people get who finished.
        screened_out: what people get who were screened out.
        declined: what people get who do not consent.
    """

    person: str = "PROLIFIC_PID"
    others: tuple[str, ...] = ()
    consent: str = ""
    fields: tuple[FormQuestion, ...] = ()
    exit_fields: tuple[FormQuestion, ...] = ()
    places: int = 20
    minutes: float | None = None
    about_minutes: float | None = None
    most: int | None = None
    pay: str = ""
    cohort: str = ""
    refill: str = "keep"
    finished: Ending = Ending()
    screened_out: Ending = Ending()
    declined: Ending = Ending()

    @property
    def parameters(self) -> tuple[str, ...]:
        """All parameters that the address must have."""
        return (self.person, *self.others)

    def ending(self, state: str) -> Ending:
        """Return what a person in this state gets; nothing while they work, or after a return or timeout."""
        if state in FINISHED_STATES:
            return self.finished
        return self.screened_out if state == "screened_out" else Ending()


def options_from_json(data: Mapping[str, Any]) -> LinkOptions:
    """Return the options from their stored form."""
    endings = {name: Ending(**data.get(name, {})) for name in ("finished", "screened_out", "declined")}
    forms = {name: questions_from_json(data.get(name, ())) for name in FORMS}
    plain = {name: value for name, value in data.items() if name not in (*endings, *FORMS)}
    return LinkOptions(**{**plain, "others": tuple(data.get("others", ())), **forms, **endings})


def options_to_json(options: LinkOptions) -> dict[str, Any]:
    """Return the options in their stored form."""
    return asdict(options)


def checked_options(options: LinkOptions) -> LinkOptions:
    """Return the options with trimmed texts; raises `InvalidInput` with what is not valid."""
    _check_parameters(options.parameters)
    check_questions(options.fields)
    check_questions(options.exit_fields)
    _check_numbers(options)
    pay = read_amount(options.pay) if options.pay.strip() else 0
    consent = _checked_text(options.consent, LONGEST_CONSENT, sentence("the consent text"))
    if not consent:
        raise InvalidInput(sentence("a recruitment link needs a consent text."))
    if options.refill not in REFILLS:
        raise InvalidInput(sentence("returned work must be one of {known}.", known=", ".join(REFILLS)))
    return LinkOptions(
        person=options.person,
        others=options.others,
        consent=consent,
        fields=options.fields,
        exit_fields=options.exit_fields,
        places=options.places,
        minutes=options.minutes,
        about_minutes=options.about_minutes,
        most=options.most,
        pay=str(pay) if pay else "",
        cohort=options.cohort.strip(),
        refill=options.refill,
        finished=_checked_ending(options.finished),
        screened_out=_checked_ending(options.screened_out),
        declined=_checked_ending(options.declined),
    )


def _check_parameters(names: Sequence[str]) -> None:
    for name in names:
        if not PARAMETER.fullmatch(name):
            raise InvalidInput(
                sentence(
                    "'{name}' is not a valid parameter; use letters, digits, _, - and dots, at most 60 "
                    "characters.",
                    name=name,
                )
            )
    if len(set(names)) < len(names):
        raise InvalidInput(sentence("two parameters have the same name; rename one."))
    if len(names) > MOST_PARAMETERS:
        raise InvalidInput(sentence("a link has at most {n} parameters.", n=MOST_PARAMETERS))


def _check_numbers(options: LinkOptions) -> None:
    if not 1 <= options.places <= MOST_PLACES:
        raise InvalidInput(sentence("a link needs 1 to {n} places.", n=MOST_PLACES))
    if options.most is not None and options.most < 1:
        raise InvalidInput(
            sentence("the maximum per rater must be at least 1; leave it empty to use the project's.")
        )
    for minutes in (options.minutes, options.about_minutes):
        if minutes is not None and not 1 <= minutes <= LONGEST_MINUTES:
            raise InvalidInput(
                sentence("a time limit is 1 to {n} minutes; leave it empty for no limit.", n=LONGEST_MINUTES)
            )


def _checked_ending(ending: Ending) -> Ending:
    code, url = _checked_text(ending.code, LONGEST_CODE, sentence("a code")), ending.url.strip()
    parts = urlsplit(url) if not UNREADABLE_IN_URL.search(url) and "[" not in url else None
    if url and (
        parts is None or parts.scheme not in ("http", "https") or not parts.hostname or len(url) > LONGEST_URL
    ):
        raise InvalidInput(
            sentence("'{url}' is not a web address; it must begin with https:// or http://.", url=url[:80])
        )
    return Ending(code, url)


def _checked_text(value: str, longest: int, name: str) -> str:
    text = value.replace("\x00", "").strip()
    if len(text) > longest:
        raise InvalidInput(
            sentence(
                "{what} has {n} characters; at most {most} are allowed.", what=name, n=len(text), most=longest
            )
        )
    return text
