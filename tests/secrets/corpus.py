"""Texts with a secret in them.

Every secret is put together from parts at run time, so that none stands in the repository: hosts
refuse a push that holds one, made up or not.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from dataclasses import dataclass

CHANCE = random.Random(20_260_801)
HEX = "0123456789abcdef"
_ALNUM = string.ascii_letters + string.digits
_URLSAFE = _ALNUM + "-_"
BASE64 = _ALNUM + "+/"
_WORD, _STRONG = "Hunter2x", "Tr0ub4dor&3"
_BASE32 = string.ascii_uppercase + "234567"


@dataclass(frozen=True, slots=True)
class Planted:
    """A secret and the text around it; ``format`` is its name in the corpus."""

    format: str
    before: str
    secret: str
    after: str

    @property
    def text(self) -> str:
        """The whole text."""
        return self.before + self.secret + self.after


def some(alphabet: str, length: int) -> str:
    """Random characters: at least one small letter, capital and digit where there are any."""
    while True:
        made = "".join(CHANCE.choices(alphabet, k=length))
        wanted = [string.ascii_lowercase, string.ascii_uppercase, string.digits]
        if length < 8 or all(
            set(kind) & set(made) or not set(kind) & set(alphabet) for kind in wanted
        ):
            return made


def luhn(start: str, length: int) -> str:
    digits = start + some(string.digits, length - len(start) - 1)
    for check in string.digits:
        values = [int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits + check))]
        if sum(v - 9 if v > 9 else v for v in values) % 10 == 0:
            return digits + check
    raise AssertionError


def person(last: str = "") -> str:
    """A Chinese ID number with the right check digit, which may be asked for."""
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    while True:
        digits = f"110105{CHANCE.randint(1950, 2005)}{CHANCE.randint(1, 12):02}"
        digits += f"{CHANCE.randint(1, 28):02}{CHANCE.randint(0, 999):03}"
        check = "10X98765432"[sum(w * int(d) for w, d in zip(weights, digits, strict=True)) % 11]
        if last in ("", check):
            return digits + check


def tokens() -> Iterator[tuple[str, str]]:
    """Format and token, for those that name themselves by their form."""
    yield from _tokens_of_models_and_clouds()
    yield from _tokens_of_tools()
    yield from _keys_and_numbers()


def _tokens_of_models_and_clouds() -> Iterator[tuple[str, str]]:
    yield "OpenAI", "sk" + "-" + some(_ALNUM, 20) + "T3Blbk" + "FJ" + some(_ALNUM, 20)
    yield "OpenAI project", "sk" + "-proj-" + some(_URLSAFE, 74)
    yield "Anthropic", "sk" + "-ant-" + "api03-" + some(_URLSAFE, 93) + "AA"
    yield "OpenRouter", "sk" + "-or-v1-" + some(HEX, 64)
    yield "DeepSeek, Qwen, Moonshot", "sk" + "-" + some(HEX, 32)
    yield "Zhipu", some(HEX, 32) + "." + some(_ALNUM, 16)
    yield "AWS access key", "AK" + "IA" + some(_BASE32, 16)
    yield "AWS session key", "AS" + "IA" + some(_BASE32, 16)
    yield "GCP API key", "AI" + "za" + some(_URLSAFE, 35)
    yield "GCP OAuth token", "ya" + "29." + some(_URLSAFE, 60)
    yield "GCP client secret", "GOC" + "SPX-" + some(_URLSAFE, 28)
    yield "Azure client secret", some(_ALNUM, 3) + "8Q" + "~" + some(_ALNUM, 34)
    yield "Azure key", some(_ALNUM, 52) + "JQ" + "QJ99" + some(_ALNUM, 26)
    yield "Alibaba Cloud", "LT" + "AI5t" + some(_ALNUM, 20)
    yield "Tencent Cloud", "AK" + "ID" + some(_ALNUM, 32)


def _tokens_of_tools() -> Iterator[tuple[str, str]]:
    yield "GitHub", "gh" + "p_" + some(_ALNUM, 36)
    yield "GitHub OAuth", "gh" + "o_" + some(_ALNUM, 36)
    yield "GitHub fine-grained", "github" + "_pat_" + some(_ALNUM, 22) + "_" + some(_ALNUM, 59)
    yield "GitLab", "gl" + "pat-" + some(_URLSAFE, 20)
    yield "Slack bot", "xo" + "xb-" + "1234567890-" + some(_ALNUM, 24)
    yield "Slack app", "xa" + "pp-1-A0" + some(string.digits, 8) + "-" + some(HEX, 40)
    yield "Stripe", "sk" + "_live_" + some(_ALNUM, 24)
    yield "Stripe restricted", "rk" + "_test_" + some(_ALNUM, 24)
    yield "Stripe webhook", "wh" + "sec_" + some(_ALNUM, 32)
    yield "npm", "np" + "m_" + some(_ALNUM, 36)
    yield "PyPI", "py" + "pi-AgEIcHlwaS5vcmc" + some(_URLSAFE, 70)
    yield "Telegram bot", some(string.digits, 10) + ":A" + "A" + some(_URLSAFE, 33)
    yield "Discord bot", "M" + some(_ALNUM, 25) + "." + some(_ALNUM, 6) + "." + some(_URLSAFE, 38)
    yield "SendGrid", "S" + "G." + some(_URLSAFE, 22) + "." + some(_URLSAFE, 43)
    yield "Twilio", "S" + "K" + some(HEX, 32)
    yield "Mailgun", "ke" + "y-" + some(HEX, 32)
    yield "Mailchimp", some(HEX, 32) + "-u" + "s12"
    yield "Hugging Face", "h" + "f_" + some(string.ascii_letters, 34)
    yield "Groq", "gs" + "k_" + some(_ALNUM, 52)
    yield "xAI", "xa" + "i-" + some(_ALNUM, 80)
    yield "Replicate", "r" + "8_" + some(_ALNUM, 37)
    yield "DigitalOcean", "do" + "p_v1_" + some(HEX, 64)
    yield "Shopify", "sh" + "pat_" + some(HEX, 32)
    yield "Square", "sq" + "0atp-" + some(_URLSAFE, 22)
    yield "Databricks", "da" + "pi" + some(HEX, 32)
    yield "Docker", "dc" + "kr_pat_" + some(_URLSAFE, 27)
    yield "Vault", "hv" + "s." + some(_URLSAFE, 90)
    yield "Notion", "nt" + "n_" + some(_ALNUM, 46)
    yield "Linear", "li" + "n_api_" + some(_ALNUM, 40)
    yield "Grafana", "gl" + "sa_" + some(_ALNUM, 32) + "_" + some(HEX, 8)
    yield "New Relic", "NR" + "AK-" + some(string.ascii_uppercase + string.digits, 27)
    yield "Supabase", "sb" + "p_" + some(HEX, 40)
    yield "Postman", "PM" + "AK-" + some(HEX, 24) + "-" + some(HEX, 34)


def _keys_and_numbers() -> Iterator[tuple[str, str]]:
    yield (
        "JSON web token",
        ".".join(
            ("ey" + "J" + some(_URLSAFE, 33), "ey" + "J" + some(_URLSAFE, 80), some(_URLSAFE, 43))
        ),
    )
    yield "age key", "AGE-SECRET-" + "KEY-1" + some(_BASE32, 58)
    for name in ("RSA ", "OPENSSH ", "EC ", ""):
        lines = "\n".join(some(BASE64, 64) for _ in range(3))
        edge = f"{name}PRIVATE " + "KEY-----"
        yield (
            f"private key ({name.strip() or 'PKCS 8'})",
            f"-----BEGIN {edge}\n{lines}\n-----END {edge}",
        )
    yield "Chinese ID number", person()
    yield "Chinese ID number with X", person("X")
    yield "Visa card", luhn("4", 16)
    yield "UnionPay card", luhn("62", 19)
    card = luhn("52", 16)
    yield "Mastercard, grouped", " ".join(card[i : i + 4] for i in range(0, 16, 4))
    yield "American Express", luhn("37", 15)


def beside_words() -> Iterator[Planted]:
    """Values that a word or a place gives away, in English, Chinese and the files of programs."""
    yield from _passwords()
    yield from _keys()
    yield from _headers()
    yield from _addresses()
    yield from _webhooks()
    yield from _files_and_commands()


def _passwords() -> Iterator[Planted]:
    plain = "correct" + "horse"
    yield from _each(
        "password assigned",
        _STRONG,
        ("password=", ""),
        ("PASSWORD: ", ""),
        ('"password": "', '"'),
        ("passwd := '", "'"),
        ("db_pass=", ""),
        ("pwd=", "; x=1"),
    )
    yield from _each(
        "password of letters",
        plain,
        ("password=", ""),
        ("Password: ", ""),
        ("passphrase: '", "'"),
        ("password=", "\nuser=ann"),
    )
    yield from _each(
        "password in prose",
        _STRONG,
        ("my password is ", ""),
        ("The password for the staging db is ", "."),
        ("the password's ", ""),
        ("log in as ann with password ", " please"),
        ("I changed the password to ", " today"),
    )
    yield from _each(
        "password, Chinese",
        _WORD,
        ("密码是 ", ""),
        ("密码：", "，别告诉别人"),
        ("口令：", "。"),
        ("数据库密码为“", "”"),
        ("登录密码改成了", "，记一下"),
        ("root 密码设为 ", "。"),
        ("密码用的是", "。"),
        ("口令=", ""),
    )


def _keys() -> Iterator[Planted]:
    blob = some(BASE64, 40)
    yield from _each(
        "key, Chinese",
        blob,
        ("密钥：", ""),
        ("我的密钥是 ", "。"),
        ("访问令牌为 ", "，有效期一年"),
        ("接口的 key 给你：", ""),
        ("令牌 ", " 已经换过"),
    )
    yield from _each(
        "API key assigned",
        some(HEX, 32),
        ("api_key = ", ""),
        ("apiKey: '", "'"),
        ('{"api-key":"', '"}'),
        ("access_token=", ""),
        ("client_secret: ", ""),
        ("auth token: ", ""),
    )
    yield from _each(
        "blob beside a word",
        blob,
        ("the API key ", " is for tests"),
        ("use this token: ", ""),
        ("here is the secret you need, ", ""),
        ("key for the map server ", ""),
    )
    yield from _each(
        "AWS secret key",
        some(BASE64, 40),
        ("aws_secret_access_key = ", ""),
        ("AWS_SECRET_ACCESS_KEY=", "\nAWS_REGION=eu"),
        ("export AWS_SECRET_ACCESS_KEY='", "'"),
    )
    yield from _each(
        "environment line",
        "q7zk-" + _WORD,
        ("DB_PASSWORD=", ""),
        ("export API_TOKEN=", ""),
        ("X=1\nSESSION_SECRET='", "'\nY=2"),
        ('SMTP_PASS="', '"'),
        ("STRIPE_KEY=", ""),
    )


def _headers() -> Iterator[Planted]:
    yield from _each(
        "Authorization header",
        some(_ALNUM, 40),
        ("Authorization: Bearer ", ""),
        ("-H 'authorization: token ", "'"),
        ("X-Api-Key: ", ""),
        ("PRIVATE-TOKEN: ", ""),
        ("bearer ", " works"),
        ("请求头 Authorization: Bearer ", ""),
    )
    yield from _each(
        "basic authorization",
        some(_ALNUM, 20) + "==",
        ("Authorization: Basic ", ""),
        ('"Authorization": "Basic ', '"'),
    )
    yield from _each(
        "cookie",
        "sid=" + some(_ALNUM, 32) + "; theme=dark",
        ("Cookie: ", ""),
        ("curl -H 'Cookie: ", "' x"),
        ("set-cookie: ", "\nvary: x"),
    )


def _addresses() -> Iterator[Planted]:
    yield from _each(
        "connection string",
        _STRONG,
        ("postgres://app:", "@db:5432/app"),
        ("mysql://root:", "@127.0.0.1/x"),
        ("mongodb+srv://u:", "@c.example.net"),
        ("redis://:", "@cache:6379/0"),
        ("连接串是 amqp://guest:", "@mq/ ，测试用"),
    )
    yield from _each(
        "connection string of .NET",
        _STRONG,
        ("Server=db;User Id=sa;Password=", ";Encrypt=true"),
        ("Data Source=x;Pwd=", ";"),
    )
    yield from _each(
        "password in a URL",
        _WORD,
        ("https://ann:", "@git.example.com/r.git"),
        ("ftp://ann:", "@files.example.com"),
    )
    yield from _each(
        "Azure storage",
        some(BASE64, 86) + "==",
        ("AccountName=x;AccountKey=", ";EndpointSuffix=core"),
        ("AccountKey=", ""),
    )
    yield from _each(
        "Azure bus",
        some(BASE64, 43) + "=",
        ("Endpoint=sb://x;SharedAccessKey=", ""),
    )
    yield from _each(
        "Azure signature", some(_ALNUM, 43) + "%3D", ("https://x.blob.example/c?sv=1&sig=", "")
    )


def _webhooks() -> Iterator[Planted]:
    yield from _each(
        "Slack webhook",
        f"T{some(HEX, 8)}/B{some(HEX, 8)}/{some(_ALNUM, 24)}",
        ("https://hooks.slack" + ".com/services/", ""),
    )
    yield from _each(
        "Discord webhook",
        "123456789012345678/" + some(_URLSAFE, 68),
        ("https://discord" + ".com/api/webhooks/", ""),
    )
    yield from _each(
        "Feishu webhook",
        f"{some(HEX, 8)}-{some(HEX, 4)}-{some(HEX, 12)}",
        ("https://open.feishu" + ".cn/open-apis/bot/v2/hook/", ""),
    )
    yield from _each(
        "WeCom webhook",
        f"{some(HEX, 8)}-{some(HEX, 4)}-{some(HEX, 12)}",
        ("https://qyapi.weixin" + ".qq.com/cgi-bin/webhook/send?key=", ""),
    )
    yield from _each(
        "DingTalk webhook",
        some(HEX, 64),
        ("https://oapi.dingtalk" + ".com/robot/send?access_token=", ""),
    )


def _files_and_commands() -> Iterator[Planted]:
    yield from _each(
        "command line",
        _WORD,
        ("curl -u admin:", " https://x"),
        ("sshpass -p ", " ssh h"),
        ("mysql -uroot -p", " app"),
        ("deploy --password ", " now"),
        ("docker login -u me -p ", " registry"),
        ("redis-cli -a ", " ping"),
        ("deploy --api-token ", ""),
    )
    yield from _each("netrc", _WORD, ("machine x login ann password ", ""))
    yield from _each("npmrc", some(_ALNUM, 36), ("//registry/:_authToken=", ""))
    yield from _each(
        "one-time password secret", some(_BASE32, 32), ("otpauth://totp/x?secret=", "&issuer=y")
    )
    seed = " ".join(some(string.ascii_lowercase, 5) for _ in range(12))
    yield from _each("seed phrase", seed, ("seed phrase: ", ""), ("助记词：", ""))
    yield from _each("JSON inside JSON", _WORD, ('{"arguments": "{\\"password\\": \\"', '\\"}"}'))
    yield from _each("WireGuard", some(BASE64, 43) + "=", ("PrivateKey = ", ""))


def _each(format: str, secret: str, *places: tuple[str, str]) -> Iterator[Planted]:
    for before, after in places:
        yield Planted(format, before, secret, after)


_AROUND_A_TOKEN = (
    ("use ", ""),
    ("（", "）"),
    ("export X='", "'"),
    ("部署用的是 ", " ，别提交"),
    ('{"value": "', '", "n": 1}'),
    ('it was "', '".\nThe rest stays.'),
)


def planted() -> list[Planted]:
    """Every format in several places."""
    formed = [
        Planted(name, before, token, after)
        for name, token in tokens()
        for before, after in _AROUND_A_TOKEN
    ]
    return [*formed, *beside_words()]
