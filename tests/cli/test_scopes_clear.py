"""`holdshort scopes clear`: the end of a wave, and nothing that is not its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Tree
    from tests.harness import Harness


def test_the_manifest_and_all_scope_files_go_and_are_named(tree: Tree) -> None:
    tree.manifest()
    tree.materialize(1, api=["a"])
    tree.materialize(12, ui=["b"])

    done = tree.run("clear", "--state-dir", ".claude")

    assert (done.code, done.err) == (0, "")
    assert tree.listing() == []
    assert "removed .claude/wave-scope.json\n" in done.out
    assert "removed .claude/filescopes/wave-12/ui.json\n" in done.out
    assert "removed .claude/filescopes/\n" in done.out


def test_what_is_not_ours_stays_and_is_named(tree: Tree) -> None:
    tree.materialize(1, api=["a"])
    mine = ["settings.json", "filescopes/notes.md", "filescopes/wave-1/note.txt"]
    mine += ["filescopes/wave-01/x.json", "filescopes/wave-2.scopes.json.bak"]
    for name in mine:
        tree.file(f".claude/{name}", "mine")
    (tree.repo / ".claude/filescopes/wave-7.scopes.json").symlink_to(tree.repo / "src/a.py")
    (tree.repo / ".claude/filescopes/wave-1/b.json").mkdir()

    done = tree.run("clear")

    left = {line.partition("|")[0].removeprefix(".claude/") for line in tree.listing()}
    assert left >= {*mine, "filescopes/wave-7.scopes.json", "filescopes/wave-1/b.json"}
    assert "filescopes/wave-1/api.json" not in left
    assert "filescopes/wave-1.scopes.json" not in left
    assert done.code == 0
    for name in (*mine[1:3], "filescopes/wave-01", "wave-7.scopes.json", "wave-1/b.json"):
        assert any(name in line for line in done.err.splitlines() if "left alone" in line)
    assert "settings.json" not in done.err
    assert (tree.repo / "src/a.py").read_text() == "x\n"


def test_leftovers_of_a_killed_run_go_too(tree: Tree) -> None:
    tree.file(".claude/filescopes/.wave-3.new-77/x.json", "[]")
    tree.file(".claude/filescopes/.wave-3.scopes.json.old-9", "[]")

    assert tree.run("clear").code == 0
    assert tree.listing() == []


def test_with_nothing_there_it_says_so(tree: Tree) -> None:
    for _ in range(2):
        done = tree.run("clear")
        assert (done.code, done.out, done.err) == (0, "There is nothing to clear.\n", "")


def test_scripts_get_an_object(tree: Tree) -> None:
    tree.manifest()
    tree.file(".claude/filescopes/notes.md", "mine")

    assert tree.run("clear", "--json").json == {
        "ok": True,
        "errors": [],
        "warnings": [f"left alone: {tree.repo}/.claude/filescopes/notes.md"],
        "removed": ["wave-scope.json"],
        "kept": ["filescopes/notes.md"],
    }


@pytest.mark.parametrize("planted", [".claude", ".claude/filescopes"])
def test_a_planted_link_is_refused_and_leads_nowhere(tree: Tree, planted: str) -> None:
    tree.file("elsewhere/wave-scope.json", "{}")
    tree.file("elsewhere/wave-1.scopes.json", "[]")
    (tree.repo / planted).parent.mkdir(exist_ok=True)
    (tree.repo / planted).symlink_to(tree.repo / "elsewhere")

    done = tree.run("clear", "--state-dir", ".claude")

    assert (done.code, len(done.errors)) == (2, 1)
    assert len(tree.listing("elsewhere")) == 2


@pytest.mark.parametrize("args", [("extra",), ("--state-dir", ""), ("--state-dir", ".."), ("--x",)])
def test_bad_usage_is_one_line_and_exit_1(tree: Tree, args: tuple[str, ...]) -> None:
    done = tree.run("clear", *args)

    assert (done.code, done.out, len(done.errors)) == (1, "", 1)


class TestInFlight:
    @pytest.fixture
    def busy(self, tree: Tree, harness: Harness) -> Tree:
        tree.manifest(wave=1, role="Quality")
        tree.materialize(1, api=["a"])
        harness.dispatch("fix parser", "src/a.py", tool_use_id="toolu_fix_0001")
        harness.launched("toolu_fix_0001", "a1")
        return tree

    def test_while_an_agent_of_the_wave_works_it_refuses_and_says_who(self, busy: Tree) -> None:
        before = busy.listing()

        done = busy.run("clear")

        assert (done.code, done.out, len(done.errors)) == (1, "", 1)
        assert "fix parser" in done.err
        assert busy.listing() == before

    def test_scripts_are_told_too(self, busy: Tree) -> None:
        assert "fix parser" in busy.run("clear", "--json").json["errors"][0]

    def test_once_it_has_ended_the_wave_is_cleared(self, busy: Tree, harness: Harness) -> None:
        harness.stopped("a1")

        assert busy.run("clear").code == 0
        assert busy.listing() == []

    def test_an_agent_of_another_wave_does_not_matter(self, busy: Tree) -> None:
        busy.manifest(wave=1, role="Impl-Core")

        assert busy.run("clear").code == 0

    def test_nor_does_one_that_holds_nothing(self, tree: Tree, harness: Harness) -> None:
        tree.manifest()
        harness.dispatch("look", "src/a.py", kind="Explore", tool_use_id="toolu_look_0001")
        harness.launched("toolu_look_0001", "a2")

        assert tree.run("clear").code == 0
