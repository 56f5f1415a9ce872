"""How the memory stands: on or off, what is stored where, what waits, what was set aside.

And trying again what was set aside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from catmem.commands import Console
from catmem.errors import CatmemError, ExitCode
from catmem.memory.commands.learning import LearnAll, extract
from catmem.memory.commands.past.undoing import moment
from catmem.memory.commands.printing import Write, off_the_loop, to_json
from catmem.memory.commands.slash import Subcommand
from catmem.memory.store.entry import Scope
from catmem.memory.store.stores import Stores
from catmem.sanitize import clean, one_line
from catmem.text import t

if TYPE_CHECKING:
    from catmem.memory.pipeline.overview import OpenWindow, Overview

_REASON = 200


@dataclass(frozen=True, slots=True)
class Facts:
    """What a status is made from; ``session`` is the running one, empty where there is none."""

    stores: Stores
    trigger: str
    overview: Callable[[], Overview]
    is_on: Callable[[], bool]
    session: str = ""


def print_status(facts: Facts, out: Write, *, as_json: bool = False) -> int:
    """Print the status; return the exit code."""
    seen = facts.overview()
    out(to_json(_fields(facts, seen)) if as_json else clean("\n".join(_lines(facts, seen))))
    return ExitCode.DONE


def status_command(facts: Facts) -> Subcommand:
    """Return ``/memory status``."""

    async def status(_rest: str, console: Console) -> None:
        await off_the_loop(console, lambda say: print_status(facts, say))

    return Subcommand("status", "status", status)


def retry_command(retry: LearnAll) -> Subcommand:
    """Return ``/memory retry``."""

    async def run(_rest: str, console: Console) -> None:
        try:
            say = console.write
            await extract(retry, say, say, none="memory.command.none_aside")
        except CatmemError as error:
            console.write(str(error))

    return Subcommand("retry", "retry", run)


def _counts(stores: Stores) -> dict[str, int]:
    entries = stores.load_all()
    return {scope: sum(one.scope is scope for one in entries) for scope in Scope}


def _fields(facts: Facts, seen: Overview) -> dict[str, Any]:
    run = seen.last_run
    places = {store.scope: str(store.places.directory) for store in facts.stores.all}
    return {
        "on": facts.is_on(),
        "trigger": facts.trigger,
        "entries": _counts(facts.stores),
        "stores": {scope: places.get(scope) for scope in Scope},
        "lastRun": run and {"at": run.at, "occasion": run.occasion, **_done(run.record)},
        "waiting": [_window(one) for one in seen.waiting],
        "setAside": [
            {
                **_window(one),
                "failures": one.failures,
                "failedAt": one.failed_at,
                "reason": one.reason,
            }
            for one in seen.set_aside
        ],
    }


def _window(one: OpenWindow) -> dict[str, Any]:
    return {"session": one.session, "date": one.date, "messages": one.messages}


def _done(record: Any) -> dict[str, Any]:
    return {
        "outcome": record.get("outcome", ""),
        **{key: list(record.get(key, ())) for key in ("added", "updated", "deleted")},
        "skipped": len(record.get("skipped", ())),
        "detail": record.get("detail") or "",
    }


def _lines(facts: Facts, seen: Overview) -> list[str]:
    counts = _counts(facts.stores)
    key = f"pipeline.status.{facts.trigger}" if facts.is_on() else "pipeline.status.off"
    lines = [t(key)]
    for store in facts.stores.all:
        name = t(f"memory.command.{store.scope}")
        place = str(store.places.directory)
        lines.append(t("pipeline.status.store", name=name, count=counts[store.scope], place=place))
    lines.append(_last_run(seen))
    earlier = [one for one in seen.waiting if one.session != facts.session]
    lines += [
        t("pipeline.status.now", messages=one.messages)
        for one in seen.waiting
        if one.session == facts.session
    ]
    if earlier:
        lines.append(t("pipeline.status.waiting", count=len(earlier)))
        lines += [t("pipeline.status.window", **_window(one)) for one in earlier]
    if seen.set_aside:
        lines.append(t("pipeline.status.aside", count=len(seen.set_aside)))
    for one in seen.set_aside:
        window = t("pipeline.status.window", **_window(one))
        at, why = moment(one.failed_at), one_line(one.reason, _REASON)
        lines.append(t("pipeline.status.failed", window=window, at=at, why=why))
    return lines


def _last_run(seen: Overview) -> str:
    run = seen.last_run
    if run is None:
        return t("pipeline.status.no_run")
    done = _done(run.record)
    what = t(
        "pipeline.status.done",
        added=len(done["added"]),
        updated=len(done["updated"]),
        skipped=done["skipped"],
    )
    if done["outcome"] == "nothing":
        what = t("pipeline.status.nothing")
    elif done["outcome"] == "failed":
        what = t("pipeline.status.not_done", why=one_line(done["detail"], _REASON))
    occasion = t(f"pipeline.occasion.{run.occasion}")
    return t("pipeline.status.run", at=moment(run.at), occasion=occasion, what=what)
