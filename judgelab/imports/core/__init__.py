"""Cells, fields, records and problems, used by every other part of an import."""
