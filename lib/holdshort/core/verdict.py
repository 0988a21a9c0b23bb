"""What a hook answers, as a value. The dialects in `adapters.wire` turn it into bytes."""

from __future__ import annotations

from holdshort.core.words import clip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ALLOW = "allow"
ASK = "ask"  # a person decides; a client without one takes it for a denial
DENY = "deny"


class Verdict:
    """One answer to one hook call.

    decision: `ALLOW`, `ASK` or `DENY`.
    code: the stable HS code, empty when there is nothing to say.
    reason: what the agent reads: why it was denied, or an advisory. Plain text, at most 768 bytes.
    notice: the one sentence that the user reads.
    """

    __slots__ = ("code", "decision", "notice", "reason")

    def __init__(
        self, decision: str = ALLOW, code: str = "", reason: str = "", notice: str = ""
    ) -> None:
        self.decision = decision
        self.code = code
        self.reason = reason
        self.notice = notice

    @property
    def is_silent(self) -> bool:
        """Whether the hook prints nothing at all."""
        return self.decision == ALLOW and not self.reason and not self.notice


SILENT = Verdict()


def told(code: str, reason: str, notice: str = "") -> Verdict:
    """Allow, and tell the agent something."""
    return Verdict(ALLOW, code, reason, notice)


def warned(code: str, notice: str) -> Verdict:
    """Allow, and tell the user something about the guard itself."""
    return Verdict(ALLOW, code, "", notice)


def unwritable(state_dir: str, trouble: str | None, so: str) -> Verdict:
    """Allow, and tell the user that the state could not be written, and what follows from that."""
    return warned("HS910", f"HS910 {clip(state_dir, 200)}: {trouble}. {so}")


def joined(verdict: Verdict, *others: Verdict) -> Verdict:
    """`verdict` with what the others have to say added to its texts; the stricter decision wins."""
    for other in others:
        if not other.code:
            continue
        verdict = Verdict(
            max(verdict.decision, other.decision, key=_STRICTNESS.index),
            verdict.code or other.code,
            _both(verdict.reason, other.reason),
            _both(verdict.notice, other.notice),
        )
    return verdict


_STRICTNESS = (ALLOW, ASK, DENY)


def _both(first: str, second: str) -> str:
    return f"{first} {second}" if first and second else first or second


class Outcome:
    """A verdict with what the decisions log shall hold of it.

    state_dir: where the log lies, "" when nothing is to be logged. facts: fields of the log line.
    """

    __slots__ = ("facts", "state_dir", "verdict")

    def __init__(
        self, verdict: Verdict = SILENT, state_dir: str = "", facts: dict[str, Any] | None = None
    ) -> None:
        self.verdict = verdict
        self.state_dir = state_dir
        self.facts = facts or {}
