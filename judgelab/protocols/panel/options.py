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
        "panel", "bool", True, help=mark("Let roles vote; without them the model compares once, as itself.")
    ),
    Option("roles", "text", "roles", help=mark("The name of the panel: whose roles are seated.")),
    Option("static", "bool", True, help=mark("Seat the roles that stand for every article.")),
    Option("k", "int", 4, SIZES, mark("How many of the roles made for the article are kept.")),
    Option(
        "clustering",
        "choice",
        "dynamic",
        ("dynamic", "all", "no"),
        mark(
            "Which roles are thinned out by clustering: those made for the article, all of them, or none; "
            "without it all that were made are seated."
        ),
    ),
    Option(
        "batch", "bool", True, help=mark("Ask all roles in one call; otherwise each in a call of its own.")
    ),
    Option(
        "order",
        "choice",
        "random",
        ("random", "both", CANDIDATE_FIRST, REFERENCE_FIRST),
        mark("Which text stands first: drawn by the seed, each once, or always the same."),
    ),
    Option(
        "variants",
        "int",
        1,
        tuple(range(1, MAX_VARIANTS + 1)),
        mark("How many wordings of the task are asked and averaged."),
    ),
    Option(
        "confidence",
        "choice",
        "or_votes",
        ("or_votes", "only", "no"),
        mark(
            "Weigh each vote by the log-probabilities of its own words; where there are none, take the share "
            "of votes (or votes) or no score (only)."
        ),
    ),
    Option(
        "compared_with",
        "choice",
        "first",
        ("first", "each"),
        mark("Compare with the item's first reference, or with each of them in turn."),
    ),
    Option("seed", "int", 0, help=mark("Of the order in which the two texts are shown.")),
    CONTEXT,
    INSTRUCTION,
)
