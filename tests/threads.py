"""One thread for the arithmetic of a process: tests run in several, and so do the processes that they start.

Libraries of linear algebra start a thread a core, and those wait for one another in a loop. Beside other work
a learned judge took seven times the processor time that it takes in one thread.
"""

from __future__ import annotations

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
