"""Published data sets with a known format: one file each."""

from judgelab.imports.presets.base import Folder, Preset, preset_for_study, presets

__all__ = ["Folder", "Preset", "preset_for_study", "presets"]
