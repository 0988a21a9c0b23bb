"""A stand-in for Claude Code.

It starts the commands registered in hooks.json as real processes, with the payloads, transcripts and
meta files of the real client (docs/harness-claude.md).
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
SCOPE = "FILE-SCOPE — exactly these:\n```\n{}\n```\n"


class Answer:
    """What one hook process answered."""

    def __init__(self, process: subprocess.CompletedProcess[str]) -> None:
        self.code = process.returncode
        self.stdout = process.stdout
        self.stderr = process.stderr
        self.value: dict[str, Any] = json.loads(process.stdout) if process.stdout else {}

    @classmethod
    def of(cls, process: subprocess.Popen[str]) -> Answer:
        """Wait for a process whose stdin is closed."""
        assert process.stdout is not None
        assert process.stderr is not None
        out, err = process.stdout.read(), process.stderr.read()
        return cls(subprocess.CompletedProcess(process.args, process.wait(30), out, err))

    @property
    def specific(self) -> dict[str, Any]:
        found: dict[str, Any] = self.value.get("hookSpecificOutput", {})
        return found

    @property
    def denied(self) -> bool:
        return self.specific.get("permissionDecision") == "deny"

    @property
    def reason(self) -> str:
        """What the agent reads: the reason of a denial or an advisory."""
        key = "permissionDecisionReason" if self.denied else "additionalContext"
        return str(self.specific.get(key, ""))

    @property
    def notice(self) -> str:
        """What the user reads."""
        return str(self.value.get("systemMessage", ""))


class Harness:
    """One session in one repository."""

    _numbers = itertools.count(1)

    def __init__(
        self,
        repo: Path,
        home: Path,
        session: str = "session-one",
        *,
        pid: int | None = None,
        plugin: Path = CHECKOUT,
    ) -> None:
        self.repo = repo
        self.home = home
        self.session = session
        self.pid = pid or os.getpid()
        self.plugin = plugin
        self.cwd = repo
        self.environ: dict[str, str] = {}
        self.transcript = home / "projects" / "repo" / f"{session}.jsonl"
        self.transcript.parent.mkdir(parents=True, exist_ok=True)

    # What the harness does with its hooks

    def commands(self, event: str, tool: str = "") -> list[list[str]]:
        """The command lines that hooks.json registers for an event."""
        groups = json.loads((self.plugin / "hooks.json").read_text())["hooks"].get(event, [])
        return [
            [part.replace("${CLAUDE_PLUGIN_ROOT}", str(self.plugin)) for part in _argv(hook)]
            for group in groups
            if not tool or tool in group.get("matcher", tool).split("|")
            for hook in group["hooks"]
        ]

    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {
            **kept,
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
            "CLAUDE_PROJECT_DIR": str(self.repo),
            "CLAUDE_PLUGIN_ROOT": str(self.plugin),
            "CLAUDE_PID": str(self.pid),
            **self.environ,
        }

    def start(self, command: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            env=self.environment(),
            cwd=self.cwd if self.cwd.is_dir() else "/",
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def payload(self, event: str, **fields: Any) -> dict[str, Any]:
        return {
            "session_id": self.session,
            "transcript_path": str(self.transcript),
            "cwd": str(self.cwd),
            "permission_mode": "acceptEdits",
            "hook_event_name": event,
            **fields,
        }

    def fire(self, event: str, **fields: Any) -> Answer:
        """Run the one hook registered for `event` (and its tool) to its end."""
        (command,) = self.commands(event, str(fields.get("tool_name", "")))
        return self.feed(command, json.dumps(self.payload(event, **fields)))

    def feed(self, command: list[str], stdin: str) -> Answer:
        process = self.start(command)
        out, err = process.communicate(stdin, timeout=30)
        return Answer(subprocess.CompletedProcess(command, process.returncode, out, err))

    # What the model and its agents do

    def dispatch_payload(
        self, description: str, prompt: str, *, kind: str = "general-purpose", **fields: Any
    ) -> dict[str, Any]:
        given = {"description": description, "prompt": prompt, "subagent_type": kind}
        given.update(fields.pop("tool_input", {}))
        call = fields.pop("tool_use_id", None) or f"toolu_01HoldShortTest{next(self._numbers):09}"
        return self.payload(
            "PreToolUse", tool_name="Agent", tool_input=given, tool_use_id=call, **fields
        )

    def dispatch(self, description: str, *files: str, prompt: str = "", **fields: Any) -> Answer:
        """Dispatch an agent with a FILE-SCOPE block of `files`, or with `prompt` as it is."""
        words = prompt or f"Do the work.\n\n{SCOPE.format(chr(10).join(files))}"
        payload = self.dispatch_payload(description, words, **fields)
        self.last_call = payload["tool_use_id"]
        (command,) = self.commands("PreToolUse", "Agent")
        return self.feed(command, json.dumps(payload))

    def launched(self, call: str, agent: str) -> Answer:
        """The client launched an agent in the background."""
        return self.fire(
            "PostToolUse",
            tool_name="Agent",
            tool_use_id=call,
            tool_response={"status": "async_launched", "isAsync": True, "agentId": agent},
        )

    def completed(self, call: str, agent: str) -> Answer:
        """A foreground agent came back."""
        return self.fire(
            "PostToolUse",
            tool_name="Agent",
            tool_use_id=call,
            tool_response={"status": "completed", "agentId": agent},
        )

    def stopped(self, agent: str, tasks: list[dict[str, Any]] | None = None) -> Answer:
        return self.fire(
            "SubagentStop",
            agent_id=agent,
            agent_type="general-purpose",
            agent_transcript_path=str(self.agent_file(agent, ".jsonl")),
            background_tasks=tasks or [],
        )

    def write_record(self, record: Any) -> None:
        """Add a record to the session's transcript."""
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write((record if isinstance(record, str) else json.dumps(record)) + "\n")

    def write_call(self, call: str, message: str = "msg_1") -> None:
        """The assistant record of a dispatch, which the client writes before it asks the hook."""
        block = {"type": "tool_use", "id": call, "name": "Agent", "input": {}}
        self.write_record({"type": "assistant", "message": {"id": message, "content": [block]}})

    def write_result(self, call: str, content: Any, **fields: Any) -> None:
        block = {"type": "tool_result", "tool_use_id": call, "content": content}
        block.update({key: fields.pop(key) for key in ("is_error",) if key in fields})
        message = {"role": "user", "content": [block]}
        self.write_record({"type": "user", "message": message, **fields})

    def write_notice(self, agent: str, status: str, call: str = "") -> None:
        named = f"<tool-use-id>{call}</tool-use-id>\n" if call else ""
        text = (
            f"<task-notification>\n<task-id>{agent}</task-id>\n{named}"
            f"<status>{status}</status>\n<summary>Agent</summary>\n</task-notification>"
        )
        self.write_record({"type": "queue-operation", "operation": "enqueue", "content": text})

    def agent_file(self, agent: str, ending: str) -> Path:
        directory = self.transcript.with_suffix("") / "subagents"
        directory.mkdir(parents=True, exist_ok=True)
        return directory / f"agent-{agent}{ending}"

    def write_meta(self, agent: str, call: str, **fields: Any) -> None:
        meta = {"agentType": "general-purpose", "toolUseId": call, **fields}
        self.agent_file(agent, ".meta.json").write_text(json.dumps(meta))

    # What we recorded

    @property
    def state_dir(self) -> Path:
        return self.repo / ".orchestrator"

    def ledger(self) -> list[dict[str, Any]]:
        path = self.state_dir / "wave-dispatch-scopes.json"
        found: list[dict[str, Any]] = (
            json.loads(path.read_text())["agents"] if path.exists() else []
        )
        return found

    def record(self, call: str) -> dict[str, Any]:
        (found,) = [record for record in self.ledger() if record["toolUseId"] == call]
        return found


def _argv(hook: dict[str, Any]) -> list[str]:
    return [hook["command"], *hook.get("args", [])]


def git_repo(path: Path, *files: str) -> Path:
    """A new repository with `files` committed."""
    path.mkdir(parents=True)
    for name in files:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text("x\n")
    run_git(path, "init", "-q", "-b", "main")
    run_git(path, "add", "-A")
    run_git(path, "commit", "-q", "--allow-empty", "-m", "start")
    return path


def run_git(cwd: Path, *args: str) -> str:
    """Run git as nobody in particular, without the user's own settings."""
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(cwd),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_NAME": "holdshort" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "holdshort@example.org" for who in ("AUTHOR", "COMMITTER")},
    }
    command = ["git", "-c", "protocol.file.allow=always", *args]
    done = subprocess.run(command, cwd=cwd, env=environ, check=True, capture_output=True, text=True)
    return done.stdout
