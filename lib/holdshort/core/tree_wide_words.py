"""What a denied git command is told: what is at stake, whose it is, and the harmless way."""

from __future__ import annotations

from holdshort.core.shell_git import MOVES, SWEEPS, TAKES
from holdshort.core.verdict import DENY, Verdict
from holdshort.core.words import clip, clip_path, quoted, span
from holdshort.core.write_words import AROUND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdshort.core.shell_git import Deed
    from holdshort.core.tree_wide import Stake

SHOWN = 3
CODES = {TAKES: "HS301", MOVES: "HS302", SWEEPS: "HS303"}
DEEDS = {
    TAKES: "would take back uncommitted work of others",
    MOVES: "would put another version in the place of files of others",
    SWEEPS: "would sweep in work of others",
}
ADVICE = {
    TAKES: " Nothing was done. Name the paths that are your own, or do it once they have ended.",
    MOVES: " Nothing was done. Do it once they have ended, or in a worktree of your own.",
    SWEEPS: " Nothing was done. Stage and commit your own files, each by its name.",
}


def denied(deed: Deed, stakes: Sequence[Stake], now: float) -> Verdict:
    """The denial of a deed that would reach what is at stake."""
    code, more = CODES[deed.kind], len(stakes) - SHOWN
    shown = "; ".join(_shown(stake, now) for stake in stakes[:SHOWN])
    rest = f"; and {more} more" if more > 0 else ""
    fact = f"{code} `{clip(deed.called, 24)}` {DEEDS[deed.kind]}: {shown}{rest}."
    notice = (
        f"{code}: {clip(deed.called, 24)} was denied, {clip_path(stakes[0].path)} is another's."
    )
    return Verdict(DENY, code, clip(fact + ADVICE[deed.kind] + AROUND), notice)


def _shown(stake: Stake, now: float) -> str:
    if stake.record is not None:
        return f"{clip_path(stake.path)} (held by {quoted(stake.record['id'])})"
    touch = stake.touch or {}
    who = f"agent {clip(touch['agent'], 24)}" if touch["agent"] else "the main thread"
    return f"{clip_path(stake.path)} (written {span(now - touch['at'])} ago by {who})"
