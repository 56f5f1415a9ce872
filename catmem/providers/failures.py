"""What went wrong at a server, as one of catmem's typed errors with one sentence each.

Adapters hand over plain facts (status, headers, body, an in-stream error's type and words); the
sentences name the variable or setting to change, and never hold a key.
"""

from __future__ import annotations

import json
import re
from typing import Any

from catmem.errors import (
    AuthenticationError,
    BadRequestError,
    ContextOverflowError,
    CreditError,
    ModelNotFoundError,
    NetworkError,
    OverloadedError,
    ProviderError,
    RateLimitError,
    RequestTooLargeError,
)
from catmem.providers.access import Access
from catmem.sanitize import one_line
from catmem.secrets import mask
from catmem.text import t

_SHOWN = 240
# Error types of all three wire forms, as they come in bodies and inside streams.
_STATUS_OF_KIND = {
    "invalid_request_error": 400,
    "context_length_exceeded": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "billing_error": 402,
    "insufficient_quota": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "rate_limit_reached": 429,
    "overloaded_error": 529,
    "server_is_overloaded": 529,
    "api_error": 500,
    "server_error": 500,
    "internal_server_error": 500,
    "timeout_error": 504,
}
_OVERFLOW = re.compile(
    r"context.?(length|window)|maximum context|exceed_context|context size|prompt is too long"
    r"|exceeds? (the )?(available |model'?s )?context|exceed context limit|input is too long"
    r"|too many tokens|reduce the length",
    re.IGNORECASE,
)
_CREDIT = re.compile(
    r"insufficient.?(quota|balance|credit|funds)|credit balance|exceeded your current quota"
    r"|payment required|arrears|余额不足",
    re.IGNORECASE,
)
_MODEL = re.compile(r"model", re.IGNORECASE)
_NOT_IMPLEMENTED = 501
_SERVER_ERRORS = 500
_PASSING = {408, 409, 425}


class RejectedError(BadRequestError):
    """The server rejected the request's form.

    Attributes:
        said: the server's own words, to find out which field it did not like.
    """

    def __init__(self, message: str, *, status: int, said: str) -> None:
        super().__init__(message, status=status)
        self.said = said


