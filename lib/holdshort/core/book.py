"""The ledger as a value: which dispatches were allowed, by whom, on what, and in which state.

A record is the JSON object that stands in the ledger file (docs/ledger.md lists its fields), so that
a thousand of them cost one parse and no conversion. Nothing here changes a record in place.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Record = dict[str, Any]
    Session = dict[str, Any]

RESERVED = "reserved"  # allowed, not seen to start
RUNNING = "running"
IDLE = "idle"  # stopped: finished for collisions, may be revived
FINISHED = "finished"
STATES = (RESERVED, RUNNING, IDLE, FINISHED)
CLOSED = (IDLE, FINISHED)

WRITE = "write"
WEAK = "weak"  # source of a scope that was read from prose or an ambiguous place

SCHEMA = 1
SILENCE = 30 * 60.0  # seconds without news after which nothing is taken to be still going on
COOLDOWN = 15 * 60.0  # seconds before the same advisory about the same pair is given again
EVENTS_KEPT = 16
LINEAGE_DEPTH = 8  # the client's own limit of nested agents is 3
NOTES_KEPT = 64  # advisories and denials remembered, for cooldowns and counts

_LARGEST = 1e15

_OPTIONAL: dict[str, Any] = {
    "desc": "",
    "wave": "",
    "harness": "",
    "name": None,
    "agentId": None,
    "agentType": "",
    "parent": None,
    "tree": "",
    "isolation": None,
    "access": WRITE,
    "source": "prompt",
    "transcripts": [],
    "listed": False,
    "waits": [],
    "state": RESERVED,
    "events": [],
}


class Book:
    """All that the ledger file holds.

    agents: records, oldest first.
    said: advisory key -> epoch seconds when it was last said (cooldown).
    denied: denial key -> how often it was given.
    wave_key: `<session>|w<wave>|<role>` of the dispatch that wrote last, as in the original.
    """

    __slots__ = ("agents", "denied", "said", "wave_key")

    def __init__(
        self,
        agents: tuple[Record, ...] = (),
        said: dict[str, float] | None = None,
        denied: dict[str, int] | None = None,
        wave_key: str = "",
    ) -> None:
        self.agents = agents
        self.said = said or {}
        self.denied = denied or {}
        self.wave_key = wave_key

    def record_of_call(self, session: Session, tool_use_id: str) -> Record | None:
        """The record of one dispatch; `tool_use_id` is its identity within a session."""
        for record in self.agents:
            if record["toolUseId"] == tool_use_id and is_same(record["session"], session):
                return record
        return None

    def record_of_agent(self, session: Session, agent_id: str | None) -> Record | None:
        """The newest record bound to `agent_id`, which is unique only within a session."""
        if not agent_id:
            return None
        for record in reversed(self.agents):
            if record["agentId"] == agent_id and is_same(record["session"], session):
                return record
        return None

    def of_session(self, session: Session) -> list[Record]:
        """All records of one session."""
        return [record for record in self.agents if is_same(record["session"], session)]

    def of_process(self, session: Session) -> list[Record]:
        """The records of one session whose harness process is not known to be another.

        One session may be open in two processes (`--resume` twice); each speaks for its own agents.
        """
        mine = self.of_session(session)
        return [record for record in mine if not _is_other_process(record["session"], session)]

    def holding(self, record: Record) -> Book:
        """The book with `record` last, in the place of its own earlier form."""
        kept = tuple(other for other in self.agents if key_of(other) != key_of(record))
        return self.changed(agents=(*kept, record))

    def updated(self, records: Iterable[Record]) -> Book:
        """The book with each of `records` in the place of its earlier form, order kept."""
        fresh = {key_of(record): record for record in records}
        return self.changed(agents=tuple(fresh.get(key_of(old), old) for old in self.agents))

    def without(self, records: Iterable[Record]) -> Book:
        """The book without `records`."""
        gone = {key_of(record) for record in records}
        return self.changed(agents=tuple(old for old in self.agents if key_of(old) not in gone))

    def was_said(self, key: str, now: float) -> bool:
        """Whether the advisory `key` was given less than `COOLDOWN` before `now`."""
        return now - self.said.get(key, -COOLDOWN) < COOLDOWN

    def having_said(self, key: str, now: float) -> Book:
        """The book, remembering that the advisory `key` was given at `now`."""
        return self.changed(said=_newest({**self.said, key: now}))

    def having_denied(self, key: str) -> Book:
        """The book, with one more denial counted for `key`."""
        counts = {other: times for other, times in self.denied.items() if other != key}
        return self.changed(denied=_newest({**counts, key: self.denied.get(key, 0) + 1}))

    def changed(self, **parts: Any) -> Book:
        """The book with the named parts replaced."""
        mine = {name: getattr(self, name) for name in self.__slots__}
        return Book(**{**mine, **parts})

    def as_json(self, updated: str) -> dict[str, Any]:
        """The top-level object of the ledger file; `updated` is ISO time."""
        return {
            "schema": SCHEMA,
            "waveKey": self.wave_key,
            "updated": updated,
            "said": self.said,
            "denied": self.denied,
            "agents": list(self.agents),
        }


def is_known(value: dict[str, Any]) -> bool:
    """Whether a ledger is of a schema that we can write back; the original's has none."""
    schema = value.get("schema", SCHEMA)
    return type(schema) is not int or schema <= SCHEMA


