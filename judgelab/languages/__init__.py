"""The interface in the reader's language: a catalogue of English texts and one file per language.

`messages.pot` lists every text; `de.po` and the other `.po` files hold the translations in GNU gettext's
format, so any translation tool can open them. `make messages` collects the texts again.
"""

from judgelab.languages.locales import (
    DEFAULT,
    LANGUAGES,
    best_language,
    is_complete,
    native_name,
    plural_categories,
    text_direction,
)
from judgelab.languages.translate import (
    _,
    _n,
    current_language,
    in_language,
    plural_templates,
    set_language_source,
    translate_sentence,
)

__all__ = [
    "DEFAULT",
    "LANGUAGES",
    "_",
    "_n",
    "set_language_source",
    "best_language",
    "is_complete",
    "current_language",
    "text_direction",
    "native_name",
    "plural_categories",
    "in_language",
    "plural_templates",
    "translate_sentence",
]
