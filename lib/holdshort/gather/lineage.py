"""Who dispatched whom, from the client's meta files."""

from __future__ import annotations

from holdshort.core.book import LINEAGE_DEPTH


def lineage_of(main: str, agent_id: str) -> tuple[tuple[str, str], ...]:
    """`(agent id, tool-use id)` of an agent and its ancestors, from the client's meta files.

    main: the session's transcript. agent_id: "" for the main thread, which has none.
    """
    if not agent_id:
        return ()
    from holdshort.adapters.transcripts import binding_of  # noqa: PLC0415  # nested only

    found: list[tuple[str, str]] = []
    while agent_id and len(found) < LINEAGE_DEPTH:
        meta = binding_of(main, agent_id)
        found.append((agent_id, meta[0] if meta else ""))
        agent_id = (meta[1] if meta else None) or ""
    return tuple(found)
