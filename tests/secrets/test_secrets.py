"""Masking: what is replaced, what stays, and that it takes linear time."""

from __future__ import annotations

import time

import pytest

from catmem.secrets import find, mask
from tests.secrets.corpus import planted, tokens

GITHUB = dict(tokens())["GitHub"]


def test_b11_the_fact_around_a_secret_stays() -> None:
    text = f"Deploy with make ship; the token {GITHUB} is Ann's."
    assert mask(text) == "Deploy with make ship; the token [masked GitHub token] is Ann's."


def test_several_secrets_in_one_text() -> None:
    text = "A_KEY=abcd1234\npassword=hunter2\npostgres://u:pw@h/db"
    assert mask(text) == (
        "A_KEY=[masked environment secret]\npassword=[masked password]\n"
        "postgres://u:[masked password]@h/db"
    )


def test_what_is_masked_is_not_masked_again() -> None:
    for item in planted():
        masked = mask(item.text)
        assert mask(masked) == masked


def test_a_private_key_that_was_cut_off_is_masked_to_the_end() -> None:
    start = "-----BEGIN RSA PRIVATE " + "KEY-----"
    assert mask(f"key:\n{start}\ncut in the middle") == "key:\n[masked private key]"


def test_letters_that_change_length_in_lower_case_shift_nothing() -> None:
    assert mask("İİİ Password=hunter2") == "İİİ Password=[masked password]"


def test_no_place_is_named_twice() -> None:
    text = f"password={GITHUB} and AUTH_TOKEN={GITHUB}"
    places = [(secret.start, secret.end) for secret in find(text)]
    assert places == [(9, 9 + len(GITHUB)), (len(text) - len(GITHUB), len(text))]


PIECES = [
    *(
        "a",
        "ghp_",
        "eyJ",
        "eyJabcdefghij.",
        "a://",
        "http://a:",
        "://",
        "abc8Q~",
        "hvs.",
        "M.",
        "SK",
    ),
    *(
        "password=",
        'password="',
        "password for ",
        "password is ",
        "the token is ",
        "密码是",
        "key a ",
    ),
    *(
        "Bearer ",
        "cookie:a=",
        "AccountKey=",
        "?&sig=",
        "A_",
        "--token ",
        "key: ",
        "key-",
        "-us",
        "a@",
    ),
    *("0123456789:AA", "4", "4 1 ", "52", "1101", "4111-", "0123456789abcdef" * 2 + ".", "JQQJ99"),
    *("curl ", "curl -u a", "mysql -", "login a password ", "otpauth://a", ".atlasv1.", "x = y\n"),
    *("-----BEGIN ", "-----BEGIN PRIVATE " + "KEY-----", "Private-Lines: 1\n"),
    *("助记词 abc ", "mnemonic abc def "),
]


@pytest.mark.parametrize("piece", PIECES)
def test_any_text_takes_linear_time(piece: str) -> None:
    text = (piece * (200_000 // len(piece) + 1))[:200_000]

    def seconds(length: int) -> float:
        started = time.process_time()
        mask(text[:length])
        return time.process_time() - started

    small = seconds(20_000)
    assert seconds(200_000) < 25 * small + 0.2  # quadratic would be 100 times


def test_a_megabyte_takes_less_than_half_a_second() -> None:
    lines = [item.text for item in planted()[::40]]
    source = "def token_of(self, key: str) -> str:\n    return self.tokens[key].password\n" * 20
    text = (source + "\n".join(lines) + "\n") * 1_000
    text = text[:1_000_000]
    mask(text[:1_000])  # compiles the patterns
    best = min(_seconds(text) for _ in range(3))
    assert best < 0.5


def _seconds(text: str) -> float:
    started = time.process_time()
    mask(text)
    return time.process_time() - started
