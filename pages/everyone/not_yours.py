"""A page that is there, for others: says so, and leads back."""

from judgelab.ui import gate

gate.turn_away()
