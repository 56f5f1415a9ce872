"""Numbers of people and bank cards: only with the right length, a known beginning and check digit.

An ID number of the People's Republic of China follows GB 11643 (ISO 7064 MOD 11-2), a card number
Luhn's formula.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

# A run of digits, single spaces or hyphens between them; its place and its groups are looked at
# afterwards, which is quicker than asking for them here.
_RUN = r"[0-9](?:[ -]?[0-9]){12,40}[Xx]?"
_ID = r"[1-8][0-9]{5}(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]{3}[0-9Xx]"
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECKS = "10X98765432"
# Visa, Mastercard (old and new), American Express, UnionPay, JCB, Discover, Diners.
_CARD = (
    r"4[0-9]{15}(?:[0-9]{3})?|5[1-5][0-9]{14}|2(?:2[2-9]|[3-6][0-9]|7[01])[0-9]{13}|2720[0-9]{12}"
    r"|3[47][0-9]{13}|62[0-9]{14,17}|35[0-9]{14}|6(?:011|5[0-9]{2})[0-9]{12}|3(?:0[0-5]|[68][0-9])[0-9]{11}"
)
_GROUPS = (
    r"[0-9]+|[0-9]{4}(?:([ -])[0-9]{4}){3}(?:\1[0-9]{1,3})?|[0-9]{4}([ -])[0-9]{6}\2[0-9]{4,5}"
)
_compiled = functools.cache(re.compile)


def find(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each number that belongs to a person or a card."""
    for match in _compiled(_RUN).finditer(text):
        if _stands_alone(text, match.start(), match.end()):
            kind = _kind(match[0])
            if kind:
                yield match.start(), match.end(), kind


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether nothing before or behind makes it a part of a longer number, name or UUID."""
    before, behind = text[max(0, start - 1) : start], text[end : end + 2]
    if before and (_is_of_name(before) or before in ".-/+"):
        return False
    return not (
        behind and (_is_of_name(behind[0]) or behind[0] == "-" or behind[:2].isdecimal())
    ) and not (behind[:1] == "." and behind[1:].isdigit())


def _is_of_name(character: str) -> bool:
    return character == "_" or (character.isascii() and character.isalnum())


def _kind(number: str) -> str:
    if _compiled(_ID).fullmatch(number):
        return "ID number" if _id_check(number[:17]) == number[17].upper() else ""
    if not _compiled(_GROUPS).fullmatch(number):
        return ""
    digits = number.replace(" ", "").replace("-", "")
    is_card = _compiled(_CARD).fullmatch(digits) and len(set(digits)) > 1 and _passes_luhn(digits)
    return "card number" if is_card else ""


def _id_check(digits: str) -> str:
    total = sum(weight * int(digit) for weight, digit in zip(_ID_WEIGHTS, digits, strict=True))
    return _ID_CHECKS[total % 11]


def _passes_luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0
