from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from catmem.config import Settings, load_settings
from catmem.config.load import get, setting_names
from catmem.config.write import write_choice
from catmem.errors import ConfigError
from catmem.paths import find_paths
from catmem.text import set_language

EXAMPLE = Path(__file__).parents[2] / "config.example.yaml"


@pytest.fixture(autouse=True)
def english() -> None:
    set_language("en")


def load(
    tmp_path: Path,
    text: str | bytes | None = None,
    environ: dict[str, str] | None = None,
    **flags: str | bool,
) -> Settings:
    home = tmp_path / "home"
    home.mkdir(parents=True, exist_ok=True)
    if text is not None:
        data = text.encode() if isinstance(text, str) else text
        (home / "config.yaml").write_bytes(data)
    paths = find_paths(tmp_path, {"CATMEM_HOME": str(home), "HOME": str(tmp_path)})
    return load_settings(paths, environ or {}, {k.replace("__", "."): v for k, v in flags.items()})


def fault(tmp_path: Path, text: str | bytes) -> str:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    return str(caught.value).replace(str(tmp_path / "home"), "HOME")


def test_the_example_lists_every_setting_with_its_default() -> None:
    example = yaml.safe_load(EXAMPLE.read_text("utf-8"))
    defaults = Settings()
    names = setting_names()

    def value(name: str) -> object:
        node = example
        for part in name.split("."):
            node = node[part]
        return node

    assert {name: value(name) for name in names} == {name: get(defaults, name) for name in names}

    def leaves(node: dict[str, object], prefix: str = "") -> list[str]:
        found = []
        for key, item in node.items():
            found += leaves(item, f"{prefix}{key}.") if isinstance(item, dict) else [prefix + key]
        return found

    assert leaves(example) == names


def test_the_example_copied_unchanged_behaves_like_no_file(tmp_path: Path) -> None:
    assert load(tmp_path, EXAMPLE.read_bytes()) == load(tmp_path / "other") == Settings()


def test_f05_flag_beats_environment_beats_file_beats_default(tmp_path: Path) -> None:
    text = "ui: {language: zh}\nmodel: from-file\nnetwork: {retries: 1}\n"
    environ = {"CATMEM_MODEL": "from-environment", "CATMEM_NETWORK_RETRIES": "2"}
    settings = load(tmp_path, text, environ, model="from-flag")
    assert (settings.model, settings.network.retries, settings.ui.language) == (
        "from-flag",
        2,
        "zh",
    )
    assert settings.network.idle_seconds == 120


def test_f05_an_empty_variable_counts_as_not_set(tmp_path: Path) -> None:
    assert load(tmp_path, "model: m\n", {"CATMEM_MODEL": " "}).model == "m"


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("CATMEM_MEMORY_EXIT_SECONDS", "3", "memory.exit_seconds", 3.0),
        ("CATMEM_MEMORY_EXIT_SECONDS", "null", "memory.exit_seconds", None),
        ("CATMEM_MEMORY_ENABLED", "off", "memory.enabled", False),
        ("CATMEM_PROVIDERS_OPENAI_API", "responses", "providers.openai.api", "responses"),
        ("CATMEM_UI_LANGUAGE", "zh", "ui.language", "zh"),
    ],
)
def test_environment_values_become_the_settings_type(
    tmp_path: Path, variable: str, text: str, name: str, value: object
) -> None:
    assert get(load(tmp_path, None, {variable: text}), name) == value


