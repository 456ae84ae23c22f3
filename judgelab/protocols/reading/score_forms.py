"""Regular expressions for the ways a score is given in words: what may be before and after the number."""

from __future__ import annotations

import re

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBER = rf"(?:[-−+]?\d+(?:,\d{{3}})*(?:\.\d+)?(?![\w%]|[.,]\d)|(?:{'|'.join(WORDS)})\b)"
CLOSE = r"[*_`\"'”’\])]*"
_TO = r"(?:-|–|—|~|\bto\b|\band\b|[,(]?\s*\b(?:or|maybe|perhaps|possibly)\b)"
_OUT_OF = rf"(?:/|\bout\s+of\b|\bof\b|\bon\s+an?\s+scale\s+(?:of|from)\b(?:\s*{NUMBER}\s*(?:-|–|to))?)"
_FITS = (
    r"[ \t]+(?:is|seems|feels|would\s+be)\s+(?:\w+ly\s+|therefore\s+|thus\s+)?"
    r"(?:appropriate|fair|fitting|justified|warranted|deserved|reasonable|suitable|right|apt)\b"
)
FITS = re.compile(rf"{CLOSE}{_FITS}", re.IGNORECASE)
# "scores 2 goals" and "5 - 2 = 3" state no score: the number must be followed by a stop or a connecting word.
_END = (
    rf"(?={CLOSE}(?:\s*\Z|[ \t]*\n|[ \t]*[.,;!)(…|\x7d](?!\d)|[ \t]*[-–—]+(?![\w>-]|[ \t]*{NUMBER}[ \t]*=)"
    rf"|{_FITS}"
    rf"|(?:[ \t]+(?:points?|stars?){CLOSE}(?=\s*\Z|[ \t]*[\n.,;!)(]|[ \t]+(?:for|because|since|as|due)\b))"
    r"|[ \t]+(?:for|because|since|as|due|on|given|based|and|but|so|overall)\b))"
)
VALUE = re.compile(
    rf"(?<![\w.,/<≤≥≈~])(?<!(?<!-)>)(?P<value>{NUMBER})(?:{CLOSE}\s*\(?\s*{_OUT_OF}\s*{CLOSE}(?P<top>{NUMBER}))?"
    rf"(?P<range>{CLOSE}\s*{_TO}\s*(?:(?:even|maybe|perhaps|an?)\s+)*{NUMBER})?{_END}",
    re.IGNORECASE,
)

_NOUN = r"(?:scores?|ratings?|grades?|marks?|points?)"
NOUNS = re.compile(
    rf"{_NOUN}|verdict|bewertung|punktzahl|note|nota|puntuaci[oó]n|puntaje|calificaci[oó]n|punteggio|valutazione"
    r"|оценка|балл|评分|分数|得分|評分|スコア|評価|点数|점수|평점|الدرجة|التقييم",
    re.IGNORECASE,
)
FINAL_WORDS = frozenset({"final", "overall", "total"})
HIGHEST = frozenset({"full", "perfect"})
_DEGREES = (
    "perfect full low high very moderate solid strong weak poor good fair fine decent clear firm bad"
    " excellent great correct incorrect mostly partly fully resulting numerical numeric single deserved"
).split()
_DEGREE = rf"(?:(?:{'|'.join(_DEGREES)}|final|overall|total)\s+)*"
# Words allowed in a label besides the noun and the criterion's name; "maximum" and "confidence" are not.
PLAIN = FINAL_WORDS.union(
    _DEGREES,
    "it this summary answer response text reply output candidate the my your its a an of for to i in so and"
    " thus therefore hence conclusion assigned given suggested proposed whole result evaluation judgment"
    " judgement assessment here is as follows s give".split(),
)
OTHER_FIGURES = re.compile(
    r"\b(?:confidence|certainty|max|maximum|min|minimum|highest|lowest|higher|lower|better|worse|best|worst|scale|range"
    r"|words?|length|reference|human|average|mean|previous|other|another|possible|potential|ideal|target|next)\b",
    re.IGNORECASE,
)
OF_SCALE = frozenset({"from", "out", "scale", "max", "maximum"})  # in brackets behind a label: "(out of 5)"
REVISED = re.compile(r"\b(?:revised|adjusted|corrected|updated|amended|new)\b", re.IGNORECASE)
LABEL = re.compile(
    r"(?:\A|[,;:–—|(]|\s-\s)[\s*_`\"'“>#|•{-]*(?:\d+[.)]\s+)?"
    rf"(?P<label>[^\W\d][^:=：\d.!?;,()|<>≤≥≠≈~]{{0,60}}?){CLOSE}(?:\s*[(\[](?P<aside>[^()\[\]]{{0,40}})[)\]])?{CLOSE}\s*"
    rf"(?P<by>[:=：|]|\bis\b|[-–—→]+>?|\Z){CLOSE}\s*(?:an?\s+)?\Z",
    re.IGNORECASE,
)

