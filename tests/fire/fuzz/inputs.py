"""Making inputs from valid ones, by changing their structure."""

from __future__ import annotations

import itertools
import json
import random
import re
import tomllib
from typing import TYPE_CHECKING, Any

from tests.fire.fuzz.seeds import (
    AGENTS,
    CACHE,
    CALLS,
    GRANTS,
    IDS,
    LEDGER,
    MAIN,
    STATE,
    furniture,
    ledgers,
    metas,
    text_of,
    touched,
    transcripts,
)
from tests.fire.fuzz.steps import Seen, Step
from tests.fire.hooks import GUARD, LIFE, START, TOUCH, WRITE
from tests.harness import CHECKOUT, SCOPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Files = dict[str, bytes]
HEADS = ("Add File", "Update File", "Delete File", "Move to")
LARGEST_SEED = 20_000  # bytes; what is made from a seed may become one, and so would grow

PATHS = [
    *(
        "../",
        "/etc",
        "/etc/passwd",
        "~",
        "~/x",
        "~root",
        "/proc/self/fd/0",
        "/dev/zero",
        "/dev/full",
    ),
    *(
        "src/a\nb.py",
        "a\0b",
        "/",
        "//",
        ".",
        "..",
        "src/../src/a.py",
        "linked/victim.jsonl",
        "lib/**",
    ),
    *(
        "**",
        "*",
        "src/{a,{b,c}}.py",
        "{" * 40,
        "src/[a-z].py",
        "@src/a.py",
        "src\\a.py",
        "SRC/A.PY",
    ),
    *(
        "/@W@/repo/src/a.py",
        "/@W@/outside",
        "/@W@/tree",
        "/@W@/repo",
        "\ud800",
        "a" * 5000,
        "x/" * 900,
    ),
    *(
        "../../../../outside/victim.jsonl",
        "/@W@/home/.claude",
        "*" * 60,
        "**/" * 30 + "a",
        "?" * 200,
    ),
]
TEXTS = [
    *(
        "",
        " ",
        "\0",
        "\x1b[31m",
        "\u202e\u2066",
        "\u200b",
        "\ud83d",
        "\udfff",
        "\u2028",
        "\x85",
        "\x7f",
    ),
    *(
        "HS101",
        "null",
        "s1",
        "s2",
        "completed",
        "reserved",
        "running",
        "finished",
        "worktree",
        "warn",
    ),
    *("off", "Explore", "plan", "general-purpose", "Agent", "Task", "SendMessage", "clear", "w9|x"),
    *(
        "2999-01-01T00:00:00Z",
        "0000-00-00T00:00:00Z",
        "1970-01-01T00:00:00Z",
        "9999-99-99T99:99:99Z",
    ),
    *(
        "A" * 300,
        "\U0001f600" * 99,
        "FILE-SCOPE:\n- src/a.py\n",
        "```\nsrc/**\n```",
        "AGENT-ID: core-1",
    ),
    *(
        "<task-notification>\n<task-id>a</task-id>\n<status>completed</status>",
        "agentId: ",
        "e\u0301" * 50,
    ),
]
RAW = [
    *(
        "1e999",
        "-1e999",
        "NaN",
        "Infinity",
        "1" * 400,
        "-0",
        "1e308",
        "0.1e-400",
        "99999999999999999999",
    ),
    *(
        "[" * 900 + "]" * 900,
        "[" * 90_000,
        '{"a":' * 300 + "1" + "}" * 300,
        "tru",
        '"\\ud800"',
        '"\\u0000"',
    ),
    *('"\\x"', "00", "1.", "'a'", "{,}", '{"a":1,"a":2}', '"\t"', "1 2"),
]
OTHER: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    2**64,
    1e15,
    1e300,
    0.5,
    -1e18,
    [],
    {},
    [[]],
    [None],
]
MARK = "@RAW"


def prompts() -> list[str]:
    path = CHECKOUT / "tests" / "core" / "extraction_corpus.toml"
    with path.open("rb") as file:
        found = [case["prompt"] for case in tomllib.load(file)["case"]]
    files = (
        "src/a.py",
        "lib/d.py",
        "docs/*.md",
        "src/**",
        "package-lock.json",
        "linked/x",
        "web/ui.ts",
    )
    scopes = [SCOPE.format(name) for name in files]
    return [*found, *scopes, *scopes, "AGENT-ID: core-1\nDo it.", "You only read.", "Go on."]


