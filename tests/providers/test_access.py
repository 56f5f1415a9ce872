"""Which provider, server, key and model a run uses."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest

from catmem.config import Settings
from catmem.config.schema import (
    MemorySettings,
    OpenAISettings,
    ProvidersSettings,
)
from catmem.errors import ConfigError, MissingKeyError, NoProviderError, ProviderError
from catmem.providers import Access, find_access
from catmem.providers.discovery import LocalServer, find_servers
from tests.providers.asking import (
    parts_of,
    provider,
    provider_of,
    settings_for,
    structured_request,
    text_in,
)
from tests.support.model_server import StartModel
from tests.support.reply import Reply, Wire

BOTH = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}


def access(settings: Settings | None = None, **environ: str) -> Access:
    return find_access(settings or Settings(), environ)


def openai(**changes: Any) -> Settings:
    return Settings(
        provider="openai", providers=ProvidersSettings(openai=OpenAISettings(**changes))
    )


def test_auto_takes_the_one_key_and_anthropic_of_both() -> None:
    assert access(ANTHROPIC_API_KEY="a").provider == "anthropic"
    assert access(OPENAI_API_KEY="o").provider == "openai"
    assert find_access(Settings(), BOTH).provider == "anthropic"
    assert access(ANTHROPIC_API_KEY=" ", OPENAI_API_KEY="o").provider == "openai"


def test_auto_takes_a_server_of_this_machine_that_needs_no_key() -> None:
    found = access(OPENAI_BASE_URL="http://127.0.0.1:11434")
    assert (found.provider, found.base_url, found.key_source) == (
        "openai",
        "http://127.0.0.1:11434/v1",
        "",
    )


def test_d20_nothing_configured_names_both_variables() -> None:
    with pytest.raises(NoProviderError, match="ANTHROPIC_API_KEY or OPENAI_API_KEY"):
        access(OPENAI_API_KEY="", ANTHROPIC_BASE_URL="")
    with pytest.raises(MissingKeyError, match="needs a key; set MY_KEY"):
        access(openai(api_key_env="MY_KEY"), OPENAI_API_KEY="o")


def test_official_servers_models_and_wire_forms() -> None:
    claude, gpt = access(ANTHROPIC_API_KEY="a"), access(OPENAI_API_KEY="o")
    assert (claude.base_url, claude.default_model, claude.wire) == (
        "https://api.anthropic.com",
        "claude-sonnet-5-5",
        "messages",
    )
    assert (gpt.base_url, gpt.default_model, gpt.wire) == (
        "https://api.openai.com/v1",
        "gpt-6.2-sol",
        "responses",
    )
    assert access(OPENAI_API_KEY="o", OPENAI_BASE_URL="https://api.deepseek.com").wire == "chat"
    assert access(openai(api="chat"), OPENAI_API_KEY="o").wire == "chat"


def test_f05_a_setting_beats_the_variable_and_an_empty_variable_is_none() -> None:
    settings = openai(base_url="http://127.0.0.1:1/v1")
    assert access(settings, OPENAI_BASE_URL="http://127.0.0.1:2").base_url.endswith(":1/v1")
    assert access(OPENAI_API_KEY="o", OPENAI_BASE_URL=" ").base_url == "https://api.openai.com/v1"


def test_the_memory_pipeline_may_have_a_model_and_provider_of_its_own() -> None:
    settings = Settings(model="big", memory=MemorySettings(model="small"))
    assert find_access(settings, BOTH, "memory").model == "small"
    assert find_access(settings, BOTH).model == "big"
    other = replace(settings, memory=MemorySettings(provider="openai"))
    found = find_access(other, BOTH, "memory")
    assert (found.provider, found.model) == ("openai", None)


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://h:1/v1", "http://h:1/v1"),
        ("http://h:1/v1/", "http://h:1/v1"),
        ("http://h:1", "http://h:1/v1"),
        (" http://h:1/v1 \n", "http://h:1/v1"),
        ("h:1/v1", "http://h:1/v1"),
        ("localhost/v1", "http://localhost/v1"),
        ("api.example.com", "https://api.example.com/v1"),
        ("http://h:1/v1/chat/completions", "http://h:1/v1"),
        ("https://h/api/v1/responses/", "https://h/api/v1"),
        ("https://h/v1beta/openai/", "https://h/v1beta/openai"),
    ],
)
def test_d18_base_urls_for_openai(given: str, used: str) -> None:
    assert access(openai(base_url=given), OPENAI_API_KEY="o").base_url == used


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://h:1/v1/", "http://h:1"),
        ("http://h:1", "http://h:1"),
        ("https://h/anthropic/v1/messages", "https://h/anthropic"),
    ],
)
def test_d18_base_urls_for_anthropic(given: str, used: str) -> None:
    found = access(ANTHROPIC_API_KEY="a", ANTHROPIC_BASE_URL=given)
    assert found.base_url == used


@pytest.mark.parametrize(
    "given", ["ftp://h/v1", "http://", "http://h:port", "://h", "http://h/v1?key=s", "http://h h"]
)
def test_d18_what_is_no_base_url_is_named(given: str) -> None:
    with pytest.raises(
        ConfigError, match=r"is not a server address; set OPENAI_BASE_URL"
    ) as raised:
        access(openai(base_url=given), OPENAI_API_KEY="o")
    assert given.partition("?")[0] in str(raised.value)


def test_f06_a_password_in_a_base_url_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigError) as raised:
        access(openai(base_url="https://me:geheim@h/v1"), OPENAI_API_KEY="o")
    assert "geheim" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://localhost:1", True),
        ("http://127.0.0.1:1", True),
        ("http://127.8.0.1:1", True),
        ("http://[::1]:1", True),
        ("http://0.0.0.0:1", True),
        ("http://192.168.1.5:1", False),
        ("https://localhost.example.com", False),
    ],
)
def test_what_is_on_this_machine(url: str, loopback: bool) -> None:
    assert access(openai(base_url=url), OPENAI_API_KEY="o").loopback is loopback


def test_d20_f06_keys_are_trimmed_checked_and_never_shown() -> None:
    found = access(OPENAI_API_KEY=" my-secret\n")
    assert (found.key, found.key_source) == ("my-secret", "OPENAI_API_KEY")
    assert "my-secret" not in repr(found)
    for key in ("密钥", "two words", "a\x00b"):
        with pytest.raises(ConfigError, match="the key from OPENAI_API_KEY holds") as raised:
            access(OPENAI_API_KEY=key)
        assert key not in str(raised.value)


def test_a_command_may_give_the_key_where_the_variable_does_not() -> None:
    settings = openai(api_key_command=f"{sys.executable} -c \"print('from-command')\"")
    found = access(settings)
    assert (found.key, found.key_source) == ("from-command", "providers.openai.api_key_command")
    assert access(settings, OPENAI_API_KEY="o").key == "o"
    assert access(replace(settings, provider="auto")).provider == "openai"
    with pytest.raises(ConfigError, match=r"providers\.openai\.api_key_command did not print"):
        access(openai(api_key_command="/no/such/command --secret=geheim"))


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("listed", "sent"),
    [
        ({"data": [{"id": "qwen3:4b"}, {"id": "llama"}]}, "qwen3:4b"),
        ({"data": [{"id": "llama"}, {"id": "gpt-6.2-sol"}]}, "gpt-6.2-sol"),
        ({"data": []}, "gpt-6.2-sol"),
        ({"models": "?"}, "gpt-6.2-sol"),
    ],
)
async def test_without_a_model_the_server_is_asked_once(
    listed: object, sent: str, model: StartModel
) -> None:
    server = model(Reply("ok"), Reply("ok"), Reply("{}"))
    server.pages["/v1/models"] = (200, listed)
    async with provider(server, "chat", model=None) as one:
        assert one.model == ""
        await one.warm_up()
        assert one.model == sent
        await parts_of(one)
        await parts_of(one)
        await one.structured(structured_request())
    assert [request.body["model"] for request in server.requests] == [sent] * 3
    assert server.lookups == ["GET /v1/models"]


@pytest.mark.anyio
@pytest.mark.parametrize("status", [404, 501])
async def test_a_server_that_lists_no_models_gets_the_default(
    status: int, wire: Wire, model: StartModel
) -> None:
    server = model(Reply("ok"))
    server.pages["/v1/models"] = (status, {"error": "no"})
    async with provider(server, wire, model=None) as one:
        await parts_of(one)
    default = "claude-sonnet-5-5" if wire == "messages" else "gpt-6.2-sol"
    assert server.requests[0].body["model"] == default
    assert server.lookups == ["GET /v1/models"]


@pytest.mark.anyio
async def test_a_named_model_is_not_looked_up(wire: Wire, model: StartModel) -> None:
    server = model(Reply("ok"))
    async with provider(server, wire) as one:
        await one.warm_up()
        assert server.lookups == []
        assert text_in(await parts_of(one)) == "ok"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("variable", "value"), [("ALL_PROXY", "socks5://127.0.0.1:1"), ("HTTP_PROXY", "foo")]
)
async def test_d19_proxies_are_not_used_on_this_machine(
    variable: str, value: str, wire: Wire, model: StartModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    async with provider(model(Reply("ok")), wire) as one:
        assert text_in(await parts_of(one)) == "ok"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("socks5://127.0.0.1:1", "the proxy in HTTPS_PROXY cannot be used"),
        ("http://127.0.0.1:1", "through the proxy in HTTPS_PROXY"),
    ],
)
async def test_d19_a_proxy_that_does_not_work_is_named(
    value: str, sentence: str, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", value)
    one = provider_of(settings_for("https://model.invalid", wire))
    await one.warm_up()
    with pytest.raises(ProviderError, match=sentence):
        await parts_of(one)
    await one.aclose()


@pytest.mark.anyio
async def test_foreign_credentials_in_the_environment_are_not_sent(
    model: StartModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "foreign")
    server = model(Reply("ok"))
    async with provider(server, "messages") as one:
        await parts_of(one)
    assert server.requests[0].headers["authorization"] == "Bearer test"
    assert "foreign" not in str(server.requests[0].headers)


def test_servers_on_this_machine_are_found(model: StartModel) -> None:
    ollama, other = model(), model()
    ollama.pages["/v1/models"] = (200, {"object": "list", "data": [{"id": "qwen3:4b"}]})
    ports = {
        "Ollama": int(ollama.url.rpartition(":")[2]),
        "llama.cpp": int(other.url.rpartition(":")[2]),
        "vLLM": 1,
    }
    assert find_servers(ports) == [LocalServer("Ollama", f"{ollama.url}/v1")]
