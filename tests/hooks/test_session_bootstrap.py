"""The one line at session start: to whom it is told, and that it can be switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.harness import Answer, Harness


def started(harness: Harness, source: str = "startup", **fields: str) -> Answer:
    return harness.fire("SessionStart", source=source, **fields)


@pytest.mark.parametrize("source", ["startup", "clear", "compact"])
def test_a_coordinator_that_has_not_read_it_is_told_how_to_declare(
    harness: Harness, source: str
) -> None:
    answer = started(harness, source)

    assert answer.specific["hookEventName"] == "SessionStart"
    assert "FILE-SCOPE:" in answer.reason
    assert len(answer.reason.encode()) <= 300
    assert not answer.notice


@pytest.mark.parametrize("source", ["resume", "fork", "", "new"])
def test_one_that_has_read_it_is_not(harness: Harness, source: str) -> None:
    assert started(harness, source).stdout == ""


def test_an_agent_is_not(harness: Harness) -> None:
    assert started(harness, agent_id="a1").stdout == ""


@pytest.mark.parametrize("settings", ["hint = false", '[modes]\ndispatch = "off"'])
def test_the_user_can_switch_it_off(harness: Harness, settings: str) -> None:
    (harness.repo / ".holdshort.toml").write_text(settings)

    assert started(harness).stdout == ""


def test_the_minimal_profile_leaves_it_out(harness: Harness) -> None:
    harness.environ["HOLDSHORT_HOOK_PROFILE"] = "minimal"

    assert started(harness).stdout == ""


def test_it_keeps_nothing(harness: Harness) -> None:
    started(harness)

    assert not harness.state_dir.exists()