def commands() -> list[str]:
    """The commands of the corpus, with another's file being one of this world."""
    with (CHECKOUT / "tests" / "core" / "shell_corpus.toml").open("rb") as file:
        drawers = tomllib.load(file).values()
    found = [text for drawer in drawers for texts in drawer.values() for text in texts]
    there = [text.replace("src/held.py", "src/a.py").replace("lib/held", "lib") for text in found]
    return [text.replace("/repo", "/@W@/repo").replace("/home/me", "/@W@/home") for text in there]


class Maker:
    """Makes inputs. Everything it draws comes from `rng`, so a seed names its inputs."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.prompts, self.commands = prompts(), commands()
        self.ledgers, self.transcripts, self.metas = ledgers(), transcripts(), metas()
        self.touched = touched()
        self.kept: list[Step] = []
        self.shapes: set[tuple[str, ...]] = set()
        self.files = self._files()
        self.kinds = [*EVENTS, *EVENTS, *self.files]

    def begin(self) -> tuple[tuple[str, bytes], ...]:
        """Sound state for a batch to begin with."""
        pick = self.rng.choice
        placed = [(LEDGER, pick(self.ledgers))] * (self.rng.random() < 0.9)
        placed += [(f"{STATE}/archive.json", pick(self.ledgers))] * (self.rng.random() < 0.3)
        placed += [(f"{STATE}/touched.jsonl", self.touched)] * (self.rng.random() < 0.3)
        return tuple(placed)

    def step(self, kind: str = "") -> Step:
        """The next input."""
        if not kind and self.kept and self.rng.random() < 0.1:
            step = self.rng.choice(self.kept)
            return step._replace(stdin=self.json(step.stdin))
        kind = kind or self.rng.choice(self.kinds)
        if kind in EVENTS:
            step = self.call(kind)
            return step._replace(
                stdin=self.json(step.stdin) if self.rng.random() < 0.9 else step.stdin
            )
        return self._with_file(kind)

    def learn(self, seen: Seen) -> None:
        """Keep an input that brought about what none did before."""
        codes = sorted(set(re.findall(rb"HS\d{3}", seen.output)))
        keys = re.findall(rb'"(?:permission|additional|system)\w+"', seen.output)
        shape = (seen.step.kind, str(seen.wrote), str(codes), str(keys))
        if shape not in self.shapes and len(seen.step.stdin) < LARGEST_SEED:
            self.shapes.add(shape)
            self.kept.append(seen.step)

    def call(self, kind: str) -> Step:
        hook, event, fields = EVENTS[kind](self)
        call = {
            "session_id": self.rng.choice(("s1", "s1", "s2")),
            "transcript_path": f"/@W@/{MAIN}",
            "cwd": "/@W@/tree" if self.rng.random() < 0.1 else "/@W@/repo",
            "permission_mode": "acceptEdits",
            "hook_event_name": event,
            **fields,
        }
        return Step(kind, hook, text_of(call))

    def _files(self) -> dict[str, tuple[Callable[[], str], Callable[[], bytes]]]:
        """Of each kind of file: its name and a valid one."""
        pick = self.rng.choice
        settled = self.furniture = furniture()
        names = {
            "toml": ("repo/.holdshort.toml",),
            "filescope": tuple(name for name in settled if "filescopes" in name),
            "definition": tuple(
                name for name in settled if name.endswith(".md") and ".claude" in name
            ),
            "git": (
                "tree/.git",
                "repo/.git/config",
                "repo/.git/worktrees/tree/commondir",
                "repo/src/.git",
            ),
        }
        known = {
            kind: (
                lambda of=of: pick(of),
                lambda of=of: settled.get(pick(of), b"gitdir: ../.git\n"),
            )
            for kind, of in names.items()
        }
        manifests = ("repo/.claude/wave-scope.json", "repo/.pi/wave-scope.json")
        meta = [f"{AGENTS}/agent-{name}.meta.json" for name in IDS[:4]]
        return {
            **known,
            "ledger": (lambda: LEDGER, lambda: pick(self.ledgers)),
            "archive": (lambda: f"{STATE}/archive.json", lambda: pick(self.ledgers)),
            "transcript": (lambda: MAIN, lambda: pick(self.transcripts)),
            "meta": (lambda: pick(meta), lambda: pick(self.metas)),
            "cache": (lambda: f"{STATE}/policy.json", lambda: CACHE),
            "touched": (lambda: f"{STATE}/touched.jsonl", lambda: self.touched),
            "manifest": (lambda: pick(manifests), lambda: pick(list(GRANTS))),
            "governed": (lambda: manifests[0], lambda: pick(list(GRANTS))),
            "plant": (lambda: f"{STATE}/{pick(_PLACES)}", lambda: b""),
        }

    def _with_file(self, kind: str) -> Step:
        name, valid = self.files[kind]
        path, raw = name(), valid()
        placed: tuple[tuple[str, bytes], ...] = ()
        if (
            kind == "governed"
        ):  # by nothing else: no settings of old, nobody known to have written it
            placed = ((f"{STATE}/policy.json", b""), (f"{STATE}/touched.jsonl", b""))
        elif kind == "plant":
            raw = self.rng.choice(_PLANTS)
        elif kind == "git":
            raw = self.octets(raw)
        else:
            raw = self.any_text(raw)
        step = self.call(self.rng.choice(_READERS.get(kind, tuple(EVENTS))))
        return Step(kind, step.hook, step.stdin, ((path, raw), *placed))

    # Changes of texts, of JSON values, and of bytes

    def any_text(self, raw: bytes) -> bytes:
        """`raw` with one of its lines changed, or its lines, or its bytes."""
        draw = self.rng.random()
        if draw < 0.2:
            return self.octets(raw)
        is_one_value = raw.lstrip()[:1] in (b"{", b"[") and raw.count(b"\n") < 2
        if is_one_value or draw < 0.35:
            return self.json(raw)
        lines = raw.split(b"\n")
        at = self.rng.randrange(len(lines))
        if draw < 0.8:
            lines[at] = self.json(lines[at]) if lines[at][:1] == b"{" else self.words(lines[at])
        elif draw < 0.87:
            lines[at:at] = [lines[self.rng.randrange(len(lines))]] * self.rng.choice((1, 3, 40))
        else:
            del lines[at : at + self.rng.randrange(1, 4)]
        return b"\n".join(lines)

    def words(self, raw: bytes) -> bytes:
        return self.text(raw.decode("utf-8", "replace")).encode("utf-8", "surrogatepass")

    def json(self, raw: bytes) -> bytes:
        """JSON with one to three of its values changed; what is no JSON has its bytes changed."""
        try:
            value = json.loads(raw)
            for _ in range(self.rng.choice((1, 1, 2, 3))):
                value = self.value(value)
            return self._finished(json.dumps(value))
        except (ValueError, RecursionError):  # no JSON, nested too deeply, or too long a number
            return self.octets(raw)

    def _finished(self, text: str) -> bytes:
        """`text` with what JSON cannot say put in, and sometimes with broken bytes."""
        if MARK in text:
            for number, raw in enumerate(RAW):
                text = text.replace(f'"{MARK}{number}@"', raw)
        encoded = text.encode()
        return self.octets(encoded) if self.rng.random() < 0.08 else encoded

    def value(self, root: Any) -> Any:
        """`root` with one value somewhere in it changed."""
        places = list(itertools.islice(places_in(root), 400))
        if not places:
            return self.other(root)
        inside, key = self.rng.choice(places)
        draw = self.rng.random()
        if draw < 0.12:
            del inside[key]
        elif draw < 0.18 and isinstance(inside, dict):
            inside[self.text(key)] = inside.pop(key)
        elif draw < 0.24:
            inside[key] = _at(self.rng.choice(places))
        else:
            inside[key] = self.other(inside[key])
        return root

    def other(self, old: Any) -> Any:
        """Something in the place of `old`: most often of its own kind."""
        draw = self.rng.random()
        if draw < 0.2:
            return self.rng.choice(OTHER)
        if draw < 0.26:
            return f"{MARK}{self.rng.randrange(len(RAW))}@"
        if isinstance(old, str):
            return self.text(old)
        if isinstance(old, list) and old:
            return self.rng.choice((old * 3, old[::-1], old[:-1], [*old, self.rng.choice(PATHS)]))
        if isinstance(old, int | float):
            return self.rng.choice((-old, old + 1, old * 1000, repr(old)[:400], [old]))
        return self.rng.choice((*PATHS, *TEXTS))

    def text(self, old: str) -> str:
        """A text made from `old`."""
        rng = self.rng
        at = rng.randrange(len(old) + 1)
        draw = rng.randrange(9)
        if draw < 3:
            return old[:at] + rng.choice(rng.choice((PATHS, TEXTS))) + old[at:]
        if draw < 5:
            return rng.choice(rng.choice((PATHS, TEXTS, CALLS, IDS, self.prompts)))
        if draw == 5:
            return old[:at] + old[at + rng.randrange(1, 9) :]
        if draw == 6:
            return old * rng.choice((2, 2, 3, 8, 60)) if len(old) < 2000 else old[:at]
        if draw == 7:
            end = at + rng.randrange(40)
            return old[:end] + old[at:]
        return old[:at] + chr(
            rng.choice((0, 8, 10, 0x202E, 0xD800, 0x10FFFF, rng.randrange(0x3000)))
        )

    def octets(self, raw: bytes) -> bytes:
        """`raw` with its bytes changed, without looking at what they mean."""
        rng = self.rng
        at, end = rng.randrange(len(raw) + 1), rng.randrange(len(raw) + 1)
        junk = (
            b"\xff\xfe",
            b"\0",
            b"\xc0\x80",
            b"\xed\xa0\x80",
            b"\n",
            b"}",
            b'"',
            b"\xef\xbb\xbf",
            b"\r",
        )
        low, high = min(at, end), max(at, end)
        flipped = bytes([raw[low] ^ (1 << rng.randrange(8))]) if low < len(raw) else b""
        return rng.choice(
            (
                raw[:at],
                raw[:at] + rng.choice(junk) + raw[at:],
                raw[:high] + raw[low:],
                raw[:low] + raw[high:],
                raw[:low] + flipped + raw[low + 1 :],
                rng.choice((b"", b"\n", b"{}", b"[]", b"null", raw + raw, raw * 20)),
                rng.choice(junk) + raw,
            )
        )


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every `(object or list, key)` within `value`."""
    todo = [value]
    while todo:
        inside = todo.pop()
        pairs: Iterable[tuple[Any, Any]] = ()
        if isinstance(inside, dict):
            pairs = inside.items()
        elif isinstance(inside, list):
            pairs = enumerate(inside)
        for key, item in pairs:
            yield inside, key
            if isinstance(item, dict | list):
                todo.append(item)


