"""What a dispatch is told: denials and advisories, in a set order and within a set size."""

from __future__ import annotations

from holdshort.core.book import is_isolated, is_same, key_of
from holdshort.core.liveness import UNKNOWN
from holdshort.core.verdict import DENY, SILENT, Verdict, joined, told
from holdshort.core.words import DENIAL_BYTES, clip, clip_path, epoch_of, listed, quoted, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdshort.core.book import Book, Record
    from holdshort.core.meeting import Collision

PATHS_SHOWN = 2
ADVISORIES_SHOWN = 2


def denial_key(record: Record, barred: list[Collision]) -> str:
    """What makes two denials the same: who asked, who has it, which file."""
    hit = barred[0]
    return clip(f"{record['id']}|{hit.record['id']}|{hit.path}", 240)


def denial(record: Record, barred: list[Collision], now: float, times: int) -> Verdict:
    """The denial of the dispatch in `record`; `times` is how often it has been given, this one too."""
    hit = barred[0]
    code = "HS102" if record["source"] == "message" else "HS101"
    holder, path = quoted(hit.record["id"]), clip_path(hit.path)
    facts = (
        f"{code} {path} ({hit.kind}) is taken. {holder}{_elsewhere(record, hit)} has it "
        f"{_since(hit.record, now)}; {hit.standing.why}. {quoted(record['id'])} asked for it and was "
        "not started."
    )
    again = f" Denied {times} times so far." if times > 1 else ""
    notice = (
        f"{code}: {quoted(record['id'])} was not given {path}, which {holder}"
        f"{_elsewhere(record, hit)} has. If that agent is gone: holdshort release "
        f"{clip(hit.record['toolUseId'], 48)}"
    )
    return Verdict(DENY, code, _fitting(facts, _more(hit, barred), again, WHAT_TO_DO), notice)


WHAT_TO_DO = (
    " Give this work other files, or dispatch it again once that agent has ended: an ended agent no "
    "longer blocks. Until then the same dispatch is denied again, and writing the file another way "
    "would overwrite that work."
)


def _fitting(facts: str, more: str, again: str, advice: str) -> str:
    """The parts that fit into a denial; facts and advice always do, as each name is clipped."""
    for reason in (facts + more + again + advice, facts + again + advice):
        if len(reason.encode()) <= DENIAL_BYTES:
            return reason
    return facts + advice


def advised(
    record: Record,
    live: list[Collision],
    barred: list[Collision],
    book: Book,
    now: float,
    *,
    wakes: bool,
) -> tuple[Verdict, Book]:
    """What an allowed dispatch is told of others, and the ledger remembering that it was.

    live: agents in flight or unknown that it meets. barred: those of them that would deny it, were
    the guard not in warn mode. wakes: it is a message that only wakes its agent. Each advisory is
    given once per pair and cooldown.
    """
    fresh: list[Verdict] = []
    for hit in live:
        advice = _would_deny(record, hit) if hit in barred else _advice(record, hit, wakes=wakes)
        key = clip(f"{advice.code}|{record['id']}|{'|'.join(key_of(hit.record))}", 240)
        if not book.was_said(key, now):
            fresh.append(advice)
            book = book.having_said(key, now)
    verdict = joined(SILENT, *fresh[:ADVISORIES_SHOWN])
    if len(fresh) > ADVISORIES_SHOWN:
        more = told(verdict.code, f"({len(fresh) - ADVISORIES_SHOWN} more agents like this.)")
        verdict = joined(verdict, more)
    return verdict, book


def _would_deny(record: Record, hit: Collision) -> Verdict:
    text = (
        f"HS101 (warn mode) this would have been denied: {quoted(hit.record['id'])} has "
        f"{clip_path(hit.path)}, {hit.standing.why}."
    )
    return told("HS101", text, f"{text} Asked for by {quoted(record['id'])}.")


def _advice(record: Record, hit: Collision, *, wakes: bool) -> Verdict:
    holder, path = quoted(hit.record["id"]), clip_path(hit.path)
    if wakes and hit.standing.is_in_flight:
        return told(
            "HS510",
            f"HS510 This wakes {quoted(record['id'])}, whose scope holds {path}; {holder} has it now "
            f"({hit.standing.why}). Two agents writing it would overwrite each other.",
        )
    if not hit.is_certain:
        return told("HS506", f"HS506 cannot tell whether this scope meets {holder}'s: {path}.")
    if hit.shared_only:
        return told(
            "HS503", f"HS503 {holder} may also write {path}, a shared file: merge, not replace."
        )
    if is_isolated(record) or is_isolated(hit.record):
        return told(
            "HS501",
            f"HS501 {path} is also in the scope of {holder}. One of the two asked for a tree of its "
            "own, so they cannot overwrite each other, but they will have to be merged.",
        )
    if hit.standing.state == UNKNOWN:
        return told(
            "HS504",
            f"HS504 {path} is also in the scope of {holder}; {hit.standing.why}. If it still works, "
            "the two will overwrite each other.",
        )
    return told(
        "HS505",
        f"HS505 {path} may also be in the scope of {holder} ({hit.standing.why}). The scope was read "
        "from prose; a FILE-SCOPE block makes it certain.",
    )


def _since(record: Record, now: float) -> str:
    at = epoch_of(record["at"])
    if at is None:
        return "since an unknown time"
    return f"since {record['at'][11:19]} UTC ({span(now - at)} ago)"


def _elsewhere(record: Record, hit: Collision) -> str:
    """The other session's name, when the holder is not one of our own."""
    session = hit.record["session"]
    if is_same(session, record["session"]):
        return ""
    pid = f", process {session['pid']}" if isinstance(session.get("pid"), int) else ""
    return f" of another session ({clip(session['id'], 36)}{pid})"


def _more(hit: Collision, barred: list[Collision]) -> str:
    texts = []
    paths = [clip_path(path, 48) for path in hit.other_paths(PATHS_SHOWN)]
    if paths:
        texts.append(f" Both also have {listed(paths, PATHS_SHOWN)}.")
    if len(barred) > 1:
        others = [quoted(other.record["id"]) for other in barred[1:]]
        texts.append(f" It also meets {listed(others, 1)}.")
    return "".join(texts)
