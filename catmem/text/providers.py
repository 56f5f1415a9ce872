"""Interface strings of the model providers: key -> (English, Chinese)."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "providers.none": (
        (
            "no model is configured; set {anthropic} or {openai}, or name a server, e.g. "
            "OPENAI_BASE_URL=http://127.0.0.1:11434/v1"
        ),
        (
            "尚未配置模型；请设置 {anthropic} 或 {openai}，或指定服务器，例如 "
            "OPENAI_BASE_URL=http://127.0.0.1:11434/v1"
        ),
    ),
    "providers.no_key": (
        "the provider {provider} needs a key; set {variable}",
        "使用 {provider} 需要密钥；请设置 {variable}",
    ),
    "providers.odd_key": (
        "the key from {source} holds characters that no key has; copy it again",
        "{source} 中的密钥含有不应出现的字符；请重新复制",
    ),
    "providers.key_command": (
        "{setting} did not print a key ({reason}); run it by hand to see why",
        "{setting} 未能给出密钥（{reason}）；请手动运行该命令查看原因",
    ),
    "providers.bad_url": (
        "“{url}” is not a server address; set {variable}, or base_url, as in http://127.0.0.1:8080/v1",
        "“{url}”不是有效的服务器地址；请设置 {variable} 或 base_url，例如 http://127.0.0.1:8080/v1",
    ),
    "providers.bad_proxy": (
        (
            "the proxy in {variable} cannot be used ({reason}); correct or unset it (a SOCKS proxy "
            "needs the Python package socksio)"
        ),
        "无法使用 {variable} 指定的代理（{reason}）；请更正或取消（SOCKS 代理需安装 socksio 包）",
    ),
    "providers.proxy_fails": (
        "no connection to {server} through the proxy in {variable} ({reason}); check the proxy",
        "无法通过 {variable} 指定的代理连接 {server}（{reason}）；请检查代理",
    ),
    "providers.not_running": (
        "no connection to {url} (is the server running?)",
        "无法连接 {url}；请确认服务器已启动",
    ),
    "providers.unreachable": (
        "no connection to {url} ({reason}); check the network and the address",
        "无法连接 {url}（{reason}）；请检查网络和地址",
    ),
    "providers.lost": (
        "the connection to {server} was lost in mid-answer",
        "与 {server} 的连接在回答途中断开",
    ),
    "providers.silent": (
        "{server} was silent for {seconds} s",
        "{server} 已 {seconds} 秒没有响应",
    ),
    "providers.dropped": (
        "{reason}; what arrived is kept, send “go on” to continue",
        "{reason}；已收到的内容已保留，输入“继续”可接着做",
    ),
    "providers.rate_limit": (
        "too many requests to {server} (rate limit)",
        "对 {server} 的请求过于频繁（速率限制）",
    ),
    "providers.overloaded": (
        "{server} is overloaded (HTTP {status})",
        "{server} 过载（HTTP {status}）",
    ),
    "providers.server_error": (
        "{server} had an internal error (HTTP {status}: {detail})",
        "{server} 内部出错（HTTP {status}：{detail}）",
    ),
    "providers.gave_up": (
        "{reason}; gave up (tries: {tries}), send the message again later",
        "{reason}；已放弃（尝试 {tries} 次），请稍后重发",
    ),
    "providers.long_wait": (
        "{reason}; the server asks to wait {wait}, send the message again then",
        "{reason}；服务器要求等待 {wait}，请届时重发",
    ),
    "providers.credit": (
        "the account at {server} has no credit or quota left; top it up, or use another provider",
        "{server} 上的账户余额或配额已用尽；请充值或更换提供商",
    ),
    "providers.wrong_key": (
        "{server} refused the key from {source}; check that it is whole and still valid",
        "{server} 拒绝了来自 {source} 的密钥；请检查密钥是否完整、有效",
    ),
    "providers.wants_key": (
        "{server} needs a key; set the variable that providers.{provider}.api_key_env names",
        "{server} 需要密钥；请设置 providers.{provider}.api_key_env 所指的环境变量",
    ),
    "providers.forbidden": (
        "{server} does not let the key from {source} do this ({detail}); check its permissions",
        "{server} 不允许来自 {source} 的密钥执行此操作（{detail}）；请检查密钥权限",
    ),
    "providers.no_model": (
        "{server} has no model “{model}” for this key; choose another with /model or --model",
        "{server} 没有此密钥可用的模型“{model}”；请用 /model 或 --model 另选",
    ),
    "providers.no_api": (
        "there is no model API at {url} (HTTP {status}: {detail}); check base_url",
        "{url} 处没有模型接口（HTTP {status}：{detail}）；请检查 base_url",
    ),
    "providers.too_large": (
        "the request is larger than the server accepts; start over with /clear, or read less",
        "请求超过服务器允许的大小；请用 /clear 重新开始，或一次少读一些",
    ),
    "providers.overflow": (
        "the conversation no longer fits into {model}'s context window; start over with /clear",
        "对话已超出 {model} 的上下文窗口；请用 /clear 重新开始",
    ),
    "providers.rejected": (
        "{server} rejected the request ({detail}); try another model, or report this",
        "{server} 拒绝了请求（{detail}）；请换一个模型，或报告此问题",
    ),
    "providers.nonsense": (
        "the answer from {url} makes no sense ({said}); check that base_url is a model API",
        "{url} 的响应无法理解（{said}）；请确认 base_url 是模型接口",
    ),
    "providers.no_probabilities": (
        "the server of {model} reports no token probabilities (logprobs)",
        "{model} 的服务器不提供词元概率（logprobs）",
    ),
    "providers.refused": (
        "the model declined to answer; rephrase the request, or use another model",
        "模型拒绝回答；请换一种说法，或更换模型",
    ),
    "providers.refused_as": (
        "the model declined to answer ({category}); rephrase the request, or use another model",
        "模型拒绝回答（{category}）；请换一种说法，或更换模型",
    ),
}
