"""A shell command where something may govern what it writes: each write in it is judged as a Write."""

from __future__ import annotations

from holdshort.adapters import paths
from holdshort.adapters.places import Place, locate, manifests, project
from holdshort.adapters.policy_file import NAME as SETTINGS
from holdshort.adapters.wire import text
from holdshort.core.shell_lexer import lex
from holdshort.core.shell_script import FILE, LARGEST, TEMPORARY, TREE, WHOLE
from holdshort.core.shell_targets import Hit, read_targets
from holdshort.core.verdict import DENY, Outcome, joined
from holdshort.core.write import Judged, Target, is_other_holder
from holdshort.gather.governed_write import Scene, canonical, strictest, strictest_of, target_of
from holdshort.gather.own_files import own_of
from holdshort.gather.write import GUARD, Ground, elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdshort.core.shell_targets import Reading

    Found = tuple[Judged, Target | None]

MOST_TARGETS = 64
MOST_WIDE = 16  # directories and globs of one command that are compared with what is held
WILD = "*?{"


def judge_command(call: dict[str, Any], command: str, own: Ground, now: float) -> Outcome:
    """The verdict on one command: the strictest of those on what it writes."""
    reading = _read(call, command, own.place)
    files = tuple(dict.fromkeys(paths.realpath(hit.path) for hit in reading.hits[:MOST_TARGETS]))
    grounds = (own, *(ground for ground in elsewhere(files, own) if ground.is_watched()))
    return strictest(_judge_on(call, command, reading, ground, now) for ground in grounds)


def _judge_on(
    call: dict[str, Any], command: str, reading: Reading, ground: Ground, now: float
) -> Outcome:
    scene = Scene(call, ground, now)
    from holdshort.core.write_words import in_command  # noqa: PLC0415  # only then

    judged, target = strictest_of(scene, _targets(scene, reading), phrase=in_command)
    if judged.verdict.decision != DENY and reading.deeds:
        from holdshort.gather.tree_wide import judge_deeds  # noqa: PLC0415  # only git on a tree pays

        found = judge_deeds(scene, reading.deeds)
        judged, target = (found, None) if found.verdict.code else (judged, target)
    if judged.verdict.decision != DENY and not reading.is_fully_read:
        judged, target = _again(scene, command) or (judged, target)
    if judged.verdict.decision != DENY and len(command) > LARGEST:
        from holdshort.core.write_words import too_long  # noqa: PLC0415  # hardly ever

        judged.verdict = joined(judged.verdict, too_long())
    return scene.concluded(call, judged, target)


def _read(call: dict[str, Any], command: str, place: Place) -> Reading:
    """What the command writes, by the parser, or by the reader that needs none."""
    from holdshort.adapters.bash_parser import parser  # noqa: PLC0415  # the dear part

    parse = parser() or lex
    cwd = text(call, "cwd")
    variables = {"HOME": paths.expanduser("~")}
    variables |= {"CLAUDE_PROJECT_DIR": paths.variable("CLAUDE_PROJECT_DIR") or place.root}
    cwd = cwd if paths.isabs(cwd) and paths.isdir(cwd) else place.root
    return read_targets(command, parse, cwd, variables)


def _again(scene: Scene, command: str) -> Found | None:
    """The denial of a command that cannot be read and names what this agent was denied (HS203)."""
    from holdshort.adapters.refused import refused  # noqa: PLC0415  # only what cannot be read pays
    from holdshort.core.write_words import unreadable  # noqa: PLC0415  # same

    for absolute in refused(scene.place.state_dir, scene.session["id"], scene.party.agent_id):
        target = target_of(absolute, scene.place)
        if not _is_named(command, target.inside or absolute, absolute):
            continue
        judged = scene.judged(target)
        if judged.verdict.decision == DENY:
            return Judged(unreadable(target, judged.verdict), holder=judged.holder), target
    return None


def _is_named(command: str, path: str, absolute: str) -> bool:
    """Whether a command spells a path, whole or in pieces."""
    if path in command or absolute in command:
        return True
    *directories, name = path.split("/")
    at = command.find(name)
    while at > 0 and (command[at - 1].isalnum() or command[at - 1] in "_-."):
        at = command.find(name, at + 1)
    return at >= 0 and all(one in command for one in directories)


def _targets(scene: Scene, reading: Reading) -> list[Target]:
    """Where the hits land, each place once."""
    found: dict[tuple[str, str], Target] = {}
    wide = 0
    for hit in reading.hits:
        wide += hit.reach != FILE or any(mark in hit.path for mark in WILD)
        if wide > MOST_WIDE or len(found) > MOST_TARGETS:
            reading.is_fully_read = False
            break
        for target in _targets_of(scene, hit):
            if not _is_nobody_s(target, scene.ground):
                found.setdefault((target.absolute, target.called), target)
    return list(found.values())


