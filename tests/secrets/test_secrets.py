from __future__ import annotations

import time

import pytest

from catmem.secrets import find, mask

B64 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmn=="
HEX = "0123456789abcdef" * 4

SECRETS = [
    ("sk-proj-FAKE1234abcd5678efgh", "OpenAI key"),
    ("sk-ant-api03-abcdefghijklmnop1234", "Anthropic key"),
    ("sk-or-v1-0123456789abcdef0123", "API key"),
    ("sk-0123456789abcdef0123456789abcdef", "API key"),
    ("AKIAIOSFODNN7EXAMPLE", "AWS key"),
    ("LTAI5tFakeFakeFakeFake", "Alibaba Cloud key"),
    ("AKIDz8krbsJ5yKBZQpn74WFkmLPx3", "Tencent Cloud key"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "Google key"),
    ("ya29.a0AfH6SMBfakefakefakefake", "Google token"),
    ("GOCSPX-abcdefghijklmnopqrst", "Google secret"),
    ("abc8Q~abcdefghijklmnopqrstuvwxyz0123456", "Azure secret"),
    ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "GitHub token"),
    ("github_pat_11ABCDEFG0abcdefghijklmnop", "GitHub token"),
    ("glpat-abcdefghij1234567890", "GitLab token"),
    ("xoxb-123456789012-abcdefGHIJ", "Slack token"),
    ("xapp-1-A0123456-abcdef", "Slack token"),
    ("sk_live_abcdefghij1234567890", "Stripe key"),
    ("whsec_abcdefghij1234567890", "Stripe secret"),
    ("npm_abcdefghijklmnopqrstuvwxyz0123456789", "npm token"),
    ("pypi-AgEIcHlwaS5vcmcCJDU3", "PyPI token"),
    ("123456789:AAabcdefghijklmnopqrstuvwxyz0123456", "Telegram token"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_def-ghi", "JSON web token"),
    ("hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", "Hugging Face token"),
    ("SG.abcdefghijklmnop.abcdefghijklmnopqrst", "SendGrid key"),
    ("dop_v1_" + HEX, "DigitalOcean token"),
    ("gsk_abcdefghijklmnopqrstuvwxyz0123456789", "Groq key"),
    ("dapi0123456789abcdef0123456789abcdef", "Databricks token"),
    ("shpat_0123456789abcdef0123456789abcdef", "Shopify token"),
    (
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY-----",
        "private key",
    ),
    ("-----BEGIN RSA PRIVATE KEY-----\ncut in the middle", "private key"),
]

