"""Edits that the coordinator plans itself: no dispatch, so no record, only `coordinator.json`."""

from __future__ import annotations

from holdshort.core.overlap import Meeting
from holdshort.core.scope_index import ScopeIndex
from holdshort.core.verdict import Verdict, told
from holdshort.core.words import clip_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SOURCE = "coordinator.json"


def planned_edits(
    files: Sequence[str], planned: Sequence[str], shared: Sequence[str]
) -> tuple[Verdict, ...]:
    """The advisory for a scope of `files` that meets what the coordinator has `planned`."""
    found = ScopeIndex(files, shared).first_meeting(planned)
    if not isinstance(found, Meeting):
        return ()
    said = (
        f"HS512 {SOURCE} plans edits of {clip_path(found.witness)}, which is in this agent's scope too. "
        "Leave it to one of the two, or edit it once the agent has ended."
    )
    return (told("HS512", said),)
