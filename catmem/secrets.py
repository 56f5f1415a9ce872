"""Finding and masking secrets: keys, tokens, passwords, private keys.

Two kinds of evidence: tokens that name themselves by their form (``ghp_…``), and values that a word
beside them gives away (``password=…``, ``密码是 …``). For the second the value is looked at too, so
that code, types, placeholders and prose stay; hashes, UUIDs and paths are never evidence alone.

Every pattern is linear: quantifiers are bounded or end at a character that they cannot match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands in a text, and what kind it is; the value itself is not kept."""

    start: int
    end: int
    kind: str


# Kind, a text that must occur for the pattern to be tried at all, and the pattern. Where a pattern
# has a group, the group is the secret. Each is compiled when its hint is seen first: all of them
# at once would hold up every start.
_FORMS: tuple[tuple[str, str, str], ...] = (
    (
        "private key",
        "PRIVATE KEY",
        (
            r"-----BEGIN (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
            r"(?s:.)*?(?:-----END (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----|\Z)"
        ),
    ),
    ("private key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{40,80}"),
    ("Anthropic key", "sk-ant-", r"\bsk-ant-[\w-]{10,300}"),
    ("OpenAI key", "sk-", r"\bsk-(?:proj|svcacct|admin|None)-[\w-]{8,300}"),
    ("API key", "sk-or-", r"\bsk-or-[\w-]{16,200}"),
    ("API key", "sk-", r"\bsk-(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{20,100}\b"),
    ("AWS key", "A", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    ("Alibaba Cloud key", "LTAI", r"\bLTAI[A-Za-z0-9]{12,24}\b"),
    ("Tencent Cloud key", "AKID", r"\bAKID[A-Za-z0-9]{13,40}\b"),
    ("Google key", "AIza", r"\bAIza[\w-]{35}"),
    ("Google token", "ya29.", r"\bya29\.[\w.-]{20,400}"),
    ("Google secret", "GOCSPX-", r"\bGOCSPX-[\w-]{20,60}"),
    ("Azure key", "AccountKey=", r"\bAccountKey=([A-Za-z0-9+/]{40,100}={0,2})"),
    ("Azure key", "SharedAccessKey=", r"\bSharedAccessKey=([A-Za-z0-9+/]{30,100}={0,2})"),
    ("Azure signature", "sig=", r"[?&]sig=([A-Za-z0-9%+/]{30,120}={0,2})"),
    ("Azure secret", "8Q~", r"(?<![\w~.-])[\w~.-]{3}8Q~[\w~.-]{31,34}"),
    ("GitHub token", "gh", r"\bgh[pousr]_[A-Za-z0-9]{20,255}"),
    ("GitHub token", "github_pat_", r"\bgithub_pat_\w{20,255}"),
    ("GitLab token", "gl", r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[\w.-]{16,200}"),
    ("Slack token", "xox", r"\bxox[abeoprs]-[\w-]{10,250}"),
    ("Slack token", "xapp-", r"\bxapp-\d-[\w-]{10,250}"),
    ("Slack webhook", "hooks.slack.com", r"\bhooks\.slack\.com/services/([\w/]{20,100})"),
    ("Stripe key", "k_", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,250}"),
    ("Stripe secret", "whsec_", r"\bwhsec_[A-Za-z0-9+/=]{16,100}"),
    ("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{30,100}"),
    ("PyPI token", "pypi-", r"\bpypi-(?:AgE[\w-]{10,250}|[A-Za-z0-9_]{50,250})"),
    ("Telegram token", ":AA", r"\b\d{8,10}:AA[\w-]{32,35}"),
    ("JSON web token", "eyJ", r"\beyJ[\w-]{8,2000}\.eyJ[\w-]{4,6000}(?:\.[\w-]{0,2000})?"),
    ("Hugging Face token", "hf_", r"\bhf_[A-Za-z]{30,60}"),
    ("SendGrid key", "SG.", r"\bSG\.[\w-]{16,32}\.[\w-]{16,64}"),
    ("DigitalOcean token", "_v1_", r"\bdo[opr]_v1_[0-9a-f]{40,80}"),
    ("Groq key", "gsk_", r"\bgsk_[A-Za-z0-9]{30,80}"),
    ("xAI key", "xai-", r"\bxai-[A-Za-z0-9]{30,120}"),
    ("Databricks token", "dapi", r"\bdapi[0-9a-f]{32}\b"),
    ("Shopify token", "shp", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    (
        "password",  # in a connection string; a variable or placeholder in its place is none
        "://",
        (
            r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,100}:"
            r"((?![$<{*%\[])[^\s/@\"'<>]{1,200})@"
        ),
    ),
    (
        "password",
        "curl",
        (
            r"\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,64}:"
            r"((?![$<{*\[])[^\s\"']{1,128})"
        ),
    ),
    ("password", "sshpass", r"\bsshpass\s{1,3}-p\s{0,3}[\"']?((?![$<{\[])[^\s\"']{1,128})"),
)

# Patterns are text: `re` compiles and keeps them when they are first used, not at every start.
# These are matched against the text in lower case: ``re.IGNORECASE`` would be ten times slower.
_WORD = (
    r"(?:(?P<strong>pass(?:word|wd|phrase|wort|code)|pwd)|secret|token|credentials?|(?P<key>key))"
)
_VALUE = (
    r"(?:\"(?P<dq>[^\"\n]{1,400})\"|'(?P<sq>[^'\n]{1,400})'"
    r"|(?P<bare>[^\s\"'`,;，。；、)}<>]{1,400}))"
)
_ASSIGNED = rf"{_WORD}[\"']?(?P<by>\s{{0,3}}(?:=>|:=|[=:：])\s{{0,3}}){_VALUE}"
_SPOKEN = (
    rf"{_WORD}(?:\s{{1,3}}(?:for|of|to)\s{{1,3}}[^\n]{{1,40}}?)?"
    rf"\s{{1,3}}(?:is|was)[:：]?\s{{1,3}}{_VALUE}"
)
_CHINESE = (
    r"(?:密码|口令|密钥|秘钥|令牌|凭证)\s{0,3}(?:是|为|[:：=])"
    r"\s{0,3}[\"'“「`]?(?P<bare>[!#-&(-~]{4,400})"
)
_AUTHORIZATION = (
    r"(?:authorization|x-api-key|x-auth-token|api-key)[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?:(?P<basic>basic\s{1,3})|(?:bearer|token|apikey|digest)\s{1,3})?"
    r"(?P<bare>[\w.~+/=-]{8,4000})"
)
_BEARER = r"\bbearer\s{1,3}(?P<bare>[\w.~+/=-]{16,4000})"
_KEY_OF_WHAT = (
    r"(?:secret|access|api|auth|private|account|client|master|signing|encryption|license)[_ -]?$"
)
_ENV_LINE = (
    r"(?m)^(?:export )?[A-Z][A-Z0-9_]{0,60}"
    r"(?:(?P<key>_KEY)|TOKEN|SECRET|PASS|PASSWORD|PASSWD|PWD|CREDENTIALS?)=" + _VALUE
)

_NOT_A_VALUE = (
    r"(?i)[$<{*%\[\\]|\.{2,}|…|x{3,}|your[_-]|my[_-]|some[_-]|changeme|example|placeholder|redacted|dummy"
    r"|masked|(?:os|self|this|process|config|settings|args|env)\.|https?://|[~.]{0,2}/[\w.-]+/"
    r"|(?:str|string|text|int|bool|bytes|none|null|nil|undefined|true|false|optional|required|any"
    r"|secretstr|varchar|env|file|prompt|yes|no)\b(?![\w!@#$%^&*-])"
)
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_IDENTIFIER = r"[A-Za-z_]+(?:\.[A-Za-z_]+)*"
_NAMES_ITSELF = r"(?i)pass|pwd|pw$|secret|token|key|credential"
_LEAST_OF_WEAK = 8


def find(text: str) -> list[Secret]:
    """Return the secrets in ``text``, in order, none overlapping another."""
    found = sorted(_candidates(text), key=lambda secret: (secret.start, -secret.end))
    separate: list[Secret] = []
    for secret in found:
        if separate and secret.start < separate[-1].end:
            last = separate[-1]
            separate[-1] = Secret(last.start, max(last.end, secret.end), last.kind)
        else:
            separate.append(secret)
    return separate


def mask(text: str) -> str:
    """Return ``text`` with each secret replaced by ``[masked KIND]``; the rest is unchanged."""
    pieces: list[str] = []
    position = 0
    for secret in find(text):
        pieces += [text[position : secret.start], f"[masked {secret.kind}]"]
        position = secret.end
    return "".join([*pieces, text[position:]])


def _candidates(text: str) -> Iterator[Secret]:
    for kind, hint, form in _FORMS:
        if hint in text:
            for match in re.finditer(form, text):
                start, end = match.span(match.re.groups)
                yield Secret(start, end, kind)
    for match in re.finditer(_ENV_LINE, text):
        if _is_env_secret(match):
            yield Secret(*_span(match), "environment secret")
    lower = _lower(text)
    for kind, pattern, accepts in _BESIDE_A_WORD:
        for match in re.finditer(pattern, lower):
            if accepts(match):
                yield Secret(*_span(match), kind)


def _lower(text: str) -> str:
    """Return ``text`` in lower case, each character in its place."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_ASCII_LOWER)


def _span(match: re.Match[str]) -> tuple[int, int]:
    groups = match.groupdict()
    return match.span(next(name for name in ("dq", "sq", "bare") if groups.get(name) is not None))


def _value(match: re.Match[str]) -> str:
    start, end = _span(match)
    return match.string[start:end]


def _is_assigned_secret(match: re.Match[str]) -> bool:
    if match["key"] and not _is_telling_key(match):
        return False
    value, quoted = _value(match), match["bare"] is None
    if re.match(_NOT_A_VALUE, value) or (not quoted and re.search(r"[(\[]", value)):
        return False
    if match["strong"] is None:
        return len(value) >= _LEAST_OF_WEAK and " " not in value and _is_mixed(value)
    if re.fullmatch(_IDENTIFIER, value):
        if re.search(_NAMES_ITSELF, value) or "." in value:
            return False
        return quoted or match["by"] in {"=", ":"} or _is_alone(match)
    return len(value) >= 3 and (quoted or _is_mixed(value) or _is_alone(match))


def _is_spoken_secret(match: re.Match[str]) -> bool:
    if match["key"] and not _is_telling_key(match):
        return False
    value = _value(match)
    if re.match(_NOT_A_VALUE, value) or "(" in value or len(value) < 4:
        return False
    return (match["bare"] is None and " " not in value) or _is_mixed(value.rstrip(".!?:"))


def _is_telling_key(match: re.Match[str]) -> bool:
    return (
        re.search(_KEY_OF_WHAT, match.string[max(0, match.start() - 12) : match.start()])
        is not None
    )


def _is_named_value(match: re.Match[str]) -> bool:
    return not re.match(_NOT_A_VALUE, _value(match))


def _is_env_secret(match: re.Match[str]) -> bool:
    value = _value(match)
    if match["key"] and re.fullmatch(_IDENTIFIER, value):  # SORT_KEY=created_at
        return False
    return len(value) >= 4 and _is_named_value(match) and "(" not in value


def _is_header_secret(match: re.Match[str]) -> bool:
    basic = "basic" in match.re.groupindex and match["basic"] is not None
    return _is_named_value(match) and (basic or _is_mixed(_value(match)))


def _is_mixed(value: str) -> bool:
    """Whether a value is no plain word: digits beside letters, or signs that no name has."""
    digit = any(character.isdigit() for character in value)
    letter = any(character.isalpha() for character in value)
    sign = re.search(r"[!@#$%^&*+=~?]", value) is not None
    return (digit and letter) or (letter and sign) or (digit and len(value) >= 6)


def _is_alone(match: re.Match[str]) -> bool:
    """Whether nothing follows the value on its line, as in ``Password: correcthorse``."""
    end = match.string.find("\n", match.end())
    rest = match.string[match.end() : len(match.string) if end < 0 else min(end, match.end() + 9)]
    return not rest.strip(" \t\r.,;\"'`)")


_BESIDE_A_WORD: tuple[tuple[str, str, Callable[[re.Match[str]], bool]], ...] = (
    ("password", _ASSIGNED, _is_assigned_secret),
    ("password", _SPOKEN, _is_spoken_secret),
    ("password", _CHINESE, _is_named_value),
    ("authorization", _AUTHORIZATION, _is_header_secret),
    ("authorization", _BEARER, _is_header_secret),
)