def _at(place: tuple[Any, Any]) -> Any:
    inside, key = place
    return json.loads(json.dumps(inside[key]))


def _dispatch(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    given = {
        "description": f"agent {rng.randrange(6)}",
        "prompt": rng.choice(maker.prompts)
        if rng.random() < 0.5
        else rng.choice(maker.prompts[296:]),
        "subagent_type": rng.choice(("general-purpose", "general-purpose", "Explore", "reader")),
    }
    extra = {"name": "name-1"} if rng.random() < 0.3 else {}
    extra |= {"isolation": "worktree"} if rng.random() < 0.1 else {}
    nested = {"agent_id": rng.choice(IDS)} if rng.random() < 0.2 else {}
    call = {"tool_name": rng.choice(("Agent", "Task")), "tool_use_id": rng.choice(CALLS), **nested}
    return GUARD, "PreToolUse", {**call, "tool_input": {**given, **extra}}


def _prompt(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    hook, event, fields = _dispatch(maker)
    given = fields["tool_input"]
    for _ in range(maker.rng.choice((1, 2, 4))):
        given = {**given, "prompt": maker.text(given["prompt"])}
    return hook, event, {**fields, "tool_input": given}


def _message(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    given = {"to": rng.choice((*IDS, "name-1")), "message": rng.choice(maker.prompts)}
    return (
        GUARD,
        "PreToolUse",
        {"tool_name": "SendMessage", "tool_use_id": "m1", "tool_input": given},
    )


def _returned(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    status = rng.choice(("async_launched", "completed", "failed"))
    response = {"status": status, "agentId": rng.choice(IDS), "task_id": rng.choice(IDS)}
    call = {
        "tool_name": rng.choice(("Agent", "Agent", "TaskStop")),
        "tool_use_id": rng.choice(CALLS),
    }
    return LIFE, "PostToolUse", {**call, "tool_response": response}


def _failed(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    event = maker.rng.choice(("PostToolUseFailure", "PermissionDenied"))
    return LIFE, event, {"tool_name": "Agent", "tool_use_id": maker.rng.choice(CALLS)}


def _agent(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    event = rng.choice(("SubagentStart", "SubagentStop"))
    agent = rng.choice(IDS)
    tasks = [{"id": rng.choice((*IDS, "b1")), "status": "running", "type": "subagent"}]
    own = f"/@W@/{AGENTS}/agent-{agent}.jsonl"
    kind = {"agent_id": agent, "agent_type": "general-purpose"}
    return LIFE, event, {**kind, "agent_transcript_path": own, "background_tasks": tasks}


def _turn(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    event = rng.choice(("Stop", "StopFailure", "UserPromptSubmit", "SessionEnd"))
    tasks = [{"id": agent, "status": rng.choice(("running", "completed"))} for agent in IDS[:2]]
    words = {"prompt": rng.choice(("go on", "<task-notification>\n<task-id>a</task-id>"))}
    return (
        LIFE,
        event,
        {"background_tasks": tasks, "reason": rng.choice(("other", "clear")), **words},
    )


def _write(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    key = rng.choice(("file_path", "file_path", "notebook_path"))
    given = {key: f"/@W@/repo/{rng.choice(('src/a.py', 'linked/x', 'new/deep/f'))}"}
    call = {"tool_name": rng.choice(("Write", "Edit", "NotebookEdit")), "tool_input": given}
    return TOUCH, "PostToolUse", {**call, "agent_id": rng.choice((*IDS, ""))}


def _edit(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    path = rng.choice(("src/a.py", "lib/d.py", "linked/x", "new/deep/f", ".claude/settings.json"))
    spelt = rng.choice(("/@W@/repo/", "/@W@/repo/", "/@W@/tree/", "", "./", " ", "linked/../repo/"))
    tool = rng.choice(("Write", "Edit", "MultiEdit", "NotebookEdit"))
    key = rng.choice(("file_path", "notebook_path"))
    given = {key: spelt + path} if rng.random() < 0.9 else {key: spelt, "file_path": path}
    if rng.random() < 0.2:
        heads = [f"*** {rng.choice(HEADS)}: {spelt}{path}\n+x\n" for _ in range(rng.choice((1, 3)))]
        given, tool = {"command": f"*** Begin Patch\n{''.join(heads)}*** End Patch"}, "apply_patch"
    extra = {"agent_id": rng.choice(IDS)} if rng.random() < 0.5 else {}
    return WRITE, "PreToolUse", {"tool_name": tool, "tool_input": given, **extra}


def _command(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    rng = maker.rng
    extra = {"agent_id": rng.choice(IDS)} if rng.random() < 0.5 else {}
    given = {"command": rng.choice(maker.commands)}
    return WRITE, "PreToolUse", {"tool_name": "Bash", "tool_input": given, **extra}


def _opened(maker: Maker) -> tuple[str, str, dict[str, Any]]:
    source = maker.rng.choice(("startup", "resume", "clear", "compact", "fork"))
    return START, "SessionStart", {"source": source}


EVENTS: dict[str, Callable[[Maker], tuple[str, str, dict[str, Any]]]] = {
    "dispatch": _dispatch,
    "prompt": _prompt,
    "message": _message,
    "returned": _returned,
    "failed": _failed,
    "agent": _agent,
    "turn": _turn,
    "write": _write,
    "edit": _edit,
    "command": _command,
    "opened": _opened,
}
_READERS = {
    **dict.fromkeys(("filescope", "definition"), ("dispatch",)),
    **dict.fromkeys(("toml", "cache"), ("dispatch", "dispatch", "edit")),
    "manifest": ("dispatch", "edit", "edit", "command"),
    "governed": ("edit", "edit", "edit", "command"),
    **dict.fromkeys(
        ("touched", "transcript", "git"), ("dispatch", "dispatch", "dispatch", "write", "edit")
    ),
    "meta": ("dispatch", "message", "agent"),
    "archive": ("message", "agent"),
}
_PLACES = (
    *("wave-dispatch-scopes.json", "wave-dispatch-scopes.lock", "archive.json", "touched.jsonl"),
    *("policy.json", "log", "wave-dispatch-scopes.json.new", "log/decisions.jsonl", ".gitignore"),
)
_PLANTS = (
    b"dir",
    b"pipe",
    b"->../../outside/victim.jsonl",
    b"->../../outside",
    b"->/dev/full",
    b"",
    b"x",
)
