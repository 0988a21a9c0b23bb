"""SessionStart: one line that teaches the coordinator to declare (docs/declaring-a-scope.md)."""

from __future__ import annotations

from holdshort.adapters.places import locate, project
from holdshort.adapters.policy_file import policy_at
from holdshort.adapters.wire import text
from holdshort.core.policy import OFF
from holdshort.core.verdict import Outcome, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A resumed or forked session has read it before.
SOURCES = ("startup", "clear", "compact")
HINT = (
    "holdshort keeps parallel agents off each other's files. When you dispatch an agent that edits "
    "files, put a line `FILE-SCOPE:` into its prompt and below it, fenced, its paths or globs, one a "
    "line. A dispatch that meets an agent in flight is denied and says who has the file."
)


def judge(call: dict[str, Any], now: float) -> Outcome:  # noqa: ARG001  # every judge is given it
    """The hint, for a coordinator that has not read it yet; the user may switch it off."""
    if text(call, "source") not in SOURCES or text(call, "agent_id"):
        return Outcome()
    place = locate(text(call, "cwd"), project())
    policy, _ = policy_at(place.root, place.state_dir)
    if policy.dispatch == OFF or not policy.hint:
        return Outcome()
    return Outcome(told("", HINT))
