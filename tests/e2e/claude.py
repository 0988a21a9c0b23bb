"""Drive the real Claude Code client: find it, run it in a scratch repository, talk to it, kill it.

The client comes from $HOLDSHORT_CLAUDE, else from node_modules of the repository, else from an npm
install that is made once and kept in `.e2e/`. One that cannot be had raises `ClientMissing`, with
the reason.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import signal
import subprocess
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

VERSION = "2.1.332"
CHECKOUT = Path(__file__).resolve().parents[2]
CACHE = CHECKOUT / ".e2e"
OBSERVER = Path(__file__).resolve().parent / "observer"
TOOLS = "Bash Write Edit Read Agent SendMessage TaskStop"
DEADLINE = 60.0
INSTALL_SECONDS = 300

Json = dict[str, Any]


class ClientMissing(Exception):  # noqa: N818 - reads as what it says
    """The real client cannot be had here; the message is the reason a test skips with."""


def find_client() -> Path:
    """The client's native binary."""
    named = os.environ.get("HOLDSHORT_CLAUDE")
    if named:
        return _checked(Path(named))
    for base in (CHECKOUT, CACHE):
        binary = base / "node_modules" / _package() / "claude"
        if binary.exists():
            return _checked(binary)
    return _checked(_install())


def _package() -> str:
    machine = {"x86_64": "x64", "aarch64": "arm64", "AMD64": "x64"}.get(platform.machine())
    system = {"Linux": "linux", "Darwin": "darwin"}.get(platform.system())
    if not machine or not system:
        raise ClientMissing(f"no client is known for {platform.system()} {platform.machine()}")
    return f"@anthropic-ai/claude-code-{system}-{machine}"


def _checked(binary: Path) -> Path:
    """The binary if it runs and is the version that the tests were written for."""
    try:
        said = subprocess.run(
            [binary, "--version"], capture_output=True, text=True, timeout=60, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise ClientMissing(f"the client does not run: {error}") from error
    if VERSION not in said and not os.environ.get("HOLDSHORT_CLAUDE_ANY_VERSION"):
        raise ClientMissing(f"the client is {said.strip()!r}, the tests want {VERSION}")
    return binary


def _install() -> Path:
    """Install the client into `.e2e/`, once, whoever else is trying at the same time."""
    npm = shutil.which("npm")
    if npm is None:
        raise ClientMissing("no client found and no npm to install it with")
    CACHE.mkdir(exist_ok=True)
    (CACHE / ".gitignore").write_text("*\n")
    binary = CACHE / "node_modules" / _package() / "claude"
    with _locked(CACHE / "install.lock"):
        if not binary.exists():
            _run_npm(npm)
    if not binary.exists():
        raise ClientMissing(f"npm installed no {_package()}")
    return binary


def _run_npm(npm: str) -> None:
    # the binary's own package, by name: the wrapper package adds nothing that a test needs
    wanted = f"{_package()}@{VERSION}"
    command = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--prefix", str(CACHE)]
    try:
        subprocess.run(
            [*command, wanted], capture_output=True, text=True, timeout=INSTALL_SECONDS, check=True
        )
    except subprocess.CalledProcessError as error:
        last = (error.stderr or "").strip().splitlines()[-1:]
        raise ClientMissing(f"npm install {wanted} failed: {last}") from error
    except (OSError, subprocess.SubprocessError) as error:
        raise ClientMissing(f"npm install {wanted} failed: {error}") from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True)
