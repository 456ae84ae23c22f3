"""The five papers, and other set-ups, as data and recipes."""

from judgelab.studies.base import Study, studies

__all__ = ["Study", "studies"]
