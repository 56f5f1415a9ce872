"""Values that a word beside them gives away: ``password=…``, ``密码是 …``, ``Cookie: …``.

The value is looked at too, so that code, types, placeholders and prose stay.

The words are searched with ``str.find``, and a pattern is tried only where one stands: that is many
times quicker than to let a pattern search. Every pattern is bounded, so the time is linear. All are
matched against the text in lower case, since ``re.IGNORECASE`` would be ten times slower.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

Rule = tuple[str, str, Callable[[re.Match[str]], bool]]
"""Kind, pattern, and whether what it matches is a secret."""

_WORD = (
    r"(?:(?P<strong>pass(?:word|wd|phrase|wort|code)|pwd)|(?P<short>pass|pw)|secret|token"
    r"|credentials?|(?P<key>key))"
)
_VALUE = (
    r"\\?(?:\"(?P<dq>[^\"\n]{1,400})\"|'(?P<sq>[^'\n]{1,400})'"
    r"|(?P<bare>[^\s\"'`,;，。；、)}<>]{1,400}))"
)
_ASSIGNED = rf"{_WORD}\\?[\"']?(?P<by>\s{{0,3}}(?:=>|:=|[=:：])[^\S\n]{{0,3}}){_VALUE}"
_SPOKEN = (
    rf"{_WORD}(?:\s{{1,3}}(?:for|of|to)\s{{1,3}}[^\n]{{1,40}}?)?"
    rf"(?:\s{{1,3}}(?:is|was|will be|becomes)[:：]?|'s|\s{{1,3}}to)\s{{1,3}}{_VALUE}"
)
_BESIDE = rf"(?P<strong>pass(?:word|wd|phrase|wort|code)|pwd)\s{{1,3}}{_VALUE}"
_FLAG = r"--(?:[a-z]{1,12}-){0,2}(?:pass(?:word|wd|phrase)?|token|secret|key)\s{1,3}" + _VALUE
_CHINESE = (
    r"(?:密码|口令|密钥|秘钥|令牌|凭证|凭据)(?:已经|现在|就|还|还是|统一|都|暂时|默认){0,2}\s{0,3}"
    r"(?:(?:改|换|设|重置|设置|更新|修改)(?:成|为)了?|是|为|用的?是?|叫|[:：=])"
    r"[:：]?\s{0,3}[\"'“「『`]{0,2}(?P<bare>[!#-&(-_a-~]{4,400})"
)
_AUTHORIZATION = (
    r"(?:authorization|api-key|auth-token|private-token|access-token)[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?:(?P<basic>basic\s{1,3})|(?:bearer|token|apikey|digest|bot)\s{1,3})?"
    r"(?P<bare>[\w.~+/=-]{8,4000})"
)
_BEARER = r"bearer\s{1,3}(?P<bare>[\w.~+/=-]{16,4000})"
_COOKIE = r"cookie[\"']?\s{0,3}:\s{0,3}[\"']?(?P<bare>[^\s=;:\"'{}()]{1,80}=[^\n\"']{1,2000})"
_SEED = (
    r"(?:seed phrase|recovery phrase|mnemonic(?: phrase)?|助记词)(?: is|是|为)?[\"']?\s{0,3}[:：=]?"
    r"\s{0,3}[\"'“]?(?P<bare>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"
)
_BLOB = r"[^\n]{1,32}?(?<![\w/+.@~-])(?P<bare>[\w+/-]{20,400}={0,2})(?![\w/+.@-])"
_ENV_LINE = r"(?:(?P<key>KEY)|TOKEN|SECRET|PASS|PASSWORD|PASSWD|PWD|CREDENTIALS?)=" + _VALUE
_ENV_WORDS = ("key", "token", "secret", "pass", "pwd", "credential")
_ENV_START = r"(?:(?:export|ENV|set|-e) )?[A-Z0-9_]{0,60}"

_KEY_OF_WHAT = (
    r"(?:secret|access|api|auth|private|account|client|master|signing|encryption|license|deploy"
    r"|service|subscription|shared|app|[?&])[_ -]?$"
)
_ALGORITHM = (
    r"(?:rsa|aes|sha|md|hmac|ed|x|ecdsa|bcrypt|argon|scrypt|pbkdf|jwt|oauth|utf|base|hs|rs|es|ps)"
    r"-?\d{0,5}(?![a-z0-9!@#$%^&*+=~?])"
)
_NOT_A_VALUE = (
    r"[$<{*%\[\\]|\.{2,}|…|x{3,}|your[_-]|my[_-]|some[_-]|changeme|example|placeholder|redacted|dummy"
    r"|masked|(?:os|self|this|process|config|settings|args|env)\.|https?://|[~.]{0,2}/[\w.-]+/"
    r"|(?:str|string|text|int|bool|bytes|none|null|nil|undefined|true|false|optional|required|any"
    rf"|secretstr|varchar|env|file|prompt|yes|no)\b(?![\w!@#$%^&*-])|{_ALGORITHM}"
)
_IDENTIFIER = r"[a-z_]+(?:\.[a-z_]+)*"
_NAMES_ITSELF = r"pass|pwd|pw$|secret|token|key|credential"
_OF_A_HASH = r"hash|sha\d|digest|checksum|md5|commit|revision|integrity|cache|etag|uuid|public"
_LEAST_OF_WEAK = 8
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_compiled = functools.cache(re.compile)


def find(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each value that a word beside it gives away."""
    lower = _lower(text)
    there = dict.fromkeys(word for word in _RULES_BY_WORD if word in lower)  # most often none
    for word in there:
        inside = range(0)  # of a value that was found: what stands in it needs no second look
        for position in _places(lower, word):
            if position not in inside:
                for start, end, kind in _beside(lower, position, _RULES_BY_WORD[word]):
                    inside = range(start, end)
                    yield start, end, kind
    for word in filter(there.__contains__, _TELLING):
        for position in _places(lower, word):
            match = _compiled(_BLOB).match(lower, position)
            if match is not None and _is_blob(text, match):
                yield *_span(match), "key"
    yield from _in_environment_lines(text, filter(there.__contains__, _ENV_WORDS))