_WHO = (
    r"(?:it|this|that|(?:the|this|your)\s+(?:given\s+|whole\s+|generated\s+|candidate(?:['’]s)?\s+)?"
    r"(?:summary|answer|response|text|reply|output|candidate))"
)
_ADVERB = (
    r"(?:(?:therefore|thus|hence|so|overall|only|just|still|also|finally|then|clearly|definitely|certainly|simply"
    r"|fully|really|rightly|accordingly|ultimately|consequently)\s+)*"
)
_PASSIVE = rf"(?:is|was)\s+{_ADVERB}(?:given|rated|scored|graded|awarded|assigned|worth|marked)"
_GETS = rf"(?:gets|earns|receives|deserves|merits|warrants|scores|rates|{_PASSIVE})"
_I_GIVE = (
    rf"(?:I|we)(?:['’](?:d|ll)|\s+(?:would|will|can|must|have\s+to|do))?\s+{_ADVERB}"
    r"(?:g[ai]ve|assign(?:ed)?|rated?|scored?|graded?|award(?:ed)?|mark(?:ed)?|say|choose|go\s+(?:with|for))"
    rf"(?:\s+{_WHO})?\s+"
)
_BRINGS = (
    r"(?:therefore\s+|thus\s+|hence\s+)?(?:result(?:ing|s|ed)\s+in|lead(?:ing|s)\s+to|earning|receiving|getting|scoring"
    rf"|deserving|warranting|meriting|giving\s+{_WHO}|making\s+{_WHO}|with)\s+"
)
_AMOUNT = (
    rf"(?P<amount>(?:(?:an?|the|its|my|as|at|with|just|only|to)\s+)*{_DEGREE}"
    rf"(?:(?:(?P<part>[^\W\d]+)\s+)??{_NOUN}\s*(?:of|as|is|at|:|=)?\s*)?(?:(?:an?|just|only)\s+)?{_DEGREE})"
)
GIVEN = re.compile(
    r"(?:\A|[,;:(–—]|\s-\s|\b(?:and|so|therefore|thus|hence|because|since|why|that|think|believe|but|say)\b)[\s\"'“*_]*"
    rf"(?P<form>(?:overall,?\s+)?(?:(?P<sure>{_I_GIVE}|{_WHO}\s+{_ADVERB}{_GETS}\s+)"
    rf"|{_WHO}(?:\s+(?:is|was)|['’]s)\s+{_ADVERB}|{_ADVERB}{_GETS}\s+|{_BRINGS}){_AMOUNT})\Z",
    re.IGNORECASE,
)
NAMED = re.compile(rf"\b(?:an?|{_NOUN})\b", re.IGNORECASE)
VERBLESS = re.compile(
    rf"(?:\A|[,;:(–—]|\b(?:overall|so|hence|thus|therefore|that|think|believe)\b)[\s*_]*"
    rf"(?:(?:an?|the)\s+{_DEGREE}(?:{_NOUN}\s+of\s+)?|{_NOUN}\s+of\s+)\Z",
    re.IGNORECASE,
)
SUMMED_UP = re.compile(
    r"(?:\A|[\s,;])(?:overall|so|hence|thus|therefore)\s*[,:]?\s*(?:an?\s+)?\Z", re.IGNORECASE
)
OF_PART = re.compile(
    rf"{CLOSE}[ \t]+(?:for|on)\s+(?:(?:its|the|this|your|{'|'.join(_DEGREES)}|overall)\s+)*"
    rf"(?P<of>[^\W\d]+){CLOSE}\s*"
    r"(?P<end>[.,;!)]|\n|\Z|\b(?:and|but|only|alone)\b)",
    re.IGNORECASE,
)
# "Regarding style, I give it": a part that is named before the score; "for this reason" names none.
_DISCOURSE = (
    "reasons? balance whole result consequence conclusion examples? instance such these those this that all"
    " now part hand basis grounds account evidence scale rubric criteri\\w+ sum summary task context"
).replace(" ", "|")
PART_AHEAD = re.compile(
    r"(?:\A|[;:(–—.]|\b(?:and|but|so)\b)[\s*_\"'“]*"
    r"(?:(?:regarding|concerning|in\s+terms\s+of|with\s+regard\s+to|with\s+respect\s+to|as\s+for|as\s+to"
    r"|when\s+it\s+comes\s+to)\s+|(?:on|for|as|in)\s+"
    rf"(?!(?:(?:the|an?|its|other)\s+)*(?:{_DISCOURSE})\b))"
    r"(?:(?:its|the|this|an?)\s+)*(?P<of>[^\W\d]+)(?:\s+(?:alone|only))?\s*,[\s*_]*\Z",
    re.IGNORECASE,
)
LISTED = re.compile(
    rf"^\W*[^\W\d][^:=\n]{{0,40}}[:=]\s*{CLOSE}(?P<value>{NUMBER}){CLOSE}\s*$", re.IGNORECASE | re.MULTILINE
)
_A = r"(?:an?\s+)?"
_INSTEAD = (
    r"(?:actually|wait|no|hmm|correction|edit|sorry)\s*[,:;.—–-]+\s*[^.!?\n]{0,60}?",
    r"on\s+second\s+thought[^.!?\n]{0,60}?",
    r"(?:lower|raise|change|revise|correct|adjust|reduce|increase|downgrade|upgrade|drop|bump)\w*\s+[^.!?\n]{0,40}?"
    rf"\bto\s+{_A}",
    rf"make\s+(?:it|that)\s+{_A}",
    rf"i\s+mean\w*\s+{_A}",
    rf"(?:score|rating|it|that)\s+should\s+(?:be|have\s+been)\s+{_A}",
    rf"rather\s*,?\s+{_A}",
)
# "It deserves a 4 for its style, but a 2 overall."
YET_ANOTHER = re.compile(
    rf"\b(?:but|yet|however|though|although|while|whereas|overall)\b.*?(?<!\w){NUMBER}",
    re.IGNORECASE | re.DOTALL,
)
TAKEN_BACK = re.compile(
    rf"\b(?:{'|'.join(_INSTEAD)}){VALUE.pattern}"
    rf"|\A[^\w\n]*(?:or|maybe|perhaps|possibly|well|rather)\b[\s,]*(?:(?:an?|even|rather|maybe)\s+)*{NUMBER}{_END}"
    r"|\b(?:take|took)\s+(?:it|that|this)\s+back\b|\bscratch\s+that\b"
    r"|\b(?:disregard|ignore)\s+(?:the|that|this|my)\s+(?:\w+\s+)?(?:score|rating|grade)\b",
    re.IGNORECASE,
)
