"""What a transcript says about one dispatch.

Record shapes: docs/harness-claude.md. Only the structure of a record counts; the same text quoted
inside a prompt, a report or a tool result proves nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

LAUNCH_PHRASE = "Async agent launched successfully"
# Statuses of a dispatch's result that end it; any other one is some kind of launch.
ENDED_STATUSES = ("completed", "failed", "error", "killed", "stopped", "cancelled", "canceled")
NOTIFICATION = "<task-notification>"
OPEN_STATUSES = ("running", "pending", "in_progress", "started", "queued", "paused")
_FREE_TEXT = ("<summary>", "<note>", "<result>")  # an agent's own words begin here


class Sighting:
    """The traces of one dispatch in the part of a transcript that was searched.

    dispatched: its own tool call was found, so its end would stand there too.
    launched: agent id of a launch receipt, "" for a receipt without one, None for no receipt.
    ended: how it ended (`completed`, `error`, `killed`, ...), or "".
    """

    __slots__ = ("dispatched", "ended", "launched")

    def __init__(
        self, launched: str | None = None, ended: str = "", *, dispatched: bool = False
    ) -> None:
        self.dispatched = dispatched
        self.launched = launched
        self.ended = ended


def sighted(
    records: Iterable[Any], tool_use_id: str, agent_id: str | None, *, is_revived: bool = False
) -> Sighting:
    """Read parsed transcript records, oldest first, for the dispatch `tool_use_id`.

    agent_id: the agent it started, when that is known.
    is_revived: it was woken again, so a notice that names the dispatch itself is of its first life.
    """
    seen = Sighting()
    for record in records:
        if not isinstance(record, dict):
            continue
        if record.get("type") == "assistant":
            calls = [block.get("id") for block in _blocks_of(record, "tool_use")]
            seen.dispatched = seen.dispatched or tool_use_id in calls
        else:
            _take_result(seen, record, tool_use_id)
            _take_notice(seen, record, agent_id, tool_use_id, is_revived=is_revived)
    return seen


def notice_in(text: Any) -> tuple[str, str, str] | None:
    """`(task id, tool-use id, status)` of a notice that is the whole text, else None."""
    if not isinstance(text, str) or not text.startswith(NOTIFICATION):
        return None
    head = text
    for tag in _FREE_TEXT:
        head = head.partition(tag)[0]
    return _tag(head, "task-id"), _tag(head, "tool-use-id"), _tag(head, "status")


def is_final(status: str) -> bool:
    """Whether a task with this status has ended; a status not known to be open has."""
    return bool(status) and status.lower() not in OPEN_STATUSES


def launch_receipt(block: Any, structured: Any) -> str | None:
    """The agent id in a launch receipt ("" when it names none); None for any other tool result.

    The client's structured result decides; only where it is missing does the receipt's first
    sentence, and then only at the very start, so that a report may quote it.
    """
    if isinstance(structured, dict) and isinstance(structured.get("status"), str):
        if structured["status"] in ENDED_STATUSES:
            return None
        agent = structured.get("agentId")
        return agent if isinstance(agent, str) else ""
    text = _first_text(block.get("content"))
    if block.get("is_error") is True or not text.startswith(LAUNCH_PHRASE):
        return None
    return text.partition("agentId: ")[2].partition(" ")[0].partition("\n")[0]


def _take_result(seen: Sighting, record: Any, tool_use_id: str) -> None:
    for block in _blocks_of(record, "tool_result"):
        if block.get("tool_use_id") == tool_use_id:
            receipt = launch_receipt(block, record.get("toolUseResult"))
            if receipt is None:
                seen.ended = "error" if block.get("is_error") is True else "completed"
            else:
                seen.launched = receipt


def _take_notice(
    seen: Sighting, record: Any, agent_id: str | None, tool_use_id: str, *, is_revived: bool
) -> None:
    notice = notice_in(_own_text(record))
    if notice is None or not is_final(notice[2]):
        return
    names_call = notice[1] == tool_use_id
    is_ours = names_call or (agent_id is not None and notice[0] == agent_id)
    if is_ours and not (is_revived and names_call):
        seen.ended = notice[2]


def _own_text(record: Any) -> Any:
    """The text that the harness itself put into a record: neither a tool's nor a person's.

    What a person types stands in a list of blocks, and enqueues without its content.
    """
    kind = record.get("type")
    if kind == "queue-operation":
        return record.get("content")
    if kind == "attachment":
        queued = record.get("attachment")
        is_notice = isinstance(queued, dict) and queued.get("commandMode") == "task-notification"
        return queued.get("prompt") if is_notice else None
    message = record.get("message")
    return message.get("content") if kind == "user" and isinstance(message, dict) else None


def _blocks_of(record: Any, kind: str) -> list[Any]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict) and block.get("type") == kind]


def _first_text(content: Any) -> str:
    if isinstance(content, list) and content and isinstance(content[0], dict):
        content = content[0].get("text")
    return content if isinstance(content, str) else ""


def _tag(text: str, name: str) -> str:
    return text.partition(f"<{name}>")[2].partition(f"</{name}>")[0].strip()
