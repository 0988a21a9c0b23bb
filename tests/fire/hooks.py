"""The hooks by their names, to be served within a process of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holdshort.gather import dispatch, life, session, write, writes

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdshort.core.verdict import Outcome


class Hook(NamedTuple):
    """How the hook of one name judges, and whether a call that it cannot judge is denied."""

    judge: Callable[[dict[str, Any], float], Outcome]
    fails_closed: Callable[[], bool] = lambda: False


HOOKS = {
    "pre_task_scope_disjoint": Hook(dispatch.judge),
    "agent_lifecycle": Hook(life.judge),
    "post_write_touched": Hook(writes.judge),
    "enforce_scope": Hook(write.judge, write.is_governed),
    "session_bootstrap": Hook(session.judge),
}
GUARD, LIFE, TOUCH, WRITE, START = HOOKS
