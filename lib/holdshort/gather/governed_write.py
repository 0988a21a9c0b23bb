"""A write where something may govern it: where it lands, who writes, which wave, who holds it."""

from __future__ import annotations

import posix

from holdshort.adapters import paths, processes
from holdshort.adapters.files import json_at
from holdshort.adapters.ledger_file import glance, open_ledger
from holdshort.adapters.places import (
    TOUCHED,
    Place,
    folds_case,
    locate,
)
from holdshort.adapters.policy_file import policy_at
from holdshort.adapters.wire import text
from holdshort.core.book import SILENCE, Book, is_isolated, is_same
from holdshort.core.emptiness import why_empty
from holdshort.core.grant import grant_of
from holdshort.core.verdict import ALLOW, ASK, DENY, Outcome, Verdict, joined, warned
from holdshort.core.words import clip, clip_path, iso_of
from holdshort.core.write import Judged, Party, Target, Wave, Write, judge_write
from holdshort.core.write_words import left_over, shares_the_tree, taken_over
from holdshort.gather.lineage import lineage_of
from holdshort.gather.own_files import own_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from holdshort.core.book import Record, Session
    from holdshort.core.liveness import Evidence

    Found = tuple[Judged, Target | None]
    Phrase = Callable[[Verdict], Verdict]
    from holdshort.gather.write import Ground

ADVISORIES_SHOWN = 2
LARGEST_MANIFEST = 1 << 20
MOST_FILES = 2_000  # of one call, that are looked at
LONGEST_KEPT = 1024  # characters of a denied path; a line of the log is 4 KiB at most
SWITCH = "disableAllHooks"


