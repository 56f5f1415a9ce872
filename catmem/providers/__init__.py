"""The model providers; ``create`` chooses one.

Read it in this order: ``base`` (the contract), ``access`` (from settings to a server and a key),
``remote`` (what all models behind HTTP share) with ``retry``, ``structured`` and ``verdicts``, then
an adapter: ``openai`` or ``anthropic``. ``local`` is the embedded model. Nothing imported here is
heavy; adapters and SDKs are loaded late.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from catmem.config import Settings
from catmem.paths import Paths
from catmem.providers.access import Access, Purpose, find_access
from catmem.providers.base import Provider
from catmem.providers.remote import RemoteProvider
from catmem.providers.verdicts import Verdicts

__all__ = ["Access", "Provider", "create", "find_access"]


def create(
    settings: Settings, paths: Paths, environ: Mapping[str, str], *, purpose: Purpose = "chat"
) -> Provider:
    """Return the provider that settings and environment describe; it connects when it is used.

    Raises:
        NoProviderError: nothing is configured at all.
        MissingKeyError: the chosen provider's key is not there.
        ConfigError: a key or an address that cannot be used.
    """
    access = find_access(settings, environ, purpose)
    if access.provider == "local":
        local = importlib.import_module("catmem.providers.local.setup")
        embedded: Provider = local.build(settings, paths)
        return embedded
    return RemoteProvider(access, settings.network, Verdicts(paths.state / "servers.json"))
