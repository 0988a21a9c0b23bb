"""What a write is told: why it was denied, who has the file, what to do. No command, no way round."""

from __future__ import annotations

from holdshort.core.book import is_same
from holdshort.core.emptiness import SENTENCES
from holdshort.core.verdict import ASK, DENY, Verdict, told
from holdshort.core.words import clip, clip_path, epoch_of, listed, quoted, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdshort.core.book import Record, Session
    from holdshort.core.write import Hold, Party, Target, Wave

ENTRIES_SHOWN = 8
AROUND = " Trying again, or writing it another way, through the shell for one, is denied too."


def shown(target: Target) -> str:
    """The path as the project knows it; outside it, as the machine does."""
    return clip_path(
        target.called or (target.inside if target.inside is not None else target.absolute)
    )


def own(target: Target, decision: str) -> Verdict:
    """The denial of a write to what guards the tree itself, or the question to the person."""
    what = {
        "wave": "belongs to the wave and is written by its coordinator alone",
        "state": "is holdshort's own state",
        "settings": "is how the person has set holdshort",
        "guard": "is part of the guard itself",
        "registration": "is where hooks are registered",
        "evidence": "is what the client keeps of its agents",
        "repository": "tells which working tree this is",
    }
    fact = f"HS204 {shown(target)} {what.get(target.own, 'guards this tree')}"
    if decision == ASK:
        return Verdict(ASK, "HS204", f"{fact}. Write it all the same?", "")
    reason = f"{fact}; agents do not write it. Report what you meant to change." + AROUND
    return Verdict(DENY, "HS204", reason, f"HS204: a write to {shown(target)} was denied.")


def ungranted(target: Target, wave: Wave) -> Verdict:
    """The denial of what the wave manifest does not grant."""
    if target.trouble:
        told_why = f"HS207 It cannot be told where {shown(target)} lies ({target.trouble})"
        return _gate("HS207", f"{told_why}, and a wave manifest is in force.", target)
    if wave.why_empty:
        said = f"HS206 {shown(target)} was not written. {SENTENCES[wave.why_empty]}"
        return _gate("HS206", said, target)
    where = "lies outside the project" if target.inside is None else "is not in this wave's files"
    entries = listed([clip_path(entry, 48) for entry in wave.grant.entries], ENTRIES_SHOWN)
    said = (
        f"HS205 {shown(target)} {where}. Allowed are: {entries}. If the task needs it, report that; the "
        "coordinator changes the plan."
    )
    return _gate("HS205", said, target)


def _gate(code: str, reason: str, target: Target) -> Verdict:
    notice = (
        f"{code}: a write to {shown(target)} was denied by the wave manifest. "
        'To go on without it: "enforcement": "off" there.'
    )
    return Verdict(DENY, code, clip(reason + AROUND), notice)


def held(party: Party, target: Target, hold: Hold, now: float, *, decision: str) -> Verdict:
    """The denial of a file that an agent in flight holds, or the question to the person."""
    record = hold.record
    kind = "concrete" if hold.entry == target.inside else f"by {clip_path(hold.entry, 48)}"
    session = record["session"]
    other = (
        ""
        if is_same(session, party.session)
        else f" of another session ({clip(session['id'], 36)})"
    )
    facts = (
        f"HS201 {shown(target)} ({kind}) is held by {quoted(record['id'])}{other} {_since(record, now)}; "
        f"{hold.standing.why}."
    )
    if decision == ASK:
        question = f"{facts} It has not touched this file. Write it all the same?"
        return Verdict(ASK, "HS201", clip(question), "")
    advice = (
        " It was not written. Leave the change to that agent, or make it once that agent has ended."
    )
    notice = (
        f"HS201: {shown(target)} was not written, {quoted(record['id'])}{other} holds it. If that agent is "
        f"gone: holdshort release {clip(record['toolUseId'], 48)}"
    )
    return Verdict(DENY, "HS201", clip(facts + advice + AROUND), notice)


