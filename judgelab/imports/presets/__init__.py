"""Published data sets whose shape is known: one file each."""

from judgelab.imports.presets.base import Folder, Preset, presets

__all__ = ["Folder", "Preset", "presets"]
