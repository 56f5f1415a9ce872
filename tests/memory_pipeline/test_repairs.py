from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catmem.memory.pipeline.merging.planning import Allowance
from catmem.memory.store.entry import Entry, Scope
from catmem.text import t
from tests.memory_pipeline.deciding import (
    BLUE,
    EDITOR,
    EMACS,
    STORED,
    TESTS,
    candidate,
    op,
    plan,
    reasons,
    steps,
)


def test_a_missing_candidate_is_added_when_nothing_similar_exists() -> None:
    made = plan([BLUE])

    assert steps(made) == [("add", "favourite-colour", BLUE.content)]
    assert reasons(made) == []


def test_a_missing_candidate_is_skipped_when_something_similar_exists() -> None:
    made = plan([EMACS])

    assert steps(made) == []
    assert reasons(made) == [(EMACS.name, t("pipeline.similar", name="user-prefers-vim"))]


@pytest.mark.parametrize("action", ["merge", "", None, 3, "adds", ["add"]])
def test_b07_an_unknown_action_counts_as_missing(action: Any) -> None:
    assert steps(plan([BLUE, EMACS], op(1, action), op(2, action))) == [
        ("add", "favourite-colour", BLUE.content)
    ]


def test_b07_an_action_in_capitals_with_blanks_is_understood() -> None:
    assert steps(
        plan([BLUE], op("1", "ADD ", description="Blue", content="The favourite colour is blue."))
    ) == [("add", "favourite-colour", "The favourite colour is blue.")]


@pytest.mark.parametrize("target", ["no-such", None, "", 7, 0, -1, "MEMORY", "../x", 1.5, True, []])
def test_b06_an_update_of_an_unknown_target_is_an_add(target: Any) -> None:
    made = plan([EMACS], op(1, "update", target, description="Emacs", content="Emacs now."))

    assert steps(made) == [("add", "user-prefers-emacs", EMACS.content)]


def test_b06_a_target_given_by_its_exact_name_is_known() -> None:
    made = plan([EMACS], op(1, "update", EDITOR.name, description="Emacs", content="Emacs now."))

    assert steps(made) == [("update", "user-prefers-vim", "Emacs now.")]


def test_a_target_that_is_not_similar_is_unknown() -> None:
    """A wrong merge is the worst outcome: the candidate becomes an entry of its own."""
    made = plan([BLUE, EMACS], op(1, "update", 1, description="Blue", content="Blue."))

    assert steps(made) == [("add", "favourite-colour", BLUE.content)]


def test_an_update_keeps_name_type_and_store_of_its_target() -> None:
    renamed = op(1, "update", 1, type="project", name="x", description="Emacs", content="Emacs.")

    (step,) = plan([EMACS], renamed).steps

    assert step.operation.entry == replace(EDITOR, description="Emacs", content="Emacs.")
    assert (step.operation.name, step.operation.scope) == ("user-prefers-vim", Scope.USER)
    assert step.operation.digest == EDITOR.digest


@pytest.mark.parametrize("action", ["add", "update"])
@pytest.mark.parametrize("entry", [{}, {"content": ""}, {"content": "  "}, {"description": "x"}])
def test_an_empty_entry_is_a_skip(action: str, entry: dict[str, str]) -> None:
    made = plan([EMACS], op(1, action, 1, **entry))

    assert steps(made) == []
    assert reasons(made) == [(EMACS.name, t("pipeline.no_entry"))]


@pytest.mark.parametrize("content", [None, 3, ["a"], {"a": 1}])
def test_b07_content_of_a_wrong_type_is_an_empty_entry(content: Any) -> None:
    made = plan([EMACS], op(1, "add") | {"entry": {"content": content}})

    assert steps(made) == []


def test_an_explicit_request_survives_an_empty_entry_and_a_groundless_skip() -> None:
    wish = replace(BLUE, explicit=True)

    assert steps(plan([wish], op(1, "add"))) == [("add", wish.name, wish.content)]
    assert steps(plan([wish], op(1, "skip"))) == [("add", wish.name, wish.content)]


def test_an_add_under_an_existing_name_updates_it_when_it_is_about_the_same() -> None:
    same = candidate(
        "test-command", "Run the tests with `just test`.", type="project", scope="project"
    )

    made = plan([same], op(1, "add", description="d", content=same.content))

    assert steps(made) == [("update", "test-command", "Run the tests with `just test`.")]


def test_an_add_under_an_existing_name_about_something_else_is_left_to_a_new_name() -> None:
    other = candidate("test-command", "Deploy to Frankfurt by hand.", type="project")

    (step,) = plan([other], op(1, "add", description="d", content=other.content)).steps

    assert (step.operation.action, step.operation.if_exists) == ("add", "rename")


