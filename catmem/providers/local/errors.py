"""What can go wrong with the embedded model; each text is one sentence that says what to do."""

from __future__ import annotations

from catmem.errors import NetworkError, ProviderError


class WeightsError(ProviderError):
    """The weights could not be fetched, verified or stored; what has arrived is kept."""

    retryable = True


class EngineError(ProviderError):
    """The engine is not installed, or the model file cannot be loaded."""


class EngineDiedError(NetworkError):
    """The engine's process ended by itself; the next request starts it again."""
