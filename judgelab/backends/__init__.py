"""Ways to a model: send messages, return replies; one attempt, errors marked retryable or not."""

from judgelab.backends.base import Backend, Connection, backends

__all__ = ["Backend", "Connection", "backends"]
