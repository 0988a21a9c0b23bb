"""Which files are the guard's or the wave's own, and so written by no agent."""

from __future__ import annotations

from holdshort.adapters import paths
from holdshort.adapters.files import contents
from holdshort.adapters.ledger_file import DEGRADED_LOCK
from holdshort.adapters.places import MANIFEST, MANIFEST_DIRECTORIES, PENDING, SCOPE_FILES, Place
from holdshort.adapters.policy_file import NAME as SETTINGS
from holdshort.gather.write import GUARD, REGISTRATIONS

LARGEST_REGISTRATION = 1 << 20  # bytes
OURS = ("archive.json", PENDING, DEGRADED_LOCK, "policy.json", "log", ".gitignore")
EVIDENCE = (".jsonl", ".meta.json")
GUARDED = ("hooks/", "lib/", "bin/", ".venv/", ".claude-plugin/", "hooks.json")


def own_of(real: str, tree: str, place: Place) -> str:
    """What of the guard's or the wave's own lies at `real`, or "".

    `state`, `wave`, `settings`, `guard`; `registration`: where hooks would be registered or switched
    off; `repository`: what tells which working tree a directory belongs to; `evidence`: what the
    client keeps of its agents, by which it is told who is still at work.
    """
    if real == place.state_dir or _is_state(real.removeprefix(f"{place.state_dir}/")):
        return "state"
    if real.startswith(f"{GUARD}/") and real[len(GUARD) + 1 :].startswith(GUARDED):
        return "guard"
    if paths.basename(real) == ".git" and not paths.isdir(real):
        return "repository"
    homes = tuple(dict.fromkeys((tree, place.root, paths.dirname(place.state_dir))))
    inside = [real[len(home) + 1 :] for home in homes if real.startswith(f"{home}/")]
    kinds = (*map(_own_in_project, inside), _own_of_client(real, homes))
    return next(filter(None, kinds), "")


def _own_of_client(real: str, homes: tuple[str, ...]) -> str:
    """What the harness itself keeps there, of a project or of the person."""
    home = paths.variable("CLAUDE_CONFIG_DIR") or paths.expanduser("~/.claude")
    is_in_home = real.startswith(f"{paths.realpath(home)}/")
    if is_in_home and real.endswith(EVIDENCE):
        return "evidence"
    if not real.endswith(REGISTRATIONS):
        return ""
    person = paths.realpath(paths.expanduser("~"))
    files = [paths.join(home, name) for home in (*homes, person) for name in REGISTRATIONS]
    if not is_in_home and real not in files:
        return ""
    return "guard" if _names_us(real) else "registration"


def _own_in_project(inside: str) -> str:
    first, _, rest = inside.partition("/")
    if first in MANIFEST_DIRECTORIES and (rest == MANIFEST or rest.startswith(f"{SCOPE_FILES}/")):
        return "wave"
    if inside == ".git" or inside.startswith(".git/worktrees/"):
        return "repository"
    return "settings" if inside == SETTINGS else ""


def _is_state(name: str) -> bool:
    """Whether a path below the state directory is ours; other tools keep theirs in `.orchestrator` too."""
    first = name.partition("/")[0].removesuffix(".new")
    return first in OURS or first.startswith(("wave-dispatch-scopes.", "touched.", "policy.json."))


def _names_us(path: str) -> bool:
    try:
        return b"holdshort" in (contents(path, LARGEST_REGISTRATION) or b"")
    except OSError:
        return True