def _is_nobody_s(target: Target, ground: Ground) -> bool:
    """Whether nothing there is to be asked about it: another place's, or a temporary file."""
    is_outside = target.inside is None and not target.own
    return is_outside and not (ground.is_own and not _is_temporary(target.absolute))


def _targets_of(scene: Scene, hit: Hit) -> list[Target]:
    if any(mark in hit.path for mark in WILD) and not paths.lexists(hit.path):
        return _wide(scene, hit)
    if not paths.isdir(hit.path):
        is_absent = hit.must_exist and not paths.lexists(hit.path)
        return [] if is_absent else [target_of(hit.path, scene.place)]
    if hit.lands:
        return _targets_of(scene, Hit(paths.join(hit.path, hit.lands), hit.reach))
    if hit.reach == FILE:
        target = target_of(hit.path, scene.place)
        return [target] if target.own else []
    return _wide(scene, hit)


def _wide(scene: Scene, hit: Hit) -> list[Target]:
    """The held files that a hit on a directory or a glob meets, or the hit itself where none does."""
    from holdshort.core.shell_reach import certainly_met, entries_of  # noqa: PLC0415  # only whole trees pay

    whole = _whole(scene.place, hit)
    if whole.inside is None or whole.own:
        return [whole]
    entries = entries_of(whole.inside, hit.reach)
    found = []
    for record in scene.book.agents:
        if is_other_holder(record, scene.party, whole):
            met = certainly_met(record["files"], whole.inside, hit.reach, scene.policy.shared)
            if met is not None:
                path, entry = met
                shown = path if path == entry else entry
                found.append(Target(whole.tree, path, paths.join(whole.tree, path), called=shown))
    whole.reach = entries[-1:] if hit.reach != FILE else entries
    whole.called = whole.inside or "the whole tree"
    is_certain = "**" not in whole.inside
    return [*found[:MOST_TARGETS], *([whole] if scene.ground.manifest and is_certain else [])]


def _whole(place: Place, hit: Hit) -> Target:
    """The directory or glob that a hit is on, where its real directory lies."""
    base, rest = _split(hit.path)
    real = paths.realpath(base)
    there = locate(real, real)
    tree = there.root if there.state_dir == place.state_dir else place.root
    inside = None
    if real == tree:
        inside = rest
    elif real.startswith(f"{tree.rstrip('/')}/"):
        inside = paths.join(real[len(tree) + 1 :], rest) if rest else real[len(tree) + 1 :]
    elif f"{tree}/".startswith(f"{real.rstrip('/')}/") and not rest and hit.reach in (TREE, WHOLE):
        inside = ""
    own = own_of(real, tree, place) or own_of(f"{real}/x", tree, place)
    if hit.reach == WHOLE and not rest:
        own = own or _own_below(real, place, tree)
    if rest:
        own = own or _own_in_glob(real, rest, place, tree)
    return Target(tree, canonical(inside, tree) if inside else inside, real, own)


def _split(path: str) -> tuple[str, str]:
    """A path's directories before the first wildcard, and the rest."""
    names = path.split("/")
    cut = next(
        (at for at, name in enumerate(names) if any(mark in name for mark in WILD)), len(names)
    )
    return "/".join(names[:cut]) or "/", "/".join(names[cut:])


def _own_below(real: str, place: Place, tree: str) -> str:
    """What of the guard's or the wave's own would go with the directory `real`."""
    below = f"{real.rstrip('/')}/"
    for path, kind in _own_paths(place, tree).items():
        if f"{path}/".startswith(below) and paths.lexists(path):
            return kind
    return ""


def _own_in_glob(real: str, rest: str, place: Place, tree: str) -> str:
    """What of the guard's or the wave's own a glob below the directory `real` names."""
    from holdshort.core.shell_reach import is_globbed  # noqa: PLC0415  # only globs pay

    for path, kind in _own_paths(place, tree).items():
        if path.startswith(f"{real}/") and paths.lexists(path):
            inside = path[len(real) + 1 :].split("/")
            at = len(rest.rstrip("/").split("/"))
            if is_globbed(rest.rstrip("/"), "/".join(inside[:at])):
                return kind
    return ""


def _own_paths(place: Place, tree: str) -> dict[str, str]:
    return {
        place.state_dir: "state",
        **dict.fromkeys(manifests(place, project()), "wave"),
        paths.join(tree, SETTINGS): "settings",
        GUARD: "guard",
    }


def _is_temporary(absolute: str) -> bool:
    """Whether a path lies where nothing of a project is kept."""
    home = paths.expanduser("~")
    cache = paths.variable("XDG_CACHE_HOME") or paths.join(home, ".cache")
    temporary = paths.variable("TMPDIR")
    for directory in (
        *TEMPORARY,
        "/private/var/folders",
        cache,
        *([temporary] if paths.isabs(temporary) else []),
    ):
        if f"{absolute}/".startswith(f"{paths.realpath(directory)}/"):
            return True
    return False
