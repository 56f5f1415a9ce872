from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.architecture.sources import ROOT
from tests.labels.label_server import LabelServer

SCRIPT = ROOT / "scripts/eval_extraction.py"
DIALOGUES = [
    {
        "id": "one",
        "turns": [
            {"role": "user", "text": "Rename main to run. By the way I always use vim."},
            {"role": "assistant", "text": "Renamed."},
            {
                "role": "user",
                "text": "Our API fields are snake_case, always. The office cat is very old.",
            },
        ],
        "facts": [
            {"types": ["user"], "all": ["(?i)vim"]},
            {"types": ["project"], "all": ["snake_case"]},
            {"types": ["reference"], "all": ["(?i)wiki"]},
        ],
        "junk": ["(?i)rename"],
    },
    {
        "id": "two",
        "turns": [
            {"role": "user", "text": "show me the files"},
            {"role": "tool", "text": "a.py"},
            {"role": "user", "text": "The harbour pilots read the logs."},
        ],
        "facts": [],
        "junk": [".+"],
    },
]


def test_found_wrong_type_junk_and_the_rest_are_counted(
    tmp_path: Path, server: LabelServer
) -> None:
    server.labels = {"vim": "user", "snake": "feedback", "cat": "project", "pilots": "reference"}
    file = tmp_path / "dialogues.json"
    file.write_text(json.dumps(DIALOGUES), encoding="utf-8")
    options = ["--provider", "openai", "--model", "small", "--base-url", server.url]
    options += ["--extractor", "labels", "--dialogues", str(file), "--verbose"]
    environ = {
        "HOME": str(tmp_path),
        "OPENAI_API_KEY": "test",
        "CATMEM_PROVIDERS_OPENAI_API": "chat",
    }

    run = subprocess.run(
        [sys.executable, str(SCRIPT), *options],
        env=environ,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.returncode, run.stderr) == (0, "")
    rows = {line.split()[0]: line.split()[1:5] for line in run.stdout.splitlines() if line.strip()}
    assert rows["one"] == ["1/3", "3", "0", "1"]
    assert rows["two"] == ["0/0", "1", "1", "0"]
    assert rows["total"] == ["1/3", "4", "1", "1"]
    assert "type feedback: snake_case (project)" in run.stdout
    assert "missed: (?i)wiki (reference)" in run.stdout
    assert "junk: [reference] The harbour pilots read the logs." in run.stdout
