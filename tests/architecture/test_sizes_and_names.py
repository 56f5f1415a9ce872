from __future__ import annotations

import ast
from collections import Counter

from tests.architecture.sources import PACKAGE, ROOT, name_of, python_files, tree_of

ALL = python_files("catmem", "tests", "scripts")
LONGEST_MODULE = 400
LONGEST_FUNCTION = 60
LARGEST_FOLDER = 12
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "core", "common", "misc"}


def test_no_module_is_longer_than_400_lines() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in ALL}

    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_no_function_is_longer_than_60_lines() -> None:
    too_long = {
        f"{name_of(path)}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
        for path in ALL
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= LONGEST_FUNCTION
    }

    assert too_long == {}


def test_no_folder_holds_more_than_12_modules() -> None:
    # The top folder is left out: its modules are the layers, one by one, of the import contract.
    modules = Counter(
        name_of(path.parent)
        for path in python_files("catmem")
        if path.name != "__init__.py" and path.parent != PACKAGE
    )

    assert {folder: count for folder, count in modules.items() if count > LARGEST_FOLDER} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    named = [
        name_of(path)
        for path in ALL
        if SAYS_NOTHING.intersection(path.relative_to(ROOT).with_suffix("").parts)
    ]

    assert named == []


def test_every_module_of_the_program_says_what_lives_there() -> None:
    silent = [
        name_of(path) for path in python_files("catmem") if not ast.get_docstring(tree_of(path))
    ]

    assert silent == []
