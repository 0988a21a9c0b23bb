"""`holdshort scopes materialize`: all the scope files of a wave, or none, and never elsewhere."""

from __future__ import annotations

import fcntl
import json
import os
import posix
from typing import TYPE_CHECKING, Any

import pytest

from holdshort.adapters import scope_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Tree

RECORDS = [
    {"id": "zeta", "files": ["src/b.py", "src/a.py", "src/b.py"]},
    {"id": "Api-2", "files": ["docs/é [x] #1.md"]},
    {"id": "coordinator", "files": []},
]
ONE = [{"id": "coordinator", "files": ["new.md"]}]


def wave(tree: Tree, number: int = 1) -> Path:
    return tree.repo / ".claude" / "filescopes" / f"wave-{number}"


def aggregate(tree: Tree, number: int = 1) -> Path:
    return tree.repo / ".claude" / "filescopes" / f"wave-{number}.scopes.json"


def test_both_shapes_are_written_in_the_order_given(tree: Tree) -> None:
    """M1"""
    done = tree.run("materialize", "--state-dir", ".claude", "--wave", "1", stdin=RECORDS)

    assert (done.code, done.err) == (0, "")
    assert done.out == ".claude/filescopes/wave-1.scopes.json\n"
    assert json.loads(aggregate(tree).read_text()) == RECORDS
    assert sorted(path.name for path in wave(tree).iterdir()) == [
        "Api-2.json",
        "coordinator.json",
        "zeta.json",
    ]
    assert (wave(tree) / "zeta.json").read_text() == (
        '[\n  "src/b.py",\n  "src/a.py",\n  "src/b.py"\n]\n'
    )
    assert "é [x] #1" in (wave(tree) / "Api-2.json").read_text()


def test_all_paths_are_told_as_json(tree: Tree) -> None:
    """M2"""
    done = tree.run("materialize", "--json", "--wave=7", "--state-dir=.claude", stdin=RECORDS)

    assert done.json == {
        "ok": True,
        "errors": [],
        "warnings": [],
        "aggregatePath": ".claude/filescopes/wave-7.scopes.json",
        "perAgentPaths": [
            f".claude/filescopes/wave-7/{name}.json" for name in ("zeta", "Api-2", "coordinator")
        ],
    }


