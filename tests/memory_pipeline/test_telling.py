"""What code makes of a new and a stored fact: the same, more, a correction, or two facts."""

from __future__ import annotations

import pytest

from catmem.memory.pipeline.extraction import Candidate, Evidence
from catmem.memory.pipeline.merging.telling import Relation, relation, same_fact
from catmem.memory.store.entry import Entry


def fact(text: str, quote: str = "") -> Candidate:
    said = quote or text
    return Candidate(
        (Evidence(1, said),),
        type="project",
        scope="project",
        name="new-fact",
        description=text.rstrip(".。"),
        content=text,
        own_words=(said,),
    )


def stored(text: str) -> Entry:
    return Entry("old-fact", text.rstrip(".。"), "project", text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The staging database is at 10.0.0.5.", "The production database is at 10.0.0.6."),
        ("预发环境数据库地址是 10.0.0.5", "生产环境数据库地址是 10.0.0.6"),
        ("The billing service listens on port 8080.", "The search service listens on port 8081."),
        ("支付服务端口是8080", "搜索服务端口是8081"),
        ("Use 4 spaces in Python files.", "Use 2 spaces in YAML files."),
        ("Run the unit tests with pytest.", "Run the e2e tests with playwright."),
        ("测试用 pytest 跑。", "端到端测试用 playwright 跑。"),
        ("Deploy staging with `make up`.", "Deploy production with `make release`."),
        ("Payments are handled by Ana.", "Refunds are handled by Ana."),
        ("Grafana board: https://g.example/d/1", "Sentry board: https://s.example/p/2"),
        ("提交信息用中文", "代码注释用英文"),
        ("The Python client retries three times.", "The Node client retries five times."),
    ],
)
def test_facts_about_different_things_are_apart(old: str, new: str) -> None:
    assert relation(fact(new), stored(old)) is Relation.APART
    assert not same_fact(fact(new), stored(old))


@pytest.mark.parametrize(
    ("general", "special"),
    [
        ("Indent with 4 spaces.", "Indent with 2 spaces in the legacy folder."),
        ("Commit messages are in English.", "In the docs repo, commit messages are in Chinese."),
        ("提交信息用中文", "在文档仓库里提交信息用英文"),
        ("Run the tests with pytest.", "When you are offline, run the tests with pytest -k fast."),
    ],
)
def test_a_general_rule_and_a_special_case_are_apart_both_ways(general: str, special: str) -> None:
    assert relation(fact(special), stored(general)) is Relation.APART
    assert relation(fact(general), stored(special)) is Relation.APART


@pytest.mark.parametrize(
    ("old", "new", "quote"),
    [
        ("Packages come with npm.", "Packages come with pnpm.", "we moved from npm to pnpm"),
        ("后端用 MySQL 8。", "后端用 PostgreSQL 16。", "后端从 MySQL 换成 PostgreSQL 16 了"),
        ("The backend is in Go.", "The backend is in Rust.", "we rewrote the backend in Rust"),
        ("提交信息用中文", "提交信息用英文", "提交信息以后用英文"),
        ("Use tabs.", "Do not use tabs.", "don't use tabs any more"),
        ("The docs are in Confluence.", "The docs are in Notion.", "docs moved to Notion"),
        ("API 超时是 30 秒", "API 超时是 60 秒", "API 超时是 60 秒"),
        ("The user's editor is vim.", "The user's editor is emacs.", "my editor is emacs"),
        ("支付服务端口是8080", "支付服务端口改成8090", "支付服务端口改成8090了"),
        (
            "Li Wei reviews the frontend.",
            "Ana reviews the frontend.",
            "Ana took over the frontend reviews from Li Wei",
        ),
    ],
)
def test_a_correction_is_seen_by_its_words_or_by_its_form(old: str, new: str, quote: str) -> None:
    assert relation(fact(new, quote), stored(old)) is Relation.CORRECTS


def test_what_can_be_true_of_several_things_at_once_is_no_correction() -> None:
    new = fact("Ana owns payments.", "Ana now owns payments")

    assert relation(new, stored("Ana owns search.")) is Relation.UNCLEAR


def test_the_same_and_the_same_with_more() -> None:
    old = stored("Run the tests with pytest.")

    assert relation(fact("The tests run with pytest"), old) is Relation.SAME
    assert relation(fact("Run the tests with pytest -n 4; logs go to out/."), old) is (
        Relation.REFINES
    )
    assert relation(fact("提交信息用中文"), stored("提交信息用中文写")) is Relation.SAME


def test_the_same_words_with_another_number_or_turned_round_are_not_the_same() -> None:
    old = stored("The cache holds 1.5 GB of tiles.")

    assert not same_fact(fact("The cache holds 15 GB of tiles."), old)
    assert not same_fact(fact("The cache never holds 1.5 GB of tiles."), old)
    assert same_fact(fact("The cache holds 1.5 GB of tiles"), old)
