"""Why is the list of allowed paths empty? The verdict is the same; the sentence is not.

The sentence is read by the agent that was denied. None holds a command, and none asks it to mend,
move or take away the manifest: for an agent that would be the way out of every gate at once.
"""

from __future__ import annotations

from holdshort.core.grant import READ_ONLY_ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdshort.core.grant import Grant

UNREADABLE = "unreadable"
READ_ONLY = "read-only-role"
STALE = "stale-manifest"
DEFECT = "writer-defect"
UNKNOWN = "unknown"

SENTENCES = {
    UNREADABLE: (
        "The wave manifest is there but no usable record, so nothing can be granted. Report this work as "
        "blocked; the coordinator has to write the manifest anew."
    ),
    READ_ONLY: (
        "This wave's role only reads, by design. Report the change that you had in mind as a finding."
    ),
    STALE: (
        "The wave manifest is older than this session: left over from one that ended, or that of another "
        "session at work in this tree; which one cannot be told from here. It is not yours. Report this "
        "work as blocked and leave the manifest as it is."
    ),
    DEFECT: (
        "The wave manifest grants this role nothing, so the step that unites the declared scopes did not "
        "finish. Report this work as blocked; the coordinator has to repeat that step, not edit by hand."
    ),
    UNKNOWN: (
        "Nothing may be written in this wave. If this file belongs to your task, the coordinator has to "
        "change the plan and start the wave again."
    ),
}


def why_empty(grant: Grant, changed: float | None, session_started: float | None) -> str:
    """The class of an empty grant.

    changed: epoch seconds at which the manifest last changed. session_started: epoch seconds at
    which the harness process started; None where the system does not tell.
    """
    if not grant.is_readable:
        return UNREADABLE
    role = grant.role.strip().casefold()
    if role == READ_ONLY_ROLE:
        return READ_ONLY
    if changed is None or session_started is None:
        return UNKNOWN
    if changed < session_started:
        return STALE
    return DEFECT if role else UNKNOWN
