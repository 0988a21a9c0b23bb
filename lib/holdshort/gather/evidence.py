"""What can be found out about a recorded agent, once an overlap asks."""

from __future__ import annotations

from holdshort.adapters import processes, transcripts
from holdshort.core.book import is_revived, key_of
from holdshort.core.liveness import Evidence
from holdshort.core.sightings import Sighting, sighted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from holdshort.core.book import Record


def evidence_for(
    records: Iterable[Record], current: list[list[Any]]
) -> dict[tuple[str, str], Evidence]:
    """The evidence of each of `records`, by its key; `current` as for `evidence_of`."""
    agents: dict[str, dict[str, str]] = {}
    return {key_of(one): evidence_of(one, current, agents) for one in records}


def evidence_of(
    record: Record, current: list[list[Any]], agents: dict[str, dict[str, str]]
) -> Evidence:
    """Process, transcripts and meta file of one record; whatever is missing is no evidence.

    current: the transcripts of the call being judged. After `/clear` they are new files, in which
    the end of an older agent of the same process is told. agents: kept by the caller from one record
    to the next: for each transcript, which agent a call started.
    """
    process = processes.status(record["session"])
    if process == processes.GONE or not record["transcripts"]:
        return Evidence(process)
    known = [path for path, _ in record["transcripts"]]
    searched = record["transcripts"] + [[path, 0] for path, _ in current if path not in known]
    main = known[0]
    agent_id = record["agentId"] or _agent_of(record, main, agents)
    if agent_id is None:
        return Evidence(process, _sighting(record, None, searched))
    meta = transcripts.binding_of(main, agent_id)
    ended = meta[3] if meta is not None and meta[2] else None
    grew = transcripts.grew_at(main, agent_id)
    return Evidence(process, _sighting(record, agent_id, searched), agent_id, ended, grew)


def _agent_of(record: Record, main: str, agents: dict[str, dict[str, str]]) -> str | None:
    if main not in agents:
        agents[main] = transcripts.agents_by_call(main)
    return agents[main].get(record["toolUseId"])


def _sighting(record: Record, agent_id: str | None, searched: list[list[Any]]) -> Sighting:
    """What the transcripts gained since the dispatch, or since the agent was last woken.

    One needle, as each costs a pass: the call itself, or the agent once it was woken by another call
    or waits for work of its own, whose end names no call (docs/harness-claude.md).
    """
    revived = is_revived(record)
    back = 0 if revived else transcripts.LOOK_BACK
    by_agent = agent_id if revived or record["waits"] else None
    needles = (by_agent or record["toolUseId"],)
    found = [
        entry
        for path, size in searched
        for entry in transcripts.records_naming(path, needles, max(0, int(size) - back))
    ]
    return sighted(found, record["toolUseId"], agent_id, is_revived=revived)
