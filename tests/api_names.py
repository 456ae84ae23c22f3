"""The list of what `import judgelab` promises, so that nothing of it changes by accident.

`tests/api/test_public_names.py` compares the package with `tests/api/public_names.txt`. After a change
that is meant, write the list anew and name the change in CHANGELOG.md:

    python -m tests.api_names
"""

from __future__ import annotations

import inspect
from pathlib import Path
from textwrap import wrap

from docs.site_pages.public_names import attributes, classes, is_property, members, public, signature

STORED = Path(__file__).resolve().parent / "api" / "public_names.txt"
HEAD = "# What `import judgelab` promises. Written by: python -m tests.api_names"


def listed() -> str:
    """Return the public names with their signatures, then what can be asked of each class."""
    named = public()
    lines = [
        f"{name}{signature(one)}" if inspect.isfunction(one) else f"{name}: {type(one).__name__}"
        for name, one in sorted(named.items(), key=lambda pair: (pair[0].casefold(), pair[0]))
        if not inspect.isclass(one)
    ]
    for name, of in sorted(classes().items()):
        lines += ["", f"class {name}({', '.join(base.__name__ for base in of.__bases__)})"]
        if name in named and not any(part.startswith("_") for part in inspect.signature(of).parameters):
            lines.append(f"    {name}{signature(of)}")
        lines += [
            f"    {name}: {kind}" + (f" = {default}" if default else "")
            for name, kind, default in attributes(of)
        ]
        lines += [
            f"    {name}{signature(one)}".replace("()", "", 1 if is_property(of, name) else 0)
            for name, one in sorted(members(of))
        ]
    return "\n".join([HEAD, "", *map(_wrapped, lines)]) + "\n"


def _wrapped(line: str) -> str:
    """Return a line in lines of at most 110 characters, so that a change shows where it is."""
    margin = line[: len(line) - len(line.lstrip())]
    return "\n".join(
        wrap(line, 110, subsequent_indent=margin + " " * 8, break_long_words=False, break_on_hyphens=False)
    )


if __name__ == "__main__":
    STORED.write_text(listed(), encoding="utf-8")
