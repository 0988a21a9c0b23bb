"""Which files the agent of a prompt may write.

The scope is what stands under a marker (`FILE-SCOPE`, `Files you may edit`, ...) as a fenced block,
a list, a table or the rest of the line. Blocks add up; those of another agent, those not to be
touched and reading matter do not count. Anything less plain is weak and may only advise.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


WEAK_GATE = (
    *("scope", "file", "only", "datei", "you own", "within", "limit", "restrict", "changes"),
    *("confine", "paths", "modify", "edit", "ownership", "umfang", "territory", "these"),
    *("you may", "you can", "nur"),
)
"""One word of each weak label and cue."""

READING_GATE = (
    *("not ", "n't", "n\u2019t", "no ", "only", "without", "never", "nothing", "nur ", "keine"),
    *("nichts", "reine ", "kein "),
)
"""A sentence without any of these (in lower case) cannot say it."""


class Extraction:
    """The scope of a prompt as written, how sure it is, and what was left out.

    `strength` is "strong", "weak" or "none"; `access` is "write" or "read"; `dropped` holds pairs
    of a line of a scope block and why it was not understood as a path.
    """

    __slots__ = ("access", "agent_ids", "dropped", "entries", "strength")

    def __init__(
        self,
        entries: Sequence[str] = (),
        strength: str = "none",
        access: str = "write",
        dropped: Sequence[tuple[str, str]] = (),
        agent_ids: Sequence[str] = (),
    ) -> None:
        self.entries = tuple(dict.fromkeys(entries))
        self.strength = strength
        self.access = access
        self.dropped = tuple(dropped)
        self.agent_ids = tuple(dict.fromkeys(agent_ids))


def extract(prompt: str, own_names: Sequence[str] = (), markers: Sequence[str] = ()) -> Extraction:
    """Read the prompt of a dispatch.

    own_names: its description, name and type. markers: the user's own, added to ours.
    """
    lowered = prompt.lower()
    if not _is_worth_reading(lowered, markers):
        return Extraction()
    from holdshort.core.scope_reader import read_prompt  # noqa: PLC0415  # past the gate only

    return read_prompt(prompt, lowered, own_names, markers)


def _is_worth_reading(lowered: str, markers: Sequence[str]) -> bool:
    """Tell whether a word is there without which there is no marker, no promise and no id."""
    return (
        any(word in lowered for word in WEAK_GATE)
        or any(word.lower() in lowered for word in markers)
        or any(word in lowered for word in READING_GATE)
        or "agent-id" in lowered
        or "agent id" in lowered
        or "agent_id" in lowered
    )
