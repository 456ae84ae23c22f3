"""Judging in the background: plan, run, retry, pause; the judgments table is the truth about what is done."""
