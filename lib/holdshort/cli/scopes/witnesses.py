"""Which tracked files two scopes have in common.

`pathspec` narrows thousands of files down in one pass; what it lets through, our own matcher
confirms, so the lines made for it may match too much but never too little.
"""

from __future__ import annotations

from pathspec import GitIgnoreSpec

from holdshort.core.entries import expand, is_glob
from holdshort.core.scope_index import ScopeIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdshort.core.collisions import Collision

_ESCAPED = frozenset("\\[]!# ")


class Tracked:
    """The tracked files of a tree, asked entry by entry; no answer is worked out twice.

    name_of: how entries spell a path, as on a file system that ignores case.
    """

    __slots__ = ("_files", "_matching", "_shared")

    def __init__(
        self, files: Sequence[str], shared: Sequence[str] = (), name_of: Callable[[str], str] = str
    ) -> None:
        self._files = {name_of(file): file for file in files}
        self._shared = ScopeIndex(shared)
        self._matching: dict[str, dict[str, str]] = {}

    def in_both(self, collision: Collision) -> Iterator[str]:
        """Yield the files that an entry of each agent matches and no shared entry does."""
        ours, theirs = collision.sides()
        there = {name for entry in theirs for name in self.matching(entry)}
        for entry in ours:
            for name, file in self.matching(entry).items():
                if name in there and self._shared.covers_path(name) is None:
                    yield file

    def matching(self, entry: str) -> dict[str, str]:
        """The files that an entry matches, by the name that entries have for them."""
        found = self._matching.get(entry)
        if found is None:
            found = self._matching[entry] = {name: self._files[name] for name in self._near(entry)}
        return found

    def _near(self, entry: str) -> list[str]:
        if not is_glob(entry):
            return [entry] if entry in self._files else []
        spec, index = GitIgnoreSpec.from_lines(lines_for(entry)), ScopeIndex([entry])
        near = [name for name in self._files if spec.match_file(name)]
        return [name for name in near if index.covers_path(name) is not None]


def lines_for(entry: str) -> list[str]:
    """Lines of a gitignore file that match at least what an entry matches."""
    return [_line_for(name) for name in expand(entry) or () if not name.startswith("/")]


def _line_for(name: str) -> str:
    kept: list[str] = []
    for segment in name.rstrip("/").split("/"):
        if "**" in segment:
            # `a**b` and `src/**/` mean more here than to git: everything below is near enough
            return "/" + "/".join([*kept, "**"])
        kept.append("".join(f"\\{sign}" if sign in _ESCAPED else sign for sign in segment))
    return "/" + "/".join(kept) + ("/**" if name.endswith("/") else "")
