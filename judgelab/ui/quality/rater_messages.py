"""Messages to a rater, written with the rater's own numbers, to be changed and copied; nothing is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from judgelab.analysis.raters.rater_table import RaterRow
from judgelab.languages import _, _n
from judgelab.scales import Scale
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.kit import text
from judgelab.wording import mark

MessageWriter = Callable[[RaterRow, ProjectInfo, str, Scale], str]

COPY = st.components.v2.component(
    "judgelab_copy",
    html='<button type="button"></button>',
    css="""
button { font: inherit; color: var(--st-text-color); background: transparent; cursor: pointer;
  border: 1px solid var(--st-border-color); border-radius: 4px; padding: .3rem .8rem; }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
""",
    # A page that is not served over https has no clipboard; the old command works there.
    js="""
export default function (component) {
  const { data, parentElement } = component;
  const button = parentElement.querySelector("button");
  button.textContent = data.copy;
  const said = () => {
    button.textContent = data.copied;
    setTimeout(() => { button.textContent = data.copy; }, 2000);
  };
  button.onclick = async () => {
    if (navigator.clipboard) { await navigator.clipboard.writeText(data.text); said(); return; }
    const area = document.createElement("textarea");
    area.value = data.text; document.body.append(area); area.select();
    if (document.execCommand("copy")) said();
    area.remove(); button.focus();
  };
}
""",
)


def draw_rater_messages(line: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> None:
    """Draw the choice of a message, its text to be changed, and the way to copy it."""
    with st.expander(_("Write to this rater")):
        kinds = list(TEMPLATES)
        kind = st.selectbox(_("Message"), kinds, format_func=_, key="raters_message")
        written = TEMPLATES[kind](line, project, criterion, scale)
        # Another rater or other numbers, another text: the key says which it belongs to.
        message = st.text_area(
            _("Text"),
            written,
            height=220,
            key=f"raters_text_{kind}_{line.rater}_{criterion}_{line.report.screens}",
        )
        COPY(key="raters_copy", data={"text": message, "copy": _("Copy"), "copied": _("Copied")})
        st.caption(_("Copy it into an email or the crowd platform. JudgeLab sends nothing itself."))


def _thanks(line: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    return _letter_text(
        line,
        _n(
            "Thank you for rating in “{project}”. So far you have rated {n} response{seconds}.",
            "Thank you for rating in “{project}”. So far you have rated {n} responses{seconds}.",
            line.report.screens,
            project=project.name,
            seconds=_seconds(line),
        ),
        _("If anything in the guidelines or on the screen was unclear, please tell us: it helps everyone."),
    )


def _pace(line: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    fast = line.report.pace.fast
    if fast.value is None:
        seen = _(
            "We looked at the time spent on answers in “{project}”. Some of yours were much faster than "
            "other raters need, or than the text can be read.",
            project=project.name,
        )
    else:
        seen = _(
            "We looked at the time spent on answers in “{project}”. {share} % of your {n} answers were "
            "much faster than other raters need, or than the text can be read{seconds}.",
            project=project.name,
            share=f"{100 * fast.value:z.0f}",
            n=fast.n,
            seconds=_seconds(line),
        )
    return _letter_text(
        line,
        seen,
        _(
            "Is the whole text visible on your screen? Did you already know the responses? Please take "
            "the time you need: speed affects neither pay nor ranking."
        ),
    )


def _scale(line: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    label = project.criterion(criterion).label
    points = scale.points()
    low, high = f"{scale.low:g}", f"{scale.high:g}"
    if points and points[0].label and points[-1].label:
        low, high = f"{low} ({points[0].label})", f"{high} ({points[-1].label})"
    criterion_report = line.report.criteria.get(criterion)
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
        line,
        message,
        _(
            "The lowest score is {low}, the highest is {high}. Is this how you read the scale? If so, "
            "your view is welcome: comments on two or three responses would help us understand it.",
            low=low,
            high=high,
        ),
    )


def _checks(line: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    parts = [
        _(words, met=round(result.value * result.n), n=result.n)
        for result, words in (
            (line.report.gold, mark("{met} of {n} responses with a known score")),
            (line.report.attention, mark("{met} of {n} attention checks")),
        )
        if result.value is not None
    ]
    counts = _(
        "“{project}” contains responses that check whether the task was understood.", project=project.name
    )
    if parts:
        opening = _("You met {checks}.", checks=text.listing(parts))
    else:
        opening = _("No check has been shown to you yet.")
    return _letter_text(
        line,
        f"{counts} {opening}",
        _("Please read the guidelines again before you continue, and ask us if anything is unclear."),
    )


def _paused(line: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    return _letter_text(
        line,
        _n(
            "We have paused your work in “{project}” so that we can look at the first {n} response together.",
            "We have paused your work in “{project}” so that we can look at the first {n} responses "
            "together.",
            line.report.screens,
            project=project.name,
        ),
        _("Your ratings are kept and you lose nothing. We will tell you when you can continue."),
    )


def _released(line: RaterRow, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    return _letter_text(
        line,
        _n(
            "Your work in “{project}” is complete: {n} response rated.",
            "Your work in “{project}” is complete: {n} responses rated.",
            line.report.screens,
            project=project.name,
        ),
        _("Nothing more will be shown to you there. Thank you."),
    )


TEMPLATES: Mapping[str, MessageWriter] = {
    mark("Thanks"): _thanks,
    mark("Question about speed"): _pace,
    mark("Question about the scale"): _scale,
    mark("Checks"): _checks,
    mark("Work is paused"): _paused,
    mark("Work is complete"): _released,
}


def _letter_text(line: RaterRow, *paragraphs: str) -> str:
    return "\n\n".join([_("Dear {name},", name=line.rater), *paragraphs])


def _seconds(line: RaterRow) -> str:
    median = line.report.pace.median
    if median.value is None:
        return ""
    seconds = _("(median {seconds} seconds a response)", seconds=f"{median.value:z.0f}")
    return f" {seconds}"
