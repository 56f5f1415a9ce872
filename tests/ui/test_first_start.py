from __future__ import annotations

import subprocess
import sys

import pytest

from tests.ui.conftest import environment

CODE = (
    "from catmem.ui.first_start import choose\n"
    "print(repr(choose(['ANTHROPIC_API_KEY is set', 'Ollama answers'], ['Claude', 'Ollama'])))"
)
OFFER = (
    "catmem has no model yet.\n"
    "  ANTHROPIC_API_KEY is set\n  Ollama answers\n\n  1. Claude\n  2. Ollama\n"
)
ASK = "Your choice (1-2, Enter for none): "


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("2\n", f"{ASK}1\n"),
        (" 1. \n", f"{ASK}0\n"),
        ("\n", f"{ASK}None\n"),
        ("", f"{ASK}None\n"),
        ("9\nx\n1\n", f"{ASK}“9” is not one of 1-2\n{ASK}“x” is not one of 1-2\n{ASK}0\n"),
        ("9\n9\n9\n1\n", f"{ASK}“9” is not one of 1-2\n" * 3 + "None\n"),
    ],
)
def test_numbered_choice(typed: str, shown: str) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", CODE],
        check=False, input=typed, capture_output=True, text=True,
        env=environment(), timeout=20,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, OFFER + shown, "")
