"""What a person sees when something goes wrong: a sentence, never a trace."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from judgelab import logs
from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.monitoring import process
from judgelab.ui.kit import text
from judgelab.wording import Sentence

log = logging.getLogger("judgelab.app")


def show(error: Exception) -> bool:
    """Write the error for a person and log what is ours under an id; returns True: it was handled."""
    if isinstance(error, UserError):
        st.error(text.plain(error_sentence(error)), icon=":material/error:")
        return True
    st.error(internal_error_sentence(error), icon=":material/error:")
    return True


def internal_error_sentence(error: Exception) -> str:
    """Return what a person reads of an error that is ours, by an id under which the log says more."""
    error_id = logs.new_error_id()
    process.errors.add()
    log.error("error %s", error_id, exc_info=error, extra={"error_id": error_id})
    return _(
        "Something went wrong inside JudgeLab. Nothing you entered before was lost. "
        "Tell whoever runs it: error {id}; the log says more under it.",
        id=error_id,
    )


def error_sentence(error: Exception) -> str:
    """Return what an error says, in the reader's language where it was made of a sentence."""
    if not error.args or not isinstance(error.args[0], str):
        return str(error)
    message = error.args[0]
    # On a command line it stands behind a colon; a name that it begins with stays as it is written.
    beginning = message.template if isinstance(message, Sentence) else ""
    return f"{_(message)[:1].upper()}{_(message)[1:]}" if beginning[:1].islower() else _(message)


@contextmanager
def explained() -> Iterator[None]:
    """Show errors of the page inside as sentences; reruns and stops pass through."""
    try:
        yield
    except Exception as error:
        show(error)
