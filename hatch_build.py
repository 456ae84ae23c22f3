"""Puts what lies beside the package in a checkout (app.py, pages, migrations, …) into the wheel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parent
HANDBOOK = (
    "docs/*.md",
    "docs/explained/*.md",
    "docs/explained/*.svg",
    "docs/tutorials/*.md",
    "docs/how-to/*.md",
)
BESIDE = (
    *("app.py", "pages", "static", ".streamlit/config.toml", "migrations", "sample_data"),
    *sorted(path.relative_to(HERE).as_posix() for pattern in HANDBOOK for path in HERE.glob(pattern)),
)


class CarryApp(BuildHookInterface):  # type: ignore[type-arg]
    """Copies them to `judgelab/_app`, where `judgelab.package_files` looks."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files to carry."""
        if version == "standard":
            build_data["force_include"].update({name: f"judgelab/_app/{name}" for name in BESIDE})
