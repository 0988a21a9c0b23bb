"""PreToolUse of the writing tools and the shell.

Most writes concern nobody else, and are let go for next to nothing.
"""

from __future__ import annotations

from holdshort.adapters import paths
from holdshort.adapters.places import Place, locate, manifest_at, project, session_place
from holdshort.adapters.wire import PATCH, text, written
from holdshort.core.verdict import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOOLS = ("Write", "Edit", "MultiEdit", "NotebookEdit", PATCH)
SHELLS = ("Bash", "Monitor")
# Where harnesses keep the registration of hooks, in a project or in a home.
REGISTRATIONS = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".gemini/settings.json",
)
PLANS = "~/.claude/plans"  # where the client lets a session write in plan mode
MOST_NAMED = 16
BETWEEN_WORDS = str.maketrans(dict.fromkeys("\"'<>&|;()=`", " "))
MARKS = ("holdshort", *(name.rpartition("/")[2] for name in REGISTRATIONS))
GUARD = paths.realpath(__file__.rpartition("/lib/")[0])  # the plugin's own directory


class Ground:
    """A place whose ledger and manifest bind a call. is_own: whether the session belongs there.

    manifest: its path, None without one.
    """

    __slots__ = ("is_own", "manifest", "place")

    def __init__(self, place: Place, *, is_own: bool) -> None:
        self.place = place
        self.is_own = is_own
        self.manifest = manifest_at(place, project() if is_own else "")

    def is_watched(self) -> bool:
        """Whether anybody may hold anything here, or a wave is on."""
        return self.manifest is not None or not paths.is_absent(self.place.state_dir)


def judge(call: dict[str, Any], now: float) -> Outcome:
    """The verdict on one write or command; silent where nothing governs it. now: epoch seconds."""
    tool = text(call, "tool_name")
    if tool in SHELLS:
        return _judge_command(call, text(call.get("tool_input"), "command"), now)
    own = Ground(session_place(text(call, "cwd")), is_own=True)
    files = written(call, own.place.root) if tool in TOOLS else ()
    reals = tuple(dict.fromkeys(map(paths.realpath, files)))
    plans = f"{paths.realpath(paths.expanduser(PLANS))}/"
    if all(real.startswith(plans) for real in reals):
        return Outcome()
    grounds = [ground for ground in (own, *elsewhere(reals, own)) if ground.is_watched()]
    if not grounds and not any(_is_aimed_at_us(real, own.place) for real in reals):
        return Outcome()
    from holdshort.gather.governed_write import judge_governed  # noqa: PLC0415  # only then

    return judge_governed(call, files, grounds or [own], now)


def is_governed() -> bool:
    """Whether a wave manifest is in force where the session was started: then doubt denies."""
    started = project()
    return manifest_at(locate(started, started), started) is not None


def elsewhere(files: tuple[str, ...], own: Ground) -> list[Ground]:
    """The other places that real paths lie in: who holds a file there, holds it against everybody."""
    found: dict[str, Place] = {}
    for real in filter(paths.is_possible, files):
        directory = paths.dirname(real)
        place = locate(real, directory)
        if place.state_dir != own.place.state_dir:
            found.setdefault(place.state_dir, place)
    return [Ground(place, is_own=False) for place in found.values()]


def _judge_command(call: dict[str, Any], command: str, now: float) -> Outcome:
    from holdshort.core.shell_gate import may_write  # noqa: PLC0415  # only the shell's calls pay

    if not may_write(command):
        return Outcome()
    own = Ground(session_place(text(call, "cwd")), is_own=True)
    is_ours = own.is_watched() or any(word in command for word in (*MARKS, GUARD))
    named = () if is_ours else _named(command, text(call, "cwd"))
    if not is_ours and not any(ground.is_watched() for ground in elsewhere(named, own)):
        return Outcome()
    from holdshort.gather.shell_write import judge_command  # noqa: PLC0415  # only then

    return judge_command(call, command, own, now)


def _named(command: str, cwd: str) -> tuple[str, ...]:
    """The files and directories beyond `cwd` that a command seems to name, without parsing it."""
    words = command.translate(BETWEEN_WORDS).split()
    named = [paths.expanduser(word) for word in words if word[0] in "/~" or ".." in word]
    return tuple(paths.realpath(paths.join(cwd, word)) for word in named[:MOST_NAMED])


def _is_aimed_at_us(real: str, place: Place) -> bool:
    ours = real.startswith((f"{GUARD}/", f"{place.state_dir}/")) or "holdshort" in real
    return ours or real.endswith(REGISTRATIONS)