class Scratch:
    """A throwaway home and git repository; nothing of the real home is ever seen."""

    root: Path

    @property
    def repo(self) -> Path:
        """The repository that the client works in."""
        return self.root / "repo"

    @property
    def home(self) -> Path:
        """The client's HOME."""
        return self.root / "home"

    @property
    def temporary(self) -> Path:
        """Where the client puts the output of background tasks."""
        return self.root / "tmp"

    @property
    def observed(self) -> Path:
        """Where the observer plugin writes."""
        return self.root / "observed"

    @classmethod
    def make(cls, root: Path, files: Sequence[str] = ("src/a.py", "src/b.py", "lib/c.py")) -> Self:
        """A repository with these files committed."""
        scratch = cls(root)
        for folder in (scratch.repo, scratch.home, scratch.temporary, scratch.observed):
            folder.mkdir(parents=True, exist_ok=True)
        for name in files:
            path = scratch.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {name}\n")
        scratch.git("init", "-q", "-b", "main")
        scratch.git("add", "-A")
        scratch.git("commit", "-q", "-m", "start", "--allow-empty")
        return scratch

    def git(self, *words: str) -> str:
        """Run git in the repository."""
        done = subprocess.run(
            ["git", *words],
            cwd=self.repo,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def environment(self, url: str = "", extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """What the client sees: a scratch home, the scripted model, nothing that phones home."""
        return {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.home / ".claude"),
            "CLAUDE_CODE_TMPDIR": str(self.temporary),
            "XDG_STATE_HOME": str(self.home / ".state"),
            "OBSERVER_DIR": str(self.observed),
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1",
            "GIT_AUTHOR_NAME": "scratch",
            "GIT_AUTHOR_EMAIL": "scratch@example.invalid",
            "GIT_COMMITTER_NAME": "scratch",
            "GIT_COMMITTER_EMAIL": "scratch@example.invalid",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            **(extra or {}),
        }

    def rules(self, *rules: Json) -> None:
        """Tell the observer what to answer."""
        (self.observed / "rules.json").write_text(json.dumps(rules))

    def events(self, name: str = "") -> list[Json]:
        """What the observer wrote down, oldest first."""
        path = self.observed / "events.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        events: list[Json] = sorted((json.loads(line) for line in lines), key=lambda e: e["at"])
        return [e for e in events if not name or e["event"] == name]

    def transcripts(self) -> list[Path]:
        """The main transcripts, oldest first."""
        found = (self.home / ".claude" / "projects").glob("*/*.jsonl")
        return sorted(found, key=lambda path: path.stat().st_mtime)


def observer_log(scratch: Scratch) -> Path:
    """The file that grows with every observed event; good for a gate."""
    return scratch.observed / "events.jsonl"


@dataclass
class Claude:
    """One running client in print mode, talked to and listened to in stream-json."""

    process: subprocess.Popen[str]
    output: list[Json] = field(default_factory=list)
    noise: list[str] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _readers: list[threading.Thread] = field(default_factory=list)

    @classmethod
    def start(
        cls,
        binary: Path,
        scratch: Scratch,
        url: str,
        *,
        plugins: Sequence[Path] = (),
        words: Sequence[str] = (),
        mode: str = "acceptEdits",
        tools: str = TOOLS,
        cwd: Path | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> Self:
        """Start a client that waits for `say`."""
        command = [str(binary), "-p", "--verbose", "--include-hook-events"]
        command += ["--input-format", "stream-json", "--output-format", "stream-json"]
        command += ["--permission-mode", mode]
        command += ["--allowedTools", tools] if tools else []
        for plugin in plugins:
            command += ["--plugin-dir", str(plugin)]
        process = subprocess.Popen(
            [*command, *words],
            cwd=cwd or scratch.repo,
            env=scratch.environment(url, extra),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        client = cls(process)
        client._listen()
        return client

    def _listen(self) -> None:
        for target in (self._read_output, self._read_noise):
            thread = threading.Thread(target=target, daemon=True)
            thread.start()
            self._readers.append(thread)

    def _read_output(self) -> None:
        for line in self.process.stdout or ():
            with self._changed:
                self.output.append(_parsed(line))
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def _read_noise(self) -> None:
        for line in self.process.stderr or ():
            self.noise.append(line)

    def say(self, text: str) -> None:
        """Send a user message."""
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        self._send({"type": "user", "message": message, "parent_tool_use_id": None})

    def interrupt(self) -> None:
        """What a person's Escape does, and wait until the client has taken it."""
        name = f"interrupt-{time.monotonic_ns()}"
        self._send(
            {"type": "control_request", "request_id": name, "request": {"subtype": "interrupt"}}
        )
        self.wait_for(lambda m: m.get("response", {}).get("request_id") == name, "an interrupt")

    def _send(self, message: Json) -> None:
        if self.process.stdin is None:
            raise BrokenPipeError("the client's input is closed")
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def wait_for(
        self,
        wanted: Callable[[Json], bool],
        label: str,
        count: int = 1,
        deadline: float = DEADLINE,
    ) -> Json:
        """The n-th output message that fits, once it is there."""
        end = time.monotonic() + deadline
        with self._changed:
            while True:
                found = [m for m in self.output if wanted(m)]
                if len(found) >= count:
                    return found[count - 1]
                left = end - time.monotonic()
                gone = self.process.poll() is not None and not self._readers[0].is_alive()
                if left <= 0 or gone:
                    raise TimeoutError(f"the client never said {label}; it said {self.brief()}")
                self._changed.wait(min(left, 0.2))

    def answered(self, count: int = 1) -> Json:
        """The result message that ends the n-th answer."""
        return self.wait_for(lambda m: m.get("type") == "result", f"result {count}", count)

    def finish(self, deadline: float = DEADLINE) -> int:
        """Close the input, let the client end by itself, and return its exit code."""
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        code = self.process.wait(deadline)
        self._join()
        return code

    def kill(self) -> None:
        """What a power cut or an OOM killer does: no handler runs."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(DEADLINE)

    def end(self) -> None:
        """Leave nothing running, whatever the test did."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(DEADLINE)
        _kill_group(self.process.pid)
        self._join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                _close(stream.close)

    def _join(self) -> None:
        for thread in self._readers:
            thread.join(5)

    def brief(self) -> list[str]:
        """The kinds of messages said so far, and the last noise, for a failing test."""
        kinds = [f"{m.get('type')}:{m.get('subtype', '')}" for m in self.output]
        return kinds[-20:] + self.noise[-5:]

    @property
    def session_id(self) -> str:
        """The session's id, as the client told it."""
        return str(self.wait_for(lambda m: "session_id" in m, "its session id")["session_id"])

    @property
    def notices(self) -> list[str]:
        """What hooks said to the person (`systemMessage`), oldest first."""
        told = [m for m in self.output if m.get("subtype") == "informational"]
        return [str(m.get("content")) for m in told]

    @property
    def failed_hooks(self) -> list[Json]:
        """Hooks that ended with anything but success; a healthy suite has none."""
        ended = [m for m in self.output if m.get("subtype") == "hook_response"]
        return [m for m in ended if m.get("outcome") not in ("success", "cancelled")]

    def results(self, tool_use_id: str = "") -> list[Json]:
        """The tool results of the main thread that the client has printed, as soon as they are."""
        blocks = [b for m in self.output if m.get("type") == "user" for b in _blocks(m)]
        found = [b for b in blocks if b.get("type") == "tool_result"]
        return [b for b in found if not tool_use_id or b.get("tool_use_id") == tool_use_id]


def _parsed(line: str) -> Json:
    try:
        value = json.loads(line)
    except ValueError:
        return {"type": "unparsed", "text": line}
    return value if isinstance(value, dict) else {"type": "unparsed", "text": line}


def _blocks(message: Json) -> list[Json]:
    content = message.get("message", {}).get("content", [])
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def _kill_group(group: int) -> None:
    """End what the client left behind in its own process group: hooks and shells of this run."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _close(close: Callable[[], None]) -> None:
    try:
        close()
    except OSError:
        return


@contextmanager
def running(client: Claude) -> Iterator[Claude]:
    """The client, and nothing of it left afterwards."""
    try:
        yield client
    finally:
        client.end()
