"""A working tree and the `scopes` verbs in it, run in this process through `main`."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.harness import run_git

from holdshort.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

SOUND = {
    "wave": 1,
    "role": "Quality",
    "enforcement": "strict",
    "allowedPaths": ["src/**"],
    "blockedCommands": [],
}


class Done:
    """How a run ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def errors(self) -> list[str]:
        """The lines that tell of errors; every other line must be of another kind."""
        lines = self.err.splitlines()
        assert all(
            line.startswith(("ERROR: ", "WARNING: ", "NOTICE: ", "holdshort: ")) for line in lines
        )
        assert self.err.replace("\n", "").isprintable()
        return [line for line in lines if line.startswith(("ERROR: ", "holdshort: "))]


class Tree:
    """One repository, and `holdshort scopes` in it."""

    def __init__(
        self, repo: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[bytes]
    ) -> None:
        self.repo = repo
        self._patch = patch
        self._capture = capture

    def run(self, *args: str, stdin: Any = "", cwd: str = "") -> Done:
        """Run a verb; a stdin that is no text is given as JSON."""
        text = stdin if isinstance(stdin, (str, bytes)) else json.dumps(stdin)
        raw = text.encode() if isinstance(text, str) else text
        self._patch.chdir(self.repo / cwd)
        self._patch.setattr(sys, "argv", ["holdshort", "scopes", *args])
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = self._capture.readouterr()
        return Done(int(ended.value.code or 0), out.decode(), err.decode())

    def materialize(self, wave: int = 1, **scopes: list[str]) -> Done:
        """Write the declarations of a wave; the coordinator's are added."""
        records = [{"id": name, "files": files} for name, files in scopes.items()]
        records += [] if "coordinator" in scopes else [{"id": "coordinator", "files": []}]
        return self.run("materialize", "--wave", str(wave), stdin=records)

    def manifest(self, directory: str = ".claude", **changes: Any) -> str:
        """Write the manifest; gives its path below the root."""
        return self.file(f"{directory}/wave-scope.json", {**SOUND, **changes})

    def file(self, name: str, value: Any) -> str:
        """Write a file, as JSON unless it is text; gives its name."""
        path = self.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return name

    def track(self, *names: str) -> None:
        for name in names:
            self.file(name, "x\n")
        run_git(self.repo, "add", "-f", *names)

    def listing(self, below: str = ".claude") -> list[str]:
        """Every file and directory below a directory, with what is in it."""
        found = []
        for path in sorted((self.repo / below).rglob("*")):
            text = path.read_text() if path.is_file() and not path.is_symlink() else ""
            found.append(f"{path.relative_to(self.repo)}|{text}")
        return found


@pytest.fixture
def tree(
    repo: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Tree:
    monkeypatch.setenv("PWD", os.fspath(repo))
    return Tree(repo, monkeypatch, capsysbinary)
