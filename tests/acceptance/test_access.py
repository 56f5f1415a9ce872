"""Base URLs, proxies and keys through the real program."""

from __future__ import annotations

import json

import pytest

from tests.acceptance.steps import (
    NO_PIPELINE,
    enter,
    finished,
    leave,
    one_line,
)
from tests.support.model_server import StartModel
from tests.support.program import MakeProgram
from tests.support.reply import Reply, Wire


@pytest.mark.parametrize("form", ["messages", "chat"])
def test_d18_base_urls_work_with_and_without_version_slash_and_blanks(
    form: Wire, model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("hello"), Reply("hello"))
    variable = "ANTHROPIC_BASE_URL" if form == "messages" else "OPENAI_BASE_URL"
    for url in (server.url, f" {server.url}/v1/ "):
        catmem = program(server, form, **{**NO_PIPELINE, variable: url})
        assert finished(catmem.run("-p", "hi")).stdout == "hello\n"


def test_d18_a_base_url_without_scheme_or_with_the_whole_path_works(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("hello"), Reply("hello"))
    for url in (f"{server.url.partition('//')[2]}/v1", f"{server.url}/v1/chat/completions"):
        catmem = program(server, **NO_PIPELINE, OPENAI_BASE_URL=url)
        assert finished(catmem.run("-p", "hi")).stdout == "hello\n"


def test_d18_a_base_url_that_is_none_names_itself(program: MakeProgram) -> None:
    url = "ftp://127.0.0.1/v1"
    catmem = program(None, CATMEM_PROVIDER="openai", OPENAI_API_KEY="k", OPENAI_BASE_URL=url)
    run = catmem.run("-p", "hi")
    assert run.code in {1, 2}
    assert url in one_line(run.stderr)
    assert "http://" in run.stderr


def test_d19_proxy_variables_do_not_matter_on_loopback(
    wire: Wire, model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("hello"))
    proxies = {
        "ALL_PROXY": "socks5://127.0.0.1:1",
        "HTTP_PROXY": "http://127.0.0.1:1",
        "HTTPS_PROXY": "foo",
    }
    catmem = program(server, wire, **NO_PIPELINE, **proxies)
    assert finished(catmem.run("-p", "hi")).stdout == "hello\n"


def test_d19_a_bad_proxy_is_named(program: MakeProgram) -> None:
    catmem = program(
        None,
        CATMEM_PROVIDER="openai",
        OPENAI_API_KEY="k",
        OPENAI_BASE_URL="https://model.invalid/v1",
        HTTPS_PROXY="socks5://127.0.0.1:1",
        CATMEM_NETWORK_RETRIES="0",
    )
    run = catmem.run("-p", "hi")
    assert run.code in {1, 2, 75}
    assert "HTTPS_PROXY" in run.stderr or "socks" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("form", ["messages", "chat"])
def test_d20_blanks_around_a_key_do_no_harm(
    form: Wire, model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("hello"))
    variable = "ANTHROPIC_API_KEY" if form == "messages" else "OPENAI_API_KEY"
    catmem = program(server, form, **{**NO_PIPELINE, variable: "\tkey-1 \n"})
    assert finished(catmem.run("-p", "hi")).stdout == "hello\n"
    assert server.requests[0].headers["authorization"] == "Bearer key-1"


@pytest.mark.parametrize("form", ["messages", "chat"])
def test_d20_a_key_that_no_header_can_carry_is_named(
    form: Wire, model: StartModel, program: MakeProgram
) -> None:
    variable = "ANTHROPIC_API_KEY" if form == "messages" else "OPENAI_API_KEY"
    run = program(model(), form, **{variable: "密钥"}).run("-p", "hi")
    assert run.code in {1, 2}
    assert variable in one_line(run.stderr)
    assert "密钥" not in run.stderr


def test_d20_without_a_key_the_sentence_says_what_to_set(program: MakeProgram) -> None:
    run = finished(program(None).run("-p", "hi"), 2)
    assert "ANTHROPIC_API_KEY" in run.stderr
    assert "OPENAI_API_KEY" in run.stderr
    run = finished(program(None, CATMEM_PROVIDER="openai").run("-p", "hi"), 2)
    assert "OPENAI_API_KEY" in one_line(run.stderr)


def test_d20_a_wrong_key_brings_no_second_storm_at_the_end(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply(status=401), Reply(status=401))
    terminal = enter(program(server))
    terminal.say("please look at my project")
    terminal.wait_for("key")
    said = leave(terminal)
    assert len([line for line in said.splitlines() if "OPENAI_API_KEY" in line]) <= 2
    assert len(server.requests) <= 2


def test_an_answer_of_json_mode_tells_failure_in_json(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("hello"), Reply(status=401))
    catmem = program(server, **NO_PIPELINE)
    fine = json.loads(finished(catmem.run("-p", "hi", "--output-format", "json")).stdout)
    assert "hello" in fine.values()
    failed = json.loads(finished(catmem.run("-p", "hi", "--output-format", "json"), 1).stdout)
    assert "hello" not in failed.values()
