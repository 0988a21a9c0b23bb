"""Git commands on a whole tree, while others are at work in it: git is asked what they would reach."""

from __future__ import annotations

from holdshort.adapters import paths
from holdshort.adapters.git import GitError, brought_in, changes
from holdshort.adapters.places import locate
from holdshort.core.pathspecs import entries_of
from holdshort.core.shell_git import IGNORED, MOVES
from holdshort.core.tree_wide import Case, concerned, judge_deed, others_in_flight
from holdshort.core.verdict import DENY
from holdshort.core.write import Judged, Target
from holdshort.core.write_words import own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdshort.core.shell_git import Deed
    from holdshort.gather.governed_write import Scene

MOST_DEEDS = 8  # of one command that are looked at


def judge_deeds(scene: Scene, deeds: Sequence[Deed]) -> Judged:
    """The judgement on the git commands of a command line: the first that is not silent."""
    for deed in deeds[:MOST_DEEDS]:
        place = locate(deed.directory, scene.place.root)
        if place.state_dir == scene.place.state_dir:
            judged = _judge_in(scene, deed, place.root)
            if judged.verdict.code:
                return judged
    return Judged()


def _judge_in(scene: Scene, deed: Deed, tree: str) -> Judged:
    case = Case(deed, scene.party, tree, scene.touches_of_the_living())
    if not others_in_flight(case, scene.book):
        return Judged()
    try:
        case.names = _names(deed, tree)
    except GitError:
        return Judged()  # then it will not do what was asked, either
    state = scene.place.state_dir
    if IGNORED in deed.reach and f"{paths.basename(state)}/" in case.names:
        return Judged(own(Target(tree, paths.basename(state), state, "state"), DENY))
    judged = judge_deed(case, scene.book, scene.policy, scene.now, scene.evidence)
    if judged.asks:
        scene.learn(judged.asks)
        judged = judge_deed(case, scene.book, scene.policy, scene.now, scene.evidence)
    return judged


def _names(deed: Deed, tree: str) -> list[str]:
    """The paths that the deed concerns, relative to the tree."""
    if deed.kind == MOVES:
        return brought_in(tree, deed.target)
    real = paths.realpath(deed.directory)
    below = real[len(tree) + 1 :] if real.startswith(f"{tree}/") else ""
    limits = entries_of(deed.paths, tree, below)
    return concerned(deed, changes(tree, ignored=IGNORED in deed.reach), limits)
