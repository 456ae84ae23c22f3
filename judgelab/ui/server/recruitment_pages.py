"""The pages behind a recruitment link: the study, consent and background form, and refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from html import escape

from starlette.responses import HTMLResponse

from judgelab.annotation.links.options import Ending, LinkOptions
from judgelab.crowd.joining import Arrival
from judgelab.languages import _, _n
from judgelab.ui.kit import safe_markdown
from judgelab.ui.rater.unit_words import counted_units, kind_of
from judgelab.ui.server.question_fields import draw_questions
from judgelab.ui.server.route_pages import button, page

AGREES, DECLINES = "yes", "no"


def invitation(
    arrival: Arrival,
    *,
    signed_in: str = "",
    answers: Mapping[int, Sequence[str]] | None = None,
    problems: Mapping[int, str] | None = None,
) -> HTMLResponse:
    """Return the page that asks for consent.

    Args:
        arrival: the visitor and their link.
        signed_in: name of the person now signed in on this browser, who would be signed out.
        answers: earlier answers to the background form.
        problems: problems with those answers.
    """
    options, answers, problems = arrival.options, answers or {}, problems or {}
    fields = draw_questions(options.fields, answers, problems)
    heading = f"<h2>{escape(_('About you'))}</h2>" if fields else ""
    more = (
        f"{_facts(arrival)}"
        f'<section class="consent" dir="auto">{safe_markdown.to_html(options.consent)}</section>'
        f'<form method="post">{heading}{fields}{_sign_out_note(signed_in)}'
        f'<div class="buttons"><button name="consent" value="{AGREES}">{escape(_("I agree, start"))}</button>'
        f'<button name="consent" value="{DECLINES}" class="second" formnovalidate>'
        f"{escape(_('I do not agree'))}</button></div></form>"
    )
    return page(arrival.project.name, "", more=more, long=True, status=422 if problems else 200)


def welcome_back(arrival: Arrival, *, signed_in: str = "") -> HTMLResponse:
    """Return the page for somebody who has already joined."""
    state = arrival.member.state if arrival.member else "active"
    if state in ("active", "paused"):
        text = _("You are already taking part in this study. Continue where you left off.")
        label = _("Continue")
    else:
        text = _("Your part in this study is over. You can read the closing message again.")
        label = _("Open the study")
    return page(arrival.project.name, text, more=_sign_out_note(signed_in) + button(label))


def refusal(reason: str, *, status: int = 403) -> HTMLResponse:
    """Return the page for somebody who cannot join."""
    return page(_("Not available now"), reason, status=status)


def declined(options: LinkOptions) -> HTMLResponse:
    """Return the page for somebody who does not consent."""
    text = _("You did not agree, so nothing was stored about you.")
    return page(_("Thank you for your time"), text, more=ending(options.declined))


def ending(study_ending: Ending) -> str:
    """Return the completion code and the link back to the platform as HTML."""
    code = (
        f"<p>{escape(_('Your completion code for the platform:'))}<br>"
        f'<code class="code" dir="ltr">{escape(study_ending.code)}</code></p>'
    )
    link = (
        f'<p><a class="button" href="{escape(study_ending.url)}" rel="noopener noreferrer">'
        f"{escape(_('Back to the platform'))}</a></p>"
    )
    return (code if study_ending.code else "") + (link if study_ending.url else "")


def _facts(arrival: Arrival) -> str:
    """Return the study's duration, pay and limits as a list."""
    options, settings = arrival.options, arrival.project.settings
    lines = []
    if options.about_minutes:
        lines.append(_n("About {n} minute", "About {n} minutes", round(options.about_minutes)))
    limit = options.most if options.most is not None else settings.get("most_responses")
    if limit is not None:
        answers = counted_units(int(limit), kind_of(arrival.project))
        lines.append(_("At most {answers} to rate", answers=answers))
    rate, currency = settings.get("pay_per_hour"), settings.get("currency") or ""
    if options.pay:
        amount = f"{currency} {Decimal(options.pay):,.2f}".strip()
        lines.append(_("Pay: {amount} for finishing", amount=amount))
    elif rate:
        amount = f"{currency} {float(rate):,.2f}".strip()
        lines.append(_("Pay: {amount} per hour", amount=amount))
    if options.minutes:
        lines.append(
            _n(
                "Once you agree, you have {n} minute to finish",
                "Once you agree, you have {n} minutes to finish",
                round(options.minutes),
            )
        )
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<ul class="facts">{items}</ul>' if items else ""


def _sign_out_note(signed_in: str) -> str:
    if not signed_in:
        return ""
    note = _("This browser is signed in as {name}. Continuing signs {name} out.", name=signed_in)
    return f"<p>{escape(note)}</p>"
