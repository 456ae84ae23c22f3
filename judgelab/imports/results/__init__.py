"""Result files of evaluation tools: responses with the scores of people, judges, metrics; a file a tool."""

from judgelab.imports.results.tables import COLUMNS, PAIRS, ResultTable, result_files_by_tool

__all__ = ["COLUMNS", "PAIRS", "ResultTable", "result_files_by_tool"]
