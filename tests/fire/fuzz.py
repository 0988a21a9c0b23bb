"""Hostile inputs through the run loop of every hook; whatever comes, the answer must be sound.

    python -m tests.fire.fuzz N [SEED]               N inputs in this one process
    python -m tests.fire.fuzz --processes N [SEED]   N inputs as real hook processes
    python -m tests.fire.fuzz --replay FILE          what a finding printed, again

Inputs are made from valid ones by changing their structure: a payload on stdin, a file that the hook
reads, or both. Inputs whose outcome (codes and kind of answer) was never seen before become seeds.
"""

from __future__ import annotations

import ast
import gc
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.harness import CHECKOUT, SCOPE, Harness

from holdshort.adapters.places import locate
from holdshort.adapters.processes import session_of
from holdshort.core.words import iso_of
from holdshort.gather import agent_types, dispatch, life, writes
from holdshort.shell import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Serve = Callable[[str, Any, int], bytes]
    Files = dict[str, bytes]

BATCH = 50  # inputs on one state directory, and between two looks at everything outside it
GROWTH = 96 << 10  # KiB by which the process may grow over a run; the largest input is 5 MiB
HOOK_SIZE = 128 << 10  # KiB that a hook process may take
REASON = 768  # bytes, as core/verdict.py promises
NOTICE = 4096
HERE = b"/@W@"  # stands in an input for the directory of the world it is fed to
LARGEST_SEED = 20_000  # bytes; what is made from a seed may become one, and so would grow
STAMP = 1_700_000_000  # when everything in a world was last changed

JUDGES = {
    "pre_task_scope_disjoint": dispatch.judge,
    "agent_lifecycle": life.judge,
    "post_write_touched": writes.judge,
}
GUARD, LIFE, TOUCH = JUDGES


class Step(NamedTuple):
    """One input: the hook it is for, what stands on its stdin, and the files put in place first.

    A file of the value `b"->path"` is a link, `b"dir"` a directory, `b"pipe"` a pipe.
    """

    kind: str
    hook: str
    stdin: bytes
    files: tuple[tuple[str, bytes], ...] = ()


class Seen(NamedTuple):
    """What became of one input."""

    step: Step
    output: bytes
    escaped: str
    seconds: float
    ledger_fault: str
    wrote: bool
    was_sound: bool = False


class Finding(NamedTuple):
    """A fault with the inputs that show it, the last one being the culprit."""

    fault: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return f"{self.fault}\n{[tuple(step) for step in self.steps]!r}"


# --- the world: a repository, a worktree of it, a home, and something outside that is not ours ---

STATE = "repo/.orchestrator"
LEDGER = f"{STATE}/wave-dispatch-scopes.json"
MAIN = "home/projects/repo/s1.jsonl"
AGENTS = "home/projects/repo/s1/subagents"
CALLS = [f"toolu_fuzz{number}" for number in range(6)]
IDS = [f"a{number:016x}" for number in range(6)]


def text_of(value: Any) -> bytes:
    return json.dumps(value).encode()


def a_record(number: int, *files: str, **fields: Any) -> dict[str, Any]:
    """A sound record of a dispatch whose harness process runs: the first there is, number 1."""
    return {
        "id": f"agent {number} (general-purpose)",
        "desc": f"agent {number}",
        "files": list(files),
        "at": iso_of(time.time() - 60),
        "wave": "w3|Impl-Core",
        "session": session_of("s1"),
        "harness": "claude",
        "toolUseId": CALLS[number],
        "agentId": None,
        "agentType": "general-purpose",
        "name": f"name-{number}",
        "parent": None,
        "tree": "/@W@/repo",
        "isolation": None,
        "access": "write",
        "source": "prompt",
        "transcripts": [[f"/@W@/{MAIN}", 0]],
        "listed": False,
        "waits": [],
        "state": "reserved",
        "events": [],
        **fields,
    }


def a_ledger(*records: dict[str, Any], lines: bool = True) -> bytes:
    """A ledger as the product writes it, or as a person may have reformatted it."""
    head = {"schema": 1, "waveKey": "s1|w3|Impl-Core", "updated": iso_of(time.time())}
    head = {**head, "said": {"HS503|x|y": time.time()}, "denied": {"a|b|c": 2}}
    if not lines:
        return json.dumps({**head, "agents": records}, indent=1).encode()
    body = ",\n".join(json.dumps(record, separators=(",", ":")) for record in records)
    return f'{json.dumps(head)[:-1]},"agents":[\n{body}\n]}}\n'.encode()


def ledgers() -> list[bytes]:
    now = time.time()
    ran = {"state": "running", "events": [["started", now - 50]]}
    open_ones = [
        a_record(0, "src/a.py"),
        a_record(1, "lib/**", "docs/*.md", agentId=IDS[1], **ran),
        a_record(2, "src/{b,c}.py", source="weak", parent=IDS[1], listed=True),
        a_record(3, "web/", agentId=IDS[3], **{**ran, "waits": ["b1"], "state": "running"}),
    ]
    ended = a_record(4, "src/a.py", agentId=IDS[4], state="idle", events=[["stopped", now - 9]])
    tree = {"isolation": {"requested": "worktree", "verified": None}, "tree": "/@W@/tree"}
    old = {"id": "old (x)", "desc": "old", "files": ["src/a.py"], "at": iso_of(now - 30)}
    return [
        a_ledger(),
        a_ledger(open_ones[0]),
        a_ledger(*open_ones[1:3]),
        a_ledger(*open_ones, ended, lines=False),
        a_ledger(ended, a_record(5, "package-lock.json", "src/**", **tree)),
        text_of({"waveKey": "s1|w3|x", "updated": iso_of(now), "agents": [old]}),
    ]


def touched() -> bytes:
    now = time.time()
    lines = [
        {
            "at": now - age,
            "session": session_of(who),
            "agent": agent,
            "tree": "/@W@/repo",
            "path": path,
        }
        for age, who, agent, path in (
            (900.0, "s1", IDS[0], "src/a.py"),
            (30.0, "s2", "", "lib/d.py"),
            (5.5, "s1", IDS[5], "docs/e.md"),
        )
    ]
    return b"".join(text_of(line) + b"\n" for line in lines)


SETTINGS = b"""shared = ["pnpm-lock.yaml", "**/generated/**"]
markers = ["OWNED FILES", "Dateien:"]
read_only_types = ["reviewer"]

[modes]
dispatch = "enforce"
"""
DEFINITION = b"---\nname: reader\ndescription: reads\ntools: Read, Grep\n---\nYou read.\n"
WRITER = (
    b"---\nname: 'Code Writer'\nisolation: worktree\ntools:\n  - Read\n  - Write\n---\nWrite.\n"
)
CACHE = (
    b'{"key":@KEY@,"policy":{"dispatch":"warn","shared":["a.lock"],"markers":["mine"],'
    b'"read_only_types":["x"]},"faults":["shared: bad"]}'
)
CONFIG = b'[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote "o"]\n\turl = x\n'


