"""What counts as a trace in a transcript, and what only looks like one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdshort.core.sightings import LAUNCH_PHRASE, notice_in, sighted

CALL = "toolu_T"


def result(content: Any, structured: Any = None, **fields: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": CALL, "content": content, **fields}
    record: dict[str, Any] = {"type": "user", "message": {"role": "user", "content": [block]}}
    return record if structured is None else {**record, "toolUseResult": structured}


def notice(status: str, agent: str = "a1", call: str = CALL, summary: str = "") -> str:
    named = f"<tool-use-id>{call}</tool-use-id>" if call else ""
    return (
        f"<task-notification>\n<task-id>{agent}</task-id>\n{named}\n<status>{status}</status>\n"
        f"<summary>{summary}</summary>\n</task-notification>"
    )


def enqueued(text: str) -> dict[str, Any]:
    return {"type": "queue-operation", "operation": "enqueue", "content": text}


RECEIPT_TEXT = f"{LAUNCH_PHRASE}. (internal)\nagentId: a1 (internal ID)\n"
RECEIPT = result(
    [{"type": "text", "text": RECEIPT_TEXT}], {"status": "async_launched", "agentId": "a1"}
)


@pytest.mark.parametrize(
    ("record", "ended"),
    [
        pytest.param(result("3 files"), "completed", id="text"),
        pytest.param(result([{"type": "text", "text": "done"}]), "completed", id="blocks"),
        pytest.param(result("x", {"status": "completed"}), "completed", id="structured"),
        pytest.param(result("denied", is_error=True), "error", id="error"),
        pytest.param(result("", "User rejected tool use", is_error=True), "error", id="interrupt"),
        pytest.param(result([]), "completed", id="empty"),
        *(
            pytest.param(enqueued(notice(status)), status, id=status)
            for status in ("completed", "failed", "killed", "stopped", "never heard of")
        ),
        pytest.param(
            {"type": "user", "message": {"content": notice("failed")}}, "failed", id="user record"
        ),
        pytest.param(
            {
                "type": "attachment",
                "attachment": {
                    "type": "queued_command",
                    "commandMode": "task-notification",
                    "prompt": notice("killed"),
                },
            },
            "killed",
            id="absorbed in mid-turn",
        ),
    ],
)
def test_an_end_is_seen(record: Any, ended: str) -> None:
    assert ended == sighted([record], CALL, None).ended


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(RECEIPT, id="launch receipt"),
        pytest.param(result(RECEIPT_TEXT), id="launch receipt of an old client"),
        pytest.param(enqueued(notice("running")), id="notice of progress"),
        pytest.param(enqueued("see " + notice("completed")), id="notice inside other text"),
        pytest.param(enqueued(notice("", summary="<status>completed</status>")), id="in a summary"),
        pytest.param(enqueued(notice("completed", "a9", "toolu_other")), id="another agent's"),
        pytest.param(
            {
                "type": "user",
                "message": {
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "toolu_bash",
                            "content": notice("completed"),
                        }
                    ]
                },
            },
            id="quoted in a tool result",
        ),
        pytest.param(
            {"type": "user", "message": {"content": [{"type": "text", "text": notice("failed")}]}},
            id="typed by a person",
        ),
        pytest.param(
            {"type": "assistant", "message": {"content": [{"type": "text", "text": notice("x")}]}},
            id="said by the model",
        ),
        pytest.param(
            {"type": "attachment", "attachment": {"type": "hook_success", "stdout": notice("x")}},
            id="printed by a hook",
        ),
    ],
)
def test_what_is_no_end_is_not_taken_for_one(record: Any) -> None:
    assert sighted([record], CALL, "a1").ended == ""


@pytest.mark.parametrize(
    "record", [RECEIPT, result(RECEIPT_TEXT)], ids=["new client", "old client"]
)
def test_a_launch_receipt_names_its_agent(record: Any) -> None:
    assert sighted([record], CALL, None).launched == "a1"


def test_a_report_that_quotes_the_launch_phrase_is_an_end() -> None:
    report = result(f"I ran it. It said: {LAUNCH_PHRASE}.")

    assert sighted([report], CALL, None).ended == "completed"
    assert sighted([report], CALL, None).launched is None


def test_the_clients_own_status_outweighs_the_words() -> None:
    report = result(f"{LAUNCH_PHRASE} was all I could say", {"status": "completed"})

    assert sighted([report], CALL, None).ended == "completed"


def test_the_call_itself_is_recognised() -> None:
    call = {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": CALL}]}}

    assert sighted([call], CALL, None).dispatched
    assert not sighted([call], "toolu_other", None).dispatched


def test_a_notice_without_a_call_counts_by_its_agent() -> None:
    record = enqueued(notice("stopped", call=""))

    assert sighted([record], CALL, "a1").ended == "stopped"
    assert sighted([record], CALL, None).ended == ""


def test_a_revived_agent_ends_by_the_call_that_woke_it_and_not_by_its_first_notice() -> None:
    late, own = enqueued(notice("completed")), enqueued(notice("failed", call="toolu_message"))

    assert sighted([late], CALL, "a1", is_revived=True).ended == ""
    assert sighted([own], CALL, "a1", is_revived=True).ended == "failed"


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8) | st.sampled_from([CALL, "user"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "message", "content", "toolUseResult", "attachment", "id"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=4))
def test_no_record_breaks_it(records: list[Any]) -> None:
    sighted(records, CALL, "a1")


@given(st.text())
def test_no_text_breaks_the_notice_reader(text: str) -> None:
    notice_in(text)
    notice_in("<task-notification>" + text)