def perhaps_held(target: Target, hold: Hold) -> Verdict:
    """The advisory where the writer may be the holder itself."""
    said = (
        f"HS514 {shown(target)} is held by {quoted(hold.record['id'])}. If that is not you, leave the file "
        "to it."
    )
    return told("HS514", said)


def outside_own_scope(target: Target, record: Record, *, is_denied: bool) -> Verdict:
    """What an agent is told that writes beside its declared scope."""
    entries = listed([clip_path(entry, 48) for entry in record["files"]], ENTRIES_SHOWN)
    said = f"{shown(target)} is outside the scope that you were given: {entries}."
    if is_denied:
        reason = f"HS202 {said} It was not written. Report that the task needs it."
        return Verdict(DENY, "HS202", clip(reason + AROUND), f"HS202: {shown(target)} was denied.")
    return told("HS513", clip(f"HS513 {said} Nobody holds it; mention it in your report."))


def touched(target: Target, touch: dict[str, Any], now: float, *, is_denied: bool) -> Verdict:
    """What is said of a file that another party has written lately without declaring it."""
    who = f"agent {clip(touch['agent'], 24)}" if touch["agent"] else "the main thread"
    said = (
        f"{shown(target)} was written {span(now - touch['at'])} ago by {who} of session "
        f"{clip(touch['session']['id'], 36)}, which may still work on it."
    )
    if is_denied:
        return Verdict(
            DENY, "HS208", clip(f"HS208 {said} It was not written." + AROUND), f"HS208: {said}"
        )
    return told("HS515", f"HS515 {said} Read it again before you write over it.")


def left_over(author: Session) -> Verdict:
    """What is said of a manifest that governs nobody any more."""
    said = (
        f"HS516 The wave manifest of this tree was written by session {clip(author['id'], 36)}, which is "
        "gone. It governs nobody until a coordinator writes it anew."
    )
    return told("HS516", said, said)


def taken_over(author: Session) -> Verdict:
    """What the session is told whose manifest another one has written over."""
    said = (
        f"HS519 The wave manifest of this tree was written over by session {clip(author['id'], 36)}, which "
        "is at work. It governs that session alone, and yours no longer."
    )
    return told("HS519", said, said)


def shares_the_tree(record: Record) -> Verdict:
    """What is said of an isolation that did not happen."""
    said = (
        f"HS517 {quoted(record['id'])} was to have a working tree of its own, but works in the common one: "
        "its scope holds here, and others' hold for it."
    )
    return told("HS517", said, said)


def would_deny(verdict: Verdict) -> Verdict:
    """The same, where the guard or the manifest only warns."""
    said = clip(f"(only warned) {verdict.reason}".removesuffix(AROUND))
    return told(verdict.code, said, clip(said, 300))


def _since(record: Record, now: float) -> str:
    at = epoch_of(record["at"])
    return f"since {record['at'][11:19]} UTC ({span(now - at)} ago)" if at else "since some time"


def in_command(verdict: Verdict) -> Verdict:
    """The same, of a write that was found in a shell command."""
    if not verdict.reason.startswith(f"{verdict.code} ") or not verdict.code:
        return verdict
    rest = verdict.reason[len(verdict.code) + 1 :]
    said = clip(f"{verdict.code} Found in this command: {rest}")
    return Verdict(verdict.decision, verdict.code, said, verdict.notice)


def unreadable(target: Target, verdict: Verdict) -> Verdict:
    """The denial of a command that names what was denied and whose writes cannot be read (HS203).

    verdict: what a write to the target is denied by.
    """
    why = verdict.reason.removesuffix(AROUND).partition(" It was not written.")[0]
    said = (
        f"HS203 It cannot be read what this command writes, and it names {shown(target)}, which you were "
        f"denied: {why} The command was not run. Leave the file alone; to read it, use a plain command."
    )
    return Verdict(
        DENY, "HS203", clip(said), f"HS203: a command that names {shown(target)} was denied."
    )


def too_long() -> Verdict:
    """What is said of a command that is longer than what is read."""
    return told(
        "HS518", "HS518 This command is longer than 64 KiB: its writes were not all checked."
    )
