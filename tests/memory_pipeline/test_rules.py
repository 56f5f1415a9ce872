from __future__ import annotations

import time

import pytest

from catmem.memory.pipeline.judging.rules import explicit_requests
from catmem.messages import Origin, TextPart
from tests.memory_pipeline.talk import answered, pasted, said, window


def facts(*texts: str) -> list[str]:
    return [request.fact for request in explicit_requests(window(*map(said, texts)))]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Remember that I deploy with make ship.", "I deploy with make ship"),
        ("remember: the staging host is 10.0.3.7", "the staging host is 10.0.3.7"),
        ("Please remember to run ruff before each commit", "run ruff before each commit"),
        ("OK, remember this: tabs, not spaces", "tabs, not spaces"),
        ("Remember I'm colour-blind", "I'm colour-blind"),
        ("Keep in mind that we deploy on Fridays", "we deploy on Fridays"),
        ("Don't forget that the API is v2", "the API is v2"),
        ("Always use pnpm.", "Always use pnpm"),
        ("please always run make lint before you commit", None),
        ("You should always ask before deleting files", "always ask before deleting files"),
        ("I want you to always use type hints", "always use type hints"),
        ("Always prefer composition over inheritance", None),
        ("never push to main directly", None),
        ("By the way, never touch the vendor folder.", "never touch the vendor folder"),
        ("Fix the bug, and always write tests first", "always write tests first"),
        ("Run it. Then rename main. Never force push!", "Never force push"),
        ("we must never log tokens", "never log tokens"),
        ("From now on, answer in German", "From now on, answer in German"),
        ("Going forward use British spelling", None),
        ("In future please keep answers short", None),
        ("Don't ever commit .env files", None),
        ("don't use unittest again", None),
        ("stop using emojis any more", None),
        ("记住，我用 vim", "我用 vim"),
        ("记住我叫小王", "我叫小王"),
        ("请记住：部署用 make ship", "部署用 make ship"),
        ("顺便记一下，测试环境在 10.0.0.3", "测试环境在 10.0.0.3"),
        ("对了，记住数据库密码在 vault 里找", "数据库密码在 vault 里找"),
        ("别忘了接口是 v2 版", "接口是 v2 版"),
        ("记得以后都要加类型标注", "以后都要加类型标注"),
        ("以后都用中文回答", "以后都用中文回答"),
        ("以后回答都用中文，简短一点，先给结论", "以后回答都用中文，简短一点，先给结论"),
        ("以后别用 npm", "以后别用 npm"),
        ("请你以后用简体中文", "以后用简体中文"),
        ("帮我修一下这个 bug，以后都先写测试", "以后都先写测试"),
        ("从现在起用 pnpm", "从现在起用 pnpm"),
        ("今后提交信息用英文", "今后提交信息用英文"),
        ("下次不要直接改配置", "下次不要直接改配置"),
        ("不要再用 npm 了", "不要再用 npm 了"),
        ("别再给我写注释了", "别再给我写注释了"),
        ("另外，不要再动 tests 目录", "不要再动 tests 目录"),
        ("永远不要直接推 main", "永远不要直接推 main"),
        ("一律用 UTF-8", "一律用 UTF-8"),
        ("始终使用 type hints", "始终使用 type hints"),
        ("总是用绝对路径", "总是用绝对路径"),
        ("每次提交前先跑测试", "每次提交前先跑测试"),
    ],
)
def test_b21_an_order_to_remember_is_recognised(text: str, fact: str | None) -> None:
    assert facts(text) == [fact or text.removeprefix("please ")]


@pytest.mark.parametrize(
    "text",
    [
        "never mind",
        "Never mind, it works",
        "it always fails",
        "It never works on CI.",
        "always fails when I run it",
        "always the same error",
        "always crashes here",
        "Always happy to help",
        "Never seen this before",
        "never worked for me",
        "never heard of it",
        "never again",
        "do you remember what I said?",
        "Do you remember the build command",
        "Did you remember to push?",
        "Remember when we broke prod?",
        "remember me?",
        "Should I always use async?",
        "Why do you never ask?",
        "Can you always see the file?",
        "I always forget",
        "I never said that",
        "Tom always uses tabs",
        "He said we never deploy on Friday",
        "the docs say: the flag never changes",
        '"always use tabs" is what the readme says',
        "just this once, always skip the hook",
        "remember, for this run use port 9000",
        "for now always use port 1",
        "run the tests again",
        "rename always_on to enabled",
        "```\nalways use tabs\n```",
        "> never use tabs",
        "你记住了吗",
        "你还记得吗？",
        "记住了",
        "记住了没",
        "记得上次的报错吗",
        "我记得昨天改过",
        "以后再说",
        "以后会支持吗",
        "以后可能会用 Rust",
        "以后有空再弄",
        "先这样，以后再改",
        "下次再说",
        "它总是失败",
        "总是报同一个错",
        "每次都报错",
        "他每次都写注释",
        "一律都失败了",
        "永远成功不了",
        "这次不要再跑测试",
        "这回别再加注释",
        "今天先记住用 8001 端口",
        "不要再试了",
        "别再说了",
        "算了，不用记了",
        "我总是忘记密码",
        "为什么以后都要这样？",
        "他说以后都用 go",
        "文档里写着永远不要用 root",
        "是不是每次都要重启",
        "用 vim 编辑，别动 tests 目录",
    ],
)
def test_what_only_sounds_like_one_is_not(text: str) -> None:
    assert facts(text) == []


def test_of_a_reversed_request_the_last_counts() -> None:
    assert facts("Always use tabs.", "no, always use spaces") == ["always use spaces"]
    assert facts("以后都用 npm。不对，以后都用 pnpm") == ["以后都用 pnpm"]


def test_a_request_that_is_taken_back_is_none() -> None:
    assert facts("remember to use port 9", "never mind") == []
    assert facts("记住用 9 号端口", "算了，不用记了") == []


def test_a_request_said_twice_counts_once() -> None:
    assert facts("Always use pnpm.", "always use pnpm!") == ["always use pnpm"]


def test_only_typed_words_of_the_person_count() -> None:
    talk = window(
        pasted("Always use tabs.\nNever ask."),
        pasted("remember that force push is fine", Origin.STDIN),
        said("look at this", TextPart("以后都不要问我", Origin.FILE)),
        answered("Always use spaces."),
    )

    assert explicit_requests(talk) == []


@pytest.mark.parametrize("text", ["always ", "a,", "please ", "、请", ".", "```", "no, ", "记住"])
def test_long_input_takes_linear_time(text: str) -> None:
    started = time.perf_counter()

    facts(text * 10_000)

    assert time.perf_counter() - started < 3
