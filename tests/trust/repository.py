"""Real git repositories with a project store, and what a session there would know."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from catmem.config.trust import RootTrust, TrustFile
from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import find_paths

MEMORY = Path(".catmem", "memory")


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True)


def entry_text(name: str, description: str, content: str = "The fact.") -> str:
    return (
        f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: project\n---\n"
        f"{content}\n"
    )


def put(root: Path, name: str, description: str, content: str = "The fact.") -> Path:
    """Write an entry as an editor would."""
    path = root / MEMORY / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(entry_text(name, description, content), "utf-8")
    return path


def commit(root: Path) -> None:
    """Commit all there is, what is ignored included."""
    git(root, "add", "-f", "-A")
    git(root, "commit", "-q", "-m", "x")


def shared(origin: Path) -> Path:
    """A repository whose store has the entry `editor`."""
    origin.mkdir()
    git(origin, "init", "-q", "-b", "main")
    put(origin, "editor", "The editor is helix", "Use helix here.")
    commit(origin)
    return origin


def clone(origin: Path, place: Path) -> Path:
    git(origin.parent, "clone", "-q", str(origin), str(place))
    return place


def opened(place: Path) -> Stores:
    """The stores of a new catmem started there, which is noted as a run."""
    stores = open_stores(find_paths(place, os.environ))
    stores.begin()
    return stores


def seen(place: Path) -> list[str]:
    """The names of the entries that a new session there knows."""
    return [entry.name for entry in opened(place).load_all()]


def trust_file(place: Path) -> TrustFile:
    paths = find_paths(place, os.environ)
    assert paths.memory_root is not None
    return TrustFile(paths.trust, paths.memory_root)


def trust_all(place: Path) -> None:
    """The user says yes to what is there now."""
    digests = [entry.digest for entry in opened(place).untrusted()]
    trust_file(place).change(lambda known: known.trusting(digests))


def revoke(place: Path) -> None:
    trust_file(place).change(RootTrust.forgetting)
