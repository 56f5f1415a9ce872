"""The first start with nothing configured: say what is there, offer it, write the choice down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from catmem.app.session import Place
from catmem.config.write import write_choice
from catmem.errors import NoProviderError
from catmem.providers import discovery
from catmem.text import listed, t
from catmem.ui import first_start


@dataclass(frozen=True, slots=True)
class _Offer:
    """One line of the choice and the settings it stands for."""

    text: str
    settings: Mapping[str, str]


def choose_provider(place: Place) -> None:
    """Let the person choose, and write the choice to the configuration.

    Raises:
        NoProviderError: the person chose nothing; the sentence says what to set.
        StorageError: the choice cannot be written.
    """
    servers = discovery.find_servers()
    found = [t("cli.first.keys"), _servers_line(servers), t("cli.first.kept")]
    embedded = _Offer(t("cli.first.embedded"), {"provider": "local"})
    offers = [*(_server_offer(server) for server in servers), embedded, *_key_offers(place)]
    chosen = first_start.choose(found, [offer.text for offer in offers])
    if chosen is None:
        raise NoProviderError(t("cli.first.none"))
    write_choice(place.paths.config_file, offers[chosen].settings)


def _servers_line(servers: list[discovery.LocalServer]) -> str:
    if not servers:
        return t("cli.first.no_servers")
    return t("cli.first.servers", names=listed(server.name for server in servers))


def _server_offer(server: discovery.LocalServer) -> _Offer:
    settings = {"provider": "openai", "providers.openai.base_url": server.url}
    return _Offer(t("cli.first.server", name=server.name, url=server.url), settings)


def _key_offers(place: Place) -> list[_Offer]:
    providers = place.settings.providers
    return [
        _Offer(
            t("cli.first.anthropic", variable=providers.anthropic.api_key_env),
            {"provider": "anthropic"},
        ),
        _Offer(
            t("cli.first.openai", variable=providers.openai.api_key_env), {"provider": "openai"}
        ),
    ]
