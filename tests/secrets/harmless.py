"""Texts that look as if they held a secret and hold none."""

from __future__ import annotations

from collections.abc import Iterator

from tests.secrets.corpus import BASE64, CHANCE, HEX, luhn, person, some


def harmless() -> list[str]:
    """What must stay as it is."""
    return [*_HARMLESS, *_made_up(), *_of_lock_files()]


def _made_up() -> Iterator[str]:
    """Hashes, identifiers, images: what fills repositories and tool output."""
    uuid = "-".join(some(HEX, length) for length in (8, 4, 4, 4, 12))
    sha1, sha256 = some(HEX, 40), some(HEX, 64)
    yield from (uuid, f"id: {uuid}", f"request key {uuid} timed out", f"session {uuid} 已结束")
    yield from (sha1, sha256, f"commit {sha1}", f"sha256:{sha256}", f"git checkout {sha1}")
    yield from (
        f"the key's sha256 is {sha256}",
        f"cache key: {sha1}",
        f"密钥指纹（sha256）：{sha256}",
    )
    yield from (f"image@sha256:{sha256}", f"md5sum {some(HEX, 32)}  key.txt", f'etag: "{sha1}"')
    yield from (f"public key token {some(HEX, 16)}", f"From {sha1} Mon Sep 17 00:00:00 2001")
    yield f"![logo](data:image/png;base64,iVBORw0KGgo{some(BASE64, 300)}==)"
    yield f'<img src="data:image/jpeg;base64,/9j/4AAQ{some(BASE64, 200)}" alt="token">'
    yield f"data:font/woff2;base64,d09GMgAB{some(BASE64, 200)}"
    yield f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{some(BASE64, 120)} ann@laptop"
    yield f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{some(BASE64, 43)} ann"
    yield f"-----BEGIN CERTIFICATE-----\n{some(BASE64, 64)}\n-----END CERTIFICATE-----"
    yield f"-----BEGIN PUBLIC KEY-----\n{some(BASE64, 64)}\n-----END PUBLIC KEY-----"
    yield f"-----BEGIN PGP SIGNATURE-----\n\n{some(BASE64, 64)}\n-----END PGP SIGNATURE-----"
    card, number = luhn("4", 16), person()
    wrong = str((int(card[-1]) + 1) % 10)
    yield from (card[:-1] + wrong, f"order {card[:-1] + wrong}", f"0.{card}", f"x{card}")
    yield from (number[:-1] + ("1" if number[-1] != "1" else "2"), f"a{number}", f"{number}00")
    yield from (
        f"{CHANCE.randint(10**18, 2 * 10**18 - 1)}",
        f"ts={CHANCE.randint(10**15, 2 * 10**15 - 1)}",
    )
    yield from (
        f"/home/ann/.cache/keys/{sha1[:20]}/token.json",
        f"s3://bucket/secret/{uuid}/part-0001",
    )
    yield from (
        f"trace token {some(HEX, 16)}",
        f"blob {sha1} 1234\tkey.py",
        f"index {sha1[:7]}..{sha1[8:15]}",
    )


def _of_lock_files() -> Iterator[str]:
    sha1, sha256, sha512 = some(HEX, 40), some(HEX, 64), some(BASE64, 86) + "=="
    yield (
        '    "node_modules/token-types": {\n      "version": "4.2.1",\n'
        '      "resolved": "https://registry.example/token-types/-/token-types-4.2.1.tgz",\n'
        f'      "integrity": "sha512-{sha512}",'
    )
    yield (
        '[[package]]\nname = "secretstorage"\nversion = "3.3.3"\n'
        'source = { registry = "https://index.example/simple" }\n'
        'sdist = { url = "https://files.example/packages/53/a4/'
        f'{some(HEX, 60)}/SecretStorage-3.3.3.tar.gz", hash = "sha256:{sha256}", size = 19739 }}'
    )
    yield f'[[package]]\nname = "keyring"\nchecksum = "{sha256}"\ndependencies = ["zeroize"]'
    yield f"keyring==24.3.0 \\\n    --hash=sha256:{sha256} \\\n    --hash=sha256:{some(HEX, 64)}"
    yield (
        'js-tokens@^4.0.0:\n  version "4.0.0"\n  resolved '
        f'"https://registry.example/js-tokens/-/js-tokens-4.0.0.tgz#{sha1}"\n'
        f"  integrity sha512-{sha512}"
    )
    yield (
        f"golang.org/x/crypto v0.17.0 h1:{some(BASE64, 43)}=\n"
        f"golang.org/x/crypto v0.17.0/go.mod h1:{some(BASE64, 43)}="
    )
    yield f"  /jsonwebtoken@9.0.2:\n    resolution: {{integrity: sha512-{sha512}}}"


