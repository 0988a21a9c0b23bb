"""`make demo`: the main job on a throwaway repository, with real hook processes from hooks.json."""

from __future__ import annotations

import json
import sys
import tempfile
import textwrap
from pathlib import Path

from tests.harness import SCOPE, Answer, Harness, git_repo


def main() -> int:
    """Play four scenes; 0 when each ended as it should."""
    with tempfile.TemporaryDirectory(prefix="holdshort-demo-") as base:
        harness = Harness(git_repo(Path(base) / "repo", "src/parser.py"), Path(base) / "home")
        scenes = (collision, disjoint, repair, at_once)
        return (
            0 if all(play(number, scene, harness) for number, scene in enumerate(scenes, 1)) else 1
        )


def play(number: int, scene: object, harness: Harness) -> bool:
    assert callable(scene)
    print(f"\n{number}. {scene.__doc__}")
    good = bool(scene(harness))
    print("   " + ("as it should be" if good else "NOT AS IT SHOULD BE"))
    return good


def collision(harness: Harness) -> bool:
    """ "fix parser" is at work on src/parser.py; a dispatch that includes the file is denied."""
    harness.dispatch("fix parser", "src/parser.py", tool_use_id="toolu_fix")
    harness.launched("toolu_fix", "a1f0")
    answer = harness.dispatch("tidy sources", "src/**", tool_use_id="toolu_tidy")
    show("the agent reads", answer.reason)
    show("the user reads", answer.notice)
    return answer.denied


def disjoint(harness: Harness) -> bool:
    """A dispatch on other files is allowed without a word."""
    answer = harness.dispatch("write docs", "docs/**", tool_use_id="toolu_docs")
    show("the hook prints", answer.stdout or "nothing, exit 0")
    return answer.stdout == ""


def repair(harness: Harness) -> bool:
    """ "fix parser" ends; a repair pass on its file is allowed at once."""
    harness.stopped("a1f0")
    answer = harness.dispatch("repair parser", "src/parser.py", tool_use_id="toolu_repair")
    show("the hook prints", answer.stdout or "nothing, exit 0")
    return answer.stdout == ""


def at_once(harness: Harness) -> bool:
    """Two dispatches of one turn ask for api/server.py at the same moment: exactly one wins."""
    (command,) = harness.commands("PreToolUse", "Agent")
    scope = SCOPE.format("api/server.py")
    names = ("server, first", "server, second")
    processes = [harness.start(command) for _ in names]
    for name, process in zip(names, processes, strict=True):
        assert process.stdin is not None
        process.stdin.write(json.dumps(harness.dispatch_payload(name, scope)))
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    answers = [Answer.of(process) for process in processes]
    for name, answer in zip(names, answers, strict=True):
        show(name, answer.reason or "allowed")
    return sum(answer.denied for answer in answers) == 1


def show(who: str, words: str) -> None:
    print(textwrap.fill(words, 96, initial_indent=f"   {who}: ", subsequent_indent="      "))


if __name__ == "__main__":
    sys.exit(main())
