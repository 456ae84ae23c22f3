"""The interface in the language of whoever reads it: one catalogue of English texts, one file a language.

`messages.pot` lists every text; `de.po` and its like hold the translations (GNU gettext's format, so that any
translation tool opens them). `make messages` collects anew.
"""

from judgelab.languages.locales import (
    DEFAULT,
    LANGUAGES,
    best_of,
    complete,
    direction,
    own_name,
    plural_categories,
)
from judgelab.languages.translate import _, _n, ask, current, speaking, templates, translated

__all__ = [
    "DEFAULT",
    "LANGUAGES",
    "_",
    "_n",
    "ask",
    "best_of",
    "complete",
    "current",
    "direction",
    "own_name",
    "plural_categories",
    "speaking",
    "templates",
    "translated",
]
