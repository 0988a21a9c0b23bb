"""`holdshort scopes prompt`: the block that the guard reads back as the scope file says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdshort.core.extraction import extract

if TYPE_CHECKING:
    from tests.cli.conftest import Tree


def test_the_block_is_what_the_guard_reads_back(tree: Tree) -> None:
    files = ["src/a b.py", "app/[slug]/#1.tsx", "é/`x`.md", "docs/**"]
    tree.manifest(wave=3)
    tree.materialize(3, api=files)

    done = tree.run("prompt", "api", cwd="src")
    found = extract(f"Do the work.\n\n{done.out}\nReport when done.")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("AGENT-ID: api\n\nFILE-SCOPE — exactly these:\n```")
    assert (found.entries, found.strength, found.agent_ids) == (tuple(files), "strong", ("api",))


def test_the_wave_is_the_manifests_unless_given(tree: Tree) -> None:
    tree.manifest(wave=2)
    tree.materialize(1, api=["one.md"])
    tree.materialize(2, api=["two.md"])

    assert "two.md" in tree.run("prompt", "api").out
    assert "one.md" in tree.run("prompt", "api", "--wave", "1").out
    assert "one.md" in tree.run("prompt", "--wave=1", "--state-dir", ".claude", "api").out


def test_scripts_get_an_object(tree: Tree) -> None:
    tree.materialize(1, api=["one.md"])

    shown = tree.run("prompt", "api", "--wave", "1", "--json").json

    assert (shown["ok"], shown["entries"]) == (True, ["one.md"])
    assert "one.md" in shown["prompt"]


def test_an_empty_scope_is_said_to_be_empty(tree: Tree) -> None:
    tree.materialize(1, api=[])

    done = tree.run("prompt", "api", "--wave", "1")

    assert (done.code, extract(done.out).entries, extract(done.out).strength) == (0, (), "strong")


def test_what_no_prompt_can_say_is_named_and_nothing_is_printed(tree: Tree) -> None:
    tree.materialize(1, api=["src/a.py:10", "ok.md", "b#L3"])

    done = tree.run("prompt", "api", "--wave", "1")

    assert (done.code, done.out, len(done.errors)) == (1, "", 2)
    assert "src/a.py:10" in done.errors[0]


@pytest.mark.parametrize(
    "args",
    [
        ("nobody", "--wave", "1"),
        ("api",),
        ("api", "--wave", "9"),
        ("api", "--wave", "0"),
        ("../wave-1/api", "--wave", "1"),
        ("api.json", "--wave", "1"),
        ("\x1b[31m", "--wave", "1"),
        ("", "--wave", "1"),
        ("api", "--wave", "1", "--state-dir", ".."),
        (),
    ],
)
def test_who_or_what_is_not_there_is_one_line_and_exit_1(tree: Tree, args: tuple[str, ...]) -> None:
    tree.materialize(1, api=["a"])

    done = tree.run("prompt", *args)

    assert (done.code, done.out, len(done.errors)) == (1, "", 1)


@pytest.mark.parametrize("text", ["{", "{}", "[3]", '[""]'])
def test_a_scope_file_of_another_content_is_exit_1(tree: Tree, text: str) -> None:
    tree.materialize(1, api=["a"])
    tree.file(".claude/filescopes/wave-1/api.json", text)

    assert tree.run("prompt", "api", "--wave", "1").code == 1


def test_a_planted_link_is_not_read(tree: Tree) -> None:
    tree.materialize(1, api=["a"])
    path = tree.repo / ".claude/filescopes/wave-1/api.json"
    path.unlink()
    path.symlink_to(tree.repo / tree.file("secret.json", ["secret"]))

    done = tree.run("prompt", "api", "--wave", "1")

    assert (done.code, done.out, len(done.errors)) == (2, "", 1)
