"""Porter's stemmer with NLTK's extensions, which ROUGE needs: equal to `nltk.PorterStemmer().stem`.

M. Porter, "An algorithm for suffix stripping", Program 14(3), 1980. The letters V, C, m and *o are the
paper's. Our own: importing NLTK takes more than a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

IRREGULAR = {
    "sky": "sky",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}
# In each table the first suffix that fits decides, whether or not its condition holds.
PLURALS = {"sses": "ss", "ies": "i", "ss": "ss", "s": ""}
STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "fulli": "ful",
}
STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
STEP_4 = dict.fromkeys(
    "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split(),
    "",
)


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Return the stem of a lower-case word."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) <= 2:
        return word
    for step in (_plural, _past, _y_to_i, _step_2, _step_3, _step_4, _final_e, _double_l):
        word = step(word)
    return word


def _shape(word: str) -> str:
    """Return the word as v and c; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """Return m, the number of VC in [C](VC)^m[V]."""
    return _shape(word).count("vc")


def _short(word: str) -> bool:
    """Return *o: it ends consonant, vowel, consonant (not w, x, y), or is vowel and consonant only (NLTK)."""
    shape = _shape(word)
    return shape == "vc" or (shape.endswith("cvc") and word[-1] not in "wxy")


def _replaced(word: str, rules: Mapping[str, str], holds: Callable[[str], bool]) -> str:
    for suffix, ending in rules.items():
        if word.endswith(suffix):
            base = word[: len(word) - len(suffix)]
            return base + ending if holds(base) else word
    return word


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:  # NLTK: dies -> die, though flies -> fli
        return word[:-1]
    return _replaced(word, PLURALS, lambda base: True)


def _past(word: str) -> str:
    if word.endswith("ied"):  # NLTK: died -> die, spied -> spi
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        base = word.removesuffix(suffix)
        if base != word and "v" in _shape(base):
            return _mended(base)
    return word


def _mended(base: str) -> str:
    """Return what is left of a past or -ing form with its e back, or its doubled consonant undone."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if len(base) >= 2 and base[-1] == base[-2] and _shape(base)[-1] == "c":
        return base if base[-1] in "lsz" else base[:-1]
    return base + "e" if _measure(base) == 1 and _short(base) else base


def _y_to_i(word: str) -> str:
    consonant_before = len(word) > 2 and _shape(word[:-1])[-1] == "c"
    return word[:-1] + "i" if word.endswith("y") and consonant_before else word


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _step_2(word[:-2])
    if word.endswith("logi"):  # the l counts with the stem, so that geo- behaves as archaeo-
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, STEP_2, lambda base: _measure(base) > 0)


def _step_3(word: str) -> str:
    return _replaced(word, STEP_3, lambda base: _measure(base) > 0)


def _step_4(word: str) -> str:
    ion = word.endswith("ion")
    return _replaced(word, STEP_4, lambda base: _measure(base) > 1 and (not ion or base[-1] in "st"))


def _final_e(word: str) -> str:
    base = word.removesuffix("e")
    measure = _measure(base) if base != word else 0
    return base if measure > 1 or (measure == 1 and not _short(base)) else word


def _double_l(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
