"""Which modules some code loads in a process of its own."""

from __future__ import annotations

import subprocess
import sys


def loaded_by(code: str, modules: set[str]) -> set[str]:
    """Return which of the modules are loaded once the code has run."""
    shown = f"import sys; print(*({modules!r} & set(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{shown}"], capture_output=True, text=True, check=True
    )
    return set(run.stdout.split())
