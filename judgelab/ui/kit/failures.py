"""Errors as a person sees them: a sentence, never a traceback."""

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
    """Show an error and log internal ones under an id; returns True, because the error is handled."""
    if isinstance(error, UserError):
        st.error(text.plain(error_sentence(error)), icon=":material/error:")
        return True
    st.error(internal_error_sentence(error), icon=":material/error:")
    return True


def internal_error_sentence(error: Exception) -> str:
    """Log an internal error under an id and return the sentence that names it."""
    error_id = logs.new_error_id()
    process.errors.inc()
    log.error("error %s", error_id, exc_info=error, extra={"error_id": error_id})
    return _(
        "Something went wrong inside JudgeLab. Nothing you entered earlier is lost. Report error {id} to "
        "the person who runs JudgeLab; details are in the log.",
        id=error_id,
    )


def error_sentence(error: Exception) -> str:
    """Return an error's message in the reader's language, if it can be translated."""
    if not error.args or not isinstance(error.args[0], str):
        return str(error)
    message = error.args[0]
    # The command line shows it after a colon. A name at its beginning keeps its spelling.
    beginning = message.template if isinstance(message, Sentence) else ""
    return f"{_(message)[:1].upper()}{_(message)[1:]}" if beginning[:1].islower() else _(message)


@contextmanager
def collected(problems: list[UserError]) -> Iterator[None]:
    """Show an error of the block's fields in place and keep it in `problems`; the code below is still run.

    Streamlit forgets what was typed in a field as soon as a run leaves the field out.
    """
    try:
        yield
    except UserError as error:
        problems.append(error)
        show(error)


@contextmanager
def errors_explained() -> Iterator[None]:
    """Show errors raised in the block as sentences; reruns and stops pass through."""
    try:
        yield
    except Exception as error:
        show(error)