def renamed(raw: bytes) -> bytes:
    """A recorded transcript or meta file, with its calls and agents called as ours are."""
    names = itertools.cycle(CALLS[:4])
    calls: dict[bytes, bytes] = {}
    agents: dict[bytes, bytes] = {}

    def call(found: re.Match[bytes]) -> bytes:
        return calls.setdefault(found[0], next(names).encode())

    def agent(found: re.Match[bytes]) -> bytes:
        return agents.setdefault(found[0], IDS[len(agents) % 4].encode())

    return re.sub(rb"\ba[0-9a-f]{16}\b", agent, re.sub(rb"\btoolu_\w+", call, raw))


def transcripts() -> list[bytes]:
    recorded = sorted((CHECKOUT / "fixtures" / "transcripts").glob("*.jsonl"))
    return [renamed(path.read_bytes()) for path in recorded]


def metas() -> list[bytes]:
    recorded = sorted((CHECKOUT / "fixtures" / "transcripts").glob("*/subagents/*.meta.json"))
    return list(dict.fromkeys(renamed(path.read_bytes()) for path in recorded))


def furniture() -> Files:
    """What stands in a world before any input, apart from the state directory."""
    notice = "<task-notification>\n<task-id>x</task-id>\n<status>running</status>"
    first = {"type": "queue-operation", "operation": "enqueue", "content": notice}
    return {
        **dict.fromkeys(
            ("repo/src/a.py", "repo/src/b.py", "repo/lib/d.py", "repo/docs/e.md"), b"x"
        ),
        "repo/.git/HEAD": b"ref: refs/heads/main\n",
        "repo/.git/config": CONFIG,
        "repo/.git/worktrees/tree/commondir": b"../..\n",
        "repo/.git/worktrees/tree/gitdir": HERE + b"/tree/.git\n",
        "repo/linked": b"->../outside",
        **dict.fromkeys(("repo/.pi/kept", "repo/.claude/kept", "home/state/kept"), b"x"),
        "repo/.holdshort.toml": SETTINGS,
        "repo/.claude/agents/reader.md": DEFINITION,
        "repo/.claude/agents/writer.md": WRITER,
        "repo/.claude/wave-scope.json": b'{"wave": 3, "role": "Impl-Core", "allowedPaths": []}',
        "repo/.claude/filescopes/wave-3/name-1.json": b'["src/a.py", "lib/**"]',
        "repo/.claude/filescopes/wave-3/core-1.json": b'["docs/*.md"]',
        "tree/.git": b"gitdir: ../repo/.git/worktrees/tree\n",
        "tree/src/a.py": b"x",
        "outside/victim.jsonl": b"not ours\n",
        "home/.claude/agents/reader.md": WRITER,
        MAIN: text_of(first) + b"\n",
        f"{AGENTS}/agent-{IDS[1]}.meta.json": text_of({"toolUseId": CALLS[1]}),
        f"{AGENTS}/agent-{IDS[2]}.meta.json": text_of(
            {"toolUseId": CALLS[2], "parentAgentId": IDS[1], "finished": False}
        ),
        f"{AGENTS}/agent-{IDS[1]}.jsonl": text_of({"type": "user", "message": {}}) + b"\n",
    }