class Failures:
    """Makes typed errors for one server."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def answer(
        self, status: int, body: object, model: str, retry_after: float | None
    ) -> ProviderError:
        """Return the error for an HTTP answer that is none.

        Args:
            status: the HTTP status.
            body: text, bytes or parsed JSON.
            model: the model that was asked.
            retry_after: the seconds that the server asks to wait.
        """
        kind, said = _read(body)
        return self._error(status, kind, said, model, retry_after)

    def in_stream(self, kind: str, said: str, model: str) -> ProviderError:
        """Return the error for one that a stream carries."""
        status = _STATUS_OF_KIND.get(kind, 0)
        if not status and kind.isdigit():
            status = int(kind)
        return self._error(status or _SERVER_ERRORS, kind, said, model, None)

    def lost(self) -> NetworkError:
        """Return the error for a stream that ended early."""
        return NetworkError(t("providers.lost", server=self._server))

    def silent(self, seconds: float) -> NetworkError:
        """Return the error for silence: nothing came for so many seconds."""
        return NetworkError(t("providers.silent", server=self._server, seconds=f"{seconds:g}"))

    def unreachable(self, reason: str, proxy: str = "") -> NetworkError:
        """Return the error for a failed connection, through the proxy of that variable if any."""
        why = self._clean(reason) or "?"
        if proxy:
            text = t("providers.proxy_fails", server=self._server, variable=proxy, reason=why)
        elif self._access.loopback:
            text = t("providers.not_running", url=self._access.base_url)
        else:
            text = t("providers.unreachable", url=self._access.base_url, reason=why)
        return NetworkError(text)

    def bad_proxy(self, variable: str, reason: str) -> ProviderError:
        """Return the error for a proxy variable that cannot be used at all."""
        return ProviderError(
            t("providers.bad_proxy", variable=variable, reason=self._clean(reason))
        )

    def nonsense(self, said: str) -> BadRequestError:
        """Return the error for an answer that is not what the API promises."""
        return BadRequestError(
            t("providers.nonsense", url=self._access.base_url, said=self._clean(said))
        )

    @property
    def _server(self) -> str:
        return self._access.base_url.partition("://")[2].partition("/")[0]

    def _clean(self, said: str) -> str:
        text = said.replace(self._access.key, "…") if self._access.key_source else said
        return one_line(mask(text), _SHOWN).rstrip(".")

    def _error(
        self, status: int, kind: str, said: str, model: str, retry_after: float | None
    ) -> ProviderError:
        detail = self._clean(said) or kind or f"HTTP {status}"
        hints = f"{kind} {said}"
        final = self._account(status, hints, detail) or self._request(status, hints, detail, model)
        if final is not None:
            return final
        if status == 429:
            text = t("providers.rate_limit", server=self._server)
            return RateLimitError(text, status=status, retry_after=retry_after)
        if status in _PASSING or (status >= _SERVER_ERRORS and status != _NOT_IMPLEMENTED):
            return self._passing(status, kind, detail, retry_after)
        text = t("providers.rejected", server=self._server, detail=detail)
        return RejectedError(text, status=status, said=hints)

    def _account(self, status: int, hints: str, detail: str) -> ProviderError | None:
        """Return the error if it is about the key or the account."""
        if status == 402 or (status in {400, 403, 429} and _CREDIT.search(hints)):
            return CreditError(t("providers.credit", server=self._server), status=status)
        return self._refused_key(status, detail) if status in {401, 403} else None

    def _request(self, status: int, hints: str, detail: str, model: str) -> ProviderError | None:
        """Return the error if it is about this request's size, model or address."""
        if status == 413:
            return RequestTooLargeError(t("providers.too_large"), status=status)
        if status in {400, 422} and _OVERFLOW.search(hints):
            return ContextOverflowError(t("providers.overflow", model=model), status=status)
        return self._not_found(status, hints, detail, model) if status in {404, 405} else None

    def _refused_key(self, status: int, detail: str) -> ProviderError:
        source = self._access.key_source
        if not source:
            text = t("providers.wants_key", server=self._server, provider=self._access.provider)
        elif status == 401:
            text = t("providers.wrong_key", server=self._server, source=source)
        else:
            text = t("providers.forbidden", server=self._server, source=source, detail=detail)
        return AuthenticationError(text, status=status)

    def _not_found(self, status: int, hints: str, detail: str, model: str) -> ProviderError:
        if _MODEL.search(hints):
            return ModelNotFoundError(
                t("providers.no_model", server=self._server, model=model), status=status
            )
        text = t("providers.no_api", url=self._access.base_url, status=status, detail=detail)
        return RejectedError(text, status=status, said=hints)

    def _passing(
        self, status: int, kind: str, detail: str, retry_after: float | None
    ) -> ProviderError:
        if status in {503, 529} or "overload" in kind:
            text = t("providers.overloaded", server=self._server, status=status)
        else:
            text = t("providers.server_error", server=self._server, status=status, detail=detail)
        return OverloadedError(text, status=status, retry_after=retry_after)


def _read(body: object) -> tuple[str, str]:
    """Return type and words of an error body in any of the usual forms."""
    if isinstance(body, (bytes, str)):
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
        try:
            parsed = json.loads(text)
        except ValueError:
            return "", re.sub(r"<[^>]*>", " ", text)
        body = parsed if isinstance(parsed, dict) else {"message": text}
    return error_facts(body)


def error_facts(body: Any) -> tuple[str, str]:
    """Return type and words of a parsed error: nested or not, an object or a string."""
    if not isinstance(body, dict):
        return "", str(body or "")
    error = body.get("error", body)
    if not isinstance(error, dict):
        return "", str(error)
    code = error.get("code")
    kind = code if isinstance(code, (str, int)) and code in _STATUS_OF_KIND else error.get("type")
    kind = kind or code or ""
    said = error.get("message") or error.get("detail") or body.get("message") or ""
    return str(kind), said if isinstance(said, str) else json.dumps(said)
