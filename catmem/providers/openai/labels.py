"""Label requests over Chat Completions: which token the model would begin its answer with.

``logprobs`` is offered by OpenAI's models that do not think, llama.cpp, vLLM, LM Studio and others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from catmem.messages import LabelRequest
from catmem.sanitize import repair

_MOST_TOKENS = 20  # what OpenAI allows at most


def label_body(request: LabelRequest) -> dict[str, Any]:
    """Return the body of a label request, without model and token limit."""
    turns = [{"role": "system", "content": repair(request.system)}]
    for text, label in request.examples:
        turns.append({"role": "user", "content": repair(text)})
        turns.append({"role": "assistant", "content": label})
    turns.append({"role": "user", "content": repair(request.text)})
    return {
        "messages": turns,
        "temperature": 0,
        "logprobs": True,
        "top_logprobs": _MOST_TOKENS,
        "stream": False,
    }


def probabilities(answer: Mapping[str, Any], labels: Sequence[str]) -> dict[str, float] | None:
    """Return how likely each label is, None when the answer tells no probabilities.

    A label may be cut into several tokens: its first piece counts for it.
    """
    try:
        first = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        tokens = [(str(one["token"]).strip(), float(one["logprob"])) for one in first]
    except (KeyError, IndexError, TypeError, ValueError):
        return None
    found = dict.fromkeys(labels, 0.0)
    for token, logprob in tokens:
        meant = [label for label in labels if token and label.startswith(token)]
        if len(meant) == 1:
            found[meant[0]] += math.exp(logprob)
    return found
