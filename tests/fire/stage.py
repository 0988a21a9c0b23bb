"""Hooks in forked processes, each with a fault of one's choice at one of its system calls.

The adapters reach the system through `posix` and `fcntl` alone, so that wrapping these two modules
in a child reaches every system call a hook makes, by number, and none of the interpreter's own.
"""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import pkgutil
import posix
import shutil
import signal
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.fire.hooks import GUARD, HOOKS, LIFE, TOUCH, WRITE
from tests.harness import Harness, git_repo

from holdshort import adapters, core, gather
from holdshort.adapters import ledger_file, locks
from holdshort.adapters.touched import touches
from holdshort.shell import serve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

for package in (adapters, core, gather):  # before any fork: each child would import them anew
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)

WRITING = ("Write", "Edit", "Bash")
QUIET = ("getpid", "geteuid", "getuid", "uname", "kill", "getcwd", "sysconf", "fspath")
BLOCK = "Do the work.\n\nFILE-SCOPE:\n```\n{}\n```\n"
DAY = 86_400.0


class Done(NamedTuple):
    """A forked step: what it answered, how many system calls it made, and how it ended (wait status)."""

    answer: dict[str, Any]
    calls: int
    status: int

    @property
    def is_denied(self) -> bool:
        specific = self.answer.get("hookSpecificOutput", {})
        return bool(specific.get("permissionDecision") == "deny")

    @property
    def text(self) -> str:
        return json.dumps(self.answer)


class Stage:
    """One repository with a ledger, put back to where it was before each step."""

    def __init__(self, base: Path) -> None:
        self.harness = Harness(git_repo(base / "repo", "src/a.py"), base / "home")
        self.state = self.harness.state_dir
        os.environ.update(self.harness.environment(), CLAUDE_PID=str(os.getpid()))
        self.kept = base / "kept"

    def keep(self) -> None:
        """Remember the state directory as it is now."""
        shutil.rmtree(self.kept, ignore_errors=True)
        shutil.copytree(self.state, self.kept)

    def put_back(self) -> None:
        """Make the state directory what it was when it was kept."""
        shutil.rmtree(self.state, ignore_errors=True)
        shutil.copytree(self.kept, self.state)

    def dispatch(self, name: str, *files: str, call: str = "", **fields: Any) -> dict[str, Any]:
        """The payload of a dispatch."""
        return self.harness.dispatch_payload(
            name, BLOCK.format("\n".join(files)), tool_use_id=call or f"toolu_{name}", **fields
        )

    def event(self, name: str, **fields: Any) -> dict[str, Any]:
        """The payload of another event."""
        return self.harness.payload(name, **fields)

    def message(self, to: str, *files: str) -> dict[str, Any]:
        """The payload of a message that hands files over."""
        given = {"to": to, "message": BLOCK.format("\n".join(files))}
        return self.event("PreToolUse", tool_name="SendMessage", tool_use_id="m1", tool_input=given)

    def write(self, event: str, path: str, **fields: Any) -> dict[str, Any]:
        """The payload of a write, before or after it."""
        given = {"file_path": str(self.harness.repo / path), "content": ""}
        return self.event(event, tool_name="Write", tool_input=given, **fields)

    def touches(self) -> list[dict[str, Any]]:
        """The writes that are noted, newest first."""
        return touches(str(self.state), 0.0)

    def agents(self) -> dict[str, str]:
        """Tool-use id -> state and files of every recorded agent; raises when the ledger makes no sense."""
        book, fault = ledger_file.glance(str(self.state))
        assert not fault, fault
        assert len({one["toolUseId"] for one in book.agents}) == len(book.agents), "doubled"
        return {one["toolUseId"]: f"{one['state']} {one['files']}" for one in book.agents}

    def ledger_bytes(self) -> bytes:
        """What stands in the ledger file."""
        return (self.state / ledger_file.LEDGER).read_bytes()

    def raw_agents(self) -> list[str]:
        """The tool-use ids that stand in the ledger file itself."""
        return [one["toolUseId"] for one in json.loads(self.ledger_bytes())["agents"]]


