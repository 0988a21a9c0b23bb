"""Which tests go with a source file: who may write the one may write the other.

An entry gets the names under which its test is looked for by its language's tools. They are exact
names: a prefix would grant other people's tests, and make two honest scopes collide.
"""

from __future__ import annotations

from holdshort.core.declarations import is_home
from holdshort.core.entries import expand, is_glob, normalise
from holdshort.core.overlap import matches
from holdshort.core.scope_index import ScopeIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Rule = tuple[str, tuple[str, ...]]

EXPANDING_ROLES = ("impl-core", "impl-polish")  # of the original
_SCRIPT = (
    "{dir}/{basename}.test.{ext}",
    "{dir}/{basename}.spec.{ext}",
    "{dir}/__tests__/{basename}.test.{ext}",
    "tests/**/{basename}.test.{ext}",
)
# `{test_dir}` is `{dir}` with `src/test/` for `src/main/`, as Maven and Gradle lay out sources.
DEFAULT_RULES: tuple[Rule, ...] = (
    ("**/*.mjs", ("tests/**/{basename}*.test.mjs",)),  # the original's one rule
    (
        "**/*.py",
        ("tests/**/test_{basename}.py", "{dir}/test_{basename}.py", "{dir}/{basename}_test.py"),
    ),
    *((f"**/*.{ext}", _SCRIPT) for ext in ("js", "jsx", "cjs", "ts", "tsx", "mts", "cts")),
    ("**/*.go", ("{dir}/{basename}_test.go",)),
    ("**/*.rs", ("tests/**/{basename}.rs", "{dir}/{basename}/tests.rs")),
    (
        "**/*.java",
        tuple(f"{{test_dir}}/{{basename}}{end}.java" for end in ("Test", "Tests", "IT")),
    ),
)
# Names that stand in every directory: `tests/**/test___init__.py` would be everybody's.
COMMON_NAMES = frozenset(("__init__", "__main__", "index", "main", "mod", "lib", "conftest"))
_TESTS = (
    *("tests/**", "test/**", "**/__tests__/**", "**/*.test.*", "**/*.spec.*"),  # of the original
    *("**/test_*.py", "**/*_test.py", "**/conftest.py", "**/*_test.go"),
    *("**/*Test.java", "**/*Tests.java", "**/*IT.java"),
)


def expands(role: object, enabled: bool | None = None) -> bool:
    """Whether scopes of this role are expanded. enabled: the user's choice; None: by the role."""
    if enabled is not None:
        return enabled
    return isinstance(role, str) and role.strip().casefold() in EXPANDING_ROLES


class Siblings:
    """The rules in force: the default ones and the user's pairs of source and sibling."""

    __slots__ = ("_rules", "_tests")

    def __init__(self, extra: Iterable[tuple[str, str]] = ()) -> None:
        self._rules = DEFAULT_RULES + tuple((source, (sibling,)) for source, sibling in extra)
        made = [_pattern_of(template) for _, templates in self._rules for template in templates]
        self._tests = ScopeIndex([*_TESTS, *made])

    def expanded(self, entries: Sequence[str]) -> list[str]:
        """The entries, in their order, and after them the siblings that they do not hold yet."""
        held = set(entries)
        found = dict.fromkeys(sibling for entry in entries for sibling in self.of(entry))
        return [*entries, *(sibling for sibling in found if sibling not in held)]

    def of(self, entry: str) -> list[str]:
        """The siblings of one entry: none of a glob, of an absolute entry and of what is a test."""
        path = normalise(entry)
        if path is None or path.startswith("/") or is_home(path) or is_glob(path):
            return []
        if self.is_test(path) or _is_mere_extension(path):
            return []
        texts = [
            _filled(template, path)
            for source, templates in self._rules
            if matches(source, path)
            for template in templates
            if _is_own(template, path)
        ]
        return list(dict.fromkeys(name for text in texts for name in _plain(text)))

    def is_test(self, path: str) -> bool:
        """Whether a path is a test already: by its name, or as what a rule makes."""
        return self._tests.covers_path(path) is not None


def _is_own(template: str, path: str) -> bool:
    """Whether the template fits; one for a name of every directory must keep to the file's own."""
    keeps = "**" not in template and ("{dir}" in template or "{test_dir}" in template)
    return keeps or _parts(path)["basename"] not in COMMON_NAMES


def _is_mere_extension(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name[:1] == "." and name.count(".") == 1


def _parts(path: str) -> dict[str, str]:
    directory, _, name = path.rpartition("/")
    stem, dot, ext = name.rpartition(".")
    inside = f"/{directory}/".replace("/src/main/", "/src/test/", 1).strip("/")
    return {
        "dir": directory,
        "test_dir": inside,
        "basename": stem if dot and stem else name,
        "ext": ext if dot and stem else "",
    }


def _filled(template: str, path: str) -> str:
    """The template with its parts put in, in one pass: a name that reads `{dir}` stays one."""
    parts = _parts(path)
    done = ""
    rest = template
    while rest:
        before, brace, after = rest.partition("{")
        name, closing, behind = after.partition("}")
        if brace and closing and name in parts:
            done += before + parts[name]
            rest = behind.removeprefix("/") if not parts[name] and not done else behind
        else:
            done += before + brace
            rest = after
    return done


def _plain(text: str) -> Iterator[str]:
    """The alternatives of what a template made, as the original's readers take braces for letters."""
    canonical = normalise(text)
    yield from (expand(canonical) or ()) if canonical else ()


def _pattern_of(template: str) -> str:
    for name in ("dir", "test_dir"):
        template = template.replace(f"{{{name}}}/", "**/").replace(f"{{{name}}}", "**")
    return template.replace("{basename}", "*").replace("{ext}", "*")
