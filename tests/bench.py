"""`make bench`: what the hooks cost, as CPU time against the bare interpreter, in one run.

Every case is a real hook process started as hooks.json says, on a repository with a settings file
and a ledger of 50 agents. Cases are interleaved, each run is compared with a bare interpreter's just
before it, and the median of 30 counts (docs/performance.md). Times are printed, never asserted.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.harness import CHECKOUT, Harness, git_repo

from holdshort.adapters.ledger_file import glance, text_of
from holdshort.core.scope_index import ScopeIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNS = int(os.environ.get("RUNS", "30"))
MIB = 1 << 20


class Case:
    """One hook call, repeated: its command, its payload, and what puts the ledger back."""

    def __init__(self, name: str, harness: Harness, payload: dict[str, Any], most: float) -> None:
        event = payload["hook_event_name"]
        (self.argv,) = harness.commands(event, payload.get("tool_name", ""))
        self.name = name
        self.harness = harness
        self.stdin = json.dumps(payload).encode()
        self.most = most
        self.ledger = harness.state_dir / "wave-dispatch-scopes.json"
        self.before = self.ledger.read_bytes() if self.ledger.exists() else b""
        self.ratios: list[float] = []
        self.answer = b""

    def run(self, floor: float) -> None:
        self.put_back()
        spent, self.answer = cpu(self.argv, self.stdin, self.harness.environment())
        self.ratios.append(spent / floor)

    def put_back(self) -> None:
        if self.before:
            self.ledger.write_bytes(self.before)

    def peak(self) -> int:
        """KiB, measured from a bare interpreter, whose own size would else be counted."""
        self.put_back()
        argv = [str(CHECKOUT / ".venv/bin/python3"), "-I", "-S", "-c", PEAK, *self.argv]
        return int(cpu(argv, self.stdin, self.harness.environment())[1].split()[-1])


PEAK = """
import posix, sys
child = posix.posix_spawn("/bin/" + sys.argv[1], sys.argv[1:], posix.environ)
print("\\n", posix.wait4(child, 0)[2].ru_maxrss)
"""


def cpu(argv: list[str], stdin: bytes, env: dict[str, str]) -> tuple[float, bytes]:
    """`(user + system milliseconds, stdout)` of one process and its children."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
        given.write(stdin)
        given.seek(0)
        dups = [(os.POSIX_SPAWN_DUP2, given.fileno(), 0), (os.POSIX_SPAWN_DUP2, out.fileno(), 1)]
        pid = os.posix_spawnp(argv[0], argv, env, file_actions=dups)
        _, _, usage = os.wait4(pid, 0)
        out.seek(0)
        spent = (usage.ru_utime + usage.ru_stime) * 1000
        return spent, out.read()


def crowded(base: Path, name: str) -> Harness:
    """A repository with a settings file and 50 agents in flight, 8 files each, sharing one session."""
    root = base / name
    harness = Harness(git_repo(root / "repo", "src/a.py"), root / "home", f"session-{name}")
    (harness.repo / ".holdshort.toml").write_text('shared = ["**/generated/**"]\n')
    for number in range(50):
        files = [f"pkg{number}/mod{i}.py" for i in range(5)]
        files += [f"pkg{number}/lib{i}/**/*.ts" for i in range(3)]
        harness.dispatch(f"agent {number}", *files)
        harness.launched(harness.last_call, f"a{number:016x}")
    return harness