def _in_environment_lines(text: str, words: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    for word in words:
        for position in _places(text, word.upper()):
            match = _compiled(_ENV_LINE).match(text, position)
            if match is not None and _is_env_secret(match):
                yield *_span(match), "environment secret"


def _beside(lower: str, position: int, rules: Sequence[Rule]) -> Iterator[tuple[int, int, str]]:
    for kind, pattern, accepts in rules:
        match = _compiled(pattern).match(lower, position)
        if match is not None and accepts(match):
            yield *_span(match), kind


def _places(text: str, word: str) -> Iterator[int]:
    position = text.find(word)
    while position >= 0:
        yield position
        position = text.find(word, position + len(word))


def _lower(text: str) -> str:
    """Return ``text`` in lower case, each character in its place."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_ASCII_LOWER)


def _span(match: re.Match[str]) -> tuple[int, int]:
    groups = match.groupdict()
    name = next(name for name in ("dq", "sq", "bare") if groups.get(name) is not None)
    start, end = match.span(name)
    if name == "bare":  # what ends a sentence, or begins the next parameter of a URL, is not of it
        further = _compiled(r"&[a-z_]{1,30}=").search(match.string, start + 1, end)
        end = end if further is None or "cookie" in match[0][:12] else further.start()
        end -= match.string[end - 1] == "." and end > start + 1
    while end > start + 1 and match.string[end - 1] == "\\":  # of a quote within a quoted text
        end -= 1
    return start, end


def _value(match: re.Match[str]) -> str:
    start, end = _span(match)
    return match.string[start:end]


def _is(pattern: str, value: str) -> bool:
    return _compiled(pattern).match(value) is not None


def _has(pattern: str, value: str) -> bool:
    return _compiled(pattern).search(value) is not None


def _is_assigned_secret(match: re.Match[str]) -> bool:
    if not _is_telling(match):
        return False
    value, quoted = _value(match), match["bare"] is None
    if _is(_NOT_A_VALUE, value) or (not quoted and _has(r"[(\[]", value)):
        return False
    if match["strong"] is None:
        least = 6 if match["short"] else _LEAST_OF_WEAK
        return len(value) >= least and " " not in value and _is_mixed(value)
    if _compiled(_IDENTIFIER).fullmatch(value):
        return _is_name_as_password(match, value, quoted=quoted)
    return len(value) >= 3 and (quoted or _is_mixed(value) or _is_alone(match))


def _is_name_as_password(match: re.Match[str], value: str, *, quoted: bool) -> bool:
    """Whether a value that could be a variable's name is a password all the same."""
    if _has(_NAMES_ITSELF, value) or "." in value:
        return False
    if not quoted and (len(value) < 3 or _has(r",\s?\w*$", _before(match, 40))):
        return False  # one of several names: "user, password = given"
    return quoted or match["by"] in {"=", ":"} or _is_alone(match)


def _is_spoken_secret(match: re.Match[str]) -> bool:
    value = _value(match)
    if not _is_telling(match) or _is(_NOT_A_VALUE, value) or "(" in value or len(value) < 4:
        return False
    return (match["bare"] is None and " " not in value) or _is_mixed(value.rstrip(".!?:"))


def _is_value_beside(match: re.Match[str]) -> bool:
    """Whether a value that only stands behind the word can be one: ``password hunter2``."""
    value = _value(match).rstrip(".!?:")
    if len(value) < 6 or " " in value or _is(_NOT_A_VALUE, value) or _has(r"[(\[/=:]", value):
        return False
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_flag_secret(match: re.Match[str]) -> bool:
    value = _value(match)
    if value.startswith("-") or _is(_NOT_A_VALUE, value) or "(" in value:
        return False
    quoted = match["bare"] is None
    return quoted or (len(value) >= (4 if "pass" in match[0][:20] else 8) and _is_mixed(value))


def _is_chinese_secret(match: re.Match[str]) -> bool:
    value = _value(match)
    if _is(_NOT_A_VALUE, value):
        return False
    return _is_mixed(value) or not _has(
        r"^\s?[\u4e00-\u9fff]", match.string[match.end() : match.end() + 2]
    )


def _is_telling(match: re.Match[str]) -> bool:
    """Whether the word says enough: an API key does, a key does not, nor the end of "bypass"."""
    if match["key"]:
        return _has(_KEY_OF_WHAT, _before(match, 14))
    return not (match["short"] and _before(match, 1).isalpha())


def _before(match: re.Match[str], count: int) -> str:
    return match.string[max(0, match.start() - count) : match.start()]


def _is_env_secret(match: re.Match[str]) -> bool:
    line_start = match.string.rfind("\n", 0, match.start()) + 1
    if match.start() - line_start > 80 or not _compiled(_ENV_START).fullmatch(
        match.string[line_start : match.start()].lstrip()
    ):
        return False
    value = _value(match)
    if match["key"] and (
        not match.string[line_start : match.start()].endswith("_")
        or _compiled(r"[A-Za-z_]+(?:\.[A-Za-z_]+)*").fullmatch(value)  # SORT_KEY=created_at
    ):
        return False
    return len(value) >= 4 and not _is(_NOT_A_VALUE, value.lower()) and "(" not in value


def _is_header_secret(match: re.Match[str]) -> bool:
    basic = "basic" in match.re.groupindex and match["basic"] is not None
    value = _value(match)
    return not _is(_NOT_A_VALUE, value) and (basic or _is_mixed(value))


def _is_cookie(match: re.Match[str]) -> bool:
    """Whether one of a header's cookies has a value that only a server can have made up."""
    values = (pair.partition("=")[2].strip() for pair in _value(match).split(";"))
    return any(
        len(value) >= _LEAST_OF_WEAK and " " not in value and _is_mixed(value) for value in values
    ) and not _is(_NOT_A_VALUE, _value(match))


def _is_seed(match: re.Match[str]) -> bool:
    return len(_compiled(r"[a-z]+").findall(_value(match))) in {12, 15, 18, 21, 24}


def _is_mixed(value: str) -> bool:
    """Whether a value is no plain word: digits beside letters, or signs that no name has."""
    digit, letter = _has(r"\d", value), _has(r"[^\W\d_]", value)
    sign = _has(r"[!@#$%^&*+=~?]", value)
    return (digit and letter) or (letter and sign) or (digit and len(value) >= 6)


def _is_alone(match: re.Match[str]) -> bool:
    """Whether nothing follows the value on its line, as in ``Password: correcthorse``."""
    end = match.string.find("\n", match.end())
    rest = match.string[match.end() : len(match.string) if end < 0 else min(end, match.end() + 9)]
    return not rest.strip(" \t\r.,;\"'`)")


def _is_blob(text: str, match: re.Match[str]) -> bool:
    """Whether what stands near the word was made by a machine to be secret.

    Its letters change between capitals, small ones and digits far more often than in any name, or
    it is a long hex number that no word says to be a hash.
    """
    start, end = _span(match)
    value = text[start:end].rstrip("=")
    between = match.string[max(0, match.start() - 24) : start]
    if _has(_OF_A_HASH, between):
        return False
    if _compiled(r"[0-9a-fA-F]+").fullmatch(value):
        return len(value) >= 32 and _has(_TELLING_OF_HEX, between) and len(set(value.lower())) > 8
    classes = [_class_of(character) for character in value]
    if {"A", "a", "0"} - set(classes):
        return False
    changes = sum(one != other for one, other in pairwise(classes))
    return changes >= 0.38 * len(value) and _entropy(value) >= 3.5


def _class_of(character: str) -> str:
    if character.isdigit():
        return "0"
    if character.isupper():
        return "A"
    return "a" if character.islower() else "-"


def _entropy(value: str) -> float:
    """Return the bits that a character of ``value`` carries."""
    shares = [count / len(value) for count in Counter(value).values()]
    return -sum(share * math.log2(share) for share in shares)


_TELLING = (  # all of them words that have rules too, see ``find``
    "pass",
    "pwd",
    "secret",
    "token",
    "credential",
    "key",
    "密码",
    "口令",
    "密钥",
    "秘钥",
    "令牌",
)
_TELLING_OF_HEX = r"(?:secret|api|access|auth|private)[_ -]?(?:key|token)|secret|密钥|秘钥|令牌"
_RULES: tuple[tuple[tuple[str, ...], str, str, Callable[[re.Match[str]], bool]], ...] = (
    (
        ("pass", "pwd", "pw", "secret", "token", "credential", "key"),
        "password",
        _ASSIGNED,
        _is_assigned_secret,
    ),
    (
        ("pass", "pwd", "pw", "secret", "token", "credential", "key"),
        "password",
        _SPOKEN,
        _is_spoken_secret,
    ),
    (("pass", "pwd"), "password", _BESIDE, _is_value_beside),
    (("--",), "password", _FLAG, _is_flag_secret),
    (
        ("密码", "口令", "密钥", "秘钥", "令牌", "凭证", "凭据"),
        "password",
        _CHINESE,
        _is_chinese_secret,
    ),
    (
        ("authorization", "api-key", "auth-token", "private-token", "access-token"),
        "authorization",
        _AUTHORIZATION,
        _is_header_secret,
    ),
    (("bearer",), "authorization", _BEARER, _is_header_secret),
    (("cookie",), "cookie", _COOKIE, _is_cookie),
    (("seed phrase", "recovery phrase", "mnemonic", "助记词"), "seed phrase", _SEED, _is_seed),
)
_RULES_BY_WORD: dict[str, list[Rule]] = {}
for _words, _kind, _pattern, _accepts in _RULES:
    for _word in _words:
        _RULES_BY_WORD.setdefault(_word, []).append((_kind, _pattern, _accepts))
PATTERNS = (*((kind, pattern) for _, kind, pattern, _ in _RULES), _BLOB, _ENV_LINE, _NOT_A_VALUE)
