"""Write down one hook event, and answer as the rules of the test say.

$OBSERVER_DIR/events.jsonl gets one line per event: time, process, environment, payload, and what
the transcript held at that moment. $OBSERVER_DIR/rules.json, if there, is a list of rules; the
first one whose `event` is this event and whose `match` stands in the payload decides what is
waited for, printed and returned:

    {"event": E, "match": TEXT, "wait": FILE, "stdout": JSON, "stderr": TEXT, "exit": N}
"""

import json
import os
import sys
import time
from typing import Any

WAIT = 40.0
ENVIRONMENT = (
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
)


def transcript_facts(payload: dict[str, Any]) -> dict[str, Any]:
    """What the transcript and the agents' files look like now."""
    path = str(payload.get("transcript_path") or "")
    facts: dict[str, Any] = {"size": -1}
    if os.path.exists(path):
        with open(path, "rb") as file:
            data = file.read()
        facts = {"size": len(data), "lines": data.count(b"\n"), "complete": data.endswith(b"\n")}
        call = str(payload.get("tool_use_id") or "").encode()
        facts["call_in_transcript"] = bool(call) and b'"id":"' + call + b'"' in data
    facts["metas"] = metas(path)
    return facts


def metas(transcript: str) -> dict[str, Any]:
    """Every agent's meta file of this session, by name."""
    found: dict[str, Any] = {}
    for base, _, names in os.walk(transcript.removesuffix(".jsonl")):
        for name in names:
            if name.endswith(".meta.json"):
                with open(os.path.join(base, name), encoding="utf-8") as file:
                    found[name] = file.read()
    return found


def rule_for(payload: dict[str, Any], raw: str, folder: str) -> dict[str, Any]:
    """The first rule that fits, or one that does nothing."""
    path = os.path.join(folder, "rules.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        rules: list[dict[str, Any]] = json.load(file)
    for rule in rules:
        if rule["event"] == payload.get("hook_event_name") and rule.get("match", "") in raw:
            return rule
    return {}


def note(folder: str, line: dict[str, Any]) -> None:
    """Append one line in one write, so that parallel hooks do not mix."""
    fd = os.open(os.path.join(folder, "events.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(fd, json.dumps(line).encode() + b"\n")
    os.close(fd)


def wait_for(path: str) -> None:
    """Hold the hook until a file exists."""
    end = time.monotonic() + WAIT
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.02)


def main() -> int:
    """Log, then answer."""
    folder = os.environ["OBSERVER_DIR"]
    raw = sys.stdin.read()
    started = time.time()
    payload: dict[str, Any] = json.loads(raw)
    rule = rule_for(payload, raw, folder)
    note(
        folder,
        {
            "at": started,
            "event": payload.get("hook_event_name"),
            "pid": os.getpid(),
            "cwd": os.getcwd(),
            "env": {k: os.environ[k] for k in ENVIRONMENT if k in os.environ},
            "transcript": transcript_facts(payload),
            "payload": payload,
            "rule": rule,
        },
    )
    if rule.get("wait"):
        wait_for(rule["wait"])
        note(folder, {"at": time.time(), "event": "Released", "pid": os.getpid(), "payload": {}})
    if rule.get("stdout"):
        sys.stdout.write(json.dumps(rule["stdout"]))
    if rule.get("stderr"):
        sys.stderr.write(rule["stderr"])
    return int(rule.get("exit", 0))


if __name__ == "__main__":
    raise SystemExit(main())
