"""A project's own settings: read when trusted, between environment and user, within limits."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from catmem.config import Settings, load_settings
from catmem.config.load import get, setting_names
from catmem.config.permitted import PERMITTED
from catmem.config.trust import TrustFile
from catmem.errors import ConfigError
from catmem.paths import Paths, find_paths
from catmem.text import set_language
from tests.trust.repository import clone, git, shared


@pytest.fixture(autouse=True)
def english() -> None:
    set_language("en")


@pytest.fixture
def paths(tmp_path: Path, workspace: Path) -> Paths:
    environ = {"HOME": str(tmp_path), "CATMEM_HOME": str(tmp_path / "catmem")}
    return find_paths(workspace, environ)


def config_of(paths: Paths, text: str) -> Path:
    path = paths.workspace / ".catmem" / "config.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def trust(paths: Paths) -> None:
    assert paths.project_config_file is not None
    assert paths.memory_root is not None
    digest = hashlib.sha256(paths.project_config_file.read_bytes()).hexdigest()
    TrustFile(paths.trust, paths.memory_root).change(lambda known: known.trusting((), [digest]))


def load(paths: Paths, user: str = "", **flags: str | bool) -> Settings:
    paths.home.mkdir(exist_ok=True)
    paths.config_file.write_text(user)
    environ = {"CATMEM_NETWORK_RETRIES": "3"}
    return load_settings(paths, environ, flags)


def test_flag_beats_environment_beats_project_beats_user(paths: Paths) -> None:
    config_of(
        paths,
        "model: projects\nprovider: openai\nnetwork: {retries: 2, idle_seconds: 20}\n"
        "memory: {max_injected: 7}\nui: {language: zh}\n",
    )
    user = "model: users\nnetwork: {retries: 1, idle_seconds: 10}\nui: {language: en}\n"
    names = ("model", "provider", "network.retries", "network.idle_seconds", "memory.max_injected")
    before = load(paths, user, provider="local")
    assert [get(before, name) for name in names] == ["users", "local", 3, 10.0, 30]
    trust(paths)
    after = load(paths, user, provider="local")
    assert [get(after, name) for name in names] == ["projects", "local", 3, 20.0, 7]
    assert (after.ui.language, before.ui.language) == ("zh", "en")


def test_other_content_is_not_trusted(paths: Paths) -> None:
    path = config_of(paths, "model: a\n")
    trust(paths)
    path.write_text("model: b\n")
    assert load(paths).model is None
    path.write_text("model: a\n")
    assert load(paths).model == "a"


@pytest.mark.parametrize(
    ("users", "projects", "result"),
    [
        ("ask", "plan", "plan"),
        ("plan", "ask", "plan"),
        ("auto", "ask", "ask"),
        ("accept-edits", "plan", "plan"),
        ("ask", "ask", "ask"),
    ],
)
def test_permissions_can_only_become_stricter(
    paths: Paths, users: str, projects: str, result: str
) -> None:
    config_of(paths, f"permissions: {{mode: {projects}}}\n")
    trust(paths)
    assert load(paths, f"permissions: {{mode: {users}}}\n").permissions.mode == result


PERSONAL = [
    ("providers", "anthropic", "base_url", "https://example.invalid"),
    ("providers", "anthropic", "api_key_env", "HOME"),
    ("providers", "anthropic", "api_key_command", "cat ~/.ssh/id_rsa"),
    ("providers", "anthropic", "auth", "x-api-key"),
    ("providers", "openai", "base_url", "https://example.invalid"),
    ("providers", "openai", "api_key_env", "HOME"),
    ("providers", "openai", "api_key_command", "curl example.invalid"),
    ("providers", "local", "model_path", "./model.gguf"),
    ("memory", "user_dir", "./notes"),
    ("memory", "project_dir", "home"),
]


@pytest.mark.parametrize("parts", PERSONAL, ids=lambda parts: ".".join(parts[:-1]))
def test_what_leads_elsewhere_is_the_users_alone(paths: Paths, parts: tuple[str, ...]) -> None:
    *sections, last, value = parts
    lines = ["model: x", *(f"{'  ' * depth}{name}:" for depth, name in enumerate(sections))]
    lines.append(f"{'  ' * len(sections)}{last}: {value}")
    path = config_of(paths, "\n".join(lines) + "\n")
    assert load(paths) == load_settings(paths, {"CATMEM_NETWORK_RETRIES": "3"}, {})
    trust(paths)
    with pytest.raises(ConfigError) as caught:
        load(paths)
    name = ".".join([*sections, last])
    assert str(caught.value) == (
        f"{path}, line {len(lines)}: a project cannot set {name}; "
        "set it in your own config.yaml and remove it here"
    )


@pytest.mark.parametrize("mode", ["accept-edits", "auto"])
def test_no_project_loosens_permissions(paths: Paths, mode: str) -> None:
    path = config_of(paths, f"# ours\npermissions:\n  mode: {mode}\n")
    trust(paths)
    with pytest.raises(ConfigError) as caught:
        load(paths, "permissions: {mode: auto}\n")
    assert str(caught.value) == (
        f"{path}, line 3: permissions.mode of a project may only be plan, ask, not {mode}: "
        "a project cannot loosen permissions"
    )


def test_a_key_in_the_file_is_refused_and_not_repeated(paths: Paths) -> None:
    key = "sk-ant-api03-" + "Ab3dE5fG7h" * 9 + "-AAAAAAAA"
    path = config_of(paths, f"model: x\nproviders:\n  anthropic:\n    api_key: {key}\n")
    trust(paths)
    with pytest.raises(ConfigError) as caught:
        load(paths)
    assert str(caught.value) == (
        f"{path}, line 4: a project's settings may hold no key or password; "
        "use an environment variable instead"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("model: [\n", "not valid YAML"),
        ("modell: x\n", "there is no setting modell; did you mean model?"),
        ("network: {retries: many}\n", "network.retries must be a whole number, not many"),
    ],
)
def test_faults_name_file_and_line_when_trusted(paths: Paths, text: str, reason: str) -> None:
    path = config_of(paths, "\n" + text)
    assert load(paths).model is None
    trust(paths)
    with pytest.raises(ConfigError) as caught:
        load(paths)
    assert str(caught.value).startswith(f"{path}, line ")
    assert reason in str(caught.value)


def test_every_setting_that_a_project_may_have_is_one(paths: Paths) -> None:
    assert set(setting_names()) >= PERMITTED
    personal = {".".join(parts[:-1]) for parts in PERSONAL}
    assert not PERMITTED & personal
    assert paths.project_config_file == paths.workspace / ".catmem" / "config.yaml"


def test_links_are_not_read(paths: Paths, tmp_path: Path) -> None:
    path = config_of(paths, "model: a\n")
    trust(paths)
    path.rename(tmp_path / "elsewhere.yaml")
    path.symlink_to(tmp_path / "elsewhere.yaml")
    assert load(paths).model is None


def test_in_the_home_directory_the_users_file_is_read_once(tmp_path: Path) -> None:
    paths = find_paths(tmp_path, {"HOME": str(tmp_path)})
    assert paths.project_config_file is None
    config = tmp_path / ".catmem" / "config.yaml"
    config.parent.mkdir()
    config.write_text("permissions: {mode: auto}\n")
    assert load_settings(paths, {}, {}).permissions.mode == "auto"


def test_a_linked_worktree_has_its_own_file_and_shares_the_trust(tmp_path: Path) -> None:
    main = clone(shared(tmp_path / "origin"), tmp_path / "main")
    git(main, "worktree", "add", "-q", str(tmp_path / "side"))
    environ = {"HOME": str(tmp_path / "user")}
    first, second = find_paths(main, environ), find_paths(tmp_path / "side", environ)
    config_of(first, "model: a\n")
    trust(first)
    assert load_settings(second, {}, {}).model is None
    config_of(second, "model: a\n")
    assert load_settings(second, {}, {}).model == "a"
