from __future__ import annotations

from pathlib import Path

import pytest

from catmem.errors import MemoryStoreError
from catmem.memory.store.names import normalise, slug_for
from catmem.memory.store.operations import Result
from catmem.memory.store.stores import Stores
from tests.memory_store.asking import add, file_names, names


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("api-style", "api-style"),
        ("API-Style", "api-style"),
        ("api style", "api-style"),
        ("Api__Style ", "api-style"),
        ("-api--style-", "api-style"),
        ("大语言模型概述", "大语言模型概述"),
        ("cafe\u0301", "caf\u00e9"),
        ("STRASSE-straße", "strasse-strasse"),
        ("हिन्दी", "हिन्दी"),
        ("2024-06-01", "2024-06-01"),
        ("x" * 100, "x" * 100),
    ],
)
def test_a13_spellings_of_one_name_have_one_form(given: str, name: str) -> None:
    assert normalise(given) == name


@pytest.mark.parametrize(
    "name",
    [
        *(
            "../escape",
            "a/../../b",
            "..\\x",
            "/etc/x",
            "%2e%2e/x",
            "x\0y",
            ".",
            "..",
            "~/x",
            ".hidden",
        ),
        *("", " ", "-", "___", "a:b", "what?", "dot.", "a.b", "a\nb", "a\u202eb", "emoji😀"),
        *("con", "CON", "nul", "aux", "com1", "LPT9", "MEMORY", "memory", "Memory", "index"),
        *("x" * 101, "x" * 300, "长" * 100),
    ],
)
def test_a07_a08_a15_other_names_are_refused_and_nothing_is_written(
    stores: Stores, home: Path, name: str
) -> None:
    with pytest.raises(MemoryStoreError):
        normalise(name)
    outcome = add(stores, name)
    assert outcome.result is Result.REFUSED
    assert outcome.reason
    assert stores.get(name) is None
    assert not (home / ".catmem").exists()


def test_a_refusal_suggests_a_name() -> None:
    with pytest.raises(MemoryStoreError, match=r"for example python3-12-tips$"):
        normalise("python3.12/tips")


def test_a11_names_without_ascii_letters_are_two_memories(stores: Stores, user_dir: Path) -> None:
    add(stores, "大语言模型概述")
    add(stores, "断路器自动恢复")

    assert names(stores.load_all()) == ["大语言模型概述", "断路器自动恢复"]
    assert file_names(user_dir) == ["MEMORY.md", "大语言模型概述.md", "断路器自动恢复.md"]


def test_a13_another_spelling_of_an_existing_name_is_that_entry(stores: Stores) -> None:
    assert add(stores, "api-style").result is Result.ADDED
    assert add(stores, "API-Style").result is Result.EXISTS
    assert add(stores, "api style").result is Result.EXISTS
    assert names(stores.load_all()) == ["api-style"]


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("The user's editor is vim!", "the-user-s-editor-is-vim"),
        ("用 vim 编辑，别动 tests 目录", "用-vim-编辑-别动-tests-目录"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON", "note-con"),
        ("Memory", "note-memory"),
        ("word " * 40, "word-word-word-word-word-word-word-word-word"),
        ("一" * 200, "一" * 24),
    ],
)
def test_a_generated_name_says_what_the_text_says(text: str, slug: str) -> None:
    assert slug_for(text) == slug
    assert normalise(slug) == slug


def test_texts_without_words_get_names_of_their_own() -> None:
    assert slug_for("!!!") != slug_for("???")
    assert normalise(slug_for("!!!")) == slug_for("!!!")
