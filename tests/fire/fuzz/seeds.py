"""What stands in a world, and what sound inputs are made of."""

from __future__ import annotations

import itertools
import json
import re
import time
from typing import TYPE_CHECKING, Any

from tests.harness import CHECKOUT

from holdshort.adapters.processes import session_of
from holdshort.core.words import iso_of

if TYPE_CHECKING:
    Files = dict[str, bytes]

HERE = b"/@W@"  # stands in an input for the directory of the world it is fed to
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
# Manifests whose meaning is plain, with patterns of `fnmatch` for the paths that they grant.
GRANTS: dict[bytes, tuple[str, ...]] = {
    b'{"wave": 4, "role": "Impl-Core", "enforcement": "strict", "allowedPaths": ["src/a.py"]}': (
        "src/a.py",
    ),
    b'{"enforcement": "strict", "allowedPaths": ["lib/", "docs/e.md"]}': ("lib/*", "docs/e.md"),
    b'{"role": "Discovery", "allowedPaths": []}': (),
    b'{"enforcement": "hard", "allowedPaths": ["new/**", null]}': ("new/*",),
}
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
        "repo/.claude/wave-scope.json": b'{"wave": 3, "role": "Impl-Core", "enforcement": "off"}',
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
