"""Proof on one's own machine: simulated raters at the real server, a judge beside them, a kill halfway."""
