"""scripts/run, run for real in a copy of it: what a person sees when it sets catmem up.

The copy stands beside a small program called catmem that needs nothing from the network: its build
backend lies in its own folder. venv, pip, locks, signals and files are the real ones.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "catmem"
version = "0"
"""
BACKEND = """
import pathlib, zipfile

INFO = "catmem-0.dist-info/"
FILES = {
    "catmem.pth": str(pathlib.Path.cwd()),
    INFO + "METADATA": "Metadata-Version: 2.1\\nName: catmem\\nVersion: 0\\n",
    INFO + "WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    INFO + "RECORD": "",
}

def build_editable(directory, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(pathlib.Path(directory, "catmem-0-py3-none-any.whl"), "w") as wheel:
        for name, text in FILES.items():
            wheel.writestr(name, text)
    return "catmem-0-py3-none-any.whl"

build_wheel = build_editable
"""
PROGRAM = """
import os, sys, yaml
print(os.getcwd(), sys.argv[1:], yaml.OWN)
"""
SETUP_LINE = "Setting up catmem (once, about a minute)…\n"
UPDATE_LINE = "Updating catmem's packages…\n"
INTERRUPTED_LINE = "Interrupted: the next start sets catmem up again.\n"


class Project:
    """A copy of scripts/ beside the small program, and ways to start it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        self.command = folder / "scripts/run"
        self.elsewhere = folder.parent / "else where"
        shutil.copytree(ROOT / "scripts", folder / "scripts")
        self.write("pyproject.toml", PYPROJECT)
        self.write("backend.py", BACKEND)
        self.write("catmem/__main__.py", PROGRAM)
        self.write("yaml.py", "OWN = True")
        self.elsewhere.mkdir()
        (self.elsewhere / "yaml.py").write_text("OWN = False", encoding="utf-8")

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def move_to(self, name: str) -> None:
        self.root = self.root.rename(self.root.parent / name)
        self.command = self.root / "scripts/run"

    def start(self, *arguments: str, path: Path | None = None, **environment: str) -> Running:
        """Start ``self.command`` from another folder; ``path`` replaces PATH."""
        return subprocess.Popen(
            [str(self.command), *arguments],
            cwd=self.elsewhere,
            env=isolated_environment(path) | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, path: Path | None = None, **environment: str) -> Outcome:
        return outcome_of(self.start(*arguments, path=path, **environment))

    def greeting(self, *arguments: str) -> str:
        """Return what the small program prints when it was started as it should be."""
        return f"{self.elsewhere} {list(arguments)} True\n"


Running = subprocess.Popen[str]
Outcome = tuple[int, str, str]


def outcome_of(process: Running) -> Outcome:
    """Wait for the end; return exit code, standard output and standard error."""
    output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors


def isolated_environment(path: Path | None) -> dict[str, str]:
    """Return an environment in which pip reads no configuration and reaches no index."""
    python = Path(sys.executable).resolve().parent
    return {
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "PATH": str(path) if path else f"{python}:{os.defpath}",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_NO_CACHE_DIR": "1",
        "PIP_RETRIES": "0",
    }


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "a project")


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with what scripts/run needs from the system, and no Python."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for tool in [
        "bash",
        "cksum",
        "dirname",
        "env",
        "grep",
        "mkdir",
        "mv",
        "readlink",
        "rm",
        "tail",
    ]:
        found = shutil.which(tool, path=os.defpath)
        assert found
        (folder / tool).symlink_to(found)
    return folder


def add_python(tools: Path, body: str) -> None:
    stub = tools / "python3"
    stub.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    stub.chmod(0o755)


@pytest.mark.timeout(180)
def test_the_first_start_sets_up_and_later_ones_are_quiet(project: Project) -> None:
    first, second = project.start("a", "b c"), project.start("2nd")
    (code, output, errors), (code_2, output_2, errors_2) = outcome_of(first), outcome_of(second)

    assert (code, output) == (0, project.greeting("a", "b c"))
    assert (code_2, output_2) == (0, project.greeting("2nd"))
    assert sorted([errors, errors_2]) == [
        "Another setup of catmem is running; waiting for it…\n",
        SETUP_LINE,
    ]
    assert project.run() == (0, project.greeting(), "")

    project.write("pyproject.toml", PYPROJECT + 'description = "changed"\n')
    assert project.run() == (0, project.greeting(), UPDATE_LINE)
    assert project.run() == (0, project.greeting(), "")

    link = project.elsewhere / "link"
    link.symlink_to(os.path.relpath(project.command, project.elsewhere))
    project.command = link
    assert project.run("x") == (0, project.greeting("x"), "")


@pytest.mark.timeout(180)
def test_an_interrupted_or_moved_setup_heals_at_the_next_start(project: Project) -> None:
    process = interrupt_setup(project, signal.SIGINT)
    assert outcome_of(process) == (130, "", SETUP_LINE + INTERRUPTED_LINE)

    process = interrupt_setup(project, signal.SIGKILL)
    assert outcome_of(process) == (-signal.SIGKILL, "", SETUP_LINE)

    assert project.run() == (0, project.greeting(), SETUP_LINE)
    assert project.run() == (0, project.greeting(), "")

    project.move_to("moved")

    assert project.run() == (0, project.greeting(), SETUP_LINE)


def interrupt_setup(project: Project, blow: signal.Signals) -> Running:
    """Start a setup and send ``blow`` to it and all it started, in the middle of making .venv."""
    started = time.time_ns()
    process = project.start()
    while not is_newer(project.root / ".venv/setup.log", started):
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, blow)
    return process


def is_newer(path: Path, moment: int) -> bool:
    try:
        return path.stat().st_mtime_ns > moment
    except FileNotFoundError:
        return False


def test_a_missing_python_is_one_sentence(project: Project, tools: Path) -> None:
    sentence = (
        "catmem needs Python 3.11 or newer: install it (Debian, Ubuntu: sudo apt install python3"
        " python3-venv; macOS: brew install python) or set CATMEM_PYTHON to its path.\n"
    )

    assert project.run(path=tools) == (1, "", sentence)


def test_an_old_python_is_named(project: Project, tools: Path) -> None:
    add_python(tools, "echo 3.9; exit 1")

    code, output, errors = project.run(path=tools)

    assert (code, output) == (1, "")
    assert errors.startswith("catmem needs Python 3.11 or newer (found only 3.9): install it (")
    assert errors.count("\n") == 1


def test_a_wrong_catmem_python_is_one_sentence(project: Project) -> None:
    sentence = (
        "CATMEM_PYTHON is /no/such/python, which is not a working Python 3.11 or newer: correct it"
        " or unset it.\n"
    )

    assert project.run(CATMEM_PYTHON="/no/such/python") == (1, "", sentence)


def test_a_missing_venv_module_is_one_sentence(project: Project, tools: Path) -> None:
    add_python(tools, f'case "$*" in *ensurepip*) exit 1 ;; esac\nexec "{sys.executable}" "$@"')
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    sentence = (
        f"{tools}/python3 has no venv module: install it (Debian, Ubuntu: sudo apt install"
        f" python{version}-venv) or set CATMEM_PYTHON to another Python.\n"
    )

    assert project.run(path=tools) == (1, "", sentence)


@pytest.mark.timeout(180)
def test_a_missing_network_is_one_sentence_and_the_next_start_goes_on(project: Project) -> None:
    project.write("pyproject.toml", PYPROJECT.replace("[]", '["hatchling"]'))
    sentence = (
        "catmem's packages could not be downloaded: check the network connection (or pip's proxy"
        f" and index settings) and run this again; details are in {project.root}/.venv/setup.log.\n"
    )
    assert project.run() == (1, "", SETUP_LINE + sentence)
    assert "127.0.0.1" in (project.root / ".venv/setup.log").read_text(encoding="utf-8")

    project.write("pyproject.toml", PYPROJECT)
    assert project.run() == (0, project.greeting(), UPDATE_LINE)
