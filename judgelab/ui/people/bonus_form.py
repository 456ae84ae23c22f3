"""The bonus of one participant, a list of bonuses, and the files for a platform's bulk tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.accounts import line_lists
from judgelab.accounts.members import Member
from judgelab.crowd import bonuses, bulk_files, participants
from judgelab.crowd.bonuses import BonusLine
from judgelab.crowd.bulk_files import BulkFile
from judgelab.crowd.links import RecruitmentLink
from judgelab.errors import InvalidInput, UserError
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.people import form
from judgelab.ui.session import gate
from judgelab.ui.shared import project_export
from judgelab.wording import counted

SET_KEY = "people_bonuses_set"  # how often; a new key empties the fields


def draw_bonus_form(project: ProjectInfo, member: Member) -> None:
    """Draw the fields for the bonus of a participant who has an id of a crowd platform."""
    person = gate.enter("researcher", project)
    payee = bonuses.find(gate.store(), person.id, project.id, member.membership.person_id)
    if payee is None:
        return
    key, bonus = f"people_{payee.person_id}_bonus", payee.bonus
    with st.form(f"{key}_form", border=False):
        left, right = st.columns([1, 2])
        amount = left.text_input(
            _label(project),
            str(bonus.amount) if bonus else "",
            key=key,
            placeholder="0.00",
            help=_("Leave empty for no bonus. You pay bonuses on the platform."),
        )
        reason = right.text_input(
            _("Reason (optional)"),
            bonus.reason if bonus else "",
            key=f"{key}_reason",
            max_chars=bonuses.LONGEST_REASON,
        )
        if not st.form_submit_button(_("Save the bonus"), key=f"{key}_send", icon=":material/check:"):
            return
    try:
        given = bonuses.read_bonus(amount.strip() or "0", reason)
        bonuses.set_one(gate.store(), person.id, project.id, payee.person_id, given)
    except UserError as error:
        failures.show(error)
        return
    st.rerun()


def draw_bonus_list(project: ProjectInfo, link: RecruitmentLink) -> None:
    """Draw a field for a list of bonuses of the link's participants, and a file in its place."""
    times = int(st.session_state.setdefault(SET_KEY, 0))
    key = f"study_link_{link.stored.id}_bonuses_{times}"
    with st.expander(_("Set bonuses from a list")):
        pasted = st.text_area(
            _("One participant per line: participant ID, amount, reason"),
            key=key,
            height=120,
            placeholder="5a9d64f5f6dfdd0001eaa73d, 2.50",
            help=_("The reason is optional. Participants who are not listed keep their bonus; 0 removes it."),
        )
        file = st.file_uploader(_("Or a file with these lines"), ["csv", "tsv", "txt"], key=f"{key}_file")
        if file is None and not pasted.strip():
            return
        try:
            listed = pasted if file is None else line_lists.decode_list(file.getvalue())
            lines = bonuses.read_list(listed)
        except InvalidInput as error:
            failures.show(error)
            return
        _draw_lines(lines, key=f"{key}_table")
        label = _n("Set {n} bonus", "Set {n} bonuses", len(lines))
        if not widgets.primary_button(label, key=f"{key}_send"):
            return
        person = gate.enter("researcher", project)
        try:
            changed = bonuses.set_all(gate.store(), person.id, project.id, lines, link_id=link.stored.id)
        except UserError as error:
            failures.show(error)
            return
    st.session_state[form.MESSAGE_KEY] = counted("{n} bonus changed.", "{n} bonuses changed.", changed)
    st.session_state[SET_KEY] = times + 1
    st.rerun()


def draw_left_out_note(project: ProjectInfo, link: RecruitmentLink) -> None:
    """Write how many participants the bulk files leave out, if any."""
    person = gate.enter("researcher", project)
    n = bonuses.left_out_of_bulk_files(gate.store(), person.id, project.id, link.stored.id)
    if n:
        st.caption(
            _n(
                "The bulk files leave out {n} participant: the ID contains a character that is not allowed "
                "in them, such as a comma. The list of participants has everyone.",
                "The bulk files leave out {n} participants: their IDs contain characters that are not "
                "allowed in them, such as commas. The list of participants has everyone.",
                n,
            )
        )


def _draw_lines(lines: Sequence[BonusLine], *, key: str) -> None:
    """Draw what was read from the list, so that a misread amount is seen."""
    frame = pd.DataFrame(
        {
            "ID": [line.external_id for line in lines],
            "Bonus": [str(line.bonus.amount) for line in lines],
            "Reason": [line.bonus.reason or text.MISSING for line in lines],
        }
    )
    columns = {
        "ID": st.column_config.Column(_("Participant ID")),
        "Bonus": st.column_config.Column(_("Bonus"), alignment="right"),
        "Reason": st.column_config.Column(_("Reason")),
    }
    widgets.table(frame, key=key, columns=columns)


def draw_downloads(project: ProjectInfo, link: RecruitmentLink) -> None:
    """Draw the downloads for payment, which are built and authorized when they are clicked."""
    _draw_download(
        project,
        link,
        ("download", "participants.csv"),
        _("Participants (CSV)"),
        _("The list of participants for payment: platform ID, state, times, ratings, pay and bonus."),
        participants.as_csv,
    )
    _draw_download(
        project,
        link,
        ("approve", "bulk-approve.txt"),
        _("Bulk approval (TXT)"),
        _("The platform IDs of participants who finished, one per line, for Prolific's bulk approval."),
        lambda rows: _text_of(bulk_files.approve_file(rows)),
    )
    _draw_download(
        project,
        link,
        ("bonus", "bulk-bonus.txt"),
        _("Bulk bonuses (TXT)"),
        _("The platform ID and amount of each bonus, one per line, for Prolific's bulk bonus payments."),
        lambda rows: _text_of(bulk_files.bonus_file(rows)),
    )


def draw_pay_list(project: ProjectInfo) -> None:
    """Draw the download of what all raters have earned, those added by name too, where there is pay."""
    if project.settings.get("pay_per_hour"):
        _draw_download(
            project,
            None,
            ("pay", "pay.csv"),
            _("Pay of all raters (CSV)"),
            _("All raters, those added by name too: state, times, ratings, pay and bonus."),
            participants.as_csv,
        )


def _draw_download(
    project: ProjectInfo,
    link: RecruitmentLink | None,
    names: tuple[str, str],
    label: str,
    help_text: str,
    written: Callable[[Sequence[Mapping[str, Any]]], str],
) -> None:
    actor = gate.enter("researcher", project).id
    store, may_export = gate.store(), gate.later_check("researcher", project)
    key, ending = names

    def data() -> str:
        if not may_export():
            project_export.refuse_export()
        rows = participants.participant_rows(
            store, actor, project.id, link_id=link.stored.id if link else None, by_name=link is None
        )
        return written(rows)

    st.download_button(
        label,
        data=data,
        file_name=f"{project.slug}-{ending}",
        mime="text/csv" if ending.endswith("csv") else "text/plain",
        icon=":material/download:",
        key=f"study_link_{link.stored.id}_{key}" if link else f"people_{key}",
        on_click="ignore",
        help=help_text,
    )


def _text_of(file: BulkFile) -> str:
    return file.text


def _label(project: ProjectInfo) -> str:
    currency = project.settings.get("currency")
    return _("Bonus ({currency})", currency=currency) if currency else _("Bonus")
