"""Settings: one sentence for each fault, one documented order, no secret in any file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.steps import NO_PIPELINE, answer, enter, finished, leave, one_line
from tests.support.model_server import StartModel
from tests.support.pipeline import PipelineRouter, candidate
from tests.support.program import MakeProgram
from tests.support.reply import Reply

BAD = {
    "tab": ("memory:\n\tenabled: true\n", ["line 2", "tabs"]),
    "unclosed quote": ('model: "x\n', ["line"]),
    "unknown key": ("modle: x\n", ["line 1", "modle", "model"]),
    "wrong level": ("enabled: true\n", ["line 1", "enabled"]),
    "list": ("- model\n", ["line 1"]),
    "wrong type": ("memory:\n  min_messages: abc\n", ["line 2", "memory.min_messages", "abc"]),
    "too small": ("memory:\n  min_messages: -1\n", ["line 2", "memory.min_messages", "-1"]),
    "wrong choice": ("ui: {language: de}\n", ["line 1", "ui.language", "en", "zh", "de"]),
}


@pytest.mark.parametrize("name", BAD)
def test_f01_a_bad_setting_is_one_sentence(name: str, program: MakeProgram) -> None:
    text, words = BAD[name]
    catmem = program(None)
    catmem.catmem_home.mkdir()
    config = catmem.catmem_home / "config.yaml"
    config.write_text(text)
    for args in (["-p", "hi"], ["memory", "list"]):
        run = finished(catmem.run(*args), 2)
        assert run.stdout == ""
        for word in (str(config), *words):
            assert word in one_line(run.stderr)


def test_f01_the_sentence_appears_on_a_terminal_too(program: MakeProgram) -> None:
    catmem = program(None, CATMEM_UI_LANGUAGE="zh")
    catmem.catmem_home.mkdir()
    (catmem.catmem_home / "config.yaml").write_text("modle: x\n")
    terminal = catmem.terminal(cols=200)
    assert terminal.wait_exit() == 2
    terminal.assert_sane()
    assert "没有设置项 modle，您是想写 model 吗？" in terminal.transcript


def test_f04_files_that_are_missing_misnamed_or_no_text(
    program: MakeProgram, model: StartModel
) -> None:
    server = model(Reply("hello"))
    catmem = program(server, **NO_PIPELINE)
    missing = catmem.workspace / "nope.yaml"
    run = finished(catmem.run("-p", "hi", "--config", str(missing)), 2)
    assert str(missing) in one_line(run.stderr)
    run = finished(catmem.run("-p", "hi", "--config", str(catmem.workspace)), 2)
    assert str(catmem.workspace) in one_line(run.stderr)
    gbk = catmem.workspace / "gbk.yaml"
    gbk.write_bytes("model: 模型\n".encode("gbk"))
    run = finished(catmem.run("-p", "hi", "--config", str(gbk)), 2)
    assert "UTF-8" in one_line(run.stderr)
    assert str(gbk) in run.stderr

    with_mark = catmem.workspace / "bom.yaml"
    with_mark.write_text("model: from-the-file\n", "utf-8-sig")
    finished(catmem.run("-p", "hi", "--config", str(with_mark)))
    assert server.requests[0].body["model"] == "from-the-file"

    catmem.catmem_home.mkdir(exist_ok=True)
    (catmem.catmem_home / "config.yml").write_text("model: other\n")
    server.script.append(Reply("hello"))
    run = catmem.run("-p", "hi")
    assert "config.yml" in run.stderr or server.requests[1].body["model"] == "other"


def test_f04_the_file_in_use_is_shown(program: MakeProgram, model: StartModel) -> None:
    catmem = program(model())
    config = catmem.workspace / "mine.yaml"
    config.write_text("model: from-the-file\n")
    terminal = enter(catmem, "--config", str(config), cols=200)
    answer(terminal, "/status", r"mine\.yaml")
    leave(terminal)
    assert "from-the-file" in terminal.transcript


def test_f05_flag_before_environment_before_file_before_default(
    program: MakeProgram, model: StartModel
) -> None:
    server = model(*[Reply("hello")] * 4)
    catmem = program(server, CATMEM_MODEL="from-env", **NO_PIPELINE)
    catmem.catmem_home.mkdir()
    (catmem.catmem_home / "config.yaml").write_text("model: from-file\n")
    finished(catmem.run("-p", "hi", "--model", "from-flag"))
    finished(catmem.run("-p", "hi"))
    finished(program(server, CATMEM_MODEL="", **NO_PIPELINE).run("-p", "hi"))  # empty is unset
    (catmem.catmem_home / "config.yaml").unlink()
    finished(program(server, **NO_PIPELINE).run("-p", "hi"))
    first, second, third, fourth = (request.body["model"] for request in server.requests)
    assert (first, second, third) == ("from-flag", "from-env", "from-file")
    assert fourth not in {"", "from-file"}


def test_f05_a_foreign_key_or_address_does_not_win(program: MakeProgram, model: StartModel) -> None:
    server, other = model(Reply("hello")), model()
    catmem = program(
        server,
        "messages",
        ANTHROPIC_AUTH_TOKEN="foreign",
        ANTHROPIC_BASE_URL=other.url,
        CATMEM_PROVIDERS_ANTHROPIC_BASE_URL=server.url,
        OPENAI_API_KEY="",
        OPENAI_BASE_URL="",
        **NO_PIPELINE,
    )
    finished(catmem.run("-p", "hi"))
    assert server.requests[0].headers["authorization"] == "Bearer test"
    assert "foreign" not in str(server.requests[0].headers)


def test_f05_the_start_says_where_the_key_comes_from_not_what_it_is(
    program: MakeProgram, model: StartModel
) -> None:
    catmem = program(model(), OPENAI_API_KEY="sk-shown-nowhere-0123456789abcdef")
    terminal = enter(catmem)
    answer(terminal, "/status", "OPENAI_API_KEY")
    assert "sk-shown-nowhere" not in leave(terminal)


def test_f06_no_key_on_disk_or_screen(program: MakeProgram, model: StartModel) -> None:
    key = "sk-proj-F4KE0123456789abcdefghijABCDEFGHIJ0123456789"
    router = PipelineRouter()
    router.chat.extend(
        [
            Reply(tool_calls=[("bash", {"command": "env"})]),
            Reply("That was the environment."),
            Reply(status=401, error=("authentication_error", f"Incorrect API key: {key}")),
        ]
    )
    router.learn(
        candidate("api-key", "The key", f"The key is {key}", quote="my key is", type="reference")
    )
    server = model(router=router)
    catmem = program(server, OPENAI_API_KEY=key)
    terminal = enter(catmem, "--permission-mode", "auto", cols=200)
    answer(terminal, f"my key is {key}, look at my environment", "That was the environment")
    answer(terminal, "and go on", "OPENAI_API_KEY")
    said = leave(terminal)
    assert said.replace(f"my key is {key}", "").count(key) == 0
    # the command of a tool does not see it; what the person wrote is in the transcript alone
    assert key not in "".join(server.chats[1].tool_results.values())
    assert key not in server.pipeline[0].text
    for place in (catmem.catmem_home, catmem.workspace):
        holders = [path for path in place.rglob("*") if path.is_file() and holds(path, key)]
        assert {path.suffix for path in holders} <= {".jsonl"}
        assert all("sessions" in path.parts for path in holders)


def holds(path: Path, text: str) -> bool:
    return text.encode() in path.read_bytes()


def test_f08_dollars_and_braces_are_only_text(program: MakeProgram, model: StartModel) -> None:
    odd = "use $HOME, {name}, %s, {{x}}, {0}, {cwd} and ${y} in paths"
    router = PipelineRouter()
    router.chat.extend([Reply(f"Noted: {odd}"), Reply("ok")])
    router.learn(candidate("odd-paths", odd, quote=odd))
    server = model(router=router)
    catmem = program(server)
    finished(catmem.run("-p", odd))
    assert odd in "\n".join(server.pipeline[0].user_texts)
    written = (catmem.catmem_home / "memory" / "odd-paths.md").read_text("utf-8")
    assert written.count(odd) == 2  # description and content
    finished(catmem.run("-p", "go on with it please"))
    assert odd in server.chats[1].system
