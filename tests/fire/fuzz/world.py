"""A place to feed inputs in: a repository, a worktree of it, a home, and what is not ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

from tests.fire.fuzz.answers import GONE, fault_of_ledger
from tests.fire.fuzz.seeds import HERE, LEDGER, MAIN, STATE, furniture, text_of
from tests.fire.fuzz.steps import Seen, Step
from tests.fire.hooks import GUARD, HOOKS, LIFE, START, TOUCH, WRITE, Hook
from tests.harness import Harness

from holdshort.adapters.places import locate
from holdshort.shell import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    Serve = Callable[[str, Hook, int], bytes]
    Files = dict[str, bytes]
STAMP = 1_700_000_000  # when everything in a world was last changed


class World:
    """A place to feed inputs in. `feed` takes one; `begin` makes everything as it was."""

    def __init__(self, base: Path) -> None:
        self.base = base / "deep" / "down" / "world"
        self.base.mkdir(parents=True)
        self.top = base
        self.serve: Serve = _serve
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
        mark = mark_of(path)
        if mark != self.marked:
            self.marked = mark
            self.ledger_fault = fault_of_ledger(path)
        return not self.ledger_fault

    def feed(self, step: Step) -> Seen | None:
        """Run one input; None where its `.git` file names a place outside this world."""
        for path, raw in step.files:
            self.put(path, raw)
        self.marked = (
            None if step.files else self.marked
        )  # a file put anew may look like the old one
        if any("git" in path for path, _ in step.files) and self._leaves():
            self.restore(path for path, _ in step.files)
            return None
        before, was_sound = mark_of(self.at(LEDGER)), self._is_ledger_sound()
        started = time.perf_counter()
        output, escaped = self._served(step)
        seconds = time.perf_counter() - started
        wrote = mark_of(self.at(LEDGER)) != before
        fault = "" if self._is_ledger_sound() or not wrote else self.ledger_fault
        fault = fault if was_sound or fault != GONE else ""
        seen = Seen(step, output, escaped, seconds, fault, wrote, was_sound, str(self.base))
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
            return self.serve(step.hook, HOOKS[step.hook], fd), ""
        except BaseException as error:  # that none escapes is what is tested
            if isinstance(error, KeyboardInterrupt):
                raise
            return b"", f"{type(error).__name__}: {error}"
        finally:
            os.close(fd)


def _serve(name: str, hook: Hook, fd: int) -> bytes:
    return serve(name, hook.judge, fd=fd, fails_closed=hook.fails_closed)


class Processes(World):
    """A world whose inputs are fed to real hook processes."""

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.harness = Harness(self.at("repo"), self.at("home"), "s1", pid=1)
        self.harness.transcript = self.at(MAIN)
        at = {GUARD: ("PreToolUse", "Agent"), LIFE: ("Stop", ""), TOUCH: ("PostToolUse", "Write")}
        at |= {WRITE: ("PreToolUse", "Write"), START: ("SessionStart", "startup")}
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


def mark_of(path: Path) -> tuple[int, int, int] | None:
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