def test_unknown_catmem_variables_are_no_error(tmp_path: Path) -> None:
    assert load(tmp_path, None, {"CATMEM_NO_SUCH_THING": "1"}) == Settings()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("modle: x\n", "line 1: there is no setting modle; did you mean model?"),
        ("language: en\n", "line 1: there is no setting language; did you mean ui.language?"),
        (
            "memory:\n  exit_second: 3\n",
            "line 2: there is no setting memory.exit_second; did you mean memory.exit_seconds?",
        ),
        ("memory:\n  exit_seconds: abc\n", "line 2: memory.exit_seconds must be a number, not abc"),
        ("network: {retries: -1}\n", "line 1: network.retries must be at least 0, not -1"),
        ("network: {retries: .inf}\n", "line 1: network.retries must be a whole number, not inf"),
        (
            "network: {idle_seconds: .nan}\n",
            "line 1: network.idle_seconds must be at least 0.1, not nan",
        ),
        ("memory: {enabled: maybe}\n", "line 1: memory.enabled must be true or false, not maybe"),
        ("model: [a, b]\n", "line 1: model must be text, not ['a', 'b']"),
        ("model: 5\n", "line 1: model must be text, not 5"),
        (
            "permissions:\n  mode: yolo\n",
            "line 2: permissions.mode must be one of ask, accept-edits, plan, auto, not yolo",
        ),
        ("ui: zh\n", "line 1: ui is a section; write its settings indented below it"),
        ("- a\n- b\n", "line 1: settings are written as `name: value` lines, one per line"),
        ("ui:\n\tlanguage: en\n", "line 2: YAML does not allow tabs for indentation; use spaces"),
        ("model: a\nmodel: b\n", "line 2: model is set twice; remove one of them"),
        ('model: "open\n', "line 2: not valid YAML: found unexpected end of stream"),
    ],
)
def test_f01_a_fault_is_one_sentence_with_file_and_line(
    tmp_path: Path, text: str, sentence: str
) -> None:
    separator = ", "
    assert fault(tmp_path, text) == f"HOME/config.yaml{separator}{sentence}"


def test_f01_an_unknown_key_names_the_keys_that_are_there(tmp_path: Path) -> None:
    assert fault(tmp_path, "ui: {qqqq: 1}\n") == (
        "HOME/config.yaml, line 1: there is no setting ui.qqqq; available here: language"
    )


def test_f04_gbk_is_refused_and_a_bom_is_fine(tmp_path: Path) -> None:
    assert fault(tmp_path, "model: 模型\n".encode("gbk")) == (
        "HOME/config.yaml is not UTF-8 text; save it as UTF-8"
    )
    assert load(tmp_path, b"\xef\xbb\xbfmodel: m\n").model == "m"


def test_f04_config_yml_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.yml").write_text("model: m\n")
    assert load(tmp_path).model == "m"


def test_f04_an_explicit_file_must_exist_and_be_a_file(tmp_path: Path) -> None:
    paths = find_paths(tmp_path, {"HOME": str(tmp_path)})
    with pytest.raises(ConfigError, match=r"cannot read .*nope\.yaml: No such file"):
        load_settings(paths, {}, {}, tmp_path / "nope.yaml")
    with pytest.raises(ConfigError, match="is not a regular file"):
        load_settings(paths, {}, {}, tmp_path)


def test_a_misspelled_variable_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, None, {"CATMEM_MODLE": "small"})

    assert str(raised.value) == (
        "environment variable CATMEM_MODLE: there is no setting CATMEM_MODLE; "
        "did you mean CATMEM_MODEL?"
    )


def test_faults_of_variables_and_flags_name_them(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"^environment variable CATMEM_NETWORK_RETRIES: retries must be a whole"
    ):
        load(tmp_path, None, {"CATMEM_NETWORK_RETRIES": "many"})
    with pytest.raises(ConfigError, match=r"^--provider: provider must be one of auto"):
        load(tmp_path, None, None, provider="gpt")


def test_empty_files_and_empty_sections_are_fine(tmp_path: Path) -> None:
    assert load(tmp_path, "# nothing\n") == Settings()
    assert load(tmp_path, "memory:\nui: null\n") == Settings()


def test_a_written_choice_reads_back_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "home" / "config.yaml"
    write_choice(
        path,
        {
            "provider": "openai",
            "model": "qwen3: coder #1",
            "providers.openai.base_url": "http://127.0.0.1:11434/v1",
            "providers.openai.api": "chat",
        },
    )
    settings = load(tmp_path)
    assert (settings.provider, settings.model) == ("openai", "qwen3: coder #1")
    assert settings.providers.openai.base_url == "http://127.0.0.1:11434/v1"
    assert settings.providers.openai.api == "chat"
    assert path.stat().st_mode & 0o777 == 0o600


def test_settings_that_are_nested_too_deeply_are_a_fault_of_the_file(tmp_path: Path) -> None:
    assert fault(tmp_path, "a: " + "[" * 5_000) == "HOME/config.yaml: it is not valid YAML"
