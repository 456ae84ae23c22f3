"""Amounts of money: decimals with two places, never binary fractions."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

from judgelab.errors import InvalidInput
from judgelab.wording import sentence

LARGEST_AMOUNT = 100_000
_AMOUNT = re.compile(r"[0-9]{1,6}([.,][0-9]{1,2})?")
_CENT = Decimal("0.01")
_SECONDS_PER_HOUR = 3600


def read_amount(text: str) -> Decimal:
    """Return the amount that a person wrote, with a decimal point or comma; raises `InvalidInput`.

    >>> read_amount("2.5"), read_amount("0,05"), read_amount("12")
    (Decimal('2.50'), Decimal('0.05'), Decimal('12.00'))
    """
    text = text.strip()
    # Three digits after a sign may be a thousands group, so they are refused instead of guessed at.
    if not _AMOUNT.fullmatch(text):
        raise InvalidInput(
            sentence(
                "'{amount}' is not an amount; write a number with at most two decimals, such as 2.50.",
                amount=text[:40],
            )
        )
    amount = Decimal(text.replace(",", "."))
    if amount > LARGEST_AMOUNT:
        raise InvalidInput(
            sentence("{amount} is too much; the maximum is {most}.", amount=text, most=LARGEST_AMOUNT)
        )
    return amount.quantize(_CENT)


def pay_for(seconds: float, *, per_hour: float) -> Decimal:
    """Return the pay for a time, rounded to two places, half up.

    >>> pay_for(360, per_hour=12), pay_for(6.3, per_hour=10)
    (Decimal('1.20'), Decimal('0.02'))
    """
    return (Decimal(str(per_hour)) * Decimal(str(seconds)) / _SECONDS_PER_HOUR).quantize(_CENT, ROUND_HALF_UP)
