"""Faults put into the core one at a time: the tests have to notice each of them.

    python -m tests.fire.mutate [--again] [MODULE ...]

Each mutant is one small change of one module, in a copy of the checkout. A mutant that no test kills
is a survivor: either it changes nothing that can be seen, or a test is missing.
"""

from __future__ import annotations

import ast
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import hypothesis
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHECKOUT = Path(__file__).resolve().parents[2]
COPIED = ("lib", "hooks", "tests", "fixtures", ".claude-plugin")
PATIENCE = 60  # seconds of CPU for the tests of one mutant; one that takes more goes in circles
WORKERS = 2

# Which test files speak of a module, those that tell soonest first.
DISPATCH = "core/test_dispatch.py"
BESIDES = "fire/test_mutants.py::TestWhatTheTestsOfTheCoreLeaveOut"
TESTS: dict[str, tuple[str, ...]] = {
    "dispatch": (DISPATCH, BESIDES),
    "conflict": (DISPATCH, "core/test_liveness.py", BESIDES),
    "meeting": (DISPATCH, "core/test_scope_index.py", BESIDES),
    "observed": ("core/test_observed.py", "hooks/test_observed_holds.py"),
    "liveness": ("core/test_liveness.py", DISPATCH, BESIDES),
    "sightings": ("core/test_sightings.py", DISPATCH, BESIDES),
    "lifecycle": ("core/test_lifecycle.py", DISPATCH, BESIDES),
    "book": ("core/test_book.py", DISPATCH, "core/test_lifecycle.py", BESIDES),
    "verdict": ("core/test_verdict.py", DISPATCH),
    "policy": ("core/test_policy.py", "adapters/test_policy_file.py", DISPATCH),
    "extraction": ("core/test_extraction.py",),
    "advice": ("core/test_advice.py", DISPATCH),
    "words": ("core/test_words.py", DISPATCH),
    "cover": ("core/test_cover.py",),
    "entries": ("core/test_entries.py", "core/test_scope_index.py", "core/test_cover.py", DISPATCH),
    "scope_index": ("core/test_scope_index.py", "core/test_overlap.py", DISPATCH),
    "subset": ("core/test_collisions.py",),
    "collisions": ("core/test_collisions.py",),
    "changes": ("core/test_changes.py",),
    "planned": ("core/test_observed.py",),
    "siblings": ("core/test_siblings.py",),
    "declarations": ("core/test_declarations.py",),
    "wave_manifest": ("core/test_wave_manifest.py",),
    "absolute": ("core/test_wave_manifest.py",),
    "prompt_block": ("core/test_prompt_block.py",),
    **dict.fromkeys(("access", "scope_reader"), ("core/test_extraction.py",)),
    **dict.fromkeys(("scope_blocks", "scope_labels", "scope_lines"), ("core/test_extraction.py",)),
    "overlap": ("core/test_overlap.py", "core/test_scope_index.py", "core/test_cover.py", DISPATCH),
}
# What real hook processes say, of those that survived the core's own tests.
SECOND = (
    *("hooks/test_observed_holds.py", "hooks/test_lifecycle_hook.py", "hooks/test_parity.py"),
    "hooks/test_gaps.py",
)


class Mutant(NamedTuple):
    """One change: where it is, the line before and after it, and the whole module with it."""

    module: str
    line: int
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"core/{self.module}.py:{self.line}\n    - {self.before}\n    + {self.after}"


class Site(NamedTuple):
    """A place in a tree: `getattr(parent, field)`, or item `at` of it, within `statement`."""

    parent: ast.AST
    field: str
    at: int | None
    statement: ast.stmt


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a module's source, in the order of its lines."""
    tree = ast.parse(source)
    for site in list(_sites(tree)):
        original = _get(site)
        before = _first_line(site.statement)
        for variant in _variants(original, site):
            _put(site, variant)
            statement = variant if isinstance(variant, ast.stmt) else site.statement
            after = "(gone)" if isinstance(variant, ast.Pass) else _first_line(statement)
            yield Mutant(module, site.statement.lineno, before, after, ast.unparse(tree) + "\n")
            _put(site, original)


