"""Published data sets whose shape is known: one file each."""

from judgelab.imports.presets.base import Folder, Preset, of_study, presets

__all__ = ["Folder", "Preset", "of_study", "presets"]
