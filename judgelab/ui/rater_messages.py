"""Messages to a rater, written with the rater's own numbers, to be changed and copied; nothing is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from judgelab.analysis.raters import RaterLine
from judgelab.scales import Scale
from judgelab.store.projects import ProjectInfo
from judgelab.ui import text

Write = Callable[[RaterLine, ProjectInfo, str, Scale], str]

COPY = st.components.v2.component(
    "judgelab_copy",
    html='<button type="button">Copy</button>',
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
  const said = () => {
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
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


def draw(line: RaterLine, project: ProjectInfo, criterion: str, scale: Scale) -> None:
    """Draw the choice of a message, its text to be changed, and the way to copy it."""
    with st.expander("Write to this rater"):
        kinds = list(TEMPLATES)
        kind = st.selectbox("Message", kinds, key="raters_message")
        written = TEMPLATES[kind](line, project, criterion, scale)
        # Another rater or other numbers, another text: the key says which it belongs to.
        said = st.text_area(
            "Text",
            written,
            height=220,
            key=f"raters_text_{kind}_{line.rater}_{criterion}_{line.report.screens}",
        )
        COPY(key="raters_copy", data={"text": said})
        st.caption("Copy it into a mail or into the crowd platform. JudgeLab sends nothing.")


def _thanks(line: RaterLine, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    return _letter(
        line,
        f"thank you for rating in “{project.name}”. So far you have rated "
        f"{text.counted(line.report.screens, 'response')}{_seconds(line)}.",
        "If something in the guidelines or on the screen made you hesitate, tell us: it helps everybody.",
    )


def _pace(line: RaterLine, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    fast = line.report.pace.fast
    share = "" if fast.value is None else f" {100 * fast.value:.0f} % of your {fast.n:,} answers"
    return _letter(
        line,
        f"we looked at the time that answers in “{project.name}” take.{share or ' Some'} came much "
        f"faster than others need or than the text can be read{_seconds(line)}.",
        "Is the text shown whole on your screen? Did you know the responses before? Take the time you need: "
        "nobody is paid or ranked by speed.",
    )


def _scale(line: RaterLine, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    label = project.criterion(criterion).label
    points = scale.points()
    low, high = f"{scale.low:g}", f"{scale.high:g}"
    if points and points[0].label and points[-1].label:
        low, high = f"{low} ({points[0].label})", f"{high} ({points[-1].label})"
    found = line.report.criteria.get(criterion)
    r = None if found is None else found.leave_one_out
    said = (
        ""
        if r is None or r.value is None
        else f" (correlation {text.number(r.value)} over {r.n:,} responses)"
    )
    return _letter(
        line,
        f"on “{label}” in “{project.name}” your scores and those of the other raters often part{said}.",
        f"The lowest score is {low}, the highest is {high}. Did you read the scale this way? If you did, "
        "your view is welcome: a comment on two or three responses would help us to understand it.",
    )


def _checks(line: RaterLine, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    parts = [
        f"{round(found.value * found.n)} of {found.n} {name}"
        for found, name in (
            (line.report.gold, "responses whose score is known"),
            (line.report.attention, "attention checks"),
        )
        if found.value is not None
    ]
    met = f"You met {' and '.join(parts)}." if parts else "No check has been shown to you yet."
    return _letter(
        line,
        f"“{project.name}” holds responses that check whether the task is understood. {met}",
        "Please read the guidelines once more before you go on, and ask us where they are not clear.",
    )


def _paused(line: RaterLine, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    return _letter(
        line,
        f"we have paused your work in “{project.name}” to look at the first "
        f"{text.counted(line.report.screens, 'response')} together with you.",
        "What you rated is kept, and you lose nothing. We will write to you when you can go on.",
    )


def _released(line: RaterLine, project: ProjectInfo, criterion: str, scale: Scale) -> str:
    return _letter(
        line,
        f"your work in “{project.name}” is complete: {text.counted(line.report.screens, 'response')} rated.",
        "Nothing more will be shown to you there. Thank you.",
    )


TEMPLATES: Mapping[str, Write] = {
    "Thanks": _thanks,
    "A question about pace": _pace,
    "A question about the scale": _scale,
    "Checks": _checks,
    "Work is paused": _paused,
    "Work is complete": _released,
}


def _letter(line: RaterLine, *paragraphs: str) -> str:
    return "\n\n".join([f"Dear {line.rater},", *(part[:1].upper() + part[1:] for part in paragraphs)])


def _seconds(line: RaterLine) -> str:
    found = line.report.pace.median
    return "" if found.value is None else f" (median {found.value:.0f} seconds a response)"
