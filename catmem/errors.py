"""The typed errors of catmem, and the exit codes by which a run tells how it ended.

Each error carries one sentence that is ready to be shown: it names the file, key or command and
says what to do. Texts come from the catalogue at the place that raises: nothing is imported here.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a run of the program ended."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    TRY_AGAIN = 75  # EX_TEMPFAIL of sysexits.h
    INTERRUPTED = 130  # 128 and the number of SIGINT, as shells have it


class CatmemError(Exception):
    """Base of the errors that catmem raises on purpose; ``str()`` is one sentence for the user."""


class UsageError(CatmemError):
    """A command or an argument that cannot be understood (exit code 2)."""


class ConfigError(CatmemError):
    """A configuration that cannot be used: names file, line and nearest key (exit code 2)."""


class NoProviderError(ConfigError):
    """Nothing says which model to use: no setting, no key, no server (exit code 2, or a choice)."""


class StorageError(CatmemError):
    """A file that cannot be read or written: permissions, full disk, not a directory, lock held."""


class MemoryStoreError(CatmemError):
    """A memory operation that was refused or failed: bad name, secret in it, unreadable entry."""


class ProviderError(CatmemError):
    """A model request failed.

    Attributes:
        retryable: whether the same request may succeed later (network, overload, rate limit).
        retry_after: seconds the server asked to wait, if it said so.
        status: HTTP status, if there was an answer.
    """

    retryable = False

    def __init__(
        self, message: str, *, retry_after: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.status = status


class MissingKeyError(ProviderError):
    """No API key is configured for the provider."""


class AuthenticationError(ProviderError):
    """The server refused the key."""


class ModelNotFoundError(ProviderError):
    """The server does not know the model."""


class CreditError(ProviderError):
    """The account has no credit or quota left."""


class RequestTooLargeError(ProviderError):
    """The request's body is larger than the server accepts."""


class ContextOverflowError(ProviderError):
    """The conversation no longer fits into the model's context window."""


class RefusalError(ProviderError):
    """The model or its provider declined to answer."""


class BadRequestError(ProviderError):
    """The server rejected the request for another reason, or its answer made no sense."""


class NetworkError(ProviderError):
    """No connection, a dropped stream, or silence for too long."""

    retryable = True


class RateLimitError(ProviderError):
    """Too many requests; the server may say when to come back."""

    retryable = True


class OverloadedError(ProviderError):
    """The server is overloaded or failed internally (5xx, 529)."""

    retryable = True
