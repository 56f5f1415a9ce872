"""Interface strings of the agent loop: key -> (English, Chinese)."""

from __future__ import annotations

STRINGS: dict[str, tuple[str, str]] = {
    "agent.hook_failed": (
        "an extension failed and was skipped ({problem})",
        "某个扩展出错，已跳过（{problem}）",
    ),
    "agent.step_limit": (
        "stopped after {limit} steps; send “go on” to continue",
        "已执行 {limit} 步，暂停；输入“继续”可接着做",
    ),
    "agent.cut": (
        "the answer was cut at the token limit; send “go on” for the rest",
        "回答因达到长度上限被截断；输入“继续”可看余下内容",
    ),
    "agent.cut_repeatedly": (
        "the tool calls were cut at the token limit three times in a row; ask for smaller steps",
        "模型的工具调用连续三次因长度上限被截断，请让它分成更小的步骤",
    ),
    "agent.dropped": (
        "the connection was lost in mid-answer; what arrived is kept, send “go on” to continue",
        "回答中途连接断开，已收到的内容已保留；输入“继续”可接着做",
    ),
    "agent.refused": (
        "the model declined to answer; rephrase the request, or use another model",
        "模型拒绝回答；请换一种说法，或更换模型",
    ),
    "agent.empty": (
        "the model sent an empty answer; send the message again",
        "模型返回了空回答，请重新发送",
    ),
}