class World:
    """A place to feed inputs in. `feed` takes one; `begin` makes everything as it was."""

    def __init__(self, base: Path) -> None:
        self.base = base / "deep" / "down" / "world"
        self.base.mkdir(parents=True)
        self.top = base
        self.serve: Serve = lambda hook, judge, fd: serve(hook, judge, fd=fd)
        self.names = {HERE: str(self.base).encode()}
        self.furniture = furniture()
        for path, raw in self.furniture.items():
            self.put(path, raw)
        self.before = self.outside()
        self.marked: tuple[int, int, int] | None = None
        self.ledger_fault = GONE

    def at(self, path: str) -> Path:
        return self.base / path

    def environ(self) -> dict[str, str]:
        home = str(self.at("home"))
        return {
            "HOME": home,
            "XDG_STATE_HOME": f"{home}/state",
            "CLAUDE_PROJECT_DIR": str(self.at("repo")),
            "CLAUDE_PID": "1",
        }

    def begin(self) -> None:
        """A new state directory, and nothing in any other place where one may have been made."""
        for found in [*self.base.glob("*/.orchestrator"), *self.top.rglob("holdshort")]:
            remove(found)
        for found in (*self.top.glob(".orchestrator"), *self.top.glob("deep/**/.orchestrator")):
            remove(found)
        self.at(STATE).mkdir(0o700)
        self.put(f"{STATE}/.gitignore", b"*\n")

    def put(self, path: str, raw: bytes) -> None:
        """Place a file, link, directory or pipe."""
        target = self.at(path)
        if not target.parent.is_dir() or target.parent.is_symlink():
            remove(target.parent)
        remove(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        raw = self.here(raw)
        if raw.startswith(b"->"):
            os.symlink(raw[2:], os.fsencode(target))
        elif raw == b"dir":
            target.mkdir()
        elif raw == b"pipe":
            os.mkfifo(target)
        else:
            target.write_bytes(raw)
            os.utime(target, (STAMP, STAMP) if path in self.names_of_old() else None)

    def names_of_old(self) -> frozenset[str]:
        """Files whose time is looked at from outside, and by nobody inside."""
        return frozenset(p for p in self.furniture if "agents/" not in p and "wave-" not in p)

    def restore(self, paths: Iterable[str]) -> None:
        """Take back what an input had placed outside the state directory."""
        for path in paths:
            if path in self.furniture:
                self.put(path, self.furniture[path])
            elif not path.startswith(STATE):
                remove(self.at(path))

    def here(self, raw: bytes) -> bytes:
        """`raw` with the places of this world in it."""
        if b"@KEY@" in raw:
            raw = raw.replace(b"@KEY@", self._key())
        return raw.replace(HERE, self.names[HERE])

    def _key(self) -> bytes:
        info = os.stat(self.at("repo/.holdshort.toml"))
        return text_of([1, info.st_size, info.st_ino, info.st_mtime_ns, info.st_ctime_ns])

    def outside(self) -> dict[str, tuple[int, int, str]]:
        """Everything that no hook may change: size, time and target of each, by path."""
        return dict(_looked_at(str(self.top), f"{self.base}/"))

    def changed(self) -> list[str]:
        """What is not as it was, outside the state directory."""
        after, before = self.outside(), self.before
        return sorted(name for name in {*after, *before} if after.get(name) != before.get(name))

    def mend(self) -> None:
        """Make everything outside the state directory as it was."""
        for name in self.changed():
            if name not in self.before:
                remove(self.at(name))
        self.restore(name for name in self.furniture if name in self.changed())

    def _is_ledger_sound(self) -> bool:
        """Whether it is, or there is none yet; looked at again only when it is another file."""
        path = self.at(LEDGER)
        mark = _mark(path)
        if mark != self.marked:
            self.marked = mark
            self.ledger_fault = _fault_of_ledger(path)
        return not self.ledger_fault

    def feed(self, step: Step) -> Seen | None:
        """Run one input; None where its `.git` file names a place outside this world."""
        for path, raw in step.files:
            self.put(path, raw)
        if any("git" in path for path, _ in step.files) and self._leaves():
            self.restore(path for path, _ in step.files)
            return None
        before, was_sound = _mark(self.at(LEDGER)), self._is_ledger_sound()
        started = time.perf_counter()
        output, escaped = self._served(step)
        seconds = time.perf_counter() - started
        wrote = _mark(self.at(LEDGER)) != before
        fault = "" if self._is_ledger_sound() or not wrote else self.ledger_fault
        fault = fault if was_sound or fault != GONE else ""
        seen = Seen(step, output, escaped, seconds, fault, wrote, was_sound)
        self.restore(path for path, _ in step.files)
        return seen

    def _leaves(self) -> bool:
        """Whether state would be kept outside of this world, as a `.git` file may well ask for."""
        try:
            places = [locate(str(self.at(name)), str(self.at("repo"))) for name in ("repo", "tree")]
        except ValueError:
            return False
        return not all(place.state_dir.startswith(f"{self.top}/") for place in places)

    def _served(self, step: Step) -> tuple[bytes, str]:
        fd = os.memfd_create("stdin")
        try:
            os.write(fd, self.here(step.stdin))
            os.lseek(fd, 0, os.SEEK_SET)
            return self.serve(step.hook, JUDGES[step.hook], fd), ""
        except BaseException as error:  # that none escapes is what is tested
            if isinstance(error, KeyboardInterrupt):
                raise
            return b"", f"{type(error).__name__}: {error}"
        finally:
            os.close(fd)


class Processes(World):
    """A world whose inputs are fed to real hook processes."""

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.harness = Harness(self.at("repo"), self.at("home"), "s1", pid=1)
        self.harness.transcript = self.at(MAIN)
        at = {GUARD: ("PreToolUse", "Agent"), LIFE: ("Stop", ""), TOUCH: ("PostToolUse", "Write")}
        self.commands = {hook: self.harness.commands(*where)[0] for hook, where in at.items()}

    def _served(self, step: Step) -> tuple[bytes, str]:
        done = subprocess.run(
            self.commands[step.hook],
            input=self.here(step.stdin),
            env=self.harness.environment(),
            cwd=self.harness.repo,
            capture_output=True,
            timeout=30,
        )
        said = f"exit {done.returncode}, stderr {done.stderr[:200]!r}"
        return done.stdout, said if done.returncode or done.stderr else ""


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _mark(path: Path) -> tuple[int, int, int] | None:
    try:
        info = os.lstat(path)
    except OSError:
        return None
    return info.st_ino, info.st_mtime_ns, info.st_size


def _looked_at(directory: str, base: str) -> Iterator[tuple[str, tuple[int, int, str]]]:
    """A directory counts by its name alone, a file also by its time where inputs leave that alone."""
    for entry in os.scandir(directory):
        if entry.name in (".orchestrator", "state"):
            continue
        name = entry.path.removeprefix(base)
        if entry.is_symlink():
            yield name, (0, 0, os.readlink(entry.path))
        elif entry.is_dir():
            yield name, (0, 0, "directory")
            if not entry.path.endswith(".git/holdshort"):
                yield from _looked_at(entry.path, base)
        else:
            info = entry.stat(follow_symlinks=False)
            changed = info.st_mtime_ns if info.st_mtime == STAMP else 0
            yield name, (info.st_size, changed, "file")


# --- what must hold of every input --------------------------------------------------------------

_ANSWER = {"hookSpecificOutput", "systemMessage"}
_DENIAL = {"hookEventName", "permissionDecision", "permissionDecisionReason"}
_ADVICE = {"hookEventName", "additionalContext"}


def fault_in(seen: Seen) -> str:
    """What is wrong with what became of an input, or nothing."""
    if seen.escaped:
        return f"escaped: {seen.escaped}"
    return _fault_in_answer(seen) or seen.ledger_fault or _fault_in_reading(seen)


def _fault_in_reading(seen: Seen) -> str:
    """A ledger that is sound is not called unreadable."""
    is_refused = seen.was_sound and b"HS902 The ledger was unreadable" in seen.output
    return "a sound ledger is refused" if is_refused else ""


def _fault_in_answer(seen: Seen) -> str:
    if not seen.output:
        return ""
    value = _answered(seen.output)
    if value is None:
        return f"not one JSON object: {seen.output[:200]!r}"
    return _misshapen(value) or _misspoken(value, REASON) or _unfounded(seen, value)


def _answered(output: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(output)
    except ValueError:
        return None
    return value if isinstance(value, dict) and output.count(b"\n") == 1 else None


def _misshapen(value: dict[str, Any]) -> str:
    specific = value.get("hookSpecificOutput")
    if not value or not value.keys() <= _ANSWER:
        return f"misshapen: keys {sorted(value)}"
    if specific is not None and (
        not isinstance(specific, dict) or specific.keys() not in (_DENIAL, _ADVICE)
    ):
        return f"misshapen: {specific!r:.200}"
    texts = _texts(value)
    if not all(isinstance(text, str) and text for text in texts):
        return "misshapen: an empty text, or none"
    is_other = specific is not None and specific.get("permissionDecision", "deny") != "deny"
    return "misshapen: a decision that is no denial" if is_other else ""


def _texts(value: dict[str, Any]) -> list[Any]:
    """The texts of an answer that someone reads; the event is an echo of the call's own."""
    specific = value.get("hookSpecificOutput", {})
    keys = ("permissionDecisionReason", "additionalContext")
    found = [specific[key] for key in keys if key in specific]
    return found + [value[key] for key in ("systemMessage",) if key in value]


def _misspoken(value: dict[str, Any], most: int) -> str:
    for text in _texts(value):
        if "Traceback (" in text:  # an agent may well be called Traceback
            return "a traceback is shown"
        for code, what in (("HS907 ", "unexpected error"), ("HS903 ", "deadline passed")):
            if text.startswith(code):
                return f"{what}: {text}"
        if not text.isprintable():
            return f"not printable: {text!r:.300}"
    lengths = [len(text.encode()) for text in _texts({**value, "systemMessage": "x"})]
    notice = len(str(value.get("systemMessage", "")).encode())
    return f"too long: {max(lengths)}/{notice}" if max(lengths) > most or notice > NOTICE else ""


def _unfounded(seen: Seen, value: dict[str, Any]) -> str:
    denied = "permissionDecision" in value.get("hookSpecificOutput", {})
    return "denied what is no dispatch" if denied and not is_dispatch(seen.step) else ""


def is_dispatch(step: Step) -> bool:
    """Whether the input is a call that may be denied: a dispatch or a message, with words in it."""
    try:
        call = json.loads(step.stdin.strip())
    except (ValueError, RecursionError):
        return False
    given = call.get("tool_input") if isinstance(call, dict) else None
    if step.hook != GUARD or not isinstance(given, dict):
        return False
    if call.get("tool_name") == "SendMessage":
        words = given.get("message") or given.get("content")
        return isinstance(given.get("to"), str) and isinstance(words, str)
    return call.get("tool_name") in ("Agent", "Task")


GONE = "the ledger is gone"


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _fault_of_ledger(path: Path) -> str:
    """What is wrong with the ledger there; one that a hook wrote is sound, whatever was there before."""
    if path.is_symlink() or not path.is_file():
        return GONE
    try:
        value = json.loads(path.read_bytes().decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return f"the ledger is not readable: {error}"
    if not isinstance(value, dict) or not isinstance(value.get("agents"), list):
        return "the ledger is none"
    sound = value.get("schema") == 1 and all(map(_is_sound, value["agents"]))
    return "" if sound else "the ledger holds unsound records"


_RECORD = {
    **dict.fromkeys(("id", "at", "toolUseId", "desc", "wave", "harness", "agentType"), (str,)),
    **dict.fromkeys(("tree", "access", "source", "state"), (str,)),
    **dict.fromkeys(("name", "agentId", "parent"), (str, type(None))),
    **dict.fromkeys(("files", "waits", "events", "transcripts"), (list,)),
    "session": (dict,),
    "isolation": (dict, type(None)),
    "listed": (bool,),
}


def _is_sound(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and all(isinstance(record.get(name), kinds) for name, kinds in _RECORD.items())
        and record["state"] in ("reserved", "running", "idle", "finished")
        and isinstance(record["session"].get("id"), str)
        and all(isinstance(entry, str) for entry in record["files"] + record["waits"])
        and all(map(_is_pair, record["events"] + record["transcripts"]))
    )


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and type(value[1]) in (int, float)  # a bool is neither
        and abs(value[1]) < 1e15  # no time and no size is larger; NaN is not smaller either
    )


def peak() -> int:
    """KiB that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


# --- making inputs -------------------------------------------------------------------------------

PATHS = [
    *(
        "../",
        "/etc",
        "/etc/passwd",
        "~",
        "~/x",
        "~root",
        "/proc/self/fd/0",
        "/dev/zero",
        "/dev/full",
    ),
    *(
        "src/a\nb.py",
        "a\0b",
        "/",
        "//",
        ".",
        "..",
        "src/../src/a.py",
        "linked/victim.jsonl",
        "lib/**",
    ),
    *(
        "**",
        "*",
        "src/{a,{b,c}}.py",
        "{" * 40,
        "src/[a-z].py",
        "@src/a.py",
        "src\\a.py",
        "SRC/A.PY",
    ),
    *(
        "/@W@/repo/src/a.py",
        "/@W@/outside",
        "/@W@/tree",
        "/@W@/repo",
        "\ud800",
        "a" * 5000,
        "x/" * 900,
    ),
    *(
        "../../../../outside/victim.jsonl",
        "/@W@/home/.claude",
        "*" * 60,
        "**/" * 30 + "a",
        "?" * 200,
    ),
]
TEXTS = [
    *(
        "",
        " ",
        "\0",
        "\x1b[31m",
        "\u202e\u2066",
        "\u200b",
        "\ud83d",
        "\udfff",
        "\u2028",
        "\x85",
        "\x7f",
    ),
    *(
        "HS101",
        "null",
        "s1",
        "s2",
        "completed",
        "reserved",
        "running",
        "finished",
        "worktree",
        "warn",
    ),
    *("off", "Explore", "plan", "general-purpose", "Agent", "Task", "SendMessage", "clear", "w9|x"),
    *(
        "2999-01-01T00:00:00Z",
        "0000-00-00T00:00:00Z",
        "1970-01-01T00:00:00Z",
        "9999-99-99T99:99:99Z",
    ),
    *(
        "A" * 300,
        "\U0001f600" * 99,
        "FILE-SCOPE:\n- src/a.py\n",
        "```\nsrc/**\n```",
        "AGENT-ID: core-1",
    ),
    *(
        "<task-notification>\n<task-id>a</task-id>\n<status>completed</status>",
        "agentId: ",
        "e\u0301" * 50,
    ),
]
RAW = [
    *(
        "1e999",
        "-1e999",
        "NaN",
        "Infinity",
        "1" * 400,
        "-0",
        "1e308",
        "0.1e-400",
        "99999999999999999999",
    ),
    *(
        "[" * 900 + "]" * 900,
        "[" * 90_000,
        '{"a":' * 300 + "1" + "}" * 300,
        "tru",
        '"\\ud800"',
        '"\\u0000"',
    ),
    *('"\\x"', "00", "1.", "'a'", "{,}", '{"a":1,"a":2}', '"\t"', "1 2"),
]
OTHER: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    2**64,
    1e15,
    1e300,
    0.5,
    -1e18,
    [],
    {},
    [[]],
    [None],
]
MARK = "@RAW"


def prompts() -> list[str]:
    path = CHECKOUT / "tests" / "core" / "extraction_corpus.toml"
    with path.open("rb") as file:
        found = [case["prompt"] for case in tomllib.load(file)["case"]]
    files = (
        "src/a.py",
        "lib/d.py",
        "docs/*.md",
        "src/**",
        "package-lock.json",
        "linked/x",
        "web/ui.ts",
    )
    scopes = [SCOPE.format(name) for name in files]
    return [*found, *scopes, *scopes, "AGENT-ID: core-1\nDo it.", "You only read.", "Go on."]


class Maker:
    """Makes inputs. Everything it draws comes from `rng`, so a seed names its inputs."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.prompts = prompts()
        self.ledgers, self.transcripts, self.metas = ledgers(), transcripts(), metas()
        self.touched = touched()
        self.kept: list[Step] = []
        self.shapes: set[tuple[str, ...]] = set()
        self.files = self._files()
        self.kinds = [*EVENTS, *EVENTS, *self.files]

    def begin(self) -> tuple[tuple[str, bytes], ...]:
        """Sound state for a batch to begin with."""
        pick = self.rng.choice
        placed = [(LEDGER, pick(self.ledgers))] * (self.rng.random() < 0.9)
        placed += [(f"{STATE}/archive.json", pick(self.ledgers))] * (self.rng.random() < 0.3)
        placed += [(f"{STATE}/touched.jsonl", self.touched)] * (self.rng.random() < 0.3)
        return tuple(placed)

    def step(self, kind: str = "") -> Step:
        """The next input."""
        if not kind and self.kept and self.rng.random() < 0.1:
            step = self.rng.choice(self.kept)
            return step._replace(stdin=self.json(step.stdin))
        kind = kind or self.rng.choice(self.kinds)
        if kind in EVENTS:
            step = self.call(kind)
            return step._replace(
                stdin=self.json(step.stdin) if self.rng.random() < 0.9 else step.stdin
            )
        return self._with_file(kind)

    def learn(self, seen: Seen) -> None:
        """Keep an input that brought about what none did before."""
        codes = sorted(set(re.findall(rb"HS\d{3}", seen.output)))
        keys = re.findall(rb'"(?:permission|additional|system)\w+"', seen.output)
        shape = (seen.step.kind, str(seen.wrote), str(codes), str(keys))
        if shape not in self.shapes and len(seen.step.stdin) < LARGEST_SEED:
            self.shapes.add(shape)
            self.kept.append(seen.step)

    def call(self, kind: str) -> Step:
        hook, event, fields = EVENTS[kind](self)
        call = {
            "session_id": self.rng.choice(("s1", "s1", "s2")),
            "transcript_path": f"/@W@/{MAIN}",
            "cwd": "/@W@/tree" if self.rng.random() < 0.1 else "/@W@/repo",
            "permission_mode": "acceptEdits",
            "hook_event_name": event,
            **fields,
        }
        return Step(kind, hook, text_of(call))

    def _files(self) -> dict[str, tuple[Callable[[], str], Callable[[], bytes]]]:
        """Of each kind of file: its name and a valid one."""
        pick = self.rng.choice
        settled = self.furniture = furniture()
        names = {
            "toml": ("repo/.holdshort.toml",),
            "manifest": ("repo/.claude/wave-scope.json", "repo/.pi/wave-scope.json"),
            "filescope": tuple(name for name in settled if "filescopes" in name),
            "definition": tuple(
                name for name in settled if name.endswith(".md") and ".claude" in name
            ),
            "git": (
                "tree/.git",
                "repo/.git/config",
                "repo/.git/worktrees/tree/commondir",
                "repo/src/.git",
            ),
        }
        known = {
            kind: (
                lambda of=of: pick(of),
                lambda of=of: settled.get(pick(of), b"gitdir: ../.git\n"),
            )
            for kind, of in names.items()
        }
        meta = [f"{AGENTS}/agent-{name}.meta.json" for name in IDS[:4]]
        return {
            **known,
            "ledger": (lambda: LEDGER, lambda: pick(self.ledgers)),
            "archive": (lambda: f"{STATE}/archive.json", lambda: pick(self.ledgers)),
            "transcript": (lambda: MAIN, lambda: pick(self.transcripts)),
            "meta": (lambda: pick(meta), lambda: pick(self.metas)),
            "cache": (lambda: f"{STATE}/policy.json", lambda: CACHE),
            "touched": (lambda: f"{STATE}/touched.jsonl", lambda: self.touched),
            "plant": (lambda: f"{STATE}/{pick(_PLACES)}", lambda: b""),
        }

    def _with_file(self, kind: str) -> Step:
        name, valid = self.files[kind]
        path, raw = name(), valid()
        if kind == "plant":
            raw = self.rng.choice(_PLANTS)
        elif kind == "git":
            raw = self.octets(raw)
        else:
            raw = self.any_text(raw)
        step = self.call(self.rng.choice(_READERS.get(kind, tuple(EVENTS))))
        return Step(kind, step.hook, step.stdin, ((path, raw),))

    # Changes of texts, of JSON values, and of bytes

    def any_text(self, raw: bytes) -> bytes:
        """`raw` with one of its lines changed, or its lines, or its bytes."""
        draw = self.rng.random()
        if draw < 0.2:
            return self.octets(raw)
        is_one_value = raw.lstrip()[:1] in (b"{", b"[") and raw.count(b"\n") < 2
        if is_one_value or draw < 0.35:
            return self.json(raw)
        lines = raw.split(b"\n")
        at = self.rng.randrange(len(lines))
        if draw < 0.8:
            lines[at] = self.json(lines[at]) if lines[at][:1] == b"{" else self.words(lines[at])
        elif draw < 0.87:
            lines[at:at] = [lines[self.rng.randrange(len(lines))]] * self.rng.choice((1, 3, 40))
        else:
            del lines[at : at + self.rng.randrange(1, 4)]
        return b"\n".join(lines)

    def words(self, raw: bytes) -> bytes:
        return self.text(raw.decode("utf-8", "replace")).encode("utf-8", "surrogatepass")

    def json(self, raw: bytes) -> bytes:
        """JSON with one to three of its values changed; what is no JSON has its bytes changed."""
        try:
            value = json.loads(raw)
            for _ in range(self.rng.choice((1, 1, 2, 3))):
                value = self.value(value)
            return self._finished(json.dumps(value))
        except (ValueError, RecursionError):  # no JSON, nested too deeply, or too long a number
            return self.octets(raw)

    def _finished(self, text: str) -> bytes:
        """`text` with what JSON cannot say put in, and sometimes with broken bytes."""
        if MARK in text:
            for number, raw in enumerate(RAW):
                text = text.replace(f'"{MARK}{number}@"', raw)
        encoded = text.encode()
        return self.octets(encoded) if self.rng.random() < 0.08 else encoded

    def value(self, root: Any) -> Any:
        """`root` with one value somewhere in it changed."""
        places = list(itertools.islice(_places(root), 400))
        if not places:
            return self.other(root)
        inside, key = self.rng.choice(places)
        draw = self.rng.random()
        if draw < 0.12:
            del inside[key]
        elif draw < 0.18 and isinstance(inside, dict):
            inside[self.text(key)] = inside.pop(key)
        elif draw < 0.24:
            inside[key] = _at(self.rng.choice(places))
        else:
            inside[key] = self.other(inside[key])
        return root

    def other(self, old: Any) -> Any:
        """Something in the place of `old`: most often of its own kind."""
        draw = self.rng.random()
        if draw < 0.2:
            return self.rng.choice(OTHER)
        if draw < 0.26:
            return f"{MARK}{self.rng.randrange(len(RAW))}@"
        if isinstance(old, str):
            return self.text(old)
        if isinstance(old, list) and old:
            return self.rng.choice((old * 3, old[::-1], old[:-1], [*old, self.rng.choice(PATHS)]))
        if isinstance(old, int | float):
            return self.rng.choice((-old, old + 1, old * 1000, repr(old)[:400], [old]))
        return self.rng.choice((*PATHS, *TEXTS))

    def text(self, old: str) -> str:
        """A text made from `old`."""
        rng = self.rng
        at = rng.randrange(len(old) + 1)
        draw = rng.randrange(9)
        if draw < 3:
            return old[:at] + rng.choice(rng.choice((PATHS, TEXTS))) + old[at:]
        if draw < 5:
            return rng.choice(rng.choice((PATHS, TEXTS, CALLS, IDS, self.prompts)))
        if draw == 5:
            return old[:at] + old[at + rng.randrange(1, 9) :]
        if draw == 6:
            return old * rng.choice((2, 2, 3, 8, 60)) if len(old) < 2000 else old[:at]
        if draw == 7:
            end = at + rng.randrange(40)
            return old[:end] + old[at:]
        return old[:at] + chr(
            rng.choice((0, 8, 10, 0x202E, 0xD800, 0x10FFFF, rng.randrange(0x3000)))
        )

    def octets(self, raw: bytes) -> bytes:
        """`raw` with its bytes changed, without looking at what they mean."""
        rng = self.rng
        at, end = rng.randrange(len(raw) + 1), rng.randrange(len(raw) + 1)
        junk = (
            b"\xff\xfe",
            b"\0",
            b"\xc0\x80",
            b"\xed\xa0\x80",
            b"\n",
            b"}",
            b'"',
            b"\xef\xbb\xbf",
            b"\r",
        )
        low, high = min(at, end), max(at, end)
        flipped = bytes([raw[low] ^ (1 << rng.randrange(8))]) if low < len(raw) else b""
        return rng.choice(
            (
                raw[:at],
                raw[:at] + rng.choice(junk) + raw[at:],
                raw[:high] + raw[low:],
                raw[:low] + raw[high:],
                raw[:low] + flipped + raw[low + 1 :],
                rng.choice((b"", b"\n", b"{}", b"[]", b"null", raw + raw, raw * 20)),
                rng.choice(junk) + raw,
            )
        )


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every `(object or list, key)` within `value`."""
    todo = [value]
    while todo:
        inside = todo.pop()
        pairs: Iterable[tuple[Any, Any]] = ()
        if isinstance(inside, dict):
            pairs = inside.items()
        elif isinstance(inside, list):
            pairs = enumerate(inside)
        for key, item in pairs:
            yield inside, key
            if isinstance(item, dict | list):
                todo.append(item)


def _at(place: tuple[Any, Any]) -> Any:
    inside, key = place
    return json.loads(json.dumps(inside[key]))


def _dispatch(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    given = {
        "description": f"agent {rng.randrange(6)}",
        "prompt": rng.choice(maker.prompts)
        if rng.random() < 0.5
        else rng.choice(maker.prompts[296:]),
        "subagent_type": rng.choice(("general-purpose", "general-purpose", "Explore", "reader")),
    }
    extra = {"name": "name-1"} if rng.random() < 0.3 else {}
    extra |= {"isolation": "worktree"} if rng.random() < 0.1 else {}
    nested = {"agent_id": rng.choice(IDS)} if rng.random() < 0.2 else {}
    call = {"tool_name": rng.choice(("Agent", "Task")), "tool_use_id": rng.choice(CALLS), **nested}
    return GUARD, "PreToolUse", {**call, "tool_input": {**given, **extra}}


def _prompt(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    hook, event, fields = _dispatch(maker)
    given = fields["tool_input"]
    for _ in range(maker.rng.choice((1, 2, 4))):
        given = {**given, "prompt": maker.text(given["prompt"])}
    return hook, event, {**fields, "tool_input": given}


def _message(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    given = {"to": rng.choice((*IDS, "name-1")), "message": rng.choice(maker.prompts)}
    return (
        GUARD,
        "PreToolUse",
        {"tool_name": "SendMessage", "tool_use_id": "m1", "tool_input": given},
    )


def _returned(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    status = rng.choice(("async_launched", "completed", "failed"))
    response = {"status": status, "agentId": rng.choice(IDS), "task_id": rng.choice(IDS)}
    call = {
        "tool_name": rng.choice(("Agent", "Agent", "TaskStop")),
        "tool_use_id": rng.choice(CALLS),
    }
    return LIFE, "PostToolUse", {**call, "tool_response": response}


def _failed(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    event = maker.rng.choice(("PostToolUseFailure", "PermissionDenied"))
    return LIFE, event, {"tool_name": "Agent", "tool_use_id": maker.rng.choice(CALLS)}


def _agent(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    event = rng.choice(("SubagentStart", "SubagentStop"))
    agent = rng.choice(IDS)
    tasks = [{"id": rng.choice((*IDS, "b1")), "status": "running", "type": "subagent"}]
    own = f"/@W@/{AGENTS}/agent-{agent}.jsonl"
    kind = {"agent_id": agent, "agent_type": "general-purpose"}
    return LIFE, event, {**kind, "agent_transcript_path": own, "background_tasks": tasks}


def _turn(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    event = rng.choice(("Stop", "StopFailure", "UserPromptSubmit", "SessionEnd"))
    tasks = [{"id": agent, "status": rng.choice(("running", "completed"))} for agent in IDS[:2]]
    words = {"prompt": rng.choice(("go on", "<task-notification>\n<task-id>a</task-id>"))}
    return (
        LIFE,
        event,
        {"background_tasks": tasks, "reason": rng.choice(("other", "clear")), **words},
    )


def _write(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    key = rng.choice(("file_path", "file_path", "notebook_path"))
    given = {key: f"/@W@/repo/{rng.choice(('src/a.py', 'linked/x', 'new/deep/f'))}"}
    call = {"tool_name": rng.choice(("Write", "Edit", "NotebookEdit")), "tool_input": given}
    return TOUCH, "PostToolUse", {**call, "agent_id": rng.choice((*IDS, ""))}


EVENTS: dict[str, Callable[[Maker], tuple[str, str, dict[str, Any]]]] = {
    "dispatch": _dispatch,
    "prompt": _prompt,
    "message": _message,
    "returned": _returned,
    "failed": _failed,
    "agent": _agent,
    "turn": _turn,
    "write": _write,
}
_READERS = {
    **dict.fromkeys(("toml", "cache", "manifest", "filescope", "definition"), ("dispatch",)),
    **dict.fromkeys(
        ("touched", "transcript", "git"), ("dispatch", "dispatch", "dispatch", "write")
    ),
    "meta": ("dispatch", "message", "agent"),
    "archive": ("message", "agent"),
}
_PLACES = (
    *("wave-dispatch-scopes.json", "wave-dispatch-scopes.lock", "archive.json", "touched.jsonl"),
    *("policy.json", "log", "wave-dispatch-scopes.json.new", "log/decisions.jsonl", ".gitignore"),
)
_PLANTS = (
    b"dir",
    b"pipe",
    b"->../../outside/victim.jsonl",
    b"->../../outside",
    b"->/dev/full",
    b"",
    b"x",
)


# --- what was found ------------------------------------------------------------------------------

_WRITE = text_of(
    {"tool_name": "Write", "tool_input": {"file_path": "/@W@/repo/src/a.py"}, "agent_id": IDS[0]}
)
_DISPATCH = b'{"tool_name": "Agent", "tool_input": {}}'
_LOG, _TOUCHED = f"{STATE}/log", f"{STATE}/touched.jsonl"


class Found(NamedTuple):
    """An input that once showed a fault."""

    steps: tuple[Step, ...]


FOUND = {
    "a log directory that is a link is not followed": Found(
        (Step("found", GUARD, _DISPATCH, ((_LOG, b"->../../outside"),)),)
    ),
    "a list of writes that is a link is no unexpected error": Found(
        (Step("found", TOUCH, _WRITE, ((_TOUCHED, b"->../../outside/victim.jsonl"),)),)
    ),
    "a list of writes that is a directory is no unexpected error": Found(
        (Step("found", TOUCH, _WRITE, ((_TOUCHED, b"dir"),)),)
    ),
    "a list of writes that is a pipe is no unexpected error": Found(
        (Step("found", TOUCH, _WRITE, ((_TOUCHED, b"pipe"),)),)
    ),
}
_FAR = Step("found", GUARD, b'{"tool_name": "Agent", "tool_input": {}, "cwd": "/@W@/tree"}')
FOUND |= {
    f"a {what} with a NUL is no unexpected error": Found((_FAR._replace(files=((path, raw),)),))
    for what, path, raw in (
        (".git file", "tree/.git", b"gitdir: ../repo/.git/work\0trees/tree"),
        ("commondir", "repo/.git/worktrees/tree/commondir", b"../..\0"),
    )
}
_PARTIAL = {key: value for key, value in a_record(0, "src/a.py").items() if key != "waits"}
_STARTED: dict[str, Any] = {
    "hook_event_name": "PostToolUse",
    "tool_name": "Agent",
    "tool_use_id": CALLS[0],
}
_STARTED |= {"session_id": "s1", "tool_response": {"status": "async_launched", "agentId": IDS[0]}}
FOUND["a ledger with a line left blank in it is still a ledger"] = Found(
    (
        Step("found", GUARD, _DISPATCH, ((LEDGER, a_ledger(a_record(0, "src/a.py"))),)),
        Step(
            "found",
            GUARD,
            _DISPATCH,
            ((LEDGER, a_ledger(a_record(0, "src/a.py")).replace(b"[\n{", b"[\n\n{")),),
        ),
    )
)
_STATES: tuple[dict[str, Any], ...] = (
    {"isolation": {"requested": "worktree", "verified": None}},
    {"source": "weak"},
    {"agentId": IDS[2], "state": "idle", "events": [["stopped", time.time()]]},
)
_NAMED = [
    a_record(number, "src/a.py", id=f"a second agent of a long name {number}", **fields)
    for number, fields in enumerate(_STATES)
]
_WAKING = {
    "session_id": "s1",
    "tool_name": "SendMessage",
    "tool_input": {"to": IDS[2], "message": SCOPE.format("src/a.py")},
}
FOUND["what a message that adds files and wakes is told is no longer than promised"] = Found(
    (Step("found", GUARD, text_of(_WAKING), ((LEDGER, a_ledger(*_NAMED)),)),)
)
FOUND["news of a record that lacks a field is not lost"] = Found(
    (Step("found", LIFE, text_of(_STARTED), ((LEDGER, a_ledger(_PARTIAL)),)),)
)


_ASKING = {"tool_name": "Agent", "tool_input": {"prompt": SCOPE.format("src/a.py")}}
_ENDLESS = a_ledger(a_record(0, "lib/x", isolation={"verified": MARK}), lines=False)
_WROTE = {"at": MARK, "session": {"id": "x"}, "agent": "x", "tree": "/@W@/repo", "path": "src/a.py"}
FOUND |= {
    f"{what} is no unexpected error": Found(
        (Step("found", GUARD, text_of(_ASKING), ((path, raw.replace(b'"@RAW"', number)),)),)
    )
    for what, path, raw, number in (
        ("a number without end in a ledger", LEDGER, _ENDLESS, b"1e999"),
        ("a write at a time without end", _TOUCHED, text_of(_WROTE), b"1e999"),
        ("a write at a time of 400 digits", _TOUCHED, text_of(_WROTE), b"1" * 400),
    )
}


# --- the run -------------------------------------------------------------------------------------


class Run:
    """Inputs through a world, and what was found."""

    def __init__(self, world: World, seed: str) -> None:
        self.world = world
        self.maker = Maker(seed)
        self.findings: list[Finding] = []
        self.codes: dict[str, int] = {}
        self.kinds: dict[str, int] = {}
        self.slowest = 0.0
        self.skipped = 0

    def explore(self, count: int) -> None:
        """Feed `count` inputs."""
        for done in range(0, count, BATCH):
            self.batch(min(BATCH, count - done))

    def batch(self, count: int) -> None:
        start = Step("begin", TOUCH, b"", self.maker.begin())
        steps = [start, *(self.maker.step() for _ in range(count))]
        found = self.play(steps)
        if found is None and self.world.outside() != self.world.before:
            changed = self.world.changed()
            found = self._culprit(steps, changed)
            self.world.mend()
        if found is not None:
            self.findings.append(found)

    def play(self, steps: Sequence[Step]) -> Finding | None:
        """Feed a batch; the first fault in it, with the steps that led there."""
        self.world.begin()
        first: Finding | None = None
        for number, step in enumerate(steps):
            seen = self.world.feed(step)
            if seen is None:
                self.skipped += 1
                continue
            self.note(seen)
            fault = fault_in(seen)
            if fault and first is None:
                first = Finding(fault, tuple(steps[: number + 1]))
        return first

    def note(self, seen: Seen) -> None:
        self.slowest = max(self.slowest, seen.seconds)
        self.kinds[seen.step.kind] = self.kinds.get(seen.step.kind, 0) + 1
        for code in set(re.findall(r"HS\d{3}", seen.output.decode())) or {"silent"}:
            self.codes[code] = self.codes.get(code, 0) + 1
        self.maker.learn(seen)

    def _culprit(self, steps: Sequence[Step], before: list[str]) -> Finding:
        """The batch again one by one, as something outside the state directory is not as it was."""
        self.world.mend()
        self.world.begin()
        for number, step in enumerate(steps):
            self.world.feed(step)
            changed = self.world.changed()
            if changed:
                return Finding(f"changed outside: {changed[:3]}", tuple(steps[: number + 1]))
        return Finding(f"changed outside, but not one by one: {before[:3]}", tuple(steps))

    def fault_of(self, steps: Sequence[Step]) -> str:
        """What goes wrong when `steps` are fed to a world as new."""
        self.world.mend()
        found = self.play(steps)
        changed = self.world.changed()
        if found is not None and len(found.steps) == len(steps):
            return found.fault
        return f"changed outside: {changed[:3]}" if changed else ""


def smaller(run: Run, finding: Finding, tries: int = 300) -> Finding:
    """The finding with steps, keys and texts left out, as long as the same kind of fault stays."""
    if not finding.steps:
        return finding
    kind = _kind_of(finding.fault)
    left = itertools.count(tries, -1)
    is_done = False
    while not is_done:
        is_done = True
        for steps in _smaller_steps(finding.steps):
            if next(left) <= 0:
                return finding
            fault = run.fault_of(steps)
            if _kind_of(fault) == kind:
                finding, is_done = Finding(fault, steps), False
                break
    return finding


def _kind_of(fault: str) -> str:
    return re.sub(r"[\d'\"]+", "", fault)[:60]


def _smaller_steps(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    *earlier, last = steps
    for size in (len(earlier), len(earlier) // 2, 1):
        for at in range(0, len(earlier), size or 1) if size else ():
            yield (*earlier[:at], *earlier[at + size :], last)
    for number in range(len(last.files)):
        yield (*earlier, last._replace(files=last.files[:number] + last.files[number + 1 :]))
    for stdin in _smaller_json(last.stdin):
        yield (*earlier, last._replace(stdin=stdin))
    for number, (path, raw) in enumerate(last.files):
        for less in (*_smaller_json(raw), raw[: len(raw) // 2], raw[len(raw) // 2 :]):
            if len(less) < len(raw):
                fewer = (*last.files[:number], (path, less), *last.files[number + 1 :])
                yield (*earlier, last._replace(files=fewer))


def _smaller_json(raw: bytes) -> Iterator[bytes]:
    try:
        count = len(list(_places(json.loads(raw))))
    except (ValueError, RecursionError):
        return
    for number in range(min(count, 60)):
        value = json.loads(raw)
        inside, key = list(_places(value))[number]
        old = inside[key]
        if isinstance(old, str) and len(old) > 1:
            size = -(-len(old) // 4)
            for at in range(0, len(old), size):
                inside[key] = old[:at] + old[at + size :]
                yield text_of(value)
        del inside[key]
        yield text_of(value)


def steps_in(text: str) -> tuple[Step, ...]:
    """What a finding printed: the last line of it that is a list of inputs."""
    line = [line for line in text.splitlines() if line.startswith("[(")][-1]
    return tuple(Step(*fields) for fields in ast.literal_eval(line))


def quiet(world: World) -> None:
    """This process sees the world and nothing else; what agents are defined is always in force."""
    os.environ.clear()
    os.environ.update(world.environ(), PATH="/usr/bin:/bin")
    os.chdir(world.at("repo"))
    gc.set_threshold(100_000)  # as good as none, as in a hook
    agent_types.SOONEST = 1e12  # of a process that began before the definition was written


def reported(run: Run, count: int, cpu: float, grown: int) -> int:
    codes = ", ".join(f"{code} {times}" for code, times in sorted(run.codes.items()))
    print(f"{count} inputs in {cpu:.1f} s of CPU, {count / max(cpu, 1e-9):.0f} a second; ", end="")
    print(f"grown by {grown >> 10} MiB; slowest {run.slowest:.2f} s; {run.skipped} left the world")
    print(f"kinds: {dict(sorted(run.kinds.items()))}\noutcomes: {codes}")
    print(f"{len(run.maker.shapes)} kinds of outcome; {len(run.findings)} findings")
    for kind, of_kind in _by_kind(run.findings).items():
        print(f"--- {len(of_kind)} of: {kind}\n{smaller(run, of_kind[0])}")
    return 1 if run.findings else 0


def _by_kind(findings: list[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(_kind_of(finding.fault), []).append(finding)
    return found


def main(arguments: list[str]) -> int:
    mode = arguments.pop(0) if arguments and arguments[0].startswith("--") else ""
    with tempfile.TemporaryDirectory(prefix="holdshort-fuzz-", dir=_memory()) as directory:
        world = (Processes if mode == "--processes" else World)(Path(directory))
        text = Path(arguments[0]).read_text() if mode == "--replay" else ""
        quiet(world)
        run = Run(world, arguments[1] if len(arguments) > 1 else "1")
        if mode == "--replay":
            return _replayed(run, steps_in(text))
        return explored(run, int(arguments[0]), in_processes=mode == "--processes")


def _memory() -> str | None:
    """A directory in memory, where there is one: a third of the time would go into the disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _replayed(run: Run, steps: tuple[Step, ...]) -> int:
    fault = run.fault_of(steps)
    print(fault or "nothing is wrong")
    return 1 if fault else 0


def explored(run: Run, count: int, *, in_processes: bool) -> int:
    run.explore(BATCH)  # what is imported late is not growth
    run.findings.clear()
    before, began = peak(), time.process_time()
    run.explore(count)
    grown, cpu = peak() - before, time.process_time() - began
    if grown > GROWTH:
        run.findings.append(Finding(f"grown by {grown} KiB", ()))
    if in_processes:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu, grown = children.ru_utime + children.ru_stime, children.ru_maxrss
        print(f"the largest hook process took {grown >> 10} MiB")
        if grown > HOOK_SIZE:
            run.findings.append(Finding(f"a hook of {grown} KiB", ()))
    return reported(run, count, cpu, grown)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))