@pytest.mark.parametrize(
    ("records", "part"),
    [
        ([*RECORDS, {"id": "ZETA", "files": []}], "twice"),  # M3
        (RECORDS[:2], "coordinator"),  # M4
        ([{"id": "Coordinator", "files": []}], "lower case"),  # M5
        ([{"id": "../x", "files": []}, *RECORDS], "ASCII"),  # M6
        ([{"id": "x", "files": ["src/../../etc"]}, *RECORDS], "`..`"),  # M7
        ([{"id": "x", "files": ["/etc/hosts"]}, *RECORDS], "outside"),
        ([{"id": "x", "files": ["~/.ssh/**"]}, *RECORDS], "outside"),
        ([{"id": "x", "file": ["a"]}, *RECORDS], "files: missing"),
        ([], "not a list"),
        ("{", "not JSON"),
        (b"\xff", "not JSON"),
        ("[NaN]", "not JSON"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_faulty_declaration_writes_nothing(tree: Tree, records: Any, part: str) -> None:
    """M3, M4, M5, M6, M7"""
    done = tree.run("materialize", "--wave", "1", stdin=records)

    assert (done.code, done.out) == (1, "")
    assert any(part in line for line in done.errors)
    assert tree.listing() == []


def test_every_fault_of_a_run_is_a_line_and_on_stdout_for_scripts(tree: Tree) -> None:
    records = [{"id": "", "files": ["a/.."]}, {"id": "b", "files": [1]}]

    done = tree.run("materialize", "--wave", "1", "--json", stdin=records)

    assert len(done.errors) == 4
    assert not done.json["ok"]
    assert [f"ERROR: {error}" for error in done.json["errors"]] == done.errors


@pytest.mark.parametrize(
    "args",
    [
        ("--wave", "0"),  # M8
        ("--wave", "-1"),
        ("--wave", "01"),
        ("--wave", "1.0"),
        ("--wave", "x"),
        ("--wave", ""),
        ("--wave", "²"),
        ("--wave", str(2**53)),
        ("--wave", "1", "--state-dir", ""),
        ("--wave", "1", "--state-dir", "a\nb"),  # M9
        ("--wave", "1", "--state-dir", "a\0b"),
        ("--wave", "1", "--state-dir", "--json"),
        ("--wave", "1", "--state-dir=--json"),
        ("--wave", "1", "--wave", "2"),
        ("--wave=1", "--wave=1"),
        ("--wave", "1", "--json", "--json"),
        ("--wave", "1", "extra"),
        ("--wave", "1", "--bogus"),
        ("--wave",),
        (),  # M15
        ("--wave", "1", "--state-dir", "."),
        ("--wave", "1", "--state-dir", ".."),
        ("--wave", "1", "--state-dir", "../elsewhere"),
        ("--wave", "1", "--state-dir", "/tmp"),
        ("--wave", "1", "--state-dir", ".claude/../.."),
    ],
)
def test_what_is_not_understood_is_one_line_and_exit_1(tree: Tree, args: tuple[str, ...]) -> None:
    """M8, M9, M15"""
    done = tree.run("materialize", *args, stdin=RECORDS)

    assert (done.code, done.out, len(done.errors)) == (1, done.out, 1)
    assert not (tree.repo / ".claude").exists()
    if "--json" in args:
        assert not done.json["ok"]
    else:
        assert done.out == ""


def test_a_usage_fault_is_json_on_stdout_too(tree: Tree) -> None:
    done = tree.run("materialize", "--json", "--wave", "0", stdin=RECORDS)

    assert done.json["errors"][0] in done.err


def test_help_is_help(tree: Tree) -> None:
    """M15"""
    done = tree.run("materialize", "--help")

    assert (done.code, done.err) == (0, "")
    assert "--state-dir" in done.out


@pytest.mark.parametrize("directory", [".pi", ".cursor", ".codex", ".claude"])
def test_the_state_directory_is_the_first_with_a_manifest(tree: Tree, directory: str) -> None:
    tree.manifest(".claude")
    tree.manifest(directory)

    done = tree.run("materialize", "--wave", "1", stdin=RECORDS, cwd="src")

    assert done.out == f"{tree.repo}/{directory}/filescopes/wave-1.scopes.json\n"
    assert (tree.repo / directory / "filescopes" / "wave-1.scopes.json").exists()


def test_an_absolute_state_directory_below_the_tree_is_taken(tree: Tree) -> None:
    path = str(tree.repo / "deep" / "er")

    assert tree.run("materialize", "--wave", "1", "--state-dir", path, stdin=RECORDS).code == 0
    assert (tree.repo / "deep/er/filescopes/wave-1/zeta.json").exists()


def test_a_tree_reached_through_a_link_is_the_same_tree(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(tree.repo)
    monkeypatch.setenv("PWD", str(tmp_path / "link"))
    records = [{"id": "coordinator", "files": [f"{tmp_path}/link/src/a.py", f"{tree.repo}/b"]}]

    state = str(tmp_path / "link" / ".claude")
    done = tree.run("materialize", "--wave", "1", "--state-dir", state, stdin=records)

    assert done.code == 0
    assert json.loads((wave(tree) / "coordinator.json").read_text()) == ["src/a.py", "b"]


def test_the_files_of_an_old_wave_of_that_number_are_gone(tree: Tree) -> None:
    tree.materialize(1, old=["src/a.py"])
    tree.materialize(2, other=["src/a.py"])
    tree.materialize(1, new=["src/b.py"])

    assert sorted(path.name for path in wave(tree).iterdir()) == ["coordinator.json", "new.json"]
    assert (wave(tree, 2) / "other.json").exists()
    assert "old" not in aggregate(tree).read_text()
    assert not [name for name in tree.listing() if "/." in name]


@pytest.mark.parametrize("planted", [".claude", ".claude/filescopes", ".claude/filescopes/wave-1"])
@pytest.mark.parametrize("inside", [True, False])
def test_a_planted_link_is_refused_and_leads_nowhere(
    tree: Tree, tmp_path: Path, planted: str, inside: bool
) -> None:
    target = (tree.repo / "elsewhere") if inside else (tmp_path / "outside")
    target.mkdir()
    (tree.repo / planted).parent.mkdir(parents=True, exist_ok=True)
    (tree.repo / planted).symlink_to(target)

    for args in ((), ("--state-dir", ".claude")):
        done = tree.run("materialize", "--wave", "1", *args, stdin=RECORDS)
        assert (done.code, len(done.errors)) == (2, 1)
        assert "symbolic link" in done.err
    assert list(target.iterdir()) == []


def test_a_link_back_to_the_root_is_a_link_like_any_other(tree: Tree) -> None:
    (tree.repo / "link").symlink_to(tree.repo)

    for state in ("link/.claude", f"{tree.repo}/link/.claude"):
        done = tree.run("materialize", "--wave", "1", "--state-dir", state, stdin=RECORDS)
        assert (done.code, "symbolic link" in done.err) == (2, True)


def test_a_linked_aggregate_is_refused_and_what_it_leads_to_is_left(tree: Tree) -> None:
    tree.file("victim", "keep")
    (tree.repo / ".claude" / "filescopes").mkdir(parents=True)
    aggregate(tree).symlink_to(tree.repo / "victim")

    assert tree.materialize(1).code == 2
    assert (tree.repo / "victim").read_text() == "keep"
    assert not wave(tree).exists()


def test_an_aggregate_that_cannot_be_replaced_is_a_fault_and_nothing_is_written(tree: Tree) -> None:
    """M12"""
    aggregate(tree).mkdir(parents=True)

    done = tree.materialize(1, api=["src/a.py"])

    assert (done.code, done.out, len(done.errors)) == (2, "", 1)
    assert tree.listing() == [".claude/filescopes|", ".claude/filescopes/wave-1.scopes.json|"]


def test_what_is_not_ours_in_the_way_is_never_removed(tree: Tree) -> None:
    tree.materialize(1, api=["src/a.py"])
    (wave(tree) / "notes.txt").write_text("mine")
    before = tree.listing()

    done = tree.materialize(1, ui=["src/b.py"])

    assert done.code == 2
    assert "notes.txt" in done.err
    assert tree.listing() == before


def test_another_run_at_work_is_waited_for_by_the_caller(tree: Tree) -> None:
    tree.materialize(1, api=["src/a.py"])
    before = tree.listing()
    handle = os.open(tree.repo / ".claude" / "filescopes", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)

    done = tree.materialize(1, ui=["src/b.py"])
    os.close(handle)

    assert (done.code, "another run" in done.err) == (2, True)
    assert tree.listing() == before
    assert tree.materialize(1, ui=["src/b.py"]).code == 0


def test_leftovers_of_a_killed_run_are_removed_by_the_next(tree: Tree) -> None:
    tree.materialize(1, api=["src/a.py"])
    for name in (".wave-3.new-77/x.json", ".wave-1.old-5/y.json", ".wave-1.scopes.json.new-9"):
        tree.file(f".claude/filescopes/{name}", "[]")
    tree.file(".claude/filescopes/.wave-mine", "x")

    tree.materialize(1, ui=["src/b.py"])

    hidden = [name for name in os.listdir(tree.repo / ".claude/filescopes") if name[0] == "."]
    assert hidden == [".wave-mine"]


class Trouble:
    """Fails the call number `at` that the adapter makes to the system, and only that one."""

    CALLS = ("open", "mkdir", "write", "rename", "stat", "listdir", "unlink", "rmdir", "close")

    def __init__(self, patch: pytest.MonkeyPatch, at: int) -> None:
        self.at = at
        self.made: list[str] = []
        for name in self.CALLS:
            patch.setattr(posix, name, self._wrapped(name, getattr(posix, name)))

    def _wrapped(self, name: str, real: Any) -> Any:
        def call(*args: Any, **options: Any) -> Any:
            self.made.append(name)
            if len(self.made) == self.at:
                if name == "close":
                    real(*args, **options)
                raise OSError(28, "No space left on device", "somewhere")
            return real(*args, **options)

        return call


FILES = {"a.json": "[1]\n", "coordinator.json": "[2]\n"}


def publish(root: Path) -> None:
    scope_files.publish(str(root), (".claude",), 1, FILES, "[3]\n")


def state_of(root: Path) -> dict[str, str]:
    """What readers see: the files, without what is hidden from them."""
    files = [path for path in root.rglob("*") if path.is_file()]
    shown = {str(path.relative_to(root)): path.read_text() for path in files}
    return {name: text for name, text in shown.items() if "/." not in name.removeprefix(".claude")}


def leftovers(root: Path) -> list[str]:
    return [path.name for path in root.rglob(".wave-*")]


@pytest.mark.parametrize("is_first", [True, False], ids=["nothing yet", "an old wave"])
def test_a_failure_at_any_system_call_leaves_the_old_state_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_first: bool
) -> None:
    """M10, M11: no aggregate is published that speaks of files that are not there"""
    new = {f".claude/filescopes/wave-1/{name}": text for name, text in FILES.items()}
    new[".claude/filescopes/wave-1.scopes.json"] = "[3]\n"
    old: dict[str, str] = {}
    outcomes = set()
    for at in range(1, 200):
        root = tmp_path / str(at)
        root.mkdir()
        if not is_first:
            scope_files.publish(str(root), (".claude",), 1, {"old.json": "[]"}, "[0]\n")
            old = state_of(root)
        with monkeypatch.context() as patch:
            trouble = Trouble(patch, at)
            try:
                publish(root)
                failed = False
            except OSError:
                failed = True
        assert state_of(root) == (old if failed else new), (at, trouble.made[-3:])
        assert not failed or leftovers(root) == [], (at, trouble.made)
        assert not (failed and is_first) or list(root.iterdir()) == [], (at, trouble.made)
        outcomes.add(failed)
        if len(trouble.made) < at:
            break
        publish(root)
        assert state_of(root) == new
        assert leftovers(root) == []
    assert outcomes == {True, False}
    assert len(trouble.made) > 20


def test_no_reader_ever_sees_an_old_aggregate_beside_new_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M11"""
    scope_files.publish(str(tmp_path), (".claude",), 1, {"old.json": "[]"}, "[0]\n")
    seen = []
    rename = posix.rename

    def looking(*args: Any, **options: Any) -> None:
        rename(*args, **options)
        shown = sorted(name.removeprefix(".claude/filescopes/") for name in state_of(tmp_path))
        seen.append(shown)

    monkeypatch.setattr(posix, "rename", looking)
    publish(tmp_path)

    assert seen == [
        ["wave-1/old.json"],
        [],
        ["wave-1/a.json", "wave-1/coordinator.json"],
        ["wave-1.scopes.json", "wave-1/a.json", "wave-1/coordinator.json"],
    ]


def test_a_failing_writer_publishes_no_aggregate_and_is_exit_2(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M10"""

    def full(*_args: Any) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(posix, "write", full)
        done = tree.materialize(1, api=["src/a.py"])

    assert (done.code, done.out) == (2, "")
    assert "No space left" in done.errors[0]
    assert not (tree.repo / ".claude").exists()


def test_what_collides_is_written_and_then_found_by_check(tree: Tree) -> None:
    """M13"""
    manifest = tree.manifest()
    path = tree.materialize(1, api=["src/a.py"], ui=["src/**"]).out.strip()

    done = tree.run("check", manifest, "--assert-disjoint", path)

    assert (done.code, done.out) == (1, "")


def test_what_is_written_is_what_union_takes(tree: Tree) -> None:
    """M14"""
    manifest = tree.manifest()
    path = tree.materialize(1, api=["src/b.py", "src/a.py"], ui=["lib/**"]).out.strip()

    assert tree.run("check", manifest, "--union", path).json == ["src/b.py", "src/a.py", "lib/**"]
    assert tree.run("union", path).json == ["src/b.py", "src/a.py", "lib/**"]
