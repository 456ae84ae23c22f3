"""The conflicts that *Conflicts* shows one after another: which one is shown, and which one follows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, Protocol, TypeVar

import streamlit as st

from judgelab.languages import _
from judgelab.ui.cache import page_run
from judgelab.ui.kit import view_state


class Reviewed(Protocol):
    """A conflict of ratings or of choices."""

    @property
    def key(self) -> Hashable:
        """What is in conflict, by row id."""

    @property
    def decision(self) -> object | None:
        """The decision; None while the conflict is open."""

    @property
    def sort_key(self) -> Any:
        """Its place among the conflicts, the widest first."""


C = TypeVar("C", bound=Reviewed)


class ReviewQueue(Generic[C]):
    """The conflicts of a page, in the session of its visitor.

    A rerun must not put another conflict under the keys, so the one shown stays, even if new ratings end it.

    Args:
        prefix: prefix of the keys of widgets and of the session's state.
        chosen_key: where the session holds the conflict to show.
        open_only_key: where it holds whether only open conflicts are shown.
        parameter: the parameter of the page's link that names the conflict shown.
        word: how it names it.
    """

    def __init__(
        self, prefix: str, *, chosen_key: str, open_only_key: str, parameter: str, word: Callable[[C], str]
    ) -> None:
        self._prefix, self._chosen, self._open_only = prefix, chosen_key, open_only_key
        self._shown, self._next, self._linked = (
            f"{prefix}_{name}" for name in ("held", "following", "linked")
        )
        self._parameter, self._word = parameter, word

    def follows_link(self) -> bool:
        """Return whether the page was opened by a link to one conflict, which `open_linked` then shows."""
        view_state.follow_link(self._prefix, {self._parameter: self._linked})
        return self._linked in st.session_state

    def open_linked(self, conflicts: Sequence[C]) -> None:
        """Show the conflict that a link names; if it is none any more, a note says so."""
        by_word = {self._word(conflict): conflict.key for conflict in conflicts}
        view_state.drop_unavailable(
            self._linked, list(by_word), named=lambda word: _("conflict {id}", id=word)
        )
        if self._linked in st.session_state:
            st.session_state[self._chosen] = by_word[st.session_state.pop(self._linked)]

    def write_link(self, conflict: C | None) -> None:
        """Name the conflict shown in the page's link."""
        word = None if conflict is None else self._word(conflict)
        view_state.write_link(self._prefix, {self._parameter: word})

    def forget_last_visit(self, conflicts: Sequence[C]) -> None:
        """Forget the conflict of the last visit if the page is just being opened."""
        if not page_run.being_opened():
            return
        st.session_state.pop(self._shown, None)
        still_open = {conflict.key for conflict in conflicts if conflict.decision is None}
        if st.session_state[self._open_only] and st.session_state.get(self._chosen) not in still_open:
            st.session_state.pop(self._chosen, None)

    def last_shown(self, request: Hashable) -> C | None:
        """Return the conflict that was shown last for the same request, unless another one is chosen.

        It may have ended since, and its decision may be outdated.
        """
        last_request, conflict = st.session_state.get(self._shown, (None, None))
        if conflict is None or last_request != request:
            return None
        shown: C = conflict
        return shown if st.session_state.get(self._chosen, shown.key) == shown.key else None

    def to_review(self, conflicts: Sequence[C], last_shown: C | None) -> list[C]:
        """Return all or the open conflicts, with the one shown last even if it is decided or has ended."""
        kept = {st.session_state.get(self._chosen), last_shown.key if last_shown else None}
        listed = [
            conflict
            for conflict in conflicts
            if conflict.decision is None or conflict.key in kept or not st.session_state[self._open_only]
        ]
        if last_shown is None or not has_ended(conflicts, last_shown):
            return listed
        return sorted([*listed, last_shown], key=lambda conflict: conflict.sort_key)

    def to_show(self, to_review: Sequence[C], last_shown: C | None) -> C | None:
        """Return the conflict to show: the chosen one, else the last shown, else the first open one."""
        by_key = {conflict.key: conflict for conflict in to_review}
        for key in (st.session_state.get(self._chosen), last_shown.key if last_shown else None):
            if key in by_key:
                return by_key[key]
        return next(
            (conflict for conflict in to_review if conflict.decision is None), next(iter(to_review), None)
        )

    def keep(self, request: Hashable, conflicts: Sequence[C], to_review: Sequence[C], current: C) -> None:
        """Keep showing the current conflict even if new ratings end it, and store what to show after it.

        Next is the following open conflict, else the current one again, now decided.
        """
        st.session_state[self._shown] = (request, current)
        place = [conflict.key for conflict in to_review].index(current.key)
        later = [*to_review[place + 1 :], *to_review[:place]]
        following = next((conflict.key for conflict in later if conflict.decision is None), None)
        if following is None and not has_ended(conflicts, current):
            following = current.key
        st.session_state[self._next] = following

    def go_to_next(self, decided: bool) -> None:
        """Show the next conflict if this one was decided."""
        if not decided:
            return
        following = st.session_state.get(self._next)
        if following is None:
            self.forget()
        else:
            st.session_state[self._chosen] = following

    def forget(self) -> None:
        """Let go of the conflict shown."""
        for key in (self._chosen, self._shown):
            st.session_state.pop(key, None)

    def write_ended_note(self, conflicts: Sequence[C], conflict: C, note: str) -> None:
        """If the conflict is none any more, write the note and offer to go on."""
        if not has_ended(conflicts, conflict):
            return
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(note, width="content")
            st.button(_("Continue"), key=f"{self._prefix}_let_go", on_click=self.forget)

    def draw_navigation(self, to_review: Sequence[C], conflict: C) -> None:
        """Draw the position in the list and buttons to the neighbours, which the arrow keys press too."""
        place = [other.key for other in to_review].index(conflict.key)
        with st.container(
            horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"
        ):
            st.caption(_("{place} of {n}", place=place + 1, n=len(to_review)), width="content")
            buttons = (
                ("previous", _("Previous"), place - 1, "Left"),
                ("next", _("Next"), place + 1, "Right"),
            )
            for direction, label, target, shortcut in buttons:
                exists = 0 <= target < len(to_review)
                st.button(
                    label,
                    key=f"{self._prefix}_{direction}",
                    disabled=not exists,
                    shortcut=shortcut,
                    on_click=self._open,
                    args=(to_review[target].key if exists else conflict.key,),
                )

    def _open(self, key: Hashable) -> None:
        st.session_state[self._chosen] = key


def has_ended(conflicts: Sequence[C], conflict: C) -> bool:
    """Return whether the conflict is none any more."""
    return all(other.key != conflict.key for other in conflicts)
