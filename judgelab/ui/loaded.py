"""What a process has loaded, taken out of the collections of garbage: it stays to the end anyway."""

from __future__ import annotations

import gc
import sys

MANY_MODULES = 150

_settled = 0  # modules that were there when this was last done


def settle() -> None:
    """Let collections pass over all that is there by now, once many modules were loaded since the last time.

    A whole collection stops every page and every rater of the process, for 0.2 s where it looks through all
    that Streamlit, pandas and SQLAlchemy are made of. Pages load their modules when they are first opened.
    """
    global _settled
    if len(sys.modules) - _settled > MANY_MODULES:
        gc.collect()
        gc.freeze()
        _settled = len(sys.modules)