_HARMLESS = """\
/usr/lib/python3.11/site-packages/catmem/secrets/finding.py
/Users/ann/Library/Application Support/Key Manager/Passwords.app
src/main/java/com/example/security/PasswordResetTokenRepository.java
C:\\Users\\ann\\AppData\\Local\\Token2Shell\\bin64\\key.exe
git@github.com:owner/repo.git
ssh://git@host:22/path.git
https://example.com:8080/path@2x.png
https://user@example.com/path
https://example.com/reset?token=<token>
http://localhost:11434/v1
postgres://user:$PASSWORD@host/db
postgres://user:${DB_PASS}@host/db
postgres://user:<password>@host/db
postgres://user:{password}@host/db
postgres://localhost/db
max_tokens: 2048
max_tokens=100000
token_count = 123456
token = estimate(text)
tokens_used: 12345
const token = req.headers.authorization
token: string
secret: bytes
password: str
password: Optional[str] = None
def login(user, password=None):
def login(user, password: str = "") -> Token:
connect(password=password)
username, password = credentials
password = get_password()
password = args.password
password = self._read_password()
password: "${DB_PASSWORD}"
password: $DB_PASSWORD
password=<your password>
password=xxxxxxxx
password=********
password: "{{ vault_password }}"
password: changeme
api_key = os.environ["OPENAI_API_KEY"]
api_key: settings.api_key
api_key_env: OPENAI_API_KEY
api_key: YOUR_API_KEY
api_key="your-api-key"
OPENAI_API_KEY=your-key-here
OPENAI_API_KEY=$KEY
OPENAI_API_KEY=<your-key>
OPENAI_API_KEY=
OPENAI_API_KEY=xxx
export GITHUB_TOKEN=$(gh auth token)
ANTHROPIC_API_KEY=${ANTHROPIC_API_KEY}
SORT_KEY=created_at
primary_key=id
PRIMARY_KEY=user_id
cache_key: user:42:profile
foreign key: order_id
partition key: customer_id
key = sorted(names)[0]
keys: a, b, c
for key, value in items.items():
dict(key=lambda item: item.name)
sort(key=len, reverse=True)
KeyError: 'user_id'
keyword: vim
key: value
key="primary-button-2"
the key is in 1Password
press the F5 key to run
the password must be at least 8 characters
the password must contain 8 characters and 2 digits
password is required
password is None
password is wrong
password: must be at least 8 characters long
Password reset for user 12345
the password of the user is hashed with bcrypt
passwords are hashed with argon2id
password hashing uses PBKDF2 with SHA-256
password sha256 digest
hash the password to sha512 first
wrong password
pass the token to the next stage
pass: 12 fail: 0
All 128 tests pass: 100%
bypass: internal2024
the auth token is refreshed every hour
the auth token is stored in Keychain
the token is invalid
tokens are limited to 4096
context is 128000 tokens
id_token is null
access token: expired
access_token: string
token expires after 3600 s
CSRF token missing
token type: Bearer
Unexpected token } in JSON at position 1234
SyntaxError: Unexpected token 'export'
a token budget of 16384 is enough
secret management with HashiCorp Vault
the secret is to write tests first
The secret: simplicity
secrets: inherit
secrets.GITHUB_TOKEN
${{ secrets.NPM_TOKEN }}
token: ${{ secrets.GITHUB_TOKEN }}
from secrets import token_urlsafe
import secrets
kubectl get secret my-secret -o yaml
kubectl create secret generic db-credentials-v2
gcloud auth application-default print-access-token
docker login -u me -p $TOKEN registry
mysql -u root -p app
mysql -h 127.0.0.1 -P 3306 -u root -p
curl -u $USER:$PASS https://x
curl -H "Authorization: Bearer $TOKEN" https://x
Authorization: Bearer $TOKEN
Authorization: Bearer <token>
Authorization: Bearer {token}
Authorization header missing
bearer authentication is required
Cookie: $COOKIE
Cookie: consent banner
cookies: {secure: true, httpOnly: true}
Set-Cookie: theme=dark; Path=/
deploy --token $TOKEN
the --password option reads a file
--api-key is deprecated
--key-file /etc/ssl/private/server.key
ssl_key: /etc/ssl/private/server-2024.key
sk-learn-compatible-estimators-everywhere
sk-SK locale
task-0123456789
risk-assessment-2024-q3-final-report
pypi-server and npm_config_registry
npm_config_user_agent
tokens are counted as text/4
pip install secrets-tool==1.2.3
pip install python-jose[cryptography]==3.3.0
gpt-4o-mini-2024-07-18
claude-3-5-sonnet-20241022
claude-opus-4-1-20250805
Qwen/Qwen2.5-Coder-7B-Instruct-GGUF
meta-llama/Llama-3.3-70B-Instruct
deepseek-r1-distill-qwen-32b-q4_k_m.gguf
text-embedding-3-large
sha256-RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc=
v1.2.3-beta.4+build.20240801
2026-08-01T12:34:56.789012+08:00
192.168.100.200:8443
call 13800138000 or 010-62345678
电话 13912345678
订单号 20240801123456789012
1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
3.14159265358979323846
4111 of 1111 in 1111 at 1111
0x1F4A9 and 0xDEADBEEFCAFEBABE
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
密码是什么？
密码必须包含数字
密码为空时报错
密码是必填的
密码是bcrypt加密的
密码用 argon2 存储
密码：至少 8 位
令牌是 JWT 格式
令牌过期时间是 3600 秒
密钥放在 1Password 里
密钥长度为 2048 位
密钥为 RSA-2048
用户的密钥放在 1Password 里
密码在 .env 里，变量名 DB_PASSWORD
口令=$PASSWORD
请记住：提交前运行 make check
忘记密码页面在 src/pages/forgot-password.tsx
token 用量超过 200000 就压缩
每次最多 4096 个 token
API key 从环境变量 OPENAI_API_KEY 读取
把 key 改成 user_id
主键 key 用 uuid7 生成""".splitlines()
