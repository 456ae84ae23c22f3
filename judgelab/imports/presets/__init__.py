"""Published data sets whose shape is known: one file each."""

from judgelab.imports.presets.base import Folder, Preset, preset_for_study, presets

__all__ = ["Folder", "Preset", "preset_for_study", "presets"]
