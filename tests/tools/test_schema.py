from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catmem.messages import ToolSpec
from catmem.tokens import estimate
from catmem.tools.base import ToolError
from catmem.tools.schema import check
from tests.tools.toolbox import Toolbox

SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 9},
        "all": {"type": "boolean"},
        "mode": {"type": "string", "enum": ["a", "b"]},
        "edits": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {"old": {"type": "string"}, "all": {"type": "boolean"}},
                "required": ["old"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["path"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("given", "checked"),
    [
        ({"path": "a"}, {"path": "a"}),
        ({"path": "a", "limit": "5"}, {"path": "a", "limit": 5}),
        ({"path": "a", "limit": 5.0}, {"path": "a", "limit": 5}),
        ({"path": "a", "limit": None}, {"path": "a"}),
        ({"path": "a", "all": "True"}, {"path": "a", "all": True}),
        ({"path": "5"}, {"path": "5"}),
        ({"path": "a", "edits": {"old": "x"}}, {"path": "a", "edits": [{"old": "x"}]}),
        ({"path": "a", "edits": '[{"old": "x"}]'}, {"path": "a", "edits": [{"old": "x"}]}),
        (
            {"path": "a", "edits": [{"old": "x", "all": "false"}]},
            {"path": "a", "edits": [{"old": "x", "all": False}]},
        ),
    ],
)
def test_arguments_are_accepted_with_simple_types_corrected(
    given: dict[str, Any], checked: dict[str, Any]
) -> None:
    assert check(given, SCHEMA) == checked


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "The argument path is missing (a string)."),
        ({"path": None}, "The argument path must be a string, not null."),
        ({"path": 5}, "The argument path must be a string, not 5."),
        ({"file_path": "a"}, "There is no argument file_path. Did you mean path?"),
        (
            {"path": "a", "zzz": 1},
            "There is no argument zzz. Known: path, limit, all, mode, edits.",
        ),
        (
            {"path": "a", "limit": "many"},
            'The argument limit must be an integer from 1 to 9, not "many".',
        ),
        ({"path": "a", "limit": 0}, "The argument limit must be an integer from 1 to 9, not 0."),
        (
            {"path": "a", "limit": True},
            "The argument limit must be an integer from 1 to 9, not true.",
        ),
        ({"path": "a", "all": "yes"}, 'The argument all must be a boolean, not "yes".'),
        ({"path": "a", "mode": "c"}, 'The argument mode must be one of "a", "b", not "c".'),
        (
            {"path": "a", "edits": []},
            "The argument edits must be an array of objects with old, all, not [].",
        ),
        (
            {"path": "a", "edits": ["x"]},
            'The argument edits[0] must be an object, not "x".',
        ),
        ({"path": "a", "edits": [{}]}, "The argument edits[0].old is missing (a string)."),
    ],
)
def test_wrong_arguments_are_named_with_what_is_expected(
    given: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ToolError) as caught:
        check(given, SCHEMA)
    assert str(caught.value) == problem


def test_the_tools_cost_few_tokens(workspace: Path) -> None:
    specs: list[ToolSpec] = [tool.spec for tool in Toolbox(workspace).built.tools]
    assert [spec.name for spec in specs] == [
        "read_file",
        "write_file",
        "edit_file",
        "glob",
        "grep",
        "bash",
    ]
    text = "".join(f"{spec.name}{spec.description}{dict(spec.parameters)}" for spec in specs)
    assert estimate(text) < 900
