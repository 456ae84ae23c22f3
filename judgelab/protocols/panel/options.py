"""The options of a panel: its roles, how they are asked, how their votes count."""

from __future__ import annotations

from judgelab.options import Option
from judgelab.protocols.core.shared_options import CONTEXT, INSTRUCTION
from judgelab.protocols.panel.prompts import MAX_VARIANTS
from judgelab.wording import mark

CANDIDATE_FIRST, REFERENCE_FIRST = "candidate_first", "reference_first"
SIZES = (0, 2, 4, 6)  # numbers of dynamic roles that the paper studies (figure 6)
OPTIONS = (
    Option(
        "panel",
        "bool",
        True,
        help=mark("Let roles vote; without roles, the model makes a single comparison."),
    ),
    Option("roles", "text", "roles", help=mark("Name of the panel whose roles are used.")),
    Option("static", "bool", True, help=mark("Include the static roles, which are the same for every item.")),
    Option("k", "int", 4, SIZES, mark("How many of the roles generated for the item are used.")),
    Option(
        "clustering",
        "choice",
        "dynamic",
        ("dynamic", "all", "no"),
        mark(
            "Which roles clustering reduces: those generated for the item, all, or none; without "
            "clustering, all generated roles are used."
        ),
    ),
    Option("batch", "bool", True, help=mark("Ask all roles in one call; otherwise each in a separate call.")),
    Option(
        "order",
        "choice",
        "random",
        ("random", "both", CANDIDATE_FIRST, REFERENCE_FIRST),
        mark("Which text is shown first: drawn by the seed, each once, or always the same."),
    ),
    Option(
        "variants",
        "int",
        1,
        tuple(range(1, MAX_VARIANTS + 1)),
        mark("How many wordings of the task are used; their results are averaged."),
    ),
    Option(
        "confidence",
        "choice",
        "or_votes",
        ("or_votes", "only", "no"),
        mark(
            "Weight each vote by the log-probabilities of its own words; if there are none, use the share "
            "of votes (or_votes) or no score (only)."
        ),
    ),
    Option(
        "compared_with",
        "choice",
        "first",
        ("first", "each"),
        mark("Compare with the item's first reference, or with each of them in turn."),
    ),
    Option("seed", "int", 0, help=mark("Seed for the order in which the two texts are shown.")),
    CONTEXT,
    INSTRUCTION,
)
