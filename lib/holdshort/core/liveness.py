"""Is the agent of a recorded dispatch still in flight? Asked only when an overlap has been found.

The order is that of docs/liveness.md: proof of an end first, then signs of life, then the life of a
reservation, and the clock only where nothing else is known.
"""

from __future__ import annotations

from holdshort.core.book import (
    FINISHED,
    RESERVED,
    RUNNING,
    SILENCE,
    is_closed,
    last_event,
)
from holdshort.core.sightings import Sighting
from holdshort.core.words import epoch_of, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdshort.core.book import Record

# The largest spread measured within one batch of dispatches is 95.7 s and the smallest measured gap
# before a repair pass 36 min (docs/liveness.md), so half an hour divides the two.
IN_FLIGHT_TTL = 30 * 60.0

UNKNOWN = "unknown"  # in flight or not: cannot be told, so it only warns
STARTS = ("started", "revived")


class Evidence:
    """What could be found out about one record, beyond the ledger.

    process: `alive`, `gone` or `unknown`: the harness process that dispatched it.
    sighting: its traces in the transcripts.
    agent_id: the agent that the harness bound to the dispatch, if known by now.
    meta_ended: epoch seconds at which the agent's meta file came to say `finished`, or None.
    grew_at: epoch seconds at which the agent's own transcript last grew, or None.
    """

    __slots__ = ("agent_id", "grew_at", "meta_ended", "process", "sighting")

    def __init__(
        self,
        process: str = UNKNOWN,
        sighting: Sighting | None = None,
        agent_id: str | None = None,
        meta_ended: float | None = None,
        grew_at: float | None = None,
    ) -> None:
        self.process = process
        self.sighting = sighting or Sighting()
        self.agent_id = agent_id
        self.meta_ended = meta_ended
        self.grew_at = grew_at


class Standing:
    """A state with the evidence for it, in words that fit a denial."""

    __slots__ = ("state", "why")

    def __init__(self, state: str, why: str) -> None:
        self.state = state
        self.why = why

    @property
    def is_in_flight(self) -> bool:
        """Whether the agent holds its files; `UNKNOWN` does not."""
        return self.state in (RESERVED, RUNNING)


def standing(
    record: Record, evidence: Evidence, now: float, wave: str, *, lifecycle_seen: bool
) -> Standing:
    """The state of `record`'s agent.

    now: epoch seconds. wave: the wave label of the dispatch being judged, when the same session
    makes it, else "". lifecycle_seen: whether any life-cycle event of that session ever arrived.
    """
    return (
        _proof_of_end(record, evidence)
        or _sign_of_life(record, evidence, now)
        or _reservation(record, evidence, now, lifecycle_seen=lifecycle_seen)
        or _by_the_clock(record, now, wave)
    )


def _proof_of_end(record: Record, evidence: Evidence) -> Standing | None:
    if is_closed(record):
        return Standing(record["state"], "the harness reported its end")
    if evidence.process == "gone":
        return Standing(FINISHED, "its harness process is gone")
    if record["waits"] and evidence.sighting.ended in ("", "completed"):
        return None  # the harness calls it completed while its own background work goes on
    if evidence.sighting.ended:
        return Standing(FINISHED, f"the transcript reports it {evidence.sighting.ended}")
    started = last_event(record, *STARTS)
    if evidence.meta_ended is not None and (started is None or evidence.meta_ended >= started):
        return Standing(FINISHED, "the harness marked it finished")
    return None


def _sign_of_life(record: Record, evidence: Evidence, now: float) -> Standing | None:
    receipt = evidence.sighting.launched is not None
    if record["state"] != RUNNING and not receipt and evidence.agent_id is None:
        return None
    seen = [at for at in (last_event(record), evidence.grew_at, epoch_of(record["at"])) if at]
    quiet = now - max(seen, default=now)
    is_listed = record["listed"] and evidence.process == "alive"
    if quiet >= SILENCE and not is_listed:
        return Standing(UNKNOWN, f"it started, but nothing was heard of it for {span(quiet)}")
    return Standing(RUNNING, f"still running: started, no end seen, last sign {span(quiet)} ago")


def _reservation(
    record: Record, evidence: Evidence, now: float, *, lifecycle_seen: bool
) -> Standing | None:
    is_open = evidence.sighting.dispatched  # and no result stands there, or it would have ended
    if last_event(record, "turn-ended") is not None and not is_open:
        return Standing(FINISHED, "its turn ended without it having started")
    if not lifecycle_seen and not evidence.sighting.dispatched:
        return None
    age = _age(record, now)
    if age is not None and abs(age) >= SILENCE:
        return Standing(UNKNOWN, f"dispatched {span(age)} ago, never seen to start")
    return Standing(RESERVED, "still running or about to: dispatched, its turn is not over")


def _by_the_clock(record: Record, now: float, wave: str) -> Standing:
    if wave and record["wave"] and record["wave"] != wave:
        return Standing(FINISHED, "a later wave of its session has begun")
    age = _age(record, now)
    if age is None:
        return Standing(RESERVED, "nothing is known of its end")
    if abs(age) < IN_FLIGHT_TTL:
        return Standing(RESERVED, f"dispatched {span(age)} ago, nothing is known of its end")
    if age < 0:
        return Standing(UNKNOWN, "its time lies in the future")
    return Standing(FINISHED, f"dispatched {span(age)} ago, nothing heard since")


def _age(record: Record, now: float) -> float | None:
    at = epoch_of(record["at"])
    return None if at is None else now - at
