"""Stand-ins for the models of QA-eval, ELECT and BioASQ: they read a prompt of ours and count words.

Each answers in the grammar of its study, so that every step from the prompt to the paper's table can be
walked without a model. What they say says nothing about any model. LINKAGE and DRPE have theirs beside
their replays (`linkage.py`, `drpe.py`).
"""

from __future__ import annotations

import hashlib
import json
import re

CRITERIA = ("recall", "precision", "repetition", "readability")
REFERENCE = re.compile(r"<reference>\n(.*?)\n</reference>", re.DOTALL)
COMPARED = re.compile(r"<(question|answer_1|answer_2)>\n(.*?)\n</\1>", re.DOTALL)
SYSTEM = re.compile(r"<candidate>\n(System [A-Z]+): (.*?)\n</candidate>", re.DOTALL)


def qa_eval(prompt: str) -> str:
    """Say yes where a known answer shares most of its words with the candidate."""
    known = [words(text) for text in REFERENCE.findall(_last(prompt, "references"))]
    own = words(_last(prompt, "answer"))
    explained = "explain" in _part(prompt, "output")
    enough = 0.6 if explained else 0.9
    right = any(one and len(one & own) / len(one) > enough for one in known)
    verdict = "yes" if right else "no"
    if not explained:
        return verdict
    said = "The words of a known answer are there." if right else "No known answer is there."
    return f"{said}\n{verdict}"


def elect(prompt: str) -> str:
    """Give 0 to 3 points for words of the question that the answer takes up, and for its length."""
    if "four numbered steps" in _part(prompt, "task"):
        return f"1. Understanding\n2. Analysing\n3. Rating\n4. Conclusion. Rating: {_last(prompt, 'score')}."
    asked, own = words(_last(prompt, "question")), words(_last(prompt, "answer"))
    taken_up = len(asked & own) / max(1, len(asked))
    return str(min(3, round(2 * taken_up + min(1.0, len(own) / 30) + _whim(prompt, 0.8))))


def bioasq(prompt: str) -> str:
    """Give one to five points for each criterion, or rank systems, by the words shared with what is known."""
    known = words(" ".join(REFERENCE.findall(_last(prompt, "references"))))
    ranked = [(len(words(text) & known), name) for name, text in SYSTEM.findall(prompt)]
    if ranked:
        names = [name for _count, name in sorted(ranked, key=lambda pair: (-pair[0], pair[1]))]
        return json.dumps({"ranks": {str(place): name for place, name in enumerate(names, start=1)},
                           "Explanation": "Ordered by words in common."})  # fmt: skip
    text = _last(prompt, "summary") or _last(prompt, "answer")
    own = words(text)
    every = re.findall(r"\w+", text.lower())
    shared = len(own & known)
    shares = {
        "recall": shared / max(1, len(known)),
        "precision": shared / max(1, len(own)),
        "repetition": len(set(every)) / max(1, len(every)),
        "readability": 1 - min(1.0, len(every) / 120),
    }
    reasons = "explain each score" in _part(prompt, "output")
    said = {}
    for name in CRITERIA:
        points = 1 + round(4 * min(1.0, shares[name] + _whim(name + prompt, 0.3)))
        said[name] = {**({"explanation": "Words were counted."} if reasons else {}), "score": points}
    return json.dumps(said)


def choose_by_words(prompt: str) -> str:
    """Answer as a judge: the answer that takes up more words of the question, unless they are close."""
    parts = dict(COMPARED.findall(prompt))
    if "question" not in parts:  # the endpoint is being tested
        return "yes"
    asked = words(parts["question"])
    first, second = (len(asked & words(parts[f"answer_{place}"])) for place in (1, 2))
    if abs(first - second) <= 1:  # close: what was read first is preferred, as by many a model
        return "Both take up about as many words of the question; A does so first.\n[[A]]"
    more, fewer = ("A", "B") if first > second else ("B", "A")
    most, least = max(first, second), min(first, second)
    return f"{more} takes up {most} words of the question, {fewer} only {least}.\n[[{more}]]"


def words(text: str) -> set[str]:
    """Return the words of a text that carry meaning, more or less: those of three letters and more."""
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 2 or word.isdigit()}


def _part(prompt: str, name: str) -> str:
    """Return an instruction of the prompt in small letters, examples aside."""
    found = re.search(rf"<{name}>\n(.*?)\n</{name}>", prompt, re.DOTALL)
    return found[1].lower() if found else ""


def _last(prompt: str, name: str) -> str:
    found = re.findall(rf"<{name}>\n(.*?)\n</{name}>", prompt, re.DOTALL)
    return found[-1] if found else ""


def _whim(text: str, most: float) -> float:
    return most * hashlib.sha256(text.encode()).digest()[0] / 255
