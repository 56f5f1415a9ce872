"""Asking for one JSON object: the forms that servers know, from the strictest to none at all.

A server that refuses one form gets the next; what it refused is remembered. Reading the answer
tolerantly is the caller's work in every form.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from enum import StrEnum

from catmem.errors import ProviderError
from catmem.messages import StructuredRequest
from catmem.providers.failures import RejectedError

THINKING_ROOM = 8_192
"""Tokens added where a model's thinking counts as output."""
_NOT_IMPLEMENTED = 501
_ABOUT_THE_FORM = re.compile(
    r"response_format|json_schema|json_object|json mode|output_config|text\.format|structured"
    r"|schema|grammar|effort",
    re.IGNORECASE,
)
_IN_WORDS = "Answer with one JSON object and nothing else. It must follow this JSON schema:\n"


class Form(StrEnum):
    """How a request asks for JSON."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    PLAIN = "plain"


def refuses_form(error: ProviderError) -> bool:
    """Whether a server refused the form of a request rather than the request."""
    return isinstance(error, RejectedError) and (
        error.status == _NOT_IMPLEMENTED or _ABOUT_THE_FORM.search(error.said) is not None
    )


def in_form(request: StructuredRequest, form: Form) -> StructuredRequest:
    """Return ``request`` with the schema in words, where the form does not carry it.

    Servers with a JSON mode want the word "JSON" in the prompt.
    """
    if form is Form.SCHEMA:
        return request
    schema = json.dumps(request.schema, ensure_ascii=False)
    return replace(request, system=f"{request.system}\n\n{_IN_WORDS}{schema}")
