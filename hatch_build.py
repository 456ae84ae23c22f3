"""Puts what lies beside the package in a checkout (app.py, pages, migrations, …) into the wheel."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BESIDE = ("app.py", "pages", "static", ".streamlit/config.toml", "migrations", "sample_data")


class CarryApp(BuildHookInterface):  # type: ignore[type-arg]
    """Carries them as `judgelab/_app`, where `judgelab.shipped` looks; an editable install needs none."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files to carry."""
        if version == "standard":
            build_data["force_include"].update({name: f"judgelab/_app/{name}" for name in BESIDE})
