"""``search``: the ranking over both stores, and its forms for people and programs."""

from __future__ import annotations

import json

import pytest

from catmem.memory.commands.searching import search_entries
from catmem.memory.commands.slash import entry_commands
from catmem.memory.search.entries import EntrySearch
from catmem.memory.store.entry import Scope
from catmem.memory.store.stores import Stores
from tests.memory_store.asking import add, entry, forgetting
from tests.memory_store.test_memory_commands import Screen
from tests.support.program import MakeProgram


@pytest.fixture
def filled(stores: Stores) -> Stores:
    add(
        stores,
        "deploy-target",
        "Deployments go to the Frankfurt cluster",
        type="project",
        scope=Scope.PROJECT,
        content="kubectl context fra-1",
    )
    add(
        stores,
        "写作语言",
        "文档一律用中文写",
        type="feedback",
        content="文档和注释用中文写。",
        optional={"gist": "documents are written in Chinese"},
    )
    add(stores, "editor", "The editor is vim", content="~/.vimrc has the settings.")
    add(
        stores,
        "old-cluster",
        "Deployments go to the Frankfurt cluster",
        content="kubectl context fra-0",
        optional={"status": "deprecated"},
    )
    return stores


def found(stores: Stores, query: str) -> list[tuple[str, str, bool]]:
    screen = Screen()
    assert search_entries(stores, [query], screen.write, as_json=True) == 0
    (line,) = screen.printed
    answer = json.loads(line)
    assert list(answer) == ["query", "results"]
    assert answer["query"] == query
    for result in answer["results"]:
        assert list(result) == ["name", "scope", "score", "passed"]
        assert 0 < result["score"] <= 1
    return [(one["name"], one["scope"], one["passed"]) for one in answer["results"]]


@pytest.mark.parametrize(
    ("query", "results"),
    [
        ("where do deployments go", [("deploy-target", "project", True)]),
        ("which cluster do we deploy to", [("deploy-target", "project", True)]),
        ("文档用什么语言", [("写作语言", "user", True)]),
        ("Chinese documents", [("写作语言", "user", False)]),
        ("settings of the espresso machine and its water filter", [("editor", "user", False)]),
        ("pre-edit, don't, src/a.py, \"quoted, C++, ', *", []),
        ("", []),
        ("的", []),
    ],
)
def test_both_stores_have_one_ranking_and_outdated_entries_are_left_out(
    filled: Stores, query: str, results: list[tuple[str, str, bool]]
) -> None:
    assert found(filled, query) == results


def test_of_equal_entries_the_more_important_comes_first_then_the_newer() -> None:
    search = EntrySearch(
        [
            entry("aa", "red kettle", updated_at="2026-01-01"),
            entry("bb", "red kettle", updated_at="2026-01-02"),
            entry("cc", "red kettle", optional={"importance": "0.8"}),
        ]
    )
    assert [hit.entry.name for hit in search.search("kettle", 10)] == ["cc", "bb", "aa"]
    assert [hit.entry.name for hit in search.search("kettle", 1)] == ["cc"]


@pytest.mark.anyio
async def test_a_person_sees_lines(filled: Stores) -> None:
    search = {
        one.name: one.run for one in entry_commands(filled, forgetting(filled), lambda: None)
    }["search"]
    screen = Screen()
    for words in ("vim settings", "espresso", ""):
        await search(words, screen)
    assert screen.printed == [
        "  editor (user, user memory): The editor is vim",
        "no memory has a word of “espresso”",
        "search for what? /memory search WORDS",
    ]


def test_a_program_asks_line_by_line(program: MakeProgram) -> None:
    catmem = program()
    assert catmem.run("memory", "add", "--name", "tea", "Tea is made in the red kettle").code == 0

    run = catmem.run("memory", "search", "--json", "-", stdin="kettle 红\n\nespresso\n")

    assert (run.code, run.stderr) == (0, "")
    first, *others = map(json.loads, run.stdout.splitlines())
    assert (first["query"], [one["name"] for one in first["results"]]) == ("kettle 红", ["tea"])
    assert others == [{"query": "", "results": []}, {"query": "espresso", "results": []}]
    plain = catmem.run("memory", "search", "red", "kettle")
    assert (plain.code, plain.stdout) == (
        0,
        "  tea (user, user memory): Tea is made in the red kettle\n",
    )
    assert catmem.run("memory", "search").code == 2