def grown(harness: Harness, before: int, after: int) -> None:
    """A transcript of `before` MiB at dispatch that has gained `after` MiB since."""
    record = json.dumps({"type": "user", "message": {"content": "x" * 4000}}) + "\n"
    with harness.transcript.open("w") as file:
        file.truncate(before * MIB)
        file.seek(before * MIB)
        file.write("\n" + record * (after * MIB // len(record)))
    ledger = harness.state_dir / "wave-dispatch-scopes.json"
    book, _ = glance(str(harness.state_dir))
    for agent in book.agents:
        agent["transcripts"] = [[str(harness.transcript), before * MIB]]
    ledger.write_text(text_of(book, "2026-01-01T00:00:00Z"))


def cases(base: Path) -> Iterator[Case]:
    plain, large, huge = (crowded(base, name) for name in ("plain", "large", "huge"))
    scope = [f"own/file{i}.py" for i in range(6)] + [f"own{i}/**/*.py" for i in range(4)]
    block = "FILE-SCOPE:\n```\n{}\n```\n"
    free, taken = block.format("\n".join(scope)), block.format("\n".join([*scope, "pkg7/**"]))
    grown(large, 65, 5)
    grown(huge, 1019, 5)
    yield Case("dispatch, no scope", plain, plain.dispatch_payload("new", "Look around."), 1.3)
    yield Case("dispatch, 10 entries, allow", plain, plain.dispatch_payload("new", free), 1.7)
    yield Case("dispatch, deny, no transcript", plain, plain.dispatch_payload("new", taken), 1.8)
    yield Case("dispatch, deny, 70 MiB", large, large.dispatch_payload("new", taken), 1.8)
    yield Case("dispatch, deny, 1 GiB", huge, huge.dispatch_payload("new", taken), 1.8)
    stop = plain.payload("Stop", background_tasks=[])
    alone = Harness(git_repo(base / "alone" / "repo", "src/a.py"), base / "alone" / "home")
    wave = crowded(base, "wave")
    manifest = wave.repo / ".claude" / "wave-scope.json"
    manifest.parent.mkdir()
    allowed = [f"pkg{number}/**/*.py" for number in range(19)] + ["own/**"]
    manifest.write_text(json.dumps({"wave": 1, "role": "Impl-Core", "allowedPaths": allowed}))
    yield Case("write, nothing governs", alone, written(alone, "src/a.py"), 1.15)
    yield Case("write, manifest and 50 agents, allow", wave, written(wave, "own/new.py"), 1.6)
    yield Case("write, manifest and 50 agents, deny", wave, written(wave, "other/new.py"), 1.6)
    yield Case("write, 50 agents, held", plain, written(plain, "pkg7/mod1.py"), 1.6)
    tests = command(plain, "cd /repo && pytest -q 2>&1 | tail -5")
    yield Case("command, nothing write-like", plain, tests, 1.2)
    alone_rm = command(alone, "rm -rf build && echo x > src/a.py")
    yield Case("command, nothing governs", alone, alone_rm, 1.2)
    edit = "cd pkg7 && sed -i 's/a/b/' {}.py 2>&1 | tail -3 && python3 - <<'EOF'\nprint(1 > 0)\nEOF"
    yield Case("command, parsed, allow", plain, command(plain, edit.format("other")), 3.3)
    yield Case("command, parsed, deny", plain, command(plain, edit.format("mod1")), 3.3)
    yield Case("write of 5 MB, manifest and 50 agents", wave, written(wave, "own/big.py", 5), 3.3)
    yield Case("life cycle, Stop", plain, stop, 1.6)
    start = plain.payload("SubagentStart", agent_id="a" * 17, agent_type="general-purpose")
    yield Case("life cycle, SubagentStart", plain, start, 1.6)


def written(harness: Harness, path: str, megabytes: int = 0) -> dict[str, Any]:
    given = {"file_path": str(harness.repo / path), "content": "x" * (megabytes * 1_000_000 + 100)}
    return harness.payload("PreToolUse", tool_name="Write", tool_input=given, agent_id="stranger")


def command(harness: Harness, text: str) -> dict[str, Any]:
    given = {"command": text, "description": "a command"}
    return harness.payload("PreToolUse", tool_name="Bash", tool_input=given, agent_id="stranger")


def overlap_scopes(kind: str, agents: int) -> tuple[list[str], list[list[str]]]:
    """One scope of 50 entries against `agents` x 50."""
    rng = random.Random(7)

    def entry(glob: bool) -> str:
        path = [f"{rng.choice('abcdefgh')}{rng.randrange(400)}" for _ in range(3)]
        if not glob:
            return "/".join(path) + ".py"
        if kind == "recursive":
            shapes = ("**/{0}.py", "**/{0}/*.ts", "src/**/{1}*.go", "**/{0}/{1}.md")
            return rng.choice(shapes).format(*path)
        if kind == "recursive, all meeting":
            shapes = ("**/{0}.py", "**/{0}/*.ts", "**/{0}/**", "src/**/{1}*.go")
            return rng.choice(shapes).format(*path)
        if kind == "twice recursive":
            return f"**/{path[0]}/**/{path[1]}*.ts"
        if kind == "stars":
            return f"*{path[0]}*/*{path[1]}*/*{path[2]}*.py"
        return rng.choice([f"{path[0]}/{path[1]}/*.ts", f"{path[0]}/**", f"{path[0]}/**/*.go"])

    share = 0.4 if kind == "mixed" else 1.0
    ours = [entry(kind != "mixed" or i < 20) for i in range(50)]
    return ours, [[entry(rng.random() < share) for _ in range(50)] for _ in range(agents)]


def in_process(kind: str, agents: int) -> float:
    """Milliseconds CPU, the median of 7."""
    ours, theirs = overlap_scopes(kind, agents)
    spent = []
    for _ in range(7):
        start = time.process_time()
        index = ScopeIndex(ours)
        for scope in theirs:
            index.first_meeting(scope)
        spent.append((time.process_time() - start) * 1000)
    return statistics.median(spent)


def main() -> None:
    bare = [str(CHECKOUT / ".venv/bin/python3"), "-c", "pass"]
    environ = {"PATH": os.environ["PATH"]}
    with tempfile.TemporaryDirectory() as base:
        todo = list(cases(Path(base)))
        floor = []
        for _ in range(RUNS + 2):
            for case in todo:
                floor.append(cpu(bare, b"", environ)[0])
                case.run(floor[-1])
        report(statistics.median(floor[2:]), todo)
    for kind, agents, most in (
        ("mixed", 1000, 50),
        ("mixed", 10_000, 500),
        ("recursive", 1000, 100),
        ("recursive, all meeting", 1000, 100),
        ("twice recursive", 1000, 100),
        ("stars", 1000, 700),
    ):
        print(
            f"overlap, {kind}, 50 x {agents} x 50: {in_process(kind, agents):.0f} ms (at most {most})"
        )


def report(floor: float, todo: list[Case]) -> None:
    print(f"python -c pass: {floor:.1f} ms CPU, median of {RUNS}; {sys.version.split()[0]}")
    for case in todo:
        ratio = statistics.median(case.ratios[2:])
        verdict = "deny" if b'"deny"' in case.answer else "allow"
        mark = "" if ratio <= case.most else "  OVER"
        print(
            f"{case.name:32} {verdict:6} {ratio:5.2f} (at most {case.most}){mark}"
            f"  peak {case.peak() / 1024:.0f} MiB"
        )


if __name__ == "__main__":
    main()
