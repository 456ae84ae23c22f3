"""The five papers and other setups as data: criteria, judges, metrics and printed tables."""

from judgelab.studies.base import Study, studies

__all__ = ["Study", "studies"]