class Scene:
    """What one call is judged by, whatever it writes: settings, ledger, writer, wave.

    ground: the place whose ledger and manifest it is judged by. evidence: what was found out about
    agents in flight so far. author: the session seen to write the manifest, None without one.
    lines: of `touched.jsonl`, once they are wanted. fault: what is wrong with the ledger, or "".
    current: the call's own transcript, for `evidence_for`.
    given: the tool input of the call. waves: what the manifest says, by the tree that is written.
    """

    __slots__ = (
        *("author", "book", "current", "evidence", "fault", "given", "ground", "lines"),
        *("now", "party", "place", "policy", "session", "waves"),
    )

    def __init__(self, call: dict[str, Any], ground: Ground, now: float) -> None:
        self.ground = ground
        self.place = place = ground.place
        self.now = now
        self.policy, _ = policy_at(place.root, place.state_dir)
        self.session = processes.session_of(text(call, "session_id"))
        self.book, self.fault = glance(place.state_dir)
        self.current = [[text(call, "transcript_path"), 0]]
        self.party = party_of(call, self.session, self.book)
        self.evidence: dict[tuple[str, str], Evidence] = {}
        self.lines: list[dict[str, Any]] | None = None
        authors = _authors(ground.manifest, place) if ground.manifest is not None else []
        self.author = authors[0] if authors else None
        self.waves: dict[str, Wave] = {}
        self.given = call.get("tool_input")

    def judged(self, target: Target) -> Judged:
        """The judgement on a write to `target`."""
        if target.own == "registration" and SWITCH in str(self.given):
            target.own = "guard"
        if not self.ground.is_own:
            target.called = target.called or target.absolute
        if self.lines is None and target.inside is not None:
            self.lines = _touches(self.place.state_dir, self.now)
        about = _about(target, self.lines or [])
        write = Write(self.party, target, self._wave_of(target.tree), about)
        judged = judge_write(write, self.book, self.policy, self.now, self.evidence)
        if judged.asks:
            self.learn(judged.asks)
            judged = judge_write(write, self.book, self.policy, self.now, self.evidence)
        return judged

    def learn(self, records: Sequence[Record]) -> None:
        """Find out about agents in flight what the ledger does not tell."""
        from holdshort.gather.evidence import evidence_for  # noqa: PLC0415  # only a hold pays

        self.evidence |= evidence_for(records, self.current)

    def touches_of_the_living(self) -> tuple[dict[str, Any], ...]:
        """The lines of late about any file, by parties whose process runs, newest first."""
        if self.lines is None:
            self.lines = _touches(self.place.state_dir, self.now)
        if not self.lines:
            return ()
        from holdshort.adapters.touched import by_the_living  # noqa: PLC0415  # only if somebody wrote

        return by_the_living(self.lines)

    def concluded(self, call: dict[str, Any], judged: Judged, target: Target | None) -> Outcome:
        """The answer to the call. target: what it is about, for the log, which HS203 reads again."""
        advisories = (*judged.advisories, *self._about_the_author(judged))
        fresh = [one for one in advisories if not self.book.was_said(one[0], self.now)]
        remarks = [remark for _, remark in fresh[:ADVISORIES_SHOWN]] + self._about_the_guard()
        has_own_tree = self._has_own_tree()
        if fresh or has_own_tree is not None:
            self._remember([key for key, _ in fresh[:ADVISORIES_SHOWN]], has_own_tree)
        if has_own_tree is False and self.party.record is not None:
            remarks.append(shares_the_tree(self.party.record))
        verdict = joined(judged.verdict, *remarks)
        facts = {"row": "write", "name": clip(text(call, "tool_name"), 40)}
        if verdict.code and target is not None:
            facts["path"] = clip_path(target.inside or target.absolute)
            facts["holder"] = judged.holder
        if verdict.decision == DENY and target is not None and len(target.absolute) < LONGEST_KEPT:
            facts["file"] = target.absolute
        return Outcome(verdict, self.place.state_dir, facts if verdict.code else None)

    def _about_the_guard(self) -> list[Verdict]:
        """What is said when it cannot be seen who holds what."""
        if not self.fault:
            return []
        said = f"HS902 The ledger was unreadable ({self.fault}): what agents hold was not compared."
        return [warned("HS902", said)]

    def _has_own_tree(self) -> bool | None:
        """Whether an agent that was to have a tree of its own works in one; None once it is known."""
        record = self.party.record
        if record is None or not is_isolated(record) or record["isolation"].get("verified"):
            return None
        return bool(self.place.root != record["tree"])

    def _remember(self, keys: list[str], has_own_tree: bool | None) -> None:
        """Note what was said, and what the agent's tree turned out to be, in one step."""
        try:
            with open_ledger(self.place.state_dir) as ledger:
                book = ledger.book
                for key in keys:
                    book = book.having_said(key, self.now)
                known = self.party.record and book.record_of_call(
                    self.session, self.party.record["toolUseId"]
                )
                if has_own_tree is not None and known and known["isolation"] is not None:
                    isolation = {**known["isolation"], "verified": has_own_tree}
                    book = book.updated([{**known, "isolation": isolation}])
                if not ledger.fault:
                    ledger.write(book, iso_of(self.now))
        except OSError:
            pass  # then it is said, and looked at, once more

    def _about_the_author(self, judged: Judged) -> list[tuple[str, Verdict]]:
        """What is to be said once of a manifest that governs others or nobody, where nothing is denied."""
        if self._binds() or self.author is None or judged.verdict.decision != ALLOW:
            return []
        author = self.author
        if processes.status(author) == processes.GONE:
            return [(clip(f"HS516|{author['id']}", 240), left_over(author))]
        written_before = _authors(self.ground.manifest or "", self.place)[1:]
        if any(is_same(one, self.session) for one in written_before):
            return [(clip(f"HS519|{self.session['id']}|{author['id']}", 240), taken_over(author))]
        return []

    def _wave_of(self, tree: str) -> Wave | None:
        """What the manifest says of writes to `tree`, if it governs this session."""
        if self.ground.manifest is None or not self._binds():
            return None
        if tree not in self.waves:
            self.waves[tree] = _wave(self.ground.manifest, tree, self.session)
        return self.waves[tree]

    def _binds(self) -> bool:
        return self.author is None or is_same(self.author, self.session)


def judge_governed(
    call: dict[str, Any], files: Sequence[str], grounds: Sequence[Ground], now: float
) -> Outcome:
    """The verdict on one call. files: what it writes, absolute. grounds: all that bind it."""
    return strictest(_judge_on(call, files, ground, now) for ground in grounds)


def _judge_on(call: dict[str, Any], files: Sequence[str], ground: Ground, now: float) -> Outcome:
    scene = Scene(call, ground, now)
    targets = [target_of(path, ground.place) for path in files[:MOST_FILES]]
    if len(files) > MOST_FILES:
        targets.append(
            Target(ground.place.root, None, files[MOST_FILES], trouble="one of too many")
        )
    meant = [one for one in targets if ground.is_own or one.inside is not None or one.own]
    judged, target = strictest_of(scene, meant)
    return scene.concluded(call, judged, target)


