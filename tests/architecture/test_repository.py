from __future__ import annotations

import os
import re
import subprocess

import pytest

from tests.architecture.sources import ROOT

COMMANDS = ["scripts/run", "scripts/test", "scripts/check", "scripts/fix", ".ci/run"]
# Written so that no pattern finds itself.
MACHINE = re.compile(r"/work/(?:main|shared|[.]library)|/tmp/h[/\s]|/opt/(?:pypi|wheels)")
REGISTRY = re.compile(
    r"pypi[.]org|pythonhosted[.]org|registry[.]npmjs|deb[.]debian[.]org|proxy[.]golang[.]org"
)


def repository_files() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("pattern", [MACHINE, REGISTRY], ids=["machine path", "registry host"])
def test_nothing_names_the_machine_it_was_made_on(pattern: re.Pattern[str]) -> None:
    found = [
        f"{name}: {match.group()}"
        for name in repository_files()
        for match in pattern.finditer((ROOT / name).read_text(encoding="utf-8", errors="ignore"))
    ]

    assert found == []


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_can_be_called(command: str) -> None:
    path = ROOT / command

    assert os.access(path, os.X_OK)
    assert path.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
    assert "\nset -euo pipefail\n" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("script", [*COMMANDS, "scripts/lib/env.sh"])
def test_each_script_is_valid_bash(script: str) -> None:
    checked = subprocess.run(
        ["bash", "-n", script], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (checked.returncode, checked.stderr) == (0, "")
