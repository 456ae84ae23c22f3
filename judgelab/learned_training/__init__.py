"""Training the learned judge of a project: from filtered ratings to verdicts, reports and proposals."""
