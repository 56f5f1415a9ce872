from __future__ import annotations

from catmem.events import Action, ActionKind, ApprovalRequest
from catmem.messages import ToolCallPart
from catmem.ui.paint import SPELLED, Paint, flow, wrap
from catmem.ui.questions import choices, headline, preview


def request(action: Action) -> ApprovalRequest:
    return ApprovalRequest(ToolCallPart("c", action.tool, {}), action)


def test_hidden_characters_of_a_command_are_spelled_out() -> None:
    command = "echo \x1b]0;$(rm -rf ~)\x07 \u202egpj.exe\u200b\rls"
    action = Action("bash", ActionKind.EXECUTE, command, command)

    assert preview(request(action), Paint(color=False, signs=True)) == (
        "\n  echo \\x1b]0;$(rm -rf ~)\\x07 \\u202egpj.exe\\u200b\\rls"
    )


def test_a_command_is_shown_in_full_however_long_it_is() -> None:
    command = "".join(f"echo {number}\n" for number in range(200)) + "@@ \nrm -rf ~"
    action = Action("bash", ActionKind.EXECUTE, command, command)
    assert preview(request(action), Paint(color=False, signs=True)) == (
        "\n" + "".join(f"  echo {number}\n" for number in range(200)) + "  @@ \n  rm -rf ~"
    )


def test_question_names_what_is_outside_and_what_a_session_yes_covers() -> None:
    action = Action(
        "write_file", ActionKind.WRITE, "/etc/x", "+a", ("/etc/x",), "write_file outside"
    )

    assert headline(request(action)) == (
        "Make this change to /etc/x? (outside the workspace: /etc/x)"
    )
    assert choices(request(action)) == (
        "y once · s this session (write_file outside) · n no · or type what to do instead"
    )


def test_rows_break_between_words_and_lose_nothing() -> None:
    assert wrap("run this with bash and more", 10) == ["run this", "with bash", "and more"]
    assert wrap("exactlyten wide", 10) == ["exactlyten", "wide"]
    assert wrap("unbreakable_name", 6) == ["unbrea", "kable_", "name"]
    assert wrap("  indented text", 12) == ["  indented", "text"]
    assert wrap("这是一段很长的中文", 7) == ["这是一", "段很长", "的中文"]
    assert wrap("", 5) == [""]


def test_rows_break_inside_chinese_and_tear_no_sign_off() -> None:
    assert wrap("记忆：新增 2 条（回答用中文），更新 0 条", 20) == [
        "记忆：新增 2 条（回",
        "答用中文），更新 0",
        "条",
    ]
    assert wrap("移到归档：/home/a/state/archive", 26) == ["移到归档：", "/home/a/state/archive"]
    assert wrap("不再回忆（也不记）", 10) == ["不再回忆", "（也不记）"]
    assert wrap("也不再回忆，也不", 10) == ["也不再回", "忆，也不"]


def test_columns_stay_columns_or_go_below_each_other() -> None:
    line = "  /exit  end the session and learn"
    assert flow(line, 40) == [line]
    assert flow(line, 24) == ["  /exit  end the session", "         and learn"]
    assert flow(line, 14) == ["  /exit", "    end the", "    session", "    and learn"]
    assert flow("  indented text", 12) == ["  indented", "  text"]
    assert flow("状态    一段很长的中文", 16) == ["状态    一段很长", "        的中文"]
    assert flow("", 5) == [""]


def test_signs_that_an_encoding_lacks_are_spelled() -> None:
    assert "❯ “a”… 你\ud800".encode("ascii", SPELLED) == b'> "a"... ??'