def _sites(tree: ast.AST) -> Iterator[Site]:
    """Every place whose change can be seen: no annotation, no docstring, nothing for types alone."""
    todo: list[tuple[ast.AST, Any]] = [(tree, None)]
    while todo:
        parent, statement = todo.pop()
        for field, value in ast.iter_fields(parent):
            if field in ("annotation", "returns", "decorator_list", "ctx", "ops"):
                continue
            for index, node in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(node, ast.AST) and not _is_unseen(node):
                    inside = node if isinstance(node, ast.stmt) else statement
                    if inside is not None:
                        yield Site(
                            parent, field, index if isinstance(value, list) else None, inside
                        )
                    todo.append((node, inside))


def _is_unseen(node: ast.AST) -> bool:
    text = ast.unparse(node).partition("\n")[0] if isinstance(node, ast.stmt) else ""
    is_words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_repr = text.startswith("def __repr__")
    return (
        is_words or is_repr or text.startswith(("TYPE_CHECKING", "if TYPE_CHECKING", "__slots__"))
    )


def _get(site: Site) -> Any:
    value = getattr(site.parent, site.field)
    return value if site.at is None else value[site.at]


def _put(site: Site, node: ast.AST) -> None:
    if site.at is None:
        setattr(site.parent, site.field, node)
    else:
        getattr(site.parent, site.field)[site.at] = node


def _first_line(statement: ast.stmt) -> str:
    return ast.unparse(statement).partition("\n")[0]


# --- the changes ---------------------------------------------------------------------------------

OPPOSITES: dict[type, type] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
BOUNDARIES: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
SUMS: dict[type, type] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add}


def _variants(node: ast.AST, site: Site) -> Iterator[ast.AST]:
    """What can stand in the place of `node`."""
    if isinstance(node, ast.Compare):
        yield from _comparisons(node)
    elif isinstance(node, ast.BoolOp):
        yield from _connectives(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.BinOp) and type(node.op) in SUMS:
        yield ast.BinOp(node.left, SUMS[type(node.op)](), node.right)
    elif isinstance(node, ast.stmt):
        yield from _statements(node)
    if isinstance(node, ast.expr) and _is_condition(site):
        yield from _conditions(node)


def _comparisons(node: ast.Compare) -> Iterator[ast.AST]:
    for at, operator in enumerate(node.ops):
        for table in (OPPOSITES, BOUNDARIES):
            if type(operator) in table:
                ops = [*node.ops[:at], table[type(operator)](), *node.ops[at + 1 :]]
                yield ast.Compare(node.left, ops, node.comparators)


def _connectives(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for at in range(len(node.values)):
        values = node.values[:at] + node.values[at + 1 :]
        yield ast.BoolOp(node.op, values) if len(values) > 1 else values[0]


def _constants(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)
        if node.value == 1:
            yield ast.Constant(0)


def _statements(node: ast.stmt) -> Iterator[ast.AST]:
    """The statement left out; a name is not left unset, as that alone is noticed by anything."""
    is_kept = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name | ast.Tuple)
    is_deed = isinstance(node, ast.Expr | ast.Assign | ast.AugAssign | ast.Continue | ast.Break)
    if is_deed and not is_kept:
        yield ast.Pass()
    if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield ast.Return(ast.Constant(None))
        if isinstance(node.value, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Call):
            yield ast.Return(ast.Constant(value=True))


def _conditions(node: ast.expr) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Compare | ast.UnaryOp | ast.Constant):
        yield ast.UnaryOp(ast.Not(), node)


def _is_condition(site: Site) -> bool:
    return site.field in ("test", "ifs")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


# --- the run -------------------------------------------------------------------------------------


