"""Every public case that the program answers for by now has a test that carries its id."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
NAMED = re.compile(r"def (test_\w+)|# ([A-F]\d\d(?:[ ,:].*)?)$", re.MULTILINE)
ID = re.compile(r"(?<![a-z0-9])([a-f]\d\d)(?![a-z0-9])", re.IGNORECASE)
CASES = {
    "A": (*range(1, 10), 11, *range(13, 17), *range(18, 21), 22, 23, *range(25, 29)),
    "B": (*range(1, 8), *range(10, 16), *range(18, 25)),
    "C": range(1, 11),
    "D": (1, 2, 3, 5, 7, *range(9, 16), 18, 19, 20),
    "E": (1, 3, 4, 5, 6, 7, 10, 12, 13, 14, 15),
    "F": (1, 4, 5, 6, 7, 8),
}


def ids_in(source: str) -> set[str]:
    """The ids in the names of tests, and in comments that begin with one."""
    names = ["".join(found).replace("_", " ") for found in NAMED.findall(source)]
    return {found.upper() for name in names for found in ID.findall(name)}


def test_every_case_has_a_test() -> None:
    sources = [path.read_text("utf-8") for path in TESTS.rglob("test_*.py")]
    wanted = {f"{letter}{number:02}" for letter, numbers in CASES.items() for number in numbers}
    assert wanted - {found for source in sources for found in ids_in(source)} == set()
