"""Cells, fields, records and problems: what every other part of an import works on."""
