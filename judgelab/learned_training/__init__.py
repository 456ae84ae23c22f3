"""Teaching: the learned judge of a project, from its filtered ratings to verdicts, reports and proposals."""
