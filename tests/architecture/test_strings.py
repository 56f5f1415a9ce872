from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import string
from collections.abc import Iterator

import catmem.text
from tests.architecture.sources import name_of, python_files, tree_of

AREAS = [area.name for area in pkgutil.iter_modules(catmem.text.__path__)]
CATALOGUE = catmem.text.CATALOGUE
CHINESE = re.compile(r"[\u4e00-\u9fff]")
WORD = re.compile(r"[a-z]{3,}")
# What needs no translation: fields, and the word that Chinese developers use too.
UNTRANSLATED = re.compile(r"\{.*?\}|\btokens\b")


def strings_of(area: str) -> dict[str, tuple[str, str]]:
    strings: dict[str, tuple[str, str]] = importlib.import_module(f"catmem.text.{area}").STRINGS
    return strings


def fields(template: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(template) if field is not None}


def test_every_area_is_in_the_catalogue_under_its_own_name() -> None:
    keys = [(area, key) for area in AREAS for key in strings_of(area)]

    assert sorted(key for _, key in keys) == sorted(CATALOGUE)
    assert [key for area, key in keys if not key.startswith(f"{area}.")] == []


def test_every_string_stands_in_both_languages() -> None:
    incomplete = [
        key
        for key, (english, chinese) in CATALOGUE.items()
        if not english.strip()
        or not chinese.strip()
        or CHINESE.search(english)
        # A string without a word of its own, as "{name}: {value}", may be the same in both.
        or (WORD.search(UNTRANSLATED.sub("", english)) and not CHINESE.search(chinese))
    ]

    assert incomplete == []


def test_both_languages_of_a_string_have_the_same_fields() -> None:
    different = [
        key for key, (english, chinese) in CATALOGUE.items() if fields(english) != fields(chinese)
    ]

    assert different == []


def calls_of_t() -> Iterator[tuple[str, str, set[str]]]:
    """Yield place, key and given fields of every call that names its key and fields literally."""
    for path in python_files("catmem"):
        for node in ast.walk(tree_of(path)):
            match node:
                case ast.Call(func=ast.Name(id="t"), args=[ast.Constant(value=str(key))]):
                    given = {keyword.arg for keyword in node.keywords}
                    if None not in given:
                        yield f"{name_of(path)}:{node.lineno}", key, {str(name) for name in given}


def test_every_string_that_is_asked_for_exists_and_gets_its_fields() -> None:
    wrong = [
        f"{place} {key}"
        for place, key, given in calls_of_t()
        if key not in CATALOGUE or fields(CATALOGUE[key][0]) != given
    ]

    assert wrong == []


def test_every_string_is_asked_for_somewhere() -> None:
    asked: set[str] = set()
    begun: set[str] = set()
    for path in python_files("catmem"):
        if "catmem/text/" in name_of(path):
            continue
        for node in ast.walk(tree_of(path)):
            match node:
                case ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]) if "." in start:
                    begun.add(start)
                case ast.Constant(value=str(text)):
                    asked.add(text)
    unused = [key for key in CATALOGUE if key not in asked and not key.startswith(tuple(begun))]

    assert unused == []
