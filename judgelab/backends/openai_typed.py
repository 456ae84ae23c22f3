"""What the typed client brings of batches, tuning jobs and models, read with care.

The client hands on whatever JSON came in place of the object that was asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from judgelab.backends.openai_errors import translate_error, unexpected_shape_error
from judgelab.backends.openai_replies import token_count, too_deep
from judgelab.db_text import db_safe_text

if TYPE_CHECKING:
    from judgelab.backends.base import Connection

T = TypeVar("T")
log = logging.getLogger("judgelab.backends")


async def read_answer(
    call: Awaitable[Any], read: Callable[[Any], T], *, connection: Connection, key: str
) -> T:
    """Return what `read` finds in the answer to a call.

    Args:
        call: the client's call.
        read: takes its answer; an error of attribute or type says that it is not what was asked for.
        connection: the way to the endpoint, for messages.
        key: the key that is sent; it stands in nothing that is returned.

    Raises:
        BackendError: the endpoint refused, was not there, or answered with something else.
    """
    import openai

    answer: Any = None
    try:
        answer = await call
        return read(answer)
    except (openai.APIError, ValueError) as error:
        raise translate_error(error, connection, key) from None
    except RecursionError:
        raise translate_error(too_deep(), connection, key) from None
    except (AttributeError, TypeError) as error:  # the client's own, too, where a list came for an object
        log.warning(
            "endpoint %s: the reply has an unexpected format (%s)", connection.name, type(error).__name__
        )
        log.debug("where it was read", exc_info=True)
        raise unexpected_shape_error(answer, connection, key) from None


def word(value: object) -> str:
    """Return a text that must be there; raises `TypeError`."""
    if not isinstance(value, str):
        raise TypeError(type(value).__name__)
    return db_safe_text(value)


def word_if_any(value: object) -> str:
    """Return a text, or nothing where none is."""
    return word(value) if isinstance(value, str) else ""


def count(value: object) -> int:
    """Return a count, or 0 where none is."""
    return token_count(value) or 0
