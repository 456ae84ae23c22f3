"""Judging in the background: plan, run, retry, pause. The judgments table is the truth about what is done.

Four words for stopping, each with one meaning:

- pause: a run starts no further call, keeps the answers in flight, and can be resumed.
- cancel: as pause, but the run has ended and cannot be resumed.
- drain: a worker starts no further call and waits until the answers in flight are stored.
- shut_down: a drained worker's process ends; the engine recovers what was left unfinished.

A run that cannot go on stops by itself, with a reason; like a paused run, it can be resumed.
"""