class Copy:
    """A checkout of its own, in which one module at a time is not what it should be."""

    def __init__(self, directory: Path) -> None:
        self.root = directory
        for name in COPIED:
            ignored = shutil.ignore_patterns("__pycache__", "e2e")
            shutil.copytree(CHECKOUT / name, directory / name, ignore=ignored)
        (directory / "temporary").mkdir()
        shutil.copy(CHECKOUT / "hooks.json", directory)
        settings = (CHECKOUT / "pyproject.toml").read_text()
        # pytest warns of what was imported before it; that is how a fork saves its time
        settings = settings.replace('filterwarnings = ["error"]', "")
        (directory / "pyproject.toml").write_text(settings)

    def put(self, module: str, source: str) -> None:
        """Make `source` the module; nothing compiled from what it was before is left."""
        core = self.root / "lib" / "holdshort" / "core"
        (core / f"{module}.py").write_text(source)
        for stale in (core / "__pycache__").glob(f"{module}.*"):
            stale.unlink()

    def fails(self, tests: Sequence[str]) -> bool:
        """Whether any of these test files fails, or does not end."""
        child = os.fork()
        if child == 0:
            os._exit(self._tested(tests))
        return os.waitpid(child, 0)[1] != 0

    def _tested(self, tests: Sequence[str]) -> int:
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
        os.chdir(self.root)
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(nothing, fd)
        self._import_from_here()
        flags = [
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "--tb=no",
            "-o",
            "addopts=",
        ]
        where = [
            f"--rootdir={self.root}",
            f"-c{self.root}/pyproject.toml",
            "--import-mode=importlib",
        ]
        try:
            return int(pytest.main([*flags, *where, *(f"tests/{name}" for name in tests)]))
        except BaseException:  # noqa: BLE001  # whatever it is, it was noticed
            return 1

    def _import_from_here(self) -> None:
        known = (str(CHECKOUT), str(CHECKOUT / "lib"), "")
        sys.path[:] = [entry for entry in sys.path if entry not in known]
        sys.path[:0] = [str(self.root / "lib"), str(self.root)]
        os.environ["TMPDIR"] = f"{self.root}/temporary"
        os.environ["PYTHONPATH"] = f"{self.root}/lib:{self.root}"
        for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "holdshort")]:
            del sys.modules[name]
        few = hypothesis.settings(max_examples=10, derandomize=True, deadline=None, database=None)
        hypothesis.settings.register_profile("mutants", few)
        hypothesis.settings.load_profile("mutants")


def memory() -> str | None:
    """A directory in memory, where there is one, as every test makes a repository."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def source_of(module: str) -> str:
    return (CHECKOUT / "lib" / "holdshort" / "core" / f"{module}.py").read_text()


def survivors(copy: Copy, mutants: Sequence[Mutant], tests: Sequence[str]) -> list[Mutant]:
    """The mutants that none of `tests` notices."""
    left = []
    for mutant in mutants:
        copy.put(mutant.module, mutant.source)
        if not copy.fails(tests):
            left.append(mutant)
    for module in {mutant.module for mutant in mutants}:
        copy.put(module, source_of(module))
    return left


def is_sound(copy: Copy, module: str, tests: Sequence[str]) -> bool:
    """Whether the tests pass with the module as it is, and fail with one that cannot be imported."""
    copy.put(module, ast.unparse(ast.parse(source_of(module))))
    passes = not copy.fails(tests)
    copy.put(module, "raise SystemExit")
    return passes and copy.fails(tests)


def work(module: str, number: int, results: Path, *, again: bool) -> None:
    """Try every `WORKERS`th mutant of a module and write down which survive."""
    with tempfile.TemporaryDirectory(prefix="holdshort-mutants-", dir=memory()) as directory:
        copy = Copy(Path(directory))
        tests = TESTS[module]
        if not is_sound(copy, module, tests):
            raise SystemExit(f"{module}: its tests do not pass, or do not see it")
        mutants = list(mutants_of(module, source_of(module)))[number::WORKERS]
        left = survivors(copy, mutants, tests)
        if again:
            left = survivors(copy, left, SECOND)
        results.write_text(json.dumps([len(mutants), left]))


def tried(module: str, *, again: bool) -> tuple[int, list[Mutant]]:
    """How many mutants a module has, and those that survive, by several processes at once."""
    with tempfile.TemporaryDirectory() as directory:
        files = [Path(directory) / str(number) for number in range(WORKERS)]
        children = [_forked(module, number, file, again) for number, file in enumerate(files)]
        if sum(os.waitpid(child, 0)[1] for child in children):
            return 0, []
        found = [json.loads(file.read_text()) for file in files]
    left = [Mutant(*fields) for _, many in found for fields in many]
    return sum(count for count, _ in found), sorted(left, key=lambda mutant: mutant.line)


def _forked(module: str, number: int, results: Path, again: bool) -> int:
    child = os.fork()
    if child == 0:
        try:
            work(module, number, results, again=again)
        except BaseException as error:  # noqa: BLE001  # a child never returns into its parent
            print(error, file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return child


def main(arguments: list[str]) -> int:
    again = "--again" in arguments
    for module in [name for name in arguments if name != "--again"] or list(TESTS):
        began = time.monotonic()
        count, left = tried(module, again=again)
        took = time.monotonic() - began
        print(
            f"{module}: {count} mutants, {count - len(left)} killed, {len(left)} survive ({took:.0f} s)"
        )
        for mutant in left:
            print(f"  {mutant}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
