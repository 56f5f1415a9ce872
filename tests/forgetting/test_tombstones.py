"""What was forgotten is not learned again, unless the person says it anew in a later session."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from catmem.memory.pipeline.extraction import Candidate, Evidence
from catmem.memory.pipeline.forgetting.tombstones import Occasion, Tombstones
from catmem.memory.pipeline.forgetting.wishes import asks_to_forget
from catmem.memory.pipeline.window import Window
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.operations import Action, Operation, Result
from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import Paths, find_paths
from catmem.text import t
from tests.forgetting.asking import EDITOR, bury, store
from tests.memory_pipeline.talk import AT, answered, numbered, said

DEPLOY = Entry(
    "deploy-prod",
    "The deploy command for production is ship-prod",
    "project",
    "Run `ship-prod` to deploy to production.",
    Scope.PROJECT,
)
LUNCH = Entry("lunch", "用户中午吃素", "user", "用户中午只吃素食，不吃香菜。")
NOON = datetime.fromisoformat(AT)


def proposed(description: str, content: str = "", *, seq: int = 1, quote: str = "") -> Candidate:
    """A candidate that rests on message ``seq``, on typed words where there is a quote."""
    evidence = Evidence(seq, quote or "something else")
    return Candidate(
        (evidence,),
        *("user", "user", "some-name", description, content or description),
        own_words=(quote,) if quote else (),
    )


def verdict(
    stores: Stores, one: Candidate, *, session: str = "old", said_at: datetime = NOON
) -> str:
    """What becomes of a candidate: kept, refused, or kept because it was said anew."""
    messages = numbered(said("x"), answered("y"), at=said_at.isoformat())
    judged = Tombstones(stores).judge(Window(session, messages), [one])
    if judged.refused:
        assert judged.refused[0].reason == t("pipeline.forgotten")
        return "refused"
    return "lifted" if judged.lifted else "kept"


@pytest.mark.parametrize(
    ("entry", "description", "content"),
    [
        (EDITOR, "The user's editor is vim", ""),
        (EDITOR, "User likes editing in Vim", ""),
        (EDITOR, "uses vim", ""),
        (EDITOR, "Vim is the editor", "Vim is the editor of choice, set up in ~/.vimrc."),
        (DEPLOY, "Production is deployed with ship-prod", ""),
        (LUNCH, "用户吃素", "用户中午吃素。"),
        (LUNCH, "不吃香菜，只吃素食", ""),
    ],
)
def test_a_rephrased_candidate_is_refused(
    stores: Stores, entry: Entry, description: str, content: str
) -> None:
    store(stores, entry)
    assert verdict(stores, proposed(description, content)) == "kept"

    bury(stores, entry.name)

    assert verdict(stores, proposed(description, content)) == "refused"


@pytest.mark.parametrize(
    ("entry", "description"),
    [
        (EDITOR, "The user's shell is fish"),
        (EDITOR, "The editor of the team's newsletter is Ann"),
        (EDITOR, "Vim is not installed on the build machine"),
        (DEPLOY, "The deploy command for staging is ship-staging"),
        (DEPLOY, "Production logs are in /var/log/app"),
        (LUNCH, "用户晚上跑步"),
        (LUNCH, "用户中午开站会"),
    ],
)
def test_another_fact_is_not_refused(stores: Stores, entry: Entry, description: str) -> None:
    store(stores, entry)
    bury(stores, entry.name)

    assert verdict(stores, proposed(description)) == "kept"


def test_the_same_message_does_not_teach_it_again_in_other_words(stores: Stores) -> None:
    store(stores, EDITOR)
    rests_on = {EDITOR.name: [("s-1", Evidence(1, "请记住我写代码离不开 vim"))]}
    bury(stores, EDITOR.name, Occasion(evidence=rests_on))

    same = replace(
        proposed("离不开这个编辑器", "离不开这个编辑器"), evidence=(Evidence(1, "离不开 vim"),)
    )
    assert verdict(stores, same, session="s-1") == "refused"
    assert verdict(stores, same, session="another") == "kept"
    other_fact = replace(same, evidence=(Evidence(1, "测试用 make check 跑"),))
    assert verdict(stores, other_fact, session="s-1") == "kept"


def test_typed_later_in_another_session_it_may_be_learned_again(stores: Stores) -> None:
    store(stores, EDITOR)
    bury(stores, EDITOR.name, Occasion(NOON, "s-1"))
    again = proposed("The user's editor is vim", quote="x")
    later, earlier = NOON + timedelta(seconds=1), NOON - timedelta(hours=1)

    assert verdict(stores, again, session="s-2", said_at=later) == "lifted"
    assert verdict(stores, again, session="s-2", said_at=earlier) == "refused"
    assert verdict(stores, again, session="s-1", said_at=later) == "refused"
    asked_for = replace(again, explicit=True)
    assert verdict(stores, asked_for, session="s-1", said_at=later) == "lifted"
    not_typed = replace(again, own_words=())
    assert verdict(stores, not_typed, session="s-2", said_at=later) == "refused"


def test_a_wish_to_forget_does_not_count_as_saying_it_anew(stores: Stores) -> None:
    store(stores, EDITOR)
    bury(stores, EDITOR.name, Occasion(NOON, "s-1"))
    later = (NOON + timedelta(hours=1)).isoformat()
    window = Window("s-2", numbered(said("forget that my editor is vim"), at=later))
    again = proposed("The user's editor is vim", quote="my editor is vim")

    assert Tombstones(stores).judge(window, [again]).candidates == ()


def test_what_is_stored_again_is_not_forbidden(stores: Stores) -> None:
    store(stores, EDITOR)
    bury(stores, EDITOR.name)
    store(stores, replace(EDITOR, name="back-by-hand"))

    assert verdict(stores, proposed("The user's editor is vim")) == "kept"


def test_another_project_is_not_concerned(stores: Stores, paths: Paths) -> None:
    store(stores, DEPLOY, EDITOR)
    bury(stores, DEPLOY.name)
    bury(stores, EDITOR.name)
    elsewhere = paths.workspace.parent / "elsewhere"
    elsewhere.mkdir()
    paths = find_paths(elsewhere, {"CATMEM_HOME": str(paths.home), "HOME": "/nowhere"})
    others = open_stores(paths)

    assert verdict(stores, proposed("Production is deployed with ship-prod")) == "refused"
    assert verdict(others, proposed("Production is deployed with ship-prod")) == "kept"
    assert verdict(others, proposed("User likes editing in Vim")) == "refused"


def test_a_deletion_that_fails_leaves_no_tombstone(stores: Stores) -> None:
    store(stores, EDITOR)
    tombstones = Tombstones(stores)
    edited_since = [Operation(Action.DELETE, name=EDITOR.name, digest="of an older text")]

    marks = tombstones.mark(edited_since, Occasion())
    report = stores.apply(edited_since)
    tombstones.settle(marks, report.outcomes)

    assert [outcome.result for outcome in report.outcomes] == [Result.CHANGED]
    (entry,) = stores.load_all()
    assert entry.path is not None
    entry.path.unlink()
    assert verdict(stores, proposed("The user's editor is vim")) == "kept"


def test_a_tombstone_holds_no_word_of_what_was_forgotten(stores: Stores) -> None:
    store(stores, EDITOR, LUNCH)
    bury(stores, EDITOR.name, Occasion(evidence={EDITOR.name: [("s", Evidence(1, "quoted"))]}))
    bury(stores, LUNCH.name)

    text = (stores.user.places.state / "tombstones.jsonl").read_text("utf-8").casefold()

    assert [word for word in ("vim", "editor", "quoted", "素", "lunch") if word in text] == []


def test_a_damaged_line_does_not_disturb_the_others(stores: Stores) -> None:
    store(stores, EDITOR)
    path = stores.user.places.state / "tombstones.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"v": 1, "id": "ab"}\nnonsense\n{"v": 1, "lifted": ["x"]}\n[]\n{"v": 1, "id"')
    bury(stores, EDITOR.name)

    assert verdict(stores, proposed("The user's editor is vim")) == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "forget that I use vim",
        "please delete the memory about vim",
        "don't remember my address any more",
        "忘掉我用 vim",
        "把那条关于部署的记忆删掉",
        "别再记我的生日了",
    ],
)
def test_a_wish_to_forget_is_recognised(text: str) -> None:
    assert asks_to_forget(text)


@pytest.mark.parametrize(
    "text",
    [
        "don't forget that I use vim",
        "别忘了我用 vim",
        "never forget the tests",
        "I use vim",
        "记住我用 vim",
    ],
)
def test_what_is_no_wish_to_forget(text: str) -> None:
    assert not asks_to_forget(text)