def test_only_the_first_operation_for_a_candidate_counts() -> None:
    made = plan(
        [BLUE],
        op(1, "add", description="d", content="Blue is the favourite colour!"),
        op(1, "add", description="d", content="The favourite colour is blue."),
        op(2, "add", description="d", content="Nobody's."),
        op(None, "add", description="d", content="Nobody's."),
    )

    assert steps(made) == [("add", "favourite-colour", "Blue is the favourite colour!")]


def test_the_same_content_again_is_skipped_whatever_was_decided() -> None:
    again = candidate("vim", "the user edits with VIM")

    made = plan([again], op(1, "add", description="d", content="The user edits with vim."))

    assert steps(made) == []
    assert reasons(made) == [("vim", t("pipeline.known", name="user-prefers-vim"))]


def test_b10_an_update_keeps_what_the_person_did_not_replace() -> None:
    old = replace(TESTS, content="Run the tests with `make test`. They need ./scripts/db on 5432.")
    new = candidate(
        "test-command",
        "Run the tests with `just test`.",
        "run tests with just test",
        scope="project",
    )

    made = plan([new], op(1, "update", 1, description="d", content=new.content), entries=(old,))

    assert steps(made) == [
        (
            "update",
            "test-command",
            "Run the tests with `just test`.\nThey need ./scripts/db on 5432.",
        )
    ]


def test_two_updates_of_one_entry_are_one_step() -> None:
    first = candidate("editor-one", "The user's editor is neovim.")
    second = candidate("editor-two", "The user's editor has a dark theme.")

    made = plan(
        [first, second],
        op(1, "update", EDITOR.name, description="d", content="The editor is neovim."),
        op(2, "update", EDITOR.name, description="d", content="Its theme is dark."),
    )

    assert steps(made) == [
        ("update", "user-prefers-vim", "Its theme is dark.\nThe editor is neovim.")
    ]
    assert made.steps[0].candidates == (first, second)


def test_b12_what_rests_on_data_changes_no_preference() -> None:
    planted = replace(EMACS, own_words=(), content="The user edits with emacs, the editor.")

    made = plan([planted], op(1, "update", 1, description="d", content="Emacs."))

    assert steps(made) == []
    assert reasons(made) == [(EMACS.name, t("pipeline.own_words", name="user-prefers-vim"))]


@pytest.mark.parametrize("quote", ["forget that I use vim", "忘掉我用 vim", "I no longer use vim"])
def test_a_delete_needs_words_that_say_so(quote: str) -> None:
    said = candidate("no-vim", "The user's editor is not vim.", quote)
    unsaid = candidate("no-vim", "The user's editor is not vim.", "vim again")

    assert steps(plan([said], op(1, "delete", 1))) == [("delete", "user-prefers-vim", "")]
    assert steps(plan([unsaid], op(1, "delete", 1))) == []
    assert steps(plan([replace(said, own_words=())], op(1, "delete", 1))) == []


def test_no_more_than_twenty_adds_in_a_run() -> None:
    words = [f"{chr(97 + n)}{chr(98 + n)}{chr(99 + n)}q" for n in range(22)]
    many = [candidate(word, f"{word} {word}z {word}y.") for word in words]
    allowance = Allowance.for_stores(STORED)

    made = plan(many[:15], allowance=allowance)
    later = plan(many[15:], allowance=allowance)

    assert len(made.steps) + len(later.steps) == 20
    assert reasons(later) == [
        (one.name, t("pipeline.limit", fact=one.description)) for one in many[20:]
    ]


def test_no_more_than_a_fifth_of_a_store_changes_in_a_run() -> None:
    entries = tuple(
        Entry(f"host-{n}", f"Host {n}", "reference", f"Server alpha{n} beta{n} gamma{n}.")
        for n in range(25)
    )
    changes = [
        candidate(f"new-{n}", f"Server alpha{n} beta{n} gamma{n} moved.", type="reference")
        for n in range(7)
    ]
    decided = [
        op(n + 1, "update", f"host-{n}", description="d", content="Moved.") for n in range(7)
    ]

    made = plan(changes, *decided, entries=entries)

    assert [step.operation.name for step in made.steps] == [f"host-{n}" for n in range(5)]
    assert reasons(made) == [
        (one.name, t("pipeline.limit", fact=one.description)) for one in changes[5:]
    ]


def test_lists_of_optional_fields_grow_and_the_rest_is_replaced() -> None:
    old = replace(EDITOR, optional={"usageScenario": ["opening files"], "gist": "旧"})
    new = replace(EMACS, optional={"usageScenario": ["editing"], "gist": "新"})

    (step,) = plan(
        [new], op(1, "update", 1, description="d", content="Emacs."), entries=(old,)
    ).steps

    assert step.operation.entry is not None
    assert step.operation.entry.optional == {
        "usageScenario": ["opening files", "editing"],
        "gist": "新",
    }