def book_of(value: Any) -> tuple[Book, int] | None:
    """The book in a parsed ledger file and the number of its records that made no sense.

    None when the value is no ledger at all. Records of the original's shape (`id, desc, files, at`)
    are taken in: their session is the one in `waveKey`, their state is unknown.
    """
    if not isinstance(value, dict) or not isinstance(value.get("agents"), list):
        return None
    wave_key = value.get("waveKey")
    wave_key = wave_key if isinstance(wave_key, str) else ""
    found = [_record_of(entry, wave_key) for entry in value["agents"]]
    agents = tuple(record for record in found if record is not None)
    said = _numbers(value.get("said"))
    denied = {key: int(times) for key, times in _numbers(value.get("denied")).items()}
    return Book(agents, said, denied, wave_key), len(found) - len(agents)


def is_same(session: Session, other: Session) -> bool:
    """Whether two sessions are one: the same id, or the same harness process.

    `/clear` gives a session a new id while its agents go on, so the process is the owner of an agent
    (docs/harness-claude.md). A process is its id with its start time, boot and pid namespace.
    """
    if session["id"] == other["id"]:
        return True
    return "start" in session and all(session.get(name) == other.get(name) for name in _PROCESS)


def _is_other_process(session: Session, other: Session) -> bool:
    """Whether both are known processes, and something that was read of both differs."""
    both = [name for name in _PROCESS if name in session and name in other]
    return "start" in both and any(session[name] != other[name] for name in both)


_PROCESS = ("pid", "start", "boot", "pidns", "host")


def key_of(record: Record) -> tuple[str, str]:
    """What tells two records apart: session id and tool-use id."""
    return record["session"]["id"], record["toolUseId"]


def moved(record: Record, state: str, event: str, now: float, **fields: Any) -> Record:
    """`record` in another state, with the event that brought it there."""
    events = [*record["events"], [event, round(now, 3)]][-EVENTS_KEPT:]
    return {**record, "state": state, "events": events, **fields}


def is_closed(record: Record) -> bool:
    """Whether nothing of this agent runs any more, as far as the ledger itself knows."""
    return record["state"] in CLOSED


def last_event(record: Record, *kinds: str) -> float | None:
    """Epoch seconds of the newest event of one of `kinds`; without any, of a life-cycle event."""
    times = [at for kind, at in record["events"] if (kind in kinds if kinds else _is_told(kind))]
    return times[-1] if times else None


def holds_files(record: Record) -> bool:
    """Whether its agent keeps others off any file."""
    return bool(record["access"] == WRITE and record["files"])


def is_declared(record: Record) -> bool:
    """Whether it holds files that were declared for certain, so that others can be denied them."""
    return holds_files(record) and record["source"] != WEAK


def is_in_lineage(record: Record, session: Session, lineage: tuple[tuple[str, str], ...]) -> bool:
    """Whether `record` is one of a session's agents in `lineage`: `(agent id, tool-use id)` each."""
    return is_same(record["session"], session) and any(
        (agent_id and record["agentId"] == agent_id) or (call and record["toolUseId"] == call)
        for agent_id, call in lineage
    )


def has_lifecycle(book: Book, session: Session) -> bool:
    """Whether the harness ever told us of the life of one of this session's agents."""
    return any(last_event(record) is not None for record in book.of_session(session))


def is_revived(record: Record) -> bool:
    """Whether the agent has been woken again after an end."""
    return last_event(record, "revived") is not None


def is_isolated(record: Record) -> bool:
    """Whether its agent was asked to work in a tree of its own and nothing shows that it does not."""
    isolation = record["isolation"]
    return isolation is not None and isolation.get("verified") is not False


def _is_told(kind: str) -> bool:
    """Whether the harness told it; the rest we found out ourselves when an overlap asked."""
    return not kind.startswith("found-")


def _newest(notes: dict[str, Any]) -> dict[str, Any]:
    return dict(list(notes.items())[-NOTES_KEPT:])


def _numbers(value: Any) -> dict[str, float]:
    if not isinstance(value, dict):
        return {}
    return {key: number for key, number in value.items() if is_number(number)}


def is_number(value: Any) -> bool:
    """Whether `value` is a number that a time, a size or a count can be; NaN and infinity are none."""
    return type(value) in (int, float) and abs(value) < _LARGEST


def _record_of(value: Any, wave_key: str) -> Record | None:
    """`value` as a record, itself when nothing is missing in it; None when it makes no sense."""
    if not isinstance(value, dict):
        return None
    record: Record = value
    if not value.keys() >= _KINDS.keys():
        session = {"id": wave_key.partition("|")[0]}
        call = f"id:{value.get('id')}"
        record = {**_OPTIONAL, "session": session, "toolUseId": call, **value}
    return record if _is_sound(record) else None


def _is_sound(record: Record) -> bool:
    for name, kinds in _KINDS.items():
        if type(record.get(name)) not in kinds:
            return False
    return (
        record["state"] in STATES
        and type(record["session"].get("id")) is str
        and _is_texts(record["files"])
        and _is_texts(record["waits"])
        and _is_pairs(record["events"])
        and _is_pairs(record["transcripts"])
    )


_TEXT = (str,)
_NAME = (str, type(None))
_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("id", "at", "toolUseId", "desc", "wave", "harness", "agentType"), _TEXT),
    **dict.fromkeys(("tree", "access", "source", "state"), _TEXT),
    **dict.fromkeys(("name", "agentId", "parent"), _NAME),
    **dict.fromkeys(("files", "waits", "events", "transcripts"), (list,)),
    "session": (dict,),
    "isolation": (dict, type(None)),
    "listed": (bool,),
}


def _is_texts(value: list[Any]) -> bool:
    return all(type(text) is str for text in value)


def _is_pairs(value: list[Any]) -> bool:
    """Whether `value` is a list of `[text, number]`."""
    for pair in value:
        if type(pair) is not list or len(pair) != 2:
            return False
        if type(pair[0]) is not str or not is_number(pair[1]):
            return False
    return True
