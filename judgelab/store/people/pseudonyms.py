"""Names that stand for people who are not named."""

from __future__ import annotations

import re

ERASED, ANONYMOUS = "Erased person", "Person"  # on request; in a copy without names
ANONYMOUS_SLOT = "Slot"  # in a copy, a numbered rater of a file, who may be several people
PSEUDONYM = re.compile(rf"(?:{ANONYMOUS}|{ANONYMOUS_SLOT}) \d+")  # in a copy
