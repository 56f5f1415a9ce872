"""Tool calls of a chat stream, put together from the pieces of servers that leave things out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Slot:
    """One call while it arrives. Id and name are set once: some servers repeat them."""

    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: str = ""

    @property
    def whole(self) -> bool:
        """Whether the arguments are complete JSON: a piece with a name then begins a new call."""
        try:
            json.loads(self.arguments, strict=False)
        except ValueError:
            return False
        return True


class Pieces:
    """Collects pieces by index, else by id, else by their place."""

    def __init__(self) -> None:
        self.slots: list[Slot] = []

    def add(self, piece: Any) -> None:
        """Take one element of a delta's ``tool_calls``."""
        if not isinstance(piece, dict):
            return
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        call_id, name = _text(piece.get("id")), _text(function.get("name"))
        index = piece.get("index")
        slot = self._slot(index if isinstance(index, int) else None, call_id, name)
        slot.id = slot.id or call_id
        slot.name = slot.name or name
        arguments = function.get("arguments")
        if isinstance(arguments, dict):  # sent as an object instead of its text
            slot.arguments += json.dumps(arguments)
        else:
            slot.arguments += _text(arguments)

    def _slot(self, index: int | None, call_id: str, name: str) -> Slot:
        """Return the call that a piece belongs to, a new one if it begins one."""
        for slot in reversed(self.slots):
            if index is not None and slot.index == index:
                # Some servers number every call 0 and tell them apart by id alone.
                if not call_id or not slot.id or slot.id == call_id:
                    return slot
            elif index is None and call_id and slot.id == call_id:
                return slot
        last = self.slots[-1] if self.slots else None
        if index is None and not call_id and last is not None and not self._begins(name, last):
            return last
        self.slots.append(Slot(index))
        return self.slots[-1]

    @staticmethod
    def _begins(name: str, last: Slot) -> bool:
        return bool(name) and (name != last.name or last.whole)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