def act(payload: dict[str, Any], prepare: Callable[[], None] = lambda: None) -> Done:
    """Serve one call in a forked process, which calls `prepare` first, and wait for its end."""
    return ended(*begun(payload, prepare))


def begun(payload: dict[str, Any], prepare: Callable[[], None] = lambda: None) -> tuple[int, int]:
    """Start serving one call; `(process id, descriptor to read its answer from)`."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    os.close(reading)
    try:
        prepare()
        told = _served(payload)
        os.write(writing, json.dumps(told).encode())
    finally:
        os._exit(0)


def ended(pid: int, reading: int) -> Done:
    """Wait for the end of a step that was begun."""
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(pid, 0)
    answer, calls = json.loads(told) if told else ({}, 0)
    return Done(answer, calls, status)


def _hook_for(payload: dict[str, Any]) -> str:
    """The hook that `hooks.json` registers for such a call."""
    is_write = payload.get("tool_name") in WRITING
    if payload["hook_event_name"] == "PreToolUse":
        return WRITE if is_write else GUARD
    return TOUCH if is_write else LIFE


def _served(payload: dict[str, Any]) -> tuple[dict[str, Any], int]:
    stdin = os.memfd_create("stdin")
    os.write(stdin, json.dumps(payload).encode())
    os.lseek(stdin, 0, os.SEEK_SET)
    name = _hook_for(payload)
    hook = HOOKS[name]
    output = serve(name, hook.judge, fd=stdin, fails_closed=hook.fails_closed)
    return (json.loads(output) if output else {}), Calls.made


class Calls:
    """The system calls of this process since they are watched."""

    made = 0


def watch(at: int, fault: Callable[[str, Callable[[], Any]], Any], lasting: bool = False) -> None:
    """Let the system call number `at` go through `fault(its kind, the call itself)`.

    lasting: all calls from there on.
    """
    Calls.made = 0

    def watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            Calls.made += 1
            if Calls.made == at or (lasting and Calls.made > at):
                kind = "create" if name == "open" and args[1] & posix.O_CREAT else name
                return fault(kind, lambda: function(*args, **kwargs))
            return function(*args, **kwargs)

        return call

    for name in dir(posix):
        function = getattr(posix, name)
        if name[0].islower() and name not in QUIET and type(function) is type(posix.open):
            setattr(posix, name, watched(name, function))
    fcntl.flock = watched("flock", fcntl.flock)


def killed_before(_: str, __: Callable[[], Any]) -> None:
    """The process dies before the call."""
    os.kill(os.getpid(), signal.SIGKILL)


def killed_after(_: str, call: Callable[[], Any]) -> None:
    """The process dies right after the call."""
    call()
    os.kill(os.getpid(), signal.SIGKILL)


def stopped_before(_: str, call: Callable[[], Any]) -> Any:
    """The process hangs before the call until somebody wakes it."""
    os.kill(os.getpid(), signal.SIGSTOP)
    return call()


CHANGING = ("create", "write", "mkdir", "replace", "unlink", "rmdir")
OPENING = ("create", "open", "listdir")


def refused(number: int, kinds: tuple[str, ...]) -> Callable[[str, Callable[[], Any]], Any]:
    """Calls of these kinds fail with this `errno`."""

    def fault(kind: str, call: Callable[[], Any]) -> Any:
        if kind in kinds:
            raise OSError(number, os.strerror(number))
        return call()

    return fault


def jumped(by: float) -> Callable[[str, Callable[[], Any]], Any]:
    """The clock jumps by so many seconds."""

    def fault(_: str, call: Callable[[], Any]) -> Any:
        really = time.time
        time.time = lambda: really() + by
        return call()

    return fault


def impatient() -> None:
    """Wait for no lock: the budget itself is tested where a hook really waits (row 14)."""
    acquire = locks.acquire

    def at_once(path: str, budget: float = 0.0) -> int | None:
        return acquire(path, min(budget, 0.0))

    locks.acquire = at_once


def lose_the_lock() -> None:
    """Take the lock out: everybody has it at once. For the test that proves the tests."""
    locks._try = lambda _: True  # type: ignore[assignment]
