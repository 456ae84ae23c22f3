"""Drafts of messages to a rater with the rater's own figures, to edit and copy; nothing is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from judgelab.analysis.raters.rater_table import RaterRow
from judgelab.languages import _, _n
from judgelab.scales import Scale
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text
from judgelab.wording import mark

MessageWriter = Callable[[RaterRow, ProjectInfo, str, Scale], str]

COPY_BUTTON = st.components.v2.component(
    "judgelab_copy",
    html='<button type="button"></button>',
    css="""
button { font: inherit; color: var(--st-text-color); background: transparent; cursor: pointer;
  border: 1px solid var(--st-border-color); border-radius: 4px; padding: .3rem .8rem; }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
""",
    # navigator.clipboard exists only over https, so fall back on execCommand.
    js="""
export default function (component) {
  const { data, parentElement } = component;
  const button = parentElement.querySelector("button");
  button.textContent = data.copy;
  const showCopied = () => {
    button.textContent = data.copied;
    setTimeout(() => { button.textContent = data.copy; }, 2000);
  };
  button.onclick = async () => {
    if (navigator.clipboard) { await navigator.clipboard.writeText(data.text); showCopied(); return; }
    const area = document.createElement("textarea");
    area.value = data.text; document.body.append(area); area.select();
    if (document.execCommand("copy")) showCopied();
    area.remove(); button.focus();
  };
}
""",
)


def draw_rater_messages(row: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> None:
    """Draw the choice of a message, a text area to edit it, and a button to copy it."""
    with st.expander(_("Draft a message to this rater")):
        kinds = list(TEMPLATES)
        kind = st.selectbox(_("Message"), kinds, format_func=_, key="raters_message")
        draft = TEMPLATES[kind](row, project, criterion, scale)
        # The key holds all that the draft depends on, so that another rater or new figures start a new draft.
        message = st.text_area(
            _("Text"),
            draft,
            height=220,
            key=f"raters_text_{kind}_{row.rater}_{criterion}_{row.report.screens}",
        )
        COPY_BUTTON(key="raters_copy", data={"text": message, "copy": _("Copy"), "copied": _("Copied")})
        st.caption(_("Copy it into an email or the crowd platform. JudgeLab sends nothing itself."))


def _thanks_message(row: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    return _letter_text(
        row,
        _n(
            "Thank you for rating in “{project}”. So far you have rated {n} response{seconds}.",
            "Thank you for rating in “{project}”. So far you have rated {n} responses{seconds}.",
            row.report.screens,
            project=project.name,
            seconds=_seconds_note(row),
        ),
        _("If anything in the guidelines or on the screen was unclear, please tell us: it helps everyone."),
    )


def _speed_message(row: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    fast = row.report.pace.fast
    if fast.value is None:
        finding = _(
            "We looked at the time spent on answers in “{project}”. Some of yours were much faster than "
            "other raters need, or than the text can be read.",
            project=project.name,
        )
    else:
        finding = _(
            "We looked at the time spent on answers in “{project}”. {share} % of your {n} answers were "
            "much faster than other raters need, or than the text can be read{seconds}.",
            project=project.name,
            share=f"{100 * fast.value:z.0f}",
            n=fast.n,
            seconds=_seconds_note(row),
        )
    return _letter_text(
        row,
        finding,
        _(
            "Is the whole text visible on your screen? Did you already know the responses? Please take "
            "the time you need: speed affects neither pay nor ranking."
        ),
    )


def _scale_message(row: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    if not scale.ordered:
        return _labels_message(row, project, criterion, scale)
    label = project.criterion(criterion).label
    points = scale.points()
    low, high = f"{scale.low:g}", f"{scale.high:g}"
    if points and points[0].label and points[-1].label:
        low, high = f"{low} ({points[0].label})", f"{high} ({points[-1].label})"
    criterion_report = row.report.criteria.get(criterion)
    r = None if criterion_report is None else criterion_report.leave_one_out
    if r is None or r.value is None:
        message = _(
            "On “{criterion}” in “{project}”, your scores often differ from those of the other raters.",
            criterion=label,
            project=project.name,
        )
    else:
        message = _(
            "On “{criterion}” in “{project}”, your scores often differ from those of the other raters "
            "(correlation with their mean {r} over {n} responses).",
            criterion=label,
            project=project.name,
            r=text.number(r.value),
            n=r.n,
        )
    return _letter_text(
        row,
        message,
        _(
            "The lowest score is {low}, the highest is {high}. Is this how you read the scale? If so, "
            "your view is welcome: comments on two or three responses would help us understand it.",
            low=low,
            high=high,
        ),
    )


def _labels_message(row: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    return _letter_text(
        row,
        _(
            "On “{criterion}” in “{project}”, your labels often differ from those of the other raters.",
            criterion=project.criterion(criterion).label,
            project=project.name,
        ),
        _(
            "The labels are {labels}. Is it clear when each of them applies? If so, your view is welcome: "
            "comments on two or three responses would help us understand it.",
            labels=text.listing([point.label for point in scale.points()], 9),
        ),
    )


def _checks_message(row: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    parts = [
        _(words, met=round(result.value * result.n), n=result.n)
        for result, words in (
            (row.report.gold, mark("{met} of {n} responses with a known score")),
            (row.report.attention, mark("{met} of {n} attention checks")),
        )
        if result.value is not None
    ]
    introduction = _(
        "“{project}” contains responses that check whether the task was understood.", project=project.name
    )
    if parts:
        outcome = _("You met {checks}.", checks=text.listing(parts))
    else:
        outcome = _("No check has been shown to you yet.")
    return _letter_text(
        row,
        f"{introduction} {outcome}",
        _("Please read the guidelines again before you continue, and ask us if anything is unclear."),
    )


def _paused_message(row: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    return _letter_text(
        row,
        _n(
            "We have paused your work in “{project}” so that we can look at the first {n} response together.",
            "We have paused your work in “{project}” so that we can look at the first {n} responses "
            "together.",
            row.report.screens,
            project=project.name,
        ),
        _("Your ratings are kept and you lose nothing. We will tell you when you can continue."),
    )


def _released_message(row: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    return _letter_text(
        row,
        _n(
            "Your work in “{project}” is complete: {n} response rated.",
            "Your work in “{project}” is complete: {n} responses rated.",
            row.report.screens,
            project=project.name,
        ),
        _("Nothing more will be shown to you there. Thank you."),
    )


TEMPLATES: Mapping[str, MessageWriter] = {
    mark("Thanks"): _thanks_message,
    mark("Question about speed"): _speed_message,
    mark("Question about the scale"): _scale_message,
    mark("Checks"): _checks_message,
    mark("Work is paused"): _paused_message,
    mark("Work is complete"): _released_message,
}


def _letter_text(row: RaterRow, *paragraphs: str) -> str:
    return "\n\n".join([_("Dear {name},", name=row.rater), *paragraphs])


def _seconds_note(row: RaterRow) -> str:
    median = row.report.pace.median
    if median.value is None:
        return ""
    seconds = _("(median {seconds} seconds a response)", seconds=f"{median.value:z.0f}")
    return f" {seconds}"