def strictest_of(
    scene: Scene, targets: Sequence[Target], *, phrase: Phrase = lambda one: one
) -> Found:
    """The judgement that counts, and on what; advisories of several writes are all told.

    phrase: how a verdict is put for this kind of call.
    """
    told: list[Found] = []
    for target in targets:
        judged = scene.judged(target)
        judged.verdict = phrase(judged.verdict)
        judged.advisories = tuple((key, phrase(one)) for key, one in judged.advisories)
        if judged.verdict.decision == DENY:
            return judged, target
        told += [(judged, target)] if judged.verdict.code or judged.advisories else []
    asked = next((one for one in told if one[0].verdict.decision == ASK), None)
    if asked or not told:
        return asked or (Judged(), None)
    first, second = told[0][0], told[1][0] if len(told) > 1 else Judged()
    verdict = joined(first.verdict, second.verdict)
    advisories = tuple(one for judged, _ in told for one in judged.advisories)
    return Judged(verdict, holder=first.holder, advisories=advisories), told[0][1]


def strictest(outcomes: Iterable[Outcome]) -> Outcome:
    """The first denial, or else one answer with all that is to be said."""
    found = Outcome()
    for outcome in outcomes:
        if outcome.verdict.decision == DENY:
            return outcome
        first = found if found.facts else outcome
        found = Outcome(joined(found.verdict, outcome.verdict), first.state_dir, first.facts)
    return found


def target_of(path: str, place: Place) -> Target:
    """Where a write to an absolute path would land."""
    real = paths.realpath(path)
    trouble = _trouble(real)
    there = locate(paths.dirname(real), paths.dirname(real)) if not trouble else place
    tree = there.root if there.state_dir == place.state_dir else place.root
    inside = real[len(tree) + 1 :] if real.startswith(f"{tree.rstrip('/')}/") else None
    return Target(tree, canonical(inside, tree), real, own_of(real, tree, place), trouble)


def party_of(call: dict[str, Any], session: Session, book: Book) -> Party:
    """Who makes the call, and the record of it, by its id or by the call that started it."""
    agent_id = text(call, "agent_id")
    lineage = lineage_of(text(call, "transcript_path"), agent_id)
    record = book.record_of_agent(session, agent_id)
    if record is None and lineage and lineage[0][1]:
        record = book.record_of_call(session, lineage[0][1])
    return Party(session, agent_id, lineage, record)


def _wave(path: str, tree: str, session: Session) -> Wave:
    """What the manifest at `path` says of writes to `tree`."""
    home = paths.dirname(paths.dirname(path))
    below = home[len(tree) + 1 :] if home.startswith(f"{tree}/") else ""
    grant = grant_of(json_at(path, LARGEST_MANIFEST), home, below, folds=folds_case(tree))
    if grant.entries:
        return Wave(grant)
    return Wave(grant, why_empty(grant, _changed(path), processes.started_at(session)))


def _authors(path: str, place: Place) -> list[Session]:
    """The sessions that were seen to write the manifest at `path`, the last one first."""
    from holdshort.adapters.touched import touches  # noqa: PLC0415  # only in a wave

    home = paths.dirname(paths.dirname(path))
    name = path[len(home) + 1 :]
    return [
        line["session"]
        for line in touches(place.state_dir, 0.0)
        if line["tree"] == home and line["path"] == name
    ]


def _touches(state_dir: str, now: float) -> list[dict[str, Any]]:
    """The lines of late about any file, newest first."""
    if not paths.lexists(paths.join(state_dir, TOUCHED)):
        return []
    from holdshort.adapters.touched import touches  # noqa: PLC0415  # only if somebody wrote

    return touches(state_dir, now - SILENCE)


def _about(target: Target, lines: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The lines about the target by parties whose process runs."""
    mine = [one for one in lines if one["path"] == target.inside and one["tree"] == target.tree]
    if not mine:
        return ()
    from holdshort.adapters.touched import by_the_living  # noqa: PLC0415  # only if somebody wrote

    return by_the_living(mine)


def canonical(inside: str | None, tree: str) -> str | None:
    """The path as the ledger spells it: composed, and folded where the file system folds."""
    if inside is None:
        return None
    if not inside.isascii():
        import unicodedata  # noqa: PLC0415  # only what is not ASCII pays for its tables

        inside = unicodedata.normalize("NFC", inside)
    return inside.casefold() if folds_case(tree) else inside


def _trouble(real: str) -> str:
    """Why nothing can be written at `real`, or "": a name too long, a loop, a file for a directory."""
    try:
        posix.lstat(real)
    except FileNotFoundError:
        return ""
    except ValueError:
        return "no file can have this name"
    except OSError as error:
        return (error.strerror or "it cannot be looked at").lower()
    return ""


def _changed(path: str) -> float | None:
    try:
        return posix.lstat(path).st_mtime
    except OSError:
        return None
