"""Shell commands in front of the real client: what the model receives, and what stands in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.e2e.scripted_model import Call, Say, Turn, reached
from tests.e2e.stage import agent, scoped
from tests.e2e.test_write import read, refused, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.e2e.stage import Stage


def bash(command: str) -> Call:
    return Call("Bash", {"command": command, "description": "a command"})


REWRITE = "python3 - <<'EOF'\nfrom pathlib import Path\nPath('src/a.py').write_text('changed')\nEOF"
BLIND = "python3 -c \"import sys; open(sys.argv[1], 'w').write('changed')\" src/a.py"
WAYS_ROUND = (
    "cat > src/a.py <<'EOF'\nchanged\nEOF",
    "cd src && sed -i 's/./changed/' a.py 2>&1 | tail -3",
    REWRITE,
)


def test_an_agent_that_was_denied_is_denied_through_the_shell(stage: Stage) -> None:
    scratch = stage.scratch
    before = (scratch.repo / "src" / "a.py").read_text()
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [
            [
                agent("holder", scoped("SUBONE", "src/a.py")),
                agent("stranger", scoped("SUBTWO", "lib/")),
            ]
        ],
        "SUBONE": [[reached("SUBTWO", 9), Say("one")]],
        "SUBTWO": [
            [read(scratch, "src/a.py")],
            [write(scratch, "src/a.py")],
            *([bash(command)] for command in WAYS_ROUND),
            [bash(BLIND)],
            [bash("cat src/a.py 2>&1 | head -5 > /dev/null && grep -c '>' lib/c.py || true")],
            [bash("echo mine > lib/new.py && cat lib/new.py")],
            [Say("two")],
        ],
    }

    results = stage.play_out(scripts).results["SUBTWO"]

    refused(results[1], "HS201 src/a.py", "holder", "through the shell for one, is denied too")
    for result in results[2:5]:
        refused(result, "HS201 Found in this command: src/a.py", "holder")
    refused(results[5], "HS203", "src/a.py")
    assert (scratch.repo / "src" / "a.py").read_text() == before
    assert not results[6].error, results[6].text
    assert not results[7].error, results[7].text
    assert "mine" in results[7].text


def test_working_alone_the_shell_is_as_it_always_was(stage: Stage) -> None:
    command = "rm -f src/a.py && printf 'x > y\\n' > src/new.py && cat src/new.py 2>&1 | tail -1"

    results = stage.play_out({"MAIN": [[bash(command)], [Say("done")]]}).results["MAIN"]

    assert not results[0].error, results[0].text
    assert "x > y" in results[0].text


def test_git_does_not_take_a_sibling_s_work_away(stage: Stage) -> None:
    scratch = stage.scratch
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [
            [
                agent("holder", scoped("SUBONE", "src/a.py")),
                agent("stranger", scoped("SUBTWO", "lib/")),
            ]
        ],
        "SUBONE": [
            [read(scratch, "src/a.py")],
            [write(scratch, "src/a.py", "half done\n")],
            [reached("SUBTWO", 5), Say("one")],
        ],
        "SUBTWO": [
            [reached("SUBONE", 3), write(scratch, "lib/new.py")],
            [bash("pytest -q; git stash && pytest -q && git stash pop")],
            [bash("git add -A && git commit -q -m mine")],
            [bash("git add lib/new.py && git commit -q -m mine -- lib/new.py")],
            [Say("two")],
        ],
    }

    results = stage.play_out(scripts).results["SUBTWO"]

    refused(results[1], "HS301 `git stash`", "src/a.py", "holder")
    refused(results[2], "HS303 `git add`", "src/a.py", "holder")
    assert not results[3].error, results[3].text
    assert (scratch.repo / "src" / "a.py").read_text() == "half done\n"
    assert scratch.git("show", "--name-only", "--format=", "HEAD").split() == ["lib/new.py"]


def test_alone_git_is_as_it_always_was(stage: Stage) -> None:
    scratch = stage.scratch
    commands = (
        "git stash -u",
        "git stash pop",
        "git add -A && git commit -q -m all",
        "git clean -fdx",
    )
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[write(scratch, "lib/new.py")], *([bash(command)] for command in commands)]
    }

    results = stage.play_out(scripts).results["MAIN"]

    assert [result.text for result in results if result.error] == []
