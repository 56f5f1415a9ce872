"""Tokens that name themselves by their form, as ``ghp_…``.

Every pattern is linear: quantifiers are bounded or end at a character that they cannot match.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

# Kind, the texts with which it can begin, and the pattern, which is tried only where one of them
# stands: a search for plain text is many times quicker than one by a pattern. Where a pattern has a
# group, the group is the secret. Each is compiled when it is first needed: all of them at once
# would hold up every start.
_KEYS_OF_MODELS: tuple[tuple[str, str, str], ...] = (
    ("Anthropic key", "sk-ant-", r"\bsk-ant-[\w-]{10,300}"),
    ("OpenAI key", "sk-", r"\bsk-(?:proj|svcacct|admin|None)-[\w-]{8,300}"),
    ("API key", "sk-or-", r"\bsk-or-[\w-]{16,200}"),
    ("API key", "sk-lf-|pk-lf-", r"\b[sp]k-lf-[\w-]{16,200}"),
    ("API key", "sk-", r"\bsk-(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{20,100}\b"),
    ("Google key", "AIza", r"\bAIza[\w-]{35}"),
    ("Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{30,60}"),
    ("Hugging Face token", "api_org_", r"\bapi_org_[A-Za-z0-9]{30,60}"),
    ("Groq key", "gsk_", r"\bgsk_[A-Za-z0-9]{30,80}"),
    ("xAI key", "xai-", r"\bxai-[A-Za-z0-9]{30,120}"),
    ("Replicate token", "r8_", r"\br8_[A-Za-z0-9]{30,60}"),
    ("Perplexity key", "pplx-", r"\bpplx-[A-Za-z0-9]{30,80}"),
    ("Tavily key", "tvly-", r"\btvly-[\w-]{20,80}"),
    ("LangSmith key", "lsv2_", r"\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    ("AWS Bedrock key", "ABSK", r"\bABSK[A-Za-z0-9+/]{100,300}={0,2}"),
)
_KEYS_OF_CLOUDS: tuple[tuple[str, str, str], ...] = (
    ("AWS key", "AKIA|ASIA|ABIA|ACCA", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    ("Alibaba Cloud key", "LTAI", r"\bLTAI[A-Za-z0-9]{12,24}\b"),
    ("Tencent Cloud key", "AKID", r"\bAKID[A-Za-z0-9]{13,40}\b"),
    ("Baidu Cloud key", "bce-v3/", r"\bbce-v3/ALTAK-[\w/-]{20,120}"),
    ("Google token", "ya29.", r"\bya29\.[\w.-]{20,400}"),
    ("Google token", "1//0", r"\b1//0[\w-]{40,200}"),
    ("Google secret", "GOCSPX-", r"\bGOCSPX-[\w-]{20,60}"),
    ("Azure key", "AccountKey=", r"\bAccountKey=([A-Za-z0-9+/]{40,100}={0,2})"),
    ("Azure key", "AccessKey=", r"\bAccessKey=([A-Za-z0-9+/]{30,120}={0,2})"),
    ("Azure signature", "sig=", r"(?<=[?&])sig=([A-Za-z0-9%+/]{30,120}={0,2})"),
    ("DigitalOcean token", "dop_v1_|doo_v1_|dor_v1_", r"\bdo[opr]_v1_[0-9a-f]{40,80}"),
    ("Databricks token", "dapi", r"\bdapi[0-9a-f]{32}\b"),
    ("Heroku key", "HRKU-", r"\bHRKU-[\w-]{30,80}"),
    ("Vault token", "hvs.|hvb.|hvr.", r"\bhv[sbr]\.[\w-]{20,300}"),
    ("Pulumi token", "pul-", r"\bpul-[0-9a-f]{40}\b"),
    ("Supabase key", "sbp_|sb_secret_", r"\b(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,80})"),
    ("PlanetScale key", "pscale_", r"\bpscale_(?:tkn|pw|oauth)_[\w.-]{32,64}"),
    ("Doppler token", "dp.", r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,60}"),
    ("New Relic key", "NRAK-", r"\bNRAK-[A-Z0-9]{27}\b"),
    ("Grafana token", "glc_|glsa_", r"\b(?:glc_[A-Za-z0-9+/]{32,400}={0,2}|glsa_\w{32,60})"),
    ("Sentry token", "sntry", r"\bsntry[su]_[\w+/=.-]{40,400}"),
)
_KEYS_OF_TOOLS: tuple[tuple[str, str, str], ...] = (
    ("GitHub token", "ghp_|gho_|ghu_|ghs_|ghr_", r"\bgh[pousr]_[A-Za-z0-9]{20,255}"),
    ("GitHub token", "github_pat_", r"\bgithub_pat_\w{20,255}"),
    (
        "GitLab token",
        "glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glsoat-|glagent-|glimt-|glffct-|gloas-",
        r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|ffct|oas)-[\w.-]{16,200}",
    ),
    ("GitLab token", "GR1348941", r"\bGR1348941[\w-]{20}"),
    ("Bitbucket token", "ATBB", r"\bATBB[A-Za-z0-9]{32}\b"),
    ("Atlassian token", "ATATT3", r"\bATATT3[\w=-]{100,300}"),
    ("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{30,100}"),
    ("PyPI token", "pypi-", r"\bpypi-(?:AgE[\w-]{10,250}|[A-Za-z0-9_]{50,250})"),
    ("RubyGems key", "rubygems_", r"\brubygems_[0-9a-f]{48}\b"),
    ("Docker token", "dckr_", r"\bdckr_(?:pat|oat)_[\w-]{20,60}"),
    ("Postman key", "PMAK-", r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b"),
    ("Linear key", "lin_", r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,80}"),
    ("Notion token", "ntn_|secret_", r"\b(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})\b"),
    ("Figma token", "figd_", r"\bfigd_[\w-]{30,80}"),
    ("Airtable token", "pat", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b"),
    ("Netlify token", "nfp_", r"\bnfp_[A-Za-z0-9]{36,60}"),
    ("SendGrid key", "SG.", r"\bSG\.[\w-]{16,32}\.[\w-]{16,64}"),
    ("Mailgun key", "key-", r"\bkey-[0-9a-f]{32}\b"),
    ("Brevo key", "xkeysib-", r"\bxkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("Twilio key", "SK", r"\bSK[0-9a-f]{32}\b"),
    (
        "Stripe key",
        "sk_live_|sk_test_|rk_live_|rk_test_",
        r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,250}",
    ),
    ("Stripe secret", "whsec_", r"\bwhsec_[A-Za-z0-9+/=]{16,100}"),
    ("Square token", "sq0", r"\bsq0(?:atp|csp|idp)-[\w-]{22,60}"),
    ("Shopify token", "shp", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
)
_KEYS_OF_TALK: tuple[tuple[str, str, str], ...] = (
    ("Slack token", "xox", r"\bxox[abeoprs](?:\.xox[bp])?-[\w-]{10,250}"),
    ("Slack token", "xapp-", r"\bxapp-\d-[\w-]{10,250}"),
    (
        "Slack webhook",
        "hooks.slack.com",
        r"\bhooks\.slack\.com/(?:services|workflows|triggers)/([\w/]{20,150})",
    ),
    ("Discord webhook", "/api/webhooks/", r"/api/webhooks/(\d{16,20}/[\w-]{50,90})"),
    ("Teams webhook", "webhook.office.com", r"webhook\.office\.com/(webhookb2/[\w@/-]{60,300})"),
    ("Feishu webhook", "open-apis/bot", r"open-apis/bot/(?:v2/)?hook/([\w-]{20,60})"),
    ("WeCom webhook", "webhook/send?key=", r"webhook/send\?key=([\w-]{20,60})"),
    ("DingTalk webhook", "robot/send?", r"robot/send\?access_token=([0-9a-f]{40,80})"),
)
_OTHERS: tuple[tuple[str, str, str], ...] = (
    ("npm token", "_authToken", r"_authToken\s?=\s?[\"']?((?![$<{])[\w+/=-]{8,300})"),
    (
        "private key",
        "-----BEGIN ",
        (
            r"-----BEGIN (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
            r"(?s:.)*?(?:-----END (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----|\Z)"
        ),
    ),
    ("private key", "Private-Lines:", r"Private-Lines: \d{1,4}\r?\n((?s:.)*?)(?:Private-MAC|\Z)"),
    ("private key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{40,80}"),
    ("JSON web token", "eyJ", r"\beyJ[\w-]{8,2000}\.eyJ[\w-]{4,6000}(?:\.[\w-]{0,2000})?"),
    (
        "one-time password secret",
        "otpauth://",
        r"otpauth://[^\s\"']{0,200}?secret=([A-Za-z2-7]{16,128})",
    ),
    # In a connection string; a variable or placeholder in its place is none.
    (
        "password",
        "://",
        r"://[\w.%+~-]{0,100}:((?![$<{*%\[])[^\s/\"'<>`]{1,200})@",
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
    (
        "password",  # glued to its flag, as these programs want it
        "mysql",
        r"\bmysql(?:dump|admin)?\b[^\n]{0,200}?\s-p[\"']?((?![$<{\[])[^\s\"']{3,128})",
    ),
    (
        "password",
        "docker login",
        r"\bdocker login\b[^\n]{0,200}?\s-p\s{0,3}[\"']?((?![$<{\[])[^\s\"']{1,128})",
    ),
    (
        "password",
        "redis-cli",
        r"\bredis-cli\b[^\n]{0,200}?\s-a\s{0,3}[\"']?((?![$<{\[])[^\s\"']{1,128})",
    ),
    ("password", "login ", r"\blogin\s{1,3}\S{1,100}\s{1,3}password\s{1,3}((?![$<{\[])\S{1,128})"),
)
_BY_THEIR_START = (*_KEYS_OF_MODELS, *_KEYS_OF_CLOUDS, *_KEYS_OF_TOOLS, *_KEYS_OF_TALK)
_STARTS = [(hint, kind, form) for kind, hints, form in _BY_THEIR_START for hint in hints.split("|")]
# Those that begin before their hint, with the most characters that may stand there. A lookbehind
# asks for the least; it is quicker than a search for all that could lead up to a hint.
_BY_THEIR_MIDDLE: tuple[tuple[str, str, int, str], ...] = (
    ("Azure key", "JQQJ99", 52, r"(?<=[A-Za-z0-9]{52})JQQJ99[A-Za-z0-9]{20,40}"),
    ("Azure secret", "8Q~", 3, r"(?<=[\w~.-]{3})8Q~[\w~.-]{31,34}"),
    ("Terraform token", ".atlasv1.", 14, r"(?<=[A-Za-z0-9]{14})\.atlasv1\.[\w=-]{60,70}"),
    ("Mailchimp key", "-us", 32, r"(?<=[0-9a-f]{32})-us[0-9]{1,2}\b"),
    ("Telegram token", ":AA", 10, r"(?<=\d{8}):AA[\w-]{32,35}"),
    ("Discord token", ".", 28, r"(?<=[\w-]{24})\.[\w-]{6}\.[\w-]{27,45}"),
    (
        "API key",  # Zhipu: an id, a dot and a secret
        ".",
        32,
        (
            r"(?<=\b[0-9a-f]{32})\.(?=[A-Za-z]{0,15}\d)(?=[a-z0-9]{0,15}[A-Z])"
            r"[A-Za-z0-9]{16}\b"
        ),
    ),
)

# A token of nothing but x's, or one that says what to put in its place.
_PLACEHOLDER = r"(?i)x{8,}|your[_-]|placeholder|\[masked |<[a-z_ -]{2,40}>"
PATTERNS = (*_BY_THEIR_START, *_BY_THEIR_MIDDLE, *_OTHERS, _PLACEHOLDER)
_SHORTEST_TOKEN = 14
_compiled = functools.cache(re.compile)


def find(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each token of a known form."""
    for kind, start, end in _matches(text):
        if not _compiled(_PLACEHOLDER).search(text, start, end):
            yield start, end, kind


def _matches(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of everything that has one of the forms.

    Most tokens are a long run without blanks. A text has few of those, so that the hints are looked
    for in them alone first.
    """
    runs = "\n".join([word for word in text.split() if len(word) >= _SHORTEST_TOKEN])
    for hint, kind, form in _STARTS:
        if hint in runs:
            yield from _at_hints(text, kind, hint, form)
    for kind, hint, most, form in _BY_THEIR_MIDDLE:
        if hint in runs:
            for _, start, end in _at_hints(text, kind, hint, form):
                before = _compiled(r"[\w~.-]*").fullmatch
                lead = next(n for n in range(most, 0, -1) if before(text, max(0, start - n), start))
                yield kind, max(0, start - lead), end
    for kind, hint, form in _OTHERS:
        if hint in text:
            yield from _at_hints(text, kind, hint, form)


def _at_hints(text: str, kind: str, hint: str, form: str) -> Iterator[tuple[str, int, int]]:
    position = text.find(hint)
    while position >= 0:
        match = _compiled(form).match(text, position)
        if match is not None:
            yield kind, *match.span(match.re.groups)
        end = position + len(hint) if match is None else match.end()
        position = text.find(hint, end)
