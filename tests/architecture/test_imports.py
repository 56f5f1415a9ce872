from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.sources import PACKAGE, ROOT, imported_names, name_of, python_files, tree_of

# Folder of catmem -> what only it may import. The contracts in pyproject.toml see the import
# statements; this sees import_module("name") too, by which the heavy ones are loaded late.
AT_HOME = {
    "anthropic": "catmem/providers/",
    "httpx2": "catmem/providers/",
    "openai": "catmem/providers/",
    "prompt_toolkit": "catmem/ui/",
    "rich": "catmem/ui/",
}
TOO_BROAD = {"Exception", "BaseException"}


def test_model_sdks_and_terminal_libraries_stay_in_their_folder() -> None:
    strays = [
        f"{name_of(path)} imports {module}"
        for path in python_files("catmem")
        for module in imported_names(path)
        if not name_of(path).startswith(AT_HOME.get(module.partition(".")[0], ""))
    ]

    assert strays == []


def test_only_failopen_catches_everything() -> None:
    broad = [
        f"{name_of(path)}:{line}"
        for path in python_files("catmem")
        if path != PACKAGE / "failopen.py"
        for line in lines_that_catch_everything(tree_of(path))
    ]

    assert broad == []


def lines_that_catch_everything(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        match node:
            case ast.ExceptHandler(type=None):
                yield node.lineno
            case ast.ExceptHandler(type=ast.expr() as caught) if names_in(caught) & TOO_BROAD:
                yield node.lineno
            case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress")):
                if any(names_in(argument) & TOO_BROAD for argument in node.args):
                    yield node.lineno


def names_in(expression: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


@pytest.mark.parametrize("source", ["except:", "except Exception:", "except (OSError, Exception):"])
def test_a_broad_except_is_seen(source: str) -> None:
    assert list(lines_that_catch_everything(ast.parse(f"try:\n    x\n{source}\n    y"))) == [3]


def test_declared_and_imported_packages_are_the_same() -> None:
    assert packages_imported_by("catmem") == declared("dependencies", "local")


def test_scripts_import_declared_packages_only() -> None:
    assert packages_imported_by("scripts") <= declared("dependencies", "dev", "train")


# Of packages that need not be installed: modules named otherwise than their package.
_NAMES = {"sklearn": "scikit-learn"}


def packages_imported_by(folder: str) -> set[str]:
    distributions = packages_distributions()
    top_level = {
        module.partition(".")[0] for path in python_files(folder) for module in imported_names(path)
    }
    siblings = {path.stem for path in python_files(folder)} | {"catmem", "scripts", "tests"}
    return {
        normalised(distributions.get(module, [_NAMES.get(module, module)])[0])
        for module in top_level - sys.stdlib_module_names - siblings
    }


def declared(*groups: str) -> set[str]:
    """The packages of the project itself (``dependencies``) and of extras."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = {"dependencies": project["dependencies"], **project["optional-dependencies"]}
    requirements = [requirement for group in groups for requirement in lists[group]]
    return {normalised(re.split(r"[^\w.-]", requirement)[0]) for requirement in requirements}


def normalised(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["memory", "list"]], ids=" ".join)
def test_a_start_without_a_prompt_imports_no_heavy_library(
    arguments: list[str], tmp_path: Path
) -> None:
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "catmem", *arguments],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    imported = set(re.findall(r"^import time: .*\| +(\S+)$", run.stderr, re.MULTILINE))
    said = re.sub(r"^import time:.*\n", "", run.stderr, flags=re.MULTILINE)

    assert (run.returncode, said) == (0, "")
    assert "catmem.app" in imported
    assert imported & AT_HOME.keys() == set()
