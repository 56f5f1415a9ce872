"""The built-in tools of one workspace, called the way the agent calls them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from catmem.events import Action
from catmem.paths import find_paths
from catmem.tools.base import Tool, ToolError, ToolOutput
from catmem.tools.builtin import BuiltinTools, build_tools
from catmem.tools.schema import check


@dataclass
class Toolbox:
    """Checks, plans and runs calls; `live` holds what the last call showed while it ran."""

    start: Path
    live: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.built: BuiltinTools = build_tools(find_paths(self.start, os.environ), os.environ)

    def tool(self, name: str) -> Tool:
        return next(tool for tool in self.built.tools if tool.spec.name == name)

    async def plan(self, name: str, **arguments: Any) -> Action:
        tool = self.tool(name)
        return await tool.plan(check(arguments, tool.spec.parameters))

    async def output(self, name: str, **arguments: Any) -> ToolOutput:
        tool = self.tool(name)
        checked = check(arguments, tool.spec.parameters)
        await tool.plan(checked)
        self.live.clear()
        return await tool.run(checked, self.live.append)

    async def call(self, name: str, **arguments: Any) -> str:
        """Return the result's text."""
        return (await self.output(name, **arguments)).text

    async def refusal(self, name: str, **arguments: Any) -> str:
        """Return the error's text; the call must fail."""
        with pytest.raises(ToolError) as caught:
            await self.output(name, **arguments)
        return str(caught.value)