BESIDE_A_WORD = [
    ("OPENAI_API_KEY=", "abcd1234efgh", ""),
    ("export DB_PASS='", "qwerty", "'"),
    ("PGPASSWORD=", "letmein", ""),
    ("MY_SECRET=", "abcd1234", "\nOTHER=1"),
    ("aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""),
    ("postgres://u:", "pw", "@h/db"),
    ("use redis://:", "s3cr3t", "@localhost:6379/0 here"),
    ("https://oauth2:", "abcdefgh", "@git.example.com/x.git"),
    ("AccountName=x;AccountKey=", B64, ""),
    ("https://x.blob.core.windows.net/c?sv=1&sig=", "abcdefghijklmnopqrstuvwxyz%2B0123", ""),
    ("https://hooks.slack.com/services/", "T00000000/B00000000/XXXXyyyyZZZZ", ""),
    ("Authorization: Bearer ", "abcdef1234567890abcdef", ""),
    ("Authorization: Basic ", "dXNlcjpwYXNz", ""),
    ("curl -H 'x-api-key: ", "0123456789abcdef", "'"),
    ("send it as bearer ", "abcdef1234567890abcdef", " please"),
    ("curl -u admin:", "hunter2", " https://x"),
    ("sshpass -p ", "hunter2", " ssh host"),
    ("password=", "hunter2", ""),
    ("password=", "correcthorse", ";user=x"),
    ("password: ", "correcthorse", ""),
    ('db_password: "', "correct horse battery", '"'),
    ('{"password": "', "letmein", '"}'),
    ("dbPassword = '", "letmein", "'"),
    ("client_secret: ", "8f3b2c1d9e", ""),
    ('api_key="', "abcd1234efgh5678", '"'),
    ("access token: ", "abcd1234efgh5678", ""),
    ("my password is ", "hunter2!", ""),
    ("The password for the staging db is ", "Tr0ub4dor", ""),
    ("密码是 ", "abc123", ""),
    ("数据库密码：", "P@ssw0rd", "，别忘了"),
    ("管理员密码为", "admin123", "。"),
    ("口令=", "letmein", ""),
]

HARMLESS = """\
commit 3f786850e387550fdab836ed7e6dc881de23001b
550e8400-e29b-41d4-a716-446655440000
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
"integrity": "sha512-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghij=="
/usr/lib/python3.11/site-packages/catmem/secrets.py
git@github.com:owner/repo.git
https://example.com:8080/path@2x.png
http://localhost:11434/v1
postgres://user:$PASSWORD@host/db
postgres://user:${DB_PASS}@host/db
postgres://user:<password>@host/db
max_tokens: 2048
token = estimate(text)
const token = req.headers.authorization
token: string
password: str
def login(user, password=None):
connect(password=password)
password = get_password()
password = args.password
password: "${DB_PASSWORD}"
api_key = os.environ["OPENAI_API_KEY"]
api_key: settings.api_key
api_key_env: OPENAI_API_KEY
OPENAI_API_KEY=your-key-here
OPENAI_API_KEY=$KEY
SORT_KEY=created_at
primary_key=id
cache_key: user:42:profile
foreign key: order_id
the password must be at least 8 characters
password is required
password: must be at least 8 characters long
the password of the user is hashed with bcrypt
the auth token is refreshed every hour
the token is invalid
id_token is null
密码是什么？
密码必须包含数字
密码为空时报错
The secret: simplicity
the secret is to write tests first
key: value
keyword: vim
Authorization: Bearer $TOKEN
Authorization: Bearer <token>
sk-learn-compatible-estimators-everywhere
pypi-server and npm_config_registry
tokens are counted as text/4
pip install secrets-tool==1.2.3
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
用户的密钥放在 1Password 里
请记住：提交前运行 make check""".splitlines()


@pytest.mark.parametrize(("secret", "kind"), SECRETS, ids=[kind for _, kind in SECRETS])
def test_a_secret_of_a_known_form_is_masked_wherever_it_stands(secret: str, kind: str) -> None:
    assert mask(f"use {secret}") == f"use [masked {kind}]"
    assert mask(f"（{secret}") == f"（[masked {kind}]"
    assert [found.kind for found in find(secret)] == [kind]


@pytest.mark.parametrize(("before", "secret", "after"), BESIDE_A_WORD)
def test_a_value_that_a_word_gives_away_is_masked_and_its_surroundings_stay(
    before: str, secret: str, after: str
) -> None:
    text = before + secret + after
    (found,) = find(text)
    assert text[found.start : found.end] == secret
    masked = mask(text)
    assert masked == f"{before}[masked {found.kind}]{after}"
    assert mask(masked) == masked


@pytest.mark.parametrize("text", HARMLESS)
def test_b11_ordinary_text_is_not_touched(text: str) -> None:
    assert mask(text) == text


def test_b11_the_fact_around_a_secret_stays() -> None:
    text = "Deploy with make ship; the token ghp_abcdefghijklmnopqrstuvwxyz0123456789 is Ann's."
    assert mask(text) == "Deploy with make ship; the token [masked GitHub token] is Ann's."


def test_several_secrets_in_one_text() -> None:
    text = "A_KEY=abcd1234\npassword=hunter2\npostgres://u:pw@h/db"
    assert mask(text) == (
        "A_KEY=[masked environment secret]\npassword=[masked password]\n"
        "postgres://u:[masked password]@h/db"
    )


def test_letters_that_change_length_in_lower_case_shift_nothing() -> None:
    assert mask("İİİ Password=hunter2") == "İİİ Password=[masked password]"


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "ghp_", "eyJ", "eyJabcdefghij.", "curl ", "curl -u a", "password for ", "password="),
        *(
            "a://",
            "http://a:",
            "abc8Q~",
            "-----BEGIN PRIVATE KEY-----",
            "x = y\n",
            "密码是",
            "Bearer ",
        ),
        *("key: ", 'password="', "0123456789:AA", "[?&]sig=", "A_", "the token is "),
    ],
)
def test_any_text_takes_linear_time(piece: str) -> None:
    text = (piece * (200_000 // len(piece) + 1))[:200_000]

    def seconds(length: int) -> float:
        started = time.process_time()
        mask(text[:length])
        return time.process_time() - started

    small = seconds(20_000)
    assert seconds(200_000) < 25 * small + 0.2  # quadratic would be 100 times
