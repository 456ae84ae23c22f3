"""Scores that are computed: metrics, juries, learned and tuned judges, costs."""
